package kernel

// Tests of the products: bits against the contract, every implementation
// against every other, shapes, strides, special values, errors.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// withEach runs f once per implementation that this machine has.
func withEach(t *testing.T, f func(t *testing.T, impl *implementation)) {
	t.Helper()
	before := active.Load()
	defer active.Store(before)
	for _, impl := range implementations() {
		active.Store(impl)
		t.Run(impl.name, func(t *testing.T) { f(t, impl) })
	}
}

func fill[T Float](r *rand.Rand, s []T) []T {
	for i := range s {
		s[i] = T(r.NormFloat64())
	}
	return s
}

// sameBits compares float32 or float64 slices bit by bit; all NaNs are equal.
func sameBits[T Float](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: length %d, want %d", what, len(got), len(want))
	}
	for i := range got {
		g, w := float64(got[i]), float64(want[i])
		if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("%s: element %d is %v (%#x), want %v (%#x)", what, i, g, math.Float64bits(g), w, math.Float64bits(w))
		}
	}
}

// contract is the numerical contract of the package comment, literally.
func contract[T Float](m, n, k int, a, b func(i, k int) T, c []T, stride int, accumulate bool) {
	for i := range m {
		for j := range n {
			sum := c[i*stride+j]
			if k == 0 && !accumulate {
				sum = 0
			}
			for k0 := 0; k0 < k; k0 += KC {
				var s T
				for d := k0; d < min(k, k0+KC); d++ {
					switch x := any(&s).(type) {
					case *float32:
						*x = bigFMA32(float32(a(i, d)), float32(b(j, d)), *x)
					case *float64:
						*x = math.FMA(float64(a(i, d)), float64(b(j, d)), *x)
					}
				}
				if k0 == 0 && !accumulate {
					sum = s
				} else {
					sum += s
				}
			}
			c[i*stride+j] = sum
		}
	}
}

// bigFMA32 is a fused multiply-add by arbitrary-precision arithmetic where all
// is finite, independent of fma32.
func bigFMA32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if s == 0 || math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// Exact in float64 already: no need for big numbers.
	if v := s - p; (p-(s-v))+(float64(c)-v) == 0 {
		return float32(s)
	}
	exact := new(big.Float).SetPrec(700).SetFloat64(p)
	exact.Add(exact, new(big.Float).SetPrec(700).SetFloat64(float64(c)))
	f, _ := exact.Float32()
	return f
}

func TestFMA32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(a, b, c float32) {
		t.Helper()
		got, want := fma32(a, b, c), bigFMA32(a, b, c)
		if math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
			t.Fatalf("fma32(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	}
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-127, 1 + 0x1p-23, 1 - 0x1p-24, 0x1p-24, 0x1p-149, 0x1.8p-130,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 3, 1e30, 1e-30}
	for _, a := range special {
		for _, b := range special {
			for _, c := range special {
				check(a, b, c)
			}
		}
	}
	for range 200_000 {
		check(math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()))
		// Near ties: c is far larger than the product, or far smaller.
		a := float32(1+r.IntN(1<<12)) * 0x1p-12
		b := float32(1+r.IntN(1<<12)) * 0x1p-12
		c := float32(r.NormFloat64()) * float32(math.Ldexp(1, r.IntN(60)-30))
		check(a, b, c)
		check(-a, b, c)
		check(a*0x1p-80, b*0x1p-60, float32(math.Ldexp(c64(r), -140)))
	}
	// The case that rounding twice gets wrong: the sum lies just above a midpoint.
	a, b, c := float32(1+0x1p-23), float32(1+0x1p-23), float32(0x1p24)
	check(a, b, c)
	check(0x1.000002p0, 0x1p-24, 1)
}

func c64(r *rand.Rand) float64 { return r.NormFloat64() * 16 }

// A callback that reads rows, as a convolution would read patches.
type rowPacker[T Float] struct {
	data   []T
	stride int
}

func (p *rowPacker[T]) Pack(dst []T, width, first, count, k, depth int) {
	if k%KC != 0 || depth > KC || first%width != 0 || len(dst) != roundUp(count, width)*depth {
		panic("contract of Packer broken")
	}
	for i := range dst {
		q, d, r := i/(width*depth), i/width%depth, i%width
		dst[i] = 0
		if v := q*width + r; v < count {
			dst[i] = p.data[(first+v)*p.stride+k+d]
		}
	}
}

// finishCounter checks that every element is finished exactly once.
type finishCounter[T Float] struct {
	mu   sync.Mutex
	n    int
	seen []int
}

func (f *finishCounter[T]) Finish(c []T, stride, row, col, rows, cols int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range rows {
		for j := range cols {
			f.seen[(row+i)*f.n+col+j]++
			c[i*stride+j] = -c[i*stride+j]
		}
	}
}

type shape struct{ m, n, k int }

