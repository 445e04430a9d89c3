// Quantiles and central intervals of the ensemble.

package forecast

import (
	"math"

	"repscope/measure/ensemble"
	"repscope/report"
)

// The lists of rows, and their keys.
const (
	quantilesName, levelKey   = "quantiles", "level"
	intervalsName, nominalKey = "intervals", "nominal"
)

// quantileFamily is the quantile score of every level.
func quantileFamily() family {
	return family{
		name: quantilesName, about: "quantile scores at the levels of --quantiles",
		sums: func(s *setting, _ int) []string {
			names := make([]string, len(s.o.Quantiles))
			for i, level := range s.o.Quantiles {
				names[i] = "level " + number(level)
			}
			return names
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			scores, err := ensemble.Quantiles(s, c.o.Quantiles)
			for i, score := range scores {
				out[i] = score.Value()
			}
			return err
		},
		scores: func(s *setting, _ int) []Formula {
			var out []Formula
			for i, level := range s.o.Quantiles {
				out = append(out, Formula{Name: "quantile_score", List: quantilesName, key: levelKey, value: level,
					About: "(1{y ≤ q} − level)·(q − y) of the ensemble's quantile q", Unit: "field",
					Direction: report.Lower, High: math.Inf(1), of: sum(i), mean: true, Perfect: true})
			}
			return out
		},
	}
}

// intervalFamily is the scores of central intervals, and of all of them with the median.
func intervalFamily() family {
	return family{
		name: intervalsName, about: "coverage, width and interval score of --intervals, and their weighted " +
			"interval score", needs: several,
		sums: func(s *setting, _ int) []string {
			names := []string{"weighted interval score"}
			for _, p := range s.o.Coverage {
				of := " of " + number(p)
				names = append(names, "interval score"+of, "width"+of, "coverage"+of)
			}
			return names
		},
		field: func(c *sample, v, region int, out []float64) error {
			s, err := c.ofVariable(v, region)
			if err != nil {
				return err
			}
			alphas := make([]float64, len(c.o.Coverage))
			for i, p := range c.o.Coverage {
				alphas[i] = 1 - p
			}
			weighted, err := ensemble.WeightedInterval(s, alphas)
			if err != nil {
				return err
			}
			intervals, err := ensemble.Intervals(s, alphas)
			out[0] = weighted.Value()
			for i, of := range intervals {
				out[1+3*i], out[2+3*i], out[3+3*i] = of.Score.Value(), of.Width.Value(), of.Coverage.Value()
			}
			return err
		},
		scores: func(s *setting, _ int) []Formula {
			out := []Formula{{Name: "weighted_interval_score",
				About: "(|y − median|/2 + Σ α/2·interval score)/(K + ½) over the K probabilities of " +
					"--intervals", Unit: "field",
				Direction: report.Lower, High: math.Inf(1), of: sum(0), mean: true, compared: true, Perfect: true}}
			for i, p := range s.o.Coverage {
				row := Formula{List: intervalsName, key: nominalKey, value: p, mean: true}
				score, width, coverage := row, row, row
				score.Name, score.About, score.Unit = "interval_score",
					"interval width, plus 2/α times the distance to the truth if it lies outside", "field"
				score.Direction, score.High, score.of, score.Perfect = report.Lower, math.Inf(1), sum(1+3*i), true
				width.Name, width.About, width.Unit = "width",
					"width of the central interval between quantiles of the members", "field"
				width.Direction, width.High, width.of = report.Neither, math.Inf(1), sum(2+3*i)
				coverage.Name, coverage.About = "coverage",
					"share of cells with the truth inside the interval: nominal for large calibrated ensembles, "+
						"lower for small ones"
				coverage.Direction, coverage.High, coverage.of = report.Neither, 1, sum(3+3*i)
				out = append(out, score, width, coverage)
			}
			return out
		},
	}
}
