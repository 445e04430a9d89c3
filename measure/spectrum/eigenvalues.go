// Eigenvalues of symmetric matrices, without vectors.

package spectrum

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
)

const (
	// panel is the number of rows that are reduced before the rest of the matrix is brought up to date, by
	// one product of 2·panel terms.
	panel = 32
	// symvRows is the number of rows whose product with a vector is one task.
	symvRows = 64
)

// errNotConverged says that the iteration on the tridiagonal matrix did not end.
var errNotConverged = errors.New("the eigenvalues did not converge")

// eigenvaluesOf are the eigenvalues of the symmetric n × n matrix a, of finite elements, in ascending order, within a
// few n·2⁻⁵² of the largest. Only the upper triangle is read; a is overwritten.
//
// Householder reflections make the matrix tridiagonal (Dongarra, Sorensen & Hammarling 1989, "Block reduction of
// matrices to condensed forms for eigenvalue computations": half of the operations are one product for each panel),
// and the square-root-free QL iteration (Pal, Walker & Kahan) finds the values. The order of all sums is a
// function of n.
func eigenvaluesOf(a []float64, n int) ([]float64, error) {
	if n == 0 {
		return nil, nil
	}
	scale := 0.0
	for i := range n {
		for _, v := range a[i*n+i : (i+1)*n] {
			scale = max(scale, math.Abs(v))
		}
	}
	if scale == 0 {
		return make([]float64, n), nil
	}
	// By a power of two, which rounds nothing, squares can neither overflow nor vanish.
	_, exponent := math.Frexp(scale)
	for i := range n {
		row := a[i*n+i : (i+1)*n]
		for k, v := range row {
			row[k] = math.Ldexp(v, -exponent)
		}
	}
	d, e, err := tridiagonal(a, n)
	if err != nil {
		return nil, err
	}
	if !(gonum.Implementation{}).Dsterf(n, d, e) {
		return nil, errNotConverged
	}
	for i, v := range d {
		d[i] = math.Ldexp(v, exponent)
	}
	return d, nil
}

// whole is a vector of blas64.
func whole(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

func dot(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return blas64.Dot(whole(x), whole(y[:len(x)]))
}

// axpy adds f·x to y.
func axpy(f float64, x, y []float64) {
	if len(x) > 0 {
		blas64.Axpy(f, whole(x), whole(y[:len(x)]))
	}
}

// tridiagonal reduces the matrix to its diagonal d and off-diagonal e.
func tridiagonal(a []float64, n int) (d, e []float64, err error) {
	d, e = make([]float64, n), make([]float64, max(0, n-1))
	v, w := make([][]float64, panel), make([][]float64, panel)
	for p := range v {
		v[p], w[p] = make([]float64, n), make([]float64, n)
	}
	s := &symv{n: n, a: a, partial: make([]float64, (n+symvRows-1)/symvRows*n)}
	left, right := make([]float64, n*2*panel), make([]float64, n*2*panel)
	row := make([]float64, n)
	for first := 0; first < n; first += panel {
		end := min(first+panel, n)
		for k := first; k < end; k++ {
			j := k - first
			// The row as the reflections of this panel leave it.
			x := row[:n-k]
			copy(x, a[k*n+k:(k+1)*n])
			for p := range j {
				axpy(-v[p][k], w[p][k:], x)
				axpy(-w[p][k], v[p][k:], x)
			}
			d[k] = x[0]
			if k == n-1 {
				break
			}
			x = x[1:]
			u, y := v[j][k+1:], w[j][k+1:]
			clear(v[j][:k+1])
			clear(w[j][:k+1])
			beta, tau := reflection(x)
			e[k] = beta
			copy(u, x)
			if tau == 0 {
				clear(u)
				clear(y)
				continue
			}
			if err := s.multiply(y, u, k+1); err != nil {
				return nil, nil, err
			}
			for p := range j {
				vp, wp := v[p][k+1:], w[p][k+1:]
				alongW, alongV := dot(wp, u), dot(vp, u)
				axpy(-alongW, vp, y)
				axpy(-alongV, wp, y)
			}
			for i := range y {
				y[i] *= tau
			}
			axpy(-0.5*tau*dot(y, u), u, y)
		}
		if end == n {
			break
		}
		// a −= v·wᵀ + w·vᵀ.
		m := n - end
		for i := range m {
			l, r := left[i*2*panel:][:2*panel], right[i*2*panel:][:2*panel]
			for p := range panel {
				x, y := v[p][end+i], w[p][end+i]
				l[p], l[panel+p], r[p], r[panel+p] = -x, -y, y, x
			}
		}
		product := kernel.Product[float64]{M: m, N: m, K: 2 * panel, A: kernel.Rows(left, 2*panel), B: kernel.Rows(right, 2*panel),
			C: a[end*n+end:], Stride: n, Accumulate: true, Upper: true}
		if err := product.Run(); err != nil {
			return nil, nil, err
		}
	}
	return d, e, nil
}

// reflection turns x into the vector u, u[0] = 1, of the reflection I − τ·u·uᵀ that maps x to (β, 0, …).
func reflection(x []float64) (beta, tau float64) {
	alpha := x[0]
	rest := 0.0
	if len(x) > 1 {
		rest = blas64.Nrm2(whole(x[1:]))
	}
	if rest == 0 {
		return alpha, 0
	}
	beta = -math.Copysign(math.Hypot(alpha, rest), alpha)
	f := 1 / (alpha - beta)
	for i := range x {
		x[i] *= f
	}
	x[0] = 1
	return beta, (beta - alpha) / beta
}

// symv multiplies the end of a symmetric matrix, given by its upper triangle, by vectors.
type symv struct {
	n       int
	a       []float64
	partial []float64 // of every task, of n elements
}

// multiply sets y to the rows and columns of the matrix from first on, times u.
func (s *symv) multiply(y, u []float64, first int) error {
	m := len(u)
	tasks := (m + symvRows - 1) / symvRows
	threads := 0
	if m < 4*symvRows {
		threads = 1 // starting others takes longer
	}
	err := parallel.For(context.Background(), threads, tasks, func(_, t int) {
		lo, hi := t*symvRows, min((t+1)*symvRows, m)
		out := s.partial[t*s.n:][:m]
		clear(out[lo:])
		for i := lo; i < hi; i++ {
			row := s.a[(first+i)*s.n+first:][:m]
			out[i] += row[i]*u[i] + dot(row[i+1:], u[i+1:])
			axpy(u[i], row[i+1:], out[i+1:])
		}
	})
	clear(y)
	for t := range tasks {
		lo := t * symvRows
		axpy(1, s.partial[t*s.n:][lo:m], y[lo:])
	}
	return err
}
