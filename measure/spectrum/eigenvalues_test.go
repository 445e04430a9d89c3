// Eigenvalues against known ones and against another solver.

package spectrum

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
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

// eigenvaluesBy are those by way of b diagonals.
func eigenvaluesBy(a []float64, n, b, threads int) ([]float64, error) {
	t, err := tridiagonalOf(a, n, b, threads)
	if err != nil {
		return nil, err
	}
	return t.eigenvalues()
}

// bands are the numbers of diagonals that there are.
var bands = []int{kernel.BandStep, kernel.MaxBand}

func TestKnownEigenvalues(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 4, 31, 32, 33, 34, 35, 36, 64, 65, 66, 67, 68, 97, 130, 257} {
		cases := map[string]func(i int) float64{
			"graded":    func(i int) float64 { return math.Pow(10, -12*float64(i)/float64(n)) },
			"clustered": func(i int) float64 { return 1 + float64(i%3)*1e-9 },
			"deficient": func(i int) float64 { return float64(max(0, 5-i)) },
			"signed":    func(i int) float64 { return r.NormFloat64() },
			"equal":     func(int) float64 { return 3 },
			"zero":      func(int) float64 { return 0 },
			"huge":      func(i int) float64 { return 1e200 * float64(i+1) },
			"tiny":      func(i int) float64 { return 1e-200 * float64(i+1) },
			"vanishing": func(i int) float64 { return math.Pow(10, -300*float64(i)/float64(n)) },
		}
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			value := cases[name]
			want := make([]float64, n)
			largest := 0.0
			for i := range want {
				want[i] = value(i)
				largest = max(largest, math.Abs(want[i]))
			}
			a := symmetricOf(r, want)
			slices.Sort(want)
			for _, b := range bands {
				got, err := eigenvaluesBy(slices.Clone(a), n, b, 0)
				if err != nil {
					t.Fatal(err)
				}
				nearValues(t, fmt.Sprintf("n = %d, %d diagonals, %s", n, b, name), got, want, 1e-12*largest)
			}
		}
	}
}

// nearValues compares eigenvalues in the same order.
func nearValues(t *testing.T, label string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d eigenvalues, want %d", label, len(got), len(want))
		return
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance) {
			t.Errorf("%s: eigenvalue %d is %v, want %v", label, i, got[i], v)
			return
		}
	}
}

// share is a number in [−1/2, 1/2) for every integer, of the matrices of testdata/eigenvalues.py.
func share(i int) float64 { return float64(uint32(i)*2654435761+12345)/(1<<32) - 0.5 }

// wilkinson is the tridiagonal matrix of pairs of values that hardly differ.
func wilkinson(n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = math.Abs(float64(i) - float64(n-1)/2)
		if i < n-1 {
			a[i*n+i+1], a[(i+1)*n+i] = 1, 1
		}
	}
	return a
}

// goldenMatrix is a matrix of testdata/eigenvalues.py; values are those of Wilkinson's.
func goldenMatrix(name string, n int, values []float64) []float64 {
	a := make([]float64, n*n)
	fill := func(f func(i, k int) float64) []float64 {
		for i := range n {
			for k := range n {
				a[i*n+k] = f(i, k)
			}
		}
		return a
	}
	diagonal := func(f func(i int) float64) []float64 {
		for i := range n {
			a[i*n+i] = f(i)
		}
		return rotate(a, n)
	}
	switch name {
	case "graded":
		return diagonal(func(i int) float64 { return math.Pow(10, -12*float64(i)/float64(n)) })
	case "clustered":
		return diagonal(func(i int) float64 { return 1 + float64(i%3)*1e-9 })
	case "deficient":
		return diagonal(func(i int) float64 { return float64(max(0, 5-i)) })
	case "wilkinson":
		return wilkinson(n)
	case "wilkinson rotated":
		return diagonal(func(i int) float64 { return values[i] })
	case "hilbert":
		return fill(func(i, k int) float64 { return 1 / float64(i+k+1) })
	case "uniform":
		return fill(func(i, k int) float64 { return share(max(i, k)*(max(i, k)+1)/2 + min(i, k)) })
	}
	return nil
}

// rotate is Q·a·Qᵀ with Q a product of three reflections of integer vectors.
func rotate(a []float64, n int) []float64 {
	u, y := make([]float64, n), make([]float64, n)
	for s := range 3 {
		norm := 0.0
		for i := range u {
			u[i] = float64((7*i*i+(2*s+3)*i+11*s)%101 - 50)
			norm += u[i] * u[i]
		}
		f, along := 2/norm, 0.0
		for i := range y {
			y[i] = 0
			for k, v := range a[i*n : (i+1)*n] {
				y[i] += v * u[k]
			}
			along += u[i] * y[i]
		}
		for i := range n {
			for k := range n {
				a[i*n+k] += f * (f*along*u[i]*u[k] - u[i]*y[k] - y[i]*u[k])
			}
		}
	}
	return a
}

