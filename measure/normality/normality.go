// Package normality measures how far points are from an isotropic Gaussian: the sliced Epps–Pulley statistic of SIGReg
// and the statistic of Baringhaus, Henze, Epps and Pulley (BHEP). Both compare characteristic functions, and grow with
// the number of points and with dependence: hold them against their values for Gaussian points of the same shape.
//
//	x, err := normality.Standardize(z, normality.Isotropic) // z: points.Points, [N, D]
//	sliced := normality.Sliced(x, z.Dim, normality.Directions(z.Dim, 256, 42))
//	shape := normality.Shape{N: z.N, Dim: z.Dim, Slices: 256}
//	null, err := normality.Null(ctx, shape, normality.Isotropic, false, 99, 42, 0)
//	fmt.Println(sliced, normality.P(sliced, null.Sliced))
package normality

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// Scale is what points are compared with.
type Scale string

const (
	// Isotropic compares points less their mean, divided by the root mean variance √(tr C/D), with N(0, I).
	Isotropic Scale = "isotropic"
	// Raw compares points as they are with N(0, I), as the loss does.
	Raw Scale = "raw"
)

// Scales lists the scales.
func Scales() []Scale { return []Scale{Isotropic, Raw} }

// Standardize returns the points in a scale, [N × D]; C has the denominator N. Fewer than 2 points, points that do not
// vary, NaN and Inf are a [stat.UndefinedError].
func Standardize(z points.Points, scale Scale) ([]float64, error) {
	if z.N < 2 {
		return nil, stat.Undefined("normality", "%d points, want at least 2", z.N)
	}
	x, mean := make([]float64, z.N*z.Dim), make([]float64, z.Dim)
	for i := range z.N {
		row := z.Row(i, x[i*z.Dim:(i+1)*z.Dim])
		copy(x[i*z.Dim:], row)
		for k, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, stat.Undefined("normality", "point %d, coordinate %d is %v, want finite numbers", i, k, v)
			}
			mean[k] += v
		}
	}
	length := 0.0
	for k := range mean {
		mean[k] /= float64(z.N)
		length += float64(mean[k] * mean[k])
	}
	squares := 0.0
	for i, v := range x {
		d := v - mean[i%z.Dim]
		squares += float64(d * d)
	}
	unit := math.Sqrt(squares / float64(len(x)))
	// What rounding of a constant to float32 leaves is no variance.
	if !(squares/float64(z.N) > 0x1p-48*length) || unit == 0 {
		return nil, stat.Undefined("normality", "the points are constant")
	}
	if scale == Raw {
		return x, nil
	}
	for i, v := range x {
		x[i] = (v - mean[i%z.Dim]) / unit
	}
	return x, nil
}

// The quadrature of the published implementation: 17 points from 0 to 3 by the trapezoidal rule, doubled.
const (
	knots   = 17
	largest = 3.0
)

// Directions draws directions of dim coordinates uniformly from [stat.StreamSlices] of the seed: [slices × dim]
// of length 1.
func Directions(dim, slices int, seed uint64) []float64 {
	random, a := stat.NewRandom(stat.StreamSlices.Key(seed)), make([]float64, slices*dim)
	for s := range slices {
		direction, square := a[s*dim:(s+1)*dim], 0.0
		for k := range direction {
			direction[k] = random.Normal()
			square += float64(direction[k] * direction[k])
		}
		for k := range direction {
			direction[k] /= math.Sqrt(square)
		}
	}
	return a
}

// Sliced returns the mean over directions a, of length 1, of the Epps–Pulley statistic of the projections y = x·a of n
// points,
//
//	n·∫ |φ̂(t) − exp(−t²/2)|² exp(−t²/2) dt,   φ̂(t) = mean of exp(i·t·y),
//
// with the integral from −3 to 3 (Balestriero & LeCun 2025, SIGReg; Epps & Pulley 1983). x is [n × dim], and a is
// [slices × dim].
func Sliced(x []float64, dim int, a []float64) float64 {
	n, slices, sum := len(x)/dim, len(a)/dim, 0.0
	sums := make([]struct{ real, imaginary [knots]float64 }, slices)
	for i := range n {
		for s := range sums {
			addPowers(&sums[s].real, &sums[s].imaginary, matrix.Dot(x[i*dim:(i+1)*dim], a[s*dim:(s+1)*dim]))
		}
	}
	for s := range sums {
		sum += eppsPulley(&sums[s].real, &sums[s].imaginary, n)
	}
	return sum / float64(slices)
}

