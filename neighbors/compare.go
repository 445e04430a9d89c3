package neighbors

// This file holds the pass over row blocks: Compare, and the Map and Merge it is made of.

import (
	"context"
	"errors"

	"repscope/dataset"
)

// Compare measures how well each embedded space keeps the neighbourhoods of
// original. All spaces must have the same number n ≥ 3 of points, point i of
// each belonging together. The distances of the original are computed once.
//
// Errors say what was found and what was expected: unequal n, k outside
// 1..n−2, NaN or Inf with its place, a point that an exclusion window or a
// deleted block leaves with too few candidates. Cancelling ctx returns its error.
func Compare(ctx context.Context, original dataset.Points, embedded []dataset.Points, o Options) ([]Preservation, error) {
	return nil, errors.New("not implemented yet")
}
