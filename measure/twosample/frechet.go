// The Fréchet distance of Gaussians, and its limit for many points.

package twosample

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// Frechet returns the squared Fréchet distance of the Gaussians fitted to two samples,
//
//	‖μ − ν‖² + tr(Σ + T − 2·(Σ·T)^½),
//
// covariances with n − 1 in the denominator (Heusel et al. 2017, where the points are
// Inception features: the FID). tr (Σ·T)^½ is the sum of the singular values of the
// product of two factors, so that singular covariances, of fewer points than coordinates
// too, need no correction. Biased upward, by a term of order 1/n + 1/m: see
// [FrechetInfinity]. Errors: other dimensions; samples of less than 2 points, NaN and Inf
// are a [stat.UndefinedError].
func Frechet(x, y points.Points) (float64, error) {
	a, err := newGaussian("Fréchet distance", "first", x)
	if err != nil {
		return 0, err
	}
	b, err := newGaussian("Fréchet distance", "second", y)
	if err != nil {
		return 0, err
	}
	return a.distance(b)
}

// gaussian is a mean and a factor F of a covariance FᵀF.
type gaussian struct {
	mean   []float64
	factor *mat.Dense // rows × D
	trace  float64
}

func newGaussian(quantity, which string, p points.Points) (*gaussian, error) {
	if p.N < 2 {
		return nil, stat.Undefined(quantity, "the %s sample has %s, want at least 2", which, text.Count(p.N, "point"))
	}
	if err := finite(quantity, which, p); err != nil {
		return nil, err
	}
	x, mean := matrix.Centered(p)
	scale := 1 / math.Sqrt(float64(x.N-1))
	trace := 0.0
	for i := range x.Data {
		x.Data[i] *= scale
		trace += float64(x.Data[i] * x.Data[i])
	}
	g := &gaussian{mean: mean, trace: trace, factor: mat.NewDense(x.N, x.Dim, x.Data)}
	if x.N > x.Dim {
		var qr mat.QR
		qr.Factorize(g.factor)
		var r mat.Dense
		qr.RTo(&r)
		g.factor = mat.DenseCopyOf(r.Slice(0, x.Dim, 0, x.Dim))
	}
	return g, nil
}

func (g *gaussian) distance(o *gaussian) (float64, error) {
	if len(g.mean) != len(o.mean) {
		return 0, fmt.Errorf("points of %d and of %d coordinates have no Fréchet distance: want equal numbers",
			len(g.mean), len(o.mean))
	}
	var product mat.Dense
	product.Mul(g.factor, o.factor.T())
	var svd mat.SVD
	if !svd.Factorize(&product, mat.SVDNone) {
		return 0, errors.New("the singular values of the Fréchet distance did not converge")
	}
	value := matrix.SquaredDistance(g.mean, o.mean) + g.trace + o.trace - 2*stat.Sum(svd.Values(nil))
	if value < 1e-12*(g.trace+o.trace) { // rounding
		return 0, nil
	}
	return value, nil
}

// Infinity is the limit of a distance for many points.
type Infinity struct {
	Limit float64   // the value of the line at 1/n = 0
	Slope float64   // of the line over 1/n
	Sizes []int     // numbers of points of x
	At    []float64 // the distances there
}

// InfinityOptions are the choices of [FrechetInfinity].
type InfinityOptions struct {
	Sizes   int // how many sizes, evenly from Least to all points; 0: 15
	Least   int // 0: a tenth of the points, but no less than twice the coordinates where there are as many
	Seed    uint64
	Threads int
}

// FrechetInfinity returns FD∞, the limit of [Frechet] for many points of x: the
// intercept of the line through the distances of seeded subsets of x to all of y over
// one over their size (Chong & Forsyth 2020, "Effectively unbiased FID and Inception
// Score and where to find them"). The bias by the size of y stays. Errors as for
// Frechet, and fewer than 3 sizes.
func FrechetInfinity(ctx context.Context, x, y points.Points, o InfinityOptions) (*Infinity, error) {
	const quantity = "FD∞"
	b, err := newGaussian(quantity, "second", y)
	if err != nil {
		return nil, err
	}
	if _, err := newGaussian(quantity, "first", x); err != nil {
		return nil, err
	}
	if o.Sizes == 0 {
		o.Sizes = 15
	}
	if o.Least == 0 {
		o.Least = max(2, x.N/10, min(2*x.Dim, x.N/2))
	}
	r := &Infinity{}
	for k := range o.Sizes {
		size := o.Least + int(math.Round(float64(k)*float64(x.N-o.Least)/float64(max(1, o.Sizes-1))))
		if len(r.Sizes) == 0 || size > r.Sizes[len(r.Sizes)-1] {
			r.Sizes = append(r.Sizes, size)
		}
	}
	if o.Least < 2 || len(r.Sizes) < 3 || r.Sizes[len(r.Sizes)-1] > x.N {
		return nil, stat.Undefined(quantity, "%d sizes from %d to %d points, want at least 3 of 2 points or more",
			len(r.Sizes), o.Least, x.N)
	}
	r.At = make([]float64, len(r.Sizes))
	err = parallel.Try(ctx, o.Threads, len(r.Sizes), func(_, k int) error {
		index, err := stat.NewRandom(stat.StreamSubsets.Key(o.Seed, uint64(k))).SampleWithoutReplacement(x.N, r.Sizes[k])
		if err != nil {
			return err
		}
		a, err := newGaussian(quantity, "first", x.Select(index))
		if err != nil {
			return err
		}
		r.At[k], err = a.distance(b)
		return err
	})
	if err != nil {
		return nil, err
	}
	inverse := make([]float64, len(r.Sizes))
	for k, size := range r.Sizes {
		inverse[k] = 1 / float64(size)
	}
	line, err := stat.Regression(inverse, r.At)
	if err != nil {
		return nil, err
	}
	r.Limit, r.Slope = line.Intercept, line.Slope
	return r, nil
}
