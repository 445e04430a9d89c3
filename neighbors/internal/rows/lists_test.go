// Ranks of many points in a row, against full sorts.

package rows

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/neighbors/internal/naive"
	"repscope/points"
)

// closeTogether are different points a few units in the last place apart, so that many distances
// are equal and no product tells them apart.
func closeTogether(r *rand.Rand, n, dim int) points.Points {
	data := make([]float32, n*dim)
	for i := range n {
		row := data[i*dim : (i+1)*dim]
		for k := range row {
			row[k] = 0.5 + float32(k%7)/16
		}
		// The number of the point in the first places keeps points apart.
		for bit := range 10 {
			row[bit] += float32(i>>bit&1) * 0x1p-23
		}
		for range r.IntN(4) {
			at := 10 + r.IntN(dim-10)
			row[at] = math.Float32frombits(math.Float32bits(row[at]) + 1)
		}
	}
	return points.Float32(data, dim)
}

// Ranks in all kinds of spaces, few and many to a row, must equal the ranks of sorted rows.
func TestRankListsIsSorting(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: sorting takes its time")
	}
	const n = 400
	r := random(51)
	far := gaussian32(r, n, 300)
	for k := range 300 {
		far.F32[7*300+k] *= 30
		far.F32[9*300+k] *= 3000
	}
	times := func(p points.Points, by, plus float32) points.Points {
		for k := range p.F32 {
			p.F32[k] = p.F32[k]*by + plus
		}
		return p
	}
	cases := map[string]struct {
		points points.Points
		metric Metric
		window int
	}{
		"wide":            {gaussian32(r, n, 300), Euclidean, 0},
		"huge":            {times(gaussian32(r, n, 270), 1e36, 0), Euclidean, 0},
		"subnormal":       {times(gaussian32(r, n, 270), 1e-43, 0), Euclidean, 0},
		"far away":        {times(gaussian32(r, n, 270), 1, 1e6), Euclidean, 0},
		"wide, window":    {gaussian32(r, n, 289), Euclidean, 4},
		"wide, cosine":    {gaussian32(r, n, 300), Cosine, 0},
		"outliers":        {far, Euclidean, 0},
		"close":           {closeTogether(r, n, 600), Euclidean, 0},
		"close, cosine":   {closeTogether(r, n, 600), Cosine, 0},
		"close, narrow":   {closeTogether(r, n, 20), Euclidean, 0},
		"close, float64":  {naive.Float64s(closeTogether(r, n, 270)), Euclidean, 0},
		"few values":      {coarse(gaussian32(r, n, 260)), Euclidean, 0},
		"duplicates":      {nearlyEqual32(r, n, 260), Euclidean, 0},
		"all equal":       {constant32(n, 260), Euclidean, 0},
		"uint8":           {bytes8(r, n, 5, 3), Euclidean, 0},
		"uint8, cosine":   {bytes8(r, n, 30, 5), Cosine, 0},
		"low dimension":   {coarse(gaussian32(r, n, 3)), Euclidean, 0},
		"little, float64": {gaussian64(r, n, 40), Euclidean, 2},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			o := Options{Metric: c.metric, ExcludeWindow: c.window, Threads: 1}
			const lo, hi = 33, 153
			var spaces []Space // without and with rows for many ranks
			for _, o.ManyRanks = range []bool{false, true} {
				s, err := Open(context.Background(), c.points, c.points, true, false, &o, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Load(context.Background(), lo, hi); err != nil {
					t.Fatal(err)
				}
				spaces = append(spaces, s)
			}
			keys := naiveKeys(c.points, c.points, c.metric)
			var orders [][]int32
			for range 3 {
				var order []int32
				for _, v := range r.Perm(n) {
					order = append(order, int32(v))
				}
				orders = append(orders, order)
			}
			identity := make([]int32, n)
			for j := range identity {
				identity[j] = int32(j)
			}
			w, workers := spaces[0].Worker(), []Worker{spaces[1].Worker(), spaces[1].Worker()}
			for _, each := range []int{1, 12, 99, 700} {
				for _, permuted := range []bool{false, true} {
					var l Lists
					l.Reset(lo)
					for i := lo; i < hi; i++ {
						for range r.IntN(each + 1) {
							j := r.IntN(n)
							for max(i-j, j-i) <= c.window {
								j = r.IntN(n)
							}
							l.List = append(l.List, int32(j))
							l.Owner = append(l.Owner, int32(r.IntN(3)))
						}
						l.Ends = append(l.Ends, len(l.List))
					}
					if permuted {
						l.Orders = orders
					}
					rank := make([]int32, len(l.List))
					w.RankLists(&l, rank)
					together(t, workers, &l, rank)
					from := 0
					for row, end := range l.Ends {
						want := make([]map[int32]int32, 3)
						for q := from; q < end; q++ {
							order, owner := identity, l.Owner[q]
							if permuted {
								order = orders[owner]
							}
							if want[owner] == nil {
								want[owner] = sortedRanks(keys[lo+row], lo+row, c.window, order)
							}
							if got, want := rank[q], want[owner][l.List[q]]; got != want {
								t.Fatalf("up to %d of a row, permuted %v: point %d in row %d: rank %d, want %d", each, permuted, l.List[q], lo+row, got, want)
							}
						}
						from = end
					}
				}
			}
		})
	}
}

// together holds what goroutines rank together, in three groups of unequal height, to the ranks of one.
func together(t *testing.T, workers []Worker, all *Lists, want []int32) {
	t.Helper()
	cuts := []int{0, 10, 11, len(all.Ends)}
	var lists []*Lists
	var ranks [][]int32
	start := 0
	for q, lo := range cuts[:3] {
		hi := cuts[q+1]
		l := &Lists{First: all.First + lo, List: all.List[start:all.Ends[hi-1]], Owner: all.Owner[start:all.Ends[hi-1]], Orders: all.Orders}
		for _, end := range all.Ends[lo:hi] {
			l.Ends = append(l.Ends, end-start)
		}
		lists, ranks = append(lists, l), append(ranks, make([]int32, len(l.List)))
		start = all.Ends[hi-1]
	}
	if err := RankTogether(context.Background(), workers, lists, ranks); err != nil {
		t.Fatal(err)
	}
	if got := slices.Concat(ranks...); !slices.Equal(got, want) {
		t.Fatal("ranks of groups differ from those of all rows")
	}
}

// sortedRanks are the ranks of all candidates of point i by key and, among equals, by order.
func sortedRanks(keys []float64, i, window int, order []int32) map[int32]int32 {
	var candidates []int32
	for j := range keys {
		if max(i-j, j-i) > window {
			candidates = append(candidates, int32(j))
		}
	}
	slices.SortFunc(candidates, func(a, b int32) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(order[a], order[b]))
	})
	ranks := make(map[int32]int32)
	for p, j := range candidates {
		ranks[j] = int32(p) + 1
	}
	return ranks
}
