package neighbors

// This file holds k-nearest-neighbour search within a set and across two sets.

import (
	"context"
	"errors"

	"repscope/dataset"
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
func KNearest(ctx context.Context, points dataset.Points, k int, o Options) (*Nearest, error) {
	return nil, errors.New("not implemented yet")
}

// Cross returns for every query its k nearest among points; a point equal to
// the query is not left out. Queries and points must have the same type and
// dimension. Of o it uses Threads, Memory, Metric and Progress.
// Counts.Duplicates is over points.
func Cross(ctx context.Context, queries, points dataset.Points, k int, o Options) (*Nearest, error) {
	return nil, errors.New("not implemented yet")
}
