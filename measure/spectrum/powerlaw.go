// The exponent of a power law of the eigenvalues.

package spectrum

import (
	"fmt"
	"math"

	"repscope/stat"
)

const (
	// Published fits are over the ranks 12 to 50 of spectra of hundreds of directions.
	publishedLow, publishedHigh = 12, 50
	// publishedDirections is the number of directions from which on the published ranks are fitted.
	publishedDirections = 100
	// fewestRanks is the least number of eigenvalues of a fit.
	fewestRanks = 5
	// resolvedShare is the share of the largest eigenvalue below which float32 latents have noise of rounding.
	resolvedShare = 1e-12
)

// PowerLaw is the fit λ_i ∝ i^−Alpha of eigenvalues by their ranks i.
type PowerLaw struct {
	// Alpha is the exponent α: the slope of −ln λ_i on ln i by least squares with weights 1/i.
	Alpha float64
	// RSquared is 1 − Σ (ln λ_i − fit)²/Σ (ln λ_i − mean)², without weights; at most 1, negative for a fit worse than
	// the mean. 1 for equal eigenvalues, which the fit meets.
	RSquared float64
}

// PowerLawRanks are the ranks of the eigenvalues of n points of dim coordinates between which a power law is fitted:
// 12 to 50 from 100 directions min(n − 1, dim) on, as published, and in proportion for fewer: from 0.12 to 0.5 of them.
func PowerLawRanks(n, dim int) (low, high int) {
	directions := min(n-1, dim, publishedDirections)
	return max(1, directions*publishedLow/publishedDirections), directions * publishedHigh / publishedDirections
}

// FitPowerLaw fits the eigenvalues, in descending order, of the ranks low to high, which begin at 1 (Agrawal, Mondal,
// Ghosh & Richards 2022, "α-ReQ: assessing representation quality in self-supervised learning by measuring
// eigenspectrum decay", with the regression of Stringer et al. 2019). Fewer than 5 ranks, fewer eigenvalues
// than high, and eigenvalues of at most 1e−12 of the largest, which float32 points cannot resolve, are a
// [stat.UndefinedError].
func FitPowerLaw(eigenvalues []float64, low, high int) (PowerLaw, error) {
	const quantity = "power law"
	switch {
	case low < 1:
		return PowerLaw{}, fmt.Errorf("power law: first rank %d, want at least 1", low)
	case high > len(eigenvalues):
		return PowerLaw{}, stat.Undefined(quantity, "ranks up to %d of %d eigenvalues", high, len(eigenvalues))
	case high-low+1 < fewestRanks:
		return PowerLaw{}, stat.Undefined(quantity,
			"%d ranks (%d to %d) are too few for a fit, want at least %d", max(0, high-low+1), low, high, fewestRanks)
	case !(eigenvalues[high-1] > resolvedShare*eigenvalues[0]):
		return PowerLaw{}, stat.Undefined(quantity,
			"eigenvalue %d is below 1e-12 of the largest, where rounding decides", high)
	}
	var weights, meanX, meanY, plain float64
	for i := low; i <= high; i++ {
		w, y := 1/float64(i), math.Log(eigenvalues[i-1])
		weights, meanX, meanY, plain = weights+w, meanX+float64(w*math.Log(float64(i))), meanY+float64(w*y), plain+y
	}
	meanX, meanY, plain = meanX/weights, meanY/weights, plain/float64(high-low+1)
	var xx, xy float64
	for i := low; i <= high; i++ {
		w, dx := 1/float64(i), math.Log(float64(i))-meanX
		xx, xy = xx+float64(w*dx*dx), xy+float64(w*dx*(math.Log(eigenvalues[i-1])-meanY))
	}
	slope := xy / xx
	var residual, total float64
	for i := low; i <= high; i++ {
		y := math.Log(eigenvalues[i-1])
		r, d := y-meanY-float64(slope*(math.Log(float64(i))-meanX)), y-plain
		residual, total = residual+float64(r*r), total+float64(d*d)
	}
	p := PowerLaw{Alpha: max(0, -slope), RSquared: 1}
	if total > float64(high-low+1)*0x1p-80 { // else rounding alone makes them differ
		p.RSquared = 1 - residual/total
	}
	return p, nil
}

// stableRank is the sum of squared singular values in descending order, divided by the largest.
func stableRank(squares []float64) float64 { return stat.Sum(squares) / squares[0] }
