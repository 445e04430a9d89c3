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
		scores: func(*setting, int) []formula {
			inf := math.Inf(1)
			return []formula{
				{name: "mae", unit: "field", about: "mean absolute error of the ensemble mean", direction: report.Lower, high: inf, of: sum(0), mean: true, compared: true, leads: true, perfect: true},
				{name: "mse", unit: "field²", about: "mean squared error of the ensemble mean", direction: report.Lower, high: inf, of: sum(1), mean: true, compared: true, leads: true, memory: true, perfect: true},
				{name: "rmse", unit: "field", about: "root of the mean squared error over all samples", direction: report.Lower, high: inf,
					of: func(s []float64) float64 { return math.Sqrt(s[1]) }, compared: true, perfect: true},
				{name: "bias", unit: "field", about: "mean of ensemble mean − truth; 0 is best", direction: report.Neither, low: -inf, high: inf, of: sum(2), mean: true},
			}
		},
	}
}
