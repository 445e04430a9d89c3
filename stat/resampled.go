// Jackknifes of regressions, quantiles and of statistics that are computed anew.

package stat

import (
	"context"
	"math"
	"slices"

	"repscope/internal/parallel"
)

// JackknifedRegression holds the jackknife of a regression's coefficients.
type JackknifedRegression struct {
	Slope, Intercept, R, RSquared *Jackknifed
}

// JackknifeRegression jackknifes the least-squares line of y on x by pairs.
func JackknifeRegression(blocks *Blocks, x, y []float64) (*JackknifedRegression, error) {
	if _, err := Regression(x, y); err != nil {
		return nil, err
	}
	terms, statistic := regressionSums(x, y)
	out, err := JackknifeSums(blocks, terms, 4, statistic)
	if err != nil {
		return nil, err
	}
	return &JackknifedRegression{Slope: out[0], Intercept: out[1], R: out[2], RSquared: out[3]}, nil
}

// RegressionInfluence is the influence of every pair on slope, intercept, r and r² of
// the least-squares line, for the length of blocks.
func RegressionInfluence(x, y []float64) ([][]float64, error) {
	if _, err := Regression(x, y); err != nil {
		return nil, err
	}
	terms, statistic := regressionSums(x, y)
	_, influence, err := SumsInfluence(terms, 4, statistic)
	return influence, err
}

// JackknifeVector jackknifes size statistics that are computed anew from the
// observations that a deletion leaves: statistic receives their indices in order
// (it must not keep or change them), fills dst[:size] with NaN for what is
// undefined, and must be safe for concurrent calls. Results do not depend on
// threads (≤ 0: all).
func JackknifeVector(ctx context.Context, blocks *Blocks, size, threads int, statistic func(index []int, dst []float64)) ([]*Jackknifed, error) {
	g := blocks.Count()
	values := make([]float64, (g+1)*size)
	order := blocks.index.order
	err := parallel.With(ctx, threads, g+1, func() func(task int) error {
		index := make([]int, 0, blocks.n)
		return func(task int) error {
			index = append(index[:0], order...)
			if task < g {
				index = append(append(index[:0], order[:blocks.cut[task]]...), order[blocks.cut[task+1]:]...)
			}
			slices.Sort(index)
			statistic(index, values[task*size:(task+1)*size])
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Jackknifed, size)
	for s := range out {
		replicates := make([]float64, g)
		for j := range replicates {
			replicates[j] = values[j*size+s]
		}
		if out[s], err = blocks.Jackknife(values[g*size+s], replicates, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// JackknifeQuantiles jackknifes quantiles of values, of which NaN are left out. The
// jackknife of a quantile itself is not consistent; its influence (q − 1[x ≤ Q])/f
// is, with the density f over the range of probabilities that sampling error
// covers. The interval runs between the quantiles at the ends of the interval for
// the share of values below (Woodruff 1952, "Confidence intervals for medians and
// other position measures"). Errors: a q outside (0, 1), no values, one block.
func JackknifeQuantiles(blocks *Blocks, values []float64, q ...float64) ([]*Jackknifed, error) {
	const quantity = "quantile"
	if len(values) != blocks.n {
		return nil, Undefined(quantity, "%d values for %d observations", len(values), blocks.n)
	}
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) == 0 {
		return nil, Undefined(quantity, "no values")
	}
	if err := checkFinite(quantity, "values", sorted); err != nil {
		return nil, err
	}
	slices.Sort(sorted)
	out := make([]*Jackknifed, len(q))
	for i, p := range q {
		if !(p > 0 && p < 1) {
			return nil, Undefined(quantity, "probability %v, want a number between 0 and 1", p)
		}
		var err error
		if out[i], err = blocks.quantile(values, sorted, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// quantile is one of [JackknifeQuantiles].
func (b *Blocks) quantile(values, sorted []float64, q float64) (*Jackknifed, error) {
	estimate := QuantileSorted(sorted, q)
	below, counted := make([]float64, len(values)), make([]float64, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		counted[i] = 1
		switch {
		case v < estimate:
			below[i] = 1
		case v == estimate:
			below[i] = 0.5
		}
	}
	shares, err := JackknifeSums(b, [][]float64{below, counted}, 1, func(_ float64, sums, dst []float64) { dst[0] = sums[0] / sums[1] })
	if err != nil {
		return nil, err
	}
	share := shares[0]
	// At least two order statistics to either side, or there is no density to see.
	reach := max(share.StdError, 2/float64(len(sorted)))
	if math.IsNaN(reach) {
		return b.Jackknife(estimate, shares[0].Replicates, nil)
	}
	low, high := max(q-reach, 0), min(q+reach, 1)
	spread := QuantileSorted(sorted, high) - QuantileSorted(sorted, low)
	influence := make([]float64, len(values))
	for i, v := range share.Influence {
		influence[i] = -v * spread / (high - low)
	}
	out, err := b.linear(estimate, influence)
	if err != nil || !out.Interval.Defined() {
		return out, err
	}
	half := (share.Interval.High - share.Interval.Low) / 2
	out.Interval.Low = QuantileSorted(sorted, max(q-half, 0))
	out.Interval.High = QuantileSorted(sorted, min(q+half, 1))
	return out, nil
}
