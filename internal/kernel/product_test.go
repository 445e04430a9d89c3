// Tests of the products: bits against the contract, every implementation
// against every other, shapes, strides, special values, errors.

package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

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
		aT, bt := make([]T, max(1, s.k)*lat), make([]T, max(1, s.k)*lbt)
		for k := range s.k {
			for i := range s.m {
				aT[k*lat+i] = a[i*lda+k]
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
				lefts := []Operand[T]{Rows(a, lda), Columns(aT, lat), pa.Operand(0), Packing(&rowPacker[T]{a, lda})}
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

func TestProductBits(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: many products, one after the other")
	}
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

// TestBlockOfGram computes blocks of X·Xᵀ as the neighbor search does.
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
	if testing.Short() {
		t.Skip("left out with -short: many products, one after the other")
	}
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
						p := Product[float32]{M: s.m, N: s.n, K: s.k, A: a, B: Rows(y, s.k), C: c, Stride: s.n, Threads: threads,
							Upper:    upper,
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
								t.Fatalf("%v, %d threads: element %d, %d is %v, finished %d times, want %v once",
									s, threads, i, j, half[at], finished[at], whole[at])
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
			floats := Product[float32]{M: 200, N: 200, K: 300, A: Rows(x, 300), B: Rows(x, 300), C: c, Stride: 200,
				Threads: threads, Done: channel}
			integers := Uint8Product[int32]{M: 200, N: 200, K: 300, A: Uint8Rows(bytes, 300), B: Uint8Rows(bytes, 300),
				C: d, Stride: 200, Threads: threads, Done: channel}
			long := Uint8Product[int64]{M: 200, N: 200, K: 300, A: Uint8Rows(bytes, 300), B: Uint8Rows(bytes, 300),
				C: wide, Stride: 200, Threads: threads, Done: channel}
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

// A product in links is the sum of its links, one after another, and of its blocks.
func TestLinks(t *testing.T) {
	withEach(t, func(t *testing.T, impl *implementation) {
		r := rand.New(rand.NewPCG(71, 72))
		for trial, depth := range []int{1, 7, 31, 32, 33, 60, 64, 100, 255, 256, 257, 300, 512, 700, 36, 1030} {
			m, n := 1+r.IntN(40), 1+r.IntN(90)
			a, b := fill(r, make([]float32, m*depth)), fill(r, make([]float32, n*depth))
			accumulate := trial%3 == 0
			got := fill(r, make([]float32, m*n))
			want := slices.Clone(got)
			for i := range m {
				for j := range n {
					sum, some := want[i*n+j], accumulate
					for k0 := 0; k0 < depth; k0 += KC {
						var block float32
						for l := k0; l < min(depth, k0+KC); l += LinkDepth {
							var link float32
							for k := l; k < min(depth, k0+KC, l+LinkDepth); k++ {
								link = fma32(a[i*depth+k], b[j*depth+k], link)
							}
							if block += link; l == k0 {
								block = link
							}
						}
						if sum += block; !some {
							sum, some = block, true
						}
					}
					want[i*n+j] = sum
				}
			}
			p := Product[float32]{M: m, N: n, K: depth, A: Rows(a, depth), B: Rows(b, depth), C: got, Stride: n,
				Accumulate: accumulate, Links: true, Threads: 1 + trial%3}
			if err := p.Run(); err != nil {
				t.Fatal(err)
			}
			sameBits(t, fmt.Sprintf("%d×%d×%d", m, n, depth), got, want)
		}
	})
}

// BenchmarkLinks is a product with and without links.
func BenchmarkLinks(b *testing.B) {
	const m, n, k = 768, 1536, 2048
	r := rand.New(rand.NewPCG(73, 74))
	x, y, c := fill(r, make([]float32, m*k)), fill(r, make([]float32, n*k)), make([]float32, m*n)
	for _, links := range []bool{false, true} {
		b.Run(fmt.Sprint(links), func(b *testing.B) {
			p := Product[float32]{M: m, N: n, K: k, A: Rows(x, k), B: Rows(y, k), C: c, Stride: n, Links: links, Threads: 1}
			for b.Loop() {
				if err := p.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(2*m*n*k*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
