// Tests of the exact products of bytes.

package kernel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func testUpperUint8[I Integer](t *testing.T, s shape, bytes []uint8, threads int) {
	t.Helper()
	product := func(upper bool) []I {
		c := make([]I, s.m*s.n)
		p := Uint8Product[I]{M: s.m, N: s.n, K: s.k, A: Uint8Rows(bytes, s.k), B: Uint8Rows(bytes[s.m*s.k:], s.k), C: c, Stride: s.n,
			Threads: threads, Upper: upper}
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

// emulatedImplementations are those whose machine code an emulator runs, where there are any.
var emulatedImplementations []*implementation

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
			for _, impl := range slices.Concat(implementations(), emulatedImplementations) {
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
	if testing.Short() {
		t.Skip("left out with -short: many products, one after the other")
	}
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
