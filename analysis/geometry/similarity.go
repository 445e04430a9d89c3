// Similarity of two latent spaces of the same states: linear CKA and the
// orthogonal Procrustes distance, with the values without each block in turn.

package geometry

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// space is one model's latents prepared for comparison: centred, and lying block
// by block.
type space struct {
	x      matrix
	start  []int     // first row of each block, and n
	square []float64 // ‖x_i‖²
	total  float64   // Σ ‖x_i‖²
	// Per block: Σ x_i and Σ ‖x_i‖².
	sum     matrix
	squares []float64
}

func newSpace(x matrix, start []int) space {
	blocks := len(start) - 1
	s := space{x: x, start: start, square: make([]float64, x.n), sum: newMatrix(blocks, x.dim), squares: make([]float64, blocks)}
	for b := range blocks {
		for i := start[b]; i < start[b+1]; i++ {
			addTo(s.sum.row(b), x.row(i))
			s.square[i] = dot(x.row(i), x.row(i))
			s.squares[b] += s.square[i]
		}
		s.total += s.squares[b]
	}
	return s
}

// products are the sums over pairs of spaces that CKA and Procrustes are made of,
// for all points at 0 and without block b at b+1.
type products struct {
	biased   []float64 // ‖XᵀY‖_F²
	unbiased []float64 // n(n−3) times the unbiased HSIC
	nuclear  []float64 // ‖XᵀY‖_*, the sum of singular values; NaN where not computed
	// ‖X‖_F² and ‖Y‖_F² of the centred points.
	xTotal, yTotal []float64
	cross          matrix // XᵀY of all points
}

// nuclearDimension is the largest dimension for which singular values are
// computed again without each block.
const nuclearDimension = 128

// between computes the products of two spaces over the same blocks. All sums
// without a block are differences of block sums; the centre is moved to the mean
// of the points that remain.
func between(x, y space, nuclear bool) (products, error) {
	blocks, p, q := len(x.start)-1, x.x.dim, y.x.dim
	out := products{cross: newMatrix(p, q)}
	var workspace kernel.Workspace[float64]
	block := newMatrix(p, q)
	crossOf := func(b int) error {
		lo, hi := x.start[b], x.start[b+1]
		product := kernel.Product[float64]{
			M: p, N: q, K: hi - lo,
			A: kernel.Columns(x.x.data[lo*p:], p), B: kernel.Columns(y.x.data[lo*q:], q),
			C: block.data, Stride: q, Threads: 1, Workspace: &workspace,
		}
		return product.Run()
	}
	// Σ x_i‖y_i‖², Σ y_i‖x_i‖² and Σ ‖x_i‖²‖y_i‖² per block.
	xy, yx, squares := newMatrix(blocks, p), newMatrix(blocks, q), make([]float64, blocks)
	xyAll, yxAll, squaresAll := make([]float64, p), make([]float64, q), 0.0
	for b := range blocks {
		for i := x.start[b]; i < x.start[b+1]; i++ {
			axpy(xy.row(b), y.square[i], x.x.row(i))
			axpy(yx.row(b), x.square[i], y.x.row(i))
			squares[b] += x.square[i] * y.square[i]
		}
		addTo(xyAll, xy.row(b))
		addTo(yxAll, yx.row(b))
		squaresAll += squares[b]
		if err := crossOf(b); err != nil {
			return products{}, err
		}
		addTo(out.cross.data, block.data)
	}

	n := x.x.n
	out.add(out.cross, float64(n), x.total, y.total, squaresAll, nuclear)
	if blocks < 2 {
		return out, nil
	}
	xMean, yMean := make([]float64, p), make([]float64, q)
	for b := range blocks {
		if err := crossOf(b); err != nil {
			return products{}, err
		}
		left := float64(n - (x.start[b+1] - x.start[b]))
		// The whole is centred, so that the rest has minus the block's sum.
		for k, v := range x.sum.row(b) {
			xMean[k] = -v / left
		}
		for k, v := range y.sum.row(b) {
			yMean[k] = -v / left
		}
		cross := block // Σ x yᵀ over the rest, about the centre of all
		for k, v := range cross.data {
			cross.data[k] = out.cross.data[k] - v
		}
		xx, yy := dot(xMean, xMean), dot(yMean, yMean)
		xTotal, yTotal := x.total-x.squares[b], y.total-y.squares[b]
		// Σ ‖x−m‖²‖y−μ‖² over the rest, multiplied out.
		product := squaresAll - squares[b]
		for k, m := range yMean {
			product -= 2 * m * (yxAll[k] - yx.row(b)[k])
		}
		for k, m := range xMean {
			product -= 2 * m * (xyAll[k] - xy.row(b)[k])
			product += 4 * m * dot(cross.row(k), yMean)
		}
		product += yy*xTotal + xx*yTotal - 3*left*xx*yy
		for k, m := range xMean {
			axpy(cross.row(k), -left*m, yMean)
		}
		out.add(cross, left, xTotal-left*xx, yTotal-left*yy, product, nuclear && min(p, q) <= nuclearDimension)
	}
	return out, nil
}

