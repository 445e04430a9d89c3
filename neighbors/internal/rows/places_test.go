// Places of points in a row, against counting.

package rows

import (
	"context"
	"math/rand/v2"
	"testing"

	"repscope/neighbors/internal/naive"
	"repscope/points"
)

// Positions, and the ties counted by ranks, must equal plain counting in all kinds of spaces.
func TestPlaceIsCounting(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: one thread")
	}
	t.Parallel()
	const n, groups = 260, 5
	r := random(71)
	far := gaussian32(r, n, 300)
	for k := range 300 {
		far.F32[7*300+k] *= 3000
	}
	for name, c := range map[string]struct {
		points points.Points
		metric Metric
		window int
	}{
		"wide":          {gaussian32(r, n, 300), Euclidean, 0},
		"wide, cosine":  {gaussian32(r, n, 300), Cosine, 3},
		"outliers":      {far, Euclidean, 0},
		"close":         {closeTogether(r, n, 600), Euclidean, 0},
		"float64":       {naive.Float64s(closeTogether(r, n, 270)), Euclidean, 0},
		"few values":    {coarse(gaussian32(r, n, 260)), Euclidean, 2},
		"duplicates":    {nearlyEqual32(r, n, 260), Euclidean, 0},
		"all equal":     {constant32(n, 260), Euclidean, 0},
		"uint8":         {bytes8(r, n, 5, 3), Euclidean, 0},
		"uint8, cosine": {bytes8(r, n, 30, 5), Cosine, 4},
		"low dimension": {coarse(gaussian32(r, n, 3)), Euclidean, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(5, 6))
			o := Options{Metric: c.metric, ExcludeWindow: c.window, Threads: 1, Groups: groups}
			for range n {
				o.Group = append(o.Group, int32(r.IntN(groups)))
			}
			s, err := Open(context.Background(), c.points, c.points, true, false, &o, nil)
			if err != nil {
				t.Fatal(err)
			}
			const lo, hi = 33, 73
			if err := s.Load(context.Background(), lo, hi); err != nil {
				t.Fatal(err)
			}
			keys := naiveKeys(c.points, c.points, c.metric)
			w := s.Worker()
			var p Places
			for i := lo; i < hi; i++ {
				for _, count := range []int{1, 20, n / 2} {
					var list []int32
					for range count {
						j := r.IntN(n)
						for max(i-j, j-i) <= c.window {
							j = r.IntN(n)
						}
						list = append(list, int32(j))
					}
					w.Place(i, list, true, &p)
					checkPlaces(t, &p, keys[i], i, c.window, list, o.Group, groups)
					below, tied := append([]int32(nil), p.Below...), append([]int32(nil), p.Tied...)
					w.Place(i, list, false, &p)
					l := Lists{First: i, Ends: []int{count}, List: list, Tied: make([]int32, count)}
					rank := make([]int32, count)
					w.RankLists(&l, rank)
					for q := range list {
						if p.Below[q] != below[q] || p.Tied[q] != tied[q] || rank[q] != below[q]+1 || l.Tied[q] != tied[q]-1 {
							t.Fatalf("row %d, %d points: without blocks %d, %d, in lists %d, %d, with %d, %d",
								i, count, p.Below[q], p.Tied[q], rank[q], l.Tied[q], below[q], tied[q])
						}
					}
				}
			}
		})
	}
}

func checkPlaces(t *testing.T, p *Places, keys []float64, i, window int, list, group []int32, groups int) {
	t.Helper()
	anyTies := false
	for q, j := range list {
		below, tied := make([]int32, groups), make([]int32, groups)
		var allBelow, allTied int32
		for m, key := range keys {
			if max(i-m, m-i) <= window {
				continue
			}
			if key < keys[j] {
				below[group[m]]++
				allBelow++
			} else if key == keys[j] {
				tied[group[m]]++
				allTied++
			}
		}
		anyTies = anyTies || allTied > 1
		if p.Below[q] != allBelow || p.Tied[q] != allTied {
			t.Fatalf("point %d in row %d: %d nearer and %d as near, want %d and %d", j, i, p.Below[q], p.Tied[q], allBelow, allTied)
		}
		for g := range groups {
			if p.BelowOf[q*groups+g] != below[g] || p.Ties && p.TiedOf[q*groups+g] != tied[g] {
				t.Fatalf("point %d in row %d, block %d: %d nearer, want %d", j, i, g, p.BelowOf[q*groups+g], below[g])
			}
		}
	}
	if anyTies && !p.Ties {
		t.Fatalf("row %d: ties were not seen", i)
	}
}

// A pass that was given up, and left pairs of blocks out, stays so whatever is counted after that.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	p := countPass{most: 800, pairs: 10}
	p.open.Store(180)
	p.begun.Store(1)
	if p.hopeless() {
		t.Error("180 comparisons are open, a tenth and an eighth of 800: not given up")
	}
	p.open.Store(181)
	if !p.hopeless() {
		t.Error("181 comparisons are open: not to go on")
	}
	p.begun.Store(9)
	if !p.hopeless() {
		t.Error("what was given up goes on")
	}
}
