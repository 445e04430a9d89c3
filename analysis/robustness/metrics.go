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
			About: "mean displacement of latents divided by the RMS distance between two random states"},
		{Name: "levels.relative_rms", Better: report.Lower, High: inf,
			About: "root mean square displacement of latents divided by the RMS distance between two random states"},
		{Name: "levels.flip_rate", Better: report.Lower, High: 1, Headline: true,
			About: "share of corrupted latents with a clean latent of another state as nearest neighbor"},
		{Name: "auc_relative", Better: report.Lower, High: inf, Headline: true,
			About: "relative_mean averaged over the range of levels (area under the curve)"},
		{Name: "curve_slope", Better: report.Lower,
			About: "least-squares slope of relative_mean against the level"},
		{Name: "levels.cosine", Better: report.Higher, Low: -1, High: 1, Headline: true,
			About: "mean cosine similarity between clean and corrupted latent"},
		{Name: "levels.mean", Better: report.Neither, High: inf,
			About: "mean displacement of latents, in units of the latents"},
	}
}
