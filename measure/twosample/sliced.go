// The Wasserstein distance along random directions.

package twosample

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// SlicedOptions are the choices of [SlicedWasserstein].
type SlicedOptions struct {
	Order      int // 1 or 2; 0: 1
	Directions int // 0: 100
	Seed       uint64
	Threads    int
}

// SlicedWasserstein returns the sliced Wasserstein distance of order p, the p-th root of
// the mean over directions of W_p(⟨θ, x⟩, ⟨θ, y⟩)^p, with directions drawn uniformly from
// the sphere by the seed (Rabin et al. 2012; Bonneel et al. 2015): 0 for equal samples, in
// the units of the points. Every direction's distance is exact, for samples of any
// sizes. Errors: other dimensions or orders; empty samples, NaN and Inf are a
// [stat.UndefinedError].
func SlicedWasserstein(ctx context.Context, x, y points.Points, o SlicedOptions) (float64, error) {
	if o.Directions == 0 {
		o.Directions = 100
	}
	directions := matrix.New(o.Directions, x.Dim)
	for k := range o.Directions {
		random, norm := stat.NewRandom(stat.StreamDirections.Key(o.Seed, uint64(k))), 0.0
		for norm == 0 {
			for d := range x.Dim {
				directions.Row(k)[d] = random.Normal()
			}
			norm = math.Sqrt(matrix.Dot(directions.Row(k), directions.Row(k)))
		}
		for d := range x.Dim {
			directions.Row(k)[d] /= norm
		}
	}
	return SlicedAlong(ctx, x, y, points.Float64(directions.Data, x.Dim), o)
}

// SlicedAlong is [SlicedWasserstein] along given directions, which are taken as they are.
func SlicedAlong(ctx context.Context, x, y, directions points.Points, o SlicedOptions) (float64, error) {
	const quantity = "sliced Wasserstein distance"
	if x.Dim != y.Dim || directions.Dim != x.Dim {
		return 0, fmt.Errorf("%s: points of %d and of %d coordinates, directions of %d", quantity, x.Dim, y.Dim, directions.Dim)
	}
	order := max(o.Order, 1)
	if order > 2 || o.Order < 0 {
		return 0, fmt.Errorf("%s of order %d, want 1 or 2", quantity, o.Order)
	}
	if directions.N == 0 {
		return 0, stat.Undefined(quantity, "no directions")
	}
	if x.N == 0 || y.N == 0 {
		return 0, stat.Undefined(quantity, "samples of %d and %d points, want at least 1 of each", x.N, y.N)
	}
	for k, p := range []points.Points{x, y} {
		if err := finite(quantity, names[k], p); err != nil {
			return 0, err
		}
	}
	samples := [2]matrix.Matrix{matrix.Of(x), matrix.Of(y)}
	terms := make([]float64, directions.N)
	err := parallel.For(ctx, o.Threads, directions.N, func(_, k int) {
		direction, along := directions.Row(k, nil), [2][]float64{}
		for side, z := range samples {
			along[side] = make([]float64, z.N)
			for i := range z.N {
				along[side][i] = matrix.Dot(z.Row(i), direction)
			}
			slices.Sort(along[side])
		}
		terms[k] = wasserstein(along[0], along[1], order)
		if lost := roundings(along, x.Dim); math.Pow(lost, float64(order)) > lostShare*terms[k] {
			terms[k] = exactAlong(samples, direction, order)
		}
	})
	if err != nil {
		return 0, err
	}
	mean := stat.Mean(terms)
	if order == 2 {
		return math.Sqrt(mean), nil
	}
	return mean, nil
}

// lostShare is the share of a distance up to which roundings of positions may change it.
const lostShare = 1e-9

// roundings bounds what rounding changes the positions of sorted samples along a direction
// by, from dim products each.
func roundings(along [2][]float64, dim int) float64 {
	largest := 0.0
	for _, sample := range along {
		largest = max(largest, math.Abs(sample[0]), math.Abs(sample[len(sample)-1]))
	}
	return float64(dim+1) * largest * 0x1p-53
}

// position is a place along a direction as the sum of two numbers, to twice the digits.
type position struct{ high, low float64 }

// plus adds the exact product a·b.
func (p position) plus(a, b float64) position {
	product := a * b
	rest := math.FMA(a, b, -product)
	sum := p.high + product
	shifted := sum - p.high
	lost := (p.high - (sum - shifted)) + (product - shifted)
	low := p.low + (lost + rest)
	high := sum + low
	return position{high, low - (high - sum)}
}

// exactAlong is the distance along a direction, to the order, of samples whose coordinates
// are so large beside their differences that rounding of positions would be what is
// measured: with positions of twice the digits.
func exactAlong(samples [2]matrix.Matrix, direction []float64, order int) float64 {
	var along [2][]position
	for side, z := range samples {
		for i := range z.N {
			var p position
			for d, v := range z.Row(i) {
				p = p.plus(v, direction[d])
			}
			along[side] = append(along[side], p)
		}
		slices.SortFunc(along[side], func(a, b position) int {
			return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low))
		})
	}
	x, y := along[0], along[1]
	sum, at := 0.0, 0 // in units of 1/(n·m), as of wasserstein
	n, m := len(x), len(y)
	for i, j := 0, 0; i < n && j < m; {
		end := min((i+1)*m, (j+1)*n)
		apart := math.Abs((x[i].high - y[j].high) + (x[i].low - y[j].low))
		sum += float64(end-at) * math.Pow(apart, float64(order))
		at = end
		if end == (i+1)*m {
			i++
		}
		if end == (j+1)*n {
			j++
		}
	}
	return sum / float64(n) / float64(m)
}
