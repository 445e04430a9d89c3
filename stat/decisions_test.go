// Counts of decisions, by hand.

package stat

import (
	"math"
	"testing"
)

func TestCountDecisions(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		families [][]float64
		want     Decisions
	}{
		{nil, Decisions{}},
		{[][]float64{{nan}, nil}, Decisions{}},
		{[][]float64{{0.04}}, Decisions{1, 1, 1, 1}},
		{[][]float64{{0.04, nan}, {0.03}, {nan}}, Decisions{2, 2, 2, 0}},               // 0.03·2 is above 0.05
		{[][]float64{{0.001, 0.04}, {0.02, 0.03, 0.9}}, Decisions{2, 5, 2, 1}},         // 0.02·3 is above 0.05
		{[][]float64{{0.001, 0.024}, {0.01, 0.02, 0.9}, {0.5}}, Decisions{3, 6, 4, 1}}, // 0.01·5 is not below 0.05
	} {
		if got := CountDecisions(c.families, 0.05); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.families, got, c.want)
		}
	}
}
