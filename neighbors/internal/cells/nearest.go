// Approximate nearest neighbors of all points: from duplicates to distinct points, through
// the cells, back to exact distances.

package cells

import (
	"context"
	"errors"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/points"
	"repscope/stat"
)

// Options are the choices of a search in cells.
type Options struct {
	// Seed keys every random choice.
	Seed uint64
	// ExactPoints is the number of points up to which an exact search is faster; 0 derives it from the estimated seconds.
	ExactPoints int
	// Exact is the exact search, on whatever there is.
	Exact func(ctx context.Context, pts points.Points, k int, o *rows.Options) (*rows.Nearest, error)
}

// Result is the result of a search in cells.
type Result struct {
	rows.Nearest
	// Cells is the number of cells and Probes the number of them that were looked into
	// for each point.
	Cells, Probes int
}

// Search finds most of the k nearest neighbors of every point. It returns nil where
// an exact search takes seconds or would hardly take longer.
func Search(ctx context.Context, pts points.Points, k int, o *rows.Options, a Options) (*Result, error) {
	width := searchWidth(k)
	limit := a.ExactPoints
	if limit <= 0 {
		limit = exactPoints(pts, width)
	}
	if pts.N <= max(limit, 2*width) {
		return nil, nil
	}
	return searchDistinct(ctx, pts, k, width, limit, o, &a)
}

// exactSeconds is the time of an exact search on one core up to which none is approximated.
const exactSeconds = 4

// exactPoints is the number of points like these among which lists of this width are found exactly in exactSeconds. An
// exact search takes time for every pair of points: to scan, which grows with the width, and to multiply. The constants
// are measured nanoseconds of one core; they affect only the time taken.
func exactPoints(pts points.Points, width int) int {
	const scan, scanWidth = 0.2, 0.02
	multiply := 0.01
	switch {
	case pts.U8 != nil:
		multiply /= 4
	case pts.F64 != nil:
		multiply *= 2
	}
	pair := scan + scanWidth*float64(width) + multiply*float64(pts.Dim)
	return int(math.Sqrt(exactSeconds * 1e9 / pair))
}

// searchWidth is the length of the lists of a search for k neighbors: a few entries more
// than k make up for the rounding of the distances they are chosen by.
func searchWidth(k int) int { return k + k/8 + 4 }

// searchDistinct finds the lists by searching among the distinct points. It returns nil
// where an exact search would be faster.
func searchDistinct(ctx context.Context, pts points.Points, k, width, limit int, o *rows.Options,
	a *Options) (*Result, error) {
	equal, err := rows.FindDuplicates(ctx, pts, o.Metric, o.ThreadCount())
	if err != nil {
		return nil, err
	}
	first, duplicates := equal.First, equal.Count
	// With an exclusion window equal points have different candidates: all
	// points are vertices then.
	var vertices []int
	if duplicates > 0 && o.ExcludeWindow == 0 {
		for i, f := range first {
			if int(f) == i {
				vertices = append(vertices, i)
			}
		}
	}
	result := &Result{Nearest: rows.Nearest{N: pts.N, K: k, Index: make([]int32, pts.N*k), Distance: make([]float64, pts.N*k)}}
	result.Counts.Duplicates = duplicates
	r := newRefinement(pts, vertices, first, duplicates > 0, &result.Nearest, o)
	switch {
	case vertices != nil && len(vertices) <= max(limit, 2*width):
		err = searchFew(ctx, pts, vertices, width, r, o, a)
	case pts.F64 != nil:
		err = searchCells[float64](ctx, pts, vertices, width, r, result, o, a)
	default:
		err = searchCells[float32](ctx, pts, vertices, width, r, result, o, a)
	}
	if err == errTooManyCells {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return result, r.complete(ctx)
}

// searchFew searches exactly among few distinct points.
func searchFew(ctx context.Context, pts points.Points, vertices []int, width int, r *refinement, o *rows.Options,
	a *Options) error {
	r.found.Counts.Method = "float64 direct"
	nearest := &rows.Nearest{N: 1}
	if len(vertices) > 1 {
		quiet := *o
		quiet.Progress, quiet.Episode, quiet.Time = nil, nil, nil
		var err error
		if nearest, err = a.Exact(ctx, pts.Select(vertices), min(width, len(vertices)-1), &quiet); err != nil {
			return err
		}
		r.found.Counts.Method = nearest.Counts.Method
	}
	memory := make([]refineMemory, o.ThreadCount())
	err := parallel.For(ctx, o.ThreadCount(), len(vertices), func(w, v int) {
		r.vertex(&memory[w], v, nearest.Index[v*nearest.K:(v+1)*nearest.K])
	})
	r.collect(memory)
	return err
}

// largestShare is the share of the cells from which on looking into them takes about as long
// as an exact search, which computes every pair once.
const largestShare = 0.4

var errTooManyCells = errors.New("an exact search is faster")

// searchCells searches in the cells nearest to each vertex, in as many as the true
// neighbors of a few points ask for.
func searchCells[F kernel.Float](
	ctx context.Context, pts points.Points, vertices []int, width int, r *refinement,
	result *Result, o *rows.Options, a *Options,
) error {
	result.Counts.Method = "float64 direct, found in cells " + kernel.Name()
	c, err := openIndex[F](ctx, pts, vertices, o, a)
	if err != nil {
		return err
	}
	// The pilot's queries are vertices; so are its neighbors, first of their kind.
	queries, err := stat.NewRandom(stat.StreamPilot.Key(a.Seed)).SampleWithoutReplacement(c.n, pilotQueries)
	if err != nil {
		return err
	}
	index := queries
	if vertices != nil {
		index = nil
		for _, v := range queries {
			index = append(index, vertices[v])
		}
	}
	truth, err := rows.SearchReferences(ctx, pts, index, result.K, o)
	if err != nil {
		return err
	}
	result.Cells = c.count
	result.Probes, err = c.probes(ctx, queries, func(q int) []int {
		var out []int
		for _, j := range truth.Index[q*truth.K : (q+1)*truth.K] {
			v := int(j)
			if vertices != nil {
				v, _ = slices.BinarySearch(vertices, int(r.first[j]))
			}
			out = append(out, v)
		}
		return out
	})
	if err != nil {
		return err
	}
	if a.ExactPoints <= 0 && float64(result.Probes) > largestShare*float64(c.count) {
		return errTooManyCells
	}
	memory := make([]refineMemory, o.ThreadCount())
	err = c.search(ctx, result.Probes, width, o.Progress, func(w, v int, list []int32) {
		if vertices != nil {
			for q, u := range list {
				list[q] = int32(vertices[u])
			}
		}
		r.vertex(&memory[w], v, list)
	})
	r.collect(memory)
	return err
}
