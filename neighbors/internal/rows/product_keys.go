// Nearly exact keys of scattered pairs from products that are more exact than the products of the rows, computed for
// several rows together.

package rows

import (
	"context"
	"math"
	"sync"
	"unsafe"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
)

// productKeys computes nearly exact keys of scattered pairs, for many rows together. Every point is read once for all
// rows that need it, in pieces of the depth that leave the rows' own points in the cache. The rows come in groups, and
// all goroutines share the points of all groups.
//
// First the keys are n_i + n_j − 2·v_i·v_j, in float64, of the shifted, scaled and rounded points v and the squared
// norms n of a bounded space. The product is one of short float32 chains (see [kernel.AddChains]): its error is at most
// u/(1−5u)·p_i·p_j from the chains, where p_i² = Σ_k N_k·v_ik² counts their roundings (see [kernel.Norms.OfChains]),
// and (D+8)·w·r_i·r_j from adding them up. The change by rounding the points to float32 is measured, ‖e_i‖ up to 2w·r_i
// of the compared float64 numbers. In the notation of bounded.go, with η = ‖e_i‖ + ‖e_j‖, a key and the direct one,
// scaled, differ by at most
//
//	E'_ij = (1+2⁻¹⁰)·( 2u/(1−5u)·p_i·p_j + 2η·s + s²·(4D+72)w )
//	        + the terms of E_ij for the cosine and for underflow
//
// a tenth of E_ij or less in thousands of dimensions. If points are so near each other that many comparisons stay open,
// the keys are ‖x‖² + ‖y‖² − 2x·y of the original points, and the cosine's from x·y, in float64. With w = 2⁻⁵³, the
// product, both norms and the last two operations are off by at most (2D+4)·w·(‖x‖²+‖y‖²), the direct computation by
// (D+3)·w·‖x−y‖² ≤ (2D+6)·w·(‖x‖²+‖y‖²). For the cosine the two products differ by at most (2D+1)·w·‖x‖‖y‖, and the
// divisions and differences add 6w. With 1+2⁻¹⁰ for the terms of second order, a nearly exact key and the direct one
// differ by at most
//
//	(1+2⁻¹⁰)·(4D+16)·w·(‖x‖²+‖y‖²),   cosine: (1+2⁻¹⁰)·(4D+16)·w
//
// float32 values neither overflow nor underflow.
type productKeys struct {
	direct          *Direct
	points, queries *centered[float32]
	chains          errorBound // E', with p for q and without η
	unit            float64    // (1+2⁻¹⁰)·(4D+16)·w
	refined         *refined
	blocks          [][]float32 // the piece of all rows, of each goroutine
	of              []int       // which point each of their rows belongs to
	start           []int32     // where the cells of each point begin
	rows            []int32     // of the cells by point
	sums            []float64
	narrow          [][]float32 // the piece of a point, of each goroutine
	wide            [][]float64
}

// openGroup is the lists of rows whose ranks are found together, and the comparisons among them that are open.
type openGroup struct {
	lists     *Lists
	rank      []int32
	undecided []undecidedRank
	cells     []cell
	base      int       // its first row among the rows of all groups
	next      []int32   // where the next cell of each point goes
	sums      []float64 // of the cells of all groups
	place     []int32   // of each cell in sums
	moved     []int32   // new index of each cell
}

// cell is a pair of a row of a group, counted from the first, and a point.
type cell struct{ row, point int32 }

// cellTable finds the cell of each point in the current row, if stamp is the row's.
type cellTable struct {
	slot, stamp []int32
	now         int32
}

// GroupRows is the number of rows that one goroutine looks at together, pieceDepth the depth of a
// piece.
const GroupRows, pieceDepth = 512, kernel.ChainDepth

// productKeysPay is the smallest dimension in which direct keys are dear enough for nearly exact ones.
const productKeysPay = 256

// openProducts returns the keys for threads goroutines; nil if they do not apply.
func (w *boundedWorker[F]) openProducts(threads int) *productKeys {
	s := w.space
	if s.sources.F32 == nil || s.sources.Dim < productKeysPay || unsafe.Sizeof(F(0)) == 8 {
		return nil
	}
	if w.products == nil {
		w.products = &productKeys{
			direct: s.direct, points: any(s.points).(*centered[float32]), queries: any(s.queries).(*centered[float32]),
			chains: s.errors.ofChains(s.sources.Dim),
			unit:   (1 + 0x1p-10) * float64(4*s.sources.Dim+16) * 0x1p-53, refined: s.refine(),
		}
	}
	for len(w.products.narrow) < threads {
		w.products.narrow = append(w.products.narrow, make([]float32, pieceDepth))
		w.products.wide = append(w.products.wide, make([]float64, pieceDepth))
	}
	return w.products
}

