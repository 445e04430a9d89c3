// Numbers that may be undefined, in figures.

package output

import (
	"math"
	"slices"
	"testing"

	"repscope/plots"
	"repscope/report"
)

// What is undefined becomes NaN, which a panel shows as "n/a" or as a gap.
func TestUndefinedInFigures(t *testing.T) {
	t.Parallel()
	value := report.WithInterval(report.Number(0.25), report.Between(0.125, 0.5))
	none := report.NoEstimate("none")

	if b := Bar("a", value, 100); b != (plots.Bar{Name: "a", Value: 25, Low: 12.5, High: 50}) {
		t.Errorf("bar %+v", b)
	}
	if b := Bar("a", none, 100); !math.IsNaN(b.Value) || !math.IsNaN(b.Low) || !math.IsNaN(b.High) {
		t.Errorf("an undefined bar: %+v", b)
	}

	if b := Bar("a", report.NoEstimate("the latents are constant"), 1); b.Reason != "collapsed: the latents are constant" {
		t.Errorf("the reason of a collapsed model: %q", b.Reason)
	}

	var curve plots.CurveSeries
	AppendPoint(&curve, 1, value)
	AppendPoint(&curve, 2, report.WithInterval(value.Value, none.CI))
	if curve.X[1] != 2 || curve.Y[1] != 0.25 || curve.Low[0] != 0.125 || curve.High[0] != 0.5 || !math.IsNaN(curve.Low[1]) || !math.IsNaN(curve.High[1]) {
		t.Errorf("curve %+v", curve)
	}
	var bars plots.BarSeries
	AppendBar(&bars, value)
	AppendBar(&bars, none)
	if bars.Values[0] != 0.25 || bars.High[0] != 0.5 || !math.IsNaN(bars.Values[1]) || !math.IsNaN(bars.Low[1]) {
		t.Errorf("bars %+v", bars)
	}
}

func TestDecimals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    report.Value
		n    int
		want string
	}{
		{report.Number(0.126), 2, "0.13"}, {report.Number(-0.5), 2, "−0.50"}, {report.Number(12.34), 1, "12.3"},
		{report.Number(-0.004), 2, "0.00"}, {report.Number(-0.004), 3, "−0.004"},
		{report.Undefined("none"), 2, "n/a"}, {report.Number(math.Inf(1)), 2, "n/a"},
	} {
		if got := Decimals(c.v, c.n); got != c.want {
			t.Errorf("Decimals(%v, %d) = %q, want %q", c.v, c.n, got, c.want)
		}
	}
}

func TestIntervalNotes(t *testing.T) {
	t.Parallel()
	got := IntervalNotes([]string{"z: the points are constant", "intervals rest on 2 episodes", "6 blocks of 5 are too few for intervals"})
	if want := []string{"Intervals rest on 2 episodes", "6 blocks of 5 are too few for intervals"}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}
