// Neighbors outside a window in time against a naive search, and what is left of a path.

package dimension

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// naiveNearest are the distances of the points at the given places to all others of
// their set.
func naiveNearest(z points.Points, d *Distinct, places []int) [][]float64 {
	out := make([][]float64, len(places))
	for at, i := range places {
		for _, j := range places {
			if i == j || d.set != nil && d.set[i] != d.set[j] {
				continue
			}
			sum := 0.0
			for k, v := range z.Row(d.Index[i], nil) {
				sum += (v - z.Row(d.Index[j], nil)[k]) * (v - z.Row(d.Index[j], nil)[k])
			}
			out[at] = append(out[at], math.Sqrt(sum))
		}
		slices.Sort(out[at])
	}
	return out
}

func TestWindowLeavesOutFramesOfAnEpisode(t *testing.T) {
	t.Parallel()
	const n = 400
	z := measuretest.Curved(n)
	thirds, turns, gaps, sample := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	alternating := make([]int, n)
	random := stat.NewRandom(stat.NewKey(2))
	for i := range n {
		thirds[i], turns[i] = i/(n/3), i%2
		alternating[i] = i / 2
		gaps[i] = i + 3*(i/50) + 40*(i/130)
		if i > 0 {
			sample[i] = sample[i-1] + 1 + random.Intn(8)
		}
	}
	for name, c := range map[string]struct {
		w           Window
		least, most int // sets
	}{
		"one episode":       {Window{Frames: 5}, 6, 6},
		"episodes":          {Window{Frames: 7, Episode: thirds}, 8, 8},
		"gaps":              {Window{Frames: 6, Episode: thirds, Time: gaps}, 7, 7},
		"a sample":          {Window{Frames: 12, Time: sample}, 3, 8},
		"episodes in turns": {Window{Frames: 4, Episode: turns, Time: alternating}, 5, 5},
	} {
		t.Run(name, func(t *testing.T) { checkWindow(t, z, c.w, c.least, c.most) })
	}
}

func checkWindow(t *testing.T, z points.Points, w Window, least, most int) {
	const k = 20
	d, err := NewDistinct(t.Context(), spaceOf(t, z), k, Within(1e-7), Search{Window: w})
	if err != nil {
		t.Fatal(err)
	}
	if d.Duplicates == 0 || d.Nearest.K != k {
		t.Errorf("%d duplicates, lists of %d", d.Duplicates, d.Nearest.K)
	}
	if _, count := w.sets(d.Index); count > most || count < least {
		t.Errorf("%d sets, want %d to %d", count, least, most)
	}
	for i := range d.Index {
		for j := range i {
			if d.set[i] == d.set[j] && w.near(d.Index[i], d.Index[j], w.Frames) {
				t.Fatalf("points %d and %d are in one set", d.Index[i], d.Index[j])
			}
		}
	}
	places := make([]int, len(d.Index))
	for i := range places {
		places[i] = i
	}
	for at, want := range naiveNearest(z, d, places) {
		for l, v := range want[:k] {
			measuretest.Near(t, "distance", d.Nearest.Distance[at*k+l], v, 1e-6)
		}
	}
	if share := d.InTime(w.Frames); share != 0 {
		t.Errorf("a share of %v is still near in time", share)
	}
	// Subsets keep the sets.
	members := stat.NewRandom(stat.NewKey(1)).Perm(len(d.Index))[:len(d.Index)/2]
	got, err := d.ratiosWithin(t.Context(), members, len(members))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range naiveNearest(z, d, members) {
		measuretest.Near(t, "ratio in a subset", got[i], want[1]/want[0], 1e-6)
	}
	if _, err := d.ratiosWithin(t.Context(), members[:6], 6); err == nil {
		t.Error("6 points have a dimension")
	}
}