// LAPACK's solvers find the same, see testdata/eigenvalues.py, to a hundredth of what is promised.
func TestGoldenEigenvalues(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t).Matrices {
		a := goldenMatrix(c.Name, c.N, c.Values)
		if a == nil {
			t.Errorf("no matrix %q", c.Name)
			continue
		}
		for _, b := range bands {
			got, err := eigenvaluesBy(slices.Clone(a), c.N, b, 2)
			if err != nil {
				t.Fatal(err)
			}
			largest := max(math.Abs(c.Values[0]), math.Abs(c.Values[c.N-1]))
			nearValues(t, fmt.Sprintf("%s, n = %d, %d diagonals", c.Name, c.N, b), got, c.Values, 1e-12*largest)
		}
	}
}

type golden struct {
	Matrices []struct {
		Name   string
		N      int
		Values []float64
	}
	Points []struct {
		Name                             string
		N, Dim                           int
		Singular                         []float64
		RankMe, Effective, Participation float64
		EffectiveSingular                float64 `json:"effective_singular"`
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/eigenvalues.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Matrices) < 10 || len(g.Points) < 5 {
		t.Fatalf("%d matrices and %d clouds, want more", len(g.Matrices), len(g.Points))
	}
	return g
}

// Another solver finds the same.
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
		got, err := eigenvaluesOf(product.RawSymmetric().Data, n, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			if !(math.Abs(got[i]-v) <= 1e-12*want[n-1]) {
				t.Fatalf("n = %d: eigenvalue %d is %v, gonum %v", n, i, got[i], v)
			}
		}
	}
}

// Any number of threads finds the same bits.
func TestEigenvaluesByThreads(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{60, 600} {
		a := make([]float64, n*n)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		for _, b := range bands {
			want, err := eigenvaluesBy(slices.Clone(a), n, b, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{2, 3, 8} {
				got, err := eigenvaluesBy(slices.Clone(a), n, b, threads)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("n = %d, %d diagonals: other values on %d threads (%v)", n, b, threads, err)
				}
			}
		}
	}
}

// Every instruction set, and none, finds the same bits of the tridiagonal matrix: those of this digest, which is of no
// meaning beyond that. REPSCOPE_KERNEL and the tag noasm choose what computes them.
func TestTridiagonalBits(t *testing.T) {
	t.Parallel()
	for b, want := range map[int]uint64{kernel.BandStep: 0xe0e85f45091419ff, kernel.MaxBand: 0x43e9bfe5814f6229} {
		const n = 260
		tri, err := tridiagonalOf(goldenMatrix("uniform", n, nil), n, b, 0)
		if err != nil {
			t.Fatal(err)
		}
		digest := fnv.New64a()
		for _, v := range slices.Concat(tri.diagonal, tri.beside) {
			if err := binary.Write(digest, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		if got := digest.Sum64(); got != want {
			t.Errorf("%d diagonals: digest %#x with kernel %s, want %#x", b, got, kernel.Name(), want)
		}
	}
}

// BenchmarkEigenvalues: benchmarks/peers/eigenvalues.py sets other sizes by REPSCOPE_BENCH_SIZE.
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
			for b.Loop() {
				b.StopTimer()
				for i := range a {
					a[i] = r.Float64() - 0.5
				}
				b.StartTimer()
				if _, err := eigenvaluesOf(a, n, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// eigenvaluesOf are the eigenvalues of the symmetric n × n matrix a, of finite elements, in ascending order, within a
// few n·2⁻⁵² of the largest. Only the upper triangle is read; a is overwritten. threads ≤ 0: one per processor.
//
// Two stages of Householder reflections make the matrix tridiagonal (C. Bischof, B. Lang & X. Sun 2000, "A framework
// for symmetric band reduction"): nearly all operations of the first, to a band, are products, and the second works
// on blocks that stay in the cache. The square-root-free QL iteration (Pal, Walker & Kahan) finds the values. The
// order of all sums is a function of n.
func eigenvaluesOf(a []float64, n, threads int) ([]float64, error) {
	t, err := tridiagonalOf(a, n, bandOf(n), threads)
	if err != nil {
		return nil, err
	}
	return t.eigenvalues()
}

// Elements far below the rounding of the largest do not matter, wherever they are together.
func TestEigenvalues_Vanishing(t *testing.T) {
	t.Parallel()
	for _, tiny := range []float64{1e-100, 1e-130, 1e-300, 5e-324} {
		m := tridiagonal{diagonal: []float64{1, 0.5, tiny, 3 * tiny, 0, tiny}, beside: []float64{0.25, 0, tiny, 0, tiny}}
		got, err := m.squares()
		if err != nil {
			t.Fatal(err)
		}
		root := math.Sqrt(0.0625 + 0.0625)
		nearValues(t, fmt.Sprint(tiny), got, []float64{0.75 + root, 0.75 - root, 0, 0, 0, 0}, 1e-15)
	}
}
