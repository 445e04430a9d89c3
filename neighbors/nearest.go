// The search for nearest neighbors within a set and across two sets.

package neighbors

import (
	"context"
	"errors"
	"fmt"

	"repscope/neighbors/internal/gpu"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Nearest holds the K nearest neighbors of N points, nearest first: Index and Distance
// are [N×K], row-major, distances from direct float64 differences (exact integers before
// the root for uint8). Counts.Ties counts adjacent neighbors of a list at equal distance.
type Nearest = rows.Nearest

// SpaceCounts are facts about one space that a reader of the scores should know:
// Duplicates, Ties, Redecided comparisons and the Method by which distances were computed.
type SpaceCounts = rows.SpaceCounts

// KNearest returns the k nearest neighbors of every point among the other
// points, in the package's order. Of o it uses Threads, Memory, Metric,
// ExcludeWindow, Episode, Time, Device and Progress. It is an error if a point has fewer
// than k candidates.
func KNearest(ctx context.Context, pts points.Points, k int, o Options) (*Nearest, error) {
	s, err := NewSpace("points", pts, o.Metric)
	if err != nil {
		return nil, err
	}
	return s.KNearest(ctx, k, o)
}

// KNearestOfFirst is [Space.KNearest] for the first count points alone: [count × k] neighbors among all other points.
// It takes count/n of the time.
func (s Space) KNearestOfFirst(ctx context.Context, count, k int, o Options) (*Nearest, error) {
	if s.metric == Precomputed {
		return nil, errNoCoordinates
	}
	if count < 1 || count > s.points.N {
		return nil, fmt.Errorf("the first %d points: want 1 to %d", count, s.points.N)
	}
	if count == s.points.N {
		return s.KNearest(ctx, k, o)
	}
	o.Metric, o.Blocks = s.metric, nil
	if err := o.check(s.points.N); err != nil {
		return nil, err
	}
	among := o.rows(ctx, o.Metric).Among(s.points.N)
	for i := range count {
		if m := among.Count(i); k < 1 || k > m {
			return nil, fmt.Errorf("k = %d: want 1 ≤ k ≤ %d, the candidates of point %d", k, m, i)
		}
	}
	return search(ctx, s.points.Range(0, count), s.points, k, true, &o)
}

// First returns, for each point, the lowest index of a point equal to it.
func (s Space) First(ctx context.Context, threads int) ([]int32, error) {
	o := rows.Options{Threads: threads}
	equal, err := rows.FindDuplicates(ctx, s.points, s.metric, o.ThreadCount())
	if err != nil {
		return nil, err
	}
	return equal.First, nil
}

// Cross returns for every query its k nearest among points; a point equal to
// the query is not left out. Queries and points must have the same type and
// dimension. Of o it uses Threads, Memory, Metric, Device and Progress.
// Counts.Duplicates is over points.
func Cross(ctx context.Context, queries, pts points.Points, k int, o Options) (*Nearest, error) {
	if o.Metric == Precomputed {
		return nil, errNoCoordinates
	}
	from, err := NewSpace("queries", queries, o.Metric)
	if err != nil {
		return nil, err
	}
	to, err := NewSpace("points", pts, o.Metric)
	if err != nil {
		return nil, err
	}
	return to.Cross(ctx, from, k, o)
}

// Cross is the function of the same name, for points s, without its look through queries and
// points. Metric of o is not used; the spaces must have the same.
func (s Space) Cross(ctx context.Context, queries Space, k int, o Options) (*Nearest, error) {
	pts := s.points
	if s.metric == Precomputed {
		return nil, errNoCoordinates
	}
	if queries.metric != s.metric {
		return nil, fmt.Errorf(
			"queries have the metric %v, but points have %v: want the same", queries.metric, s.metric)
	}
	if a, b := queries.points.Type(), pts.Type(); a != b || queries.points.Dim != pts.Dim {
		return nil, errOtherPoints(queries.points, pts)
	}
	o.Metric, o.Blocks, o.Episode, o.Time, o.ExcludeWindow = s.metric, nil, nil, nil, 0
	if err := o.check(pts.N); err != nil {
		return nil, err
	}
	if k < 1 || k > pts.N {
		return nil, fmt.Errorf("k = %d: want 1 ≤ k ≤ n = %d", k, pts.N)
	}
	return search(ctx, queries.points, pts, k, false, &o)
}

var errNoCoordinates = errors.New("this search needs coordinates, but the distances are precomputed")

// search fills the lists, on a GPU where there is one that can.
func search(ctx context.Context, queries, pts points.Points, k int, self bool, o *Options) (*Nearest, error) {
	within := o.rows(ctx, o.Metric)
	result, onGPU, err := gpu.Search(ctx, o.Device, queries, pts, k, self, within)
	if !onGPU {
		result, err = rows.Search(ctx, queries, pts, k, self, within)
	}
	if err != nil {
		return nil, err
	}
	rows.CountTies(result)
	return result, nil
}
