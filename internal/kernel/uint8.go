// Exact products and squared distances of uint8 vectors.

package kernel

import (
	"errors"
	"fmt"
	"math"
)

// MaxUint8Depth is the longest uint8 vector whose dot products and squared
// distances always fit into an int32: K·255² < 2³¹.
const MaxUint8Depth = math.MaxInt32 / (255 * 255)

// Integer is the type of a uint8 product's results.
type Integer interface{ int32 | int64 }

// uint8Tiling is a tiling whose 32-bit elements hold group depths each: two 16-bit numbers, or four bytes; B's are then
// y−128 as signed bytes (offset).
type uint8Tiling struct {
	tiling tiling[uint32, int32]
	group  int
	offset bool
	groups int // the depth of panels is a multiple of this number of groups, 0 counts as 1
	// pack, if not nil, is a faster packUint8Generic.
	pack func(dst []uint32, width int, src []uint8, stride, count, length int, right bool)
}

// panelDepth is the number of groups that hold a depth in bytes.
func (t *uint8Tiling) panelDepth(depth int) int {
	return roundUp((depth+t.group-1)/t.group, max(1, t.groups))
}

// width is the width of a panel of either side.
func (t *uint8Tiling) width(right bool) int {
	if right {
		return t.tiling.nr
	}
	return t.tiling.mr
}

// Uint8Operand is one side of a [Uint8Product]: vectors of K bytes.
type Uint8Operand struct {
	data   []uint8
	stride int
	first  int
	packed *PackedUint8
}

// Uint8Rows is an operand whose vector i is data[i·stride : i·stride+K].
func Uint8Rows(data []uint8, stride int) Uint8Operand {
	return Uint8Operand{data: data, stride: stride}
}

// PackedUint8 is a uint8 operand in panels, packed once and used by many
// products. It belongs to the side it was packed for and to the running process, and takes
// one (AVX-512, AMX) or two bytes per value.
type PackedUint8 struct {
	data                []uint32
	sums                []int64 // Σ of each vector of the left operand, if the tiling needs them
	width, count, depth int     // depth in bytes
	right               bool
	tiling              *uint8Tiling
}

// Left replaces p by count vectors of length depth packed for use as A, and allocates only if p is too small. p may be
// zero.
func (p *PackedUint8) Left(o Uint8Operand, count, depth int) error {
	return p.fill(o, "A", count, depth, false)
}

// Right is Left for use as B.
func (p *PackedUint8) Right(o Uint8Operand, count, depth int) error {
	return p.fill(o, "B", count, depth, true)
}

func (p *PackedUint8) fill(o Uint8Operand, side string, count, depth int, right bool) error {
	if count < 0 || depth < 0 {
		return fmt.Errorf("kernel: operand %s: cannot pack %d vectors of length %d", side, count, depth)
	}
	if o.packed != nil {
		return fmt.Errorf("kernel: operand %s is packed already", side)
	}
	if err := checkMatrix(side, len(o.data), count, depth, o.stride); err != nil {
		return err
	}
	t := active.Load().uint8
	width := t.width(right)
	padded, groups := roundUp(count, width), t.panelDepth(depth)
	p.data, p.width, p.count, p.depth = grow(p.data, padded*groups), width, count, depth
	p.right, p.tiling = right, t
	if p.sums = p.sums[:0]; t.offset && !right {
		p.sums = rowSums(grow(p.sums, count), o, count, depth)
	}
	if count == 0 || depth == 0 {
		return nil
	}
	s := uint8Source{operand: o, tiling: t, depth: depth, right: right}
	for k, block := 0, t.tiling.blockDepth(); k < groups; k += block {
		kc := min(block, groups-k)
		s.packInto(p.data[padded*k:padded*(k+kc)], width, 0, count, k, kc)
	}
	return nil
}

// rowSums is the sum of each row.
func rowSums(dst []int64, o Uint8Operand, count, depth int) []int64 {
	if depth == 0 {
		clear(dst)
		return dst
	}
	for i := range count {
		dst[i] = SumUint8(o.data[i*o.stride : i*o.stride+depth])
	}
	return dst
}

// Operand is the packed operand from vector first on; first must be a multiple of [Align].
func (p *PackedUint8) Operand(first int) Uint8Operand {
	return Uint8Operand{packed: p, first: first}
}

// Count is the number of packed vectors.
func (p *PackedUint8) Count() int { return p.count }

// Depth is the length of each packed vector.
func (p *PackedUint8) Depth() int { return p.depth }

func (o *Uint8Operand) check(t *uint8Tiling, side string, count, depth int) error {
	p, right := o.packed, side == "B"
	width := t.width(right)
	switch {
	case p == nil:
		return checkMatrix(side, len(o.data), count, depth, o.stride)
	case p.width != width || p.tiling != t || p.right != right:
		return fmt.Errorf("kernel: operand %s: packed in panels of %d, want %d (packed for the other side or another kernel)",
			side, p.width, width)
	case p.depth != depth:
		return fmt.Errorf("kernel: operand %s: packed with depth %d, want %d", side, p.depth, depth)
	case o.first < 0 || o.first%Align != 0:
		return fmt.Errorf("kernel: operand %s: first packed vector %d is not a multiple of %d", side, o.first, Align)
	case o.first+count > p.count:
		return fmt.Errorf("kernel: operand %s: packed %d vectors, want %d from %d on", side, p.count, count, o.first)
	}
	return nil
}

