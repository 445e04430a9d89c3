// Products whose left operand is read where it lies, without packing.

package kernel

import (
	"errors"
	"fmt"
	"unsafe"
)

// Run is a piece of a gathered vector: Length contiguous elements that begin Offset after the vector's base.
type Run struct{ Offset, Length int }

// Gathered is C = A·B, or C += A·B, for a left operand whose vectors are gathered
// from runs that lie at the same places relative to each vector's base:
//
//	A(i, ·) = data[Base[i]+r.Offset : Base[i]+r.Offset+r.Length] for r in Runs, one after another
//
// A matrix product is the case of one run, a convolution over channels-last
// images has one run per row of its kernel. B is packed for the right side. The
// order of every sum is that of [Product], so that the bits are the same; but
// nothing of A is copied, which for few columns costs more than the product itself.
//
// The product runs on the calling goroutine. The value may be used again and
// then allocates nothing.
type Gathered struct {
	M, N int
	Data []float32
	Base []int // M or more
	Runs []Run
	B    *Packed[float32]
	// First is the vector of B that makes C's first column, a multiple of [ColumnAlign].
	First int
	// C has row i at C[i·Stride:], Stride ≥ N.
	C          []float32
	Stride     int
	Accumulate bool
	// Epilogue may be nil.
	Epilogue Epilogue[float32]

	cut  []Run // the runs, none across a multiple of KC
	ends []int // where each block's runs end in cut
	tile [maxTile]float32
	rows [12]int
}

// ColumnAlign is what Gathered.First must be a multiple of.
const ColumnAlign = 32

// A gatherKernel multiplies rows that begin at data[base[r]] by a panel of B and
// stores the tile at c, or adds it to the tile at c. Meanwhile it may ask for a
// cache line from the address ahead on for every two elements of a row.
type gatherKernel func(data *float32, base *int, runs *Run, count int, b, c *float32, stride int, ahead uintptr, add bool)

// gatherTiling is a family of gather kernels for the right panels of a tiling.
type gatherTiling struct {
	mr, nr  int
	micro   [3][2]gatherKernel
	rowStep [3]int
	colStep [2]int
}

var genericGather = gatherTiling{
	mr: genericMR, nr: genericNR,
	micro: [3][2]gatherKernel{
		{gatherGeneric, gatherGeneric}, {gatherGeneric, gatherGeneric}, {gatherGeneric, gatherGeneric}},
	rowStep: [3]int{genericMR, genericMR, genericMR}, colStep: [2]int{genericNR, genericNR},
}

func gatherGeneric(data *float32, base *int, runs *Run, count int, b, c *float32, stride int, _ uintptr, add bool) {
	bases, list := unsafe.Slice(base, genericMR), unsafe.Slice(runs, count)
	for r, row := range tileOf(c, stride) {
		var s0, s1, s2, s3 float32
		pb := b
		for _, run := range list {
			from := (*float32)(unsafe.Add(unsafe.Pointer(data), (bases[r]+run.Offset)*4))
			w := unsafe.Slice(pb, run.Length*genericNR)
			for k, v := range unsafe.Slice(from, run.Length) {
				w := w[k*genericNR : k*genericNR+genericNR]
				s0 = fma32(v, w[0], s0)
				s1 = fma32(v, w[1], s1)
				s2 = fma32(v, w[2], s2)
				s3 = fma32(v, w[3], s3)
			}
			pb = (*float32)(unsafe.Add(unsafe.Pointer(pb), run.Length*genericNR*4))
		}
		storeTile(row, add, s0, s1, s2, s3)
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
		for i := range g.M {
			if row := g.C[i*g.Stride : i*g.Stride+g.N]; !g.Accumulate {
				clear(row)
			}
		}
	}
	t := impl.gather
	k, from := 0, 0
	for _, end := range g.ends {
		runs := g.cut[from:end]
		from = end
		depth := 0
		for _, r := range runs {
			depth += r.Length
		}
		panels := g.B.block(g.First, k, depth)
		for j := 0; j < g.N; j += t.nr {
			width := min(t.nr, g.N-j)
			panel := &panels[j*depth]
			ahead, end := uintptr(unsafe.Pointer(panel)), uintptr(0)
			if next := g.following(k, depth, j+t.nr); next != nil {
				ahead = uintptr(unsafe.Pointer(&next[0]))
				end = ahead + uintptr(min(t.nr*depth, len(next)))*unsafe.Sizeof(next[0])
			}
			for i := 0; i < g.M; i += t.mr {
				height := min(t.mr, g.M-i)
				c := g.C[i*g.Stride+j:]
				if height == t.mr && width == t.nr {
					t.micro[2][1](&g.Data[0], &g.Base[i], &runs[0], len(runs), panel, &c[0], g.Stride, ahead, k > 0 || g.Accumulate)
				} else {
					g.edge(t, i, c, runs, panel, height, width, k > 0 || g.Accumulate)
				}
				if ahead < end {
					ahead += uintptr(depth / 2 * 64)
				}
			}
			if k+depth == g.B.depth && g.Epilogue != nil {
				g.Epilogue.Finish(g.C[j:], g.Stride, 0, j, g.M, width)
			}
		}
		k += depth
	}
	if g.B.depth == 0 && g.Epilogue != nil {
		g.Epilogue.Finish(g.C, g.Stride, 0, 0, g.M, g.N)
	}
	return nil
}

