// Eigenvectors against their definition and against gonum's eigenvalues.

package spectrum

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// symmetricCases are symmetric matrices of order n.
func symmetricCases(r *rand.Rand, n int) map[string][]float64 {
	product := func(rank int, scale func(k int) float64) []float64 {
		a := make([]float64, n*n)
		for k := range rank {
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			for i := range n {
				for j := range n {
					a[i*n+j] += scale(k) * x[i] * x[j]
				}
			}
		}
		return a
	}
	identity, split := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		identity[i*n+i] = 3
		split[i*n+i] = float64(i%3) - 1
		if i%4 == 0 && i+1 < n {
			split[i*n+i+1], split[(i+1)*n+i] = 0.5, 0.5
		}
	}
	one := func(int) float64 { return 1 }
	return map[string][]float64{
		"full": product(2*n, one), "low rank": product((n+2)/3, one), "lower rank": product((n+9)/40,
			one), "zero": make([]float64, n*n),
		"equal": identity, "blocks": split,
		"graded":     product(n, func(k int) float64 { return math.Pow(10, -float64(k)) }),
		"indefinite": product(n, func(k int) float64 { return float64(1 - 2*(k%2)) }),
		"tiny":       product(n, func(int) float64 { return 1e-200 }),
		"great":      product(n, func(int) float64 { return 1e200 }),
	}
}

// valuesByGonum are the eigenvalues, ascending, of a scaled to numbers near 1, which gonum 0.17 needs.
func valuesByGonum(a []float64, n int) []float64 {
	scale := 0.0
	for _, v := range a {
		scale = max(scale, math.Abs(v))
	}
	if scale == 0 {
		return make([]float64, n)
	}
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			scaled.SetSym(i, j, a[i*n+j]/scale)
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(scaled, false)
	values := eigen.Values(nil)
	for k := range values {
		values[k] *= scale
	}
	return values
}

func TestEigenvectors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 5, 31, 34, 65, 130} {
		for name, a := range symmetricCases(r, n) {
			values, vectors, err := Eigenvectors(a, n, 1)
			if err != nil {
				t.Fatal(name, n, err)
			}
			want := valuesByGonum(a, n)
			largest := max(math.Abs(want[0]), math.Abs(want[n-1]))
			tolerance := 1e-14 * math.Sqrt(float64(n))
			alone, err := Eigenvalues(append([]float64(nil), a...), n, 1)
			if err != nil {
				t.Fatal(name, n, err)
			}
			for k, v := range values {
				if w := want[n-1-k]; math.Abs(v-w) > tolerance*largest || math.Abs(alone[k]-w) > tolerance*largest {
					t.Errorf("%s, order %d: eigenvalue %d is %v and %v, want %v", name, n, k, v, alone[k], w)
				}
				x := vectors[k*n : (k+1)*n]
				for i := range n {
					product, inner := 0.0, 0.0
					for j, c := range x {
						product += a[i*n+j] * c
						inner += vectors[i*n+j] * c
					}
					if math.Abs(product-v*x[i]) > 4*tolerance*largest {
						t.Errorf("%s, order %d: A·v is %v, λ·v %v", name, n, product, v*x[i])
					}
					if want := map[bool]float64{true: 1}[i == k]; math.Abs(inner-want) > 4*tolerance {
						t.Errorf("%s, order %d: vectors %d and %d have the product %v", name, n, i, k, inner)
					}
				}
			}
		}
	}
}

// Results do not depend on the number of threads.
func TestEigenvectors_Threads(t *testing.T) {
	t.Parallel()
	const n = 150
	a := symmetricCases(rand.New(rand.NewPCG(3, 4)), n)["full"]
	one, first, err := Eigenvectors(a, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	other, second, err := Eigenvectors(a, n, 4)
	if err != nil {
		t.Fatal(err)
	}
	for k := range first {
		if first[k] != second[k] || one[k/n] != other[k/n] {
			t.Fatal("eigenvectors differ with 4 threads")
		}
	}
}

func BenchmarkEigenvectors(b *testing.B) {
	const n = 512
	a := make([]float64, n*n)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = r.NormFloat64()
			a[j*n+i] = a[i*n+j]
		}
	}
	b.Run("values and vectors of order 512", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := Eigenvectors(a, n, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("values of order 512", func(b *testing.B) {
		for b.Loop() {
			if _, err := Eigenvalues(append([]float64(nil), a...), n, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
