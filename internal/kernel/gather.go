// Products whose left operand is read where it lies, without packing.

package kernel

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Run is a piece of a gathered vector: Length contiguous elements that begin Offset after the vector's base.
type Run struct{ Offset, Length int }

// Gathered is C = A·B, or C += A·B, for a left operand whose vectors are gathered from runs at the same offsets
// relative to each vector's base:
//
//	A(i, ·) = data[Base[i]+r.Offset : Base[i]+r.Offset+r.Length] for r in Runs, one after another
//
// A matrix product is the case of one run, a convolution over channels-last images has one run per row of its kernel. B
// is packed for the right side. The order of every sum equals [Product]'s, so the bits are the same; but A is not
// copied, which for few columns costs more than the product itself.
//
// The product runs on the calling goroutine. The value may be used again and then allocates nothing.
type Gathered struct {
	M, N int
	Data []float32
	Base []int // M or more
	Runs []Run
	B    *Packed[float32]
	// First is the vector of B that makes C's first column, a multiple of [ColumnAlign].
	First int
	// C has row i at C[i·Stride:], Stride ≥ N; or at C[Places[i]:] unless Places is nil, which ascend by N or more. With
	// Stride, results are written directly.
	C          []float32
	Stride     int
	Places     []int
	Accumulate bool
	// When a sum is complete, Bias[j] is added to it unless Bias is nil, then the element of Other at the index of C's,
	// unless Other is nil. If Cut is set, values below Low then become Low, and values above High become High. A NaN does
	// not change. Other may be C itself if B is no deeper than [KC].
	Bias, Other []float32
	Cut         bool
	Low, High   float32

	cut   []piece // of the runs, none across a multiple of KC
	ends  []int   // where each block's runs end in cut
	end   tileEnd
	ended tileEnd // of the tile in its buffers
	tile  [maxTile]float32
	other [maxTile]float32
	bias  [maxColumns]float32
	rows  [maxRows]int
}

// A piece is a part of a run in the order of the kernels: its end, counted from the end of the piece before it in the
// block of KC depths, or from the vector's base; and its length.
type piece struct{ advance, length int }

// The largest tile has maxRows rows and maxColumns columns.
const maxRows, maxColumns = 12, 32

// tileEnd is the final treatment of the sums of a tile by a gather kernel; the assembly knows the fields by their
// offsets.
type tileEnd struct {
	rows        int      // number of computed rows that are stored; 1 or more
	first, last uint16   // which columns of the first and of the second vector are read, and stored if tileCut is set
	flags       uint32   //
	bias        *float32 // of the first column
	other       *float32 // at the index of the first element …
	otherStride int      // … with rows that far apart
	low, high   float32  //
}

// The flags of a tileEnd, in this order.
const (
	tileAdd   = 1 << iota // add the old values of the tile
	tileBias              // add bias
	tileOther             // add other
	tileLow               // raise to low
	tileHigh              // lower to high
	tileCut               // store some columns only
)

// ColumnAlign divides Gathered.First.
const ColumnAlign = 32

// A gatherKernel multiplies rows that begin at data[base[r]] by a panel of B and stores the tile at c as end says.
// Meanwhile it may prefetch a cache line from the address ahead on for every two elements of a row, and the memory next
// bytes after each row.
type gatherKernel func(data *float32, base *int, runs *piece, count int, b, c *float32, stride int, ahead uintptr, next int, end *tileEnd)

// gatherTiling is a family of gather kernels for the right panels of a tiling.
type gatherTiling struct {
	mr, nr  int
	micro   [3][]gatherKernel // micro[i][j] computes rowStep[i] rows and colStep[j] columns
	rowStep [3]int
	colStep []int
	masks   bool // the kernels know tileCut
}

var genericGather = gatherTiling{
	mr: genericMR, nr: genericNR,
	micro:   [3][]gatherKernel{{gatherGeneric}, {gatherGeneric}, {gatherGeneric}},
	rowStep: [3]int{genericMR, genericMR, genericMR}, colStep: []int{genericNR},
}

