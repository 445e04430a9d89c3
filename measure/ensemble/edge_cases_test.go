// One member, constant fields, ties, NaN, and what is an error.

package ensemble

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOneMember: scores are the distance of the member from the truth, and there is no spread.
func TestOneMember(t *testing.T) {
	t.Parallel()
	s := must(NewSample([]float64{0, 0, 0, 0}, []float64{3, 4, 0, 0}))
	for _, e := range []Estimator{Fair, Biased} {
		if crps, energy := CRPS(s).Score(e), Energy(s).Score(e); crps != 7./4 || energy != 5 {
			t.Errorf("%v: CRPS %g, energy score %g", e, crps, energy)
		}
	}
	m := MomentsOf(s)
	if !math.IsNaN(m.Spread()) || !math.IsNaN(m.SpreadSkillRatio()) || !math.IsNaN(m.DebiasedMSE()) || m.AbsoluteSum/m.Weight != 7./4 {
		t.Errorf("%+v", m)
	}
	if d, e := DawidSebastiani(s), ErrorSpread(s); !math.IsNaN(d.Value()) || d.Undefined != 4 || !math.IsNaN(e.Value()) {
		t.Error(d, e)
	}
	two := must(NewSample([]float64{0}, []float64{1, 2}))
	if e := ErrorSpread(two); !math.IsNaN(e.Value()) || e.Undefined != 1 {
		t.Errorf("error-spread score of two members: %+v", e)
	}
}

// TestConstant: a perfect constant forecast has no error, no spread and every rank alike.
func TestConstant(t *testing.T) {
	t.Parallel()
	truth := slices.Repeat([]float32{0.1}, 12)
	s := must(NewSample(truth, slices.Repeat(truth, 5)))
	v := must(NewVariogram(3, 4, VariogramOptions{}))
	for name, got := range map[string]float64{
		"CRPS": CRPS(s).Score(Fair), "energy": Energy(s).Score(Fair), "variogram": must(VariogramScore(context.Background(), 2, v, s)),
		"spread": MomentsOf(s).Spread(), "WIS": must(WeightedInterval(s, []float64{0.5})).Value(),
	} {
		if got != 0 {
			t.Errorf("%s is %g", name, got)
		}
	}
	if m := MomentsOf(s); !math.IsNaN(m.SpreadSkillRatio()) || m.ErrorSum != 0 {
		t.Errorf("%+v", m)
	}
	counts := make([]int64, 6)
	must(0, AddRanks(counts, s))
	for _, n := range counts {
		if n != 12*rankUnit/6 {
			t.Errorf("ranks %v", counts)
		}
	}
	if bias, dispersion := RankContrasts(RankShares(counts)); math.Abs(bias) > 1e-15 || math.Abs(dispersion) > 1e-15 || ReliabilityIndex(RankShares(counts)) > 1e-15 {
		t.Error(bias, dispersion)
	}
}

// TestTies: a cell adds exactly one unit to the ranks, also where it does not divide, and
// ties are symmetric.
func TestTies(t *testing.T) {
	t.Parallel()
	for members := 1; members < 60; members++ {
		counts := make([]int64, members+1)
		must(0, AddRanks(counts, must(NewSample([]float64{1}, slices.Repeat([]float64{1}, members)))))
		if totalOf(counts) != rankUnit || slices.Max(counts)-slices.Min(counts) > 1 {
			t.Fatalf("%d ties: %v", members, counts)
		}
	}
	counts := make([]int64, 5)
	must(0, AddRanks(counts, must(NewSample([]float64{2}, []float64{1, 2, 3, 2}))))
	if want := []int64{0, rankUnit / 3, rankUnit / 3, rankUnit / 3, 0}; !slices.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	if !math.IsNaN(ReliabilityIndex(RankShares(make([]int64, 3)))) || PIT(RankShares(counts), 0) != nil {
		t.Error("no cells, no bins")
	}
}

