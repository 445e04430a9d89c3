// Whether elements aligned in the reference are aligned in the generated design.

package canvas

import (
	"strconv"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/measure/box"
	"repscope/report"
)

// alignmentReport is the report that alignment writes.
const alignmentReport = "alignment_report.json"

// matchedGroup is from which Jaccard index on a group counts as found.
const matchedGroup = 0.5

var alignment = Kind{
	Name:  "alignment",
	About: "agreement of groups of aligned elements in reference and generated design",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "alignment_precision",
			About:     "share of groups of aligned elements of the generated design that the reference has",
			Direction: report.Higher, High: 1, Improved: true},
		{Name: "alignment_recall",
			About:     "share of groups of aligned elements of the reference that the generated design has",
			Direction: report.Higher, High: 1, Improved: true},
		{Name: "alignment_f1", About: "harmonic mean of precision and recall of groups of aligned elements",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string {
		tolerance := strconv.FormatFloat(o.Layout.tolerance(), 'g', -1, 64)
		if o.Documented() {
			return "1; lines rounded to multiples of " + tolerance +
				", groups of one type matched by the IoU of their union boxes"
		}
		return "2; " + design.SeenElements + "; groups of lines that are all within " + tolerance + " of each other (complete linkage), " +
			"groups of one type matched by the Jaccard index of their members, from 0.5 on"
	},
	Score: scoreAlignment,
}

// groupMatch are groups of aligned elements and which of them belong together.
type groupMatch struct {
	layouts [2]*design.Layout // reference, generated
	groups  [2][]box.Group    // of the elements
	pairs   []groupPair
}

// groupPair are two groups. share is the Jaccard index of their members, or by the documented definition the
// IoU of their union boxes.
type groupPair struct {
	reference, generated int
	share                float64
	found                bool
}

// scoreAlignment enters which share of the groups was found. A group has two elements or more that share
// one of six lines.
func scoreAlignment(p *Pair, row *Row) error {
	reference, generated, err := p.Layouts()
	if err != nil {
		return err
	}
	g := &groupMatch{layouts: [2]*design.Layout{reference, generated}}
	match := g.byMembers
	if p.Settings.Documented() {
		match = g.byBoxes
	}
	if err := match(p); err != nil {
		return err
	}
	matches := 0
	for _, pair := range g.pairs {
		if pair.found {
			matches++
		}
	}
	g.score(row, matches, p.Settings.Documented())
	if p.Settings.Reports {
		row.Reports[alignmentReport] = g.report(row, matches)
	}
	return nil
}

// byMembers matches groups by the elements that they share when elements of the generated design stand for those
// of the reference with which they are matched; elements that are matched with none are shared by none.
func (g *groupMatch) byMembers(p *Pair) error {
	m, err := p.Matching()
	if err != nil {
		return err
	}
	for side, l := range g.layouts {
		g.groups[side] = box.Aligned(l.Boxes(), p.Settings.Layout.tolerance())
	}
	weights, err := box.GroupOverlaps(g.groups[0], g.groups[1], len(m.OfReference), m.OfGenerated)
	if err != nil {
		return err
	}
	match, _, err := box.Match(weights)
	if err != nil {
		return err
	}
	for i, j := range match {
		if j >= 0 {
			share := weights.At(i, j)
			g.pairs = append(g.pairs, groupPair{i, j, share, share >= matchedGroup})
		}
	}
	return nil
}

// byBoxes matches groups by their union boxes, whatever their lines are, which counts where they are the same.
// Of several best assignments it takes the one of SciPy, on which the published number depends.
func (g *groupMatch) byBoxes(p *Pair) error {
	var unions [2][]design.Rect
	for side, l := range g.layouts {
		g.groups[side], unions[side] = design.DocumentedGroups(l, p.Settings.Layout.tolerance())
	}
	rows, columns := len(unions[0]), len(unions[1])
	if most := p.Settings.Layout.mostOverlaps(); columns > 0 && rows > most/columns {
		return source.Absentf("%d and %d groups of aligned elements are too many to compare", rows, columns)
	}
	cost := make([]float64, 0, rows*columns)
	for _, a := range unions[0] {
		for _, b := range unions[1] {
			cost = append(cost, 1-a.IoU(b))
		}
	}
	match, _, err := box.AssignInOrder(cost, rows, columns)
	if err != nil {
		return err
	}
	for i, j := range match {
		if j < 0 {
			continue
		}
		if share := unions[0][i].IoU(unions[1][j]); share > 0 {
			g.pairs = append(g.pairs, groupPair{i, j, share, g.groups[0][i].Line == g.groups[1][j].Line})
		}
	}
	return nil
}

