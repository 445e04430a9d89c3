// Nearly exact keys of scattered pairs from products that are more exact than those of the rows, all of several rows together.

package rows

import (
	"math"
	"unsafe"

	"repscope/internal/kernel"
	"repscope/neighbors/internal/scan"
)

// productKeys computes nearly exact keys of scattered pairs, all of several rows together: every
// point is read once for all rows that want it, in pieces of the depth that leave the
// rows' own in the cache.
//
// First they are n_i + n_j − 2·v_i·v_j, in float64, of the shifted, scaled and rounded points v and the squared
// norms n of a bounded space, where the product is one of short float32 chains (see [kernel.AddChains]): its error is
// at most 7u/(1−7u)·r_i·r_j from the chains and (D+8)·w·r_i·r_j from adding them up. Rounding the points to float32 alone
// gives ‖e_i‖ ≤ 1.002u·‖v_i‖, but for the terms of the cosine that are counted in any case. In the notation of bounded.go, a key
// and the direct one, scaled, differ by at most
//
//	E'_ij = (1+2⁻¹⁰)·( 14u/(1−7u)·r_i·r_j + s²·( 2.01u + (4D+64)w ) )
//	        + what E_ij has for the cosine and for underflow
//
// a tenth of E_ij or less in thousands of dimensions. Where points are so near each other that many comparisons stay open, the
// keys are ‖x‖² + ‖y‖² − 2x·y of the points as they came, and the cosine's from x·y, in float64. With
// w = 2⁻⁵³, the product, both norms and the last two operations are off by at most
// (2D+4)·w·(‖x‖²+‖y‖²), the direct computation by (D+3)·w·‖x−y‖² ≤ (2D+6)·w·(‖x‖²+‖y‖²). For the cosine
// the two products differ by at most (2D+1)·w·‖x‖‖y‖, and the divisions and differences add 6w. With
// 1+2⁻¹⁰ for the terms of second order, a nearly exact key and the direct one differ by at most
//
//	(1+2⁻¹⁰)·(4D+16)·w·(‖x‖²+‖y‖²),   cosine: (1+2⁻¹⁰)·(4D+16)·w
//
// float32 values neither overflow nor underflow.
type productKeys struct {
	direct          *Direct
	points, queries *centered[float32]
	chains          errorBound // of keys from chains
	unit            float64    // (1+2⁻¹⁰)·(4D+16)·w
	norms           []float64
	height          int // rows
	undecided       []undecidedRank
	cells           []cell
	slot            []int32 // of the cell of each point, in the row at hand, where stamp says so
	stamp           []int32
	now             int32
	start           []int32 // where the cells of each point begin
	rows            []int32 // of the cells by point
	sums            []float64
	place           []int32 // of each cell in rows and sums
	moved           []int32 // what becomes of each cell
	block           []float32
	narrow          []float32
	wide            []float64
}

// cell is a pair of a row, counted from the first, and a point.
type cell struct{ row, point int32 }

// GroupRows is the number of rows that are looked at together, pieceDepth the depth of a
// piece: their product fits into the L2 cache. All points are read once for each group.
const GroupRows, pieceDepth = 512, kernel.ChainDepth

// productKeysPay is the smallest dimension in which direct keys are dear enough for nearly.
const productKeysPay = 256

// openProducts returns the worker's nearly, ready for rows rows; nil where it does not apply.
func (w *boundedWorker[F]) openProducts(rows int) *productKeys {
	s := w.space
	if s.sources.F32 == nil || s.sources.Dim < productKeysPay || unsafe.Sizeof(F(0)) == 8 {
		return nil
	}
	if w.products == nil {
		w.products = &productKeys{
			direct: s.direct, points: any(s.points).(*centered[float32]), queries: any(s.queries).(*centered[float32]),
			chains: s.errors.ofChains(s.sources.Dim),
			unit:   (1 + 0x1p-10) * float64(4*s.sources.Dim+16) * 0x1p-53, norms: s.squares(),
			slot: make([]int32, s.N), stamp: make([]int32, s.N), start: make([]int32, s.N+1),
			narrow: make([]float32, pieceDepth), wide: make([]float64, pieceDepth),
		}
	}
	w.products.height = rows
	return w.products
}

