// Tests of heavy tails.

package twosample_test

import (
	"math"
	"testing"

	"repscope/measure/twosample"
	"repscope/points"
	"repscope/stat"
)

func TestLargestShare(t *testing.T) {
	t.Parallel()
	even := points.Float64([]float64{-1, 0, 1, 0, 0, -1, 0, 1}, 2)
	far := points.Float64([]float64{-1, -1, -1, 3}, 1) // distances 1, 1, 1, 3 from the mean
	equal := points.Float64([]float64{2, 2, 2}, 1)
	huge := points.Float64([]float64{-1e150, -1e150, -1e150, 3e150}, 1)
	for _, c := range []struct {
		p      float64
		x      points.Points
		groups []int
		want   float64
	}{
		{4, even, nil, 0.25},
		{4, even, []int{3, 3, 3, 8}, 0.75},
		{4, far, nil, 81.0 / 84},
		{4, far, []int{0, 1, 0, 1}, 82.0 / 84},
		{6, far, nil, 729.0 / 732},
		{6, huge, nil, 729.0 / 732},
		{6, equal, nil, 0},
	} {
		if got := twosample.LargestShare(c.p, c.x, c.groups); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("power %v: %v, want %v", c.p, got, c.want)
		}
	}
}

// The share falls with the number of points where the moment is finite, and stays where it is not.
func TestLargestShare_Moments(t *testing.T) {
	t.Parallel()
	r := stat.NewRandom(stat.NewKey(6))
	share := func(n int, tails bool) float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.Normal()
			if tails { // Student's t with 3 degrees of freedom
				a, b, c := r.Normal(), r.Normal(), r.Normal()
				x[i] /= math.Sqrt((a*a + b*b + c*c) / 3)
			}
		}
		return twosample.LargestShare(6, points.Float64(x, 1), nil)
	}
	if v := share(20_000, false); v > 0.05 {
		t.Errorf("normal points: %v", v)
	}
	if v := share(20_000, true); v < 0.2 {
		t.Errorf("points with heavy tails: %v", v)
	}
}