// score enters the shares. What has no groups is null, but where neither design has any they agree: 1. By the
// documented definition it is always 1.
func (g *groupMatch) score(row *Row, matches int, documented bool) {
	reference, generated := len(g.groups[0]), len(g.groups[1])
	share := func(key string, n int, reason string) {
		switch {
		case n > 0:
			row.Set(key, float64(matches)/float64(n))
		case documented || reference+generated == 0:
			row.Set(key, 1)
		default:
			row.Undefined(key, "%s", reason)
		}
	}
	share("alignment_precision", generated, "no elements of the generated design are aligned")
	share("alignment_recall", reference, "no elements of the reference are aligned")
	if reference+generated > 0 {
		row.Set("alignment_f1", float64(2*matches)/float64(reference+generated))
	} else {
		row.Set("alignment_f1", 1)
	}
}

// alignmentGroups is the report of groups. A group is in one of matched_pairs or in unmatched_gt or
// unmatched_gen; pairs of other_pairs do not count.
type alignmentGroups struct {
	MatchedPairs []reportGroups `json:"matched_pairs"`
	OtherPairs   []reportGroups `json:"other_pairs"`
	UnmatchedGT  []reportGroup  `json:"unmatched_gt"`
	UnmatchedGen []reportGroup  `json:"unmatched_gen"`
	Precision    *float64       `json:"precision"`
	Recall       *float64       `json:"recall"`
	F1           *float64       `json:"f1"`
	NumMatched   int            `json:"num_matched"`
	NumGT        int            `json:"num_gt_groups"`
	NumGen       int            `json:"num_gen_groups"`
}

type reportGroups struct {
	GT    reportGroup `json:"gt"`
	Gen   reportGroup `json:"gen"`
	Share float64     `json:"share"`
}

// reportGroup is a group by its line and the ids of its elements.
type reportGroup struct {
	Line    string   `json:"line"`
	Members []string `json:"members"`
}

func (g *groupMatch) reportGroup(side, k int) reportGroup {
	group, l := &g.groups[side][k], g.layouts[side]
	out := reportGroup{Line: group.Line.String(), Members: make([]string, len(group.Members))}
	for i, e := range group.Members {
		out.Members[i] = l.Nodes[l.Elements[e].Node].ID
	}
	return out
}

func (g *groupMatch) report(row *Row, matches int) alignmentGroups {
	number := func(key string) *float64 {
		if v := row.Values[key]; v.Defined() {
			return &v.V
		}
		return nil
	}
	r := alignmentGroups{
		MatchedPairs: []reportGroups{}, OtherPairs: []reportGroups{}, UnmatchedGT: []reportGroup{}, UnmatchedGen: []reportGroup{},
		Precision: number("alignment_precision"), Recall: number("alignment_recall"), F1: number("alignment_f1"),
		NumMatched: matches, NumGT: len(g.groups[0]), NumGen: len(g.groups[1])}
	matched := [2][]bool{make([]bool, r.NumGT), make([]bool, r.NumGen)}
	for _, p := range g.pairs {
		entry := reportGroups{g.reportGroup(0, p.reference), g.reportGroup(1, p.generated), p.share}
		if !p.found {
			r.OtherPairs = append(r.OtherPairs, entry)
			continue
		}
		r.MatchedPairs = append(r.MatchedPairs, entry)
		matched[0][p.reference], matched[1][p.generated] = true, true
	}
	for side, list := range []*[]reportGroup{&r.UnmatchedGT, &r.UnmatchedGen} {
		for k, is := range matched[side] {
			if !is {
				*list = append(*list, g.reportGroup(side, k))
			}
		}
	}
	return r
}