// refined holds the data of float32 points that keys need in addition to the rows.
type refined struct {
	squareOnce sync.Once
	square     []float64 // of the norm of each original point; nil until needed
	chain      []float64 // p
	rounding   []float64 // ‖e‖
}

// refine measures the points, once.
func (s *bounded[F]) refine() *refined {
	s.refineOnce.Do(func() {
		n, dim := s.N, s.sources.Dim
		s.refined.chain, s.refined.rounding = make([]float64, n), make([]float64, n)
		points := any(s.points).(*centered[float32])
		norms, rows := make([]kernel.Norms[float32], s.threads), make([][]float32, s.threads)
		_ = parallel.For(context.Background(), s.threads, n, func(w, i int) {
			x := s.sources.F32[i*dim : (i+1)*dim]
			f := points.factor[i]
			if f == 0 {
				return
			}
			rows[w] = scan.Grown(rows[w], dim)
			points.row(i, 0, rows[w])
			_, chain := norms[w].OfChains(rows[w])
			s.refined.chain[i] = math.Sqrt(chain)
			s.refined.rounding[i] = roundedBy(rows[w], x, points.shift, f) + 0x1p-52*points.radius[i]
		})
	})
	return &s.refined
}

// roundedBy is ‖v − (f·x − shift)‖.
func roundedBy(v, x []float32, shift []float64, f float64) float64 {
	var sums [4]float64
	x, shift = x[:len(v)], shift[:len(v)]
	k := 0
	for ; k+4 <= len(v); k += 4 {
		for l := range sums {
			d := float64(v[k+l]) - (float64(float64(x[k+l])*f) - shift[k+l])
			sums[l] += float64(d * d)
		}
	}
	for ; k < len(v); k++ {
		d := float64(v[k]) - (float64(float64(x[k])*f) - shift[k])
		sums[0] += float64(d * d)
	}
	return math.Sqrt((sums[0] + sums[2]) + (sums[1] + sums[3]))
}

// ofChains is the bound E' without η, where b is the bound of the rows.
func (b errorBound) ofChains(dim int) errorBound {
	const u, w = 0x1p-24, 0x1p-53
	b.product = (1 + 0x1p-10) * 2 * u / (1 - kernel.ChainRoundings*u)
	b.squares, b.slope = 0, (1+0x1p-10)*float64(4*dim+72)*w
	return b
}

// chainBound is E' of points i and j.
func (c *productKeys) chainBound(i int, j int32) float64 {
	r, far, p := c.points.radius[i], c.points.radius[j], c.refined
	return c.chains.of(r, p.chain[i], far, p.chain[j]) + (1+0x1p-10)*2*(p.rounding[i]+p.rounding[j])*(r+far)
}

// want requests the keys of the open comparisons of row r and keeps them for later. It returns open, empty.
func (g *openGroup) want(t *cellTable, first []int32, r int, open []undecidedRank) []undecidedRank {
	if len(open) == 0 {
		return open
	}
	if t.now == math.MaxInt32 || len(t.slot) < len(first) {
		t.slot, t.stamp, t.now = make([]int32, len(first)), make([]int32, len(first)), 0
	}
	t.now++
	cellOf := func(j int32) int32 {
		j = first[j]
		if t.stamp[j] != t.now {
			t.stamp[j], t.slot[j] = t.now, int32(len(g.cells))
			g.cells = append(g.cells, cell{int32(r), j})
		}
		return t.slot[j]
	}
	for _, o := range open {
		o.a, o.b = cellOf(o.point), cellOf(g.lists.List[o.at])
		g.undecided = append(g.undecided, o)
	}
	return open[:0]
}

func (g *openGroup) reset() { g.undecided, g.cells = g.undecided[:0], g.cells[:0] }

// productsPay is how many comparisons may be left for each point before reading all points once more for
// float64 products is faster than direct keys.
const productsPay = 2

