// Coordinates in which heads are solved: centered features, scaled if asked for, in no
// more dimensions than there are rows.

package probe

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// frame maps features to coordinates ((x − mean)/scale)·basis. Where there are more
// features than rows the basis, orthonormal [D, n], spans the rows: the penalty of ridge is the
// penalty of the coordinates, and a head has no part outside the span of what it was fitted on.
type frame struct {
	mean, scale []float64 // scale is nil for 1
	basis       matrix.Matrix
}

// newFrame returns the frame of features and their coordinates.
func newFrame(quantity string, x points.Points, standardize bool, threads int) (*frame, matrix.Matrix, error) {
	if err := checkFeatures(quantity, x); err != nil {
		return nil, matrix.Matrix{}, err
	}
	rows, mean := matrix.Centered(x)
	f := &frame{mean: mean}
	if standardize {
		_, f.scale = columnScale(x, allRows(x.N))
		for i := range rows.N {
			divide(rows.Row(i), f.scale)
		}
	}
	if err := checkSquares(quantity, rows); err != nil {
		return nil, matrix.Matrix{}, err
	}
	if x.N >= x.Dim {
		return f, rows, nil
	}
	// Xᵀ = Q·R: the rows of X lie in the span of Q.
	q := blas64.General{Rows: x.Dim, Cols: x.N, Stride: x.N, Data: make([]float64, x.Dim*x.N)}
	for i := range rows.N {
		for k, v := range rows.Row(i) {
			q.Data[k*x.N+i] = v
		}
	}
	tau, work := make([]float64, x.N), make([]float64, 1)
	lapack64.Geqrf(q, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(q, tau, work, len(work))
	lapack64.Orgqr(q, tau, work, len(work))
	f.basis = matrix.Matrix{N: x.Dim, Dim: x.N, Data: q.Data}
	return f, f.rotate(rows, threads), nil
}

// coordinates are the coordinates of other features.
func (f *frame) coordinates(x points.Points, threads int) matrix.Matrix {
	rows := matrix.Of(x)
	for i := range rows.N {
		row := rows.Row(i)
		for k := range row {
			row[k] -= f.mean[k]
		}
		if f.scale != nil {
			divide(row, f.scale)
		}
	}
	return f.rotate(rows, threads)
}

func (f *frame) rotate(rows matrix.Matrix, threads int) matrix.Matrix {
	if f.basis.Data == nil {
		return rows
	}
	return product(rows, f.basis, threads)
}

// head turns weights [r, T] of coordinates into coefficients [T, D] of features and the
// intercepts that belong to them, given the values at the origin of the coordinates.
func (f *frame) head(weights matrix.Matrix, origin []float64) (coefficients, intercept []float64) {
	if f.basis.Data != nil {
		weights = product(f.basis, weights, 1)
	}
	targets := weights.Dim
	coefficients, intercept = make([]float64, targets*weights.N), make([]float64, targets)
	copy(intercept, origin)
	for k := range weights.N {
		for t, w := range weights.Row(k) {
			if f.scale != nil {
				w /= f.scale[k]
			}
			coefficients[t*weights.N+k] = w
			intercept[t] -= float64(w * f.mean[k])
		}
	}
	return coefficients, intercept
}

func divide(row, by []float64) {
	for k := range row {
		row[k] /= by[k]
	}
}

// product is a·b; the order of its sums is as in [kernel.Product].
func product(a, b matrix.Matrix, threads int) matrix.Matrix {
	c := matrix.New(a.N, b.Dim)
	p := kernel.Product[float64]{M: a.N, N: b.Dim, K: a.Dim, A: kernel.Rows(a.Data, a.Dim), B: kernel.Columns(b.Data, b.Dim),
		C: c.Data, Stride: b.Dim, Threads: threads}
	mustRun(p.Run())
	return c
}

// transposed is aᵀ·b.
func transposed(a, b matrix.Matrix, threads int) matrix.Matrix {
	c := matrix.New(a.Dim, b.Dim)
	p := kernel.Product[float64]{M: a.Dim, N: b.Dim, K: a.N, A: kernel.Columns(a.Data, a.Dim), B: kernel.Columns(b.Data, b.Dim),
		C: c.Data, Stride: b.Dim, Threads: threads}
	mustRun(p.Run())
	return c
}

// gram is aᵀ·a, both halves of it.
func gram(a matrix.Matrix, threads int) matrix.Matrix {
	c := matrix.New(a.Dim, a.Dim)
	p := kernel.Product[float64]{M: a.Dim, N: a.Dim, K: a.N, A: kernel.Columns(a.Data, a.Dim), B: kernel.Columns(a.Data, a.Dim),
		C: c.Data, Stride: a.Dim, Upper: true, Threads: threads}
	mustRun(p.Run())
	for i := range c.N {
		for j := range i {
			c.Data[i*c.Dim+j] = c.Data[j*c.Dim+i]
		}
	}
	return c
}

// mustRun panics where a product of this package does not fit its matrices, which would be a
// mistake of this package.
func mustRun(err error) {
	if err != nil {
		panic("probe: " + err.Error())
	}
}

// checkSquares says whether sums of squares of all values are numbers.
func checkSquares(quantity string, x matrix.Matrix) error {
	if s := matrix.Dot(x.Data, x.Data); math.IsNaN(s) || math.IsInf(s, 0) {
		return stat.Undefined(quantity, "squares overflow; rescale the features or the targets")
	}
	return nil
}

// checkFeatures says which feature is not a finite number.
func checkFeatures(quantity string, x points.Points) error {
	row := make([]float64, x.Dim)
	for i := range x.N {
		for k, v := range x.Row(i, row) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return stat.Undefined(quantity, "feature %d of row %d is %v, want finite numbers", k, i, v)
			}
		}
	}
	return nil
}
