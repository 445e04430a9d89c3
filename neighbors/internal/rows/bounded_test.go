// The bound of approximate rows.

package rows

import (
	"context"
	"fmt"
	"math"
	"testing"

	"repscope/points"
)

// TestValuesWithinBound holds rows of queries against other points, near and far from them, to the definition, and,
// where many ranks are asked for, rows of points that lie far from their middle, where rounding changes them.
func TestValuesWithinBound(t *testing.T) {
	t.Parallel()
	shifted := func(p points.Points, by float32) points.Points {
		for i := range p.F32 {
			p.F32[i] = 3*p.F32[i] + by
		}
		return p
	}
	for _, dim := range []int{9, 40, 600} {
		for _, o := range []*Options{{Metric: Euclidean}, {Metric: Cosine}, {Metric: Euclidean, ManyRanks: true}, {Metric: Cosine, ManyRanks: true}} {
			metric := o.Metric
			t.Run(fmt.Sprintf("%d_%v_%v", dim, metric, o.ManyRanks), func(t *testing.T) {
				t.Parallel()
				queries, pts := shifted(gaussian32(random(1), 30, dim), 0.5), shifted(gaussian32(random(2), 50, dim), 7)
				if o.ManyRanks {
					for i := range pts.F32[:30*dim] {
						pts.F32[i] = pts.F32[i]*pts.F32[i]/7 - 5
					}
					queries = pts
				}
				opened, err := Open(context.Background(), queries, pts, false, false, o, nil)
				if err != nil {
					t.Fatal(err)
				}
				s := opened.(*bounded[float32])
				if own, far := s.band(3)/2, s.bound(3, s.maxRadius, s.maxRounding); s.links != o.ManyRanks || s.links && own > far || !s.links && own != far {
					t.Errorf("links: %v, bound %v of at most %v", s.links, own, far)
				}
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
