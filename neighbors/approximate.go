package neighbors

// This file holds the border of the approximate mode, for sets too large for
// the exact pass: its options, the rows of single points, and the recall of
// approximate neighbour lists.

import (
	"context"
	"fmt"
	"math"

	"repscope/points"
	"repscope/stat"
)

// Approximation holds what the approximate mode needs beyond [Options]. The zero
// value is usable.
type Approximation struct {
	// Seed keys every random choice: reference points, queries, centres.
	Seed uint64

	// References is the number of reference points of [CompareSampled], at least
	// 2; 0 means DefaultReferences. With as many as there are points the result
	// is exact.
	References int

	// Queries is the number of points on which [KNearestApproximate] measures
	// its recall; 0 means DefaultQueries, −1 none.
	Queries int

	// ExactPoints is the number of points up to which [KNearestApproximate] searches
	// exactly; 0 means as long as that takes seconds.
	ExactPoints int
}

const (
	// DefaultReferences is the default number of reference points.
	DefaultReferences = 2000
	// DefaultQueries is the default number of queries that measure recall.
	DefaultQueries = 500
	// SufficientRecall is the recall below which a reader should be warned.
	SufficientRecall = 0.95
)

// queryRows rows at once, or queryBytes of them, are enough for the matrix
// kernels to run at full speed.
const queryRows, queryBytes = 96, 256 << 20

// Recall says how many of the true neighbours an approximate search found.
type Recall struct {
	// Value is the mean over the queries of the share of their K listed
	// neighbours that are as near as the true K nearest (at most as far as the
	// K-th: which of several at equal distance is listed does not matter).
	// NaN without queries.
	Value float64
	// StandardError is that of Value for the draw of the queries, with the
	// finite-population correction. It is 0 where all points were queries or
	// the search was exact, and NaN without queries.
	StandardError float64
	// Queries and K are the numbers of queries and of neighbours of each.
	Queries, K int
	// Exact says that the lists come from an exact search, so that the recall
	// is 1 by construction.
	Exact bool
}

// ApproximateNearest holds the lists of an approximate search. The distances are
// exact, in direct float64, and each list is in the package's order; a true
// neighbour may be missing from it. Counts.Ties and Counts.Duplicates are as in
// [Nearest]; Counts.Redecided is 0.
type ApproximateNearest struct {
	Nearest
	Recall Recall
	// Cells is the number of cells that the points were put into and Probes the number of
	// them that were looked into for each point; 0 for an exact search.
	Cells, Probes int
}

// references are rows of single points against all points.
type references struct {
	space
	// masked calls skip for the points that are no candidates of row q.
	masked func(q int, skip func(j int))
}

// openReferences opens the rows of the points with the given indices. A row is
// the same as in a pass over all points: the point itself and its exclusion
// window are no candidates.
func openReferences(ctx context.Context, pts points.Points, index []int, o *Options) (*references, error) {
	b := base{n: pts.N, self: true, window: o.ExcludeWindow, episode: o.Episode}
	return openRows(ctx, pts, index, o, func(q int, skip func(j int)) { b.exclusions(index[q], skip) })
}

// openRows opens the rows of the points with the given indices, whose candidates are
// all points but those masked.
func openRows(ctx context.Context, pts points.Points, index []int, o *Options, masked func(q int, skip func(j int))) (*references, error) {
	s, err := openSpace(ctx, pts.Select(index), pts, false, false, o, nil, 0)
	if err != nil {
		return nil, err
	}
	return &references{space: s, masked: masked}, nil
}

// referenceRows is the number of rows of so many bytes that are computed at once,
// of total: more would take memory and not be faster.
func referenceRows(budget, bytes int64, total int) (int, error) {
	rows, err := rowsWithin(budget, bytes, total)
	return min(rows, int(max(queryRows, queryBytes/bytes))), err
}

