// Latent spaces prepared for comparison, and the sums over two of them.

package similarity

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Space is one model's points prepared for comparison: in float64, centered, and
// lying block by block.
type Space struct {
	x       matrix.Matrix
	place   []int     // of every point in x; nil: its own number
	blocks  int       // that the caller gave; 0 without
	block   []int     // of every point
	start   []int     // first row of each block, and n; one block without
	square  []float64 // ‖x_i‖²
	total   float64   // Σ ‖x_i‖²
	sum     matrix.Matrix
	squares []float64 // sum and squares: Σ x_i and Σ ‖x_i‖² per block
	own     products  // of the space with itself
	plain   bool      // values alone, without deletions
}

// NewSpace prepares points [N, D], grouped by blocks or, for nil, without. Spaces that
// are compared need equal N and the same blocks. Time is N·D², memory N·D and D²
// once. NaN and Inf are errors, as are blocks of another number of points; points
// that do not vary are a space that [Compare] refuses.
func NewSpace(z points.Points, blocks *stat.Blocks) (*Space, error) {
	if err := neighbors.Check("similarity", z, neighbors.Euclidean); err != nil {
		return nil, err
	}
	s := &Space{start: []int{0, z.N}}
	s.x, _ = matrix.Centered(z)
	if blocks != nil {
		order, err := matrix.ByBlocks(blocks, z.N)
		if err != nil {
			return nil, err
		}
		s.x, s.place = s.x.Select(order), make([]int, z.N)
		for at, i := range order {
			s.place[i] = at
		}
		s.blocks, s.block, s.start = blocks.Count(), blocks.Labels(), []int{0}
		for b, size := range blocks.Sizes() {
			s.start = append(s.start, s.start[b]+size)
		}
	}
	s.addUp()
	own, err := between(s, s, false)
	s.own = own
	return s, err
}

// addUp computes the sums of the space.
func (s *Space) addUp() {
	blocks := len(s.start) - 1
	s.square, s.sum, s.squares = make([]float64, s.x.N), matrix.New(blocks, s.x.Dim), make([]float64, blocks)
	for b := range blocks {
		for i := s.start[b]; i < s.start[b+1]; i++ {
			matrix.AddTo(s.sum.Row(b), s.x.Row(i))
			s.square[i] = matrix.Dot(s.x.Row(i), s.x.Row(i))
			s.squares[b] += s.square[i]
		}
		s.total += s.squares[b]
	}
}

// Len is the number of points.
func (s *Space) Len() int { return s.x.N }

// Dim is the dimension of the points.
func (s *Space) Dim() int { return s.x.Dim }

// deletes reports whether values without each block are asked for.
func (s *Space) deletes() bool { return s.blocks > 0 && !s.plain }

// Varies reports whether not all points are equal.
func (s *Space) Varies() bool { return s.total != 0 }

// point is point i, centered.
func (s *Space) point(i int32) []float64 {
	if s.place == nil {
		return s.x.Row(int(i))
	}
	return s.x.Row(s.place[i])
}

// products are the sums over pairs of spaces that CKA and Procrustes are made of,
// for all points at 0 and without block b at b+1.
type products struct {
	biased   []float64 // ‖XᵀY‖_F²
	unbiased []float64 // n(n−3) times the unbiased HSIC
	between  []float64 // the sum over pairs of different blocks, see [Similarity.CKABetween]
	nuclear  []float64 // ‖XᵀY‖_*, the sum of singular values; NaN where not computed
	// ‖X‖_F² and ‖Y‖_F² of the centered points.
	xTotal, yTotal []float64
	cross          matrix.Matrix // XᵀY of all points
}

// between computes the products of two spaces over the same blocks. All sums
// without a block are differences of block sums; the center is moved to the mean
// of the points that remain.
func between(x, y *Space, nuclear bool) (products, error) {
	c := newCrossing(x, y)
	if err := c.addUp(); err != nil {
		return products{}, err
	}
	out := products{cross: c.cross}
	out.add(c.cross, float64(x.x.N), x.total, y.total, c.squaresAll, nuclear)
	out.between = []float64{c.split.inner(-1, matrix.Dot(c.cross.Data, c.cross.Data))}
	blocks := len(x.start) - 1
	if blocks < 2 || x.plain {
		return out, nil
	}
	for b := range blocks {
		if err := c.addWithout(b, &out, nuclear && min(x.x.Dim, y.x.Dim) <= ProcrustesBlockDimension); err != nil {
			return products{}, err
		}
	}
	return out, nil
}

// crossing holds the sums over the points of two spaces, for all points and by
// block.
type crossing struct {
	x, y  *Space
	cross matrix.Matrix // Σ x_i·y_iᵀ
	// Σ x_i‖y_i‖², Σ y_i‖x_i‖² and Σ ‖x_i‖²‖y_i‖².
	xy, yx       matrix.Matrix // by block
	squares      []float64     // by block
	xyAll, yxAll []float64
	squaresAll   float64
	split        *split

	block        matrix.Matrix // room for the cross product of a block
	xMean, yMean []float64     // room for the means without a block
	workspace    kernel.Workspace[float64]
}

