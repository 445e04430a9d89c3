// Continuous ranked probability score.

package ensemble

import (
	"fmt"
	"math"

	"repscope/internal/kernel/vector"
)

// CRPS returns the terms of the continuous ranked probability score ∫ (F(x) − 1{y ≤ x})² dx
// = E|X − y| − ½ E|X − X'|, in units of the cells, averaged over cells; of a single member,
// the absolute error. Members of a cell are sorted instead of compared in pairs:
// Σ_{i<j} |x_i − x_j| = Σ_i (2i − S + 1)·x_(i), i from 0. Ties change nothing.
func CRPS[T Float](s Sample[T]) Terms {
	t := Terms{Members: s.count}
	ranks := rankWeights(s.count)
	eachColumns(s, func(c *columns[T], first, n int) {
		c.sort()
		c.addTerms(&t, ranks, s, first, n)
	})
	return t
}

// rankWeights are 2i − S + 1 for the members in ascending order.
func rankWeights(members int) []float64 {
	weights := make([]float64, members)
	for i := range weights {
		weights[i] = float64(2*i - members + 1)
	}
	return weights
}

// weighted is a sample of any type.
type weighted interface{ weight(c int) float64 }

// addTerms adds the terms of n cells of a sample from the first on, whose members are sorted.
func (c *columns[T]) addTerms(t *Terms, ranks []float64, s weighted, first, n int) {
	vector.WeightedColumns(c.sums[:], c.x, c.y[:], ranks)
	members := float64(c.members)
	pairs := 2 / max(1, members*(members-1))
	for i := range n {
		w := s.weight(first + i)
		if w == 0 {
			continue
		}
		spread := c.sums[i]
		if math.IsNaN(c.absolute[i]) {
			spread = c.absolute[i]
		}
		t.SkillSum += float64(w * c.absolute[i] / members)
		t.SpreadSum += float64(w * spread * pairs)
		t.Weight += w
	}
}

// ThresholdCRPS returns the terms of the threshold-weighted CRPS ∫_a^b (F(x) − 1{y ≤ x})² dx for
// values between a = lower and b = upper; one of them may be infinite (Gneiting & Ranjan, Journal of
// Business & Economic Statistics 29, 2011). It is the CRPS of members and truth under the chaining
// function v(x) = min(max(x, a), b) (Allen, Ginsbourger & Ziegel, SIAM/ASA Journal on Uncertainty
// Quantification 11, 2023). Cells entirely beyond one bound have 0. Errors: bounds that are NaN or not
// ascending.
func ThresholdCRPS[T Float](s Sample[T], lower, upper float64) (Terms, error) {
	if !(lower < upper) {
		return Terms{}, fmt.Errorf("threshold-weighted score from %g to %g: want ascending numbers", lower, upper)
	}
	t := Terms{Members: s.count}
	ranks := rankWeights(s.count)
	chained := newColumns[float64](s.count) // thresholds need not be float32
	chain := func(v float64) float64 { return max(lower, min(upper, v)) }
	eachColumns(s, func(c *columns[T], first, n int) {
		for i, v := range c.x {
			chained.x[i] = chain(float64(v))
		}
		for i, v := range c.y {
			chained.y[i] = chain(float64(v))
		}
		chained.sum()
		chained.sort()
		chained.addTerms(&t, ranks, s, first, n)
	})
	return t, nil
}
