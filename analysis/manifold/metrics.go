// What the numbers of a model are.

package manifold

import (
	"math"

	"repscope/report"
)

// Metrics describes the numbers of a model. That which another estimator than the maximum likelihood names stands
// last.
func Metrics(e Estimator) []report.Described {
	inf := math.Inf(1)
	all := []report.Described{
		{Name: "participation_ratio_corrected", Better: report.Neither, Unit: "dimensions", High: inf, Headline: true,
			About: "participation ratio (Σλ)²/Σλ² of the covariance, corrected for the number of latents"},
		{Name: "effective_rank", Better: report.Neither, Unit: "dimensions", Low: 1, High: inf, Headline: true,
			About: "effective rank: exponential of the entropy of the variance spectrum", Cite: "roy2007"},
		{Name: "rankme", Better: report.Neither, Unit: "dimensions", Low: 1, High: inf,
			About: "RankMe: exponential of the entropy of the singular values", Cite: "garrido2023"},
		{Name: "stable_rank", Better: report.Neither, Unit: "dimensions", Low: 1, High: inf,
			About: "stable rank (also NESum, Σλ/λ₁): total variance divided by the largest variance of a " +
				"direction", Cite: "he2022"},
		{Name: "stable_rank_uncentered", Better: report.Neither, Unit: "dimensions", Low: 1, High: inf,
			About: "stable rank ‖Z‖_F²/σ₁² of the latents as they are, not less their mean"},
		{Name: "alpha_req.alpha", Better: report.Neither, High: inf,
			About: "αReQ: exponent α of the power law λ_i ∝ i^−α of the eigenvalues", Cite: "agrawal2022"},
		{Name: "alpha_req.r_squared", Better: report.Neither, High: 1,
			About: "R² of the power law's fit to the logarithms of the eigenvalues"},
		{Name: "lidar.rank", Better: report.Neither, Unit: "dimensions", Low: 1, High: inf,
			About: "LiDAR: effective rank of the scatter between classes (states under views, or groups) in units " +
				"of the scatter inside them", Cite: "thilak2024"},
		{Name: "gaussianity.sigreg.statistic", Better: report.Neither, High: inf,
			About: "SIGReg: sliced Epps–Pulley distance of the latents from an isotropic Gaussian, times their " +
				"number", Cite: "balestriero2025"},
		{Name: "gaussianity.sigreg.excess", Better: report.Neither, Low: -inf, High: inf,
			About: "sliced Epps–Pulley statistic of the tested latents, less its mean for Gaussian latents of " +
				"their number"},
		{Name: "gaussianity.bhep.statistic", Better: report.Neither, High: inf,
			About: "BHEP distance of the latents from an isotropic Gaussian, times their number",
			Cite:  "baringhaus1988"},
		{Name: "gaussianity.bhep.excess", Better: report.Neither, Low: -inf, High: inf,
			About: "BHEP statistic of the tested latents, less its mean for Gaussian latents of their number"},
		{Name: "cluster_learnability.accuracy", Better: report.Neither, High: 1,
			About: "cluster learnability (of CLID): share of latents whose k-means cluster their neighbors " +
				"predict", Cite: "lu2022"},
		{Name: "dims_90", Better: report.Neither, Unit: "dimensions", Low: 1, High: inf,
			About: "number of directions with 90 % of the variance"},
		{Name: "dims_99", Better: report.Neither, Unit: "dimensions", Low: 1, High: inf,
			About: "number of directions with 99 % of the variance"},
		{Name: "two_nn.mle", Better: report.Neither, Unit: "dimensions", High: inf, Headline: true,
			About: "intrinsic dimension from ratios of the two nearest distances (Two-NN), maximum likelihood",
			Cite:  "facco2017"},
		{Name: "lb_mle.id", Better: report.Neither, Unit: "dimensions", High: inf,
			About: "intrinsic dimension from the distances of k neighbors (Levina–Bickel), maximum likelihood",
			Cite:  "levina2004"},
		{Name: "usage_percent", Better: report.Neither, Unit: "%", High: 100,
			About: "participation ratio in percent of the nominal dimension"},
		{Name: "dead_dims", Better: report.Lower, Unit: "dimensions", High: inf, Headline: true,
			About: "number of constant coordinates"},
		{Name: "intrinsic_dimension", Better: report.Neither, Unit: "dimensions", High: inf, Headline: true,
			About: "intrinsic dimension by the estimate chosen with --estimator", Cite: "facco2017"},
	}
	if e == EstimatorMLE || e == "" { // it is two_nn.mle
		all = all[:len(all)-1]
	}
	return all
}
