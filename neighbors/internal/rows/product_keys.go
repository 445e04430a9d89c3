// Nearly exact keys of scattered pairs from float64 products, all of several rows together.

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
// They are ‖x‖² + ‖y‖² − 2x·y of the points as they came, and the cosine's from x·y, in float64. With
// w = 2⁻⁵³, the product, both norms and the last two operations are off by at most
// (2D+4)·w·(‖x‖²+‖y‖²), the direct computation by (D+3)·w·‖x−y‖² ≤ (2D+6)·w·(‖x‖²+‖y‖²). For the cosine
// the two products differ by at most (2D+1)·w·‖x‖‖y‖, and the divisions and differences add 6w. With
// 1+2⁻¹⁰ for the terms of second order, a nearly exact key and the direct one differ by at most
//
//	(1+2⁻¹⁰)·(4D+16)·w·(‖x‖²+‖y‖²),   cosine: (1+2⁻¹⁰)·(4D+16)·w
//
// float32 values neither overflow nor underflow.
type productKeys struct {
	direct    *Direct
	unit      float64 // (1+2⁻¹⁰)·(4D+16)·w
	norms     []float64
	height    int // rows
	undecided []undecidedRank
	cells     []cell
	slot      []int32 // of the cell of each point, in the row at hand, where stamp says so
	stamp     []int32
	now       int32
	start     []int32 // where the cells of each point begin
	rows      []int32 // of the cells by point
	sums      []float64
	place     []int32 // of each cell in rows and sums
	block     []float32
	y         []float64
}

// cell is a pair of a row, counted from the first, and a point.
type cell struct{ row, point int32 }

// GroupRows is the number of rows that are looked at together, nearDepth the depth of a
// piece: their product fits into the L2 cache.
const GroupRows, pieceDepth = 256, 512

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
			direct: s.direct, unit: (1 + 0x1p-10) * float64(4*s.sources.Dim+16) * 0x1p-53, norms: s.squares(),
			slot: make([]int32, s.N), stamp: make([]int32, s.N), start: make([]int32, s.N+1),
			y: make([]float64, pieceDepth),
		}
	}
	w.products.height = rows
	return w.products
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

// compute finds the keys of all cells; first is the point of row 0.
func (c *productKeys) compute(first int) {
	c.sortCells()
	queries, points := c.direct.queries, c.direct.points
	dim := points.Dim
	c.sums = scan.Zeroed(c.sums, len(c.cells))
	c.block = scan.Grown(c.block, c.height*pieceDepth)
	for k := 0; k < dim; k += pieceDepth {
		depth := min(pieceDepth, dim-k)
		filled := (depth + kernel.PairDepth - 1) / kernel.PairDepth * kernel.PairDepth
		for r := range c.height {
			at, row := (first+r)*dim+k, c.block[r*pieceDepth:][:filled]
			copy(row, queries.F32[at:at+depth])
			clear(row[depth:])
		}
		clear(c.y[depth:filled])
		for j := range points.N {
			from, to := c.start[j], c.start[j+1]
			if from == to {
				continue
			}
			at, next := j*dim+k, min(j+1, points.N-1)*dim+k
			ahead := points.F32[next : next+depth]
			kernel.Widen(c.y, points.F32[at:at+depth])
			kernel.AddProducts(c.sums[from:to], c.y[:filled], c.block, pieceDepth, c.rows[from:to], ahead)
		}
	}
	for q, of := range c.cells {
		at, i := c.place[q], first+int(of.row)
		if c.direct.Metric == Cosine {
			c.sums[at] = cosineKey(c.sums[at], c.direct.queryNorms[i], c.direct.PointNorms[of.point])
		} else {
			c.sums[at] = c.norms[i] + c.norms[of.point] - 2*c.sums[at]
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

// apart reports whether the keys of two cells of a row are far enough apart to be certainly in order.
func (c *productKeys) apart(a, b int32, i int) bool {
	limit := 2 * c.unit
	if c.direct.Metric != Cosine {
		limit = c.unit * (2*c.norms[i] + c.norms[c.cells[a].point] + c.norms[c.cells[b].point])
	}
	return math.Abs(c.key(a)-c.key(b)) > limit
}
