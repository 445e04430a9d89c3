// Sums over rows from which ridge regression follows, and its solutions for every penalty
// from one decomposition.

package probe

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

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

// solver holds the ridge regressions of a set of rows for every penalty.
type solver struct {
	n           float64
	xMean       []float64
	yMean       []float64
	values      []float64     // eigenvalues of C, ascending
	vectors     matrix.Matrix // its eigenvectors, in columns
	cross       matrix.Matrix // vectorsᵀ·c
	constant    []bool        // of each target
	significant float64       // eigenvalues up to this are those of rounding
}

var errEigen = errors.New("probe: the eigenvalues of the covariance of the features do not converge")

func (s *sums) solver() (*solver, error) {
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
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(c.N, c.Data), true) {
		return nil, errEigen
	}
	v.values = eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	v.vectors = matrix.Matrix{N: c.N, Dim: c.N, Data: vectors.RawMatrix().Data}
	v.significant = max(v.values[len(v.values)-1], 0) * float64(c.N) * 0x1p-52
	v.cross = transposed(v.vectors, cross, 1)
	return v, nil
}

// gain is 1/(λ + α), 0 along directions in which the rows do not vary.
func (v *solver) gain(k int, alpha float64) float64 {
	if v.values[k] <= v.significant {
		return 0
	}
	return 1 / (v.values[k] + alpha)
}

// path returns the weights [r, A] of one target for every penalty.
func (v *solver) path(target int, alphas []float64, threads int) matrix.Matrix {
	scaled := matrix.New(len(v.values), len(alphas))
	for k := range v.values {
		for a, alpha := range alphas {
			scaled.Data[k*len(alphas)+a] = v.cross.Data[k*v.cross.Dim+target] * v.gain(k, alpha)
		}
	}
	return product(v.vectors, scaled, threads)
}

// weights returns those [r, T] of all targets, each with a penalty of its own.
func (v *solver) weights(alpha []float64) matrix.Matrix {
	scaled := matrix.New(len(v.values), len(alpha))
	for k := range v.values {
		for t, a := range alpha {
			scaled.Data[k*len(alpha)+t] = v.cross.Data[k*v.cross.Dim+t] * v.gain(k, a)
		}
	}
	return product(v.vectors, scaled, 1)
}

// origin is what heads say at the origin of the coordinates: ȳ − x̄·w.
func (v *solver) origin(weights matrix.Matrix) []float64 { return originOf(v.xMean, v.yMean, weights) }

func originOf(xMean, yMean []float64, weights matrix.Matrix) []float64 {
	out := make([]float64, weights.Dim)
	for t := range out {
		at := 0.0
		for k, m := range xMean {
			at += float64(m * weights.Data[k*weights.Dim+t])
		}
		out[t] = yMean[t] - at
	}
	return out
}
