// Tests of blocks that may be alike for neighbors.

package stat

import (
	"math"
	"testing"
)

// following are n values with the correlation rho of neighbors.
func following(seed uint64, n int, rho float64) []float64 {
	r := NewRandom(StreamDesign.Key(seed))
	x, scale := make([]float64, n), math.Sqrt(1-rho*rho)
	for i := range x {
		if x[i] = r.Normal(); i > 0 {
			x[i] = rho*x[i-1] + scale*x[i]
		}
	}
	return x
}

// Where neighbors are alike the interval is that of ten groups of them if it is wider; else nothing changes.
func TestInOrder(t *testing.T) {
	t.Parallel()
	const n, draws = 150, 400
	for _, c := range []struct{ rho, plain, low, high float64 }{{0, 93, 92, 98}, {0.4, 85, 92, 98}, {0.7, 75, 90, 97}} {
		plainly, covered, changed := 0, 0, 0
		for seed := range uint64(draws) {
			x := following(seed, n, c.rho)
			labels := make([]int, n)
			for i := range labels {
				labels[i] = i
			}
			blocks, err := NewBlocks(n, labels, BlockSpec{Kind: EpisodeBlocks})
			if err != nil {
				t.Fatal(err)
			}
			plain, err := JackknifeMean(blocks, x)
			if err != nil {
				t.Fatal(err)
			}
			ordered, err := JackknifeMean(blocks.InOrder(), x)
			if err != nil {
				t.Fatal(err)
			}
			means := make([]float64, joinedPieces) // the interval written out: the mean of the means of ten groups
			for i, v := range x {
				means[i*joinedPieces/n] += v / (n / joinedPieces)
			}
			half := halfWidth(StandardDeviation(means)/math.Sqrt(joinedPieces), joinedPieces-1, 0.95)
			want := plain.Interval.High - plain.Estimate
			if Alike(x) > 0 {
				want = max(want, half)
			}
			if got := ordered.Interval.High - ordered.Estimate; math.Abs(got-want) > 1e-12 {
				t.Fatalf("ρ %v: half width %v, want %v", c.rho, got, want)
			}
			if again := plain.InOrder(); again.Interval != ordered.Interval {
				t.Fatalf("ρ %v: %+v, by its blocks %+v", c.rho, again.Interval, ordered.Interval)
			}
			if math.Abs(ordered.Estimate) <= want {
				covered++
			}
			if ordered.Joined {
				changed++
			}
			if plain, _ := JackknifeMean(blocks, x); math.Abs(plain.Estimate) <= plain.Interval.High-plain.Estimate {
				plainly++
			}
		}
		percent := func(count int) float64 { return 100 * float64(count) / draws }
		t.Logf("ρ %v: coverage %.1f %% (%.1f %% by the blocks), wider in %.1f %%", c.rho, percent(covered), percent(plainly), percent(changed))
		if v := percent(covered); v < c.low || v > c.high {
			t.Errorf("ρ %v: coverage %.1f %%, want %v to %v", c.rho, v, c.low, c.high)
		}
		if c.rho > 0 && percent(plainly) > c.plain || c.rho == 0 && percent(changed) > 4 {
			t.Errorf("ρ %v: coverage %.1f %% by the blocks, wider in %.1f %%", c.rho, percent(plainly), percent(changed))
		}
	}
}

// Few values, equal ones and those that are not numbers are not alike.
func TestAlike(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]float64{
		"few": following(1, FewestNeighbors-1, 0.99), "equal": make([]float64, 50),
		"NaN":         append(following(1, 30, 0.9), math.NaN()),
		"alternating": {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1},
	} {
		if rho := Alike(values); rho != 0 {
			t.Errorf("%s: %v, want 0", name, rho)
		}
	}
	if rho := Alike(following(1, 100, 0.9)); rho < 0.6 || rho > 1 {
		t.Errorf("correlation %v of neighbors, want about 0.9", rho)
	}
}
