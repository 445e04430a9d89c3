// How much of the canvas is painted.

package canvas

import (
	"math"

	"repscope/analysis/canvas/internal/design"
	"repscope/measure/box"
	"repscope/report"
)

var canvasFill = Kind{
	Name:  "fill",
	About: "share of the canvas covered by painted elements, and its difference from the reference",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "canvas_fill_ratio", About: "share of the canvas covered by painted elements",
			Direction: report.Neither, High: 1, Improved: true},
		{Name: "canvas_fill_difference",
			About:     "absolute difference of the covered share of the canvas from the reference",
			Direction: report.Lower, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string {
		if o.Documented() {
			return "2; the first element of depth 1 as the canvas, boxes of its size left out, not clipped, at most 1"
		}
		return "2; union of the visible parts of painted elements without the root, clipped to the canvas"
	},
	Score: scoreFill,
}

// scoreFill enters the ratio of the generated design, which has no best value of its own, and its
// difference from the ratio of the reference.
func scoreFill(p *Pair, row *Row) error {
	ratio := fillRatio
	if p.Settings.Documented() {
		ratio = documentedFill
	}
	generated, err := p.Generated.Layout()
	if err != nil {
		return err
	}
	fill, reason := ratio(generated)
	if reason != "" {
		row.Undefined("canvas_fill_ratio", "%s", "the generated design "+reason)
	} else {
		row.Set("canvas_fill_ratio", fill)
	}
	reference, err := p.Reference.Layout()
	if err != nil {
		return err
	}
	target, why := ratio(reference)
	switch {
	case why != "":
		row.Undefined("canvas_fill_difference", "%s", "the reference "+why)
	case reason != "":
		row.Undefined("canvas_fill_difference", "%s", "the generated design "+reason)
	default:
		row.Details["canvas_fill_reference"] = target
		row.Set("canvas_fill_difference", math.Abs(fill-target))
	}
	return nil
}

// fillRatio is the area of the canvas that painted elements cover, over the area of the canvas.
func fillRatio(l *design.Layout) (ratio float64, reason string) {
	canvas := l.Elements[0].Box
	return box.UnionArea(l.PaintedBoxes(), canvas) / canvas.Area(), ""
}

// documentedFill is the published ratio: its canvas is the first element of depth 1, or the largest
// one if there is none; boxes of its size are left out, as is the canvas; elements outside count.
func documentedFill(l *design.Layout) (ratio float64, reason string) {
	const sameSize = 0.01
	size := func(b box.Box) (float64, float64) { return b.X1 - b.X0, b.Y1 - b.Y0 }
	canvas := 0
	for i, e := range l.Elements {
		if l.Nodes[e.Node].Depth == 1 {
			canvas = i
			break
		}
		if e.Box.Area() > l.Elements[canvas].Box.Area() {
			canvas = i
		}
	}
	width, height := size(l.Elements[canvas].Box)
	if width == 0 || height == 0 {
		return 0, "has no area in its first element of depth 1, the canvas of the documented definition"
	}
	var others []box.Box
	for i, e := range l.Elements {
		if w, h := size(e.Box); i != canvas && (math.Abs(w-width) >= sameSize || math.Abs(h-height) >= sameSize) {
			others = append(others, e.Box)
		}
	}
	return min(1, box.UnionArea(others, box.Everywhere)/float64(width*height)), ""
}
