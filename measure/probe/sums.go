// Sums over rows from which ridge regression follows, and its solutions for every penalty
// from one tridiagonal form.

package probe

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"repscope/measure/internal/matrix"
)

// sums are those over a set of rows x [r] with targets y [T].
type sums struct {
	n         float64
	x, y      []float64
	xx        matrix.Matrix // Σ x·xᵀ
	xy        matrix.Matrix // Σ x·yᵀ [r, T]
	low, high []float64     // of each target
}

func noSums(dim, targets int) *sums {
	s := &sums{x: make([]float64, dim), y: make([]float64, targets), xx: matrix.New(dim, dim), xy: matrix.New(dim, targets),
		low: make([]float64, targets), high: make([]float64, targets)}
	for t := range targets {
		s.low[t], s.high[t] = math.Inf(1), math.Inf(-1)
	}
	return s
}

func sumsOf(x, y matrix.Matrix, threads int) *sums {
	s := noSums(0, y.Dim)
	s.n, s.x, s.xx, s.xy = float64(x.N), make([]float64, x.Dim), gram(x, threads), transposed(x, y, threads)
	for i := range x.N {
		matrix.AddTo(s.x, x.Row(i))
		for t, v := range y.Row(i) {
			s.y[t] += v
			s.low[t], s.high[t] = min(s.low[t], v), max(s.high[t], v)
		}
	}
	return s
}

// add adds the sums of other rows.
func (s *sums) add(o *sums) {
	s.n += o.n
	matrix.AddTo(s.x, o.x)
	matrix.AddTo(s.y, o.y)
	matrix.AddTo(s.xx.Data, o.xx.Data)
	matrix.AddTo(s.xy.Data, o.xy.Data)
	for t := range s.low {
		s.low[t], s.high[t] = min(s.low[t], o.low[t]), max(s.high[t], o.high[t])
	}
}

// allBut joins all parts but one, never subtracting.
func allBut(parts []*sums, out int) *sums {
	s := noSums(len(parts[0].x), len(parts[0].y))
	for p, part := range parts {
		if p != out {
			s.add(part)
		}
	}
	return s
}

// centered are the products about the means: C = Σ (x − x̄)(x − x̄)ᵀ and c = Σ (x − x̄)(y − ȳ)ᵀ, exactly 0
// for a target that is constant.
func (s *sums) centered() (c, cross matrix.Matrix) {
	dim, targets := len(s.x), len(s.y)
	c, cross = matrix.New(dim, dim), matrix.New(dim, targets)
	for i, xi := range s.x {
		share := xi / s.n
		for k, xk := range s.x {
			c.Data[i*dim+k] = s.xx.Data[i*dim+k] - float64(share*xk)
		}
		for t, y := range s.y {
			if s.low[t] < s.high[t] {
				cross.Data[i*targets+t] = s.xy.Data[i*targets+t] - float64(share*y)
			}
		}
	}
	return c, cross
}

// solver holds the ridge regressions of a set of rows for every penalty: C = Q·T·Qᵀ with a tridiagonal T,
// so that a system with another penalty costs no more than r operations.
type solver struct {
	n             float64
	xMean, yMean  []float64
	diagonal, off []float64     // of T
	largest       float64       // bounds the eigenvalues of C
	basis         matrix.Matrix // Q, orthonormal
	cross         matrix.Matrix // Qᵀ·c
	constant      []bool        // of each target
}

func (s *sums) solver() *solver {
	c, cross := s.centered()
	v := &solver{n: s.n, xMean: make([]float64, len(s.x)), yMean: make([]float64, len(s.y)), constant: make([]bool, len(s.y))}
	for k, x := range s.x {
		v.xMean[k] = x / s.n
	}
	for t, y := range s.y {
		v.yMean[t] = y / s.n
		if v.constant[t] = !(s.low[t] < s.high[t]); v.constant[t] {
			v.yMean[t] = s.low[t]
		}
	}
	v.tridiagonalize(c)
	v.cross = transposed(v.basis, cross, 1)
	return v
}

