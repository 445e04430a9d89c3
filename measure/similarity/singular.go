// Singular values from the eigenvalues of the smaller product of a matrix with itself, where these keep their digits.

package similarity

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/measure/spectrum"
)

// eigenRows are the eigenvalues of a symmetric matrix, descending, and the eigenvectors as rows.
func eigenRows(a matrix.Matrix, threads int) (values []float64, vectors matrix.Matrix, err error) {
	values, rows, err := spectrum.Eigenvectors(a.Data, a.N, threads)
	return values, matrix.Matrix{N: a.N, Dim: a.N, Data: rows}, err
}

// singular returns the singular values of a matrix, descending, and with vectors the left singular vectors as rows; the
// right ones, of the transposed matrix, for byRows false. The matrix has no more rows, or then columns, than the other.
// One thread.
func singular(a matrix.Matrix, byRows, vectors bool) (values []float64, directions matrix.Matrix, err error) {
	product := kernel.Product[float64]{
		M: a.N, N: a.N, K: a.Dim, A: kernel.Rows(a.Data, a.Dim), B: kernel.Rows(a.Data, a.Dim), Upper: !vectors, Threads: 1,
	}
	if !byRows {
		product.M, product.N, product.K = a.Dim, a.Dim, a.N
		product.A, product.B = kernel.Columns(a.Data, a.Dim), kernel.Columns(a.Data, a.Dim)
	}
	squares := matrix.New(product.M, product.M)
	product.C, product.Stride = squares.Data, squares.Dim
	if err := product.Run(); err != nil {
		return nil, directions, err
	}
	if vectors {
		values, directions, err = eigenRows(squares, 1)
	} else {
		values, err = spectrum.Eigenvalues(squares.Data, squares.N, 1)
	}
	if err == nil && rooted(values) {
		return values, directions, nil
	}
	return decomposed(a, byRows, vectors)
}

// rooted replaces eigenvalues by their roots. It is false where these may not keep their digits: an error of rounding δ
// of an eigenvalue λ is δ/(2√λ) of its root, and the sum of these must be below 1e-12 of the sum of the roots.
func rooted(values []float64) bool {
	lost, sum := 0.0, 0.0
	for i, v := range values {
		if !(v > 0) {
			return false
		}
		values[i] = math.Sqrt(v)
		sum += values[i]
		lost += 1 / values[i]
	}
	const rounding = 1e-15
	return rounding*values[0]*values[0]*lost <= 1e-12*sum
}

// decomposed is singular by the singular value decomposition.
func decomposed(a matrix.Matrix, byRows, vectors bool) (values []float64, directions matrix.Matrix, err error) {
	turned := mat.Matrix(mat.NewDense(a.N, a.Dim, a.Data))
	if !byRows {
		turned = turned.T()
	}
	kind := mat.SVDNone
	if vectors {
		kind = mat.SVDThinU
	}
	var svd mat.SVD
	if !svd.Factorize(turned, kind) {
		return nil, directions, errors.New("similarity: the singular values did not converge")
	}
	values = svd.Values(nil)
	if !vectors {
		return values, directions, nil
	}
	var columns mat.Dense
	svd.UTo(&columns)
	directions = matrix.New(len(values), len(values))
	for k := range values {
		for i := range directions.Row(k) {
			directions.Row(k)[i] = columns.At(i, k)
		}
	}
	return values, directions, nil
}