// TestNotFinite: a NaN makes every score NaN and no rank; other cells do not change.
func TestNotFinite(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	cases := map[string]func(s Sample[float64]){
		"truth":  func(s Sample[float64]) { s.truth[3] = math.NaN() },
		"member": func(s Sample[float64]) { s.members[3+40*2] = math.NaN() },
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		spoil := cases[name]
		s := drawn(r, 6, 40, same)
		clean := CRPS(s.Range(4, 40))
		spoil(s)
		for score, v := range every(s) {
			if !math.IsNaN(v) && (score != "spread" || name != "truth") { // spread does not see the truth
				t.Errorf("NaN in a %s: %s is %g", name, score, v)
			}
		}
		if got := CRPS(s.Range(4, 40)); got != clean {
			t.Errorf("NaN in a %s: another cell's CRPS is %+v, was %+v", name, got, clean)
		}
		counts := make([]int64, 7)
		must(0, AddRanks(counts, s))
		if totalOf(counts) != 39*rankUnit {
			t.Errorf("NaN in a %s: %v", name, counts)
		}
	}
	empty := drawn(r, 3, 5, same).Range(4, 2)
	if !math.IsNaN(CRPS(empty).Score(Fair)) || !math.IsNaN(Energy(empty).Score(Fair)) || !math.IsNaN(MomentsOf(empty).MSE()) || empty.Members() != 3 {
		t.Error("an empty range has scores")
	}
}

// TestNetwork: networks sort as slices.Sort does, and larger ensembles are sorted without.
func TestNetwork(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	for _, members := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 50, 64, 100, 257, 1000, 1100} {
		c := newColumns[float32](members)
		for i := range c.x {
			c.x[i] = float32(r.IntN(2 * members))
		}
		before := slices.Clone(c.x)
		c.sort()
		for i := range width {
			var want, got []float32
			for k := range members {
				want, got = append(want, before[k*width+i]), append(got, c.x[k*width+i])
			}
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Fatalf("%d members: %v, want %v", members, got, want)
			}
		}
	}
}

