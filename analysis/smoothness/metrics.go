// What the numbers of a model are.

package smoothness

import (
	"math"

	"repscope/report"
)

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	inf := math.Inf(1)
	return []report.Described{
		{Name: "r_squared", Better: report.Higher, High: 1, Headline: true,
			About: "share of the variance of latent distances explained by a line on pixel distances"},
		{Name: "r", Better: report.Higher, Low: -1, High: 1,
			About: "correlation between pixel and latent distances"},
		{Name: "spearman", Better: report.Higher, Low: -1, High: 1, Headline: true,
			About: "rank correlation between pixel and latent distances"},
		{Name: "slope", Better: report.Neither, Headline: true,
			About: "slope of the least-squares line of latent distances on pixel distances"},
		{Name: "theil_sen", Better: report.Neither, Headline: true,
			About: "Theil–Sen slope: median slope over pairs of points", Cite: "sen1968"},
		{Name: "ratio.mean", Better: report.Neither, High: inf,
			About: "latent distance divided by pixel distance, mean over pairs"},
		{Name: "ratio.median", Better: report.Neither, High: inf,
			About: "latent distance divided by pixel distance, median over pairs"},
		{Name: "ratio.p95", Better: report.Neither, High: inf,
			About: "latent distance divided by pixel distance, 95th percentile over pairs"},
		{Name: "ratio.p99", Better: report.Neither, High: inf,
			About: "latent distance divided by pixel distance, 99th percentile over pairs"},
	}
}
