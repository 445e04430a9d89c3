// The search for nearest neighbors, row by row, on the processor.

package rows

import (
	"context"

	"repscope/internal/parallel"
	"repscope/points"
)

// Nearest holds the K nearest neighbors of N points, nearest first.
type Nearest struct {
	N, K int
	// Index is [N×K], row-major: the neighbors' indices.
	Index []int32
	// Distance is [N×K]: the distances (not squared), from direct float64
	// differences (exact integers before the root for uint8).
	Distance []float64
	// Counts.Ties counts adjacent neighbors of a list at equal distance.
	Counts SpaceCounts
}

// SpaceCounts are facts about one space that a reader of the scores should know.
type SpaceCounts struct {
	// Duplicates is the number of points equal to a point of lower index.
	Duplicates int
	// Ties counts, over all ranks that the largest k needs in this space, the
	// other candidates at exactly the distance being ranked: each was put in
	// order by its index.
	Ties int64
	// Redecided is the number of comparisons that the error bound of the fast
	// distances left open and that were decided on direct float64 differences.
	// The permutation null has no part in it.
	Redecided int64
	// Method names how distances were computed.
	Method string
}

// NewNearest returns empty lists of k neighbors of n points.
func NewNearest(n, k int) *Nearest {
	return &Nearest{N: n, K: k, Index: make([]int32, n*k), Distance: make([]float64, n*k)}
}

// CountTies adds the adjacent neighbors of a list at equal distance to the counts.
func CountTies(n *Nearest) {
	for i := range n.N {
		row := n.Distance[i*n.K : (i+1)*n.K]
		for q := 1; q < n.K; q++ {
			if row[q] == row[q-1] {
				n.Counts.Ties++
			}
		}
	}
}

// Search finds the k nearest points of every query.
func Search(ctx context.Context, queries, pts points.Points, k int, self bool, o *Options) (*Nearest, error) {
	result := NewNearest(queries.N, k)
	if o.Narrow && self && queries.N == pts.N && pts.U8 == nil && o.Metric != Precomputed {
		if done, err := searchNarrow(ctx, pts, k, o, result); done || err != nil {
			return result, err
		}
	}
	s, err := Open(ctx, queries, pts, self, false, o, nil)
	if err != nil {
		return nil, err
	}
	if done, err := searchTiles(ctx, s, pts, k, o, result); done || err != nil {
		return result, err
	}
	l, err := NewLayout(o, pts.N, 0, queries.N, s, nil)
	if err != nil {
		return nil, err
	}
	return result, fillLists(ctx, s, l.Rows, o.ThreadCount(), o.Progress, result)
}

// searchNarrow is the search through tiles of float32 values of points of either type. It needs no duplicates.
func searchNarrow(ctx context.Context, pts points.Points, k int, o *Options, result *Nearest) (done bool, err error) {
	b := base{Candidates: o.Among(pts.N), metric: o.Metric, threads: o.ThreadCount(), first: identity(pts.N)}
	s, err := openBounded[float32](ctx, b, pts, pts)
	if err != nil {
		return false, err
	}
	return searchTiles(ctx, s, pts, k, o, result)
}

// identity are 0 … n−1.
func identity(n int) []int32 {
	all := make([]int32, n)
	for j := range all {
		all[j] = int32(j)
	}
	return all
}

// fillLists fills the lists of a result and its counts in blocks of step rows.
func fillLists(ctx context.Context, s Space, step, threads int, progress func(done, total int), result *Nearest) error {
	workers := make([]Worker, threads)
	for w := range workers {
		workers[w] = s.Worker()
	}
	k := result.K
	for lo := 0; lo < result.N; lo += step {
		hi := min(result.N, lo+step)
		if err := s.Load(ctx, lo, hi); err != nil {
			return err
		}
		err := parallel.For(ctx, threads, hi-lo, func(w, r int) {
			offset := (lo + r) * k
			index := result.Index[offset : offset+k : offset+k]
			copy(index, workers[w].Nearest(lo+r, k, index[:0]))
			workers[w].Distances(lo+r, index, result.Distance[offset:offset+k])
		})
		if err != nil {
			return err
		}
		if progress != nil {
			progress(hi, result.N)
		}
	}
	result.Counts = s.Counts()
	for _, w := range workers {
		result.Counts.Redecided += w.Redecided()
	}
	return nil
}
