// Pairs across two sets in which one point lies among the neighbors of the other.

package neighbors

import (
	"context"
	"fmt"

	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Enclosed is a pair of a query and a point. OfQuery is the number of listed neighbors of the query,
// within its set, that are at least as near as the point. OfPoint is the number of listed neighbors of
// the point, within its set, that are at least as near as the query. The point lies inside the ball of
// the query up to its k-th neighbor (d < r) if and only if OfQuery < k. At distance 0 both are 0: a
// copy is inside every ball, even with radius 0.
type Enclosed = rows.Enclosed

// Enclose visits all pairs of a query and a point that lie inside a ball: the pairs in which not all listed neighbors
// of both are as near or nearer. ofQueries and ofPoints are the lists of [KNearest] within each set, of any lengths.
// visit is called once for every query, with its pairs in ascending order of the points, which stay valid until it
// returns. It is called on several goroutines, identified by 0 ≤ worker < Threads (GOMAXPROCS for 0). At most one block
// of rows of distances is held. Comparisons use the direct computation in float64, so the pairs do not depend on
// Threads and Memory. Of o it uses these, Metric and Progress. Errors: sets of different type or dimension, lists of
// another number of points, the errors of [Check], and the error of ctx.
func Enclose(
	ctx context.Context, queries, pts points.Points, ofQueries, ofPoints *Nearest, o Options, visit func(worker, query int, pairs []Enclosed),
) (SpaceCounts, error) {
	if o.Metric == Precomputed {
		return SpaceCounts{}, errNoCoordinates
	}
	if err := Check("queries", queries, o.Metric); err != nil {
		return SpaceCounts{}, err
	}
	if err := Check("points", pts, o.Metric); err != nil {
		return SpaceCounts{}, err
	}
	if a, b := queries.Type(), pts.Type(); a != b || queries.Dim != pts.Dim {
		return SpaceCounts{}, errOtherPoints(queries, pts)
	}
	if ofQueries.N != queries.N || ofPoints.N != pts.N {
		return SpaceCounts{}, fmt.Errorf("neighbor lists for %d queries and %d points, want %d and %d",
			ofQueries.N, ofPoints.N, queries.N, pts.N)
	}
	o.Blocks, o.Episode, o.Time, o.ExcludeWindow = nil, nil, nil, 0
	if err := o.check(pts.N); err != nil {
		return SpaceCounts{}, err
	}
	return rows.Enclose(ctx, queries, pts, ofQueries, ofPoints, o.rows(ctx, o.Metric), visit)
}

func errOtherPoints(queries, pts points.Points) error {
	return fmt.Errorf("queries are %s of dimension %d, but points are %s of dimension %d: want the same",
		queries.Type(), queries.Dim, pts.Type(), pts.Dim)
}
