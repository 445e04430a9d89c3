// Eigenvectors by subspace iteration against the whole matrix.

package principal

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

// Rows four at a time and one after the other are the same.
func TestOrthonormal(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.NewKey(5))
	for _, shape := range [][2]int{{1, 3}, {3, 7}, {4, 9}, {5, 5}, {11, 40}, {24, 130}, {9, 6}} {
		count, size := shape[0], shape[1]
		q := make([]float64, count*size)
		for i := range q {
			q[i] = random.Normal()
		}
		want := slices.Clone(q)
		for k := range count {
			row := want[k*size : (k+1)*size]
			for range 2 {
				for l := range k {
					dot := 0.0
					for i, v := range row {
						dot += float64(v * want[l*size+i])
					}
					for i := range row {
						row[i] -= float64(dot * want[l*size+i])
					}
				}
			}
			norm := 0.0
			for _, v := range row {
				norm += float64(v * v)
			}
			norm = 1 / math.Sqrt(norm)
			for i := range row {
				row[i] *= norm
			}
		}
		if orthonormal(q, count, size); !slices.Equal(q, want) {
			t.Errorf("%d rows of %d differ from those made one after the other", count, size)
		}
	}
}
