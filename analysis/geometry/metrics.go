// What the numbers of a model are.

package geometry

import (
	"math"

	"repscope/report"
)

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	inf := math.Inf(1)
	return []report.Described{
		{Name: "uniformity", Better: report.Lower, Headline: true,
			About: "uniformity: log of the mean of exp(−2|u−v|²) over pairs of latents on the unit " +
				"sphere", Cite: "wang2020"},
		{Name: "uniformity_centered", Better: report.Lower,
			About: "uniformity of latents centered at their mean", Cite: "wang2020"},
		{Name: "alignment", Better: report.Lower, High: inf, Headline: true,
			About: "alignment: mean squared distance between consecutive latents on the unit sphere", Cite: "wang2020"},
		{Name: "groupings.davies_bouldin", Better: report.Lower, High: inf,
			About: "Davies–Bouldin index of groups", Cite: "davies1979"},
		{Name: "groupings.silhouette", Better: report.Higher, Low: -1, High: 1,
			About: "mean silhouette of groups", Cite: "rousseeuw1987"},
		{Name: "groupings.calinski_harabasz", Better: report.Higher, High: inf,
			About: "Calinski–Harabasz index of groups", Cite: "calinski1974"},
		{Name: "groupings.agreement.nmi", Better: report.Higher, High: 1,
			About: "normalized mutual information between clusters and labels"},
		{Name: "groupings.agreement.ami", Better: report.Higher, Low: -1, High: 1,
			About: "mutual information between clusters and labels, adjusted for chance", Cite: "vinh2010"},
		{Name: "groupings.agreement.ari", Better: report.Higher, Low: -1, High: 1,
			About: "Rand index between clusters and labels, adjusted for chance", Cite: "hubert1985"},
		{Name: "label_consistency.accuracy", Better: report.Higher, High: 1, Headline: true,
			About: "share of states with the majority label of their k nearest latents"},
		{Name: "label_consistency.purity", Better: report.Higher, High: 1,
			About: "mean share of the k nearest latents with the label of the state"},
		{Name: "temporal.steps.relative_mean", Better: report.Neither, High: inf,
			About: "mean length of a time step divided by the RMS distance"},
		{Name: "temporal.straightness.cosine", Better: report.Neither, Low: -1, High: 1, Headline: true,
			About: "mean cosine between consecutive time steps"},
		{Name: "temporal.tau", Better: report.Neither, Unit: "states", High: inf,
			About: "integrated autocorrelation time"},
	}
}
