// The continuous ranked probability score.

package forecast

import (
	"math"

	"repscope/measure/ensemble"
	"repscope/report"
)

// kernelSums are the sums of a kernel score: the mean distance of the members from the
// truth, and the mean distance of different members.
func kernelSums(*setting, int) []string { return []string{"skill", "spread"} }

// estimator is the estimator of a name that options take.
func estimator(name string) ensemble.Estimator {
	if name == EstimatorBiased {
		return ensemble.Biased
	}
	return ensemble.Fair
}

// kernelTerms are the terms of kernelSums.
func kernelTerms(members int, sums []float64) ensemble.Terms {
	return ensemble.Terms{Members: members, SkillSum: sums[0], SpreadSum: sums[1], Weight: 1}
}

// kernelScore is a kernel score of its sums. A biased estimate counts pairs of a member
// with itself too.
func kernelScore(name string, members int) func(sums []float64) float64 {
	e := estimator(name)
	return func(s []float64) float64 { return kernelTerms(members, s).Score(e) }
}

// crpsFamily is the score and its two parts.
func crpsFamily() family {
	return family{
		name: "crps", about: "continuous ranked probability score and its two terms", sums: kernelSums,
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			t := ensemble.CRPS(s)
			out[0], out[1] = t.Skill(), t.Spread(ensemble.Fair)
			return nil
		},
		scores: func(s *setting, members int) []Formula {
			e := estimator(s.o.CRPS)
			return []Formula{
				{Name: "crps", About: "continuous ranked probability score E|X − y| − E|X − X'|/2; the absolute " +
					"error for one member", Unit: "field",
					Direction: report.Lower, of: kernelScore(s.o.CRPS, members),
					mean: true, compared: true, leads: true, memory: true, Perfect: true},
				{Name: "crps_skill", About: "E|X − y|, the first term of crps", Unit: "field", Direction: report.Neither,
					High: math.Inf(1), of: sum(0), mean: true},
				{Name: "crps_spread", About: "E|X − X'|; crps is crps_skill − crps_spread/2", Unit: "field",
					Direction: report.Neither, High: math.Inf(1),
					none: "one member has no spread", mean: true,
					of: func(s []float64) float64 {
						if members == 1 && e == ensemble.Fair { // of no pair of different members
							return math.NaN()
						}
						return kernelTerms(members, s).Spread(e)
					}},
			}
		},
	}
}
