// Tests of the products of int16 vectors.

package kernel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// packInt16 packs count vectors in parts of a few panels.
func packInt16(src []int16, stride, count, depth int, right bool) *PackedInt16 {
	p := new(PackedInt16)
	p.Reset(count, depth, right)
	for i := range p.data {
		p.data[i] = 0xdeadbeef // old contents must not matter
	}
	for first := 0; first < count; first += 2 * Align {
		p.Put(first, min(2*Align, count-first), src[first*stride:], stride)
	}
	return p
}

// naiveInt16 is the contract of Int16Product: exact sums of blocks modulo 2³², rounded and added in order.
func naiveInt16(x, y []int16) float32 {
	var c float32
	for from := 0; from < len(x); from += Int16Depth {
		var s int64
		for k := from; k < min(len(x), from+Int16Depth); k++ {
			s += int64(x[k]) * int64(y[k])
		}
		if v := float32(int32(s)); from == 0 {
			c = v
		} else {
			c += v
		}
	}
	return c
}

func TestInt16Product(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(31, 32))
		for _, s := range append([]shape{{3, 5, 2051}, {14, 35, 1024}, {13, 33, 1027}, {192, 200, 99}, {300, 40, 70}}, shapes...) {
			stride := (s.k+1)/2*2 + 2*r.IntN(3)
			rows := func(count int, limit int) []int16 {
				x := make([]int16, count*stride)
				for i := range x {
					if i%stride < s.k {
						x[i] = int16(r.IntN(2*limit+1) - limit)
					} else if i%stride > s.k {
						x[i] = 77 // beyond the 0 of an odd depth: not a part
					}
				}
				return x
			}
			// 2,000 leaves all sums in range; the largest numbers go around.
			for _, limit := range []int{2000, math.MaxInt16} {
				a, b := rows(s.m, limit), rows(s.n, limit)
				pa, pb := packInt16(a, stride, s.m, s.k, false), packInt16(b, stride, s.n, s.k, true)
				first := [2]int{}
				if s.m > Align && s.n > Align {
					first = [2]int{RowAlign, Align}
				}
				m, n := s.m-first[0], s.n-first[1]
				c := make([]float32, m*(n+3))
				p := Int16Product{M: m, N: n, A: pa, B: pb, First: first, C: c, Stride: n + 3, Workspace: new(Int16Workspace)}
				if err := p.Run(); err != nil {
					t.Fatal(err)
				}
				for i := range m {
					for j := range n {
						x, y := a[(first[0]+i)*stride:][:s.k], b[(first[1]+j)*stride:][:s.k]
						if got, want := c[i*(n+3)+j], naiveInt16(x, y); math.Float32bits(got) != math.Float32bits(want) {
							t.Fatalf("%v, up to %d: element %d, %d is %v, want %v", s, limit, i, j, got, want)
						}
					}
				}
			}
		}
	})
}

func TestInt16Errors(t *testing.T) {
	x := make([]int16, 40)
	a, b := packInt16(x, 4, 10, 4, false), packInt16(x, 4, 10, 4, true)
	c := make([]float32, 100)
	for want, p := range map[string]Int16Product{
		"another side":       {M: 1, N: 1, A: b, B: a, C: c, Stride: 10},
		"vectors of 2 and 1": {M: 1, N: 1, A: a, B: packInt16(x, 4, 10, 2, true), C: c, Stride: 10},
		"multiples of 12":    {M: 1, N: 1, A: a, B: b, First: [2]int{1, 0}, C: c, Stride: 10},
		"11×1 vectors":       {M: 11, N: 1, A: a, B: b, C: c, Stride: 10},
		"matrix C":           {M: 10, N: 10, A: a, B: b, C: c[1:], Stride: 10},
	} {
		if err := p.Run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

func TestQuantizeShifted(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(33, 34))
		for n := range 70 {
			x, narrow, shift, scale := make([]float64, n), make([]float32, n), make([]float64, n), 100*r.Float64()
			for k := range x {
				x[k], shift[k] = r.NormFloat64()*math.Exp(3*r.NormFloat64()), r.NormFloat64()
				if r.IntN(9) == 0 { // half-way
					x[k], shift[k] = 0, float64(r.IntN(9))+0.5
				}
				narrow[k] = float32(x[k])
			}
			testQuantize(t, x, shift, scale)
			testQuantize(t, narrow, shift, scale)
		}
		dst := make([]int16, 9)
		if _, rest := QuantizeShifted(dst, []float64{1e300, 0, 0, 0, 0, 0, 0, 0, 0}, make([]float64, 9), 1e300); !math.IsInf(rest, 1) || dst[0] != math.MaxInt16 {
			t.Errorf("overflow: %d, rest %v", dst[0], rest)
		}
	})
}

func testQuantize[T Float](t *testing.T, x []T, shift []float64, scale float64) {
	t.Helper()
	dst := make([]int16, len(x))
	square, rest := QuantizeShifted(dst, x, shift, scale)
	var wantSquare, wantRest float64
	var lanes [16]float64
	for k, v := range x {
		exact := float64(float64(v)*scale) - shift[k]
		q := math.RoundToEven(max(-math.MaxInt16, min(math.MaxInt16, exact)))
		if float64(dst[k]) != q {
			t.Fatalf("element %d of %d: %d, want %v of %v", k, len(x), dst[k], q, exact)
		}
		wantSquare += q * q
		wantRest += (exact - q) * (exact - q)
	}
	if square != wantSquare || math.Abs(rest-wantRest) > 1e-12*wantRest {
		t.Fatalf("%d elements: %v and %v, want %v and %v", len(x), square, rest, wantSquare, wantRest)
	}
	quantizeShiftedGeneric(dst, x, shift, scale, &lanes)
	if s, e := halves(lanes[8:], 1)[0], halves(lanes[:8], 1)[0]; s != square || e != rest {
		t.Fatalf("%d elements: %v and %v, the portable twin %v and %v", len(x), square, rest, s, e)
	}
}
