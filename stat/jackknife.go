// The delete-block jackknife, for statistics (ranks, neighbours) that resampling
// with replacement would bias.

package stat

import (
	"math"
)

// Jackknifed is a statistic with its delete-block jackknife.
type Jackknifed struct {
	Estimate  float64  // θ on all data
	Corrected float64  // jackknife estimate, Estimate − Bias
	Bias      float64  // estimated bias of θ
	StdError  float64  // NaN where undefined
	Interval  Interval // Estimate ± t·StdError, g−1 degrees of freedom
	// Replicates θ_(−j) and BlockSizes m_j as given.
	Replicates []float64
	BlockSizes []int
	// PseudoValues τ_j = h_j·θ − (h_j−1)·θ_(−j), h_j = n/m_j: the share of block j, in
	// the units of θ. For a mean τ_j is the mean of block j.
	PseudoValues []float64
	Reason       string // why StdError is undefined
}

// DeleteBlockJackknife returns the standard error and the interval of an estimate
// from its values without each of g disjoint blocks. replicates[j] is the
// statistic computed without block j, which holds sizes[j] of the n = Σ sizes
// observations; sizes may differ (Busing, Meijer and van der Leeden 1999,
// "Delete-m jackknife for unequal m"; for equal sizes the common delete-d
// jackknife):
//
//	θ_J = g·θ − Σ (1 − m_j/n)·θ_(−j)
//	var = 1/g · Σ (τ_j − θ_J)²/(h_j − 1)
//
// level 0 means 0.95. Errors: fewer than 2 blocks, lengths that differ, a size
// below 1, a level outside (0, 1). A NaN among the values gives an undefined
// interval with a reason.
func DeleteBlockJackknife(estimate float64, replicates []float64, sizes []int, level float64) (*Jackknifed, error) {
	const quantity = "jackknife"
	level, err := checkLevel(quantity, level)
	if err != nil {
		return nil, err
	}
	g := len(replicates)
	if g < 2 {
		return nil, Undefined(quantity, "%d block(s), want at least 2", g)
	}
	if len(sizes) != g {
		return nil, Undefined(quantity, "%d block sizes for %d replicates", len(sizes), g)
	}
	total := 0
	for j, m := range sizes {
		if m < 1 {
			return nil, Undefined(quantity, "block %d has %d observations, want at least 1", j, m)
		}
		total += m
	}
	n := float64(total)
	v := &Jackknifed{Estimate: estimate, Corrected: math.NaN(), Bias: math.NaN(), StdError: math.NaN(),
		Replicates: replicates, BlockSizes: sizes, PseudoValues: make([]float64, g)}
	var shift, spread float64
	for j, r := range replicates {
		h := n / float64(sizes[j])
		// In differences from θ, so that a large θ costs no digits.
		shift += float64((1 - 1/h) * (estimate - r))
		v.PseudoValues[j] = estimate + float64((h-1)*(estimate-r))
	}
	// θ_J = θ + Σ (1 − m_j/n)·(θ − θ_(−j)), because Σ (1 − m_j/n) = g − 1.
	v.Corrected, v.Bias = estimate+shift, -shift
	for j := range replicates {
		d := v.PseudoValues[j] - v.Corrected
		spread += float64(d*d) / (n/float64(sizes[j]) - 1)
	}
	se := math.Sqrt(spread / float64(g))
	if !isFinite(estimate) || !isFinite(se) {
		v.Reason = "the estimate or one of its deletions is undefined"
		v.Corrected, v.Bias = math.NaN(), math.NaN()
		v.Interval = noInterval(level, "%s", v.Reason)
		return v, nil
	}
	v.StdError = se
	t, err := StudentTQuantile((1+level)/2, float64(g-1))
	if err != nil {
		return nil, err
	}
	v.Interval = Interval{Low: estimate - float64(t*se), High: estimate + float64(t*se), Level: level}
	return v, nil
}