// Uint8Product computes exact integers for M vectors of A and N vectors of B, all of length K:
//
//	C[i·Stride+j] = Σ_k A(i,k)·B(j,k)            Squared false
//	C[i·Stride+j] = Σ_k (A(i,k) − B(j,k))²       Squared true
//
// With int32 results K may be at most [MaxUint8Depth]; with int64 results any K is exact.
type Uint8Product[I Integer] struct {
	M, N, K int
	A, B    Uint8Operand
	// C has row i at C[i·Stride:], Stride ≥ N.
	C      []I
	Stride int
	// Squared requests squared Euclidean distances, ‖a‖² + ‖b‖² − 2·a·b.
	Squared bool
	// ASquares and BSquares hold ‖a‖² for the M and ‖b‖² for the N vectors (see
	// [SumSquaresUint8]); needed, and read, only if Squared.
	ASquares, BSquares []I
	// Upper restricts the result to elements with j ≥ i. Others may be computed or unchanged.
	Upper bool
	// Done, if not nil, stops the product soon after it is closed.
	Done <-chan struct{}
	// Threads is the number of goroutines, 0 for GOMAXPROCS.
	Threads int
	// Workspace holds the buffers; nil takes one from a pool.
	Workspace *Uint8Workspace
}

// Uint8Workspace is the memory of a running [Uint8Product]; one product at a time.
type Uint8Workspace struct {
	engine engine[uint32, int32]
	a, b   uint8Source
	sums   []int64
	finish uint8Finisher
	tile   []int32 // of an int64 product: sums over one chunk of the depth
}

var uint8Workspaces pool[Uint8Workspace]

// uint8Source is a Uint8Operand as the core sees it, in groups of depths.
type uint8Source struct {
	operand Uint8Operand
	tiling  *uint8Tiling
	first   int // vector that counts as the first
	start   int // group that counts as depth 0, a multiple of the depth of a block
	depth   int // in bytes
	right   bool
}

func (s *uint8Source) isPacked() bool { return s.operand.packed != nil }

func (s *uint8Source) block(first, k, depth int) []uint32 {
	p := s.operand.packed
	return p.data[(s.start+k)*roundUp(p.count, p.width)+(s.operand.first+s.first+first)*depth:]
}

func (s *uint8Source) packInto(dst []uint32, width, first, count, k, depth int) {
	start := (s.start + k) * s.tiling.group
	length := min(s.depth-start, depth*s.tiling.group)
	src := s.operand.data[(s.first+first)*s.operand.stride+start:]
	if s.tiling.pack != nil {
		s.tiling.pack(dst, width, src, s.operand.stride, count, length, s.right)
		return
	}
	packUint8Generic(dst, width, src, s.operand.stride, count, length)
}

// packUint8Generic packs pairs of depths as 16-bit halves.
func packUint8Generic(dst []uint32, width int, src []uint8, stride, count, length int) {
	depth := (length + 1) / 2
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		panel := dst[q*depth : q*depth+width*depth]
		if n < width {
			clear(panel)
		}
		for r := range n {
			row := src[(q+r)*stride : (q+r)*stride+length]
			for d := range length / 2 {
				panel[d*width+r] = uint32(row[2*d]) | uint32(row[2*d+1])<<16
			}
			if length%2 == 1 {
				panel[(depth-1)*width+r] = uint32(row[length-1])
			}
		}
	}
}

// uint8Finisher turns sums of products into the result:
// c ← row[i] + column[j] + scale·c, all modulo 2³².
type uint8Finisher struct {
	squared bool
	// sums holds Σ a for the rows if B's values were lowered by 128.
	sums     []int64
	aSquares []int32
	bSquares []int32
}

// Finish is called by the core for each part of C.
func (f *uint8Finisher) Finish(c []int32, stride, row, col, rows, cols int) {
	finishRow := active.Load().rows.finishRow
	for i := range rows {
		var term int32
		if f.sums != nil {
			term = int32(128 * f.sums[row+i])
		}
		part := c[i*stride : i*stride+cols]
		if !f.squared {
			for j := range part {
				part[j] += term
			}
			continue
		}
		finishRow(part, f.bSquares[col:col+cols], f.aSquares[row+i]-2*term)
	}
}

// finishRowGeneric is c[j] ← term + squares[j] − 2·c[j].
func finishRowGeneric(c, squares []int32, term int32) {
	for j, s := range squares {
		c[j] = term + s - 2*c[j]
	}
}

