// Means that tie where they are equal.

package stat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankMean: ratings of few digits against exact arithmetic, and scores that are shares of a number of cases.
func TestRankMean(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(61, 1))
	for range 20_000 {
		digits := rng.IntN(4)
		unit := math.Pow(10, float64(digits))
		draw := func() (values []float64, mean *big.Rat) {
			n := 1 + rng.IntN(6)
			sum := new(big.Rat)
			for range n {
				k := int64(rng.IntN(60)) - 20
				values = append(values, float64(k)/unit)
				sum.Add(sum, big.NewRat(k, int64(unit)))
			}
			return values, sum.Quo(sum, big.NewRat(int64(n), 1))
		}
		a, exactA := draw()
		b, exactB := draw()
		got, want := 0, exactA.Cmp(exactB)
		switch x, y := RankMean(a), RankMean(b); {
		case x < y:
			got = -1
		case x > y:
			got = 1
		}
		if got != want {
			t.Fatalf("%v and %v: %d, want %d", a, b, got, want)
		}
	}
	// The mean of three shares of 137 cases, whichever they are, and in any order.
	share := func(k ...float64) (out []float64) {
		for _, v := range k {
			out = append(out, v/137)
		}
		return out
	}
	want := RankMean(share(130, 130, 130))
	for _, k := range [][]float64{{129, 130, 131}, {131, 130, 129}, {128, 131, 131}, {120, 137, 133}} {
		if got := RankMean(share(k...)); got != want || math.Abs(got-130./137) > 1e-10 {
			t.Errorf("%v of 137: %v, want %v", k, got, want)
		}
	}
	if !(RankMean(share(130, 130, 131)) > want) {
		t.Error("a larger mean is not larger")
	}
	for _, values := range [][]float64{nil, {math.NaN()}, {1, math.Inf(1), math.Inf(-1)}} {
		if v := RankMean(values); !math.IsNaN(v) {
			t.Errorf("%v: %v", values, v)
		}
	}
	for _, values := range [][]float64{{math.Inf(1)}, {math.MaxFloat64, 1}, {5e-324, 5e-324}, {1 << 52, 1 << 52, 3}, {1e-300, 3e-300}} {
		if v := RankMean(values); v < slices.Min(values) || v > slices.Max(values) {
			t.Errorf("%v: %v", values, v)
		}
	}
}
