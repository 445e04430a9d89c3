// Principal components of points.

package embedding

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/points"
	"repscope/stat"
)

// Components are the scores of points on their principal directions.
type Components struct {
	// Scores [n × Count], row-major: the centered points along each direction.
	Scores []float64
	Count  int
	// Explained is the share of the variance along each direction, falling.
	Explained []float64
	// Directions [Count × D] are orthonormal; the coordinate of largest size of each is positive.
	Directions []float64
}

// PCA projects n ≥ 2 points [n, D] on their count ≥ 1 leading principal directions, in float64: the
// eigenvectors of the covariance with the largest eigenvalues. Directions along which points do not
// vary (eigenvalues below 10⁻¹² of the sum) are left out, so that there may be fewer. The sign
// is that in which the largest coordinate of a direction is positive. Points that do not vary,
// fewer than two, NaN and Inf are a [stat.UndefinedError]; another error is a decomposition that
// did not converge.
func PCA(pts points.Points, count int) (*Components, error) {
	const quantity = "principal components"
	if count < 1 {
		return nil, fmt.Errorf("%s: %d requested, want at least 1", quantity, count)
	}
	if pts.N < 2 {
		return nil, stat.Undefined(quantity, "%d points, want at least 2", pts.N)
	}
	x := mat.NewDense(pts.N, pts.Dim, nil)
	mean := make([]float64, pts.Dim)
	for i := range pts.N {
		for k, v := range pts.Row(i, x.RawRowView(i)) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, stat.Undefined(quantity, "point %d, coordinate %d is %v, want finite numbers", i, k, v)
			}
			mean[k] += v / float64(pts.N)
		}
	}
	for i := range pts.N {
		row := x.RawRowView(i)
		for k := range row {
			row[k] -= mean[k]
		}
	}
	return project(x, count, quantity)
}

// project diagonalizes the smaller of XᵀX and XXᵀ.
func project(x *mat.Dense, count int, quantity string) (*Components, error) {
	n, dim := x.Dims()
	var gram mat.SymDense
	if dim <= n {
		gram.SymOuterK(1, x.T())
	} else {
		gram.SymOuterK(1, x)
	}
	var e mat.EigenSym
	if !e.Factorize(&gram, true) {
		return nil, errors.New("principal components: the eigenvalues did not converge")
	}
	values := e.Values(nil) // rising
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	total := 0.0
	for _, v := range values {
		total += max(0, v)
	}
	if total == 0 {
		return nil, stat.Undefined(quantity, "the points do not vary")
	}
	c := &Components{}
	for size := len(values); c.Count < min(count, size) && values[size-1-c.Count] > 1e-12*total; c.Count++ {
		column := size - 1 - c.Count
		direction := mat.NewVecDense(dim, nil)
		if dim <= n {
			direction.CopyVec(vectors.ColView(column))
		} else {
			direction.MulVec(x.T(), vectors.ColView(column))
		}
		c.Directions = append(c.Directions, oriented(direction.RawVector().Data)...)
		c.Explained = append(c.Explained, values[column]/total)
	}
	var scores mat.Dense
	scores.Mul(x, mat.NewDense(c.Count, dim, c.Directions).T())
	c.Scores = scores.RawMatrix().Data
	return c, nil
}

// oriented gives a direction length 1 and the sign in which its largest coordinate is positive.
func oriented(v []float64) []float64 {
	norm, peak := 0.0, 0.0
	for _, c := range v {
		norm = math.Hypot(norm, c)
		if math.Abs(c) > math.Abs(peak) {
			peak = c
		}
	}
	scale := math.Copysign(1/norm, peak)
	for k := range v {
		v[k] *= scale
	}
	return v
}
