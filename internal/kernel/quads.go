// Products of bytes by signed bytes whose left operand is read where it lies, four depths at a time.

package kernel

import (
	"errors"
	"fmt"
	"unsafe"
)

// quad is the number of depths that are multiplied at a time.
const quad = 4

// QuadSlack is how many bytes may be read behind a run.
const QuadSlack = quad - 1

// SignedWeights are n columns of k signed bytes, packed for a [GatheredBytes] with the same runs.
type SignedWeights struct {
	panels []uint32 // of ColumnAlign columns
	n      int
	groups int // of depths, each run filled up with zeros
}

// NewSignedWeights packs columns that follow each other; of the runs of a row, only the lengths count.
func NewSignedWeights(columns []int8, n int, runs []Run) (*SignedWeights, error) {
	k, groups := 0, 0
	for _, r := range runs {
		if r.Length <= 0 {
			return nil, fmt.Errorf("kernel: run of %d bytes", r.Length)
		}
		k, groups = k+r.Length, groups+quads(r.Length)
	}
	if n < 0 || len(columns) < n*k {
		return nil, fmt.Errorf("kernel: %d signed weights, want %d columns of %d", len(columns), n, k)
	}
	w := &SignedWeights{n: n, groups: groups, panels: make([]uint32, roundUp(n, ColumnAlign)*groups)}
	for j := range n {
		column, offset := columns[j*k:(j+1)*k], j/ColumnAlign*ColumnAlign*groups+j%ColumnAlign
		for _, r := range runs {
			for d := 0; d < r.Length; d += quad {
				var word uint32
				for i, v := range column[d:min(d+quad, r.Length)] {
					word |= uint32(uint8(v)) << (8 * i)
				}
				w.panels[offset] = word
				offset += ColumnAlign
			}
			column = column[r.Length:]
		}
	}
	return w, nil
}

// quads is how many groups of depths hold n of them.
func quads(n int) int { return (n + quad - 1) / quad }

// GatheredBytes is, for bytes A(i, ·) = Data[Base[i]+r.Offset : Base[i]+r.Offset+r.Length] for r in Runs, one after
// another,
//
//	C[i·N + j] = float32(Terms[j] + Σ_k A(i,k)·B(j,k))
//
// with sums modulo 2³². The [QuadSlack] bytes after a run are read, and do not matter. It runs on the calling goroutine
// and may be used again.
type GatheredBytes struct {
	M, N  int
	Data  []uint8
	Base  []int
	Runs  []Run
	B     *SignedWeights
	Terms []int32
	C     []float32

	pieces []piece
	end    tileEnd
	rows   [maxRows]int
}

// A quadKernel is a [gatherKernel] for bytes: pieces are that many quads and begin at any byte, the bias is integers.
type quadKernel func(data *uint8, base *int, runs *piece, count int, b *uint32, c *float32, stride int, ahead uintptr, next int, end *tileEnd)

// quadTiling is a family of them, of 12 rows at most and 16 or 32 columns.
type quadTiling [3][2]quadKernel

// GathersBytes reports whether the processor has kernels for [GatheredBytes] that pay: others are slow.
func GathersBytes() bool { return active.Load().quads != nil }

// Run computes the product. It returns an error, and leaves C alone, if a shape does not fit its slice.
func (g *GatheredBytes) Run() error {
	if err := g.check(); err != nil {
		return err
	}
	if g.M == 0 || g.N == 0 {
		return nil
	}
	t := active.Load().quads
	if t == nil {
		g.generic()
		return nil
	}
	const width = ColumnAlign
	for j := 0; j < g.N; j += width {
		columns := min(width, g.N-j)
		q := (columns - 1) / 16
		mask := uint32(uint64(1)<<columns - 1)
		g.end = tileEnd{first: uint16(mask), last: uint16(mask >> 16), flags: tileBias, bias: (*float32)(unsafe.Pointer(&g.Terms[j]))}
		if columns%16 != 0 {
			g.end.flags |= tileCut
		}
		panel := &g.B.panels[j*g.B.groups]
		for i := 0; i < g.M; i += maxRows {
			r, base := 2, &g.Base[i]
			if g.end.rows = min(maxRows, g.M-i); g.end.rows < maxRows {
				r = (g.end.rows - 1) / 4
				for n := range g.rows {
					g.rows[n] = g.Base[i+min(n, g.end.rows-1)]
				}
				base = &g.rows[0]
			}
			further := 0
			if j == 0 && i+maxRows < g.M {
				further = g.Base[i+maxRows] - g.Base[i]
			}
			t[r][q](&g.Data[0], base, &g.pieces[0], len(g.pieces), panel, &g.C[i*g.N+j], g.N, uintptr(unsafe.Pointer(panel)),
				further, &g.end)
		}
	}
	return nil
}

// generic is the definition.
func (g *GatheredBytes) generic() {
	for i := range g.M {
		for j := range g.N {
			sum, offset := g.Terms[j], j/ColumnAlign*ColumnAlign*g.B.groups+j%ColumnAlign
			for _, r := range g.Runs {
				for d, v := range g.Data[g.Base[i]+r.Offset:][:r.Length] {
					sum += int32(v) * int32(int8(g.B.panels[offset+d/quad*ColumnAlign]>>(8*(d%quad))))
				}
				offset += quads(r.Length) * ColumnAlign
			}
			g.C[i*g.N+j] = float32(sum)
		}
	}
}

func (g *GatheredBytes) check() error {
	if g.B == nil {
		return errors.New("kernel: operand B is not set")
	}
	groups, low, high, offset := 0, 0, 0, 0
	g.pieces = g.pieces[:0]
	for i, r := range g.Runs {
		if r.Length <= 0 {
			return fmt.Errorf("kernel: run of %d bytes", r.Length)
		}
		n := quads(r.Length)
		groups += n
		end := r.Offset + n*quad
		if g.pieces = append(g.pieces, piece{end - offset, n}); i == 0 {
			low, high = r.Offset, end
		}
		low, high, offset = min(low, r.Offset), max(high, end), end
	}
	switch {
	case g.M < 0 || g.N < 0 || len(g.C) < g.M*g.N:
		return fmt.Errorf("kernel: product of shape %d×%d in %d elements", g.M, g.N, len(g.C))
	case groups != g.B.groups || groups == 0:
		return fmt.Errorf("kernel: runs of %d quads, operand B has %d", groups, g.B.groups)
	case g.N != g.B.n || len(g.Terms) < g.N:
		return fmt.Errorf("kernel: %d columns and %d terms, operand B has %d", g.N, len(g.Terms), g.B.n)
	case len(g.Base) < g.M:
		return fmt.Errorf("kernel: %d bases for %d vectors", len(g.Base), g.M)
	}
	for _, offset := range g.Base[:g.M] {
		if offset+low < 0 || offset+high > len(g.Data) {
			return fmt.Errorf("kernel: a vector from %d to %d lies outside of %d bytes", offset+low, offset+high, len(g.Data))
		}
	}
	return nil
}
