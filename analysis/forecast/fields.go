// Errors of fields that are not means over cells, and correlations of anomalies.

package forecast

import (
	"math"

	"repscope/measure/verification"
	"repscope/report"
)

// fieldScore is a number of every sample, which may be undefined for some; the score is
// its mean over the samples that define it.
type fieldScore struct {
	Formula
	of func(e verification.FieldErrors) (float64, error)
}

func fieldScores() []fieldScore {
	inf := math.Inf(1)
	plain := func(f func(verification.FieldErrors) float64) func(verification.FieldErrors) (float64, error) {
		return func(e verification.FieldErrors) (float64, error) { return f(e), nil }
	}
	type e = verification.FieldErrors
	return []fieldScore{
		{Formula{Name: "vrmse", About: "square root of the mean squared error divided by the variance of the true " +
			"field; 1 when predicting its mean",
			Direction: report.Lower, High: inf, Perfect: true,
			none: "the true field of every sample is constant"}, e.VRMSE},
		{Formula{Name: "nrmse", About: "square root of the mean squared error divided by the mean square of the " +
			"true field",
			Direction: report.Lower, High: inf, Perfect: true,
			none: "the true field of every sample is 0"}, e.NRMSE},
		{Formula{Name: "max_error", Unit: "field", About: "mean over samples of the largest error in a cell", Direction: report.Lower, High: inf, Perfect: true}, plain(func(e e) float64 { return e.Maximum })},
		{Formula{Name: "boundary_rmse", Unit: "field", About: "root mean squared error of the cells on the border " +
			"of the grid",
			Direction: report.Lower, High: inf, Perfect: true,
			none: "no cell on the border of the grid has weight"}, plain(e.BoundaryRMSE)},
	}
}

// fieldFamily are errors that are taken of every field by itself.
func fieldFamily() family {
	list := fieldScores()
	return family{
		name: "fields", about: "errors of whole fields: vrmse, nrmse, max_error, boundary_rmse, conserved_rmse",
		sums: func(*setting, int) []string {
			var names []string
			for _, score := range list {
				names = append(names, score.Name, score.Name+" is defined")
			}
			return append(names, "square of the error of the mean")
		},
		field: func(c *sample, v, region int, out []float64) error {
			e := verification.NewFieldErrors(c.meanOf(v), c.truthOf(v), c.grid(), c.weights[region])
			for k, score := range list {
				value, err := score.of(e)
				out[2*k], out[2*k+1] = defined(value, err)
			}
			out[2*len(list)] = e.MeanError() * e.MeanError()
			return nil
		},
		scores: func(*setting, int) []Formula {
			var out []Formula
			for k, score := range list {
				out = append(out, ratio(score.Formula, 2*k))
			}
			return append(out, Formula{Name: "conserved_rmse", Unit: "field",
				About: "root mean square over samples of the error of the field mean", Direction: report.Lower,
				High: math.Inf(1), Perfect: true, from: 2 * len(list), count: 1, of: func(s []float64) float64 { return math.Sqrt(s[0]) }})
		},
	}
}

// defined are a value and whether it is one, as sums.
func defined(value float64, err error) (sum, count float64) {
	if err != nil || math.IsNaN(value) {
		return 0, 0
	}
	return value, 1
}

// ratio is the mean of a value over the samples that define it.
func ratio(formula Formula, first int) Formula {
	formula.from, formula.count = first, 2
	formula.of = func(s []float64) float64 { return s[0] / s[1] }
	return formula
}

// anomalyFamily correlates anomalies from the climatology.
func anomalyFamily() family {
	return family{
		name: "anomalies", about: "correlation of anomalies relative to --climatology",
		needs: func(s *setting, _ int) string {
			if !s.anomalies && s.size() > 0 {
				return "anomalies need --climatology"
			}
			return ""
		},
		sums: func(*setting, int) []string {
			return []string{"acc", "acc is defined", "acc_centered", "acc_centered is defined"}
		},
		field: func(c *sample, v, region int, out []float64) error {
			a := verification.NewAnomalies(c.meanOf(v), c.truthOf(v), c.climateOf(v), c.weights[region])
			for k, centered := range []bool{false, true} {
				out[2*k], out[2*k+1] = defined(a.ACC(centered))
			}
			return nil
		},
		scores: func(*setting, int) []Formula {
			const none = "the anomalies of the forecast or of the truth do not vary in any sample"
			return []Formula{
				ratio(Formula{Name: "acc", About: "mean over samples of the uncentered correlation of anomalies", Direction: report.Higher, Low: -1, High: 1, compared: true, leads: true, none: none}, 0),
				ratio(Formula{Name: "acc_centered", About: "as acc, with each field's mean anomaly subtracted",
					Direction: report.Higher, Low: -1, High: 1, none: none}, 2),
			}
		},
	}
}