var shapes = []shape{
	{1, 1, 1}, {1, 1, 0}, {1, 33, 5}, {5, 1, 300}, {3, 7, 255}, {4, 4, 256}, {7, 9, 257}, {6, 16, 8}, {12, 32, 512},
	{13, 33, 513}, {25, 65, 40}, {11, 31, 100}, {8, 16, 3}, {9, 17, 1}, {97, 101, 300}, {200, 50, 64}, {50, 230, 520},
}

func testProduct[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	all := slices.Clone(shapes)
	for range 10 {
		all = append(all, shape{1 + r.IntN(60), 1 + r.IntN(80), r.IntN(600)})
	}
	for n, s := range all {
		lda, ldb, ldc := s.k+r.IntN(4), s.k+r.IntN(4), s.n+r.IntN(4)
		a := fill(r, make([]T, max(0, (s.m-1)*lda+s.k)))
		b := fill(r, make([]T, max(0, (s.n-1)*ldb+s.k)))
		before := fill(r, make([]T, (s.m-1)*ldc+s.n))
		// The same operands as columns.
		lat, lbt := s.m+r.IntN(3), s.n+r.IntN(3)
		at, bt := make([]T, max(1, s.k)*lat), make([]T, max(1, s.k)*lbt)
		for k := range s.k {
			for i := range s.m {
				at[k*lat+i] = a[i*lda+k]
			}
			for j := range s.n {
				bt[k*lbt+j] = b[j*ldb+k]
			}
		}
		for _, accumulate := range []bool{false, true} {
			want := append([]T(nil), before...)
			contract(s.m, s.n, s.k, func(i, k int) T { return a[i*lda+k] }, func(j, k int) T { return b[j*ldb+k] }, want, ldc, accumulate)
			for _, impl := range implementations() {
				active.Store(impl)
				pa, err := PackLeft(Rows(a, lda), s.m, s.k)
				if err != nil {
					t.Fatal(err)
				}
				pb, err := PackRight(Columns(bt, lbt), s.n, s.k)
				if err != nil {
					t.Fatal(err)
				}
				lefts := []Operand[T]{Rows(a, lda), Columns(at, lat), pa.Operand(0), Packing(&rowPacker[T]{a, lda})}
				rights := []Operand[T]{Rows(b, ldb), Columns(bt, lbt), pb.Operand(0), Packing(&rowPacker[T]{b, ldb})}
				for x, left := range lefts {
					for y, right := range rights {
						if impl == &generic && x != y && (n+x+y)%4 != 0 {
							continue // slow, and the operands take the same way
						}
						threads := 1 + (x+y)%3
						got := append([]T(nil), before...)
						p := Product[T]{M: s.m, N: s.n, K: s.k, A: left, B: right, C: got, Stride: ldc, Accumulate: accumulate, Threads: threads}
						if err := p.Run(); err != nil {
							t.Fatal(err)
						}
						sameBits(t, fmt.Sprintf("%s %v operands %d, %d threads %d", impl.name, s, x, y, threads), got, want)
						if x != y {
							continue
						}
						counter := &finishCounter[T]{n: s.n, seen: make([]int, s.m*s.n)}
						copy(got, before)
						p.Epilogue = counter
						if err := p.Run(); err != nil {
							t.Fatal(err)
						}
						for i, n := range counter.seen {
							row, col := i/s.n, i%s.n
							if n != 1 {
								t.Fatalf("%s %v: element (%d,%d) finished %d times", impl.name, s, row, col, n)
							}
							got[row*ldc+col] = -got[row*ldc+col]
						}
						sameBits(t, "after epilogue", got, want)
					}
				}
			}
		}
	}
}

// alwaysThreads lets small products use all the threads they ask for.
func alwaysThreads(t *testing.T) {
	before := minWork
	minWork = 1
	t.Cleanup(func() { minWork = before })
}

func TestProductBits(t *testing.T) {
	alwaysThreads(t)
	defer active.Store(active.Load())
	t.Run("float32", testProduct[float32])
	t.Run("float64", testProduct[float64])
}

// TestProductLarge compares the implementations on shapes beyond every blocking limit.
func TestProductLarge(t *testing.T) {
	defer active.Store(active.Load())
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range []shape{{13, 2300, 300}, {2300, 13, 300}, {400, 70, 2100}, {3080, 400, 9}, {400, 3080, 9}} {
		a, b := fill(r, make([]float32, s.m*s.k)), fill(r, make([]float32, s.n*s.k))
		var want []float32
		for _, impl := range implementations() {
			active.Store(impl)
			for threads := 1; threads <= 3; threads++ {
				if impl == &generic && threads != 2 {
					continue
				}
				c := make([]float32, s.m*s.n)
				p := Product[float32]{M: s.m, N: s.n, K: s.k, A: Rows(a, s.k), B: Rows(b, s.k), C: c, Stride: s.n, Threads: threads}
				if err := p.Run(); err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = c
					// A few elements by the contract itself.
					for range 50 {
						i, j := r.IntN(s.m), r.IntN(s.n)
						one := make([]float32, 1)
						contract(1, 1, s.k, func(_, k int) float32 { return a[i*s.k+k] }, func(_, k int) float32 { return b[j*s.k+k] }, one, 1, false)
						sameBits(t, "contract", c[i*s.n+j:i*s.n+j+1], one)
					}
				}
				sameBits(t, fmt.Sprintf("%s %v threads %d", impl.name, s, threads), c, want)
			}
		}
	}
}

