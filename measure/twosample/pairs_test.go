// Sums between units: permutations, threads, blocks, bad input.

package twosample

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// TestSelfComparison: a sample has no energy distance to itself, and no Fréchet distance.
func TestSelfComparison(t *testing.T) {
	t.Parallel()
	x := measuretest.Normal(rand.New(rand.NewPCG(3, 1)), 130, 5)
	energy, err := Energy(t.Context(), x, x, Options{Permutations: 99})
	must(t, err)
	if energy.Value != 0 || energy.P != 1 {
		t.Errorf("energy %v, p %v", energy.Value, energy.P)
	}
	frechet, err := Frechet(x, x)
	must(t, err)
	if frechet != 0 {
		t.Errorf("Fréchet %v", frechet)
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 2))
	x, y := measuretest.Normal(random, 900, 7), measuretest.Normal(random, 700, 7)
	labels := make([]int, 1600)
	for i := range labels {
		labels[i] = i / 80
	}
	blocks, err := stat.NewBlocks(1600, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	var first *MMDResult
	for _, threads := range []int{1, 3} {
		d, err := MMD(t.Context(), x, y, MMDOptions{Options: Options{Blocks: blocks, Permutations: 50, Seed: 3, Threads: threads}})
		must(t, err)
		if first == nil {
			first = d
		}
		if !reflect.DeepEqual(d, first) {
			t.Errorf("threads %d: %+v, want %+v", threads, d, first)
		}
	}
	if first.Units != [2]int{450, 350} {
		t.Errorf("units %v", first.Units)
	}
	// As one block each, the sums are those of all pairs.
	without, err := MMD(t.Context(), x, y, MMDOptions{Bandwidth: first.Bandwidth})
	must(t, err)
	measuretest.Near(t, "value", without.Value, first.Value, 1e-13)
}

// TestPermutedTotals holds the totals of a division against those computed anew.
func TestPermutedTotals(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	x, y := measuretest.Normal(random, 12, 3), measuretest.Normal(random, 9, 3)
	groups := [2][]int{{0, 0, 1, 2, 2, 2, 3, 3, 1, 0, 4, 4}, {5, 5, 5, 6, 6, 6, 6, 0, 0}}
	p, err := newPooled("test", x, y, Options{GroupsX: groups[0], GroupsY: groups[1]}, false)
	must(t, err)
	product := func(products []float64, _, _ int) float64 { return stat.Sum(products) }
	between, err := p.sums(t.Context(), 1, product)
	must(t, err)
	u := p.unitSums(between)
	chosen := []bool{true, false, true, false, true, false, false, true}
	got := u.totals(chosen)
	var want totals
	unit := func(row int) bool { return chosen[p.cells[p.cell[row]].unit] }
	for i := range p.x.N {
		if unit(i) {
			want.n++
		} else {
			want.m++
		}
		for j := i + 1; j < p.x.N; j++ {
			sum := 0.0
			for k, v := range p.x.Row(i) {
				sum += v * p.x.Row(j)[k]
			}
			switch {
			case unit(i) && unit(j):
				want.xx += sum
			case unit(i) || unit(j):
				want.xy += sum
			default:
				want.yy += sum
			}
		}
	}
	for k, pair := range [][2]float64{{got.n, want.n}, {got.m, want.m}, {got.xx, want.xx}, {got.xy, want.xy}, {got.yy, want.yy}} {
		measuretest.Near(t, []string{"n", "m", "xx", "xy", "yy"}[k], pair[0], pair[1], 1e-12)
	}
}

// TestLevelAndPower: p ≤ 0.1 is as frequent as it says for samples of one distribution, in
// groups too, and nearly certain for ones that differ.
func TestLevelAndPower(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: many samples")
	}
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	const runs = 100
	rejected := map[string]int{}
	for k := range runs {
		count := func(name string, x, y points.Points, o Options) {
			o.Permutations, o.Seed, o.Threads = 99, uint64(k), 1
			mmd, err := MMD(t.Context(), x, y, MMDOptions{Options: o})
			must(t, err)
			energy, err := Energy(t.Context(), x, y, o)
			must(t, err)
			for name, p := range map[string]float64{"MMD, " + name: mmd.P, "energy, " + name: energy.P} {
				if p <= 0.1 {
					rejected[name]++
				}
			}
		}
		x, y := measuretest.Normal(random, 24, 2), measuretest.Normal(random, 36, 2)
		count("null", x, y, Options{})
		for i := range x.F64 {
			x.F64[i]++
		}
		count("shift", x, y, Options{})
		// Points of a group are nearly equal.
		groups := [2][]int{}
		samples := [2]points.Points{}
		for side, size := range []int{48, 64} {
			centers := measuretest.Normal(random, size/4, 2)
			samples[side] = measuretest.Normal(random, size, 2)
			for i := range samples[side].F64 {
				samples[side].F64[i] = 0.2*samples[side].F64[i] + centers.F64[i/8*2+i%2]
			}
			for i := range size {
				groups[side] = append(groups[side], i/4)
			}
		}
		count("groups, null", samples[0], samples[1], Options{GroupsX: groups[0], GroupsY: groups[1]})
		count("groups as points", samples[0], samples[1], Options{})
	}
	for name, count := range rejected {
		share := float64(count) / runs
		low, high := 0.03, 0.19
		switch {
		case strings.HasSuffix(name, "shift"):
			low, high = 0.8, 1
		case strings.HasSuffix(name, "as points"): // what grouping is for
			low, high = 0.3, 1
		}
		if share < low || share > high {
			t.Errorf("%s: rejected in %v, want %v to %v", name, share, low, high)
		}
	}
}

