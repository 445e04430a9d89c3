// Calibration: spread against skill, ranks of the truth among the members.

package forecast

import (
	"math"

	"repscope/internal/text"
	"repscope/measure/ensemble"
	"repscope/report"
)

// pitBins is the number of bins of the probability integral transform.
const pitBins = 10

// ranksName is the family of ranks, and the key of their histogram; beside it stand the
// standard errors of its shares.
const (
	ranksName   = "rank_histogram"
	ranksErrors = "rank_histogram_se"
)

// several is why one member has no spread.
func several(_ *setting, members int) string {
	if members < 2 {
		return "one member has no spread"
	}
	return ""
}

// spreadFamily sets the spread of the members beside the error of their mean.
func spreadFamily() family {
	return family{
		name: "spread_skill", about: "spread of the members beside the error of their mean", needs: several,
		sums: func(*setting, int) []string { return []string{"squared", "variance"} },
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			m := ensemble.MomentsOf(s)
			out[0], out[1] = m.MSE(), m.VarianceSum/m.Weight
			return nil
		},
		scores: func(_ *setting, members int) []formula {
			inf := math.Inf(1)
			of := func(score func(ensemble.Moments) float64) func([]float64) float64 {
				return func(s []float64) float64 {
					return score(ensemble.Moments{Members: members, SquareSum: s[0], VarianceSum: s[1], Weight: 1})
				}
			}
			return []formula{
				{name: "spread", about: "root of the mean variance of the members", unit: "field", direction: report.Neither, high: inf, of: of(ensemble.Moments.Spread)},
				{name: "skill", about: "root mean squared error of the ensemble mean, as rmse", unit: "field", direction: report.Neither, high: inf, of: of(ensemble.Moments.RMSE)},
				{name: "spread_skill_ratio", about: "√((S + 1)/S)·spread/skill: 1 for a calibrated ensemble, less for one that is too sure", direction: report.Neither, high: inf,
					of: of(ensemble.Moments.SpreadSkillRatio), none: "the ensemble mean has no error"},
				{name: "debiased_mse", about: "mean squared error without what the small number of members adds: mse − variance/S", unit: "field²", direction: report.Lower,
					of: of(ensemble.Moments.DebiasedMSE), mean: true, compared: true},
			}
		},
	}
}

// rankFamily counts the rank of the truth among the members.
func rankFamily() family {
	return family{
		name: ranksName, about: "ranks of the truth among the members, probability integral transform", needs: several,
		sums: func(_ *setting, members int) []string {
			names := make([]string, members+1)
			for i := range names {
				names[i] = "rank " + text.Count(i, "member")
			}
			return names
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			counts := make([]int64, len(out))
			if err := ensemble.AddRanks(counts, s); err != nil {
				return err
			}
			for i, share := range ensemble.RankShares(counts) {
				out[i] = share
			}
			return nil
		},
		scores: func(*setting, int) []formula {
			return []formula{
				{name: "rank_bias", about: "mean of 1 − 2u over the places u of the truth among the members: above 0 where forecasts are too high", direction: report.Neither,
					low: -1, high: 1, of: func(s []float64) float64 { bias, _ := ensemble.RankContrasts(s); return bias }, mean: true},
				{name: "rank_dispersion", about: "above 0 where the truth lies in the middle of the members too often (spread too large), below where it lies outside", direction: report.Neither,
					low: -2, high: 1, of: func(s []float64) float64 { _, d := ensemble.RankContrasts(s); return d }, mean: true},
				{name: "reliability", about: "sum over ranks of |share − 1/(S + 1)|: 0 for a flat histogram, above from chance alone", direction: report.Lower,
					high: 2, of: ensemble.ReliabilityIndex, noInterval: "it is above 0 from chance alone: see rank_bias and rank_dispersion"},
			}
		},
		tables: func(t *tally, into *report.Object) error {
			shares := t.means(all, 0)
			into.Set(ranksName, shares)
			into.Set("pit", ensemble.PIT(shares, pitBins))
			errors, err := t.jackknife(all, 0, len(shares), func(means, dst []float64) { copy(dst, means) })
			if err != nil || t.blocks == nil {
				return err
			}
			var se []float64
			for _, j := range errors {
				if math.IsNaN(j.StdError) {
					return nil
				}
				se = append(se, j.StdError)
			}
			into.Set(ranksErrors, se)
			return nil
		},
	}
}