func TestWindowOfTooMany(t *testing.T) {
	t.Parallel()
	z := measuretest.Curved(60)
	_, err := NewDistinct(t.Context(), spaceOf(t, z), 8, Within(1e-7), Search{Window: Window{Frames: 59}})
	if stat.Reason(err) != "an exclusion window of 59 frames leaves 1 of 60 latents, want at least 3" {
		t.Errorf("a window over all: %v", err)
	}
	d, err := NewDistinct(t.Context(), spaceOf(t, z), 50, Within(1e-7), Search{Window: Window{Frames: 9}})
	if err != nil || d.Nearest.K != 5 {
		t.Errorf("%+v, %v, want lists of the 5 others of every set", d, err)
	}
	for want, w := range map[string]Window{"-1 frames": {Frames: -1}, "times of 3 points for 60": {Time: []int{1, 2, 3}}, "episodes of 1 points": {Episode: []int{1}}} {
		_, err := NewDistinct(t.Context(), spaceOf(t, z), 8, Within(1e-7), Search{Window: w})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
}

// The approximate search goes set by set, too.
func TestApproximateWithAWindow(t *testing.T) {
	t.Parallel()
	z := measuretest.Curved(3000)
	w := Window{Frames: 1}
	two := func(s Search) (float64, *neighbors.SearchRecall) {
		d, err := NewDistinct(t.Context(), spaceOf(t, z), 10, Within(1e-7), s)
		if err != nil {
			t.Fatal(err)
		}
		v, err := NewTwoNN(d.Ratios(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		return v.MLE, d.Recall
	}
	exact, _ := two(Search{Window: w})
	found, r := two(Search{Window: w, Approximate: true, ExactPoints: 500})
	if r == nil || r.Exact || r.Queries != 1000 || r.Value < 0.95 || !(r.StandardError > 0) {
		t.Errorf("recall %+v", r)
	}
	measuretest.Near(t, "dimension", found, exact, 0.02)
}

// trajectory is a path with momentum, like frames of a game, in so many dimensions.
func trajectory(n, dim int, seed uint64) points.Points {
	random := stat.NewRandom(stat.NewKey(seed))
	data := make([]float64, 0, n*dim)
	x, v := make([]float64, dim), make([]float64, dim)
	for i := range n + 500 {
		for k := range x {
			v[k] = 0.97*v[k] + 0.25*random.Normal()
			x[k] = 0.97*x[k] + 0.03*v[k]
		}
		if i >= 500 {
			data = append(data, x...)
		}
	}
	return points.Float64(data, dim)
}

// On a path the nearest neighbors are the frames just before and after, and on another
// pass of it frames that follow each other.
func TestWindowFindsTheDimensionOfATrajectory(t *testing.T) {
	t.Parallel()
	z := trajectory(2000, 3, 5)
	of := func(frames int) (id, inTime float64) {
		d, err := NewDistinct(t.Context(), spaceOf(t, z), 8, Within(1e-9), Search{Window: Window{Frames: frames}})
		if err != nil {
			t.Fatal(err)
		}
		two, err := NewTwoNN(d.Ratios(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		return two.MLE, d.InTime(60)
	}
	if id, share := of(0); id < 4.8 || id > 5.4 || share < 0.9 {
		t.Errorf("without a window %v, of %v in time, want 5.1", id, share)
	}
	for _, frames := range []int{60, 100} {
		if id, share := of(frames); id < 2.7 || id > 3.3 || share != 0 {
			t.Errorf("with a window of %d frames %v, of %v in time, want about 3", frames, id, share)
		}
	}
}

// halvedPoints are points of a curve, and halves of their blocks.
func halvedPoints(t *testing.T) (points.Points, *stat.Halves) {
	t.Helper()
	z := measuretest.Curved(300)
	blocks, err := stat.NewBlocks(z.N, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 25})
	if err != nil {
		t.Fatal(err)
	}
	h, err := blocks.Halves(3)
	if err != nil {
		t.Fatal(err)
	}
	return z, h
}

// Statistics of halves are those of a search among their points, whether lists are long
// enough or not.
func TestHalvedEqualsSearchesOfHalves(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: many searches")
	}
	t.Parallel()
	const order = 5
	z, h := halvedPoints(t)
	labels := h.Blocks().Labels()
	statistics := []HalfStatistic{
		{1, 2, 2, func(h *Half, dst []float64) {
			of, err := h.TwoNN()
			if err != nil {
				t.Error(err)
			}
			dst[0], dst[1] = of.MLE, float64(of.N)
		}},
		{2, order, 1, func(h *Half, dst []float64) { dst[0], _ = h.Gride(3) }},
		{0, order, 1, func(h *Half, dst []float64) { dst[0], _ = h.LevinaBickel() }},
		{1, 2, 1, func(h *Half, dst []float64) { of, _ := h.TwoNN(); dst[0] = of.Fit }},
	}
	for _, k := range []int{5, 6, 32, 40} {
		for _, w := range []Window{{}, {Frames: 4}} {
			d, err := NewDistinct(t.Context(), spaceOf(t, z), k, Within(1e-7), Search{Window: w})
			if err != nil {
				t.Fatal(err)
			}
			first, second, err := d.Halved(t.Context(), h, statistics...)
			if err != nil {
				t.Fatal(err)
			}
			for r, in := range h.Splits() {
				for side, got := range [][][][]float64{first, second} {
					var kept []int
					for at, i := range d.Index {
						if in[labels[i]] == (side == 0) {
							kept = append(kept, at)
						}
					}
					want, points := estimatesOf(t, naiveNearest(z, d, kept), order), float64(len(kept))
					for at, of := range [][]float64{{want[0], points}, want[1:2], want[2:3], want[3:4]} {
						for i, v := range of {
							measuretest.Near(t, "statistic", got[at][i][r], v, 1e-8)
						}
					}
				}
			}
		}
	}
}

// Halves without enough neighbors are undefined, and blocks must be of the points.
func TestHalvedErrors(t *testing.T) {
	t.Parallel()
	z, h := halvedPoints(t)
	d, err := NewDistinct(t.Context(), spaceOf(t, z), 5, Within(1e-7), Search{})
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := d.Halved(t.Context(), h, HalfStatistic{1, 200, 1, func(_ *Half, dst []float64) { dst[0] = 1 }})
	if err != nil || !math.IsNaN(first[0][0][0]) {
		t.Errorf("more neighbors than a half has: %v, %v, want NaN", first[0][0][0], err)
	}
	few, err := stat.NewBlocks(20, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 4})
	if err != nil {
		t.Fatal(err)
	}
	other, err := few.Halves(1)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = d.Halved(t.Context(), other, HalfStatistic{1, 2, 1, nil})
	if err == nil || !strings.Contains(err.Error(), "blocks of 20 points for 300") {
		t.Errorf("other blocks: %v", err)
	}
}

// Approximately, points whose lists are too short are left out, a hundredth of them at most.
func TestHalvedApproximately(t *testing.T) {
	t.Parallel()
	const order = 5
	z, h := halvedPoints(t)
	for k, undefined := range map[int]bool{6: true, 60: false} {
		var got [2][][][]float64
		for i, approximate := range []bool{false, true} {
			d, err := NewDistinct(t.Context(), spaceOf(t, z), k, Within(1e-7), Search{Approximate: approximate})
			if err != nil {
				t.Fatal(err)
			}
			got[i], _, err = d.Halved(t.Context(), h, HalfStatistic{0, order, 1, func(h *Half, dst []float64) { dst[0], _ = h.LevinaBickel() }})
			if err != nil {
				t.Fatal(err)
			}
		}
		for r, want := range got[0][0][0] {
			if v := got[1][0][0][r]; undefined != math.IsNaN(v) || !undefined && math.Abs(v-want) > 0.02*want {
				t.Errorf("lists of %d, approximately: %v, want %v, or NaN: %v", k, v, want, undefined)
			}
		}
	}
}

// estimatesOf are Two-NN, Gride of orders 2 and order, Levina–Bickel of that order and the fit of Two-NN from lists
// of distances.
func estimatesOf(t *testing.T, lists [][]float64, order int) (out [4]float64) {
	t.Helper()
	var ratio, higher, distances []float64
	for _, list := range lists {
		ratio, higher = append(ratio, list[1]/list[0]), append(higher, list[order-1]/list[1])
		distances = append(distances, list[:order]...)
	}
	of, err := NewTwoNN(ratio)
	if err != nil {
		t.Fatal(err)
	}
	out[0], out[3] = of.MLE, of.Fit
	if out[1], err = Gride(higher, 2, order); err != nil {
		t.Fatal(err)
	}
	if out[2], err = LevinaBickel(distances, order, order); err != nil {
		t.Fatal(err)
	}
	return out
}

// A half tells what it was not asked for, and distances that have no ratios.
func TestHalfErrors(t *testing.T) {
	t.Parallel()
	one, all := &Half{n1: 1, n2: 2, fits: &fits{}}, &Half{n2: 2, fits: &fits{}}
	rows := [][]float64{{0, 0.5}, {0.25, 1}, {-1, 2}}
	for _, h := range []*Half{one, all} {
		for _, row := range rows {
			h.add(row)
		}
	}
	if _, err := one.LevinaBickel(); err == nil || !strings.Contains(err.Error(), "ratios to all neighbors") {
		t.Errorf("Levina–Bickel of ratios to one neighbor: %v", err)
	}
	if _, err := all.Gride(0); err == nil || !strings.Contains(err.Error(), "n1 = 0") {
		t.Errorf("Gride without orders: %v", err)
	}
	if id, err := all.LevinaBickel(); err != nil || id != 3/4.25 {
		t.Errorf("Levina–Bickel %v, %v, want 3/4.25", id, err)
	}
	for _, row := range [][]float64{{math.Inf(-1), 1}, {1, math.Inf(1)}, {math.NaN(), 1}, {math.Inf(-1), math.Inf(-1)}} {
		for _, h := range []*Half{one, all} {
			h.clear(4)
			h.add(rows[0])
			h.add(row)
			h.add(row)
			_, err := h.TwoNN()
			if h.n1 == 0 {
				_, err = h.LevinaBickel()
			}
			if err == nil || !strings.Contains(err.Error(), "point 1 have logarithms from") {
				t.Errorf("logarithms %v: %v", row, err)
			}
		}
	}
	one.clear(2)
	one.add(rows[0])
	if _, err := one.TwoNN(); err == nil || !strings.Contains(err.Error(), "1 neighbor ratios") {
		t.Errorf("one point: %v", err)
	}
	one.clear(3)
	for range 3 {
		one.add([]float64{1, 1})
	}
	if _, err := one.Gride(0); err != errLattice {
		t.Errorf("equal distances: %v", err)
	}
}

// Weights are those of a formula, whether they are kept or not.
func TestFitWeights(t *testing.T) {
	t.Parallel()
	f := &fits{}
	for range 2 {
		for n := 3; n < 3+2*keptFits; n++ {
			weights := f.weights(n)
			if want := min(int(0.9*float64(n)+1e-9), n-1); len(weights) != want {
				t.Fatalf("%d weights of %d, want %d", len(weights), n, want)
			}
			for i, w := range weights {
				measuretest.Near(t, "weight", w, -math.Log(1-float64(i+1)/float64(n)), 1e-13)
			}
		}
	}
}

// The nearest points of a heap are those of a sort.
func TestFarthest(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.NewKey(7))
	type point struct {
		square float64
		index  int32
	}
	var all []point
	h := farthest{}
	for i := range 200 {
		p := point{float64(random.Intn(30)), int32(i)}
		all = append(all, p)
		h.offer(p.square, p.index, 40)
	}
	slices.SortFunc(all, func(a, b point) int { return cmp.Or(cmp.Compare(a.square, b.square), cmp.Compare(a.index, b.index)) })
	index, distance := h.sorted()
	for i, p := range all[:40] {
		if index[i] != p.index || distance[i] != math.Sqrt(p.square) {
			t.Fatalf("place %d: point %d at %v, want %d at %v", i, index[i], distance[i], p.index, math.Sqrt(p.square))
		}
	}
}
