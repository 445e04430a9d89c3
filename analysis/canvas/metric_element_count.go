// The number of elements compared with the reference.

package canvas

import (
	"repscope/analysis/canvas/internal/design"
	"repscope/report"
)

var elementCount = Kind{
	Name:  "element_count",
	About: "number of elements divided by the number in the reference",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "element_ratio", About: "number of elements over the number of the reference",
			Direction: report.Neither, High: unbounded, Improved: true},
		{Name: "element_ratio_symmetric",
			About:     "smaller number of elements over the larger, of generated design and reference",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string {
		if o.Documented() {
			return "1; element_ratio at most 1"
		}
		return "2; " + design.SeenElements
	},
	Score: scoreElementCount,
}

// scoreElementCount enters generated over reference, and the smaller over the larger.
func scoreElementCount(p *Pair, row *Row) error {
	reference, generated, err := p.Layouts()
	if err != nil {
		return err
	}
	n, total := len(generated.Elements), len(reference.Elements)
	countElements(row, reference, generated)
	ratio := float64(n) / float64(total)
	row.Set("element_ratio_symmetric", float64(min(n, total))/float64(max(n, total)))
	if p.Settings.Documented() {
		ratio = min(1, ratio)
	}
	row.Set("element_ratio", ratio)
	return nil
}

// countElements enters how many elements there are, the canvas among them.
func countElements(row *Row, reference, generated *design.Layout) {
	row.Details["num_gt"], row.Details["num_gen"] = len(reference.Elements), len(generated.Elements)
}
