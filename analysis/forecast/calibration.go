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

// RankTable is the family of ranks, and the key of their histogram; next to it stand the
// standard errors of its shares.
const (
	RankTable      = "rank_histogram"
	RankErrorTable = "rank_histogram_se"
)

// several is why one member has no spread.
func several(_ *setting, members int) string {
	if members < 2 {
		return "one member has no spread"
	}
	return ""
}

// spreadFamily compares the spread of the members with the error of their mean.
func spreadFamily() family {
	return family{
		name: "spread_skill", about: "spread of the members compared with the error of their mean", needs: several,
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
		scores: func(_ *setting, members int) []Formula {
			inf := math.Inf(1)
			moments := func(score func(ensemble.Moments) float64) func([]float64) float64 {
				return func(s []float64) float64 {
					return score(ensemble.Moments{Members: members, SquareSum: s[0], VarianceSum: s[1], Weight: 1})
				}
			}
			return []Formula{
				{Name: "spread", About: "square root of the mean variance of the " +
					"members", Unit: "field", Direction: report.Neither,
					High: inf, of: moments(ensemble.Moments.Spread)},
				{Name: "skill", About: "root mean squared error of the ensemble mean (same as rmse)", Unit: "field",
					Direction: report.Neither, High: inf, of: moments(ensemble.Moments.RMSE)},
				{Name: "spread_skill_ratio", About: "√((S + 1)/S)·spread/skill: 1 for a calibrated ensemble, below " +
					"1 if the ensemble is overconfident", Direction: report.Neither, High: inf,
					of: moments(ensemble.Moments.SpreadSkillRatio), none: "the ensemble mean has no error"},
				{Name: "debiased_mse", About: "mean squared error corrected for the finite number of members: mse " +
					"− variance/S", Unit: "field²", Direction: report.Lower,
					of: moments(ensemble.Moments.DebiasedMSE), mean: true, compared: true},
			}
		},
	}
}

// rankFamily counts the rank of the truth among the members.
func rankFamily() family {
	return family{
		name: RankTable, about: "rank of the truth among the members (probability integral transform)", needs: several,
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
		scores: func(*setting, int) []Formula {
			return []Formula{
				{Name: "rank_bias", About: "mean of 1 − 2u, where u is the relative rank of the truth among the " +
					"members; above 0 if forecasts are too high", Direction: report.Neither,
					Low: -1, High: 1, of: func(s []float64) float64 { bias, _ := ensemble.RankContrasts(s); return bias }, mean: true},
				{Name: "rank_dispersion", About: "above 0 if the truth is too often central among the members " +
					"(spread too large), below 0 if it is too often extreme", Direction: report.Neither,
					Low: -2, High: 1, of: func(s []float64) float64 { _, d := ensemble.RankContrasts(s); return d }, mean: true},
				{Name: "reliability", About: "sum over ranks of |share − 1/(S + 1)|: 0 for a flat histogram; " +
					"positive by chance alone", Direction: report.Lower,
					High: 2, of: ensemble.ReliabilityIndex, noInterval: "positive by chance alone: see rank_bias " +
						"and rank_dispersion"},
			}
		},
		tables: func(t *tally, into *report.Object) error {
			shares := t.means(all, 0)
			into.Set(RankTable, shares)
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
			into.Set(RankErrorTable, se)
			return nil
		},
	}
}
