// How well the boxes of elements match the reference.

package canvas

import (
	"repscope/analysis/canvas/internal/design"
	"repscope/report"
)

// layoutReport is the report that layout writes.
const layoutReport = "layout_iou_report.json"

var layoutOverlap = Kind{
	Name:  "layout",
	About: "overlap of elements with matched elements of the reference",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "layout_iou", About: "sum of the overlaps (IoU) of matched elements over the larger number of elements",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "layout_precision", About: "share of generated elements matched with an overlap (IoU) of at least 1/2",
			Direction: report.Higher, High: 1, Improved: true},
		{Name: "layout_recall",
			About:     "share of the reference's elements matched with an overlap (IoU) of at least 1/2",
			Direction: report.Higher, High: 1, Improved: true},
		{Name: "layout_f1", About: "harmonic mean of precision and recall of matched elements",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string {
		switch o.Definition {
		case DefinitionDocumented:
			return "1; mean IoU of matched pairs, all that there can be; IoU of boxes without area 0; precision, recall and F1 without a threshold"
		case DefinitionPublished:
			return "1; layout_iou is 2·min/(n_gt + n_gen); precision, recall and F1 without a threshold"
		}
		return "2; " + design.SeenElements + "; mean IoU over the larger number of elements; IoU of boxes without area by their extents; precision, recall and F1 at IoU 0.5"
	},
	Score: scoreLayout,
}

// scoreLayout enters the mean IoU of matched elements, and which share of them was found.
func scoreLayout(p *Pair, row *Row) error {
	m, err := p.Matching()
	if err != nil {
		return err
	}
	reference, generated := len(m.OfReference), len(m.OfGenerated)
	matches, weak := m.Found()
	over := max(reference, generated)
	if p.Settings.Documented() {
		// The published pairs are all that an assignment makes, whether or not they overlap.
		matches, weak = m.All(), nil
		over = len(matches)
	}
	precision, recall := float64(len(matches))/float64(generated), float64(len(matches))/float64(reference)
	f1 := float64(2*len(matches)) / float64(reference+generated)
	iou := m.Total / float64(over)
	if p.Settings.Definition == DefinitionPublished {
		iou = f1
	}
	for key, v := range map[string]float64{"layout_iou": iou, "layout_precision": precision, "layout_recall": recall, "layout_f1": f1} {
		row.Set(key, v)
	}
	countElements(row, m.Reference, m.Generated)
	row.Details["layout_num_matched"] = len(matches)
	if p.Settings.Reports {
		row.Reports[layoutReport] = reportMatching(m, matches, weak, iou, precision, recall)
	}
	return nil
}

// layoutMatches is the report of a matching. An element is in one pair of matched_pairs or in unmatched_gt or
// unmatched_gen. Pairs of weak_pairs overlap too little for their elements to count as matched, and are part of
// the mean.
type layoutMatches struct {
	MatchedPairs []reportPair    `json:"matched_pairs"`
	WeakPairs    []reportPair    `json:"weak_pairs"`
	UnmatchedGT  []reportElement `json:"unmatched_gt"`
	UnmatchedGen []reportElement `json:"unmatched_gen"`
	MeanIoU      float64         `json:"mean_iou"`
	Precision    float64         `json:"precision"`
	Recall       float64         `json:"recall"`
	NumMatched   int             `json:"num_matched"`
	NumGT        int             `json:"num_gt"`
	NumGen       int             `json:"num_gen"`
}

type reportPair struct {
	GT  reportElement `json:"gt"`
	Gen reportElement `json:"gen"`
	IoU float64       `json:"iou"`
}

// reportElement is an element whose box is in units of the canvas.
type reportElement struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Type   string  `json:"type"`
	Depth  int     `json:"depth"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

func reported(l *design.Layout, i int) reportElement {
	n, b := &l.Nodes[l.Elements[i].Node], l.Elements[i].Box
	return reportElement{ID: n.ID, Name: n.Name, Type: n.Type, Depth: n.Depth, X: b.X0, Y: b.Y0, Width: b.X1 - b.X0, Height: b.Y1 - b.Y0}
}

func reportMatching(m *design.Matching, matches, weak []design.ElementPair,
	iou, precision, recall float64) layoutMatches {
	r := layoutMatches{MatchedPairs: reportPairs(m, matches), WeakPairs: reportPairs(m, weak),
		UnmatchedGT: []reportElement{}, UnmatchedGen: []reportElement{},
		MeanIoU: iou, Precision: precision, Recall: recall, NumMatched: len(matches), NumGT: len(m.OfReference), NumGen: len(m.OfGenerated)}
	reference, generated := make([]bool, r.NumGT), make([]bool, r.NumGen)
	for _, p := range matches {
		reference[p.Reference], generated[p.Generated] = true, true
	}
	for i, matched := range reference {
		if !matched {
			r.UnmatchedGT = append(r.UnmatchedGT, reported(m.Reference, i))
		}
	}
	for j, matched := range generated {
		if !matched {
			r.UnmatchedGen = append(r.UnmatchedGen, reported(m.Generated, j))
		}
	}
	return r
}

func reportPairs(m *design.Matching, pairs []design.ElementPair) []reportPair {
	out := make([]reportPair, len(pairs))
	for k, p := range pairs {
		out[k] = reportPair{reported(m.Reference, p.Reference), reported(m.Generated, p.Generated), p.IoU}
	}
	return out
}
