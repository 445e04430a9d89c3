// What the numbers of a model are.

package robustness

import (
	"math"

	"repscope/report"
)

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	inf := math.Inf(1)
	return []report.Described{
		{Name: "levels.relative_mean", Better: report.Lower, High: inf, Headline: true,
			About: "mean distance that latents move, over the RMS distance of two random states"},
		{Name: "levels.relative_rms", Better: report.Lower, High: inf,
			About: "root mean square distance that latents move, over the RMS distance of two random states"},
		{Name: "levels.flip_rate", Better: report.Lower, High: 1, Headline: true,
			About: "share of corrupted latents whose nearest clean latent is another state's"},
		{Name: "auc_relative", Better: report.Lower, High: inf, Headline: true,
			About: "relative_mean averaged over the levels: the area under its curve over their range"},
		{Name: "curve_slope", Better: report.Lower,
			About: "least-squares slope of relative_mean on the level"},
		{Name: "levels.cosine", Better: report.Higher, Low: -1, High: 1, Headline: true,
			About: "mean cosine of clean and corrupted latent"},
		{Name: "levels.mean", Better: report.Neither, High: inf,
			About: "mean distance that latents move, in units of the latents"},
	}
}
