// Symmetry: blocks of rows in which every pair's distance is computed once, and the tiles of earlier blocks kept for
// later ones.
//
// Blocks come in ascending order. When block b is computed, the distances from its points to the points of a later
// block c are the distances that c needs in its columns of b. They are kept, transposed, until then. The kept distances
// grow to a quarter of the n × n matrix half way through and shrink to nothing. If they exceed the budget, some tiles
// are computed a second time. The distances of x and y and of y and x have the same bits, so this changes no result.

package rows

import (
	"cmp"
	"context"
	"sync/atomic"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
)

// rectangle computes columns col … col+cols−1 of the block's rows. With upper, only the elements
// (i, col+j) with j ≥ i are wanted; others may become anything.
type rectangle func(rows, col, cols int, upper bool) error

// symmetricTiles fills blocks of rows of a space.
type symmetricTiles[T scan.Key] struct {
	n, dim, threads int
	// Blocks of step rows are loaded up to row end. 0 means that the space is not symmetric or that keeping does not pay.
	step, end int
	slots     int // tiles that may be kept
	first     int // first row of the first block, −1 before it
	kept      map[[2]int][]T
	free      [][]T
	computed  *atomic.Int64 // see Options
}

// plan announces blocks of step rows up to row end, and the memory for tiles kept meanwhile; with a step of 0, blocks
// of any rows.
func (h *symmetricTiles[T]) plan(step, end int, budget, size int64) {
	if step == 0 {
		*h = symmetricTiles[T]{n: h.n, dim: h.dim, threads: h.threads, computed: h.computed}
		return
	}
	*h = symmetricTiles[T]{
		n: h.n, dim: h.dim, threads: h.threads, computed: h.computed,
		step: step, end: end, first: -1,
		slots: int(max(0, budget) / (int64(step) * int64(step) * size)),
		kept:  make(map[[2]int][]T),
	}
}

// symmetricBytes is the most that is kept of rows lo … hi−1 in blocks of step.
func symmetricBytes(lo, hi, step int, size int64) int64 {
	blocks := int64((hi - lo + step - 1) / step)
	return (blocks / 2) * ((blocks + 1) / 2) * int64(step) * int64(step) * size
}

// load fills the rows of points lo … hi−1.
func (h *symmetricTiles[T]) load(ctx context.Context, lo, hi int, rows []T, compute rectangle) error {
	if h.step == 0 {
		return h.compute(ctx, hi-lo, 0, h.n, false, compute)
	}
	if h.first < 0 {
		h.first = lo
	}
	if err := h.compute(ctx, hi-lo, 0, h.first, false, compute); err != nil {
		return err
	}
	for from := h.first; from < lo; from += h.step {
		tile, ok := h.kept[[2]int{from, lo}]
		if !ok {
			if err := h.compute(ctx, hi-lo, from, from+h.step, false, compute); err != nil {
				return err
			}
			continue
		}
		err := parallel.For(ctx, h.threads, hi-lo, func(_, r int) {
			copy(rows[r*h.n+from:], tile[r*h.step:(r+1)*h.step])
		})
		if err != nil {
			return err
		}
		delete(h.kept, [2]int{from, lo})
		h.free = append(h.free, tile)
	}
	if err := h.compute(ctx, hi-lo, lo, h.n, true, compute); err != nil {
		return err
	}
	// The square of the block with itself has been computed down to its diagonal.
	err := parallel.For(ctx, h.threads, (hi-lo+diagonal-1)/diagonal, func(_, s int) {
		corner := s * diagonal
		square, width := rows[corner*h.n+lo+corner:], min(diagonal, hi-lo-corner)
		for r := range width {
			for c := range r {
				square[r*h.n+c] = square[c*h.n+r]
			}
		}
		if below := corner + width; below < hi-lo {
			kernel.Transpose(rows[below*h.n+lo+corner:], h.n, rows[corner*h.n+lo+below:], h.n, width, hi-lo-below)
		}
	})
	if err != nil {
		return err
	}
	return h.keep(ctx, lo, hi, rows)
}

// keep stores the tiles that later blocks need, the next block first.
func (h *symmetricTiles[T]) keep(ctx context.Context, lo, hi int, rows []T) error {
	for to := hi; to < h.end && len(h.kept) < h.slots; to += h.step {
		var tile []T
		if last := len(h.free) - 1; last >= 0 {
			tile, h.free = h.free[last], h.free[:last]
		} else {
			tile = make([]T, h.step*h.step)
		}
		cols := min(h.step, h.end-to)
		const strip = 64
		err := parallel.For(ctx, h.threads, (cols+strip-1)/strip, func(_, s int) {
			at := s * strip
			kernel.Transpose(tile[at*h.step:], h.step, rows[to+at:], h.n, hi-lo, min(strip, cols-at))
		})
		if err != nil {
			return err
		}
		h.kept[[2]int{lo, to}] = tile
	}
	return nil
}

// diagonal is the width of the strips in which the lower half of a square is filled.
const diagonal = 64

// compute fills the columns from … to−1 of the block's first rows.
func (h *symmetricTiles[T]) compute(ctx context.Context, rows, from, to int, upper bool, compute rectangle) error {
	if from >= to {
		return nil
	}
	if h.computed != nil && h.step > 0 {
		pairs := int64(rows) * int64(to-from)
		if upper {
			pairs -= int64(rows) * int64(rows-1) / 2
		}
		h.computed.Add(pairs)
	}
	if err := compute(rows, from, to-from, upper); err != nil {
		return cmp.Or(ctx.Err(), err) // a stopped product was stopped by ctx
	}
	return nil
}
