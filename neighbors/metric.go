// The metrics, the conditions for usable points, and checked points.

package neighbors

import (
	"context"

	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Metric is the measure of the distance of two points. Its text is the name on the command line: euclidean, cosine or
// precomputed.
type Metric = rows.Metric

const (
	// Euclidean is the L2 distance ‖x−y‖.
	Euclidean = rows.Euclidean
	// Cosine is 1 − x·y/(‖x‖‖y‖), in [0, 2]; a point of norm zero is an error.
	Cosine = rows.Cosine
	// Precomputed means that the points are a matrix of distances: float32 or float64 [n, n], row i holding the distances
	// from point i. They must be finite, not negative and symmetric up to a rounding of 1e-4 relative. Rows are used
	// unchanged; the diagonal is ignored.
	Precomputed = rows.Precomputed
)

// ParseMetric returns the metric of that name, "euclidean", "cosine" or "precomputed".
func ParseMetric(name string) (Metric, error) { return rows.ParseMetric(name) }

// Check returns the first problem that makes points unusable under a metric: an impossible shape, NaN
// or Inf, values whose squared distances overflow, a zero norm under Cosine, or an invalid distance
// matrix under Precomputed. The error starts with role, the name of the points.
func Check(role string, pts points.Points, metric Metric) error {
	return rows.CheckPoints(role, pts, metric)
}

// Space is a set of points with a metric that has passed Check, so that it is checked only once. The
// values must not change while it is in use.
type Space struct {
	points points.Points
	metric Metric
}

// NewSpace checks points; see Check.
func NewSpace(name string, pts points.Points, metric Metric) (Space, error) {
	if err := Check(name, pts, metric); err != nil {
		return Space{}, err
	}
	return Space{points: pts, metric: metric}, nil
}

// Points are the points of the space.
func (s Space) Points() points.Points { return s.points }

// Select is the space of the points with these indices. It does not check values again.
func (s Space) Select(index []int) Space {
	selected := s.points.Select(index)
	if s.metric == Precomputed {
		selected = selected.SelectColumns(index)
	}
	return Space{points: selected, metric: s.metric}
}

// Range is the space of points lo … hi−1, in the same memory; not for Precomputed distances.
func (s Space) Range(lo, hi int) Space {
	return Space{points: s.points.Range(lo, hi), metric: s.metric}
}

// Duplicates is the number of points equal to one of lower index, n−1 where all are equal.
func (s Space) Duplicates(ctx context.Context, threads int) (int, error) {
	o := rows.Options{Threads: threads}
	equal, err := rows.FindDuplicates(ctx, s.points, s.metric, o.ThreadCount())
	if err != nil {
		return 0, err
	}
	return equal.Count, nil
}

// Collapsed reports whether all points are equal, so that neighborhoods are meaningless.
func (s Space) Collapsed() bool { return rows.AllEqual(s.points, s.metric) }

// Metric is the metric of the space.
func (s Space) Metric() Metric { return s.metric }

// KNearest is the function of the same name without its look through the points. Metric of
// o is not used.
func (s Space) KNearest(ctx context.Context, k int, o Options) (*Nearest, error) {
	o.Metric, o.Blocks = s.metric, nil
	if err := o.check(s.points.N); err != nil {
		return nil, err
	}
	among := o.rows(ctx, o.Metric).Among(s.points.N)
	if err := among.Check(k); err != nil {
		return nil, err
	}
	return s.shared(ctx, k, &o)
}
