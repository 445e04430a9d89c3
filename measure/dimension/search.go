// How neighbors are searched.

package dimension

import (
	"context"

	"repscope/neighbors"
)

// Search says how nearest neighbors are searched, exactly or not; the zero value is
// exactly, on all processors.
type Search struct {
	Options neighbors.Options
	// Approximate searches the neighbors of very many points approximately, and
	// exactly up to ExactPoints; 0 means as long as that takes seconds.
	Approximate bool
	ExactPoints int
	Seed        uint64 // of the approximate search
	Window      Window // excluded neighbors, near in time
}

// all returns the k nearest neighbors of every point that the options allow; with
// measure, and in the approximate mode, also the recall, else nil.
func (s Search) all(ctx context.Context, pts neighbors.Space, k int,
	measure bool) (*neighbors.Nearest, *neighbors.SearchRecall, error) {
	if !s.Approximate {
		nearest, err := pts.KNearest(ctx, k, s.Options)
		return nearest, nil, err
	}
	a := neighbors.Approximation{Seed: s.Seed, ExactPoints: s.ExactPoints}
	if !measure {
		a.Queries = -1
	}
	search, err := pts.KNearestApproximate(ctx, k, s.Options, a)
	if err != nil {
		return nil, nil, err
	}
	if !measure {
		return &search.Nearest, nil, nil
	}
	recall := search.Recall
	return &search.Nearest, &recall, nil
}