// following is the panel of B that is used after the one that ends at column next of the depth block at k:
// the next one of the block, or the first one of the next block; nil after the last. Each tile asks for some of it.
func (g *Gathered) following(k, depth, next int) []float32 {
	if next >= g.N {
		k, next = k+depth, 0
		if depth = min(KC, g.B.depth-k); depth == 0 {
			return nil
		}
	}
	return g.B.block(g.First, k, depth)[next*depth:]
}

// edge computes a tile that is cut by the border of C, in a buffer of its own.
func (g *Gathered) edge(t *gatherTiling, i int, c []float32, runs []Run, panel *float32, height, width int, add bool) {
	r, q := 0, 0
	for t.rowStep[r] < height {
		r++
	}
	for t.colStep[q] < width {
		q++
	}
	for n := range t.rowStep[r] {
		g.rows[n] = g.Base[i+min(n, height-1)]
	}
	t.micro[r][q](&g.Data[0], &g.rows[0], &runs[0], len(runs), panel, &g.tile[0], t.nr, uintptr(unsafe.Pointer(panel)), false)
	for i := range height {
		dst, src := c[i*g.Stride:i*g.Stride+width], g.tile[i*t.nr:i*t.nr+width]
		if !add {
			copy(dst, src)
			continue
		}
		for x, v := range src {
			dst[x] += v
		}
	}
}

// check validates the product and cuts the runs into blocks of KC.
func (g *Gathered) check(nr int) error {
	if g.M < 0 || g.N < 0 {
		return fmt.Errorf("kernel: product of shape %d×%d", g.M, g.N)
	}
	if err := checkMatrix("C", len(g.C), g.M, g.N, g.Stride); err != nil {
		return err
	}
	switch {
	case g.B == nil:
		return errors.New("kernel: operand B is not set")
	case g.B.width != nr:
		return fmt.Errorf("kernel: operand B: packed in panels of %d, want %d (packed for the other side or another kernel)", g.B.width, nr)
	case g.First < 0 || g.First%ColumnAlign != 0:
		return fmt.Errorf("kernel: operand B: first packed vector %d is not a multiple of %d", g.First, ColumnAlign)
	case g.First+g.N > g.B.count:
		return fmt.Errorf("kernel: operand B: packed %d vectors, want %d from %d on", g.B.count, g.N, g.First)
	case len(g.Base) < g.M:
		return fmt.Errorf("kernel: %d bases for %d vectors", len(g.Base), g.M)
	}
	g.cut, g.ends = g.cut[:0], g.ends[:0]
	depth, low, high := 0, 0, 0
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
			g.cut = append(g.cut, Run{r.Offset, n})
			depth, r.Offset, r.Length = depth+n, r.Offset+n, r.Length-n
			if depth%KC == 0 {
				g.ends = append(g.ends, len(g.cut))
			}
		}
	}
	if depth%KC != 0 {
		g.ends = append(g.ends, len(g.cut))
	}
	if depth != g.B.depth {
		return fmt.Errorf("kernel: runs of %d elements, operand B has depth %d", depth, g.B.depth)
	}
	for _, at := range g.Base[:g.M] {
		if at+low < 0 || at+high > len(g.Data) {
			return fmt.Errorf("kernel: a vector from %d to %d lies outside of %d elements", at+low, at+high, len(g.Data))
		}
	}
	if overlap(g.C, g.Data) {
		return errors.New("kernel: C overlaps an operand")
	}
	return nil
}
