// Intrinsic dimension: Two-NN, Gride and Levina–Bickel, all from the distances
// to the nearest neighbours.

package manifold

import (
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
// from the ratios μ = r2/r1 of the second to the first neighbour distance.
type TwoNN struct {
	MLE         float64    // N/Σ ln μ, the maximum likelihood estimate
	MLEUnbiased float64    // (N−1)/Σ ln μ
	MLECI       [2]float64 // 95 %: [χ²_{0.025,2N}, χ²_{0.975,2N}]/(2·Σ ln μ); exact for independent ratios
	Fit         float64    // least squares of −ln(1 − i/N) on ln μ through the origin, smallest 90 % of μ
	N           int        // ratios used
}

// NewTwoNN estimates the dimension from ratios μ ≥ 1. Fewer than three ratios,
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
		Fit:         twoNNFit(slices.Sorted(slices.Values(ratio))),
		N:           len(ratio),
	}, nil
}

func sumLog(ratio []float64) (float64, error) {
	if len(ratio) < 3 {
		return 0, fmt.Errorf("%d neighbour ratios, want at least 3 points that are not duplicates", len(ratio))
	}
	total := 0.0
	for i, mu := range ratio {
		if !(mu >= 1) || math.IsInf(mu, 0) {
			return 0, fmt.Errorf("neighbour ratio r2/r1 of point %d is %v, want a finite number of at least 1", i, mu)
		}
		total += math.Log(mu)
	}
	if total == 0 {
		return 0, fmt.Errorf("all neighbour ratios r2/r1 are 1 (points on a regular lattice): no dimension is defined")
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

// Gride returns the generalised ratios estimate of Denti, Doimo, Laio & Mira
// 2022 ("The generalized ratios intrinsic dimension estimator") from ratios
// μ = r_{n2}/r_{n1}, 1 ≤ n1 < n2: the d that maximises
//
//	N ln d + (n2−n1−1) Σ ln(μ^d − 1) − ((n2−1)d + 1) Σ ln μ.
//
// For n1 = 1, n2 = 2 it is the maximum likelihood Two-NN. The score is
// decreasing in d, so its root is unique. Errors are those of NewTwoNN.
func Gride(ratio []float64, n1, n2 int) (float64, error) {
	if n1 < 1 || n2 <= n1 {
		return 0, fmt.Errorf("gride: orders n1 = %d, n2 = %d, want 1 ≤ n1 < n2", n1, n2)
	}
	total, err := sumLog(ratio)
	if err != nil {
		return 0, err
	}
	logs := make([]float64, len(ratio))
	for i, mu := range ratio {
		logs[i] = math.Log(mu)
	}
	n, gap := float64(len(ratio)), float64(n2-n1-1)
	score := func(d float64) float64 {
		s := n/d - float64(n2-1)*total
		if gap == 0 {
			return s
		}
		inner := 0.0
		for _, l := range logs {
			// μ^d ln μ/(μ^d − 1) = ln μ/(1 − e^{−d ln μ}), which tends to 1/d
			// where neighbours tie (ln μ → 0).
			if x := d * l; x < 1e-12 {
				inner += 1 / d
			} else {
				inner -= l / math.Expm1(-x)
			}
		}
		return s + gap*inner
	}
	low, high := 1e-6, 1.0
	for score(high) > 0 {
		low, high = high, 2*high
		if high > 1e12 {
			return 0, fmt.Errorf("gride: no finite dimension explains the ratios (n1 = %d, n2 = %d)", n1, n2)
		}
	}
	for high-low > 1e-13*high {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if score(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2, nil
}

// LevinaBickel returns the maximum likelihood estimate of Levina & Bickel 2004
// with k neighbours, averaged over points as MacKay & Ghahramani 2005 correct
// it: the inverse of the mean over points i and neighbours j < k of
// ln(r_k(i)/r_j(i)). distance holds stride ≥ k ascending neighbour distances
// per point, all positive.
func LevinaBickel(distance []float64, stride, k int) (float64, error) {
	if k < 2 || k > stride {
		return 0, fmt.Errorf("levina–bickel: k = %d, want 2 ≤ k ≤ %d", k, stride)
	}
	n := len(distance) / stride
	total := 0.0
	for i := range n {
		row := distance[i*stride : i*stride+k]
		if !(row[0] > 0) || math.IsInf(row[k-1], 0) {
			return 0, fmt.Errorf("levina–bickel: nearest neighbour distance of point %d is %v, want a positive number", i, row[0])
		}
		for _, r := range row[:k-1] {
			total += math.Log(row[k-1] / r)
		}
	}
	if total == 0 {
		return 0, fmt.Errorf("levina–bickel: all %d neighbour distances of every point are equal: no dimension is defined", k)
	}
	return float64(n) * float64(k-1) / total, nil
}