func gatherGeneric(data *float32, base *int, runs *piece, count int, b, c *float32, stride int, _ uintptr, _ int,
	end *tileEnd) {
	bases, list := unsafe.Slice(base, genericMR), unsafe.Slice(runs, count)
	for r := range end.rows {
		var s0, s1, s2, s3 float32
		offset, done := bases[r], 0
		for _, run := range list {
			offset += run.advance
			from := (*float32)(unsafe.Add(unsafe.Pointer(data), (offset-run.length)*4))
			w := unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(b), done*genericNR*4)), run.length*genericNR)
			for k, v := range unsafe.Slice(from, run.length) {
				w := w[k*genericNR : k*genericNR+genericNR]
				s0 = fma32(v, w[0], s0)
				s1 = fma32(v, w[1], s1)
				s2 = fma32(v, w[2], s2)
				s3 = fma32(v, w[3], s3)
			}
			done += run.length
		}
		row := unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(c), r*stride*4)), genericNR)
		var other [genericNR]float32 // C may be the other matrix
		if end.flags&tileOther != 0 {
			copy(other[:], unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(end.other), r*end.otherStride*4)), genericNR))
		}
		storeTile(row, end.flags&tileAdd != 0, s0, s1, s2, s3)
		end.apply(row, other[:])
	}
}

// apply applies a tileEnd after the addition, for a row of a tile.
func (e *tileEnd) apply(row, other []float32) {
	for j, v := range row {
		if e.flags&tileBias != 0 {
			v += unsafe.Slice(e.bias, len(row))[j]
		}
		if e.flags&tileOther != 0 {
			v += other[j]
		}
		if e.flags&tileLow != 0 && v < e.low {
			v = e.low
		}
		if e.flags&tileHigh != 0 && v > e.high {
			v = e.high
		}
		row[j] = v
	}
}

// ending sets end for the columns from j on; last says whether their sums are complete after this block.
func (g *Gathered) ending(j int, add, last bool) {
	e := &g.end
	e.flags, e.otherStride, e.low, e.high = 0, g.Stride, g.Low, g.High
	if add {
		e.flags |= tileAdd
	}
	if !last {
		return
	}
	if g.Bias != nil {
		e.flags, e.bias = e.flags|tileBias, &g.Bias[j]
	}
	if g.Other != nil {
		e.flags |= tileOther
	}
	if g.Cut && g.Low > float32(math.Inf(-1)) {
		e.flags |= tileLow
	}
	if g.Cut && g.High < float32(math.Inf(1)) {
		e.flags |= tileHigh
	}
}

// Run computes the product. It returns an error, and leaves C alone, if a shape
// does not fit its slice or the runs do not have the depth of B.
func (g *Gathered) Run() error {
	impl := active.Load()
	if err := g.check(impl.float32.nr); err != nil {
		return err
	}
	if g.M == 0 || g.N == 0 {
		return nil
	}
	if g.B.depth == 0 {
		g.empty()
		return nil
	}
	t := impl.gather
	k, from := 0, 0
	for _, end := range g.ends {
		runs := g.cut[from:end]
		from = end
		depth := 0
		for _, r := range runs {
			depth += r.length
		}
		panels := g.B.block(g.First, k, depth)
		for j := 0; j < g.N; j += t.nr {
			g.ending(j, k > 0 || g.Accumulate, k+depth == g.B.depth)
			g.column(t, j, depth, runs, panels, g.following(k, depth, j+t.nr))
		}
		k += depth
	}
	return nil
}

