// Scores of the mean and variance of the members, and of the part of a forecast beyond thresholds.

package forecast

import (
	"math"

	"repscope/measure/ensemble"
	"repscope/report"
)

// tailsName is the list of the scores of thresholds.
const tailsName = "tails"

// tailFamily is the CRPS of the values above every threshold.
func tailFamily() family {
	return family{
		name: tailsName, about: "threshold-weighted CRPS above each of --thresholds",
		sums: func(s *setting, _ int) []string {
			var names []string
			for _, v := range s.o.Thresholds {
				names = append(names, "skill above "+number(v), "spread above "+number(v))
			}
			return names
		},
		needs: func(s *setting, _ int) string {
			if len(s.o.Thresholds) == 0 {
				return "no --thresholds"
			}
			return ""
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			for i, threshold := range c.o.Thresholds {
				t, err := ensemble.ThresholdCRPS(s, threshold, math.Inf(1))
				if err != nil {
					return err
				}
				out[2*i], out[2*i+1] = t.Skill(), t.Spread(ensemble.Fair)
			}
			return nil
		},
		scores: func(s *setting, members int) []formula {
			var out []formula
			score := kernelScore(s.o.CRPS, members)
			for i, v := range s.o.Thresholds {
				out = append(out, formula{name: "twcrps", list: tailsName, key: "threshold", value: v, about: "CRPS of the values above the threshold, those below taken for it", unit: "field",
					direction: report.Lower, of: func(sums []float64) float64 { return score(sums[2*i:]) }, mean: true, compared: true, perfect: true})
			}
			return out
		},
	}
}

// dawidFamily is the score of mean and variance.
func dawidFamily() family {
	return momentFamily("dawid_sebastiani", "(y − m)²/s² + ln s² of the mean m and variance s² of the members", "", 2, ensemble.DawidSebastiani[float64])
}

// errorSpreadFamily is the score of mean, variance and skewness.
func errorSpreadFamily() family {
	return momentFamily("error_spread", "(s² − e² − e·s·g)² of the error e of the mean, the variance s² and skewness g of the members", "field⁴", 3, ensemble.ErrorSpread[float64])
}

// momentFamily is a mean over cells of a score of moments of so many members at least.
func momentFamily(name, about, unit string, least int, score func(ensemble.Sample[float64]) ensemble.Mean) family {
	return family{
		name: name, about: about,
		sums: func(*setting, int) []string { return []string{"score"} },
		needs: func(s *setting, members int) string {
			if members < least && members > 1 {
				return "two members have no skewness"
			}
			return several(s, members)
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			out[0] = score(s).Value()
			return nil
		},
		scores: func(*setting, int) []formula {
			return []formula{{name: name, about: about, unit: unit, direction: report.Lower, of: sum(0), mean: true, compared: true,
				none: "all members are equal in some cell, which has no variance"}}
		},
	}
}
