package neighbors

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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

// Ranks in all kinds of spaces, few and many to a row, must be those of sorted rows.
func TestRankListsIsSorting(t *testing.T) {
	const n = 400
	r := random(51)
	far := gaussian32(r, n, 300)
	for k := range 300 {
		far.F32[7*300+k] *= 30
		far.F32[9*300+k] *= 3000
	}
	for name, c := range map[string]struct {
		points points.Points
		metric Metric
		window int
	}{
		"wide":            {gaussian32(r, n, 300), Euclidean, 0},
		"wide, window":    {gaussian32(r, n, 289), Euclidean, 4},
		"wide, cosine":    {gaussian32(r, n, 300), Cosine, 0},
		"outliers":        {far, Euclidean, 0},
		"close":           {closeTogether(r, n, 600), Euclidean, 0},
		"close, cosine":   {closeTogether(r, n, 600), Cosine, 0},
		"close, narrow":   {closeTogether(r, n, 20), Euclidean, 0},
		"close, float64":  {wide64(closeTogether(r, n, 270)), Euclidean, 0},
		"few values":      {coarse(gaussian32(r, n, 260)), Euclidean, 0},
		"duplicates":      {nearlyEqual32(r, n, 260), Euclidean, 0},
		"all equal":       {constant32(n, 260), Euclidean, 0},
		"uint8":           {bytes8(r, n, 5, 3), Euclidean, 0},
		"uint8, cosine":   {bytes8(r, n, 30, 5), Cosine, 0},
		"low dimension":   {coarse(gaussian32(r, n, 3)), Euclidean, 0},
		"little, float64": {gaussian64(r, n, 40), Euclidean, 2},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Metric: c.metric, ExcludeWindow: c.window, Threads: 1}
			s, err := openSpace(context.Background(), c.points, c.points, true, false, &o, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			const lo, hi = 33, 153
			if err := s.load(context.Background(), lo, hi); err != nil {
				t.Fatal(err)
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
			w := s.worker()
			for _, each := range []int{1, 12, 99, 700} {
				for _, permuted := range []bool{false, true} {
					var l rowLists
					l.reset(lo)
					for i := lo; i < hi; i++ {
						for range r.IntN(each + 1) {
							j := r.IntN(n)
							for max(i-j, j-i) <= c.window {
								j = r.IntN(n)
							}
							l.list = append(l.list, int32(j))
							l.owner = append(l.owner, int32(r.IntN(3)))
						}
						l.ends = append(l.ends, len(l.list))
					}
					if permuted {
						l.orders = orders
					}
					rank := make([]int32, len(l.list))
					w.rankLists(&l, rank)
					from := 0
					for row, end := range l.ends {
						want := make([]map[int32]int32, 3)
						for q := from; q < end; q++ {
							order, of := identity, l.owner[q]
							if permuted {
								order = orders[of]
							}
							if want[of] == nil {
								want[of] = sortedRanks(keys[lo+row], lo+row, c.window, order)
							}
							if got, want := rank[q], want[of][l.list[q]]; got != want {
								t.Fatalf("up to %d of a row, permuted %v: point %d in row %d: rank %d, want %d", each, permuted, l.list[q], lo+row, got, want)
							}
						}
						from = end
					}
				}
			}
		})
	}
}

func wide64(p points.Points) points.Points {
	data := make([]float64, len(p.F32))
	for k, v := range p.F32 {
		data[k] = float64(v)
	}
	return points.Float64(data, p.Dim)
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

// The bound of the nearly exact keys holds for points far from the origin, too.
func TestNearlyExactKeys(t *testing.T) {
	r := random(52)
	for _, offset := range []float32{0, 1, 1e4} {
		for _, metric := range []Metric{Euclidean, Cosine} {
			t.Run(fmt.Sprintf("%v/%v", offset, metric), func(t *testing.T) {
				const n, dim = 90, 700
				pts := gaussian32(r, n, dim)
				for k := range pts.F32 {
					pts.F32[k] += offset
				}
				s, err := openSpace(context.Background(), pts, pts, true, false, &Options{Metric: metric, Threads: 1}, nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				near := s.worker().(*boundedWorker[float32]).newNear(60)
				const first = 20
				for row := range int32(60) {
					for range 9 {
						near.cells = append(near.cells, cell{row, int32(r.IntN(n))})
					}
				}
				near.compute(first)
				keys := naiveKeys(pts, pts, metric)
				for q, of := range near.cells {
					i := first + int(of.row)
					limit := near.unit
					if metric == Euclidean {
						limit *= near.norms[i] + near.norms[of.point]
					}
					if got, want := near.key(int32(q)), keys[i][of.point]; math.Abs(got-want) > limit {
						t.Fatalf("pair %d, %d: %v, want %v ± %g", i, of.point, got, want, limit)
					}
				}
			})
		}
	}
}
