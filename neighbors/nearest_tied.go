// Nearest neighbors with all that are as far as the last.

package neighbors

import (
	"context"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
)

// VisitTied calls visit once for every point i with its k nearest neighbors, nearest first, followed
// by all others at the distance of the last one. run[q] is the index of the first neighbor at the
// distance of the q-th. Which members of the last run belong to the k nearest is undetermined. visit
// is called from several goroutines and must not keep the lists. o.Metric is ignored; other options
// and errors are as for [KNearest]. It returns the counts of the search.
func (s Space) VisitTied(
	ctx context.Context, k int, o Options, visit func(i int, index, run []int32),
) (SpaceCounts, error) {
	o.Metric, o.Blocks = s.metric, nil
	n := s.points.N
	if err := o.check(n); err != nil {
		return SpaceCounts{}, err
	}
	within := o.rows(ctx, o.Metric)
	among := within.Among(n)
	if err := among.Check(k); err != nil {
		return SpaceCounts{}, err
	}
	// One more neighbor shows whether the last has ties beyond it.
	if among.Check(k+1) != nil {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		equal, err := rows.FindDuplicates(ctx, s.points, s.metric, within.ThreadCount())
		if err != nil {
			return SpaceCounts{}, err
		}
		return SpaceCounts{Duplicates: equal.Count}, s.visitRows(ctx, all, k, within, visit)
	}
	nearest, err := search(ctx, s.points, s.points, k+1, true, &o)
	if err != nil {
		return SpaceCounts{}, err
	}
	return nearest.Counts, s.visitNearest(ctx, nearest, k, within, visit)
}

// visitNearest visits all points whose k+1 nearest are known.
func (s Space) visitNearest(ctx context.Context, nearest *Nearest, k int, within *rows.Options,
	visit func(i int, index, run []int32)) error {
	var open []int // points whose last run may go on
	run := make([]int32, k)
	for i := range s.points.N {
		index, distance := nearest.Index[i*(k+1):(i+1)*(k+1)], nearest.Distance[i*(k+1):(i+1)*(k+1)]
		if distance[k] == distance[k-1] {
			open = append(open, i)
			continue
		}
		for q := range k {
			if run[q] = int32(q); q > 0 && distance[q] == distance[q-1] {
				run[q] = run[q-1]
			}
		}
		visit(i, index[:k], run)
	}
	return s.visitRows(ctx, open, k, within, visit)
}

// visitRows visits some points, whose rows are computed.
func (s Space) visitRows(ctx context.Context, points []int, k int, o *rows.Options,
	visit func(i int, index, run []int32)) error {
	if len(points) == 0 {
		return nil
	}
	reference, err := rows.OpenReferences(ctx, s.points, points, o)
	if err != nil {
		return err
	}
	step, err := rows.ReferenceRows(o.Budget(), reference.RowBytes(), len(points))
	if err != nil {
		return err
	}
	workers, lists := make([]rows.Worker, o.ThreadCount()), make([]rows.Listed, o.ThreadCount())
	for w := range workers {
		workers[w] = reference.Worker()
	}
	for lo := 0; lo < len(points); lo += step {
		hi := min(len(points), lo+step)
		if err := reference.Load(ctx, lo, hi); err != nil {
			return err
		}
		err := parallel.For(ctx, len(workers), hi-lo, func(w, r int) {
			l := &lists[w]
			l.Index, l.Run = workers[w].NearestTied(lo+r, k, l.Index, l.Run)
			visit(points[lo+r], l.Index, l.Run)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
