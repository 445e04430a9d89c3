// Which models are marked as best, and which are steps of training runs.

package page

import (
	"slices"
	"testing"

	"repscope/report"
)

func TestMark(t *testing.T) {
	t.Parallel()
	r := report.NewResult("first")
	for _, name := range []string{"a", "b", "c"} {
		r.Models.Set(name, report.Object{})
	}
	cells := func() []Cell {
		return []Cell{{Value: report.Number(3)}, {Value: report.Number(2)}, {Value: report.Number(1)}}
	}
	best := func(direction report.Direction) (list []bool) {
		c := cells()
		mark(c, r, "score", direction)
		for _, x := range c {
			list = append(list, x.Best)
		}
		return list
	}
	if got := best(report.Higher); !slices.Equal(got, []bool{false, false, false}) {
		t.Errorf("nothing is decided, and %v are best", got)
	}
	r.Comparisons = []report.Comparison{{A: "a", B: "c", Metric: "score", PHolm: report.Number(0.01)}, {A: "b", B: "a", Metric: "score", PHolm: report.Number(0.2)}}
	if got := best(report.Higher); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("best are %v", got)
	}
	if got := best(report.Lower); !slices.Equal(got, []bool{false, true, true}) {
		t.Errorf("lowest are %v", got)
	}
}
