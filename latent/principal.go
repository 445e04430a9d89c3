// Principal directions of rows, by the eigenvectors of a Gram matrix.

package latent

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/stat"
)

// principal returns up to dim principal directions of the n centred rows of x
// as rows [dim, width]. It diagonalises the smaller of XXᵀ and XᵀX.
func principal(ctx context.Context, x []float64, n, width, dim, threads int) ([]float64, error) {
	size, operand := n, kernel.Rows(x, width)
	depth := width
	if width < n {
		size, operand, depth = width, kernel.Columns(x, width), n
	}
	gram := make([]float64, size*size)
	product := kernel.Product[float64]{M: size, N: size, K: depth, A: operand, B: operand, C: gram, Stride: size, Threads: threads}
	if err := product.Run(); err != nil {
		return nil, err
	}
	values, vectors, err := leading(ctx, gram, size, min(dim, size), threads)
	if err != nil {
		return nil, err
	}
	kept := 0
	for kept < len(values) && values[kept] > 1e-10*values[0] && values[kept] > 0 {
		kept++
	}
	directions := make([]float64, kept*width)
	if width < n {
		copy(directions, vectors[:kept*width])
	} else {
		// v = Xᵀu/√λ
		product = kernel.Product[float64]{M: kept, N: width, K: n, A: kernel.Rows(vectors, n), B: kernel.Columns(x, width),
			C: directions, Stride: width, Threads: threads}
		if err := product.Run(); err != nil {
			return nil, err
		}
	}
	for k := range kept {
		d := directions[k*width : (k+1)*width]
		norm, peak := 0.0, 0.0
		for _, c := range d {
			norm += c * c
			if math.Abs(c) > math.Abs(peak) {
				peak = c
			}
		}
		scale := math.Copysign(1/math.Sqrt(norm), peak)
		for j := range d {
			d[j] *= scale
		}
	}
	return directions, nil
}

// leading returns the dim largest eigenvalues of a symmetric positive
// semidefinite matrix, falling, and their eigenvectors as rows [dim, size]. A
// large matrix is treated by subspace iteration from a fixed start with
// Rayleigh–Ritz steps (G. Golub, C. Van Loan, Matrix Computations, §8.2), until the
// eigenvalues stand still to 1e-9 of the largest.
func leading(ctx context.Context, a []float64, size, dim, threads int) ([]float64, []float64, error) {
	block := min(dim+max(16, dim/2), size)
	if size <= 300 || 2*block >= size {
		return eigen(a, size, dim)
	}
	s := newSubspace(a, size, block, threads)
	var previous []float64
	const most = 300
	for iteration := range most {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := s.multiply(); err != nil {
			return nil, nil, err
		}
		if iteration%4 != 3 {
			s.q, s.y = s.y, s.q
			orthonormal(s.q, block, size)
			continue
		}
		values, err := s.rayleighRitz()
		if err != nil {
			return nil, nil, err
		}
		settled := previous != nil
		for k := range dim {
			settled = settled && math.Abs(values[k]-previous[k]) <= 1e-9*values[0]
		}
		if settled || iteration == most-1 {
			return values[:dim], s.q[:dim*size], nil
		}
		previous = values
	}
	return nil, nil, errEigen
}

var errEigen = errors.New("the eigenvalues do not converge")

// subspace is the basis q, whose rows [block, size] approach the leading eigenvectors of a.
type subspace struct {
	a, q, y, ritz        []float64
	size, block, threads int
}

// newSubspace starts from random rows, the same at every call.
func newSubspace(a []float64, size, block, threads int) *subspace {
	s := &subspace{a: a, q: make([]float64, block*size), y: make([]float64, block*size), ritz: make([]float64, block*block),
		size: size, block: block, threads: threads}
	random := stat.NewRandom(stat.StreamSubspace.Key(0))
	for i := range s.q {
		s.q[i] = random.Normal()
	}
	orthonormal(s.q, block, size)
	return s
}

// multiply makes y = qA.
func (s *subspace) multiply() error {
	p := kernel.Product[float64]{M: s.block, N: s.size, K: s.size, A: kernel.Rows(s.q, s.size), B: kernel.Rows(s.a, s.size),
		C: s.y, Stride: s.size, Threads: s.threads}
	return p.Run()
}

// rayleighRitz turns q within its subspace so that it is the best approximation there: to
// the eigenvectors of Q A Qᵀ. It returns their eigenvalues; y must be qA and is overwritten.
func (s *subspace) rayleighRitz() ([]float64, error) {
	p := kernel.Product[float64]{M: s.block, N: s.block, K: s.size, A: kernel.Rows(s.q, s.size), B: kernel.Rows(s.y, s.size),
		C: s.ritz, Stride: s.block, Threads: s.threads}
	if err := p.Run(); err != nil {
		return nil, err
	}
	values, rotation, err := eigen(s.ritz, s.block, s.block)
	if err != nil {
		return nil, err
	}
	p = kernel.Product[float64]{M: s.block, N: s.size, K: s.block, A: kernel.Rows(rotation, s.block), B: kernel.Columns(s.q, s.size),
		C: s.y, Stride: s.size, Threads: s.threads}
	if err := p.Run(); err != nil {
		return nil, err
	}
	s.q, s.y = s.y, s.q
	return values, nil
}

// eigen returns the count largest eigenvalues of a symmetric matrix, falling, and
// their eigenvectors as rows.
func eigen(a []float64, size, count int) ([]float64, []float64, error) {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(size, a), true) {
		return nil, nil, errEigen
	}
	values := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	out, rows := make([]float64, count), make([]float64, count*size)
	for k := range count {
		from := size - 1 - k // gonum sorts them rising
		out[k] = values[from]
		for i := range size {
			rows[k*size+i] = v.At(i, from)
		}
	}
	return out, rows, nil
}

// orthonormal applies modified Gram–Schmidt twice to the rows of q.
func orthonormal(q []float64, count, size int) {
	for k := range count {
		row := q[k*size : (k+1)*size]
		for range 2 {
			for l := range k {
				other := q[l*size : (l+1)*size]
				dot := 0.0
				for i, v := range row {
					dot += float64(v * other[i])
				}
				for i := range row {
					row[i] -= float64(dot * other[i])
				}
			}
		}
		norm := 0.0
		for _, v := range row {
			norm += float64(v * v)
		}
		if norm == 0 {
			continue // fewer directions than rows
		}
		norm = 1 / math.Sqrt(norm)
		for i := range row {
			row[i] *= norm
		}
	}
}