// TestBlockOfGram computes blocks of X·Xᵀ as the neighbour search does.
func TestBlockOfGram(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(5, 6))
		const n, k = 230, 70
		x := fill(r, make([]float32, n*k))
		whole := make([]float32, n*n)
		p := Product[float32]{M: n, N: n, K: k, A: Rows(x, k), B: Rows(x, k), C: whole, Stride: n}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if whole[i*n+j] != whole[j*n+i] {
					t.Fatalf("not symmetric at (%d,%d)", i, j)
				}
			}
		}
		packed, err := PackRight(Rows(x, k), n, k)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range [][4]int{{0, 10, 0, n}, {17, 60, 96, 200}, {100, 230, 192, 230}, {5, 6, 0, 1}} {
			i0, i1, j0, j1 := b[0], b[1], b[2], b[3]
			for _, right := range []Operand[float32]{Rows(x[j0*k:], k), packed.Operand(j0)} {
				got := make([]float32, (i1-i0)*n)
				p := Product[float32]{M: i1 - i0, N: j1 - j0, K: k, A: Rows(x[i0*k:], k), B: right, C: got, Stride: n}
				if err := p.Run(); err != nil {
					t.Fatal(err)
				}
				for i := i0; i < i1; i++ {
					sameBits(t, fmt.Sprint(b), got[(i-i0)*n:(i-i0)*n+j1-j0], whole[i*n+j0:i*n+j1])
				}
			}
		}
	})
}

// TestErrorBound compares with the float64 sum and the bound of the package comment.
func TestErrorBound(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, k := range []int{1, 10, 256, 300, 3000} {
			const m, n = 5, 6
			a, b, c := fill(r, make([]float32, m*k)), fill(r, make([]float32, n*k)), make([]float32, m*n)
			p := Product[float32]{M: m, N: n, K: k, A: Rows(a, k), B: Rows(b, k), C: c, Stride: n}
			if err := p.Run(); err != nil {
				t.Fatal(err)
			}
			g := float64(Additions(k)) * 0x1p-24
			for i := range m {
				for j := range n {
					var sum, size float64
					for d := range k {
						product := float64(a[i*k+d]) * float64(b[j*k+d])
						sum += product
						size += math.Abs(product)
					}
					if e := math.Abs(float64(c[i*n+j]) - sum); e > g/(1-g)*size+1e-12*size {
						t.Errorf("K=%d: error %g, bound %g", k, e, g/(1-g)*size)
					}
				}
			}
		}
	})
}

func TestSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	withEach(t, func(t *testing.T, _ *implementation) {
		for _, c := range []struct {
			a, b []float32
			want float32
		}{
			{[]float32{0, 1}, []float32{inf, 1}, nan},
			{[]float32{0, 1}, []float32{nan, 1}, nan},
			{[]float32{1, 1}, []float32{inf, 1}, inf},
			{[]float32{1, 1}, []float32{inf, -inf}, nan},
			{[]float32{-1, 1}, []float32{inf, 3}, -inf},
			{[]float32{math.MaxFloat32, -math.MaxFloat32}, []float32{2, 2}, inf},
			{[]float32{math.MaxFloat32, -math.MaxFloat32}, []float32{1, 1}, 0},
			{[]float32{0x1p-140}, []float32{0.5}, 0x1p-141},
			{[]float32{0x1p-149}, []float32{0.5}, 0},
			{[]float32{-1}, []float32{0}, 0},
		} {
			k := len(c.a)
			// Alone, and in the middle of a tile whose other rows must stay clean.
			const m, n = 20, 40
			a, b, got := make([]float32, m*k), make([]float32, n*k), make([]float32, m*n)
			copy(a[7*k:], c.a)
			copy(b[19*k:], c.b)
			p := Product[float32]{M: m, N: n, K: k, A: Rows(a, k), B: Rows(b, k), C: got, Stride: n}
			if err := p.Run(); err != nil {
				t.Fatal(err)
			}
			sameBits(t, fmt.Sprint(c), got[7*n+19:7*n+20], []float32{c.want})
			if v := got[6*n+18]; v != 0 {
				t.Errorf("%v: leaked %v into another element", c, v)
			}
		}
	})
}