// load computes rows lo … hi−1 and takes out what is no candidate.
func (r *references) load(ctx context.Context, lo, hi int) error {
	if err := r.space.load(ctx, lo, hi); err != nil {
		return err
	}
	switch s := r.space.(type) {
	case *exact[int32]:
		mask(r, s.row, lo, hi)
	case *exact[int64]:
		mask(r, s.row, lo, hi)
	case *exact[float64]:
		mask(r, s.row, lo, hi)
	case *bounded[float32]:
		mask(r, s.row, lo, hi)
	case *bounded[float64]:
		mask(r, s.row, lo, hi)
	default:
		return fmt.Errorf("rows of single points are not available for %s", r.counts().Method)
	}
	return nil
}

func mask[K key](r *references, row func(i int) []K, lo, hi int) {
	limit := excluded[K]()
	for q := lo; q < hi; q++ {
		values := row(q)
		r.masked(q, func(j int) { values[j] = limit })
	}
}

// exactNearest is the exact search for the points with the given indices only;
// row q of the result belongs to point index[q].
func exactNearest(ctx context.Context, pts points.Points, index []int, k int, o *Options) (*Nearest, error) {
	result := &Nearest{N: len(index), K: k, Index: make([]int32, len(index)*k), Distance: make([]float64, len(index)*k)}
	s, err := openReferences(ctx, pts, index, o)
	if err != nil {
		return nil, err
	}
	rows, err := referenceRows(o.budget(), s.rowBytes(), len(index))
	if err != nil {
		return nil, err
	}
	threads := o.threads()
	workers := make([]worker, threads)
	for w := range workers {
		workers[w] = s.worker()
	}
	for lo := 0; lo < len(index); lo += rows {
		hi := min(len(index), lo+rows)
		if err := s.load(ctx, lo, hi); err != nil {
			return nil, err
		}
		err := parallel(ctx, threads, hi-lo, func(w, r int) {
			at := (lo + r) * k
			list := result.Index[at : at+k : at+k]
			copy(list, workers[w].nearest(lo+r, k, list[:0]))
			workers[w].distances(lo+r, list, result.Distance[at:at+k])
		})
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// measureRecall compares the lists of seeded queries with exact ones.
func measureRecall(ctx context.Context, pts points.Points, found *Nearest, o *Options, a *Approximation) (Recall, error) {
	queries := a.Queries
	if queries == 0 {
		queries = DefaultQueries
	}
	none := Recall{Value: math.NaN(), StandardError: math.NaN(), K: found.K}
	if queries < 0 {
		return none, nil
	}
	index, err := stat.NewRandom(stat.StreamQueries.Key(a.Seed)).SampleWithoutReplacement(pts.N, queries)
	if err != nil {
		return none, err
	}
	truth, err := exactNearest(ctx, pts, index, found.K, o)
	if err != nil {
		return none, err
	}
	k := found.K
	shares, total := make([]float64, len(index)), 0
	for q, i := range index {
		farthest := truth.Distance[(q+1)*k-1]
		hits := 0
		for _, d := range found.Distance[i*k : (i+1)*k] {
			if d <= farthest {
				hits++
			}
		}
		shares[q] = float64(hits) / float64(k)
		total += hits
	}
	_, se := stratifiedMean([]Stratum{{Points: pts.N, References: len(index)}}, shares)
	return Recall{
		Value: float64(total) / float64(len(index)*k), StandardError: se,
		Queries: len(index), K: k,
	}, nil
}

// checkCandidates reports the first point that has fewer than k candidates.
func checkCandidates(n, k int, o *Options) error {
	b := base{n: n, self: true, window: o.ExcludeWindow, episode: o.Episode}
	for i := range n {
		m := n
		b.exclusions(i, func(int) { m-- })
		if k < 1 || k > m {
			return fmt.Errorf("k = %d: want 1 ≤ k ≤ %d, the candidates of point %d", k, m, i)
		}
		if o.ExcludeWindow == 0 {
			break
		}
	}
	return nil
}
