package neighbors

// This file holds what symmetry saves: blocks of rows in which every pair's
// distance is computed once, and the tiles of earlier blocks kept for later ones.
//
// Blocks come in ascending order. When block b is computed, the distances from
// its points to those of a later block c are those that c will want in its
// columns of b; they are kept, transposed, until then. What is kept grows to a
// quarter of the n × n matrix half way through and shrinks to nothing. Where that does
// not fit the budget some tiles are computed a second time. The distance of x
// and y has the bits of that of y and x, so that this changes no result.

import (
	"context"
	"slices"
	"sync/atomic"

	"repscope/internal/kernel"
)

// rectangle computes rows row … row+rows−1 of the block, columns col … col+cols−1.
// row is a multiple of kernel.Align.
type rectangle func(row, rows, col, cols int) error

// half fills blocks of rows of a space.
type half[T any] struct {
	n, dim, threads int
	// Blocks of step rows will be asked for up to row end. 0 means that the space
	// is not symmetric or that it does not pay.
	step, end int
	slots     int // tiles that may be kept
	first     int // first row of the first block, −1 before it
	kept      map[[2]int][]T
	free      [][]T
	computed  *atomic.Int64 // see Options
}

// plan announces blocks of step rows up to row end, and what may be kept meanwhile.
func (h *half[T]) plan(step, end int, budget, size int64) {
	*h = half[T]{
		n: h.n, dim: h.dim, threads: h.threads, computed: h.computed,
		step: step, end: end, first: -1,
		slots: int(max(0, budget) / (int64(step) * int64(step) * size)),
		kept:  make(map[[2]int][]T),
	}
}

// halfBytes is the most that is kept of rows lo … hi−1 in blocks of step.
func halfBytes(lo, hi, step int, size int64) int64 {
	blocks := int64((hi - lo + step - 1) / step)
	return (blocks / 2) * ((blocks + 1) / 2) * int64(step) * int64(step) * size
}

// diagonal is the width of the column strips in which the square of a block
// with itself is computed down to its diagonal.
const diagonal = 2 * kernel.Align

// load fills the rows of points lo … hi−1.
func (h *half[T]) load(ctx context.Context, lo, hi int, rows []T, compute rectangle) error {
	if h.step == 0 {
		return h.tiles(ctx, hi-lo, 0, h.n, compute)
	}
	if h.first < 0 {
		h.first = lo
	}
	if err := h.tiles(ctx, hi-lo, 0, h.first, compute); err != nil {
		return err
	}
	for from := h.first; from < lo; from += h.step {
		tile, ok := h.kept[[2]int{from, lo}]
		if !ok {
			if err := h.tiles(ctx, hi-lo, from, from+h.step, compute); err != nil {
				return err
			}
			continue
		}
		for r := range hi - lo {
			copy(rows[r*h.n+from:], tile[r*h.step:(r+1)*h.step])
		}
		delete(h.kept, [2]int{from, lo})
		h.free = append(h.free, tile)
	}
	for col := lo; col < hi; col += diagonal {
		width := min(diagonal, hi-col)
		if err := h.tiles(ctx, col-lo+width, col, col+width, compute); err != nil {
			return err
		}
	}
	// The strips left the part below them open.
	err := parallel(ctx, h.threads, (hi-lo+diagonal-1)/diagonal, func(_, s int) {
		at := s * diagonal
		width := min(diagonal, hi-lo-at)
		below := at + width
		if below == hi-lo {
			return
		}
		transpose(rows[below*h.n+lo+at:], h.n, rows[at*h.n+lo+below:], h.n, width, hi-lo-below)
	})
	if err != nil {
		return err
	}
	if err := h.tiles(ctx, hi-lo, hi, h.n, compute); err != nil {
		return err
	}
	return h.keep(ctx, lo, hi, rows)
}

// keep stores what later blocks will want, the next block first.
func (h *half[T]) keep(ctx context.Context, lo, hi int, rows []T) error {
	for to := hi; to < h.end && len(h.kept) < h.slots; to += h.step {
		var tile []T
		if last := len(h.free) - 1; last >= 0 {
			tile, h.free = h.free[last], h.free[:last]
		} else {
			tile = make([]T, h.step*h.step)
		}
		cols := min(h.step, h.end-to)
		const strip = 64
		err := parallel(ctx, h.threads, (cols+strip-1)/strip, func(_, s int) {
			at := s * strip
			transpose(tile[at*h.step:], h.step, rows[to+at:], h.n, hi-lo, min(strip, cols-at))
		})
		if err != nil {
			return err
		}
		h.kept[[2]int{lo, to}] = tile
	}
	return nil
}

// tiles computes the columns from … to−1 of the block's first rows, in parts
// that each take a fraction of a second.
func (h *half[T]) tiles(ctx context.Context, rows, from, to int, compute rectangle) error {
	limit := 3e10
	if kernel.Name() == "generic" {
		limit = 5e8
	}
	// Tall parts pack the columns once for many rows.
	size := int(limit / 2 / float64(h.dim))
	height := min(rows, max(kernel.Align, size/kernel.Align/kernel.Align*kernel.Align))
	width := min(maxColumns, max(kernel.Align, size/max(1, height)/kernel.Align*kernel.Align))
	for col := from; col < to; col += width {
		for row := 0; row < rows; row += height {
			if err := ctx.Err(); err != nil {
				return err
			}
			if h.computed != nil && h.step > 0 {
				h.computed.Add(int64(min(height, rows-row)) * int64(min(width, to-col)))
			}
			if err := compute(row, min(height, rows-row), col, min(width, to-col)); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxColumns bounds the columns of one product.
const maxColumns = 42 * kernel.Align

// transpose sets dst[c·dstStride+r] = src[r·srcStride+c] for r < rows, c < cols.
func transpose[T any](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	const tile = 16
	for r0 := 0; r0 < rows; r0 += tile {
		height := min(tile, rows-r0)
		for c0 := 0; c0 < cols; c0 += tile {
			for c := c0; c < min(c0+tile, cols); c++ {
				to := dst[c*dstStride+r0:][:height]
				at := r0*srcStride + c
				for r := range to {
					to[r] = src[at]
					at += srcStride
				}
			}
		}
	}
}

// grown returns n elements in s's memory.
func grown[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return slices.Grow(s[:0], n)[:n]
}