func TestProductErrors(t *testing.T) {
	a, b, c := make([]float32, 12), make([]float32, 12), make([]float32, 16)
	ok := func() Product[float32] {
		return Product[float32]{M: 4, N: 4, K: 3, A: Rows(a, 3), B: Rows(b, 3), C: c, Stride: 4}
	}
	pa, _ := PackLeft(Rows(a, 3), 4, 3)
	pb, _ := PackRight(Rows(a, 3), 4, 3)
	for name, change := range map[string]func(*Product[float32]){
		"product of shape":   func(p *Product[float32]) { p.M = -1 },
		"A is not set":       func(p *Product[float32]) { p.A = Operand[float32]{} },
		"matrix A":           func(p *Product[float32]) { p.A = Rows(a[:11], 3) },
		"matrix B: stride":   func(p *Product[float32]) { p.B = Rows(b, 2) },
		"matrix B: 12":       func(p *Product[float32]) { p.B = Columns(b, 5) },
		"matrix C":           func(p *Product[float32]) { p.C = c[:15] },
		"matrix C: stride 3": func(p *Product[float32]) { p.Stride = 3 },
		"packed with depth":  func(p *Product[float32]) { p.A, p.K = pa.Operand(0), 2 },
		"packed 4 vectors":   func(p *Product[float32]) { p.A, p.M, p.C = pa.Operand(0), 5, make([]float32, 20) },
		"not a multiple":     func(p *Product[float32]) { p.A = pa.Operand(1) },
		"nil Packer":         func(p *Product[float32]) { p.A = Packing[float32](nil) },
		"overlaps":           func(p *Product[float32]) { p.A = Rows(c, 3) },
		"do not hold":        func(p *Product[float32]) { p.M = math.MaxInt / 2 },
	} {
		p := ok()
		change(&p)
		if err := p.Run(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if floatTiling[float32]().mr != floatTiling[float32]().nr {
		p := ok()
		p.A = pb.Operand(0)
		if err := p.Run(); err == nil || !strings.Contains(err.Error(), "panels of") {
			t.Errorf("packed for the other side: error %v", err)
		}
	}
	if _, err := PackLeft(pa.Operand(0), 4, 3); err == nil {
		t.Error("packed an operand twice")
	}
	if _, err := PackRight(Rows(a, 3), -1, 3); err == nil {
		t.Error("packed -1 vectors")
	}
	for _, p := range []Product[float32]{
		{M: 0, N: 4, K: 3, A: Rows(a, 3), B: Rows(b, 3)},
		{M: 4, N: 0, K: 3, A: Rows(a, 3), B: Rows(b, 3)},
	} {
		if err := p.Run(); err != nil {
			t.Error(err)
		}
	}
}

// The gaps between the rows of C, and everything past it, are left alone.
// The wanted half of a symmetric product has the bits of the whole one, whichever
// operand is shared, and every element of it is finished once.
func TestUpper(t *testing.T) {
	alwaysThreads(t)
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(17, 18))
		for _, s := range []shape{{5, 9, 3}, {97, 300, 300}, {300, 130, 40}, {800, 1700, 17}} {
			x, y := fill(r, make([]float32, s.m*s.k)), fill(r, make([]float32, s.n*s.k))
			bytes := make([]uint8, (s.m+s.n)*s.k)
			for i := range bytes {
				bytes[i] = uint8(r.Uint32())
			}
			left, err := PackLeft(Rows(x, s.k), s.m, s.k)
			if err != nil {
				t.Fatal(err)
			}
			for threads := 1; threads <= 3; threads++ {
				for _, a := range []Operand[float32]{Rows(x, s.k), left.Operand(0)} {
					product := func(upper bool) ([]float32, []int32) {
						c, finished := make([]float32, s.m*s.n), make([]int32, s.m*s.n)
						p := Product[float32]{M: s.m, N: s.n, K: s.k, A: a, B: Rows(y, s.k), C: c, Stride: s.n, Threads: threads, Upper: upper,
							Epilogue: countFinished{finished, s.n}}
						if err := p.Run(); err != nil {
							t.Fatal(err)
						}
						return c, finished
					}
					whole, _ := product(false)
					half, finished := product(true)
					for i := range s.m {
						for j := i; j < s.n; j++ {
							if at := i*s.n + j; half[at] != whole[at] || finished[at] != 1 {
								t.Fatalf("%v, %d threads: element %d, %d is %v, finished %d times, want %v once", s, threads, i, j, half[at], finished[at], whole[at])
							}
						}
					}
				}
				testUpperUint8[int32](t, s, bytes, threads)
				testUpperUint8[int64](t, s, bytes, threads)
			}
		}
	})
}

