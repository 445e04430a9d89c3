// Tests of the null of states that follow each other: its orders, its p values against their
// definition, and their level.

package stat

import (
	"math"
	"slices"
	"testing"
)

func episodeNull(t *testing.T, n int, episode []int, seed uint64) *EpisodeNull {
	t.Helper()
	null, err := NewEpisodeNull(n, episode, seed)
	if err != nil {
		t.Fatal(err)
	}
	return null
}

func TestEpisodeNull_Orders(t *testing.T) {
	t.Parallel()
	sizes := []int{4, 9, 2, 5, 7, 4}
	var episode []int
	for e, size := range sizes {
		episode = append(episode, slices.Repeat([]int{10 - e}, size)...)
	}
	n := len(episode)
	null := episodeNull(t, n, episode, 3)
	if !null.Exchanges() || null.Distinct() != 720 {
		t.Errorf("exchanges %v, %v orders", null.Exchanges(), null.Distinct())
	}
	for p := range 30 {
		order, near := null.Order(p)
		again, _ := null.Order(p)
		if near || !slices.Equal(order, again) {
			t.Fatal("an exchange is near, or not the same twice")
		}
		// Each episode is given one other, from its beginning, one state after the other.
		partners := map[int]int{}
		for i, from := range order {
			if other, known := partners[episode[i]]; known && other != episode[from] {
				t.Fatalf("episode %d is given %d and %d", episode[i], other, episode[from])
			}
			partners[episode[i]] = episode[from]
			if i > 0 && episode[i] == episode[i-1] && max(from-order[i-1], order[i-1]-from) > 1 {
				t.Fatalf("states %d and %d are given %d and %d", i-1, i, order[i-1], from)
			}
		}
		given := map[int]bool{}
		for _, from := range partners {
			given[from] = true
		}
		if len(given) != len(sizes) {
			t.Fatalf("%d episodes are given for %d", len(given), len(sizes))
		}
	}
	for p, order := range null.Permutations(30) {
		// The same partners, as far as both reach; the other states are used once.
		first := 0
		repeated, _ := null.Order(p)
		for _, size := range sizes {
			for i := range min(size, sizes[10-episode[order[first]]]) {
				if order[first+i] != repeated[first+i] {
					t.Fatalf("permutation %d: state %d is given %d, want %d", p, first+i, order[first+i],
						repeated[first+i])
				}
			}
			first += size
		}
		if slices.Sort(order); order[0] != 0 || len(slices.Compact(order)) != n {
			t.Fatal("not a permutation")
		}
	}
	// Few episodes are rotated in themselves.
	for _, episode := range [][]int{nil, slices.Concat(slices.Repeat([]int{0}, 40), slices.Repeat([]int{1}, 60))} {
		null := episodeNull(t, 100, episode, 3)
		if null.Exchanges() {
			t.Error("few episodes are exchanged")
		}
		nears := 0
		for p := range 200 {
			order, near := null.Order(p)
			if near {
				nears++
			}
			for i, from := range order {
				if episode != nil && episode[i] != episode[from] {
					t.Fatal("a rotation leaves its episode")
				}
			}
			if slices.Sort(order); order[0] != 0 || len(slices.Compact(order)) != 100 {
				t.Fatal("not a permutation")
			}
		}
		if nears < 60 || nears > 140 {
			t.Errorf("%d of 200 rotations are near, want about half", nears)
		}
	}
	for _, order := range episodeNull(t, 100, nil, 3).Permutations(50) {
		if order[0] < 25 || order[0] > 75 {
			t.Errorf("a far order rotates by %d of 100", order[0])
		}
	}
	if d := episodeNull(t, 100, nil, 3).Distinct(); d != 100 {
		t.Errorf("one episode of 100 has %v rotations", d)
	}
	if _, err := NewEpisodeNull(3, []int{1, 2}, 3); err == nil {
		t.Error("episodes of another number of states are no error")
	}
}

