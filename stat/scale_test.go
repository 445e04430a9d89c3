// Tests of scales of bounded numbers.

package stat

import (
	"math"
	"testing"
)

func TestRangeScale(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		low, high float64
		x, y      float64 // a number and its place, in closed form
	}{
		{-1, 1, 0.5, 2 * math.Atanh(0.5)},
		{-1, 1, -0.999, 2 * math.Atanh(-0.999)},
		{0, 1, 0.2, math.Log(0.25)},
		{0, 100, 80, math.Log(4)},
		{0, inf, 3, math.Log(3)},
		{1, inf, 8, math.Log(8)},
		{-inf, 1, -3, -math.Log(4)},
		{-inf, inf, -7, -7},
		{-5, inf, 2, 2},
		{2, 1, 9, 9},
	} {
		s := RangeScale(c.low, c.high)
		near(t, "place", s.To(c.x), c.y, 1e-12)
		near(t, "number", s.From(c.y), c.x, 1e-12)
		for _, y := range []float64{-800, -3, 0, 3, 800} {
			if x := s.From(y); s.Bounded() && (x < c.low || x > c.high || math.IsNaN(x)) {
				t.Errorf("[%v, %v]: %v is at %v", c.low, c.high, x, y)
			}
		}
	}
	if s := (Scale{}); s.Bounded() || s.To(3) != 3 || s.From(-3) != -3 || s.Within(5) != 5 {
		t.Error("the zero Scale is no number's own")
	}
	if s := RangeScale(1, inf); s.From(-5) != 1 || s.From(inf) != inf || RangeScale(0, 1).From(-inf) != 0 || RangeScale(0, 1).From(inf) != 1 {
		t.Error("ends of ranges")
	}
}
