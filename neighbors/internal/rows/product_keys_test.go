// The bound of the nearly exact keys.

package rows

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// The bound of the nearly exact keys holds for points far from the origin, too.
func TestNearlyExactKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: one thread")
	}
	r := random(52)
	for _, offset := range []float32{0, 1, 1e4} {
		for _, metric := range []Metric{Euclidean, Cosine} {
			t.Run(fmt.Sprintf("%v/%v", offset, metric), func(t *testing.T) {
				const n, dim = 90, 700
				pts := gaussian32(r, n, dim)
				for k := range pts.F32 {
					pts.F32[k] += offset
				}
				s, err := Open(context.Background(), pts, pts, true, false, &Options{Metric: metric, Threads: 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				space := s.(*bounded[float32])
				near := s.Worker().(*boundedWorker[float32]).openProducts(2)
				var groups []*openGroup
				for q, height := range []int{7, 32, 21} {
					g := &openGroup{lists: &Lists{First: 20 + 9*q, Ends: make([]int, height)}}
					for row := range int32(height) {
						for range 9 {
							g.cells = append(g.cells, cell{row, int32(r.IntN(n))})
						}
					}
					groups = append(groups, g)
				}
				keys := naiveKeys(pts, pts, metric)
				check := func(what string, limit func(i int, j int32) float64, exponent int) {
					for _, g := range groups {
						for q, c := range g.cells {
							i := g.query(c)
							got, want, limit := g.key(int32(q)), math.Ldexp(keys[i][c.point], exponent), limit(i, c.point)
							if math.Abs(got-want) > limit {
								t.Fatalf("%s, pair %d, %d: %v, want %v ± %g", what, i, c.point, got, want, limit)
							}
						}
					}
				}
				if err := near.computeChains(context.Background(), 2, groups); err != nil {
					t.Fatal(err)
				}
				check("chains", func(i int, j int32) float64 {
					limit := near.chainBound(i, j)
					if most := 0.2 * space.pairBound(i, j); limit > most && metric == Euclidean {
						t.Fatalf("the bound of chains is %g, want at most %g", limit, most)
					}
					return limit
				}, space.keyExponent)
				if err := near.computeProducts(context.Background(), 2, groups); err != nil {
					t.Fatal(err)
				}
				check("float64", func(i int, j int32) float64 {
					if metric == Euclidean {
						return near.unit * (near.refined.square[i] + near.refined.square[j])
					}
					return near.unit
				}, 0)
			})
		}
	}
}
