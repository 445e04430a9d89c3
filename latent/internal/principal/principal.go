// Package principal finds principal directions of rows, by the eigenvectors of a Gram matrix.
package principal

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/stat"
)

// Directions returns up to dim principal directions of the n centered rows of x
// as rows [dim, width]. It diagonalises the smaller of XXᵀ and XᵀX.
func Directions(ctx context.Context, x []float64, n, width, dim, threads int) ([]float64, error) {
	size, operand := n, kernel.Rows(x, width)
	depth := width
	if width < n {
		size, operand, depth = width, kernel.Columns(x, width), n
	}
	gram := make([]float64, size*size)
	product := kernel.Product[float64]{M: size, N: size, K: depth, A: operand, B: operand, C: gram, Stride: size, Upper: true, Threads: threads}
	if err := product.Run(); err != nil {
		return nil, err
	}
	for i := range size {
		for j := range i {
			gram[i*size+j] = gram[j*size+i] // with the bits of a product of its own
		}
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

// leading returns the dim largest eigenvalues of a symmetric positive semidefinite matrix, falling, and their
// eigenvectors as rows [dim, size]. A large matrix is treated by subspace iteration from a fixed start with
// Rayleigh–Ritz steps (G. Golub, C. Van Loan, Matrix Computations, §8.2), until the eigenvalues change by at most 1e-9
// of the largest.
func leading(ctx context.Context, a []float64, size, dim, threads int) ([]float64, []float64, error) {
	block := min(dim+max(16, dim/2), size)
	if size <= 300 || 2*block >= size {
		return eigen(a, size, dim)
	}
	s, err := newSubspace(a, size, block, threads)
	if err != nil {
		return nil, nil, err
	}
	var previous []float64
	const maxIterations = 300
	for iteration := range maxIterations {
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
		if settled || iteration == maxIterations-1 {
			return values[:dim], s.q[:dim*size], nil
		}
		previous = values
	}
	return nil, nil, errEigen
}

var errEigen = errors.New("the eigenvalues do not converge")

// subspace is the basis q, whose rows [block, size] approach the leading eigenvectors of a.
type subspace struct {
	a                    *kernel.Packed[float64]
	q, y, ritz           []float64
	size, block, threads int
}

// newSubspace starts from random rows, the same at every call.
func newSubspace(a []float64, size, block, threads int) (*subspace, error) {
	packed, err := kernel.PackRight(kernel.Rows(a, size), size, size)
	if err != nil {
		return nil, err
	}
	s := &subspace{a: packed, q: make([]float64, block*size), y: make([]float64, block*size), ritz: make([]float64, block*block),
		size: size, block: block, threads: threads}
	random := stat.NewRandom(stat.StreamSubspace.Key(0))
	for i := range s.q {
		s.q[i] = random.Normal()
	}
	orthonormal(s.q, block, size)
	return s, nil
}

// multiply makes y = qA.
func (s *subspace) multiply() error {
	p := kernel.Product[float64]{M: s.block, N: s.size, K: s.size, A: kernel.Rows(s.q, s.size), B: s.a.Operand(0),
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

// orthonormal applies modified Gram–Schmidt twice to the rows of q. A sum of products waits for
// itself, so the rows before four rows are taken from these four at once.
func orthonormal(q []float64, count, size int) {
	row := func(k int) []float64 { return q[k*size : (k+1)*size] }
	for first := 0; first < count; first += 4 {
		if first+4 <= count {
			removeFromFour(q[:first*size], row(first), row(first+1), row(first+2), row(first+3))
		} else {
			for k := first; k < count; k++ {
				remove(q[:first*size], row(k))
			}
		}
		for k := first; k < min(first+4, count); k++ {
			remove(q[first*size:k*size], row(k))
			remove(q[:k*size], row(k))
			norm := 0.0
			for _, v := range row(k) {
				norm += float64(v * v)
			}
			if norm == 0 {
				continue // fewer directions than rows
			}
			norm = 1 / math.Sqrt(norm)
			for i := range row(k) {
				row(k)[i] *= norm
			}
		}
	}
}

// remove takes from a row its part along each of some rows in turn. The product with the next
// one is summed while that with this one is taken away.
func remove(others, row []float64) {
	size := len(row)
	if len(others) == 0 {
		return
	}
	dot := 0.0
	for i, v := range others[:size] {
		dot += float64(row[i] * v)
	}
	for len(others) > size {
		next, other := 0.0, others[:size]
		for i, v := range others[size : 2*size] {
			left := row[i] - float64(dot*other[i])
			row[i] = left
			next += float64(left * v)
		}
		dot, others = next, others[size:]
	}
	for i, v := range others[:size] {
		row[i] -= float64(dot * v)
	}
}

// removeFromFour is remove for four rows.
func removeFromFour(others, a, b, c, d []float64) {
	size := len(a)
	for ; len(others) > 0; others = others[size:] {
		other := others[:size]
		var p, q, r, s float64
		for i, v := range other {
			p += float64(a[i] * v)
			q += float64(b[i] * v)
			r += float64(c[i] * v)
			s += float64(d[i] * v)
		}
		for i, v := range other {
			a[i] -= float64(p * v)
			b[i] -= float64(q * v)
			c[i] -= float64(r * v)
			d[i] -= float64(s * v)
		}
	}
}
