// The tasks that a pass gives to GPUs.

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

// Task describes the work for every row: the First nearest neighbors in every space, or as many as the counter wants,
// and their ranks in the original or the embedded space.
type Task struct {
	Original     Space
	Embedded     []Space
	Permutations [][]int32 // the embedded point of each original point
	First, K     int       // neighbors looked for at first; of permuted spaces
	Averages     bool      // ties: lists are whole runs, and are placed instead of ranked
	Options      *rows.Options
}

// Counter receives the results of single rows from several goroutines, identified by w.
type Counter interface {
	// Enough is how much of the list of point i is needed, and whether it is long enough.
	Enough(w, i int, list []int32) (length int, ok bool)
	// Count receives point i of embedded space e: its neighbors there and in the original, and the rankers of these
	// neighbors in the other space.
	Count(w, e, i int, list, neighbors rows.Listed, original, embedded Ranker)
	// CountPermuted is Count for permutation q of space e.
	CountPermuted(w, e, q, i int, list, neighbors rows.Listed, original, permuted Ranker)
}

// Ranker returns ranks or positions.
type Ranker interface {
	rows.Ranker
	rows.Placer
}
