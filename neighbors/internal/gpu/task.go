// What a pass asks of GPUs.

package gpu

import (
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Space is a point set and its metric, not Precomputed.
type Space struct {
	Points points.Points
	Metric rows.Metric
}

// Task is what is asked about every row: the First nearest neighbors in every space, or
// as many as the counter wants, and their ranks in the original or the embedded space.
type Task struct {
	Original     Space
	Embedded     []Space
	Permutations [][]int32 // the embedding that each point is given
	First, K     int       // neighbors looked for at first; of permuted spaces
	Averages     bool      // ties: lists are whole runs, and are placed instead of ranked
	Options      *rows.Options
}

// Counter takes what is found about single rows from several goroutines, which w tells apart.
type Counter interface {
	// Enough is how much of the list of point i is needed, and whether it is long enough.
	Enough(w, i int, list []int32) (length int, ok bool)
	// Count takes point i of embedded space e: its neighbors there and in the original,
	// and where the ranks of the ones in the other space are told.
	Count(w, e, i int, list, neighbors rows.Listed, original, embedded Ranker)
	// CountPermuted is Count for permutation q of space e.
	CountPermuted(w, e, q, i int, list, neighbors rows.Listed, original, permuted Ranker)
}

// Ranker tells ranks or places.
type Ranker interface {
	rows.Ranker
	rows.Placer
}