func testUpperUint8[I Integer](t *testing.T, s shape, bytes []uint8, threads int) {
	t.Helper()
	product := func(upper bool) []I {
		c := make([]I, s.m*s.n)
		p := Uint8Product[I]{M: s.m, N: s.n, K: s.k, A: Uint8Rows(bytes, s.k), B: Uint8Rows(bytes[s.m*s.k:], s.k), C: c, Stride: s.n, Threads: threads, Upper: upper}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	whole, half := product(false), product(true)
	for i := range s.m {
		for j := i; j < s.n; j++ {
			if half[i*s.n+j] != whole[i*s.n+j] {
				t.Fatalf("%v, %d threads: element %d, %d is %d, want %d", s, threads, i, j, half[i*s.n+j], whole[i*s.n+j])
			}
		}
	}
}

// countFinished counts how often each element was finished.
type countFinished struct {
	count  []int32
	stride int
}

func (f countFinished) Finish(_ []float32, _, row, col, rows, cols int) {
	for i := range rows {
		for j := range cols {
			atomic.AddInt32(&f.count[(row+i)*f.stride+col+j], 1)
		}
	}
}

// A product whose channel is closed stops, one that is not closed does not.
func TestDone(t *testing.T) {
	alwaysThreads(t)
	x, c := make([]float32, 200*300), make([]float32, 200*200)
	bytes, d := make([]uint8, 200*300), make([]int32, 200*200)
	wide := make([]int64, 200*200)
	open, closed := make(chan struct{}), make(chan struct{})
	close(closed)
	for threads := 1; threads <= 2; threads++ {
		for channel, want := range map[chan struct{}]error{nil: nil, open: nil, closed: ErrStopped} {
			floats := Product[float32]{M: 200, N: 200, K: 300, A: Rows(x, 300), B: Rows(x, 300), C: c, Stride: 200, Threads: threads, Done: channel}
			integers := Uint8Product[int32]{M: 200, N: 200, K: 300, A: Uint8Rows(bytes, 300), B: Uint8Rows(bytes, 300), C: d, Stride: 200, Threads: threads, Done: channel}
			long := Uint8Product[int64]{M: 200, N: 200, K: 300, A: Uint8Rows(bytes, 300), B: Uint8Rows(bytes, 300), C: wide, Stride: 200, Threads: threads, Done: channel}
			for _, run := range []func() error{floats.Run, integers.Run, long.Run} {
				if err := run(); err != want {
					t.Errorf("%d threads: got %v, want %v", threads, err, want)
				}
			}
		}
	}
}

func TestStrideGaps(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		const m, n, k, stride = 30, 70, 20, 77
		a, b, c := make([]float32, m*k), make([]float32, n*k), make([]float32, m*stride)
		for i := range c {
			c[i] = 42
		}
		p := Product[float32]{M: m, N: n, K: k, A: Rows(a, k), B: Rows(b, k), C: c, Stride: stride}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
		for i, v := range c {
			if want := map[bool]float32{true: 0, false: 42}[i%stride < n]; v != want {
				t.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n, k = 200, 300
	a, b, c := fill(r, make([]float32, n*k)), fill(r, make([]float32, n*k)), make([]float32, n*n)
	packer := &rowPacker[float32]{b, k}
	for threads := 1; threads <= 2; threads++ {
		run := func() {
			p := Product[float32]{M: n, N: n, K: k, A: Rows(a, k), B: Packing(packer), C: c, Stride: n, Threads: threads}
			if err := p.Run(); err != nil {
				t.Fatal(err)
			}
		}
		if got := testing.AllocsPerRun(20, run); got > 0 {
			t.Errorf("threads %d: %v allocations per product", threads, got)
		}
	}
	x, y, d := make([]uint8, n*k), make([]uint8, n*k), make([]int32, n*n)
	run := func() {
		p := Uint8Product[int32]{M: n, N: n, K: k, A: Uint8Rows(x, k), B: Uint8Rows(y, k), C: d, Stride: n, Threads: 2}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
	}
	if got := testing.AllocsPerRun(20, run); got > 0 {
		t.Errorf("uint8: %v allocations per product", got)
	}
	index, dst := make([]int32, 50), make([]float64, 50)
	if got := testing.AllocsPerRun(20, func() { SquaredDistances(dst, a[:k], b, k, index) }); got > 0 {
		t.Errorf("SquaredDistances: %v allocations per call", got)
	}
}

// TestConcurrentProducts: several goroutines with pooled workspaces.
func TestConcurrentProducts(t *testing.T) {
	alwaysThreads(t)
	r := rand.New(rand.NewPCG(2, 2))
	const n, k = 60, 300
	a, b := fill(r, make([]float32, n*k)), fill(r, make([]float32, n*k))
	want := make([]float32, n*n)
	p := Product[float32]{M: n, N: n, K: k, A: Rows(a, k), B: Rows(b, k), C: want, Stride: n, Threads: 1}
	if err := p.Run(); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 5 {
				p, got := p, make([]float32, n*n)
				p.C, p.Threads = got, 2
				if err := p.Run(); err != nil {
					t.Error(err)
				}
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("element %d differs", i)
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

// naive uint8 products in int64.
func naiveUint8(x, y []uint8, squared bool) int64 {
	var s int64
	for k, v := range x {
		if squared {
			d := int64(v) - int64(y[k])
			s += d * d
		} else {
			s += int64(v) * int64(y[k])
		}
	}
	return s
}

// packUint8 packs an operand for one side.
func packUint8(o Uint8Operand, side string, count, depth int) (*PackedUint8, error) {
	p := new(PackedUint8)
	return p, p.fill(o, side, count, depth, side == "B")
}

func testUint8[I Integer](t *testing.T, list []shape, all255 bool) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, s := range list {
		lda, ldb, ldc := s.k+r.IntN(5), s.k+r.IntN(5), s.n+r.IntN(3)
		a, b := make([]uint8, s.m*lda), make([]uint8, s.n*ldb)
		for i := range a {
			a[i] = uint8(r.Uint32())
			if all255 || r.IntN(4) == 0 {
				a[i] = 255
			}
		}
		for i := range b {
			b[i] = uint8(r.Uint32())
			if all255 || r.IntN(4) == 0 {
				b[i] = 255
			}
		}
		if all255 { // one vector of zeros: the largest distance
			clear(b[:s.k])
		}
		squaresA, squaresB := make([]I, s.m), make([]I, s.n)
		for i := range squaresA {
			squaresA[i] = I(SumSquaresUint8(a[i*lda : i*lda+s.k]))
		}
		for j := range squaresB {
			squaresB[j] = I(SumSquaresUint8(b[j*ldb : j*ldb+s.k]))
		}
		for _, squared := range []bool{false, true} {
			want := make([]I, s.m*ldc)
			for i := range s.m {
				for j := range s.n {
					want[i*ldc+j] = I(naiveUint8(a[i*lda:i*lda+s.k], b[j*ldb:j*ldb+s.k], squared))
				}
			}
			for _, impl := range implementations() {
				active.Store(impl)
				pa, err := packUint8(Uint8Rows(a, lda), "A", s.m, s.k)
				if err != nil {
					t.Fatal(err)
				}
				pb, err := packUint8(Uint8Rows(b, ldb), "B", s.n, s.k)
				if err != nil {
					t.Fatal(err)
				}
				for x, left := range []Uint8Operand{Uint8Rows(a, lda), pa.Operand(0)} {
					for y, right := range []Uint8Operand{Uint8Rows(b, ldb), pb.Operand(0)} {
						got := make([]I, s.m*ldc)
						p := Uint8Product[I]{M: s.m, N: s.n, K: s.k, A: left, B: right, C: got, Stride: ldc,
							Squared: squared, ASquares: squaresA, BSquares: squaresB, Threads: 1 + x + y}
						if err := p.Run(); err != nil {
							t.Fatal(err)
						}
						for i := range got {
							if got[i] != want[i] {
								t.Fatalf("%s %v squared %v operands %d,%d: element %d is %d, want %d", impl.name, s, squared, x, y, i, got[i], want[i])
							}
						}
					}
				}
			}
		}
	}
}

func TestUint8(t *testing.T) {
	alwaysThreads(t)
	defer active.Store(active.Load())
	list := append([]shape{{3, 5, 2051}, {14, 35, 1024}, {13, 33, 1027}, {100, 200, 99}}, shapes...)
	t.Run("int32", func(t *testing.T) { testUint8[int32](t, list, false) })
	t.Run("int64", func(t *testing.T) {
		testUint8[int64](t, append([]shape{{400, 20, 37}, {3, 2100, 40}}, shapes...), false)
	})
	t.Run("int32 largest", func(t *testing.T) { testUint8[int32](t, []shape{{3, 5, MaxUint8Depth}}, true) })
	t.Run("int64 long", func(t *testing.T) { testUint8[int64](t, []shape{{3, 5, 40000}, {2, 33, 70001}}, true) })
	t.Run("int64 long random", func(t *testing.T) { testUint8[int64](t, []shape{{13, 34, 40000}}, false) })
}

func TestUint8BlockOfPacked(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(5, 6))
		const n, k = 230, 70
		x, squares := make([]uint8, n*k), make([]int32, n)
		for i := range x {
			x[i] = uint8(r.Uint32())
		}
		for i := range squares {
			squares[i] = int32(SumSquaresUint8(x[i*k : i*k+k]))
		}
		left, err := packUint8(Uint8Rows(x, k), "A", n, k)
		if err != nil {
			t.Fatal(err)
		}
		right, err := packUint8(Uint8Rows(x, k), "B", n, k)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int32, 134*38)
		p := Uint8Product[int32]{M: 134, N: 38, K: k, A: left.Operand(96), B: right.Operand(192), C: got, Stride: 38,
			Squared: true, ASquares: squares[96:], BSquares: squares[192:]}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
		for i := range 134 {
			for j := range 38 {
				if want := naiveUint8(x[(96+i)*k:(97+i)*k], x[(192+j)*k:(193+j)*k], true); int64(got[i*38+j]) != want {
					t.Fatalf("(%d,%d): %d, want %d", i, j, got[i*38+j], want)
				}
			}
		}
	})
}

