// Latents as a float64 matrix, and the pass over all pairs of rows in blocks.

package geometry

import (
	"context"
	"math"
	"runtime"
	"sync"

	"repscope/internal/kernel"
	"repscope/points"
)

// matrix holds n points of dim coordinates, row-major.
type matrix struct {
	n, dim int
	data   []float64
}

func newMatrix(n, dim int) matrix { return matrix{n: n, dim: dim, data: make([]float64, n*dim)} }

func (x matrix) row(i int) []float64 { return x.data[i*x.dim : (i+1)*x.dim : (i+1)*x.dim] }

// widened copies points into float64.
func widened(p points.Points) matrix {
	x := newMatrix(p.N, p.Dim)
	for i := range p.N {
		p.Row(i, x.row(i))
	}
	return x
}

// mean returns the mean of every coordinate, added in row order.
func (x matrix) mean() []float64 {
	mean := make([]float64, x.dim)
	for i := range x.n {
		addTo(mean, x.row(i))
	}
	for k := range mean {
		mean[k] /= float64(x.n)
	}
	return mean
}

// centred subtracts the mean from every row, in place, and returns x.
func (x matrix) centred() matrix {
	mean := x.mean()
	for i := range x.n {
		row := x.row(i)
		for k := range row {
			row[k] -= mean[k]
		}
	}
	return x
}

// sel copies the rows with the given indices.
func (x matrix) sel(index []int) matrix {
	out := newMatrix(len(index), x.dim)
	for r, i := range index {
		copy(out.row(r), x.row(i))
	}
	return out
}

func addTo(dst, src []float64) {
	for k, v := range src {
		dst[k] += v
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for k, v := range a {
		s += float64(v * b[k])
	}
	return s
}

// squaredNorms returns x·x of every row with exactly the roundings of a kernel
// product, so that ‖x‖² + ‖y‖² − 2x·y of equal rows is exactly 0.
func (x matrix) squaredNorms() []float64 {
	out := make([]float64, x.n)
	for i := range out {
		row := x.row(i)
		for lo := 0; lo < len(row); lo += kernel.KC {
			s := 0.0
			for _, v := range row[lo:min(lo+kernel.KC, len(row))] {
				s = math.FMA(v, v, s)
			}
			out[i] += s
		}
	}
	return out
}

// The sizes of the blocks of a pass: their products stay in the second-level
// cache.
const (
	rowBlock    = 96
	columnBlock = 16 * kernel.Align
)

// eachBlock computes the products x·xᵀ on and above the diagonal in blocks and hands
// each of them to visit: product[(i−i0)·stride + (j−j0)] = x_i·x_j for i0 ≤ i < i1,
// j0 ≤ j < j1. j0 is rounded down to a whole block, so that blocks on the diagonal
// reach below it. All blocks of one range of rows come from one goroutine, in ascending
// order of columns; different ranges come at the same time.
//
// The products have the same bits for every number of threads (see package
// kernel); what visit adds up must only depend on its own block or range of
// rows.
func (x matrix) eachBlock(ctx context.Context, threads int, visit func(i0, i1, j0, j1 int, product []float64, stride int)) error {
	if x.n == 0 {
		return nil
	}
	columns, err := kernel.PackRight(kernel.Rows(x.data, x.dim), x.n, x.dim)
	if err != nil {
		return err
	}
	return parallel(ctx, threads, (x.n+rowBlock-1)/rowBlock, func() func(int) error {
		product := make([]float64, rowBlock*columnBlock)
		var workspace kernel.Workspace[float64]
		return func(block int) error {
			i0 := block * rowBlock
			i1 := min(i0+rowBlock, x.n)
			for j0 := i0 / columnBlock * columnBlock; j0 < x.n; j0 += columnBlock {
				j1 := min(j0+columnBlock, x.n)
				p := kernel.Product[float64]{
					M: i1 - i0, N: j1 - j0, K: x.dim,
					A: kernel.Rows(x.data[i0*x.dim:], x.dim), B: columns.Operand(j0),
					C: product, Stride: columnBlock, Threads: 1, Workspace: &workspace,
				}
				if err := p.Run(); err != nil {
					return err
				}
				visit(i0, i1, j0, j1, product, columnBlock)
			}
			return nil
		}
	})
}

// parallel runs count pieces of work on up to threads goroutines (≤ 0: all
// processors); worker makes the function of one goroutine, which owns what it
// allocates. It returns the first error, or that of ctx.
func parallel(ctx context.Context, threads, count int, worker func() func(int) error) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var (
		mutex  sync.Mutex
		next   int
		failed error
		group  sync.WaitGroup
	)
	take := func() (int, bool) {
		mutex.Lock()
		defer mutex.Unlock()
		if failed == nil {
			failed = ctx.Err()
		}
		if failed != nil || next == count {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range min(threads, count) {
		group.Go(func() {
			work := worker()
			for i, ok := take(); ok; i, ok = take() {
				if err := work(i); err != nil {
					mutex.Lock()
					failed = err
					mutex.Unlock()
				}
			}
		})
	}
	group.Wait()
	return failed
}
