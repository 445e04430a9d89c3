// Products of int16 vectors, exact within blocks of the depth, and how vectors of reals become such.

package kernel

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Int16Depth is the depth of a block of an [Int16Product]: short, so that numbers may be large. It divides 2·[KC].
const Int16Depth = 128

// RowAlign divides the index of the first vector of A in an [Int16Product].
const RowAlign = 12

// Int16Time is about the time of an [Int16Product] relative to the product of float32 vectors.
func Int16Time() float64 { return active.Load().int16Time }

// PackedInt16 is one side of an [Int16Product] in panels: vectors of int16, filled in parts. It belongs to the side
// it was made for and to the running process.
type PackedInt16 struct {
	data                []uint32
	width, count, depth int // depth in pairs
	right               bool
	tiling              *tiling[uint32, float32]
}

// Reset allocates count vectors of length depth, which are undefined until they are put; right for use as B. It
// allocates only if p is too small. p may be zero.
func (p *PackedInt16) Reset(count, depth int, right bool) {
	t := active.Load().int16
	p.tiling, p.right, p.count, p.depth = t, right, count, (depth+1)/2
	if p.width = t.mr; right {
		p.width = t.nr
	}
	p.data = grow(p.data, roundUp(count, p.width)*p.depth)
}

// Put packs vectors first … first+count−1; vector r is src[r·stride : r·stride+depth]. first is a multiple of [Align],
// and so is count unless the last vector is among them. stride is even, and if the depth is odd, src holds a 0 after
// each vector. Parts may be put from several goroutines. It panics if a part does not fit.
func (p *PackedInt16) Put(first, count int, src []int16, stride int) {
	if first < 0 || first%Align != 0 || first+count > p.count || count%Align != 0 && first+count != p.count || stride%2 != 0 || stride < 2*p.depth {
		panic(fmt.Sprintf("kernel: vectors %d to %d of %d with stride %d", first, first+count, p.count, stride))
	}
	if count == 0 || p.depth == 0 {
		return
	}
	src = src[:(count-1)*stride+2*p.depth]
	pairs := unsafe.Slice((*uint32)(unsafe.Pointer(&src[0])), len(src)/2)
	for k := 0; k < p.depth; k += KC {
		depth := min(KC, p.depth-k)
		p.tiling.packRows(p.block(first, k, depth)[:roundUp(count, p.width)*depth], p.width, pairs[k:], stride/2, count,
			depth)
	}
}

func (p *PackedInt16) block(first, k, depth int) []uint32 {
	return p.data[k*roundUp(p.count, p.width)+first*depth:]
}

// Int16Product is
//
//	C[i·Stride+j] = Σ_b s_b,   s_b = Σ_{k in block b} A(i,k)·B(j,k)
//
// for M vectors of A from First[0] on, a multiple of [RowAlign], and N vectors of B from First[1] on, a multiple of
// [Align]. The sum of a block of Int16Depth depths is exact if it lies within ±2³¹, as it does if ‖a_b‖²·‖b_b‖² < 2⁶²;
// otherwise it is taken modulo 2³². It is rounded to float32, and sums are added in the order of blocks, each addition
// rounded: with B blocks, u = 2⁻²⁴ and 1.01 for terms of higher order,
//
//	|c − Σ_k A(i,k)·B(j,k)| ≤ 1.01·B·u · ‖a‖‖b‖
//
// All implementations return the same bits.
type Int16Product struct {
	M, N   int
	A, B   *PackedInt16
	First  [2]int
	C      []float32
	Stride int
	// Workspace holds the buffers, for one product at a time.
	Workspace *Int16Workspace
}

// Int16Workspace is the memory of a running [Int16Product].
type Int16Workspace struct {
	engine engine[uint32, float32]
	a, b   int16Source
}

// int16Source is a PackedInt16 as the core sees it.
type int16Source struct {
	packed *PackedInt16
	first  int
}

func (s *int16Source) isPacked() bool { return true }

func (s *int16Source) block(first, k, depth int) []uint32 {
	return s.packed.block(s.first+first, k, depth)
}

func (s *int16Source) packInto([]uint32, int, int, int, int, int) { panic("kernel: packed already") }

// Run computes the product on the calling goroutine. It returns an error, and leaves C alone, if an operand was made
// for the other side or another depth or has too few vectors, or C is too small.
func (p *Int16Product) Run() error {
	t := active.Load().int16
	switch {
	case p.M < 0 || p.N < 0 || p.A.depth != p.B.depth:
		return fmt.Errorf("kernel: product of shape %d×%d of vectors of %d and %d pairs", p.M, p.N, p.A.depth, p.B.depth)
	case p.A.right || !p.B.right || p.A.tiling != t || p.B.tiling != t:
		return errors.New("kernel: operands were packed for another side or another kernel")
	case p.First[0]%RowAlign != 0 || p.First[1]%Align != 0 || p.First[0] < 0 || p.First[1] < 0:
		return fmt.Errorf("kernel: first vectors %d: want multiples of %d and %d", p.First, RowAlign, Align)
	case p.First[0]+p.M > p.A.count || p.First[1]+p.N > p.B.count:
		return fmt.Errorf("kernel: %d×%d vectors from %d on, of %d and %d", p.M, p.N, p.First, p.A.count, p.B.count)
	}
	if err := checkMatrix("C", len(p.C), p.M, p.N, p.Stride); err != nil {
		return err
	}
	w := p.Workspace
	w.a, w.b = int16Source{p.A, p.First[0]}, int16Source{p.B, p.First[1]}
	w.engine.job = job[uint32, float32]{
		m: p.M, n: p.N, k: p.A.depth, a: &w.a, b: &w.b, c: p.C, stride: p.Stride, tiling: t,
	}
	err := w.engine.execute(1)
	w.a, w.b, w.engine.job = int16Source{}, int16Source{}, job[uint32, float32]{}
	return err
}

// QuantizeShifted sets dst[k] to the integer nearest to t_k = x[k]·scale − shift[k], half-way cases to even, between
// ±32767, and returns
//
//	square = Σ dst[k]²,   rest = Σ (t_k − dst[k])²
//
// Product and difference are rounded to float64 each. square is exact; rest, of eight running sums with fused
// multiply-add, is off by at most (len(dst)/8+4)·2⁻⁵³ of itself. All implementations return the same bits. It panics
// if x or shift is shorter than dst.
func QuantizeShifted[T Float](dst []int16, x []T, shift []float64, scale float64) (square, rest float64) {
	var sums [16]float64
	x, shift = x[:len(dst)], shift[:len(dst)]
	switch x := any(x).(type) {
	case []float32:
		active.Load().rows.quantizeShifted32(dst, x, shift, scale, &sums)
	case []float64:
		active.Load().rows.quantizeShifted64(dst, x, shift, scale, &sums)
	}
	return halves(sums[8:], 1)[0], halves(sums[:8], 1)[0]
}

func quantizeShiftedGeneric[T Float](dst []int16, x []T, shift []float64, scale float64, sums *[16]float64) {
	for k := range dst {
		t := float64(float64(x[k])*scale) - shift[k]
		q := max(-math.MaxInt16, min(math.MaxInt16, math.RoundToEven(t)))
		dst[k] = int16(q)
		t -= q
		sums[k&7] = math.FMA(t, t, sums[k&7])
		sums[8+(k&7)] = math.FMA(q, q, sums[8+(k&7)])
	}
}
