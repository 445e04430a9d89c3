// Defects of a design by itself: elements that collide, that leave their parents or the canvas.

package canvas

import (
	"fmt"

	"repscope/analysis/canvas/internal/design"
	"repscope/measure/box"
	"repscope/report"
)

const (
	// leastCollision is above which share of the smaller box an overlap is a defect.
	leastCollision = 0.1
	// nested is from which share of the smaller box on it counts as inside the larger.
	nested = 0.99
	// leastOverflow is above which share of the canvas side an element leaves its parent.
	leastOverflow = 0.005
)

var defects = Kind{
	Name:  "defects",
	About: "elements of the generated design that collide, or extend beyond their parents or the canvas",
	Needs: NeedGenerated,
	Keys: []Key{
		{Name: "overlap_defects", About: "share of elements without children that collide",
			Direction: report.Lower, High: 1, Compared: true, Improved: true},
		{Name: "overflow_defects", About: "share of elements that extend beyond their parents",
			Direction: report.Lower, High: 1, Compared: true, Improved: true},
		{Name: "text_overflow_defects", About: "share of texts that extend beyond their parents",
			Direction: report.Lower, High: 1, Compared: true, Improved: true},
		{Name: "offcanvas_share", About: "share of the painted area that lies outside the canvas",
			Direction: report.Lower, High: 1, Compared: true, Improved: true},
	},
	Definition: func(*Setting) string {
		return "2; " + design.SeenElements + "; painted leaves that cover more than 0.1 of each other's smaller box without being nested, texts also if nested; " +
			"elements and texts more than 0.005 of the canvas side outside their parents; share of the painted area outside the canvas"
	},
	Score: scoreDefects,
}

func scoreDefects(p *Pair, row *Row) error {
	l, err := p.Generated.Layout()
	if err != nil {
		return err
	}
	scoreOverflow(l, row)
	painted := l.PaintedBoxes()
	if all := box.UnionArea(painted, box.Everywhere); all > 0 {
		row.Set("offcanvas_share", max(0, 1-box.UnionArea(painted, l.Elements[0].Box)/all))
	} else {
		row.Undefined("offcanvas_share", "the generated design has no painted element")
	}
	if err := scoreCollisions(l, row, p.Settings.Layout.mostOverlaps()); err != nil {
		return fmt.Errorf("%s: %w", p.Generated.Side.Design, err)
	}
	return nil
}

// scoreCollisions enters the share of leaves that collide with another. A leaf that lies on another wholly,
// as a label on its button, is no defect, unless both are texts: one cannot be read then.
func scoreCollisions(l *design.Layout, row *Row, limit int) error {
	elements, boxes := l.Leaves()
	if len(elements) == 0 {
		row.Undefined("overlap_defects", "the generated design has no painted leaves with an area")
		return nil
	}
	text := func(i int) bool { return design.IsText(&l.Nodes[l.Elements[elements[i]].Node]) }
	colliding, pairs, met := make([]bool, len(boxes)), 0, 0
	box.Overlaps(boxes, boxes, 0, func(i, j int) bool {
		met++
		if share := collision(boxes[i], boxes[j]); i < j && share > leastCollision+design.SameExtent && (share < nested || text(i) && text(j)) {
			pairs++
			colliding[i], colliding[j] = true, true
		}
		return met <= limit
	})
	if met > limit {
		return design.TooManyOverlaps(limit)
	}
	row.Details["overlap_defect_pairs"] = pairs
	row.setShare("overlap_defects", "overlap_defect_elements", countTrue(colliding), len(boxes))
	return nil
}

// collision is the share of the smaller box that is in the other too.
func collision(a, b box.Box) float64 { return a.Intersect(b).Area() / min(a.Area(), b.Area()) }

// scoreOverflow enters the shares of elements and of texts that leave the box of their parent.
func scoreOverflow(l *design.Layout, row *Row) {
	var elements, texts, out, textsOut int
	for i, parent := range l.Parents() {
		if parent < 0 {
			continue
		}
		leaves := outside(l.Elements[i].Whole, l.Elements[parent].Whole) > leastOverflow+design.SameExtent
		elements++
		if leaves {
			out++
		}
		if design.IsText(&l.Nodes[l.Elements[i].Node]) {
			texts++
			if leaves {
				textsOut++
			}
		}
	}
	if elements == 0 {
		row.Undefined("overflow_defects", "the generated design has no elements on its canvas")
	} else {
		row.setShare("overflow_defects", "overflow_defect_elements", out, elements)
	}
	if texts == 0 {
		row.Undefined("text_overflow_defects", "the generated design has no texts")
	} else {
		row.setShare("text_overflow_defects", "text_overflow_defect_elements", textsOut, texts)
	}
}

// outside is how far a box goes beyond the side of another where it goes farthest.
func outside(b, parent box.Box) float64 {
	return max(parent.X0-b.X0, b.X1-parent.X1, parent.Y0-b.Y0, b.Y1-parent.Y1, 0)
}

// setShare enters a share, and how many that are.
func (r *Row) setShare(key, detail string, n, of int) {
	r.Details[detail] = n
	r.Set(key, float64(n)/float64(of))
}

func countTrue(list []bool) (n int) {
	for _, v := range list {
		if v {
			n++
		}
	}
	return n
}
