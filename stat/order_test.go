// Jackknifes of order statistics and ranks against their recomputation.

package stat

import (
	"math"
	"testing"
)

// orderSample are dependent pairs with ties, in episodes of unequal lengths.
func orderSample(n int, key uint64) (x, y []float64, episodes []int) {
	r := NewRandom(NewKey(77, key))
	state, e, left := 0.0, -1, 0
	for range n {
		if left == 0 {
			e, left, state = e+1, 5+r.Intn(20), r.Normal()
		}
		left--
		state = 0.7*state + r.Normal()
		x, y = append(x, math.Round(8*state)/8), append(y, math.Round(8*(state/2+r.Normal()))/8)
		episodes = append(episodes, e)
	}
	return x, y, episodes
}

func TestJackknifeSpearmanEqualsDeletion(t *testing.T) {
	t.Parallel()
	x, y, episodes := orderSample(300, 1)
	blocks := mustBlocks(t, 300, episodes, BlockSpec{})
	v, err := JackknifeSpearman(t.Context(), blocks, x, y, 2)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Spearman(x, y)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "estimate", v.Estimate, all.Coefficient, 1e-13)
	for j, replicate := range v.Replicates {
		want, err := Spearman(without(blocks, j, x), without(blocks, j, y))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "deletion", replicate, want.Coefficient, 1e-13)
	}
	flat := make([]float64, 300)
	flat[blocks.Block(0)[0]] = 1 // varies in one block only
	if v, err = JackknifeSpearman(t.Context(), blocks, x, flat, 1); err != nil || v.Interval.Defined() || v.Interval.Reason == "" {
		t.Errorf("y varies in only one block: %+v, %v", v, err)
	}
}

// The share of slopes below an estimate without a block, counted pair by pair.
func TestShareBelowEqualsDeletion(t *testing.T) {
	t.Parallel()
	x, y, episodes := orderSample(150, 2)
	blocks := mustBlocks(t, 150, episodes, BlockSpec{})
	naive := func(x, y []float64) float64 {
		below, pairs := 0.0, 0.0
		for i := range x {
			for j := range i {
				if x[i] == x[j] {
					continue
				}
				pairs++
				switch product := (x[i] - x[j]) * (y[i] - y[j]); {
				case product < 0:
					below++
				case product == 0:
					below += 0.5
				}
			}
		}
		return below / pairs
	}
	v, err := blocks.shareBelow(x, y)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "share", v.Estimate, naive(x, y), 1e-13)
	for j, replicate := range v.Replicates {
		near(t, "deletion", replicate, naive(without(blocks, j, x), without(blocks, j, y)), 1e-13)
	}
	near(t, "sum of influences", Sum(v.Influence), 0, 1e-9)
}

func TestJackknifeTheilSen(t *testing.T) {
	t.Parallel()
	for _, n := range []int{200, 420} { // slopes sorted, and selected
		x, y, episodes := orderSample(n, 3)
		blocks := mustBlocks(t, n, episodes, BlockSpec{})
		v, err := JackknifeTheilSen(blocks, x, y)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := TheilSen(x, y, 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "slope", v.Estimate, fit.Slope, 1e-15)
		if !(v.Interval.Low < v.Estimate && v.Estimate < v.Interval.High) {
			t.Errorf("slope %v in %+v", v.Estimate, v.Interval)
		}
		// Slopes of deletions differ from these by what the normal theory leaves out.
		replicates := make([]float64, blocks.Count())
		for j := range replicates {
			if fit, err = TheilSen(without(blocks, j, x), without(blocks, j, y), 0); err != nil {
				t.Fatal(err)
			}
			replicates[j] = fit.Slope
		}
		exact, err := blocks.Jackknife(v.Estimate, replicates, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "standard error", v.StdError, exact.StdError, 0.25)
	}
	// Independent errors: Sen's interval.
	r := NewRandom(NewKey(5))
	x, y := make([]float64, 2000), make([]float64, 2000)
	for i := range x {
		x[i] = r.Normal()
		y[i] = 3*x[i] + r.Normal()
	}
	blocks := mustBlocks(t, 2000, nil, BlockSpec{Kind: MovingBlocks, Length: 2})
	v, err := JackknifeTheilSen(blocks, x, y)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := TheilSen(x, y, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "width", v.Interval.High-v.Interval.Low, fit.SlopeInterval.High-fit.SlopeInterval.Low, 0.06)
}

