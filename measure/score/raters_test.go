// Tests of the agreement of people who rate.

package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/score"
)

// The example of Krippendorff (2011), "Computing Krippendorff's alpha-reliability", C: twelve
// units, four people, values that are missing; the interval alpha of the text is 0.849.
func TestAlphaOfPaper(t *testing.T) {
	t.Parallel()
	units := [][]float64{{1, 1, 1}, {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4},
		{4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {5, 5, 5}, {1, 1}, {3}}
	alpha, err := score.Alpha(units)
	if err != nil || math.Round(1000*alpha) != 849 {
		t.Errorf("alpha %.4f (%v), want 0.849", alpha, err)
	}
	for i := range units { // the origin and the unit of the scale do not matter
		for k := range units[i] {
			units[i][k] = 1e6 - 3*units[i][k]
		}
	}
	if moved, err := score.Alpha(units); err != nil || math.Abs(moved-alpha) > 1e-9 {
		t.Errorf("alpha %v on another scale, want %v (%v)", moved, alpha, err)
	}
}

// Alpha is 1 of equal ratings within units, near 0 of random ones, and pairs as the formula says.
func TestAlphaRange(t *testing.T) {
	t.Parallel()
	if a, err := score.Alpha([][]float64{{1, 1}, {2, 2, 2}, {5, 5}}); err != nil || a != 1 {
		t.Errorf("equal: %v, %v", a, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	units := make([][]float64, 4000)
	for u := range units {
		units[u] = []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	}
	if a, err := score.Alpha(units); err != nil || math.Abs(a) > 0.04 {
		t.Errorf("random: %v, %v", a, err)
	}
	small := [][]float64{{1, 2}, {4, 7, 5}, {0, 1}}
	var observed, expected, n float64
	var all []float64
	for _, u := range small {
		for i := range u {
			for j := range u {
				observed += (u[i] - u[j]) * (u[i] - u[j]) / float64(len(u)-1)
			}
		}
		all = append(all, u...)
	}
	n = float64(len(all))
	for i := range all {
		for j := range all {
			expected += (all[i] - all[j]) * (all[i] - all[j])
		}
	}
	want := 1 - observed/n/(expected/(n*(n-1)))
	if a, err := score.Alpha(small); err != nil || math.Abs(a-want) > 1e-12 {
		t.Errorf("%v, want %v (%v)", a, want, err)
	}
}

func TestAlphaUndefined(t *testing.T) {
	t.Parallel()
	for _, units := range [][][]float64{nil, {{1}, {2}}, {{3, 3}, {3, 3, 3}}} {
		if a, err := score.Alpha(units); err == nil {
			t.Errorf("%v: alpha %v", units, a)
		}
	}
}
