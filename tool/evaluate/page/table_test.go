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
	best := func(direction report.Direction) (list []bool) {
		c := []Cell{{Value: report.Number(3)}, {Value: report.Number(2)}, {Value: report.Number(1)}}
		mark(c, r, "score", direction, comparedOf(r)["score"])
		for _, x := range c {
			list = append(list, x.Best)
		}
		return list
	}
	want := func(what string, direction report.Direction, want ...bool) {
		t.Helper()
		if got := best(direction); !slices.Equal(got, want) {
			t.Errorf("%s: best are %v, want %v", what, got, want)
		}
	}
	want("nothing is compared", report.Higher, false, false, false)
	row := func(a, b string, difference, p, holm float64) report.Comparison {
		return report.Comparison{A: a, B: b, Metric: "score", Difference: report.Number(difference), P: report.Number(p), PHolm: report.Number(holm)}
	}
	// One-sided, two tests of each model: c is held against a and b, p = 2·0.04/2.
	r.Comparisons = []report.Comparison{row("c", "a", -2, 0.04, 0.1), row("b", "a", -1, 0.2, 0.2), row("b", "c", 1, 0.5, 0.5)}
	want("no pair differs after correction", report.Higher, false, false, false)
	r.Comparisons[0].PHolm = report.Number(0.045)
	want("one pair differs after correction", report.Higher, true, true, false)
	want("the other way about", report.Lower, false, true, true)
	want("neither direction", report.Neither, false, false, false)
	r.Comparisons[0] = row("c", "a", -2, 0.06, 0.1)
	want("every model may be the best", report.Higher, false, false, false)
	r.Comparisons[1] = row("b", "a", -1, 0.06, 0.04)
	want("a pair that differs after correction", report.Higher, true, false, true)
	// What the result says of all models at once goes before its pairs.
	e := &report.Extremes{Metric: "score"}
	for name, p := range map[string]float64{"a": 1, "b": 0.03, "c": 0.2} {
		e.Highest.Set(name, p)
		e.Lowest.Set(name, 1.0)
	}
	r.Comparisons[1] = row("b", "a", -1, 0.2, 0.2)
	r.Comparisons[0].Extremes = e
	want("the joint distribution without a pair that differs", report.Higher, false, false, false)
	r.Comparisons[2] = row("b", "c", -1, 0.01, 0.03)
	want("the joint distribution", report.Higher, true, false, true)
}