// A line without errors has an interval without width; no slope, no interval.
func TestJackknifeTheilSenDegenerate(t *testing.T) {
	t.Parallel()
	x, _, episodes := orderSample(120, 4)
	blocks := mustBlocks(t, 120, episodes, BlockSpec{})
	line := make([]float64, len(x))
	for i, v := range x {
		line[i] = 2*v + 1
	}
	v, err := JackknifeTheilSen(blocks, x, line)
	if err != nil || v.Estimate != 2 || v.Interval.Low != 2 || v.Interval.High != 2 {
		t.Errorf("a line: %+v, %v", v, err)
	}
	if _, err := JackknifeTheilSen(blocks, make([]float64, 120), line); err == nil {
		t.Error("no error for constant x")
	}
	if _, err := JackknifeTheilSen(blocks, x[:50], line[:50]); err == nil {
		t.Error("no error for other observations than the blocks'")
	}
}

// A quantile's interval that would reach past the data is none.
func TestQuantilePastTheData(t *testing.T) {
	t.Parallel()
	x, _, episodes := orderSample(60, 6)
	blocks := mustBlocks(t, 60, episodes, BlockSpec{})
	v, err := JackknifeQuantiles(blocks, x, 0.5, 0.99)
	if err != nil {
		t.Fatal(err)
	}
	if !v[0].Interval.Defined() || v[1].Interval.Defined() || v[1].Interval.Reason == "" {
		t.Errorf("median %+v, 99th percentile %+v", v[0].Interval, v[1].Interval)
	}
}

// A ratio of two means, by deletion; the shape of an uneven interval stays.
func TestPer(t *testing.T) {
	t.Parallel()
	x, y, episodes := orderSample(300, 7)
	for i := range x {
		x[i], y[i] = math.Exp(x[i]), 5+y[i]
	}
	blocks := mustBlocks(t, 300, episodes, BlockSpec{})
	a, b := mustMean(t, blocks, x), mustMean(t, blocks, y)
	v, err := a.Per(b)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ratio", v.Estimate, Mean(x)/Mean(y), 1e-13)
	near(t, "deletion", v.Replicates[2], Mean(without(blocks, 2, x))/Mean(without(blocks, 2, y)), 1e-12)
	near(t, "half width", v.Interval.High-v.Estimate, v.Estimate-v.Interval.Low, 1e-12)

	known := *b // a divisor without an error
	known.Replicates = make([]float64, len(b.Replicates))
	for j := range known.Replicates {
		known.Replicates[j] = b.Estimate
	}
	quantiles, err := JackknifeQuantiles(blocks, x, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := quantiles[0].Per(&known)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "low end", scaled.Interval.Low, quantiles[0].Interval.Low/b.Estimate, 1e-12)
	near(t, "high end", scaled.Interval.High, quantiles[0].Interval.High/b.Estimate, 1e-12)
	if _, err := a.Per(mustMean(t, mustBlocks(t, 300, nil, BlockSpec{Kind: MovingBlocks, Length: 10}), y)); err == nil {
		t.Error("no error for other blocks")
	}
}

// Pairs that states own: the blocks are those of the states, whatever is jackknifed.
func TestOrderStatisticsOfOwnedObservations(t *testing.T) {
	t.Parallel()
	x, y, episodes := orderSample(300, 8)
	states := mustBlocks(t, 300, episodes, BlockSpec{})
	owner := make([]int, 0, 500)
	var u, v []float64
	for i := range 250 { // the last 50 states own nothing
		owner, u, v = append(owner, i, i), append(u, x[i], x[i]+1), append(v, y[i], y[i]-1)
	}
	pairs, err := states.Owning(owner)
	if err != nil {
		t.Fatal(err)
	}
	quantiles, err := JackknifeQuantiles(pairs, v, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	slope, err := JackknifeTheilSen(pairs, u, v)
	if err != nil {
		t.Fatal(err)
	}
	ranks, err := JackknifeSpearman(t.Context(), pairs, u, v, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, j := range map[string]*Jackknifed{"median": quantiles[0], "slope": slope, "ranks": ranks} {
		if !j.Interval.Defined() || j.Influence != nil && len(j.Influence) != 300 {
			t.Errorf("%s: %+v, influence of %d", name, j.Interval, len(j.Influence))
		}
		if _, err := j.Per(mustMean(t, states, x)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
