// Package spectrum measures how the variance of a point cloud spreads over
// directions: the eigenvalues of its covariance, the ranks derived from them
// (participation ratio, effective rank, RankMe, stable rank), and the root mean
// square distance, the unit in which clouds of different models compare.
//
//	s, err := spectrum.New(z) // z: points.Points, [N, D]
//	fmt.Println(s.ParticipationRatio, s.EffectiveRank, s.RMSDistance())
//	rank, err := spectrum.RankMe(z)
//
// Points that do not vary have no spectrum: a collapsed encoder is a
// [stat.UndefinedError], and its reason belongs to every other score.
package spectrum

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"repscope/internal/kernel"
	"repscope/points"
	"repscope/stat"
)

// rankMeEpsilon is the ε that RankMe adds to each normalized singular value.
const rankMeEpsilon = 1e-7

// deadVariance is the share of the mean variance per coordinate below which a
// coordinate counts as dead.
const deadVariance = 1e-12

// Spectrum describes how the variance of n points spreads over directions. C
// is their covariance with n − 1 in the denominator, λ its eigenvalues.
type Spectrum struct {
	// Eigenvalues of C in descending order, min(n, D) of them followed by
	// zeros up to D; never negative, since they are squared singular values.
	Eigenvalues []float64
	// ParticipationRatio is (Σλ)²/Σλ² = (tr C)²/‖C‖_F², from 1 to D.
	ParticipationRatio float64
	// EffectiveRank is exp(H(λ/Σλ)) with Shannon's entropy H (Roy & Vetterli
	// 2007), here of the eigenvalues of the centered covariance; from 1 to D.
	EffectiveRank float64
	// EffectiveRankSingular is exp(H(σ/Σσ)) of the singular values σ of the centered
	// points, the roots of the eigenvalues: the effective rank as Roy & Vetterli define
	// it; from 1 to D, at least EffectiveRank.
	EffectiveRankSingular float64
	// StableRank is ‖Z‖_F²/‖Z‖₂² of the centered points, from 1 to D.
	StableRank float64
	// Dims90 and Dims99 are the numbers of leading eigenvalues that hold 90 %
	// and 99 % of the variance.
	Dims90, Dims99 int
	// DeadDims counts coordinates that do not vary: variance
	// at most 1e−12 of the mean variance per coordinate.
	DeadDims int
	// TotalVariance is tr C, in squared units of the points.
	TotalVariance float64
}

// New computes the spectrum of n ≥ 2 points in float64, from the eigenvalues of the
// covariance of the coordinates or, where there are fewer points than coordinates, of the
// products of the points: the same but for zeros. Those below min(n, D)·2⁻⁵² of
// the largest, which rounding cannot tell from 0, count as 0. Fewer points, points that do not vary, NaN and Inf are a
// [stat.UndefinedError]; another error is a decomposition that did not converge.
func New(z points.Points) (*Spectrum, error) {
	mean, variance, err := variances("spectrum", z)
	if err != nil {
		return nil, err
	}
	squares, err := squaresOf(z, mean)
	if err != nil {
		return nil, err
	}
	return spectrumOf(z, variance, squares), nil
}

// Uncentered are measures of the points as they are, not less their mean.
type Uncentered struct {
	RankMe float64 // see [RankMe]
	// StableRank is ‖Z‖_F²/‖Z‖₂², from 1 to D; near 1 where the mean is long compared with the spread.
	StableRank float64
}

// uncenteredOf are the measures of points with those squared singular values, in descending order.
func uncenteredOf(squares []float64) Uncentered {
	return Uncentered{RankMe: math.Exp(entropy(roots(squares), rankMeEpsilon)), StableRank: stableRank(squares)}
}

// WithUncentered is [New] and the measures of the same points as they are, in little more than the time of one of them.
func WithUncentered(z points.Points) (s *Spectrum, raw Uncentered, err error) {
	mean, variance, err := variances("spectrum", z)
	if err != nil {
		return nil, raw, err
	}
	products, err := productsOf(z, mean)
	if err != nil {
		return nil, raw, err
	}
	return withUncentered(z, mean, variance, products)
}

// withUncentered is [WithUncentered] of points with that mean, variance and products, which it changes.
func withUncentered(z points.Points, mean, variance, products []float64) (*Spectrum, Uncentered, error) {
	centered, raw, err := bothOf(z, mean, products)
	if err != nil {
		return nil, Uncentered{}, err
	}
	return spectrumOf(z, variance, centered), uncenteredOf(raw), nil
}