// decide adds to the ranks of the groups the comparisons that nearly exact keys decide. It leaves the rest in
// undecided, ordered by row.
func (c *productKeys) decide(ctx context.Context, threads int, groups []*openGroup) error {
	if err := c.computeChains(ctx, threads, groups); err != nil {
		return err
	}
	sift := func(apart func(g *openGroup, a, b int32) bool) error {
		return parallel.For(ctx, threads, len(groups), func(_, q int) { groups[q].sift(apart) })
	}
	if err := sift(c.chainsApart); err != nil {
		return err
	}
	undecided := 0
	for _, g := range groups {
		undecided += len(g.undecided)
	}
	if undecided < productsPay*c.direct.points.N {
		return nil
	}
	if err := parallel.For(ctx, threads, len(groups), func(_, q int) { groups[q].keepUndecided() }); err != nil {
		return err
	}
	if err := c.computeProducts(ctx, threads, groups); err != nil {
		return err
	}
	return sift(c.productsApart)
}

// sift takes out of undecided, and counts in rank, the comparisons of keys that are far enough apart to be certainly
// in order.
func (g *openGroup) sift(apart func(g *openGroup, a, b int32) bool) {
	still := g.undecided[:0]
	for _, o := range g.undecided {
		if !apart(g, o.a, o.b) {
			still = append(still, o)
		} else if g.key(o.a) < g.key(o.b) {
			g.rank[o.at]++
		}
	}
	g.undecided = still
}

// keepUndecided leaves the cells of open comparisons only.
func (g *openGroup) keepUndecided() {
	g.moved = scan.Zeroed(g.moved, len(g.cells)) // 0: nowhere, else the new index plus 1
	var cells []cell
	move := func(cell int32) int32 {
		if g.moved[cell] == 0 {
			cells = append(cells, g.cells[cell])
			g.moved[cell] = int32(len(cells))
		}
		return g.moved[cell] - 1
	}
	for q := range g.undecided {
		o := &g.undecided[q]
		o.a, o.b = move(o.a), move(o.b)
	}
	g.cells = append(g.cells[:0], cells...)
}

// computeChains finds the keys of all cells from products in short chains.
func (c *productKeys) computeChains(ctx context.Context, threads int, groups []*openGroup) error {
	take := func(w, k, j, depth int) {
		c.points.row(j, k, c.narrow[w][:depth])
		clear(c.narrow[w][depth:])
	}
	add := func(w, _ int, sums []float64, block []float32, rows []int32, ahead []float32) {
		kernel.AddChains(sums, c.narrow[w], block, pieceDepth, rows, ahead)
	}
	err := c.pieces(ctx, threads, groups, kernel.ChainDepth, c.queries.row, take, add)
	if err != nil {
		return err
	}
	return parallel.For(ctx, threads, len(groups), func(_, q int) {
		g := groups[q]
		for of, cell := range g.cells {
			at := g.place[of]
			g.sums[at] = c.queries.square[g.query(cell)] + c.points.square[cell.point] - 2*g.sums[at]
		}
	})
}

// computeProducts is computeChains from float64 products of the points as they came.
func (c *productKeys) computeProducts(ctx context.Context, threads int, groups []*openGroup) error {
	queries, points := c.direct.queries, c.direct.points
	dim := points.Dim
	c.squareNorms(threads)
	load := func(i, k int, row []float32) { copy(row, queries.F32[i*dim+k:]) }
	take := func(w, k, j, depth int) {
		kernel.Widen(c.wide[w], points.F32[j*dim+k:][:depth])
		clear(c.wide[w][depth:])
	}
	add := func(w, filled int, sums []float64, block []float32, rows []int32, ahead []float32) {
		kernel.AddProducts(sums, c.wide[w][:filled], block, pieceDepth, rows, ahead)
	}
	if err := c.pieces(ctx, threads, groups, kernel.PairDepth, load, take, add); err != nil {
		return err
	}
	return parallel.For(ctx, threads, len(groups), func(_, q int) {
		g := groups[q]
		for q, cell := range g.cells {
			entry, i := g.place[q], g.query(cell)
			if c.direct.Metric == Cosine {
				g.sums[entry] = cosineKey(g.sums[entry], c.direct.queryNorms[i], c.direct.PointNorms[cell.point])
			} else {
				g.sums[entry] = c.refined.square[i] + c.refined.square[cell.point] - 2*g.sums[entry]
			}
		}
	})
}

// squareNorms computes the squared norms of the points as they came, once.
func (c *productKeys) squareNorms(threads int) {
	c.refined.squareOnce.Do(func() {
		points := c.direct.points
		norms := make([]kernel.Norms[float32], threads)
		c.refined.square = make([]float64, points.N)
		_ = parallel.For(context.Background(), threads, points.N, func(w, i int) {
			c.refined.square[i], _ = norms[w].Of(points.F32[i*points.Dim : (i+1)*points.Dim])
		})
	})
}

