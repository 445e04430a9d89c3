// Singular values from eigenvalues against the singular value decomposition, and where they must not be used.

package similarity

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/measure/internal/matrix"
)

func TestSingular(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 16))
	for _, one := range []struct {
		name  string
		scale func(k int) float64
	}{
		{"like noise", func(int) float64 { return 1 }},
		{"falling", func(k int) float64 { return math.Pow(2, -float64(k)) }},
		{"lost", func(k int) float64 { return math.Pow(10, -float64(k)) }},
		{"low rank", func(k int) float64 { return float64(k % 2) }},
	} {
		for _, shape := range [][2]int{{1, 1}, {12, 12}, {9, 20}, {20, 9}} {
			a := matrix.New(shape[0], shape[1])
			for i := range a.N {
				for k := range a.Row(i) {
					a.Row(i)[k] = r.NormFloat64() * one.scale(k)
				}
			}
			byRows := a.N <= a.Dim
			var svd mat.SVD
			svd.Factorize(mat.NewDense(a.N, a.Dim, a.Data), mat.SVDThin)
			want := svd.Values(nil)
			for _, vectors := range []bool{false, true} {
				values, left, err := singular(a, byRows, vectors)
				if err != nil {
					t.Fatal(err)
				}
				sum, wanted := 0.0, 0.0
				for k, v := range values {
					sum, wanted = sum+v, wanted+want[k]
				}
				if !(math.Abs(sum-wanted) <= 1e-11*wanted) {
					t.Errorf("%s, %v: the sum is %v, want %v", one.name, shape, sum, wanted)
				}
				if vectors {
					checkLeft(t, a, byRows, values, left)
				}
			}
		}
	}
	if rooted([]float64{1, 1e-13}) || rooted([]float64{1, 0}) || rooted([]float64{1, -1e-17}) ||
		!rooted([]float64{1, 1e-4}) {
		t.Error("eigenvalues that lose the digits of their roots are not told apart")
	}
}

// checkLeft compares the lengths of the products of the vectors and the matrix with the singular values.
func checkLeft(t *testing.T, a matrix.Matrix, byRows bool, values []float64, left matrix.Matrix) {
	t.Helper()
	turned := mat.Matrix(mat.NewDense(a.N, a.Dim, a.Data))
	if !byRows {
		turned = turned.T()
	}
	var product mat.Dense
	product.Mul(mat.NewDense(left.N, left.Dim, left.Data), turned)
	for k, v := range values {
		if length := mat.Norm(product.RowView(k), 2); math.Abs(length-v) > 1e-12*values[0] {
			t.Errorf("%d × %d: vector %d gives %v, want %v", a.N, a.Dim, k, length, v)
		}
	}
}