// column multiplies all rows by the panel of columns j … j+nr−1 over one block of depths; next is the panel after it.
func (g *Gathered) column(t *gatherTiling, j, depth int, runs []piece, panels, next []float32) {
	width := min(t.nr, g.N-j)
	panel := &panels[j*depth]
	ahead, end := uintptr(unsafe.Pointer(panel)), uintptr(0)
	if next != nil {
		ahead = uintptr(unsafe.Pointer(&next[0]))
		end = ahead + uintptr(min(t.nr*depth, len(next)))*unsafe.Sizeof(next[0])
	}
	q := 0
	for t.colStep[q] < width {
		q++
	}
	partial := width < t.colStep[q]
	columns := uint32(uint64(1)<<width - 1)
	g.end.first, g.end.last = uint16(columns), uint16(columns>>16)
	if partial && t.masks {
		g.end.flags |= tileCut
	}
	data, e := &g.Data[0], &g.end
	for i := 0; i < g.M; i += t.mr {
		r, base := 2, &g.Base[i]
		if e.rows = min(t.mr, g.M-i); e.rows < t.mr {
			r, base = g.lastRows(t, i, e.rows)
		}
		offset := g.place(i) + j
		if e.flags&tileOther != 0 {
			e.other = &g.Other[offset]
		}
		// The first panel finds rows that nothing has read before.
		further := 0
		if j == 0 && i+t.mr < g.M {
			further = (g.Base[i+t.mr] - g.Base[i]) * 4
		}
		if g.scattered(i, e.rows) || partial && !t.masks {
			g.edge(t, t.micro[r][q], base, i, j, runs, panel, width)
		} else {
			t.micro[r][q](data, base, &runs[0], len(runs), panel, &g.C[offset], g.Stride, ahead, further, e)
		}
		if ahead < end {
			ahead += uintptr(depth / 2 * 64)
		}
	}
}

// lastRows is the kernel of the last rows, and their bases: rows that it computes and does not store repeat the last
// one.
func (g *Gathered) lastRows(t *gatherTiling, i, height int) (int, *int) {
	r := 0
	for t.rowStep[r] < height {
		r++
	}
	for n := range t.rowStep[r] {
		g.rows[n] = g.Base[i+min(n, height-1)]
	}
	return r, &g.rows[0]
}

// place is the start of row i of C.
func (g *Gathered) place(i int) int {
	if g.Places != nil {
		return g.Places[i]
	}
	return i * g.Stride
}

// scattered reports whether some of the rows from i on are not Stride apart.
func (g *Gathered) scattered(i, rows int) bool {
	if g.Places == nil {
		return false
	}
	for r := i + 1; r < i+rows; r++ {
		if g.Places[r]-g.Places[r-1] != g.Stride {
			return true
		}
	}
	return false
}

// edge computes a tile that no kernel can write where it belongs, in buffers as wide as the kernel: the columns are
// cut, or the rows not equally far apart.
func (g *Gathered) edge(t *gatherTiling, micro gatherKernel, base *int, i, j int, runs []piece, panel *float32,
	width int) {
	e := g.end
	if e.flags&tileBias != 0 {
		copy(g.bias[:width], g.Bias[j:])
		e.bias = &g.bias[0]
	}
	e.other, e.otherStride = &g.other[0], t.nr
	for r := range e.rows {
		offset := g.place(i+r) + j
		if e.flags&tileAdd != 0 {
			copy(g.tile[r*t.nr:][:width], g.C[offset:])
		}
		if e.flags&tileOther != 0 {
			copy(g.other[r*t.nr:][:width], g.Other[offset:])
		}
	}
	g.ended = e
	micro(&g.Data[0], base, &runs[0], len(runs), panel, &g.tile[0], t.nr, uintptr(unsafe.Pointer(panel)), 0, &g.ended)
	for r := range e.rows {
		copy(g.C[g.place(i+r)+j:][:width], g.tile[r*t.nr:])
	}
}

// empty is the product of no terms.
func (g *Gathered) empty() {
	g.ending(0, g.Accumulate, true)
	for i := range g.M {
		row := g.C[g.place(i):][:g.N]
		if !g.Accumulate {
			clear(row)
		}
		var other []float32
		if g.Other != nil {
			other = g.Other[g.place(i):][:g.N]
		}
		g.end.apply(row, other)
	}
}

// following is the panel of B used after the one that ends at column next of the depth block at k: the next one of the
// block, or the first one of the next block; nil after the last. Each tile prefetches some of it.
func (g *Gathered) following(k, depth, next int) []float32 {
	if next >= g.N {
		k, next = k+depth, 0
		if depth = min(KC, g.B.depth-k); depth == 0 {
			return nil
		}
	}
	return g.B.block(g.First, k, depth)[next*depth:]
}