// spectrumOf are the measures of points whose coordinates have those variances, and whose squared singular values are
// squares.
func spectrumOf(z points.Points, variance, squares []float64) *Spectrum {
	s := &Spectrum{Eigenvalues: make([]float64, z.Dim), TotalVariance: stat.Sum(variance)}
	for _, v := range variance {
		if v <= deadVariance*s.TotalVariance/float64(z.Dim) {
			s.DeadDims++
		}
	}
	dof := float64(z.N - 1)
	for k, v := range squares {
		s.Eigenvalues[k] = v / dof
	}
	s.ParticipationRatio = participationRatio(s.Eigenvalues)
	s.EffectiveRank = math.Exp(entropy(s.Eigenvalues, 0))
	s.EffectiveRankSingular = math.Exp(entropy(roots(s.Eigenvalues), 0))
	s.StableRank = stableRank(s.Eigenvalues)
	s.Dims90 = dimensionsFor(s.Eigenvalues, 0.90)
	s.Dims99 = dimensionsFor(s.Eigenvalues, 0.99)
	return s
}

// RMSDistance is the root mean square distance of two random points, √(2·tr C):
// the unit in which distances of different latent spaces compare.
func (s *Spectrum) RMSDistance() float64 { return math.Sqrt(2 * s.TotalVariance) }

// RankMe returns exp(−Σ p ln p) with p = σ/Σσ + 1e−7 over the min(n, D) singular
// values σ of the points as they are, not centered (Garrido, Balestriero, Najman &
// LeCun 2023, "RankMe: assessing the downstream performance of pretrained
// self-supervised representations by their rank"): about 1 to min(n, D). No points,
// points that are all zero, NaN and Inf are a [stat.UndefinedError]; another error
// is a decomposition that did not converge.
func RankMe(z points.Points) (float64, error) {
	const quantity = "RankMe"
	if z.N < 1 {
		return 0, stat.Undefined(quantity, "no points")
	}
	row := make([]float64, z.Dim)
	for i := range z.N {
		for k, v := range z.Row(i, row) {
			if !isFinite(v) {
				return 0, stat.Undefined(quantity, "point %d, coordinate %d is %v, want finite numbers", i, k, v)
			}
		}
	}
	squares, err := squaresOf(z, make([]float64, z.Dim))
	if err != nil {
		return 0, err
	}
	sigma := roots(squares)
	if sigma[0] == 0 {
		return 0, stat.Undefined(quantity, "the points are all zero")
	}
	return math.Exp(entropy(sigma, rankMeEpsilon)), nil
}

// participationRatio returns (Σλ)²/Σλ² of non-negative eigenvalues, or NaN if
// all are zero.
func participationRatio(eigenvalues []float64) float64 {
	total, squares := 0.0, 0.0
	for _, v := range eigenvalues {
		total += v
		squares += v * v
	}
	return total * total / squares
}

// cumulativeVariance returns the share of the total held by the first 1, 2, …
// eigenvalues, which are non-negative and in descending order; NaN if all are zero.
func cumulativeVariance(eigenvalues []float64) []float64 {
	total, running := stat.Sum(eigenvalues), 0.0
	out := make([]float64, len(eigenvalues))
	for i, v := range eigenvalues {
		running += v
		out[i] = min(running/total, 1)
	}
	return out
}

func dimensionsFor(eigenvalues []float64, share float64) int {
	for i, c := range cumulativeVariance(eigenvalues) {
		// The tolerance keeps a share that is reached exactly from depending
		// on the rounding of the sum.
		if c >= share-1e-12 {
			return i + 1
		}
	}
	return len(eigenvalues)
}

// Directions is the continuous number of leading eigenvalues that hold a share of their sum,
//
//	k − 1 + (share·Σλ − λ₁ − … − λ_{k−1})/λ_k, with the smallest k whose eigenvalues hold the share,
//
// between k − 1 and k, where [Spectrum.Dims90] is k. Small changes of the eigenvalues change it little. The eigenvalues
// are non-negative and descend; NaN if all are zero, or for none.
func Directions(eigenvalues []float64, share float64) float64 {
	k, before := dimensionsFor(eigenvalues, share), 0.0
	if k == 0 || eigenvalues[0] == 0 {
		return math.NaN()
	}
	for _, v := range eigenvalues[:k-1] {
		before += v
	}
	return float64(k-1) + min(max((share*stat.Sum(eigenvalues)-before)/eigenvalues[k-1], 0), 1)
}

