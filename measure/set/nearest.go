// Sets against a reference: the nearest one, whether it is the same, and which sets are valid,
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
		out.Hamming[i], out.HammingIndex[i], out.Jaccard[i], out.JaccardIndex[i] = nearest(s.sizes[i], reference.sizes,
			buffers[worker])
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// nearest is the least distance and the largest similarity of a set of a size to others of
// sizes at the distances given, and to whom.
func nearest(size int, sizes []int, distances []uint32) (hamming, hammingIndex int, jaccard float64, jaccardIndex int) {
	hamming = math.MaxInt
	best := overlap{Intersection: -1, Union: 1}
	for j, v := range distances {
		d, both := int(v), size+sizes[j]
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

// BlockNearest has the nearest sets by block of a reference, for every set; see [Sets.NearestOfBlocks].
type BlockNearest struct {
	block         []int // of the nearest set by Jaccard similarity
	first, second []float64
	copies        []int // the block that holds all copies of the set, or noCopies or manyCopies
}

const noCopies, manyCopies = -1, -2

// NearestOfBlocks finds for every set the nearest of each block of the reference, whose sets have the blocks 0 … of a
// partition. threads ≤ 0 means all; results do not depend on it. Errors as for [Sets.Nearest], and another number of
// blocks than sets.
func (s *Sets) NearestOfBlocks(ctx context.Context, reference *Sets, block []int, threads int) (*BlockNearest, error) {
	if err := sameCells(s, reference); err != nil {
		return nil, err
	}
	if len(block) != reference.N {
		return nil, stat.Undefined("nearest set", "%d blocks for %d sets of the reference", len(block), reference.N)
	}
	n := &BlockNearest{block: make([]int, s.N), copies: make([]int, s.N), first: make([]float64, s.N),
		second: make([]float64, s.N)}
	count := 0
	for _, b := range block {
		count = max(count, b+1)
	}
	type buffer struct {
		distances []uint32
		best      []float64
	}
	buffers := make([]buffer, parallel.Workers(threads, s.N))
	return n, parallel.For(ctx, threads, s.N, func(worker, i int) {
		b := &buffers[worker]
		if b.best == nil {
			*b = buffer{make([]uint32, reference.N), make([]float64, count)}
		}
		reference.distances(b.distances, s.row(i), 0)
		n.of(i, s.sizes[i], reference.sizes, block, b.distances, b.best)
	})
}

// of enters set i of a size, at some distances from sets of some sizes in blocks.
func (n *BlockNearest) of(i, size int, sizes, block []int, distances []uint32, best []float64) {
	for b := range best {
		best[b] = math.NaN()
	}
	n.copies[i] = noCopies
	for j, d := range distances {
		both := size + sizes[j]
		v := overlap{Intersection: (both - int(d)) / 2, Union: (both + int(d)) / 2}.IoU(1)
		if b := block[j]; !(best[b] >= v) {
			best[b] = v
		}
		switch {
		case d > 0 || n.copies[i] == block[j]:
		case n.copies[i] == noCopies:
			n.copies[i] = block[j]
		default:
			n.copies[i] = manyCopies
		}
	}
	n.block[i], n.first[i], n.second[i] = -1, math.NaN(), math.NaN()
	for b, v := range best {
		switch {
		case !(n.first[i] >= v) && !math.IsNaN(v):
			n.block[i], n.first[i], n.second[i] = b, v, n.first[i]
		case !(n.second[i] >= v) && !math.IsNaN(v):
			n.second[i] = v
		}
	}
}

// Jaccard returns the largest Jaccard similarity of set i to the sets outside a block; -1: to all. NaN for none.
func (n *BlockNearest) Jaccard(i, block int) float64 {
	if n.block[i] == block {
		return n.second[i]
	}
	return n.first[i]
}

// Novel reports whether no set outside a block equals set i; -1: none at all.
func (n *BlockNearest) Novel(i, block int) bool {
	return n.copies[i] == noCopies || n.copies[i] == block && block >= 0
}