// check validates the product and cuts the runs into blocks of KC.
func (g *Gathered) check(nr int) error {
	if g.M < 0 || g.N < 0 {
		return fmt.Errorf("kernel: product of shape %d×%d", g.M, g.N)
	}
	if err := g.checkResult("C", len(g.C)); err != nil {
		return err
	}
	switch {
	case g.B == nil:
		return errors.New("kernel: operand B is not set")
	case g.B.width != nr:
		return fmt.Errorf("kernel: operand B: packed in panels of %d, want %d (packed for the other side or another kernel)",
			g.B.width, nr)
	case g.First < 0 || g.First%ColumnAlign != 0:
		return fmt.Errorf("kernel: operand B: first packed vector %d is not a multiple of %d", g.First, ColumnAlign)
	case g.First+g.N > g.B.count:
		return fmt.Errorf("kernel: operand B: packed %d vectors, want %d from %d on", g.B.count, g.N, g.First)
	case len(g.Base) < g.M:
		return fmt.Errorf("kernel: %d bases for %d vectors", len(g.Base), g.M)
	}
	g.cut, g.ends = g.cut[:0], g.ends[:0]
	depth, low, high, offset := 0, 0, 0, 0
	for i, r := range g.Runs {
		if r.Length <= 0 {
			return fmt.Errorf("kernel: run of %d elements", r.Length)
		}
		if i == 0 {
			low, high = r.Offset, r.Offset+r.Length
		}
		low, high = min(low, r.Offset), max(high, r.Offset+r.Length)
		for r.Length > 0 {
			n := min(r.Length, KC-depth%KC)
			depth, r.Offset, r.Length = depth+n, r.Offset+n, r.Length-n
			g.cut = append(g.cut, piece{r.Offset - offset, n})
			if offset = r.Offset; depth%KC == 0 {
				g.ends = append(g.ends, len(g.cut))
				offset = 0
			}
		}
	}
	if depth%KC != 0 {
		g.ends = append(g.ends, len(g.cut))
	}
	if depth != g.B.depth {
		return fmt.Errorf("kernel: runs of %d elements, operand B has depth %d", depth, g.B.depth)
	}
	for _, offset := range g.Base[:g.M] {
		if offset+low < 0 || offset+high > len(g.Data) {
			return fmt.Errorf("kernel: a vector from %d to %d lies outside of %d elements", offset+low, offset+high, len(g.Data))
		}
	}
	if overlap(g.C, g.Data) {
		return errors.New("kernel: C overlaps an operand")
	}
	if g.Bias != nil && len(g.Bias) < g.N {
		return fmt.Errorf("kernel: a bias of %d elements for %d columns", len(g.Bias), g.N)
	}
	if g.Other != nil {
		if overlap(g.C, g.Other) && (&g.C[0] != &g.Other[0] || depth == 0 || depth > KC || g.Accumulate) {
			return errors.New("kernel: C overlaps the other matrix")
		}
		return g.checkResult("the other matrix", len(g.Other))
	}
	return nil
}

// checkResult checks that a slice of length elements has all rows of C.
func (g *Gathered) checkResult(name string, length int) error {
	if g.Places == nil {
		return checkMatrix(name, length, g.M, g.N, g.Stride)
	}
	if len(g.Places) < g.M {
		return fmt.Errorf("kernel: %s: %d places for %d rows", name, len(g.Places), g.M)
	}
	last := 0
	for i, offset := range g.Places[:g.M] {
		if offset < 0 || i > 0 && offset < last+g.N {
			return fmt.Errorf("kernel: %s: row %d begins at %d, row %d at %d, with rows of %d", name, i-1, last, i, offset, g.N)
		}
		last = offset
	}
	if g.M > 0 && last+g.N > length {
		return fmt.Errorf("kernel: %s: %d elements, the last row of %d begins at %d", name, length, g.N, last)
	}
	return nil
}