// ofChains is the bound E' where b is that of the rows.
func (b errorBound) ofChains(dim int) errorBound {
	const u, w = 0x1p-24, 0x1p-53
	b.product = (1 + 0x1p-10) * 14 * u / (1 - 7*u)
	b.slope = (1 + 0x1p-10) * (2.01*u + float64(4*dim+64)*w)
	return b
}

// want asks for the keys of the open comparisons of row first+r and keeps them for later. It returns open, empty.
func (c *productKeys) want(l *Lists, first []int32, r int, open []undecidedRank) []undecidedRank {
	if c.now == math.MaxInt32 {
		clear(c.stamp)
		c.now = 0
	}
	c.now++
	cellOf := func(j int32) int32 {
		j = first[j]
		if c.stamp[j] != c.now {
			c.stamp[j], c.slot[j] = c.now, int32(len(c.cells))
			c.cells = append(c.cells, cell{int32(r), j})
		}
		return c.slot[j]
	}
	for _, o := range open {
		o.a, o.b = cellOf(o.point), cellOf(l.List[o.at])
		c.undecided = append(c.undecided, o)
	}
	return open[:0]
}

func (c *productKeys) reset() { c.undecided, c.cells = c.undecided[:0], c.cells[:0] }

// productsPay is how many comparisons of a group may be left for each point before reading all points once more for
// float64 products is faster than direct keys.
const productsPay = 2

// decide counts in rank what nearly exact keys decide, and leaves the rest in undecided, ordered by row; first is the
// point of row 0.
func (c *productKeys) decide(first int, rank []int32) {
	c.computeChains(first)
	c.sift(rank, func(a, b int32) bool { return c.chainsApart(a, b, first+int(c.cells[a].row)) })
	if len(c.undecided) < productsPay*c.direct.points.N {
		return
	}
	c.keepUndecided()
	c.computeProducts(first)
	c.sift(rank, func(a, b int32) bool { return c.productsApart(a, b, first+int(c.cells[a].row)) })
}

// sift takes out of undecided, and counts in rank, the comparisons of keys that are far enough apart to be certainly in order.
func (c *productKeys) sift(rank []int32, apart func(a, b int32) bool) {
	still := c.undecided[:0]
	for _, o := range c.undecided {
		if !apart(o.a, o.b) {
			still = append(still, o)
		} else if c.key(o.a) < c.key(o.b) {
			rank[o.at]++
		}
	}
	c.undecided = still
}

// keepUndecided leaves the cells of open comparisons only.
func (c *productKeys) keepUndecided() {
	c.moved = scan.Zeroed(c.moved, len(c.cells)) // 0: nowhere, else the new place and 1
	var cells []cell
	move := func(of int32) int32 {
		if c.moved[of] == 0 {
			cells = append(cells, c.cells[of])
			c.moved[of] = int32(len(cells))
		}
		return c.moved[of] - 1
	}
	for q := range c.undecided {
		o := &c.undecided[q]
		o.a, o.b = move(o.a), move(o.b)
	}
	c.cells = append(c.cells[:0], cells...)
}

// computeChains finds the keys of all cells from products in short chains; first is the point of row 0.
func (c *productKeys) computeChains(first int) {
	load := func(k int, row []float32, r int) { c.queries.row(first+r, k, row) }
	c.pieces(kernel.ChainDepth, load, func(k, j, from, to, filled int, ahead []float32) {
		depth := min(pieceDepth, c.direct.points.Dim-k)
		c.points.row(j, k, c.narrow[:depth])
		clear(c.narrow[depth:])
		kernel.AddChains(c.sums[from:to], c.narrow, c.block, pieceDepth, c.rows[from:to], ahead)
	})
	for q, of := range c.cells {
		at := c.place[q]
		c.sums[at] = c.queries.square[first+int(of.row)] + c.points.square[of.point] - 2*c.sums[at]
	}
}

