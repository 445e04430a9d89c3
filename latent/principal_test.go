// Eigenvectors by subspace iteration against those of the whole matrix.

package latent

import (
	"context"
	"math"
	"slices"
	"testing"

	"repscope/stat"
)

// Subspace iteration against the full eigendecomposition.
func TestLeading(t *testing.T) {
	t.Parallel()
	const n, dim = 420, 24
	random := stat.NewRandom(stat.NewKey(4))
	x := make([]float64, n*n)
	for i := range x {
		x[i] = random.Normal() / (1 + float64(i%n)/10)
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				a[i*n+j] += x[i*n+k] * x[j*n+k]
			}
		}
	}
	values, vectors, err := leading(context.Background(), slices.Clone(a), n, dim, 2)
	if err != nil {
		t.Fatal(err)
	}
	exact, _, err := leading(context.Background(), slices.Clone(a), n, n/2+1, 2)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range values {
		if math.Abs(v-exact[k]) > 1e-7*exact[0] {
			t.Errorf("eigenvalue %d is %g, want %g", k, v, exact[k])
		}
		// ‖A q − λ q‖ is small.
		residual := 0.0
		for i := range n {
			sum := 0.0
			for j := range n {
				sum += a[i*n+j] * vectors[k*n+j]
			}
			d := sum - v*vectors[k*n+i]
			residual += d * d
		}
		if math.Sqrt(residual) > 1e-3*exact[0] {
			t.Errorf("eigenvector %d: residual %g of %g", k, math.Sqrt(residual), exact[0])
		}
	}
}
