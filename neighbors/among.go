// The nearest of some points by the definition: for a few queries, for which a search would look at every point first.

package neighbors

import (
	"context"
	"slices"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
)

// DistancesAmong returns, for each query, the ascending distances to its k nearest points among the
// indices in members, including the query itself if it is a member: [queries × k]. They equal the
// distances of [Space.Cross], but are computed from all pairs, which is faster for few queries. 1 ≤ k
// ≤ len(members); not for Precomputed distances.
func (s Space) DistancesAmong(ctx context.Context, queries, members []int, k, threads int) ([]float64, error) {
	if s.metric == Precomputed {
		return nil, errNoCoordinates
	}
	direct, index, out := rows.NewDirect(s.points, s.points, s.metric), make([]int32, len(members)), make([]float64, len(queries)*k)
	for c, i := range members {
		index[c] = int32(i)
	}
	err := parallel.With(ctx, threads, len(queries), func() func(q int) error {
		keys, nearest, x := make([]float64, len(members)), make([]float64, 0, k+1), make([]float64, s.points.Dim)
		return func(q int) error {
			i := queries[q]
			direct.Keys(i, s.points.Row(i, x), index, keys)
			nearest = nearest[:0]
			for _, key := range keys {
				if len(nearest) == k && !(key < nearest[k-1]) {
					continue
				}
				at, _ := slices.BinarySearch(nearest, key)
				nearest = slices.Insert(nearest, at, key)
				nearest = nearest[:min(len(nearest), k)]
			}
			for c, key := range nearest {
				out[q*k+c] = s.metric.Distance(key)
			}
			return nil
		}
	})
	return out, err
}
