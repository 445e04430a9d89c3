// Tests of the null.

package neighborhood

import (
	"context"
	"math"
	"slices"
	"testing"

	"repscope/points"
	"repscope/stat"
)

// slow are states whose coordinates follow AR(1) in episodes of equal length.
func slow(seed uint64, n, episodes, dim int, rho float64) (points.Points, []int) {
	r := stat.NewRandom(stat.NewKey(seed, 31))
	data, episode := make([]float64, n*dim), make([]int, n)
	for c := range dim {
		x := 0.0
		for t := range n {
			if t%(n/episodes) == 0 {
				x = r.Normal()
			}
			data[t*dim+c] = x
			episode[t] = t / (n / episodes)
			x = rho*x + math.Sqrt(1-rho*rho)*r.Normal()
		}
	}
	return points.Float64(data, dim), episode
}

// Every order is a permutation under which most successors stay successors.
func TestNullOrders(t *testing.T) {
	t.Parallel()
	for _, episodes := range [][]int{nil, {0, 0, 0, 1, 1, 1, 1, 1, 1, 1}, slices.Concat(slices.Repeat([]int{4}, 30), slices.Repeat([]int{2}, 10),
		slices.Repeat([]int{3}, 25), slices.Repeat([]int{9}, 12), slices.Repeat([]int{1}, 23))} {
		n := max(len(episodes), 100)
		if episodes != nil {
			n = len(episodes)
		}
		for p := range 20 {
			order := NullTime.order(7, p, n, episodes)
			if !slices.Equal(order, NullTime.order(7, p, n, episodes)) {
				t.Fatal("not the same order twice")
			}
			kept := 0
			for i := 1; i < n; i++ {
				if order[i] == order[i-1]+1 {
					kept++
				}
			}
			if kept < n-14 {
				t.Errorf("%d of %d successors stay successors", kept, n-1)
			}
			if slices.Sort(order); order[0] != 0 || order[n-1] != n-1 || len(slices.Compact(order)) != n {
				t.Errorf("not a permutation: %v", order)
			}
		}
	}
	if NullIndependent.order(7, 1, 100, nil)[0] == NullIndependent.order(7, 2, 100, nil)[0] &&
		NullIndependent.order(7, 3, 100, nil)[0] == NullIndependent.order(7, 4, 100, nil)[0] {
		t.Error("permutations do not differ")
	}
}

// Latents that have nothing to do with the frames, but are slow, score far above
// 0.5: as the null that keeps time says, and not as the independent one does.
func TestUnrelatedLatentsAreAtTheirNull(t *testing.T) {
	t.Parallel()
	frames, episode := slow(1, 600, 6, 3, 0.95)
	latents, _ := slow(2, 600, 6, 3, 0.95)
	in := Input{Frames: frames, Episode: episode, Models: []Encoded{{Name: "unrelated", Latents: latents}}}
	null := func(kind NullKind) AtK {
		r, err := Analyze(context.Background(), in, Options{K: []int{5}, Permutations: 8, Null: kind, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		return r.Models[0].ByK[0]
	}
	a := null(NullTime)
	if a.Null != nil || a.NullInTime == nil {
		t.Fatalf("nulls %v, %v", a.Null, a.NullInTime)
	}
	score, level := a.Trustworthiness.Float(), a.NullInTime.TrustworthinessMean.Float()
	if score < 0.6 || math.Abs(score-level) > 0.06 {
		t.Errorf("trustworthiness %v, null %v", score, level)
	}
	b := null(NullIndependent)
	if b.Null == nil || b.NullInTime != nil || math.Abs(b.Null.TrustworthinessMean.Float()-0.5) > 0.03 {
		t.Errorf("independent null %+v", b.Null)
	}
}
