// Two-NN: the dimension from the ratios of the second to the first neighbor distance.

package dimension

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"repscope/stat"
)

// fitShare is the share of the ratios, from the smallest, that the Two-NN fit
// uses; the largest tenth is dropped as in Facco et al. 2017.
const fitShare = 0.9

// TwoNN holds the estimates of Facco, d'Errico, Rodriguez & Laio 2017 ("Estimating
// the intrinsic dimension of datasets by a minimal neighborhood information")
// from the ratios μ = r2/r1 of the second to the first neighbor distance.
type TwoNN struct {
	MLE         float64    // N/Σ ln μ, the maximum likelihood estimate
	MLEUnbiased float64    // (N−1)/Σ ln μ
	MLECI       [2]float64 // 95 %: [χ²_{0.025,2N}, χ²_{0.975,2N}]/(2·Σ ln μ); exact for independent ratios
	Fit         float64    // least squares of −ln(1 − i/N) on ln μ through the origin, smallest 90 % of μ
	N           int        // ratios used
}

// NewTwoNN estimates the dimension, in (0, ∞), from ratios μ ≥ 1. Fewer than three ratios,
// a ratio below 1 or not finite, and ratios that are all 1 (points on a
// regular lattice) are errors.
func NewTwoNN(ratio []float64) (TwoNN, error) {
	total, err := sumLog(ratio)
	if err != nil {
		return TwoNN{}, err
	}
	n := float64(len(ratio))
	chi := distuv.ChiSquared{K: 2 * n}
	return TwoNN{
		MLE:         n / total,
		MLEUnbiased: (n - 1) / total,
		MLECI:       [2]float64{chi.Quantile(0.025) / (2 * total), chi.Quantile(0.975) / (2 * total)},
		Fit:         twoNNFit(ascending(ratio)),
		N:           len(ratio),
	}, nil
}

// ascending returns ratios of at least 1 in ascending order. Their bits ascend with them and are
// sorted digit by digit, from the lowest.
func ascending(ratio []float64) []float64 {
	const digit = 11
	out := slices.Clone(ratio)
	if len(ratio) < 1<<digit {
		slices.Sort(out)
		return out
	}
	one := math.Float64bits(1)
	all := uint64(0)
	for _, mu := range ratio {
		all |= math.Float64bits(mu) - one
	}
	other := make([]float64, len(out))
	var start [1 << digit]int32
	for shift := 0; all>>shift != 0; shift += digit {
		place := func(mu float64) uint64 { return (math.Float64bits(mu) - one) >> shift % (1 << digit) }
		clear(start[:])
		for _, mu := range out {
			start[place(mu)]++
		}
		at := int32(0)
		for i, count := range start {
			start[i], at = at, at+count
		}
		for _, mu := range out {
			p := place(mu)
			other[start[p]] = mu
			start[p]++
		}
		out, other = other, out
	}
	return out
}

// logarithms returns those of ratios, with the errors of sumLog.
func logarithms(ratio []float64) ([]float64, error) {
	logs := make([]float64, len(ratio))
	_, err := eachLog(ratio, func(i int, l float64) { logs[i] = l })
	return logs, err
}

func sumLog(ratio []float64) (float64, error) {
	return eachLog(ratio, func(int, float64) {})
}

// eachLog tells the logarithm of each ratio and returns their sum.
func eachLog(ratio []float64, tell func(i int, l float64)) (float64, error) {
	if len(ratio) < 3 {
		return 0, fmt.Errorf("%d neighbour ratios, want at least 3 points that are not duplicates", len(ratio))
	}
	total := 0.0
	for i, mu := range ratio {
		if !(mu >= 1) || math.IsInf(mu, 0) {
			return 0, fmt.Errorf("neighbour ratio r2/r1 of point %d is %v, want a finite number of at least 1", i, mu)
		}
		l := math.Log(mu)
		total += l
		tell(i, l)
	}
	if total == 0 {
		return 0, errors.New("all neighbour ratios r2/r1 are 1 (points on a regular lattice): no dimension is defined")
	}
	return total, nil
}

// twoNNFit is the fit on ratios in ascending order, at least two of them. It
// returns NaN if those it uses are all 1.
func twoNNFit(sorted []float64) float64 {
	n := float64(len(sorted))
	// i ≤ ⌊0.9·N⌋, decided without the rounding of i/N; i = N has no logarithm.
	used := min(int(math.Floor(fitShare*n+1e-9)), len(sorted)-1)
	xy, xx := 0.0, 0.0
	for i, mu := range sorted[:used] {
		x := math.Log(mu)
		xy -= x * math.Log1p(-float64(i+1)/n)
		xx += x * x
	}
	return xy / xx
}

// DocumentedTwoNN returns 1/(ln(mean μ) − ψ(1)), the formula that the published
// document gives for Two-NN. It is not an estimator of the dimension: since
// μ ≥ 1, its value cannot exceed 1/γ ≈ 1.7325 whatever the data. It exists so
// that old numbers can be reproduced.
func DocumentedTwoNN(ratio []float64) (float64, error) {
	if _, err := sumLog(ratio); err != nil {
		return 0, err
	}
	const eulerGamma = 0.57721566490153286060651209008240243 // −ψ(1)
	return 1 / (math.Log(stat.Sum(ratio)/float64(len(ratio))) + eulerGamma), nil
}
