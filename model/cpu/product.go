// Matrix products: Linear, Gemm, MatMul.

package cpu

import (
	"fmt"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

var productKernels = map[string]constructor{
	"repscope.Linear": buildLinear, ".Gemm": buildGemm, ".MatMul": buildMatMul,
}

// rowBlock is the number of rows of a product that one worker computes and
// finishes at a time; its result stays in the second-level cache.
const rowBlock = 192

// rightOperand is a right operand as it is stored: k×n, or n×k if transposed.
func rightOperand(data []float32, transposed bool, k, n int) kernel.Operand[float32] {
	if transposed {
		return kernel.Rows(data, k)
	}
	return kernel.Columns(data, n)
}

// tiles cuts an m×n product into blocks for the workers: rows, and columns
// if there are few rows, so that not every worker reads all the weights.
func tiles(m, n, threads int) (rows, cols int) {
	rows, cols = rowBlock, n
	if (m+rows-1)/rows < 2*threads && n >= 2*threads*kernel.ColumnAlign {
		cols = roundUp((n+4*threads-1)/(4*threads), kernel.ColumnAlign)
	}
	return rows, cols
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// permuted maps an array of this shape to the permutation of its axes: the weights of element i belong to depth
// permuted[i].
func permuted(shape, perm []int) []int {
	strides := graph.RowMajor(shape)
	after, moved := make([]int, len(perm)), make([]int, len(perm))
	for i, p := range perm {
		after[i], moved[i] = shape[p], strides[p]
	}
	from := newStrided(after, moved, 0)
	depths := make([]int, graph.Count(shape))
	for i := range depths {
		depths[i] = from.at(i)
	}
	return depths
}

func buildLinear(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.GemmParams)
	out := b.OutShape(0)
	n := out[len(out)-1]
	in := b.Shape(0)
	k := in[len(in)-1]
	m := graph.Count(in[:len(in)-1])
	w := b.Constant(1)
	form, stored := "k×n", matrix{n: n, k: k, turned: !p.TransB}
	if p.TransB {
		form = "n×k"
	}
	if p.Columns > 0 {
		form += fmt.Sprint(p.First, n)
		stored.of, stored.from = p.Columns, p.First
	}
	if p.Perm != nil {
		form += fmt.Sprint(p.Shape, p.Perm)
		stored.depth = permuted(p.Shape, p.Perm)
	}
	if p.Integers {
		if q, err := b.weights.integers(packKey{w, form, 0}, &stored, []kernel.Run{{Length: stored.k}}); q != nil || err != nil {
			return buildIntegerLinear(b, q, m), err
		}
	}
	packed, err := b.weights.right(packKey{w, form, 0}, &stored)
	if err != nil {
		return nil, err
	}
	x, y := b.in(0), b.out(0)
	ending := newEpilogue(b, p.Activation, b.in(2))
	other := b.in(3)
	rows, cols := tiles(m, n, (*b.pool).threads)
	across := (n + cols - 1) / max(cols, 1)
	pool, weights := b.pool, b.weights
	runs := []kernel.Run{{Length: k}}
	if k == 0 {
		runs = nil
	}
	return b.each((m+rows-1)/rows*across, func(worker, lo, hi int) {
		s := weights.scratch[worker]
		for t := lo; t < hi; t++ {
			i0, j0 := t/across*rows, t%across*cols
			i1, j1 := min(i0+rows, m), min(j0+cols, n)
			c := y()[i0*n+j0:]
			g := &s.gathered
			g.M, g.N, g.Data, g.Base, g.Runs = i1-i0, j1-j0, x()[i0*k:], s.bases(i1-i0, k), runs
			g.B, g.First, g.C, g.Stride, g.Places = packed, j0, c, n, nil
			o := other()
			if o != nil {
				o = o[i0*n+j0:]
			}
			added := o
			if p.Gated {
				added = nil
			}
			ending.within(g, added, j0)
			if err := g.Run(); err != nil {
				(*pool).fail(err)
				return
			}
			ending.activateFrom(c, n, i1-i0, j1-j0, j0)
			if !p.Gated {
				continue
			}
			for i := 0; i < (i1-i0)*n; i += n {
				row := c[i : i+j1-j0]
				vector.MulRows(row, row, o[i:], 1, 1)
			}
		}
	}), nil
}

// bases are the starts of rows with this stride.
func (s *scratch) bases(rows, stride int) []int {
	s.base = s.base[:0]
	for i := range rows {
		s.base = append(s.base, i*stride)
	}
	return s.base
}

func buildGemm(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.GemmParams)
	m, n := b.OutShape(0)[0], b.OutShape(0)[1]
	k := b.Shape(0)[1]
	if p.TransA {
		k = b.Shape(0)[0]
	}
	a, w, bias, y := b.in(0), b.in(1), b.in(2), b.out(0)
	pool, scratch := b.pool, b.weights
	finish := b.span(m, max(1, grain/max(n, 1)), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := y()[i*n : (i+1)*n]
			for j := range row {
				row[j] *= p.Alpha
				if c := bias(); c != nil {
					row[j] += float32(p.Beta * c[i*p.Row+j*p.Column])
				}
			}
		}
	})
	return func() error {
		s := scratch.scratch[0]
		lhs := kernel.Rows(a(), k)
		if p.TransA {
			lhs = kernel.Columns(a(), m)
		}
		s.product = kernel.Product[float32]{M: m, N: n, K: k, A: lhs, B: rightOperand(w(), p.TransB, k, n),
			C: y(), Stride: n, Threads: (*pool).threads, Workspace: &s.workspace}
		if err := s.product.Run(); err != nil {
			return err
		}
		return finish()
	}, nil
}

func buildMatMul(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.MatMulParams)
	m, k, n := p.M, p.K, p.N
	x, z, y := b.in(0), b.in(1), b.out(0)
	count := graph.Count(p.Batch)
	rows := rowBlock
	for count*((m+rows-1)/rows) < (*b.pool).threads && rows > 24 {
		rows /= 2
	}
	parts := (m + rows - 1) / rows
	pool, scratch := b.pool, b.weights
	return b.each(count*parts, func(worker, lo, hi int) {
		s := scratch.scratch[worker]
		for t := lo; t < hi; t++ {
			i, r := t/parts, t%parts*rows
			offset, to := batchOffset(0, p.Left, p.Batch, i)*m*k+r*k, batchOffset(0, p.Right, p.Batch, i)*k*n
			s.product = kernel.Product[float32]{M: min(rows, m-r), N: n, K: k,
				A: kernel.Rows(x()[offset:], k), B: kernel.Columns(z()[to:], n),
				C: y()[(i*m+r)*n:], Stride: n, Threads: 1, Workspace: &s.workspace}
			if err := s.product.Run(); err != nil {
				(*pool).fail(fmt.Errorf("product %d: %w", i, err))
				return
			}
		}
	}), nil
}
