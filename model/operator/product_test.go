// Determinants against the sum over permutations that defines them.

package operator_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/graph"
)

// determinant develops along the first row.
func determinant(m [][]float64) float64 {
	if len(m) == 0 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for j, v := range m[0] {
		var rest [][]float64
		for _, row := range m[1:] {
			rest = append(rest, slices.Delete(slices.Clone(row), j, j+1))
		}
		sum += sign * v * determinant(rest)
		sign = -sign
	}
	return sum
}

func TestDet(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 7; n++ {
		x := random(r, 3, 2, n, n)
		// A matrix of rank below n, one with a column of zeros, and one that begins with zeros.
		copy(x.F32[(n-1)*n:n*n], x.F32[:n])
		for i := range n {
			x.F32[n*n+i*n] = 0
			x.F32[2*n*n+i*n/2] = 0
		}
		want := make([]float64, 6)
		for k := range want {
			m := make([][]float64, n)
			for i := range m {
				for _, v := range x.F32[k*n*n+i*n:][:n] {
					m[i] = append(m[i], float64(v))
				}
			}
			want[k] = determinant(m)
		}
		near(t, "Det", compute(t, 22, "Det", nil, 1, []*graph.Tensor{x})[0], want, 3e-6, 3, 2)
	}
}