// entropy returns −Σ p ln p with p = v/Σv + ε.
func entropy(values []float64, epsilon float64) float64 {
	total, h := stat.Sum(values), 0.0
	for _, v := range values {
		if p := v/total + epsilon; p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h
}

// squaresOf are the squared singular values of the points less their mean, min(n, D) of them in
// descending order: the eigenvalues of the products of coordinates, or of points where these are
// fewer.
func squaresOf(z points.Points, mean []float64) ([]float64, error) {
	n := min(z.N, z.Dim)
	products, err := productsOf(z, mean)
	if err != nil {
		return nil, err
	}
	return squareValues(products, n)
}

// bothOf are [squaresOf] the points less their mean, and of the points, from the former's [productsOf], which it
// changes.
func bothOf(z points.Points, mean, products []float64) (centered, raw []float64, err error) {
	if z.N >= z.Dim {
		return bothOfCoordinates(products, z.Dim, float64(z.N), mean, 0)
	}
	along, row := make([]float64, z.N), make([]float64, z.Dim)
	for i := range along {
		centeredPart(row, z, mean, i, 0)
		along[i] = dot(row, mean)
	}
	return bothOfPoints(products, z.N, along, dot(mean, mean), 0)
}

// eigenvalues are the eigenvalues of a symmetric matrix without negative ones, in descending
// order; values that rounding cannot tell from 0 are 0.
func eigenvalues(m blas64.Symmetric) ([]float64, error) {
	a := make([]float64, m.N*m.N)
	for i := range m.N {
		copy(a[i*m.N+i:(i+1)*m.N], m.Data[i*m.Stride+i:i*m.Stride+m.N])
	}
	return squareValues(a, m.N)
}

// squareValues are the eigenvalues of products, which are overwritten, in descending order.
func squareValues(products []float64, n int) ([]float64, error) {
	t, err := tridiagonalOf(products, n, bandOf(n), 0)
	if err != nil {
		return nil, err
	}
	return t.squares()
}

// squares are the eigenvalues of a matrix that has no negative ones, in descending order; those that rounding cannot
// tell from 0 are 0.
func (t tridiagonal) squares() ([]float64, error) {
	values, err := t.eigenvalues()
	if err != nil {
		return nil, fmt.Errorf("%d × %d products: %w", len(t.diagonal), len(t.diagonal), err)
	}
	slices.Reverse(values)
	for k, v := range values {
		if !(v > float64(len(values))*0x1p-52*values[0]) {
			values[k] = 0
		}
	}
	return values, nil
}

// productRows is the number of points that are added to the products of coordinates at a time.
const productRows = 512

// productsOf is the upper triangle of xᵀx, or of xxᵀ where there are fewer points than coordinates, with
// x the points less their mean.
func productsOf(z points.Points, mean []float64) ([]float64, error) {
	n := min(z.N, z.Dim)
	products := make([]float64, n*n)
	p := kernel.Product[float64]{M: n, N: n, C: products, Stride: n, Upper: true, Accumulate: true}
	if z.N < z.Dim {
		x := kernel.Packing(&centeredRows{z: z, mean: mean})
		p.K, p.A, p.B = z.Dim, x, x
		return products, p.Run()
	}
	x := make([]float64, min(productRows, z.N)*z.Dim)
	for from := 0; from < z.N; from += productRows {
		to := min(from+productRows, z.N)
		for i := from; i < to; i++ {
			centeredPart(x[(i-from)*z.Dim:][:z.Dim], z, mean, i, 0)
		}
		p.K, p.A, p.B = to-from, kernel.Columns(x, z.Dim), kernel.Columns(x, z.Dim)
		if err := p.Run(); err != nil {
			return nil, err
		}
	}
	return products, nil
}

// centeredPart writes the coordinates of point i from k on, less the mean, to dst.
func centeredPart(dst []float64, z points.Points, mean []float64, i, k int) {
	switch offset := i*z.Dim + k; {
	case z.U8 != nil:
		for d, v := range z.U8[offset:][:len(dst)] {
			dst[d] = float64(v)
		}
	case z.F32 != nil:
		kernel.Widen(dst, z.F32[offset:][:len(dst)])
	default:
		copy(dst, z.F64[offset:])
	}
	kernel.AddScaled(dst, mean[k:][:len(dst)], -1)
}

// centeredRows are the points from first on, less the mean, for products that have no copy of them.
type centeredRows struct {
	z       points.Points
	mean    []float64
	first   int
	scratch sync.Pool // of a panel's rows
}

// Pack writes points first … first+count−1 at the coordinates k … k+depth−1 into panels.
func (c *centeredRows) Pack(dst []float64, width, first, count, k, depth int) {
	buffer, _ := c.scratch.Get().(*[]float64)
	if buffer == nil || len(*buffer) < width*depth {
		rows := make([]float64, width*kernel.KC)
		buffer = &rows
	}
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		for r := range n {
			centeredPart((*buffer)[r*depth:][:depth], c.z, c.mean, c.first+first+q+r, k)
		}
		kernel.PackRows(dst[q*depth:][:width*depth], width, *buffer, depth, n, depth)
	}
	c.scratch.Put(buffer)
}

func roots(values []float64) []float64 {
	out := make([]float64, len(values))
	for k, v := range values {
		out[k] = math.Sqrt(v)
	}
	return out
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// WorkingBytes is about what [WithSimilarities] and all that do less hold of n points of dim coordinates at a time:
// the products of all directions twice, and rows of products of pairs of points; of few coordinates, a third copy,
// and rows of points.
func WorkingBytes(n, dim int) int64 {
	directions, rows := int64(min(n, dim)), int64(min(productRows, n))*int64(dim)
	if n >= 3*dim {
		return 8 * (3*directions*directions + 3*rows)
	}
	return 8 * (2*directions*directions + int64(min(pairRows, n))*int64(n) + rows)
}
