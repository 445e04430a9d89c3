package neighbors

// This file holds k-nearest-neighbour search within a set and across two sets.

import (
	"context"
	"errors"
	"fmt"

	"repscope/points"
)

// Nearest holds the K nearest neighbours of N points, nearest first.
type Nearest struct {
	N, K int
	// Index is [N×K], row-major: the neighbours' indices.
	Index []int32
	// Distance is [N×K]: the distances (not squared), from direct float64
	// differences (exact integers before the root for uint8).
	Distance []float64
	// Counts.Ties counts adjacent neighbours of a list at equal distance.
	Counts SpaceCounts
}

// KNearest returns the k nearest neighbours of every point among the other
// points, in the package's order. Of o it uses Threads, Memory, Metric,
// ExcludeWindow, Episode and Progress. It is an error if a point has fewer
// than k candidates.
func KNearest(ctx context.Context, pts points.Points, k int, o Options) (*Nearest, error) {
	if err := checkPoints("points", pts, o.Metric); err != nil {
		return nil, err
	}
	o.Blocks = nil
	if err := o.checkCounts(pts.N); err != nil {
		return nil, err
	}
	b := base{n: pts.N, self: true, window: o.ExcludeWindow, episode: o.Episode}
	for i := range pts.N {
		m := pts.N
		b.exclusions(i, func(int) { m-- })
		if k < 1 || k > m {
			return nil, fmt.Errorf("k = %d: want 1 ≤ k ≤ %d, the candidates of point %d", k, m, i)
		}
		if o.ExcludeWindow == 0 {
			break
		}
	}
	return search(ctx, pts, pts, k, true, &o)
}

// Cross returns for every query its k nearest among points; a point equal to
// the query is not left out. Queries and points must have the same type and
// dimension. Of o it uses Threads, Memory, Metric and Progress.
// Counts.Duplicates is over points.
func Cross(ctx context.Context, queries, pts points.Points, k int, o Options) (*Nearest, error) {
	if o.Metric == Precomputed {
		return nil, errNoCoordinates
	}
	if err := checkPoints("queries", queries, o.Metric); err != nil {
		return nil, err
	}
	if err := checkPoints("points", pts, o.Metric); err != nil {
		return nil, err
	}
	if a, b := typeName(queries), typeName(pts); a != b || queries.Dim != pts.Dim {
		return nil, fmt.Errorf("queries are %s of dimension %d, points %s of dimension %d: want the same", a, queries.Dim, b, pts.Dim)
	}
	o.Blocks, o.Episode, o.ExcludeWindow = nil, nil, 0
	if err := o.checkCounts(pts.N); err != nil {
		return nil, err
	}
	if k < 1 || k > pts.N {
		return nil, fmt.Errorf("k = %d: want 1 ≤ k ≤ n = %d", k, pts.N)
	}
	return search(ctx, queries, pts, k, false, &o)
}

var errNoCoordinates = errors.New("precomputed distances have no coordinates: this search needs points")

func typeName(p points.Points) string {
	switch {
	case p.U8 != nil:
		return "uint8"
	case p.F32 != nil:
		return "float32"
	}
	return "float64"
}

// search fills the lists.
func search(ctx context.Context, queries, pts points.Points, k int, self bool, o *Options) (*Nearest, error) {
	result := &Nearest{N: queries.N, K: k, Index: make([]int32, queries.N*k), Distance: make([]float64, queries.N*k)}
	onGPU, err := searchOnGPU(ctx, queries, pts, k, self, o, result)
	if !onGPU {
		err = searchBlocks(ctx, queries, pts, k, self, o, result)
	}
	if err != nil {
		return nil, err
	}
	for i := range queries.N {
		row := result.Distance[i*k : (i+1)*k]
		for q := 1; q < k; q++ {
			if row[q] == row[q-1] {
				result.Counts.Ties++
			}
		}
	}
	return result, nil
}

// searchBlocks fills the lists block by block on the processor.
func searchBlocks(ctx context.Context, queries, pts points.Points, k int, self bool, o *Options, result *Nearest) error {
	s, err := openSpace(ctx, queries, pts, self, false, o, nil, 0)
	if err != nil {
		return err
	}
	if done, err := searchTiles(ctx, s, pts, k, o, result); done || err != nil {
		return err
	}
	layout, err := o.layout(pts.N, 0, queries.N, s, nil)
	if err != nil {
		return err
	}
	rows := layout.rows
	threads := o.threads()
	workers := make([]worker, threads)
	for w := range workers {
		workers[w] = s.worker()
	}
	for lo := 0; lo < queries.N; lo += rows {
		hi := min(queries.N, lo+rows)
		if err := s.load(ctx, lo, hi); err != nil {
			return err
		}
		err := parallel(ctx, threads, hi-lo, func(w, r int) {
			at := (lo + r) * k
			index := result.Index[at : at+k : at+k]
			copy(index, workers[w].nearest(lo+r, k, index[:0]))
			workers[w].distances(lo+r, index, result.Distance[at:at+k])
		})
		if err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(hi, queries.N)
		}
	}
	result.Counts = s.counts()
	for _, w := range workers {
		result.Counts.Redecided += w.redecided()
	}
	return nil
}