func TestUint8Errors(t *testing.T) {
	x, c := make([]uint8, MaxUint8Depth+1), make([]int32, 4)
	for want, p := range map[string]Uint8Product[int32]{
		"do not fit into int32": {M: 1, N: 1, K: MaxUint8Depth + 1, A: Uint8Rows(x, len(x)), B: Uint8Rows(x, len(x)), C: c, Stride: 1},
		"matrix A":              {M: 2, N: 1, K: len(x) / 2, A: Uint8Rows(x[1:], len(x)/2+1), B: Uint8Rows(x, len(x)), C: c, Stride: 1},
		"product of shape":      {M: -2, N: 1, K: 1},
		"squared norms":         {M: 2, N: 2, K: 3, A: Uint8Rows(x, 3), B: Uint8Rows(x, 3), C: c, Stride: 2, Squared: true},
	} {
		if err := p.Run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

func TestRows(t *testing.T) {
	withEach(t, func(t *testing.T, impl *implementation) {
		r := rand.New(rand.NewPCG(13, 14))
		for _, n := range []int{0, 1, 7, 8, 9, 31, 63, 64, 65, 100, 127, 128, 129, 1000, 40003} {
			x := make([]uint8, n)
			for i := range x {
				x[i] = uint8(r.Uint32())
			}
			if n > 1000 {
				for i := range x {
					x[i] = 255
				}
			}
			if got, want := SumUint8(x), sumUint8Generic(x); got != want {
				t.Errorf("sum of %d: %d, want %d", n, got, want)
			}
			if got, want := SumSquaresUint8(x), sumSquaresUint8Generic(x); got != want {
				t.Errorf("sum of squares of %d: %d, want %d", n, got, want)
			}
			c, squares := make([]int32, n), make([]int32, n)
			for i := range c {
				c[i], squares[i] = int32(r.Uint32()), int32(r.Uint32())
			}
			want := append([]int32(nil), c...)
			finishRowGeneric(want, squares, -12345)
			impl.vector.finishRow(c, squares, -12345)
			for i := range c {
				if c[i] != want[i] {
					t.Fatalf("finishRow: element %d of %d is %d, want %d", i, n, c[i], want[i])
				}
			}
		}
		t.Run("float32", testSquaredDistances[float32])
		t.Run("float64", testSquaredDistances[float64])
		t.Run("uint8", testSquaredDistancesUint8)
		t.Run("scans", func(t *testing.T) { testScans(t, impl) })
	})
}

func testSquaredDistances[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 100, 1003} {
		const rows = 21
		stride := n + r.IntN(3)
		x, y := fill(r, make([]T, n)), fill(r, make([]T, rows*stride+n))
		if n > 0 {
			x[n-1] = T(math.Ldexp(1, -140)) // subnormal in float32
			y[n-1] = T(math.Inf(1))
			y[stride+n-1] = T(math.NaN())
		}
		for _, count := range []int{0, 1, 5, 8, 13, 16, rows} {
			index, got, want := make([]int32, count), make([]float64, count), make([]float64, count)
			for i := range index {
				index[i] = int32(r.IntN(rows))
				want[i] = SquaredDistance(x, y[int(index[i])*stride:][:n])
			}
			SquaredDistances(got, x, y, stride, index)
			sameBits(t, fmt.Sprintf("n %d count %d", n, count), got, want)
		}
	}
}

func testSquaredDistancesUint8(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	const rows, n, stride = 21, 37, 40
	x, y := make([]uint8, n), make([]uint8, rows*stride)
	for i := range x {
		x[i] = uint8(r.Uint32())
	}
	for i := range y {
		y[i] = uint8(r.Uint32())
	}
	for count := range 2 * rows {
		index, got, want := make([]int32, count), make([]float64, count), make([]float64, count)
		for i := range index {
			index[i] = int32(r.IntN(rows))
			want[i] = float64(naiveUint8(x, y[int(index[i])*stride:][:n], true))
		}
		SquaredDistances(got, x, y, stride, index)
		sameBits(t, fmt.Sprintf("count %d", count), got, want)
	}
}

// The selection by the environment variable, in processes of their own.
func TestSelection(t *testing.T) {
	if os.Getenv("KERNEL_TEST_CHILD") != "" {
		name, err := Selected()
		fmt.Printf("name=%s err=%v\n", name, err)
		return
	}
	var names []string
	for _, impl := range implementations() {
		names = append(names, impl.name)
	}
	best := names[len(names)-1]
	cases := map[string]string{
		"":       "name=" + best + " err=<nil>",
		"sse9":   "name=" + best + ` err=REPSCOPE_KERNEL="sse9" is unknown`,
		"AVX2":   "is unknown",
		"avx512": "",
		"avx2":   "",
	}
	for _, name := range names {
		cases[name] = "name=" + name + " err=<nil>"
	}
	for _, name := range []string{"avx2", "avx512"} {
		if cases[name] == "" {
			cases[name] = "is not supported by this processor or build"
		}
	}
	executable, err := os.Executable()
	if err != nil {
		t.Skipf("cannot run itself: %v", err)
	}
	for value, want := range cases {
		command := exec.Command(executable, "-test.run=^TestSelection$")
		command.Env = append(os.Environ(), "KERNEL_TEST_CHILD=1", Environment+"="+value)
		out, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s=%q: %v, output %q, want %q", Environment, value, err, out, want)
		}
	}
}

