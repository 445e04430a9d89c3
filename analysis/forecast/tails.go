// Scores of the part of a forecast beyond thresholds, and of the mean and variance of the members.

package forecast

import (
	"math"

	"repscope/measure/ensemble"
	"repscope/report"
)

// tailFamily is the CRPS of the values at and above where events begin.
func tailFamily() family {
	return family{
		name: "twcrps", about: "threshold-weighted CRPS above each of --thresholds and " +
			"--event-quantiles", needs: noEvents,
		sums: func(s *setting, _ int) []string {
			var names []string
			for _, e := range s.o.events() {
				names = append(names, "skill"+report.Row(e.Key, e.Value), "spread"+report.Row(e.Key, e.Value))
			}
			return names
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			for k := range c.limits {
				t, err := ensemble.ThresholdCRPS(s, c.limits[k][v], math.Inf(1))
				if err != nil {
					return err
				}
				out[2*k], out[2*k+1] = t.Skill(), t.Spread(ensemble.Fair)
			}
			return nil
		},
		scores: func(s *setting, members int) []Formula {
			var out []Formula
			for k, e := range s.o.events() {
				out = append(out, Formula{Name: "twcrps", List: EventTable, key: e.Key, value: e.Value, Unit: "field",
					About: "threshold-weighted CRPS: CRPS with all values below the threshold replaced by " +
						"it", Direction: report.Lower,
					of: kernelScore(s.o.CRPS, members), mean: true, compared: true, Perfect: true, from: 2 * k, count: 2})
			}
			return out
		},
	}
}

// dawidFamily is the score of mean and variance.
func dawidFamily() family {
	return momentFamily("dawid_sebastiani",
		"(y − m)²/s² + ln s², with the mean m and variance s² of the members", "", 2, ensemble.DawidSebastiani[float64])
}

// errorSpreadFamily is the score of mean, variance and skewness.
func errorSpreadFamily() family {
	return momentFamily("error_spread", "(s² − e² − e·s·g)², with the error e of the mean and the variance s² and "+
		"skewness g of the members", "field⁴", 3, ensemble.ErrorSpread[float64])
}

// momentFamily is a mean over cells of a score of moments that need that many members.
func momentFamily(name, about, unit string, least int, score func(ensemble.Sample[float64]) ensemble.Mean) family {
	return family{
		name: name, about: about,
		sums: func(*setting, int) []string { return []string{"score"} },
		needs: func(s *setting, members int) string {
			if members < least && members > 1 {
				return "skewness needs three members"
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
		scores: func(*setting, int) []Formula {
			return []Formula{{Name: name, About: about, Unit: unit, Direction: report.Lower, of: sum(0), mean: true, compared: true,
				none: "all members are equal in some cell, so their variance is 0"}}
		},
	}
}
