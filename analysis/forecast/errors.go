// The errors of the ensemble mean.

package forecast

import (
	"math"

	"repscope/report"
)

// errorFamily are mean absolute and squared error, their root and the bias.
func errorFamily() family {
	return family{
		name: "errors", about: "mae, mse, rmse and bias of the ensemble mean",
		sums: func(*setting, int) []string { return []string{"absolute", "squared", "difference"} },
		cells: func(c *sample, v int, out [][]float64) error {
			truth, mean := c.truthOf(v), c.meanOf(v)
			for i, y := range truth {
				d := mean[i] - y
				out[0][i], out[1][i], out[2][i] = math.Abs(d), float64(d*d), d
			}
			return nil
		},
		scores: func(*setting, int) []Formula {
			inf := math.Inf(1)
			return []Formula{
				{Name: "mae", Unit: "field", About: "mean absolute error of the ensemble mean", Direction: report.Lower,
					High: inf, of: sum(0), mean: true, compared: true, leads: true, Perfect: true},
				{Name: "mse", Unit: "field²", About: "mean squared error of the ensemble mean", Direction: report.Lower,
					High: inf, of: sum(1), mean: true, compared: true, leads: true, memory: true, Perfect: true},
				{Name: "rmse", Unit: "field", About: "square root of the mean squared error over all " +
					"samples", Direction: report.Lower, High: inf,
					of: func(s []float64) float64 { return math.Sqrt(s[1]) }, compared: true, Perfect: true},
				{Name: "bias", Unit: "field", About: "mean of (ensemble mean − truth); 0 is best", Direction: report.Neither,
					Low: -inf, High: inf, of: sum(2), mean: true},
			}
		},
	}
}