// The bits of one product, so that another architecture can be held against them.
func TestKnownBits(t *testing.T) {
	const m, n, k = 5, 7, 777
	// A linear congruential generator: no library in between.
	state := uint32(1)
	next := func() float32 {
		state = state*1664525 + 1013904223
		return float32(int32(state)>>8) * 0x1p-23
	}
	a, b := make([]float32, m*k), make([]float32, n*k)
	for i := range a {
		a[i] = next()
	}
	for i := range b {
		b[i] = next()
	}
	withEach(t, func(t *testing.T, _ *implementation) {
		c := make([]float32, m*n)
		p := Product[float32]{M: m, N: n, K: k, A: Rows(a, k), B: Rows(b, k), C: c, Stride: n}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
		hash := uint64(14695981039346656037)
		for _, v := range c {
			var raw [4]byte
			binary.LittleEndian.PutUint32(raw[:], math.Float32bits(v))
			for _, x := range raw {
				hash = (hash ^ uint64(x)) * 1099511628211
			}
		}
		const want = 0x35d2444fc8768c91
		if hash != want {
			t.Errorf("FNV-1a of the bits is %#x, want %#x", hash, uint64(want))
		}
	})
}

// TestGenerated: the committed assembly is what the generator writes.
func TestGenerated(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go tool is not on the path")
	}
	dir := t.TempDir()
	if out, err := exec.Command(tool, "run", "generate.go", "-dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("go run generate.go: %v\n%s", err, out)
	}
	for _, name := range []string{"assembly_amd64.s", "assembly_amd64.go"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what generate.go writes; run go generate ./internal/kernel", name)
		}
	}
}

