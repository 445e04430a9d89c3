// Eigenvalues against known ones and against another solver.

package spectrum

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// symmetricOf is Q·diag(values)·Qᵀ with Q a product of random reflections.
func symmetricOf(r *rand.Rand, values []float64) []float64 {
	n := len(values)
	a := make([]float64, n*n)
	for i, v := range values {
		a[i*n+i] = v
	}
	u := make([]float64, n)
	for range 3 {
		norm := 0.0
		for i := range u {
			u[i] = r.NormFloat64()
			norm += u[i] * u[i]
		}
		f := 2 / norm
		// a − f·(a·u)·uᵀ, from both sides.
		for range 2 {
			for i := range n {
				row := a[i*n : (i+1)*n]
				along := 0.0
				for k, v := range row {
					along += v * u[k]
				}
				for k := range row {
					row[k] -= f * along * u[k]
				}
			}
			for i := range n {
				for k := range i {
					a[i*n+k], a[k*n+i] = a[k*n+i], a[i*n+k]
				}
			}
		}
	}
	return a
}

func TestKnownEigenvalues(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 4, 31, 32, 33, 64, 65, 97, 130, 257} {
		for name, value := range map[string]func(i int) float64{
			"graded":    func(i int) float64 { return math.Pow(10, -12*float64(i)/float64(n)) },
			"clustered": func(i int) float64 { return 1 + float64(i%3)*1e-9 },
			"deficient": func(i int) float64 { return float64(max(0, 5-i)) },
			"signed":    func(i int) float64 { return r.NormFloat64() },
			"equal":     func(int) float64 { return 3 },
			"zero":      func(int) float64 { return 0 },
			"huge":      func(i int) float64 { return 1e200 * float64(i+1) },
			"tiny":      func(i int) float64 { return 1e-200 * float64(i+1) },
		} {
			want := make([]float64, n)
			largest := 0.0
			for i := range want {
				want[i] = value(i)
				largest = max(largest, math.Abs(want[i]))
			}
			a := symmetricOf(r, want)
			slices.Sort(want)
			got, err := eigenvaluesOf(a, n, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range want {
				if !(math.Abs(got[i]-v) <= 1e-12*largest) {
					t.Errorf("n = %d, %s: eigenvalue %d is %v, want %v", n, name, i, got[i], v)
					break
				}
			}
		}
	}
}

// Another solver finds the same, and so does any number of threads, to the bit.
func TestEigenvaluesOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{5, 60, 200, 330} {
		x := mat.NewDense(n+n/3, n, nil)
		for i := range n + n/3 {
			for k := range n {
				x.Set(i, k, r.NormFloat64()*math.Exp(-float64(k)/20))
			}
		}
		var product mat.SymDense
		product.SymOuterK(1, x.T())
		var eigen mat.EigenSym
		if !eigen.Factorize(&product, false) {
			t.Fatal("gonum does not converge")
		}
		want := eigen.Values(nil)
		a := slices.Clone(product.RawSymmetric().Data)
		got, err := eigenvaluesOf(slices.Clone(a), n, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			if !(math.Abs(got[i]-v) <= 1e-12*want[n-1]) {
				t.Fatalf("n = %d: eigenvalue %d is %v, gonum %v", n, i, got[i], v)
			}
		}
		before := runtime.GOMAXPROCS(1)
		alone, err := eigenvaluesOf(a, n, 0)
		runtime.GOMAXPROCS(before)
		if err != nil || !slices.Equal(alone, got) {
			t.Errorf("n = %d: other values on one processor (%v)", n, err)
		}
	}
}

// BenchmarkEigenvalues: docs/benchmarks/eigenvalues.py sets other sizes by REPSCOPE_BENCH_SIZE.
func BenchmarkEigenvalues(b *testing.B) {
	sizes := []int{256, 1024}
	if s := os.Getenv("REPSCOPE_BENCH_SIZE"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		sizes = []int{n}
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			a := make([]float64, n*n)
			for i := range a {
				a[i] = r.NormFloat64()
			}
			x := make([]float64, n*n)
			for b.Loop() {
				copy(x, a)
				if _, err := eigenvaluesOf(x, n, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