// computeProducts is computeChains from float64 products of the points as they came.
func (c *productKeys) computeProducts(first int) {
	queries, points := c.direct.queries, c.direct.points
	dim := points.Dim
	load := func(k int, row []float32, r int) { copy(row, queries.F32[(first+r)*dim+k:]) }
	c.pieces(kernel.PairDepth, load, func(k, j, from, to, filled int, ahead []float32) {
		depth := min(pieceDepth, dim-k)
		at := j*dim + k
		kernel.Widen(c.wide, points.F32[at:at+depth])
		clear(c.wide[depth:filled])
		kernel.AddProducts(c.sums[from:to], c.wide[:filled], c.block, pieceDepth, c.rows[from:to], ahead)
	})
	for q, of := range c.cells {
		at, i := c.place[q], first+int(of.row)
		if c.direct.Metric == Cosine {
			c.sums[at] = cosineKey(c.sums[at], c.direct.queryNorms[i], c.direct.PointNorms[of.point])
		} else {
			c.sums[at] = c.norms[i] + c.norms[of.point] - 2*c.sums[at]
		}
	}
}

// pieces has load fill row r of the block with its coordinates from k on, and add add the products of point j, in pieces
// of the depth that are filled up with zeros to a multiple of unit.
func (c *productKeys) pieces(unit int, load func(k int, row []float32, r int), add func(k, j, from, to, filled int, ahead []float32)) {
	c.sortCells()
	points := c.direct.points
	dim := points.Dim
	c.sums = scan.Zeroed(c.sums, len(c.cells))
	c.block = scan.Grown(c.block, c.height*pieceDepth)
	for k := 0; k < dim; k += pieceDepth {
		depth := min(pieceDepth, dim-k)
		filled := (depth + unit - 1) / unit * unit
		for r := range c.height {
			row := c.block[r*pieceDepth:][:filled]
			load(k, row[:depth], r)
			clear(row[depth:])
		}
		for j := range points.N {
			if from, to := int(c.start[j]), int(c.start[j+1]); from < to {
				next := min(j+1, points.N-1)*dim + k
				add(k, j, from, to, filled, points.F32[next:next+depth])
			}
		}
	}
}

// sortCells lists the rows of each point's cells, one point after another.
func (c *productKeys) sortCells() {
	c.place, c.rows = scan.Grown(c.place, len(c.cells)), scan.Grown(c.rows, len(c.cells))
	clear(c.start)
	for _, of := range c.cells {
		c.start[of.point+1]++
	}
	for j := range len(c.start) - 1 {
		c.start[j+1] += c.start[j]
	}
	// Filling moves each start to the next one.
	for q, of := range c.cells {
		at := c.start[of.point]
		c.place[q], c.rows[at] = at, of.row
		c.start[of.point]++
	}
	copy(c.start[1:], c.start)
	c.start[0] = 0
}

func (c *productKeys) key(of int32) float64 { return c.sums[c.place[of]] }

// chainsApart reports whether the keys from chains of two cells of a row are far enough apart to be certainly in order.
func (c *productKeys) chainsApart(a, b int32, i int) bool {
	j, k := c.cells[a].point, c.cells[b].point
	if c.queries.factor[i] == 0 || c.points.factor[j] == 0 || c.points.factor[k] == 0 {
		return false // too far out for products
	}
	r, near, far := c.queries.radius[i], c.points.radius[j], c.points.radius[k]
	return math.Abs(c.key(a)-c.key(b)) > c.chains.of(r, r, near, near)+c.chains.of(r, r, far, far)
}

// productsApart is chainsApart for the keys from float64 products.
func (c *productKeys) productsApart(a, b int32, i int) bool {
	limit := 2 * c.unit
	if c.direct.Metric != Cosine {
		limit = c.unit * (2*c.norms[i] + c.norms[c.cells[a].point] + c.norms[c.cells[b].point])
	}
	return math.Abs(c.key(a)-c.key(b)) > limit
}
