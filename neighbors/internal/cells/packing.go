// The members of cells, packed for products.

package cells

import (
	"context"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
)

// noVertex fills the gaps between cells.
const noVertex = -1

// parallelPacker packs the vertices in the order of places, with several goroutines.
type parallelPacker[F kernel.Float] struct{ index *index[F] }

// Pack implements kernel.Packer.
func (s parallelPacker[F]) Pack(dst []F, width, first, count, k, depth int) {
	panels := (count + width - 1) / width
	rows := make([][]F, s.index.threads)
	// The context is not consulted: one depth block takes moments.
	_ = parallel.For(context.Background(), s.index.threads, panels, func(w, q int) {
		at := q * width
		n := min(width, count-at)
		rows[w] = s.index.pack(dst[at*depth:(at+width)*depth], width, first+at, n, k, depth, rows[w])
	})
}

// cellRows packs the members of one cell from index first on, in one goroutine.
type cellRows[F kernel.Float] struct {
	index  *index[F]
	first  int
	memory *[]F
}

// Pack implements kernel.Packer.
func (r cellRows[F]) Pack(dst []F, width, first, count, k, depth int) {
	for at := 0; at < count; at += width {
		n := min(width, count-at)
		*r.memory = r.index.pack(dst[at*depth:(at+width)*depth], width, r.first+first+at, n, k, depth, *r.memory)
	}
}

// pack writes n members from index first on into one panel; row is scratch memory.
func (c *index[F]) pack(dst []F, width, first, n, k, depth int, row []F) []F {
	row = scan.Grown(row, n*depth)
	for r, v := range c.places[first : first+n] {
		part := row[r*depth : (r+1)*depth]
		if v == noVertex {
			clear(part)
			continue
		}
		c.rows.compute(int(v), k, part)
	}
	kernel.PackRows(dst, width, row, depth, n, depth)
	return row
}

// members is the operand of the members of a cell from index first on.
func (c *index[F]) members(w *searcher[F], first int) kernel.Operand[F] {
	if c.packed.Count() > 0 {
		return c.packed.Operand(first)
	}
	return kernel.Packing[F](cellRows[F]{c, first, &w.packing})
}
