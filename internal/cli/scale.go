// This file is for --latent-scale.

package cli

import (
	"fmt"
	"math"

	"repscope/dataset"
	"repscope/stat"
)

// Scale returns the latents on the scale of --latent-scale, in float64, and the
// number they were divided by:
//
//	raw  as they are; 1
//	l2   every vector divided by its Euclidean length; 1. A zero vector stays zero.
//	rms  divided by √(2·tr C), the root mean square distance of two random
//	     states, with C the covariance (n−1), which makes distances of
//	     different models comparable
//
// Errors: fewer than two points or points that do not vary, for rms (a
// stat.UndefinedError).
func Scale(points dataset.Points, scale string) (scaled dataset.Points, divisor float64, err error) {
	if scale == "raw" {
		return points, 1, nil
	}
	out := make([]float64, points.N*points.Dim)
	for i := range points.N {
		points.Row(i, out[i*points.Dim:(i+1)*points.Dim])
	}
	switch scale {
	case "l2":
		for i := range points.N {
			row := out[i*points.Dim : (i+1)*points.Dim]
			if length := norm(row); length > 0 {
				for k := range row {
					row[k] /= length
				}
			}
		}
		return dataset.Float64Points(out, points.Dim), 1, nil
	case "rms":
		divisor, err := RMSDistance(points)
		if err != nil {
			return dataset.Points{}, 0, err
		}
		for i := range out {
			out[i] /= divisor
		}
		return dataset.Float64Points(out, points.Dim), divisor, nil
	}
	return dataset.Points{}, 0, fmt.Errorf("latent scale %q: want raw, l2 or rms", scale)
}

// RMSDistance returns √(2·tr C) of the points, the root mean square distance of
// two random ones. Errors: see [Scale].
func RMSDistance(points dataset.Points) (float64, error) {
	if points.N < 2 {
		return 0, &stat.UndefinedError{Quantity: "latent scale rms", Reason: fmt.Sprintf("%d points have no spread", points.N)}
	}
	// Two passes, in index order: the mean first, then squared deviations.
	mean, row := make([]float64, points.Dim), make([]float64, points.Dim)
	for i := range points.N {
		for k, v := range points.Row(i, row) {
			mean[k] += v
		}
	}
	for k := range mean {
		mean[k] /= float64(points.N)
	}
	variance := make([]float64, points.Dim)
	for i := range points.N {
		for k, v := range points.Row(i, row) {
			variance[k] += (v - mean[k]) * (v - mean[k])
		}
	}
	trace := stat.Sum(variance) / float64(points.N-1)
	if !(trace > 0) {
		return 0, &stat.UndefinedError{Quantity: "latent scale rms", Reason: "the latents are constant"}
	}
	return math.Sqrt(2 * trace), nil
}

func norm(row []float64) float64 {
	sum := 0.0
	for _, v := range row {
		sum += v * v
	}
	return math.Sqrt(sum)
}
