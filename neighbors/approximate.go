// The border of the approximate mode, for sets too large for the exact pass: its options,
// the search for nearest neighbors, and the recall of its lists.

package neighbors

import (
	"context"
	"fmt"
	"math"

	"repscope/neighbors/internal/cells"
	"repscope/neighbors/internal/rows"
	"repscope/points"
	"repscope/stat"
)

// Approximation holds the options of the approximate mode, in addition to [Options]. The zero value is usable.
type Approximation struct {
	// Seed keys every random choice: reference points, queries, centers.
	Seed uint64

	// References is the number of reference points of [Pass.CompareSampled], at least
	// 2; 0 means DefaultReferences. With as many as there are points the result
	// is exact.
	References int

	// Queries is the number of points on which [KNearestApproximate] measures
	// its recall; 0 means 500, −1 none.
	Queries int

	// ExactPoints is the number of points up to which [KNearestApproximate] searches
	// exactly; 0 means as long as that takes seconds.
	ExactPoints int
}

const (
	// DefaultReferences is the default number of reference points.
	DefaultReferences = 2000
	// defaultQueries is the default number of queries that measure recall.
	defaultQueries = 500
	// SufficientRecall is the recall below which a reader should be warned.
	SufficientRecall = 0.95
)

// SearchRecall is the share of true neighbors found by an approximate search.
type SearchRecall struct {
	// Value is the mean over the queries of the share of their K listed neighbors that are as near as the true K nearest.
	// A listed neighbor counts if it is at most as far as the true K-th, so the order of ties does not matter. NaN without
	// queries.
	Value float64
	// StandardError is the standard error of Value over draws of the queries, with the finite-population correction. It is
	// 0 if all points were queries or the search was exact, and NaN without queries.
	StandardError float64
	// Queries and K are the numbers of queries and of neighbors of each.
	Queries, K int
	// Exact says that the lists come from an exact search, so that the recall
	// is 1 by construction.
	Exact bool
}

// ApproximateNearest has the neighbor lists of an approximate search. Distances are exact, in direct
// float64, and each list is in the package's order, but true neighbors may be missing. Counts.Ties and
// Counts.Duplicates are as in [Nearest]; Counts.Redecided is 0.
type ApproximateNearest struct {
	Nearest
	Recall SearchRecall
	// Cells is the number of cells that the points were put into and Probes the number of
	// them that were looked into for each point; 0 for an exact search.
	Cells, Probes int
}

// KNearestApproximate is [KNearest] for sets too large for O(n²): it finds most of the k nearest neighbors of every
// point and measures how many (Recall). It runs an exact search instead if that takes seconds or hardly longer, which
// depends only on k and on the number, type and dimension of the points.
//
// The method is an inverted file with exact distances (Jégou, Douze and Schmid 2011, "Product quantization for nearest
// neighbor search", section IV, without the quantization). About 2√n centers come from k-means on a sample, and each
// point belongs to the cell of its nearest center. Each point searches the members of the nearest cells. Their number
// is chosen so that 98 % of the true neighbors of 256 points lie in them. Distances are float32 products (float64 for
// float64 points). The lists are slightly longer than k and sorted by direct float64 distances, ties by index. Equal
// points are searched once and all get each other as neighbors.
//
// The working memory is 1.2 times the points in float32 (float64) plus about 300 MB. With a lower Memory, cells are
// packed repeatedly. The result takes 12·n·k bytes.
//
// The result depends on points, k, Metric, ExcludeWindow, Episode, Time and Seed, not on Threads or Memory. Of o it
// uses these and Progress. Errors are the errors of KNearest, and a memory budget too small for the cells.
func KNearestApproximate(ctx context.Context, pts points.Points, k int, o Options,
	a Approximation) (*ApproximateNearest, error) {
	if o.Metric == Precomputed {
		return nil, errNoCoordinates
	}
	s, err := NewSpace("points", pts, o.Metric)
	if err != nil {
		return nil, err
	}
	return s.KNearestApproximate(ctx, k, o, a)
}

// KNearestApproximate is the function of the same name without its look through the
// points. Metric of o is not used.
func (s Space) KNearestApproximate(
	ctx context.Context, k int, o Options, a Approximation,
) (*ApproximateNearest, error) {
	if s.metric == Precomputed {
		return nil, errNoCoordinates
	}
	pts := s.points
	o.Metric, o.Blocks = s.metric, nil
	if err := o.check(pts.N); err != nil {
		return nil, err
	}
	within := o.rows(ctx, o.Metric)
	among := within.Among(pts.N)
	if err := among.Check(k); err != nil {
		return nil, err
	}
	if a.Queries < -1 {
		return nil, fmt.Errorf("queries: %d, want −1 (none), 0 (%d) or more", a.Queries, defaultQueries)
	}
	lists, err := cells.Search(ctx, pts, k, within, cells.Options{
		Seed: a.Seed, ExactPoints: a.ExactPoints,
		Exact: func(ctx context.Context, pts points.Points, k int, options *rows.Options) (*Nearest, error) {
			exact := o
			exact.Progress, exact.Episode, exact.Time = options.Progress, options.Episode, options.Time
			return search(ctx, pts, pts, k, true, &exact)
		},
	})
	if err != nil {
		return nil, err
	}
	if lists == nil {
		nearest, err := search(ctx, pts, pts, k, true, &o)
		if err != nil {
			return nil, err
		}
		return &ApproximateNearest{Nearest: *nearest, Recall: SearchRecall{Value: 1, Queries: pts.N, K: k, Exact: true}}, nil
	}
	result := &ApproximateNearest{Nearest: lists.Nearest, Cells: lists.Cells, Probes: lists.Probes}
	if result.Recall, err = measureRecall(ctx, pts, &result.Nearest, within, &a); err != nil {
		return nil, err
	}
	rows.CountTies(&result.Nearest)
	if o.Progress != nil {
		o.Progress(pts.N, pts.N)
	}
	return result, nil
}

// measureRecall compares the lists of seeded queries with exact ones.
func measureRecall(ctx context.Context, pts points.Points, lists *Nearest, o *rows.Options,
	a *Approximation) (SearchRecall, error) {
	queries := a.Queries
	if queries == 0 {
		queries = defaultQueries
	}
	none := SearchRecall{Value: math.NaN(), StandardError: math.NaN(), K: lists.K}
	if queries < 0 {
		return none, nil
	}
	index, err := stat.NewRandom(stat.StreamQueries.Key(a.Seed)).SampleWithoutReplacement(pts.N, queries)
	if err != nil {
		return none, err
	}
	truth, err := rows.SearchReferences(ctx, pts, index, lists.K, o)
	if err != nil {
		return none, err
	}
	k := lists.K
	shares, total := make([]float64, len(index)), 0
	for q, i := range index {
		farthest := truth.Distance[(q+1)*k-1]
		hits := 0
		for _, d := range lists.Distance[i*k : (i+1)*k] {
			if d <= farthest {
				hits++
			}
		}
		shares[q] = float64(hits) / float64(k)
		total += hits
	}
	_, se := stratifiedMean([]Stratum{{Points: pts.N, References: len(index)}}, shares)
	return SearchRecall{
		Value: float64(total) / float64(len(index)*k), StandardError: se,
		Queries: len(index), K: k,
	}, nil
}