// tridiagonalize overwrites c.
func (v *solver) tridiagonalize(c matrix.Matrix) {
	dim := c.N
	v.diagonal, v.off = make([]float64, dim), make([]float64, max(dim-1, 0))
	tau, work := make([]float64, max(dim-1, 0)), make([]float64, 1)
	var lapack gonum.Implementation
	lapack.Dsytrd(blas.Lower, dim, c.Data, dim, v.diagonal, v.off, tau, work, -1)
	size := int(work[0])
	lapack.Dorgtr(blas.Lower, dim, c.Data, dim, tau, work, -1)
	work = make([]float64, max(size, int(work[0])))
	lapack.Dsytrd(blas.Lower, dim, c.Data, dim, v.diagonal, v.off, tau, work, len(work))
	lapack.Dorgtr(blas.Lower, dim, c.Data, dim, tau, work, len(work))
	v.basis = c
	for k, d := range v.diagonal {
		bound := d
		if k > 0 {
			bound += math.Abs(v.off[k-1])
		}
		if k < len(v.off) {
			bound += math.Abs(v.off[k])
		}
		v.largest = max(v.largest, bound)
	}
}

// smallestPenalty is that which counts, in units of the largest eigenvalue: below, rounding would
// decide.
const smallestPenalty = 1e-12

// factored is L·Lᵀ = factor·T + α with the diagonal of L, inverted, and the elements below it.
type factored struct{ inverse, below []float64 }

// factorize takes factor 1 for ridge regression.
func (v *solver) factorize(factor, alpha float64) factored {
	alpha = max(alpha, smallestPenalty*factor*v.largest)
	f := factored{make([]float64, len(v.diagonal)), make([]float64, len(v.off))}
	for k, d := range v.diagonal {
		pivot := float64(factor*d) + alpha
		if k > 0 {
			f.below[k-1] = factor * v.off[k-1] * f.inverse[k-1]
			pivot -= float64(f.below[k-1] * f.below[k-1])
		}
		// The pivots of a sum with a matrix that has no negative eigenvalue are at least α.
		f.inverse[k] = 1 / math.Sqrt(max(pivot, alpha))
	}
	return f
}

// half replaces x, whose elements lie stride apart, by L⁻¹·x.
func (f factored) half(x []float64, stride int) {
	for k, inverse := range f.inverse {
		if k > 0 {
			x[k*stride] -= float64(f.below[k-1] * x[(k-1)*stride])
		}
		x[k*stride] *= inverse
	}
}

// otherHalf replaces x by L⁻ᵀ·x.
func (f factored) otherHalf(x []float64, stride int) {
	for k := len(f.inverse) - 1; k >= 0; k-- {
		if k < len(f.below) {
			x[k*stride] -= float64(f.below[k] * x[(k+1)*stride])
		}
		x[k*stride] *= f.inverse[k]
	}
}

// solve replaces x by the solution of (factor·T + α)·y = x.
func (f factored) solve(x []float64, stride int) {
	f.half(x, stride)
	f.otherHalf(x, stride)
}

// path returns the weights [r, A] of one target for every penalty.
func (v *solver) path(target int, alphas []float64) matrix.Matrix {
	along := matrix.New(len(v.diagonal), len(alphas))
	for a, alpha := range alphas {
		for k := range v.diagonal {
			along.Data[k*len(alphas)+a] = v.cross.Data[k*v.cross.Dim+target]
		}
		v.factorize(1, alpha).solve(along.Data[a:], len(alphas))
	}
	return product(v.basis, along, 1)
}

// weights returns those [r, T] of all targets, each with a penalty of its own.
func (v *solver) weights(alpha []float64) matrix.Matrix {
	along := matrix.Matrix{N: v.cross.N, Dim: v.cross.Dim, Data: slices.Clone(v.cross.Data)}
	for t, a := range alpha {
		v.factorize(1, a).solve(along.Data[t:], len(alpha))
	}
	return product(v.basis, along, 1)
}

// origin is what heads say at the origin of the coordinates: ȳ − x̄·w.
func (v *solver) origin(weights matrix.Matrix) []float64 { return originOf(v.xMean, v.yMean, weights) }

func originOf(xMean, yMean []float64, weights matrix.Matrix) []float64 {
	out := make([]float64, weights.Dim)
	for t := range out {
		offset := 0.0
		for k, m := range xMean {
			offset += float64(m * weights.Data[k*weights.Dim+t])
		}
		out[t] = yMean[t] - offset
	}
	return out
}
