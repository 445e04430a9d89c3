// Tests of scales of bounded numbers.

package stat

import (
	"math"
	"math/rand/v2"
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

// The interval of 1 − ratio on the scale up to 1 is that of the logarithm of the ratio, turned around.
func TestOnScaleOfASkill(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 60
	labels, own, baseline := make([]int, n), make([]float64, n), make([]float64, n)
	for i := range n {
		labels[i] = i / 6
		own[i], baseline[i] = math.Exp(r.NormFloat64()), 2*math.Exp(r.NormFloat64())
	}
	b, err := NewBlocks(n, labels, BlockSpec{Kind: EpisodeBlocks})
	if err != nil {
		t.Fatal(err)
	}
	of := func(f func(ratio float64) float64) *Jackknifed {
		j, err := JackknifeSums(b, [][]float64{own, baseline}, 1, func(_ float64, sums, dst []float64) { dst[0] = f(sums[0] / sums[1]) })
		if err != nil {
			t.Fatal(err)
		}
		return j[0]
	}
	ratio := of(func(v float64) float64 { return v }).OnLogScale()
	skill := of(func(v float64) float64 { return 1 - v }).OnScale(RangeScale(math.Inf(-1), 1))
	if math.Abs(skill.Interval.Low-(1-ratio.Interval.High)) > 1e-12 || math.Abs(skill.Interval.High-(1-ratio.Interval.Low)) > 1e-12 {
		t.Errorf("skill %+v, ratio %+v", skill.Interval, ratio.Interval)
	}
	perfect := of(func(float64) float64 { return 1 }).OnScale(RangeScale(math.Inf(-1), 1))
	if perfect.Interval.Low != 1 || perfect.Interval.High != 1 {
		t.Errorf("perfect: %+v", perfect.Interval)
	}
}