// TestThreads: the variogram score has the same bits for any number of threads, and for
// float32 numbers in float64.
func TestThreads(t *testing.T) {
	t.Parallel()
	single := randomSample[float32](9, 17*23)
	double := must(NewSample(widened(single.truth), widened(single.members)))
	for _, reach := range []float64{0, 3.5} {
		v := must(NewVariogram(17, 23, VariogramOptions{MaxDistance: reach}))
		want := must(VariogramScore(context.Background(), 1, v, single))
		for _, threads := range []int{2, 5, 16} {
			if got := must(VariogramScore(context.Background(), threads, v, double)); got != want {
				t.Errorf("%d threads: %v, want %v", threads, got, want)
			}
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := VariogramScore(done, 2, must(NewVariogram(17, 23, VariogramOptions{})), single); err == nil {
		t.Error("no error of a context that has ended")
	}
}

func widened(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// TestEdges: drawn edges are different, ascending, those of a sample alone, and their scores
// those of a list of all.
func TestEdges(t *testing.T) {
	t.Parallel()
	g := Grid{Variables: 2, Height: 30, Width: 41}
	s := randomSample[float64](12, g.Cells())
	if g.Edges() != 30*40+29*41 {
		t.Fatal(g.Edges())
	}
	all := must(DrawEdges(g, nil, g.Edges()+5, 1, 2))
	if len(all) != g.Edges() || must(PairwiseEnergy(s, g, all)) != must(PairwiseEnergy(s, g, nil)) {
		t.Error("all edges, listed, have another score")
	}
	some := must(DrawEdges(g, nil, 100, 1, 2))
	if len(some) != 100 || !slices.IsSorted(some) || len(slices.Compact(slices.Clone(some))) != 100 {
		t.Error(some)
	}
	if !slices.Equal(some, must(DrawEdges(g, nil, 100, 1, 2))) ||
		slices.Equal(some, must(DrawEdges(g, nil, 100, 1, 3))) {
		t.Error("edges do not follow from seed and sample")
	}
	whole, part := must(PairwiseEnergy(s, g, nil)).Score(Fair), must(PairwiseEnergy(s, g, some)).Score(Fair)
	if math.Abs(whole-part) > 0.2*whole {
		t.Errorf("score of all edges %g, of 100 %g", whole, part)
	}
	seen := map[[2]int]bool{}
	for e := range g.Edges() {
		a, b := g.edge(e)
		if right := b == a+1 && a%41 < 40; !right && b != a+41 || b >= 30*41 || seen[[2]int{a, b}] {
			t.Fatalf("edge %d joins %d and %d", e, a, b)
		}
		seen[[2]int{a, b}] = true
	}
}

// TestErrors has the message of every bad input.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := randomSample[float64](3, 12)
	g := Grid{Variables: 1, Height: 3, Width: 4}
	v := must(NewVariogram(3, 4, VariogramOptions{}))
	first := func(_ any, err error) error { return err }
	for want, err := range map[string]error{
		"the forecast has no cells": first(NewSample([]float32{}, []float32{1})),
		"forecast with 5 values for a truth with 2: want a multiple, one field per " +
			"member": first(NewSample(make([]float32, 2), make([]float32, 5))),
		"forecast with 0 values for a truth with 2: want a multiple, one field per " +
			"member": first(NewSample(make([]float32, 2), nil)),
		"2 weights for 12 cells":                                         first(s.Weighted([]float64{1, 2})),
		"weight -1 of cell 11: want a nonnegative number":                first(s.Weighted(append(make([]float64, 11), -1))),
		"weight NaN of cell 11: want a nonnegative number":               first(s.Weighted(append(make([]float64, 11), math.NaN()))),
		"no cell has weight":                                             first(s.Weighted(make([]float64, 12))),
		"threshold-weighted score from 2 to 1: want ascending numbers":   first(ThresholdCRPS(s, 2, 1)),
		"threshold-weighted score from NaN to 1: want ascending numbers": first(ThresholdCRPS(s, math.NaN(), 1)),
		"no levels of quantile scores":                                   first(Quantiles(s, nil)),
		"level 1 of interval scores: want numbers between 0 and 1":       first(Intervals(s, []float64{0.5, 1})),
		"level 0 of interval scores: want numbers between 0 and 1":       first(WeightedInterval(s, []float64{0})),
		"2 rank counts for 3 members, want one more than members":        AddRanks(make([]int64, 2), s),
		"grid of 1 × 3 × 5 cells for a sample of " +
			"12": first(PooledEnergy(s, Grid{Variables: 1, Height: 3, Width: 5}, 2)),
		"patches of 4 × 4 cells for fields of 3 × 4":         first(TiledEnergy(s, g, 4)),
		"patches of 0 × 0 cells for fields of 3 × 4":         first(PooledEnergy(s, g, 0)),
		"edge 17 of a grid of 1 × 3 × 4, which has 17 edges": first(PairwiseEnergy(s, g, []int{1, 17})),
		"pairs of neighboring cells in a grid of 12 × 1 × " +
			"1": first(PairwiseEnergy(s, Grid{Variables: 12, Height: 1, Width: 1}, nil)),
		"sample -1 of 17: want non-negative numbers":                     first(DrawEdges(g, nil, -1, 0, 0)),
		"variogram of 1 × 1 cells: want at least two":                    first(NewVariogram(1, 1, VariogramOptions{})),
		"variogram with power -1: want a positive number":                first(NewVariogram(2, 2, VariogramOptions{P: -1})),
		"variogram up to distance 0.5: want 0 (all pairs) or at least 1": first(NewVariogram(2, 2, VariogramOptions{MaxDistance: 0.5})),
		"variogram of 3 × 4 cells for a field of 4":                      first(VariogramScore(context.Background(), 1, v, s.Range(0, 4))),
		"variogram of 3 × 4 cells for square tiles":                      first(TiledVariogram(s, g, v)),
		"variogram: fewer than two cells have weight":                    first(VariogramScore(context.Background(), 1, v, must(s.Weighted(append(make([]float64, 11), 1))))),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if got := fmt.Sprint(Fair, " ", Biased, " ", g); got != "fair biased 1 × 3 × 4" {
		t.Error(got)
	}
}
