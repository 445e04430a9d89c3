// Energy distance, maximum mean discrepancy and kernel distance of two samples of points.

package twosample

import (
	"context"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// Energy returns the squared energy distance of two samples of points
//
//	2·E‖X − Y‖ − E‖X − X′‖ − E‖Y − Y′‖
//
// over all pairs, a point with itself included (Székely & Rizzo 2013, "Energy
// statistics: a class of statistics based on distances"), in the units of the points: 0
// for equal samples, else positive. Its root is what scipy.stats.energy_distance gives in
// one dimension; see [Distance.Root]. As a V-statistic it is about E‖X − X′‖·(1/n + 1/m)
// too large. Samples of other dimensions are an error; an empty one, NaN or Inf a
// [stat.UndefinedError]. Time is (n + m)²·D.
func Energy(ctx context.Context, x, y points.Points, o Options) (*Distance, error) {
	const quantity = "energy distance"
	if x.N < 1 || y.N < 1 {
		return nil, stat.Undefined(quantity, "samples of %d and %d points, want at least 1 of each", x.N, y.N)
	}
	return distanceOf(ctx, quantity, x, y, o, true, ofDistances, func(x matrix.Matrix) kernelOf {
		norms := x.SquaredNorms()
		return func(products []float64, i, j0 int) float64 {
			sum := 0.0
			for k, product := range products {
				both := norms[i] + norms[j0+k]
				square := both - 2*product
				if square < directShare*both { // cancellation
					square = matrix.SquaredDistance(x.Row(i), x.Row(j0+k))
				}
				sum += math.Sqrt(square)
			}
			return sum
		}
	})
}

// directShare is the share of ‖x‖² + ‖y‖² below which a squared distance is computed
// again from the differences.
const directShare = 1e-4

// Root returns the distance, its deletions and its null on the scale of the root, as an energy
// distance is read; p values stay. NaN where a value is negative.
func (d *Distance) Root() *Distance {
	out := *d
	out.Value = math.Sqrt(d.Value)
	out.Without = make([]float64, len(d.Without))
	for b, v := range d.Without {
		out.Without[b] = math.Sqrt(v)
	}
	if d.Null != nil {
		out.Null = make([]float64, len(d.Null))
		for k, v := range d.Null {
			out.Null[k] = math.Sqrt(v)
		}
	}
	return &out
}

// MMDOptions are the choices of a maximum mean discrepancy.
type MMDOptions struct {
	Options
	// Bandwidth is σ of the kernel; 0 takes the median distance of the pooled points.
	Bandwidth float64
}

// MMDResult is a maximum mean discrepancy with the bandwidth of its kernel.
type MMDResult struct {
	Distance
	Bandwidth float64
}

// MMD returns the squared maximum mean discrepancy of two samples under the Gaussian
// kernel k(x, y) = exp(−‖x − y‖²/(2σ²)), as the U-statistic
//
//	mean_{i≠j} k(x_i, x_j) + mean_{i≠j} k(y_i, y_j) − 2·mean_{i,j} k(x_i, y_j)
//
// (Gretton et al. 2012, "A kernel two-sample test", equation 3), which is unbiased: 0 on
// average for samples of one distribution, negative as often as not, at most 2. The
// bandwidth is fixed under permutation and deletions. Errors as for [Energy]; samples of
// one point, and points that are all equal without a bandwidth, are a
// [stat.UndefinedError].
func MMD(ctx context.Context, x, y points.Points, o MMDOptions) (*MMDResult, error) {
	const quantity = "maximum mean discrepancy"
	if x.N < 2 || y.N < 2 {
		return nil, stat.Undefined(quantity, "samples of %d and %d points, want at least 2 of each", x.N, y.N)
	}
	sigma := o.Bandwidth
	if sigma == 0 {
		var err error
		if sigma, err = medianDistance(ctx, x, y, o.Seed, o.Threads); err != nil {
			return nil, err
		}
	}
	scale := -0.5 / (sigma * sigma)
	d, err := distanceOf(ctx, quantity, x, y, o.Options, true, unbiased, func(x matrix.Matrix) kernelOf {
		norms := x.SquaredNorms()
		return func(products []float64, i, j0 int) float64 {
			for k, product := range products {
				products[k] = max(0, norms[i]+norms[j0+k]-2*product)
			}
			return kernel.SumExp(products, scale, 0)
		}
	})
	if err != nil {
		return nil, err
	}
	return &MMDResult{Distance: *d, Bandwidth: sigma}, nil
}

// KID returns the kernel distance of two samples, the squared maximum mean discrepancy
// under (x·y/D + 1)³ as a U-statistic over all points (Bińkowski et al. 2018,
// "Demystifying MMD GANs", where it is a mean over subsets): 0 on average for samples of
// one distribution. The points are taken as they are, not centered. Errors as for [MMD].
func KID(ctx context.Context, x, y points.Points, o Options) (*Distance, error) {
	const quantity = "kernel distance"
	if x.N < 2 || y.N < 2 {
		return nil, stat.Undefined(quantity, "samples of %d and %d points, want at least 2 of each", x.N, y.N)
	}
	return distanceOf(ctx, quantity, x, y, o, false, unbiased, func(x matrix.Matrix) kernelOf {
		dim := float64(x.Dim)
		return func(products []float64, _, _ int) float64 {
			sum := 0.0
			for _, product := range products {
				v := product/dim + 1
				sum += float64(v * v * v)
			}
			return sum
		}
	})
}

func distanceOf(ctx context.Context, quantity string, x, y points.Points, o Options, center bool, f statistic,
	newKernel func(x matrix.Matrix) kernelOf,
) (*Distance, error) {
	p, err := newPooled(quantity, x, y, o, center)
	if err != nil {
		return nil, err
	}
	between, err := p.sums(ctx, o.Threads, newKernel(p.x))
	if err != nil {
		return nil, err
	}
	return p.measure(ctx, between, o, f)
}

// medianPoints is how many of the pooled points the median distance is of.
const medianPoints = 2000

// medianDistance returns the median of the distances of all pairs of the pooled points, of
// up to 2,000 of them drawn by the seed: the usual bandwidth of a Gaussian kernel.
// Where more than half of the pairs are equal, it is the median of the positive
// distances. Points that are all equal are a [stat.UndefinedError]; errors otherwise as
// for [Energy].
func medianDistance(ctx context.Context, x, y points.Points, seed uint64, threads int) (float64, error) {
	const quantity = "median distance"
	p, err := newPooled(quantity, x, y, Options{}, true)
	if err != nil {
		return 0, err
	}
	z := p.x
	if z.N > medianPoints {
		index, err := stat.NewRandom(stat.StreamTwoSample.Key(seed)).SampleWithoutReplacement(z.N, medianPoints)
		if err != nil {
			return 0, err
		}
		slices.Sort(index)
		z = z.Select(index)
	}
	norms, parts := z.SquaredNorms(), make([][]float64, (z.N+matrix.RowBlock-1)/matrix.RowBlock)
	err = matrix.Products(ctx, z, threads, func(i0, i1, j0, j1 int, product []float64, stride int) {
		part := &parts[i0/matrix.RowBlock]
		for i := i0; i < i1; i++ {
			for j := max(j0, i+1); j < j1; j++ {
				both := norms[i] + norms[j]
				square := both - 2*product[(i-i0)*stride+j-j0]
				if square < directShare*both {
					square = matrix.SquaredDistance(z.Row(i), z.Row(j))
				}
				if square > 0 {
					*part = append(*part, square)
				}
			}
		}
	})
	if err != nil {
		return 0, err
	}
	squares := slices.Concat(parts...)
	if len(squares) == 0 {
		return 0, stat.Undefined(quantity, "all points are equal")
	}
	slices.Sort(squares)
	pairs := z.N * (z.N - 1) / 2
	zeros := pairs - len(squares)
	distance := func(k int) float64 { return math.Sqrt(squares[k]) }
	if 2*zeros >= pairs {
		return (distance((len(squares)-1)/2) + distance(len(squares)/2)) / 2, nil
	}
	return (distance(max(0, (pairs-1)/2-zeros)) + distance(pairs/2-zeros)) / 2, nil
}
