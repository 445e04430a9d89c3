// Ranges of axes and places on them.

package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
)

func TestScales(t *testing.T) {
	t.Parallel()
	whole := func(low, high float64) extent { return extent{low, high, true} }
	for _, c := range []struct {
		name      string
		axis      Axis
		data      extent
		low, high float64
	}{
		{"padded", Axis{}, whole(0, 100), -4.5, 104.5},
		{"from zero", Axis{Zero: true}, whole(20, 100), 0, 104.5},
		{"to zero", Axis{Zero: true}, whole(-100, -20), -104.5, 0},
		{"constant", Axis{}, whole(5, 5), 4.5, 5.5},
		{"constant zero", Axis{}, whole(0, 0), -1, 1},
		{"constant but for rounding", Axis{}, whole(1, 1+1e-12), 0.9, 1.1},
		{"empty", Axis{}, extent{}, 0, 1},
		{"fixed", Axis{Min: 2, Max: 3}, whole(0, 100), 2, 3},
		{"log constant", Axis{Log: true}, whole(10, 10), 10 / math.Sqrt(10), 10 * math.Sqrt(10)},
		{"log empty", Axis{Log: true}, extent{}, 1, 10},
		{"log", Axis{Log: true}, whole(1, 1e5), math.Pow(10, -0.2), math.Pow(10, 5.2)},
	} {
		s, err := newScale(c.axis, c.data)
		if err != nil || math.Abs(s.Min-c.low) > 1e-9*math.Abs(c.high) || math.Abs(s.Max-c.high) > 1e-9*math.Abs(c.high) {
			t.Errorf("%s: [%g, %g] (error %v), want [%g, %g]", c.name, s.Min, s.Max, err, c.low, c.high)
		}
	}
	for _, bad := range []Axis{{Log: true, Min: 0, Max: 1}, {Log: true, Min: -3, Max: 1}, {Min: math.NaN(), Max: 1}, {Min: 0, Max: math.Inf(1)}} {
		if _, err := newScale(bad, extent{}); err == nil {
			t.Errorf("axis %+v is accepted", bad)
		}
	}
}

// Our log scale places what gonum's does, and does not panic.
func TestLogScale(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0.01, 1, 3, 250} {
		if ours, theirs := (LogScale{}).Normalize(0.1, 100, v), (plot.LogScale{}).Normalize(0.1, 100, v); math.Abs(ours-theirs) > 1e-12 {
			t.Errorf("%g lies at %g, want %g", v, ours, theirs)
		}
	}
	for _, v := range []float64{0, -1, math.NaN()} {
		if at := (LogScale{}).Normalize(0.1, 100, v); at != -farthest {
			t.Errorf("%g lies at %g", v, at)
		}
	}
	// A range of one unit in the last digit, which has one logarithm.
	high := math.Nextafter(1e6, 2e6)
	if low, end := (LogScale{}).Normalize(1e6, high, 1e6), (LogScale{}).Normalize(1e6, high, high); low != 0 || end != 1 {
		t.Errorf("a range of rounding is from %v to %v, want 0 to 1", low, end)
	}
}
