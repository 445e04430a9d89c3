// The RMS distance without each block of points in turn: the values divided by it
// takes its error along.

package spectrum

import (
	"math"

	"repscope/points"
	"repscope/stat"
)

// JackknifeRMSDistance jackknifes √(2·tr C), the RMS distance of two random points,
// over blocks of the z.N points: exactly, from Σ (x − c) and Σ ‖x − c‖² of every
// block in two passes. A value divided by this distance is a [stat.Combine] of both,
// or its interval takes the distance as known. A deletion that leaves points that do
// not vary is NaN. Errors: another number of points than in the blocks, and errors of
// [RMSDistance].
func JackknifeRMSDistance(z points.Points, blocks *stat.Blocks) (*stat.Jackknifed, error) {
	rms, influence, err := RMSDistanceInfluence(z)
	if err != nil {
		return nil, err
	}
	labels := blocks.Labels()
	if len(labels) != z.N {
		return nil, stat.Undefined("RMS distance", "%d points for blocks of %d", z.N, len(labels))
	}
	center, _, err := variances("RMS distance", z)
	if err != nil {
		return nil, err
	}
	sums := make([][]float64, blocks.Count())
	squares := make([]float64, len(sums))
	for j := range sums {
		sums[j] = make([]float64, z.Dim)
	}
	total, all := make([]float64, z.Dim), 0.0
	row := make([]float64, z.Dim)
	for i, j := range labels {
		for k, v := range z.Row(i, row) {
			d := v - center[k]
			sums[j][k] += d
			squares[j] += float64(d * d)
		}
	}
	for j, s := range sums {
		addTo(total, s)
		all += squares[j]
	}
	replicates, sizes := make([]float64, len(sums)), blocks.Sizes()
	limit := constantVariance(center, z)
	for j, s := range sums {
		n := float64(z.N - sizes[j])
		ofMean := 0.0
		for k, v := range s {
			d := total[k] - v
			ofMean += float64(d * d)
		}
		variance := (all - squares[j] - ofMean/n) / (n - 1)
		if replicates[j] = math.Sqrt(2 * variance); !(variance > limit) {
			replicates[j] = math.NaN()
		}
	}
	return blocks.Jackknife(rms, replicates, influence)
}

// RMSDistanceInfluence returns √(2·tr C) and the influence of every point on it,
// (‖x − mean‖² − tr C)/√(2·tr C) with C of denominator n: the series whose
// dependence decides the length of blocks. Errors as for [RMSDistance].
func RMSDistanceInfluence(z points.Points) (rms float64, influence []float64, err error) {
	mean, variance, err := variances("RMS distance", z)
	if err != nil {
		return 0, nil, err
	}
	rms = math.Sqrt(2 * stat.Sum(variance))
	influence = make([]float64, z.N)
	row := make([]float64, z.Dim)
	for i := range influence {
		for k, v := range z.Row(i, row) {
			d := v - mean[k]
			influence[i] += float64(d * d)
		}
	}
	average := stat.Mean(influence)
	for i := range influence {
		influence[i] = (influence[i] - average) / rms
	}
	return rms, influence, nil
}