// add appends the products of n centred points: their cross product, the sums of
// squared lengths, and the sum of the products of squared lengths.
func (p *products) add(cross matrix, n, xTotal, yTotal, squares float64, nuclear bool) {
	frobenius := dot(cross.data, cross.data)
	p.biased = append(p.biased, frobenius)
	p.xTotal, p.yTotal = append(p.xTotal, xTotal), append(p.yTotal, yTotal)
	p.unbiased = append(p.unbiased, frobenius-n/(n-2)*squares+xTotal*yTotal/((n-1)*(n-2)))
	sum := math.NaN()
	if nuclear {
		sum = 0
		var svd mat.SVD
		if svd.Factorize(mat.NewDense(cross.n, cross.dim, cross.data), mat.SVDNone) {
			for _, v := range svd.Values(nil) {
				sum += v
			}
		} else {
			sum = math.NaN()
		}
	}
	p.nuclear = append(p.nuclear, sum)
}

func axpy(dst []float64, factor float64, src []float64) {
	for k, v := range src {
		dst[k] += float64(factor * v)
	}
}

// alignmentOf is h(x,y)/√(h(x,x)·h(y,y)); NaN where a space does not vary.
func alignmentOf(xy, xx, yy float64) float64 {
	if !(xx > 0 && yy > 0) {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}

// procrustes is √(2 − 2·‖XᵀY‖_*/(‖X‖_F·‖Y‖_F)); NaN where a space does not vary.
func procrustes(nuclear, xTotal, yTotal float64) float64 {
	return math.Sqrt(max(0, 2-2*nuclear/math.Sqrt(xTotal*yTotal)))
}

// procrustesResidual is the same distance as ‖X/‖X‖ − (Y/‖Y‖)·R‖ with the best
// rotation R, which keeps its digits when the spaces nearly agree.
func procrustesResidual(x, y space, cross matrix) float64 {
	product := mat.Matrix(mat.NewDense(cross.n, cross.dim, cross.data))
	if x.x.dim < y.x.dim { // turning the smaller space into the larger one loses nothing
		x, y, product = y, x, product.T()
	}
	var svd mat.SVD
	if !svd.Factorize(product, mat.SVDThin) {
		return math.NaN()
	}
	var u, v, rotation mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	rotation.Mul(&v, u.T()) // XᵀY = U·S·Vᵀ; the best R is V·Uᵀ
	r := rotation.RawMatrix()
	xLength, yLength := math.Sqrt(x.total), math.Sqrt(y.total)
	turned := make([]float64, x.x.dim)
	total := 0.0
	for i := range x.x.n {
		clear(turned)
		for k, value := range y.x.row(i) {
			axpy(turned, value/yLength, r.Data[k*r.Stride:k*r.Stride+r.Cols])
		}
		for k, value := range x.x.row(i) {
			d := value/xLength - turned[k]
			total += float64(d * d)
		}
	}
	return math.Sqrt(total)
}

// Similarity compares two latent spaces of the same states.
type Similarity struct {
	// CKA is linear centred kernel alignment ‖XᵀY‖_F²/(‖XᵀX‖_F·‖YᵀY‖_F) of the centred
	// latents (Kornblith et al. 2019), in [0, 1]. Few states in many dimensions make
	// it large whatever the spaces; CKADebiased is the same with the unbiased HSIC
	// (Song et al. 2012), at most about 1, near 0 for unrelated spaces.
	CKA, CKADebiased float64
	// Procrustes is the smallest ‖X − Y·R‖_F over orthogonal R (Schönemann 1966) for
	// centred latents scaled to ‖X‖_F = ‖Y‖_F = 1: 0 for the same shape, at most √2.
	Procrustes float64
}

// Compare measures linear CKA and the Procrustes distance of two spaces of n points;
// dimensions may differ. All three do not change when a space is rotated, scaled
// or moved. Errors: fewer than 4 points, different n, NaN or Inf; constant points are
// an UndefinedError.
func Compare(a, b points.Points) (Similarity, error) {
	if a.N != b.N || a.N < 4 {
		return Similarity{}, fmt.Errorf("similarity of %d and %d latents, want equal numbers of at least 4", a.N, b.N)
	}
	spaces := make([]space, 2)
	for i, p := range []points.Points{a, b} {
		if err := neighbors.Check("similarity", p, neighbors.Euclidean); err != nil {
			return Similarity{}, err
		}
		spaces[i] = newSpace(widened(p).centred(), []int{0, p.N})
		if spaces[i].total == 0 {
			return Similarity{}, &stat.UndefinedError{Quantity: "similarity", Reason: "the latents are constant"}
		}
	}
	xx, err := between(spaces[0], spaces[0], false)
	if err != nil {
		return Similarity{}, err
	}
	yy, err := between(spaces[1], spaces[1], false)
	if err != nil {
		return Similarity{}, err
	}
	xy, err := between(spaces[0], spaces[1], true)
	if err != nil {
		return Similarity{}, err
	}
	return Similarity{
		CKA:         alignmentOf(xy.biased[0], xx.biased[0], yy.biased[0]),
		CKADebiased: alignmentOf(xy.unbiased[0], xx.unbiased[0], yy.unbiased[0]),
		Procrustes:  xy.distance(spaces[0], spaces[1]),
	}, nil
}

// nearlyEqual is the squared distance below which it is computed from the
// residual.
const nearlyEqual = 1e-6

// distance is the Procrustes distance of all points.
func (p products) distance(x, y space) float64 {
	d := procrustes(p.nuclear[0], x.total, y.total)
	if d*d < nearlyEqual {
		return procrustesResidual(x, y, p.cross)
	}
	return d
}
