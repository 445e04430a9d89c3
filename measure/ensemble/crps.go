// Continuous ranked probability score.

package ensemble

import (
	"fmt"
	"math"
	"slices"
)

// CRPS returns the terms of the continuous ranked probability score ∫ (F(x) − 1{y ≤ x})² dx
// = E|X − y| − ½ E|X − X'|, in units of the cells, averaged over cells; of a single member,
// the absolute error. Members of a cell are sorted, which makes it O(S log S):
// Σ_{i<j} |x_i − x_j| = Σ_i (2i − S + 1)·x_(i), i from 0. Ties change nothing.
func CRPS[T Float](s Sample[T]) Terms { return chained(s, math.Inf(-1), math.Inf(1)) }

// ThresholdCRPS returns the terms of the threshold-weighted score ∫_a^b (F(x) − 1{y ≤ x})² dx
// for the values between a = lower and b = upper (Gneiting & Ranjan, Journal of Business &
// Economic Statistics 29, 2011; one of them may be infinite): that of members and truth
// under the chaining function v(x) = min(max(x, a), b) (Allen, Ginsbourger & Ziegel, SIAM/ASA
// Journal on Uncertainty Quantification 11, 2023). Cells that are all beyond the same bound
// count 0. Errors: bounds that are NaN or do not ascend.
func ThresholdCRPS[T Float](s Sample[T], lower, upper float64) (Terms, error) {
	if !(lower < upper) {
		return Terms{}, fmt.Errorf("threshold-weighted score from %g to %g: want two ascending numbers", lower, upper)
	}
	return chained(s, lower, upper), nil
}

func chained[T Float](s Sample[T], lower, upper float64) Terms {
	t := Terms{Members: s.count}
	x := make([]float64, s.count)
	chain := func(v float64) float64 { return min(max(v, lower), upper) }
	pairs := 2 / max(1, float64(s.count)*float64(s.count-1))
	for c := range s.truth {
		w := s.weight(c)
		if w == 0 {
			continue
		}
		s.column(x, c)
		slices.Sort(x)
		y := chain(float64(s.truth[c]))
		skill, spread := 0.0, 0.0
		for i, v := range x {
			d := chain(v) - y
			skill += math.Abs(d)
			spread += float64(float64(2*i-s.count+1) * d)
		}
		t.SkillSum += float64(w * skill / float64(s.count))
		t.SpreadSum += float64(w * spread * pairs)
		t.Weight += w
	}
	return t
}
