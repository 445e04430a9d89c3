// The bound of approximate rows.

package rows

import (
	"context"
	"fmt"
	"math"
	"testing"

	"repscope/points"
)

// TestValuesWithinBound holds rows of queries against other points, near and far from them, to the definition.
func TestValuesWithinBound(t *testing.T) {
	t.Parallel()
	shifted := func(p points.Points, by float32) points.Points {
		for i := range p.F32 {
			p.F32[i] = 3*p.F32[i] + by
		}
		return p
	}
	for _, dim := range []int{9, 40, 600} {
		for _, o := range []*Options{{Metric: Euclidean}, {Metric: Cosine}, {Metric: Euclidean, ManyRanks: true}} {
			metric := o.Metric
			t.Run(fmt.Sprintf("%d_%v_%v", dim, metric, o.ManyRanks), func(t *testing.T) {
				t.Parallel()
				queries, pts := shifted(gaussian32(random(1), 30, dim), 0.5), shifted(gaussian32(random(2), 50, dim), 7)
				opened, err := Open(context.Background(), queries, pts, false, false, o, nil)
				if err != nil {
					t.Fatal(err)
				}
				s := opened.(*bounded[float32])
				if err := s.Load(context.Background(), 0, queries.N); err != nil {
					t.Fatal(err)
				}
				for i, keys := range naiveKeys(queries, pts, metric) {
					for j, key := range keys {
						low, high := s.between(s.row(i)[j], i, int32(j))
						if want := math.Ldexp(key, s.keyExponent); want < low || want > high {
							t.Fatalf("query %d, point %d: %v is not within %v … %v", i, j, want, low, high)
						}
					}
				}
			})
		}
	}
}
