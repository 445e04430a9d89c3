// The scale of point sets: latents of different models in comparable units.

package spectrum

import (
	"fmt"
	"math"

	"repscope/internal/text"
	"repscope/points"
	"repscope/stat"
)

// Scale is the unit in which latents are measured.
type Scale string

const (
	// ScaleRaw takes points as they are.
	ScaleRaw Scale = "raw"
	// ScaleL2 divides every point by its Euclidean length; a zero vector has no
	// direction and stays zero.
	ScaleL2 Scale = "l2"
	// ScaleRMS divides by the root mean square distance √(2·tr C) of two random
	// points, which makes distances of different models comparable.
	ScaleRMS Scale = "rms"
)

// Scaled returns the points in the scale asked for: the points themselves for
// ScaleRaw, which are not copied, else a copy in float64. NaN and Inf stay what
// they are in the raw and l2 scales. Points that do not vary have no RMS scale
// ([stat.UndefinedError]);
// a scale of another name is an error.
func Scaled(pts points.Points, scale Scale) (points.Points, error) {
	divisor := 1.0
	switch scale {
	case ScaleRaw:
		return pts, nil
	case ScaleL2:
	case ScaleRMS:
		var err error
		if divisor, err = RMSDistance(pts); err != nil {
			return points.Points{}, err
		}
	default:
		return points.Points{}, fmt.Errorf("scale %q: want raw, l2 or rms", scale)
	}
	out := make([]float64, pts.N*pts.Dim)
	for i := range pts.N {
		row := pts.Row(i, out[i*pts.Dim:(i+1)*pts.Dim])
		if scale == ScaleL2 {
			if divisor = norm(row); divisor == 0 {
				divisor = 1
			}
		}
		for k := range row {
			row[k] /= divisor
		}
	}
	return points.Float64(out, pts.Dim), nil
}

// RMSDistance returns √(2·tr C), the root mean square distance of two random
// points, with the covariance C of denominator n − 1. Fewer than two points,
// points that do not vary, NaN and Inf are an [stat.UndefinedError].
func RMSDistance(pts points.Points) (float64, error) {
	_, variance, err := variances("RMS distance", pts)
	if err != nil {
		return 0, err
	}
	return math.Sqrt(2 * stat.Sum(variance)), nil
}

// variances returns the mean and the variance (n − 1) of every coordinate, in
// two passes in index order.
func variances(quantity string, pts points.Points) (mean, variance []float64, err error) {
	if pts.N < 2 {
		return nil, nil, stat.Undefined(quantity, "%s, want at least 2", text.Count(pts.N, "point"))
	}
	mean, variance = make([]float64, pts.Dim), make([]float64, pts.Dim)
	row := make([]float64, pts.Dim)
	for i := range pts.N {
		for k, v := range pts.Row(i, row) {
			if !isFinite(v) {
				return nil, nil, stat.Undefined(quantity, "point %d, coordinate %d is %v, want finite numbers", i, k, v)
			}
			mean[k] += v
		}
	}
	for k := range mean {
		mean[k] /= float64(pts.N)
	}
	if pts.F64 != nil {
		center(mean, pts)
	}
	for i := range pts.N {
		for k, v := range pts.Row(i, row) {
			d := v - mean[k]
			variance[k] += float64(d * d)
		}
	}
	for k := range variance {
		variance[k] /= float64(pts.N - 1)
	}
	total, limit := stat.Sum(variance), constantVariance(mean, pts)
	if total <= limit*0x1p-40 || pts.F64 != nil && total <= limit*0x1p-2 { // no more than the sums are rounded by
		return nil, nil, stat.Undefined(quantity, "the points are constant")
	}
	if !(total > limit) {
		return nil, nil, stat.Undefined(quantity,
			"the points are constant up to rounding: their spread is %.1g of their mean", math.Sqrt(total)/norm(mean))
	}
	return mean, variance, nil
}

// center adds to the mean what the sum of many values lost in rounding, which counts
// where values are resolved as finely.
func center(mean []float64, pts points.Points) {
	rest, row := make([]float64, pts.Dim), make([]float64, pts.Dim)
	for i := range pts.N {
		for k, v := range pts.Row(i, row) {
			rest[k] += v - mean[k]
		}
	}
	for k, v := range rest {
		mean[k] += v / float64(pts.N)
	}
}

// constantVariance is the total variance below which points around mean count as
// constant: what rounding of a constant, to float32 or float64, would leave.
func constantVariance(mean []float64, pts points.Points) float64 {
	roundoff := 0x1p-24
	if pts.F64 != nil {
		roundoff = 0x1p-50
	}
	length := norm(mean)
	return roundoff * roundoff * length * length
}

func norm(row []float64) float64 {
	square := 0.0
	for _, v := range row {
		square += float64(v * v)
	}
	return math.Sqrt(square)
}

// Unit is how latents are scaled before their errors are taken: divided by Divisor (0: 1),
// or each by its norm.
type Unit struct {
	Divisor float64
	Norm    bool
}

// UnitOf is the unit of a scale for some latents.
func UnitOf(scale Scale, z points.Points) (Unit, error) {
	switch scale {
	case ScaleL2:
		return Unit{Norm: true}, nil
	case ScaleRMS:
		rms, err := RMSDistance(z)
		return Unit{Divisor: rms}, err
	}
	return Unit{}, nil
}

// Apply scales a row; a row of norm 0 stays.
func (u Unit) Apply(row []float64) {
	by := u.Divisor
	if u.Norm {
		by = 0
		for _, v := range row {
			by += v * v
		}
		by = math.Sqrt(by)
	}
	if by == 0 || by == 1 {
		return
	}
	for k := range row {
		row[k] /= by
	}
}
