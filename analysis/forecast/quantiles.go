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
		name: quantilesName, about: "quantile scores of the levels of --quantiles",
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
		scores: func(s *setting, _ int) []formula {
			var out []formula
			for i, level := range s.o.Quantiles {
				out = append(out, formula{name: "quantile_score", list: quantilesName, key: levelKey, value: level, about: "(1{y ≤ q} − level)·(q − y) of the ensemble's quantile q", unit: "field",
					direction: report.Lower, high: math.Inf(1), of: sum(i), mean: true, perfect: true})
			}
			return out
		},
	}
}

// intervalFamily is the scores of central intervals, and of all of them with the median.
func intervalFamily() family {
	return family{
		name: intervalsName, about: "coverage, width and interval score of the intervals of --intervals, and their weighted interval score", needs: several,
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
		scores: func(s *setting, _ int) []formula {
			out := []formula{{name: "weighted_interval_score", about: "(|y − median|/2 + Σ α/2·interval score)/(K + ½) over the K intervals of --intervals", unit: "field",
				direction: report.Lower, high: math.Inf(1), of: sum(0), mean: true, compared: true, perfect: true}}
			for i, p := range s.o.Coverage {
				row := formula{list: intervalsName, key: nominalKey, value: p, mean: true}
				score, width, coverage := row, row, row
				score.name, score.about, score.unit = "interval_score", "width and, where the truth lies outside, 2/α times how far", "field"
				score.direction, score.high, score.of, score.perfect = report.Lower, math.Inf(1), sum(1+3*i), true
				width.name, width.about, width.unit = "width", "of the central interval between quantiles of the members", "field"
				width.direction, width.high, width.of = report.Neither, math.Inf(1), sum(2+3*i)
				coverage.name, coverage.about = "coverage", "share of cells whose truth lies in the interval: nominal in large calibrated ensembles, less in small ones"
				coverage.direction, coverage.high, coverage.of = report.Neither, 1, sum(3+3*i)
				out = append(out, score, width, coverage)
			}
			return out
		},
	}
}
