// Shorter names for what the tests share.

package neighbors

import (
	"context"
	"testing"

	"repscope/neighbors/internal/naive"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

var (
	random        = naive.Random
	gaussian32    = naive.Gaussian32
	gaussian64    = naive.Gaussian64
	bytes8        = naive.Bytes8
	nearlyEqual32 = naive.NearlyEqual32
	constant32    = naive.Constant32
	coarse        = naive.Coarse
	integers32    = naive.Integers32
)

func naiveKeys(queries, pts points.Points, metric Metric) [][]float64 {
	return naive.Keys(queries, pts, metric == Cosine)
}

func checkNearest(t *testing.T, got *Nearest, keys [][]float64, metric Metric, candidate func(i, j int) bool) {
	t.Helper()
	naive.CheckNearest(t, got.K, got.Index, got.Distance, keys, metric == Euclidean, candidate)
}

// blocksOf is a context that limits the rows of blocks; 0 leaves it to the memory.
func blocksOf(maxRows int) context.Context {
	return rows.WithHooks(context.Background(), rows.Hooks{MaxRows: maxRows})
}
