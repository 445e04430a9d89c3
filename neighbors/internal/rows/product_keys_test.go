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
				near := s.Worker().(*boundedWorker[float32]).openProducts(60)
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
