// Sets against a reference: the nearest one, whether it is the same, and what is valid,
// unique and new at once.

package set

import (
	"context"
	"math"

	"repscope/internal/parallel"
	"repscope/stat"
)

// Nearest has, for every set, its nearest set in a reference; the first one for ties.
type Nearest struct {
	// Hamming is the smallest distance in cells, HammingIndex to whom.
	Hamming, HammingIndex []int
	// Jaccard is the largest Jaccard similarity, 1 for two empty sets, JaccardIndex to
	// whom.
	Jaccard      []float64
	JaccardIndex []int
}

// Nearest finds for every set the nearest of the reference. threads ≤ 0 means all;
// results do not depend on it. An empty reference is a [stat.UndefinedError]; sets over
// another number of cells are an error.
func (s *Sets) Nearest(ctx context.Context, reference *Sets, threads int) (*Nearest, error) {
	if err := sameCells(s, reference); err != nil {
		return nil, err
	}
	if reference.N == 0 {
		return nil, stat.Undefined("nearest set", "the reference is empty")
	}
	out := &Nearest{
		Hamming: make([]int, s.N), HammingIndex: make([]int, s.N),
		Jaccard: make([]float64, s.N), JaccardIndex: make([]int, s.N),
	}
	buffers := make([][]uint32, parallel.Workers(threads, s.N))
	err := parallel.For(ctx, threads, s.N, func(worker, i int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]uint32, reference.N)
		}
		reference.distances(buffers[worker], s.row(i), 0)
		out.Hamming[i], out.HammingIndex[i], out.Jaccard[i], out.JaccardIndex[i] = nearest(s.sizes[i], reference.sizes, buffers[worker])
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// nearest is the least distance and the largest similarity of a set of a size to others of
// sizes at the distances given, and to whom.
func nearest(own int, sizes []int, distances []uint32) (hamming, hammingIndex int, jaccard float64, jaccardIndex int) {
	hamming = math.MaxInt
	best := overlap{Intersection: -1, Union: 1}
	for j, v := range distances {
		d, both := int(v), own+sizes[j]
		if d < hamming {
			hamming, hammingIndex = d, j
		}
		o := overlap{Intersection: (both - d) / 2, Union: (both + d) / 2}
		if o.Union == 0 {
			o = overlap{1, 1}
		}
		if o.Intersection*best.Union > best.Intersection*o.Union {
			best, jaccardIndex = o, j
		}
	}
	return hamming, hammingIndex, best.IoU(1), jaccardIndex
}

// Novel reports of every set whether the reference does not hold it.
func (n *Nearest) Novel() []bool {
	out := make([]bool, len(n.Hamming))
	for i, d := range n.Hamming {
		out[i] = d > 0
	}
	return out
}