// addPowers adds exp(i·t·y) at every knot t.
func addPowers(real, imaginary *[knots]float64, y float64) {
	s, c := math.Sincos(y * (largest / (knots - 1)))
	re, im := 1.0, 0.0
	for k := range knots {
		real[k] += re
		imaginary[k] += im
		re, im = float64(re*c)-float64(im*s), float64(re*s)+float64(im*c)
	}
}

// eppsPulley is the statistic from sums of n points at the knots.
func eppsPulley(real, imaginary *[knots]float64, n int) float64 {
	step, sum := largest/(knots-1), 0.0
	for k := range knots {
		t := float64(k) * step
		phi := math.Exp(-t * t / 2)
		re, im := real[k]/float64(n)-phi, imaginary[k]/float64(n)
		weight := 2 * step * phi
		if k == 0 || k == knots-1 {
			weight /= 2
		}
		sum += float64(weight * (float64(re*re) + float64(im*im)))
	}
	return float64(n) * sum
}

// Beta is the smoothing parameter of [BHEP] of points of dim coordinates, 1/√dim: pairs of standard normal points then
// have a squared distance of about 2/β², whatever the dimension, and β is 1 in one dimension.
func Beta(dim int) float64 { return 1 / math.Sqrt(float64(dim)) }

// BHEP returns n times the squared distance between the characteristic functions of n points and of N(0, I),
// with the density of N(0, β²·I) as weight,
//
//	1/n·Σ exp(−β²‖x_i−x_j‖²/2) − 2(1+β²)^(−D/2)·Σ exp(−β²‖x_i‖²/(2(1+β²))) + n(1+2β²)^(−D/2)
//
// (Baringhaus & Henze 1988; Henze & Zirkler 1990), without standardization, with [Beta]. Time is n²·D.
func BHEP(x []float64, dim int) float64 {
	n, d, beta2 := len(x)/dim, float64(dim), Beta(dim)*Beta(dim)
	squares := make([]float64, n)
	single := 0.0
	for i := range n {
		row := x[i*dim : (i+1)*dim]
		squares[i] = matrix.Dot(row, row)
		single += math.Exp(-beta2 * squares[i] / (2 * (1 + beta2)))
	}
	pairs := 0.0
	for i := range n {
		row, sum := x[i*dim:(i+1)*dim], 0.0
		for j := range i {
			distance := max(0, squares[i]+squares[j]-2*matrix.Dot(row, x[j*dim:(j+1)*dim]))
			sum += math.Exp(-beta2 * distance / 2)
		}
		pairs += sum
	}
	return 1 + 2*pairs/float64(n) - 2*math.Pow(1+beta2, -d/2)*single + float64(n)*math.Pow(1+2*beta2, -d/2)
}

// Shape is the shape of points whose statistics are simulated.
type Shape struct{ N, Dim, Slices int }

// Draws are statistics of simulated points; BHEP is nil where it was not asked for.
type Draws struct{ Sliced, BHEP []float64 }

// Null draws standard normal points of a shape from [stat.StreamGaussianNull] of the seed, and returns their
// statistics in the scale: the values of an isotropic Gaussian of independent points. bhep says whether [BHEP] is
// computed too. Results do not depend on the number of threads. Errors: a shape without points, the error of ctx.
func Null(ctx context.Context, s Shape, scale Scale, bhep bool, draws int, seed uint64, threads int) (Draws, error) {
	if s.N < 2 || s.Dim < 1 || s.Slices < 1 || draws < 1 {
		return Draws{}, fmt.Errorf("normality: %d draws of shape %+v", draws, s)
	}
	out := Draws{Sliced: make([]float64, draws)}
	if bhep {
		out.BHEP = make([]float64, draws)
	}
	a := Directions(s.Dim, s.Slices, seed)
	err := parallel.Try(ctx, threads, draws, func(_, d int) error {
		random := stat.NewRandom(stat.StreamGaussianNull.Key(seed, uint64(s.N), uint64(s.Dim), uint64(d)))
		data := make([]float64, s.N*s.Dim)
		for i := range data {
			data[i] = random.Normal()
		}
		x, err := Standardize(points.Float64(data, s.Dim), scale)
		if err != nil {
			return err
		}
		out.Sliced[d] = Sliced(x, s.Dim, a)
		if bhep {
			out.BHEP[d] = BHEP(x, s.Dim)
		}
		return nil
	})
	return out, err
}

// P is (1 + the number of draws of at least the statistic)/(1 + draws).
func P(statistic float64, draws []float64) float64 {
	reached := 0
	for _, v := range draws {
		if v >= statistic {
			reached++
		}
	}
	return float64(1+reached) / float64(1+len(draws))
}