// Run computes the product. It returns an error, and does not change C, if a shape is negative or does not fit its
// slice, if an operand was packed for another shape, or if K is too large for int32 results; and [ErrStopped] if it was
// stopped.
func (p *Uint8Product[I]) Run() error {
	impl := active.Load()
	t := impl.uint8
	if err := p.check(t); err != nil {
		return err
	}
	if p.M == 0 || p.N == 0 {
		return nil
	}
	w := p.Workspace
	if w == nil {
		w = uint8Workspaces.get()
		defer uint8Workspaces.put(w)
	}
	var err error
	switch q := any(p).(type) {
	case *Uint8Product[int32]:
		err = w.run(t, q)
	case *Uint8Product[int64]:
		err = w.runWide(t, q)
	}
	w.a, w.b, w.finish, w.engine.job = uint8Source{}, uint8Source{}, uint8Finisher{}, job[uint32, int32]{}
	return err
}

func (p *Uint8Product[I]) check(t *uint8Tiling) error {
	if p.M < 0 || p.N < 0 || p.K < 0 {
		return fmt.Errorf("kernel: product of shape %d×%d×%d", p.M, p.N, p.K)
	}
	if _, narrow := any(p.C).([]int32); narrow && p.K > MaxUint8Depth {
		return fmt.Errorf("kernel: products of uint8 vectors of length %d do not fit into int32 (at most %d)",
			p.K, MaxUint8Depth)
	}
	if err := checkMatrix("C", len(p.C), p.M, p.N, p.Stride); err != nil {
		return err
	}
	if err := p.A.check(t, "A", p.M, p.K); err != nil {
		return err
	}
	if err := p.B.check(t, "B", p.N, p.K); err != nil {
		return err
	}
	if p.Squared && (len(p.ASquares) < p.M || len(p.BSquares) < p.N) {
		return errors.New("kernel: squared distances need the squared norms of all vectors")
	}
	return nil
}

func (w *Uint8Workspace) run(t *uint8Tiling, p *Uint8Product[int32]) error {
	w.a = uint8Source{operand: p.A, tiling: t, depth: p.K}
	w.b = uint8Source{operand: p.B, tiling: t, depth: p.K, right: true}
	w.finish = uint8Finisher{squared: p.Squared, sums: w.rowSums(t, p.A, p.M, p.K), aSquares: p.ASquares, bSquares: p.BSquares}
	w.engine.job = job[uint32, int32]{
		m: p.M, n: p.N, k: t.panelDepth(p.K),
		a: &w.a, b: &w.b,
		c: p.C, stride: p.Stride,
		upper: p.Upper, done: p.Done,
		tiling: &t.tiling,
	}
	if t.offset || p.Squared {
		w.engine.job.finish = &w.finish
	}
	return w.engine.execute(p.Threads)
}

// rowSums is Σ a for each row if the tiling lowers B's values by 128, else nil.
func (w *Uint8Workspace) rowSums(t *uint8Tiling, o Uint8Operand, count, depth int) []int64 {
	if !t.offset {
		return nil
	}
	if o.packed != nil {
		return o.packed.sums[o.first : o.first+count]
	}
	w.sums = rowSums(grow(w.sums, count), o, count, depth)
	return w.sums
}

const (
	// wideDepth is the depth, in bytes, whose sums fit into int32; a multiple of the groups of any block.
	wideDepth = MaxUint8Depth / (4 * tileBlock) * (4 * tileBlock)
	wideRows  = 4 * Align
)

// runWide sums int32 products of chunks of the depth in int64, block by block of C.
func (w *Uint8Workspace) runWide(t *uint8Tiling, p *Uint8Product[int64]) error {
	sums := w.rowSums(t, p.A, p.M, p.K)
	w.tile = grow(w.tile, min(wideRows, p.M)*min(superVectors, p.N))
	for i0 := 0; i0 < p.M; i0 += wideRows {
		rows := min(wideRows, p.M-i0)
		for j0 := 0; j0 < p.N; j0 += superVectors {
			cols := min(superVectors, p.N-j0)
			if p.Upper && j0+cols <= i0 {
				continue
			}
			for i := range rows {
				clear(p.C[(i0+i)*p.Stride+j0:][:cols])
			}
			for k := 0; k < p.K; k += wideDepth {
				depth := min(wideDepth, p.K-k)
				w.a = uint8Source{operand: p.A, tiling: t, first: i0, start: k / t.group, depth: k + depth}
				w.b = uint8Source{operand: p.B, tiling: t, first: j0, start: k / t.group, depth: k + depth, right: true}
				w.engine.job = job[uint32, int32]{
					m: rows, n: cols, k: t.panelDepth(depth),
					a: &w.a, b: &w.b,
					c: w.tile, stride: cols, done: p.Done,
					tiling: &t.tiling,
				}
				if err := w.engine.execute(p.Threads); err != nil {
					return err
				}
				for i := range rows {
					row := p.C[(i0+i)*p.Stride+j0:][:cols]
					for j, v := range w.tile[i*cols : i*cols+cols] {
						row[j] += int64(v)
					}
				}
			}
			for i := range rows {
				var term int64
				if sums != nil {
					term = 128 * sums[i0+i]
				}
				row := p.C[(i0+i)*p.Stride+j0:][:cols]
				for j, v := range row {
					if p.Squared {
						row[j] = p.ASquares[i0+i] + p.BSquares[j0+j] - 2*(v+term)
					} else {
						row[j] = v + term
					}
				}
			}
		}
	}
	return nil
}