// TestPieces: what is left over at the end of a sample stays there.
func TestPieces(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	x, y := measuretest.Normal(random, 1500, 2), measuretest.Normal(random, 601, 2)
	p, err := newPooled("test", x, y, Options{}, true)
	must(t, err)
	fixed := 0
	for _, u := range p.units {
		if u.fixed {
			fixed++
		}
	}
	if len(p.units) != 500+201 || fixed != 1 || !p.units[700].fixed {
		t.Errorf("%d units, %d fixed", len(p.units), fixed)
	}
}

// TestUnitsFollowBlocks: units are made of points of one block where these are dealt in turn, so
// that the sums between them stay few.
func TestUnitsFollowBlocks(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 6))
	x, y := measuretest.Normal(random, 3000, 1), measuretest.Normal(random, 2000, 1)
	labels := make([]int, 5000)
	for i := range labels {
		labels[i] = i % 50
		if i >= x.N {
			labels[i] += 50
		}
	}
	blocks, err := stat.NewBlocks(5000, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	p, err := newPooled("test", x, y, Options{Blocks: blocks}, true)
	must(t, err)
	if len(p.units) != 1000 || len(p.cells) > 1100 {
		t.Errorf("%d units, %d cells", len(p.units), len(p.cells))
	}
}

func TestBadPoints(t *testing.T) {
	t.Parallel()
	two, three := points.Float64([]float64{1, 2, 3, 4}, 2), points.Float64([]float64{1, 2, 3, 4, 5, 6}, 3)
	one := points.Float64([]float64{1, 2}, 2)
	nan := points.Float64([]float64{1, 2, 3, math.NaN()}, 2)
	equal := points.Float64([]float64{1, 2, 1, 2}, 2)
	blocks, err := stat.NewBlocks(5, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
	must(t, err)
	ctx := t.Context()
	call := map[string]func() error{
		"points of 2 and of 3 coordinates":                               func() error { _, err := Energy(ctx, two, three, Options{}); return err },
		"point 1 of the second sample, coordinate 1 is NaN, want finite": func() error { _, err := Energy(ctx, two, nan, Options{}); return err },
		"blocks of 5 points for samples of 2 and 2":                      func() error { _, err := KID(ctx, two, two, Options{Blocks: blocks}); return err },
		"groups of 1 point for 2":                                        func() error { _, err := KID(ctx, two, two, Options{GroupsY: []int{3}}); return err },
		"samples of 1 and 2 points, want at least 2 of each":             func() error { _, err := MMD(ctx, one, two, MMDOptions{}); return err },
		"all points are equal":                                           func() error { _, err := MMD(ctx, equal, equal, MMDOptions{}); return err },
		"the first sample has 1 point":                                   func() error { _, err := Frechet(one, two); return err },
		"points of 2 and of 3 coordinates have no Fréchet distance":      func() error { _, err := Frechet(two, three); return err },
		"point 1 of the second sample, coordinate 1":                     func() error { _, err := Frechet(two, nan); return err },
		"1 observation in 1 group":                                       func() error { _, err := splitHalves(ctx, 1, SplitOptions{}, nil); return err },
		"groups of 1 observation for 2":                                  func() error { _, err := splitHalves(ctx, 2, SplitOptions{Groups: []int{1}}, nil); return err },
		"1 sizes from 2 to 2 points, want at least 3":                    func() error { _, err := FrechetInfinity(ctx, two, two, InfinityOptions{}); return err },
	}
	for want, f := range call {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	d, err := Energy(ctx, two, two, Options{Permutations: 9, GroupsX: []int{1, 1}})
	must(t, err)
	if !math.IsNaN(d.P) || !strings.HasPrefix(d.Reason, "only one sample has groups") {
		t.Errorf("%+v", d)
	}
}
