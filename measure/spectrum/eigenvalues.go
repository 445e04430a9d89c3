// Eigenvalues of symmetric matrices, without vectors.

package spectrum

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack/gonum"

	"repscope/internal/kernel"
)

// errNotConverged says that the iteration on the tridiagonal matrix did not end.
var errNotConverged = errors.New("the eigenvalues did not converge")

// tridiagonal is a symmetric matrix by its diagonal and the elements next to it, times 2^exponent.
type tridiagonal struct {
	diagonal, beside []float64
	exponent         int
}

// tridiagonalOf reduces the matrix, by way of b diagonals above the main one. The first basis vector stays what it
// is, and so does the second where the first row has nothing off the diagonal.
func tridiagonalOf(a []float64, n, b, threads int) (tridiagonal, error) {
	scale := 0.0
	for i := range n {
		for _, v := range a[i*n+i : (i+1)*n] {
			scale = max(scale, math.Abs(v))
		}
	}
	if scale == 0 {
		return tridiagonal{diagonal: make([]float64, n), beside: make([]float64, max(0, n-1))}, nil
	}
	// By a power of two, which rounds nothing, squares can neither overflow nor vanish.
	_, exponent := math.Frexp(scale)
	if exponent != 0 {
		for i := range n {
			row := a[i*n+i : (i+1)*n]
			for k, v := range row {
				row[k] = math.Ldexp(v, -exponent)
			}
		}
	}
	if err := reduceToBand(a, n, b, threads); err != nil {
		return tridiagonal{}, err
	}
	d, e, err := chaseBand(a, n, b, threads)
	return tridiagonal{diagonal: d, beside: e, exponent: exponent}, err
}

// eigenvalues are the eigenvalues of t, in ascending order, without changing it.
func (t tridiagonal) eigenvalues() ([]float64, error) {
	d, e := slices.Clone(t.diagonal), slices.Clone(t.beside)
	// Dsterf rescales parts of the matrix whose elements are all below 1e-122, and panics.
	for _, list := range [][]float64{d, e} {
		for i, v := range list {
			if math.Abs(v) < vanishing {
				list[i] = 0
			}
		}
	}
	if !(gonum.Implementation{}).Dsterf(len(d), d, e) {
		return nil, errNotConverged
	}
	for i, v := range d {
		d[i] = math.Ldexp(v, t.exponent)
	}
	return d, nil
}

// bandOf is the number of diagonals above the main one to which a matrix of order n is reduced first.
func bandOf(n int) int {
	if n < wideFrom {
		return kernel.BandStep
	}
	return kernel.MaxBand
}

// wideFrom is the order from which on products of more terms save more than the wider band costs.
var wideFrom = 3072

// vanishing is what elements of a matrix whose largest is near 1 are at least, or 0: far below its rounding.
const vanishing = 0x1p-300

// negligible is the squared length, of vectors of a matrix whose largest element is near 1, below which they count as
// zero: squares could vanish there.
const negligible = 0x1p-900

// reflect finds the reflection I − τ·v·vᵀ, v[at] = 1, that maps the elements of x from at on to (β, 0, …), from v,
// which holds those behind at among zeros, and scales v accordingly. The lengths are multiples of [kernel.PairDepth].
func reflect(v []float64, alpha float64, offset int) (beta, tau float64) {
	from := offset / kernel.PairDepth * kernel.PairDepth
	rest := kernel.Dot(v[from:], v[from:])
	if rest < negligible {
		clear(v)
		return alpha, 0
	}
	beta = -math.Copysign(math.Sqrt(float64(alpha*alpha)+rest), alpha)
	f := 1 / (alpha - beta)
	tail := v[offset+1:]
	for i := range tail {
		tail[i] *= f
	}
	v[offset] = 1
	return beta, (beta - alpha) / beta
}