// pieces goes through the depth in pieces padded with zeros to a multiple of unit. load writes the coordinates from k
// on of a query, take keeps the coordinates of point j, and add adds its products with the rows that need it. Each
// goroutine processes a part of the points and waits for no other: pieces last milliseconds.
func (c *productKeys) pieces(ctx context.Context, threads int, groups []*openGroup, unit int, load func(i, k int, row []float32),
	take func(w, k, j, depth int), add func(w, filled int, sums []float64, block []float32, rows []int32, ahead []float32)) error {
	points := c.direct.points
	dim := points.Dim
	c.of = c.of[:0]
	for _, g := range groups {
		g.base = len(c.of)
		for r := range g.lists.Ends {
			c.of = append(c.of, g.lists.First+r)
		}
	}
	if err := c.sortCells(ctx, threads, groups); err != nil {
		return err
	}
	for len(c.blocks) < threads {
		c.blocks = append(c.blocks, nil)
	}
	return parallel.For(ctx, threads, threads, func(w, part int) {
		lo, hi := part*points.N/threads, (part+1)*points.N/threads
		c.blocks[w] = scan.Grown(c.blocks[w], len(c.of)*pieceDepth)
		block := c.blocks[w]
		for k := 0; k < dim && ctx.Err() == nil; k += pieceDepth {
			depth := min(pieceDepth, dim-k)
			filled := (depth + unit - 1) / unit * unit
			for r, i := range c.of {
				row := block[r*pieceDepth:][:filled]
				load(i, k, row[:depth])
				clear(row[depth:])
			}
			for j := lo; j < hi; j++ {
				if from, to := c.start[j], c.start[j+1]; from < to {
					next := min(j+pointsAhead, points.N-1)*dim + k
					take(w, k, j, depth)
					add(w, filled, c.sums[from:to], block, c.rows[from:to], points.F32[next:next+depth])
				}
			}
		}
	})
}

// pointsAhead is the number of points by which a point is prefetched: memory latency exceeds the time of one point's
// products.
const pointsAhead = 2

// sortCells lists the rows of the cells of all groups, one point after another, and sets the sums to zero.
func (c *productKeys) sortCells(ctx context.Context, threads int, groups []*openGroup) error {
	n := c.direct.points.N
	err := parallel.For(ctx, threads, len(groups), func(_, q int) {
		g := groups[q]
		g.next = scan.Zeroed(g.next, n)
		for _, of := range g.cells {
			g.next[of.point]++
		}
	})
	if err != nil {
		return err
	}
	c.start = scan.Grown(c.start, n+1)
	sum := int32(0)
	for j := range n {
		c.start[j] = sum
		for _, g := range groups {
			g.next[j], sum = sum, sum+g.next[j]
		}
	}
	c.start[n] = sum
	c.rows, c.sums = scan.Grown(c.rows, int(sum)), scan.Zeroed(c.sums, int(sum))
	return parallel.For(ctx, threads, len(groups), func(_, q int) {
		g := groups[q]
		g.sums, g.place = c.sums, scan.Grown(g.place, len(g.cells))
		for q, cell := range g.cells {
			at := g.next[cell.point]
			g.place[q], c.rows[at] = at, int32(g.base)+cell.row
			g.next[cell.point]++
		}
	})
}

func (g *openGroup) key(of int32) float64 { return g.sums[g.place[of]] }

// query is the point whose row a cell belongs to.
func (g *openGroup) query(of cell) int { return g.lists.First + int(of.row) }

// chainsApart reports whether the keys from chains of two cells of a row are far enough apart to be certainly in order.
func (c *productKeys) chainsApart(g *openGroup, a, b int32) bool {
	i, j, k := g.query(g.cells[a]), g.cells[a].point, g.cells[b].point
	if c.queries.factor[i] == 0 || c.points.factor[j] == 0 || c.points.factor[k] == 0 {
		return false // too far out for products
	}
	return math.Abs(g.key(a)-g.key(b)) > c.chainBound(i, j)+c.chainBound(i, k)
}

// productsApart is chainsApart for the keys from float64 products.
func (c *productKeys) productsApart(g *openGroup, a, b int32) bool {
	limit := 2 * c.unit
	if c.direct.Metric != Cosine {
		limit = c.unit * (2*c.refined.square[g.query(g.cells[a])] + c.refined.square[g.cells[a].point] + c.refined.square[g.cells[b].point])
	}
	return math.Abs(g.key(a)-g.key(b)) > limit
}