func TestChanceOf(t *testing.T) {
	t.Parallel()
	null := episodeNull(t, 100, nil, 1)
	scores := make([]float64, 99)
	for i := range scores {
		scores[i] = float64(i) / 100
	}
	for _, c := range []struct {
		score     float64
		falls     bool
		p         float64
		threshold float64
	}{{0.955, false, 0.04, 0.94}, {2, false, 0.01, 0.94}, {-1, false, 1, 0.93}, {0.5, false, 0.5, 0.93},
		{-1, true, 0.01, 0.04}, {2, true, 1, 0.05}, {0.02, true, 0.04, 0.04}} {
		got := null.ChanceOf(c.score, scores, nil, c.falls)
		if math.Abs(got.P-c.p) > 1e-12 || math.Abs(got.Threshold-c.threshold) > 1e-12 || math.Abs(got.Mean-0.49) > 1e-12 || got.Reason != "" {
			t.Errorf("score %v, falls %v: %+v, want p %v, threshold %v", c.score, c.falls, got, c.p, c.threshold)
		}
		interval, ok := got.Interval(c.score, math.Inf(1))
		if ok != (c.p >= 0.05) || ok && math.Abs(interval.High-interval.Low-0.93) > 0.011 {
			t.Errorf("score %v: interval %v, %v", c.score, interval, ok)
		}
	}
	// Orders near the given one count for p, not for the mean.
	near := make([]bool, 99)
	for i := range near {
		near[i] = i >= 50
	}
	if c := null.ChanceOf(0.955, scores, near, false); c.P != 0.04 || math.Abs(c.Mean-0.245) > 1e-12 {
		t.Errorf("with near orders: %+v", c)
	}
	for _, c := range []Chance{null.ChanceOf(0.5, scores[:18], nil, false), episodeNull(t, 19, nil, 1).ChanceOf(0.5, scores, nil, false),
		null.ChanceOf(math.NaN(), scores, nil, false), null.ChanceOf(0.5, nil, nil, false)} {
		if _, ok := c.Interval(0.5, 9); !math.IsNaN(c.P) || c.Reason == "" || ok {
			t.Errorf("no p value is possible: %+v", c)
		}
	}
	scores[0] = math.NaN() // is as good as any
	if c := null.ChanceOf(0.955, scores, nil, false); c.P != 0.05 || math.IsNaN(c.Mean) {
		t.Errorf("with an undefined score: %+v", c)
	}
}

// The mean product of two independent series with levels of their own, squared, against its null: episodes of equal and
// of unequal length, and one series.
func TestEpisodeNull_Level(t *testing.T) {
	if testing.Short() {
		t.Skip("many recordings")
	}
	t.Parallel()
	for _, sizes := range [][]int{slices.Repeat([]int{20}, 8), {5, 8, 12, 20, 30, 45, 20, 10}, {200}} {
		random := NewRandom(NewKey(11, uint64(len(sizes)), uint64(sizes[0])))
		var episode []int
		for e, size := range sizes {
			episode = append(episode, slices.Repeat([]int{e}, size)...)
		}
		series := func() []float64 {
			var out []float64
			for _, size := range sizes {
				level, x := 0.7*random.Normal(), random.Normal()
				for range size {
					out = append(out, level+x)
					x = 0.8*x + 0.6*random.Normal()
				}
			}
			return out
		}
		rejected, repetitions := 0, 400
		for r := range repetitions {
			x, y := series(), series()
			null := episodeNull(t, len(x), episode, uint64(r))
			score := func(order []int) float64 {
				xs, ys := make([]float64, len(x)), make([]float64, len(x))
				for i := range x {
					xs[i], ys[i] = x[i], y[order[i]]
				}
				c, err := pearsonOf(xs, ys)
				if err != nil {
					t.Fatal(err)
				}
				return c.Coefficient * c.Coefficient
			}
			identity := make([]int, len(x))
			for i := range identity {
				identity[i] = i
			}
			var scores []float64
			for p := range 39 {
				order, _ := null.Order(p)
				scores = append(scores, score(order))
			}
			if null.ChanceOf(score(identity), scores, nil, false).P <= 0.05 {
				rejected++
			}
		}
		t.Logf("episodes of %v: rejected in %d of %d", sizes, rejected, repetitions)
		if rejected < repetitions/100 || rejected > repetitions*8/100 {
			t.Errorf("episodes of %v: rejected in %d of %d, want about 5 %%", sizes, rejected, repetitions)
		}
	}
}

// The cut keeps the most states of at least five episodes; equal and few episodes need none.
func TestEqualLengths(t *testing.T) {
	t.Parallel()
	episodes := func(lengths ...int) []int {
		var out []int
		for e, length := range lengths {
			out = append(out, slices.Repeat([]int{e}, length)...)
		}
		return out
	}
	for _, c := range []struct{ lengths, want []int }{
		{[]int{4, 4, 4, 4, 4}, nil},
		{[]int{1, 2, 3, 4}, nil},
		{[]int{2, 3, 3, 3, 3, 3}, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, // 5 × 3 above 6 × 2
		{[]int{2, 1, 2, 2, 9}, []int{0, 2, 3, 5, 7}},
	} {
		if got := EqualLengths(episodes(c.lengths...)); !slices.Equal(got, c.want) {
			t.Errorf("episodes of %v states: %v, want %v", c.lengths, got, c.want)
		}
	}
}