// testScans compares the row scans with their portable twins.
func testScans(t *testing.T, impl *implementation) {
	r := rand.New(rand.NewPCG(8, 9))
	for n := range 70 {
		x, shift, whole := make([]float32, n), make([]float32, n), make([]int32, n)
		for i := range x {
			x[i], shift[i], whole[i] = float32(r.IntN(9)-4), r.Float32(), int32(r.IntN(9)-4)
			switch r.IntN(20) {
			case 0:
				x[i], whole[i] = float32(math.NaN()), math.MaxInt32
			case 1:
				x[i], whole[i] = float32(math.Inf(1)), math.MinInt32
			case 2:
				x[i] = float32(math.Copysign(0, -1))
			}
		}
		got, want := make([]float32, n), make([]float32, n)
		impl.vector.scaleShift(got, x, shift, 0.3)
		scaleShiftGeneric(want, x, shift, 0.3)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && got[i] == got[i] {
				t.Fatalf("scaleShift: element %d of %d is %v, want %v", i, n, got[i], want[i])
			}
		}
		impl.vector.finishDistances(got, shift, 0.7)
		finishDistancesGeneric(want, shift, 0.7)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && got[i] == got[i] {
				t.Fatalf("finishDistances: element %d of %d is %v, want %v", i, n, got[i], want[i])
			}
		}
		a, b := make([]int32, n), make([]int32, n)
		for _, limit := range []float32{-5, 0, 2, math.MaxFloat32} {
			limits := make([]float32, n)
			for i := range limits {
				limits[i] = float32(r.IntN(12) - 8)
			}
			if p, q := impl.vector.nearDistances(a, x, shift, limits, 0.7, limit), nearDistancesGeneric(b, x, shift, limits, 0.7, limit); !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("near %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
		for _, limit := range []float32{-5, -1, 0, 2, float32(math.Inf(1))} {
			if p, q := impl.vector.atMost(a, x, limit), atMostGeneric(b, x, limit); !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("at most %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
		for _, limit := range []int32{math.MinInt32, -1, 0, 3, math.MaxInt32} {
			if p, q := impl.vector.below(a, whole, limit), belowGeneric(b, whole, limit); !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("below %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
	}
}