func newCrossing(x, y *Space) *crossing {
	blocks, p, q := len(x.start)-1, x.x.Dim, y.x.Dim
	return &crossing{
		split: newSplit(x, y), x: x, y: y, cross: matrix.New(p, q), block: matrix.New(p, q),
		xy: matrix.New(blocks, p), yx: matrix.New(blocks, q), squares: make([]float64, blocks),
		xyAll: make([]float64, p), yxAll: make([]float64, q), xMean: make([]float64, p), yMean: make([]float64, q),
	}
}

// crossOf computes the cross product of block b.
func (c *crossing) crossOf(b int) error {
	p, q, lo, hi := c.x.x.Dim, c.y.x.Dim, c.x.start[b], c.x.start[b+1]
	product := kernel.Product[float64]{
		M: p, N: q, K: hi - lo,
		A: kernel.Columns(c.x.x.Data[lo*p:], p), B: kernel.Columns(c.y.x.Data[lo*q:], q),
		C: c.block.Data, Stride: q, Threads: 1, Workspace: &c.workspace,
	}
	return product.Run()
}

// addUp computes the sums, block by block.
func (c *crossing) addUp() error {
	x, y := c.x, c.y
	for b := range c.squares {
		for i := x.start[b]; i < x.start[b+1]; i++ {
			matrix.Axpy(c.xy.Row(b), y.square[i], x.x.Row(i))
			matrix.Axpy(c.yx.Row(b), x.square[i], y.x.Row(i))
			c.squares[b] += x.square[i] * y.square[i]
		}
		matrix.AddTo(c.xyAll, c.xy.Row(b))
		matrix.AddTo(c.yxAll, c.yx.Row(b))
		c.squaresAll += c.squares[b]
		if err := c.crossOf(b); err != nil {
			return err
		}
		matrix.AddTo(c.cross.Data, c.block.Data)
		c.split.add(b, c.block)
	}
	return nil
}

// addWithout appends the products of the points outside block b.
func (c *crossing) addWithout(b int, out *products, nuclear bool) error {
	if err := c.crossOf(b); err != nil {
		return err
	}
	x, y := c.x, c.y
	remaining := float64(x.x.N - (x.start[b+1] - x.start[b]))
	// The whole is centered, so that the rest has minus the block's sum.
	for k, v := range x.sum.Row(b) {
		c.xMean[k] = -v / remaining
	}
	for k, v := range y.sum.Row(b) {
		c.yMean[k] = -v / remaining
	}
	cross := c.block // Σ x yᵀ over the rest, about the center of all
	for k, v := range cross.Data {
		cross.Data[k] = c.cross.Data[k] - v
	}
	out.between = append(out.between, c.split.inner(b, matrix.Dot(cross.Data, cross.Data)))
	xx, yy := matrix.Dot(c.xMean, c.xMean), matrix.Dot(c.yMean, c.yMean)
	xTotal, yTotal := x.total-x.squares[b], y.total-y.squares[b]
	// Σ ‖x−m‖²‖y−μ‖² over the rest, multiplied out.
	product := c.squaresAll - c.squares[b]
	for k, m := range c.yMean {
		product -= 2 * m * (c.yxAll[k] - c.yx.Row(b)[k])
	}
	for k, m := range c.xMean {
		product -= 2 * m * (c.xyAll[k] - c.xy.Row(b)[k])
		product += 4 * m * matrix.Dot(cross.Row(k), c.yMean)
	}
	product += yy*xTotal + xx*yTotal - 3*remaining*xx*yy
	for k, m := range c.xMean {
		matrix.Axpy(cross.Row(k), -remaining*m, c.yMean)
	}
	out.add(cross, remaining, xTotal-remaining*xx, yTotal-remaining*yy, product, nuclear)
	return nil
}

// add appends the products of n centered points: their cross product, the sums of
// squared lengths, and the sum of the products of squared lengths.
func (p *products) add(cross matrix.Matrix, n, xTotal, yTotal, squares float64, nuclear bool) {
	frobenius := matrix.Dot(cross.Data, cross.Data)
	p.biased = append(p.biased, frobenius)
	p.xTotal, p.yTotal = append(p.xTotal, xTotal), append(p.yTotal, yTotal)
	p.unbiased = append(p.unbiased, frobenius-n/(n-2)*squares+xTotal*yTotal/((n-1)*(n-2)))
	sum := math.NaN()
	if nuclear {
		sum = 0
		var svd mat.SVD
		if svd.Factorize(mat.NewDense(cross.N, cross.Dim, cross.Data), mat.SVDNone) {
			for _, v := range svd.Values(nil) {
				sum += v
			}
		} else {
			sum = math.NaN()
		}
	}
	p.nuclear = append(p.nuclear, sum)
}
