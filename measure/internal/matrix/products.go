// Products of all pairs of rows, block by block.

package matrix

import (
	"context"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
)

// RowBlock and ColumnBlock are the sizes of the blocks of a pass: their products stay in
// the second-level cache.
const (
	RowBlock    = 96
	ColumnBlock = 16 * kernel.Align
)

// products is the memory of blocks of them.
var products Scratch

// Products computes the products x·xᵀ on and above the diagonal in blocks and hands
// each of them to visit: product[(i−i0)·stride + (j−j0)] = x_i·x_j for i0 ≤ i < i1,
// j0 ≤ j < j1. j0 is rounded down to a whole block, so that blocks on the diagonal
// reach below it. All blocks of one range of rows come from one goroutine, in ascending
// order of columns; different ranges come at the same time.
//
// The products have the same bits for every number of threads (see package
// kernel); what visit adds up must only depend on its own block or range of
// rows.
func Products(ctx context.Context, x Matrix, threads int,
	visit func(i0, i1, j0, j1 int, product []float64, stride int)) error {
	if x.N == 0 {
		return nil
	}
	columns, err := kernel.PackRight(kernel.Rows(x.Data, x.Dim), x.N, x.Dim)
	if err != nil {
		return err
	}
	return parallel.Try(ctx, threads, (x.N+RowBlock-1)/RowBlock, func(_, block int) error {
		room := products.Take(RowBlock * ColumnBlock)
		defer products.Give(room)
		i0 := block * RowBlock
		i1 := min(i0+RowBlock, x.N)
		for j0 := i0 / ColumnBlock * ColumnBlock; j0 < x.N; j0 += ColumnBlock {
			j1 := min(j0+ColumnBlock, x.N)
			p := kernel.Product[float64]{
				M: i1 - i0, N: j1 - j0, K: x.Dim,
				A: kernel.Rows(x.Data[i0*x.Dim:], x.Dim), B: columns.Operand(j0),
				C: *room, Stride: ColumnBlock, Threads: 1,
			}
			if err := p.Run(); err != nil {
				return err
			}
			visit(i0, i1, j0, j1, *room, ColumnBlock)
		}
		return nil
	})
}
