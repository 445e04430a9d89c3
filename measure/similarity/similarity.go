// Linear centered kernel alignment and the orthogonal Procrustes distance, with
// the values without each block in turn.

package similarity

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"repscope/measure/internal/matrix"
	"repscope/stat"
)

// Similarity compares two latent spaces of the same points.
type Similarity struct {
	// CKA is linear centered kernel alignment ‖XᵀY‖_F²/(‖XᵀX‖_F·‖YᵀY‖_F) of the centered
	// points (Kornblith, Norouzi, Lee & Hinton 2019), in [0, 1]. Few points in many
	// dimensions make it large whatever the spaces; CKADebiased is the same with the
	// unbiased HSIC (Song et al. 2012), at most about 1, near 0 for unrelated spaces,
	// NaN where the unbiased HSIC of a space is not positive.
	CKA, CKADebiased Estimate
	// CKABetween is CKADebiased from pairs of states in different blocks alone: the cosine of both matrices of
	// inner products over these pairs, each without its best fit by sums a_i + a_j of a number per state, as
	// U-centering takes it away with single states for blocks (Székely & Rizzo 2013). It is 0 on average for
	// independent spaces whose blocks are exchangeable, however slowly the states change inside a block, and at
	// most 1. NaN with fewer than 4 blocks, and where a space does not vary between blocks.
	CKABetween Estimate
	// Procrustes is the smallest ‖X − Y·R‖_F over orthogonal R (Schönemann 1966) for
	// centered points scaled to ‖X‖_F = ‖Y‖_F = 1: 0 for the same shape, at most √2; NaN
	// where the singular value decomposition did not converge.
	Procrustes Estimate
}

// Estimate is a number for all points and without each block: nil without blocks, NaN if the remaining
// points are constant or none remain.
type Estimate struct {
	Value   float64
	Without []float64
}

// ProcrustesBlockDimension is the largest dimension, of the smaller space, for which
// the Procrustes distance is computed again without each block; above it they are NaN.
const ProcrustesBlockDimension = 128

// nearlyEqual is the squared distance below which it is computed from the
// residual.
const nearlyEqual = 1e-6

// Compare measures linear CKA and the Procrustes distance of two spaces, whose
// dimensions may differ. Spaces of different N or blocks are an error; fewer than 4
// points, and points that do not vary, are a [stat.UndefinedError].
func Compare(x, y *Space) (*Similarity, error) {
	const quantity = "similarity"
	if x.x.N != y.x.N || x.x.N < 4 {
		return nil, stat.Undefined(quantity, "%d and %d latents, want equal numbers of at least 4", x.x.N, y.x.N)
	}
	if !slices.Equal(x.start, y.start) || !slices.Equal(x.place, y.place) {
		return nil, errors.New("similarity: the spaces have different blocks")
	}
	if !x.Varies() || !y.Varies() {
		return nil, stat.Undefined(quantity, "the latents are constant")
	}
	xy, err := between(x, y, true)
	if err != nil {
		return nil, err
	}
	xx, yy := x.own, y.own
	s := &Similarity{
		CKA:         Estimate{Value: alignment(xy.biased[0], xx.biased[0], yy.biased[0])},
		CKADebiased: Estimate{Value: alignment(xy.unbiased[0], xx.unbiased[0], yy.unbiased[0])},
		CKABetween:  Estimate{Value: alignment(xy.between[0], xx.between[0], yy.between[0])},
		Procrustes:  Estimate{Value: xy.distance(x, y)},
	}
	if x.blocks == 0 {
		return s, nil
	}
	for b := 1; b < len(xy.biased); b++ {
		s.CKA.Without = append(s.CKA.Without, alignment(xy.biased[b], xx.biased[b], yy.biased[b]))
		s.CKADebiased.Without = append(s.CKADebiased.Without, alignment(xy.unbiased[b], xx.unbiased[b], yy.unbiased[b]))
		s.CKABetween.Without = append(s.CKABetween.Without, alignment(xy.between[b], xx.between[b], yy.between[b]))
		s.Procrustes.Without = append(s.Procrustes.Without, procrustes(xy.nuclear[b], xy.xTotal[b], xy.yTotal[b]))
	}
	if x.blocks == 1 { // nothing is left
		for _, e := range []*Estimate{&s.CKA, &s.CKADebiased, &s.CKABetween, &s.Procrustes} {
			e.Without = []float64{math.NaN()}
		}
	}
	return s, nil
}

// distance is the Procrustes distance of all points.
func (p products) distance(x, y *Space) float64 {
	d := procrustes(p.nuclear[0], x.total, y.total)
	if d*d < nearlyEqual {
		return procrustesResidual(x, y, p.cross)
	}
	return d
}

// alignment is h(x,y)/√(h(x,x)·h(y,y)); NaN where a space does not vary. Both h are inner products,
// so that only rounding takes it beyond ±1, where it is cut.
func alignment(xy, xx, yy float64) float64 {
	if !(xx > 0 && yy > 0) {
		return math.NaN()
	}
	return min(max(xy/math.Sqrt(xx*yy), -1), 1)
}

// procrustes is √(2 − 2·‖XᵀY‖_*/(‖X‖_F·‖Y‖_F)); NaN where a space does not vary.
func procrustes(nuclear, xTotal, yTotal float64) float64 {
	return math.Sqrt(max(0, 2-2*nuclear/math.Sqrt(xTotal*yTotal)))
}

// procrustesResidual is the same distance as ‖X/‖X‖ − (Y/‖Y‖)·R‖ with the best
// rotation R, which keeps its digits when the spaces nearly agree.
func procrustesResidual(x, y *Space, cross matrix.Matrix) float64 {
	product := mat.Matrix(mat.NewDense(cross.N, cross.Dim, cross.Data))
	if x.x.Dim < y.x.Dim { // turning the smaller space into the larger one loses nothing
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
	turned := make([]float64, x.x.Dim)
	total := 0.0
	for i := range x.x.N {
		clear(turned)
		for k, value := range y.x.Row(i) {
			matrix.Axpy(turned, value/yLength, r.Data[k*r.Stride:k*r.Stride+r.Cols])
		}
		for k, value := range x.x.Row(i) {
			d := value/xLength - turned[k]
			total += float64(d * d)
		}
	}
	return math.Sqrt(total)
}
