// A map at fixations: normalized scanpath saliency and information gain.

package saliency

import (
	"math"

	"repscope/stat"
)

// GainEpsilon is 2⁻⁵², which keeps the logarithms of [InformationGain] finite in published code.
const GainEpsilon = 0x1p-52

// NSS returns the normalized scanpath saliency (Peters et al. 2005): the mean over fixations of (v −
// mean)/sd, with mean and sd (divisor n) over all pixels of the map. 0 is chance level; 1 means that
// fixated pixels are one sd above the mean. Repeated fixations count repeatedly. Undefined for a
// constant map, for no fixations, and for an image of another size.
func NSS(m *Map, f *Fixations) (float64, error) {
	const quantity = "NSS"
	if err := locate(quantity, m, f); err != nil {
		return math.NaN(), err
	}
	if err := m.ordered(quantity); err != nil {
		return math.NaN(), err
	}
	m = m.moderate()
	mean := m.sum / float64(len(m.values))
	deviation := math.Sqrt(squares(m.values, mean) / float64(len(m.values)))
	total := 0.0
	for _, v := range f.of(m) {
		total += v - mean
	}
	return total / float64(f.Len()) / deviation, nil
}

// squares is Σ (v − mean)², in four sums that are added at the end.
func squares(values []float64, mean float64) float64 {
	var s [4]float64
	i := 0
	for ; i+4 <= len(values); i += 4 {
		d0, d1, d2, d3 := values[i]-mean, values[i+1]-mean, values[i+2]-mean, values[i+3]-mean
		s[0] += float64(d0 * d0)
		s[1] += float64(d1 * d1)
		s[2] += float64(d2 * d2)
		s[3] += float64(d3 * d3)
	}
	for ; i < len(values); i++ {
		d := values[i] - mean
		s[0] += float64(d * d)
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// InformationGain returns the mean over fixations of log₂(p+ε) − log₂(b+ε) (Kümmerer et al. 2015), p and b the map
// and a baseline as distributions v/Σv: bits per fixation that the map tells beyond the baseline, such as
// [CenterPrior] or [Uniform] (for which it is the log-likelihood above chance). 0 for a map equal to the baseline. ε
// is [GainEpsilon] or another number ≥ 0; for 0, fixations where the map is 0 make it −Inf, those where the baseline
// alone is 0 +Inf, and it is undefined where both occur or both are 0. Undefined too for maps with negative values or
// that are 0 everywhere, for no fixations, and for pictures of different sizes.
func InformationGain(m, baseline *Map, f *Fixations, epsilon float64) (float64, error) {
	const quantity = "information gain"
	if err := locate(quantity, m, f); err != nil {
		return math.NaN(), err
	}
	if err := distributions(quantity, m, baseline); err != nil {
		return math.NaN(), err
	}
	if err := offset(quantity, epsilon); err != nil {
		return math.NaN(), err
	}
	total := 0.0
	for _, i := range f.pixels {
		total += math.Log2(m.values[i]/m.sum+epsilon) - math.Log2(baseline.values[i]/baseline.sum+epsilon)
	}
	if math.IsNaN(total) {
		return total, stat.Undefined(quantity, "the map and the baseline are 0 at fixations")
	}
	return total / float64(f.Len()), nil
}

// offset says whether a number may be added to distributions.
func offset(quantity string, epsilon float64) error {
	if !(epsilon >= 0) || math.IsInf(epsilon, 0) {
		return stat.Undefined(quantity, "ε %v, want a number of at least 0", epsilon)
	}
	return nil
}
