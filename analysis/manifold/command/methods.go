// What --methods says of dimensions.

package command

import (
	"fmt"

	"repscope/analysis/internal/output"
	"repscope/analysis/manifold"
	"repscope/internal/input"
	"repscope/measure/normality"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, input.Analyzed(d, "samples"))
	d.Section("Linear dimensions")
	d.Say("Linear dimensions were computed from the eigenvalues λ of the covariance of the latents: the " +
		"participation ratio (Σλ)²/Σλ² and its share of the nominal dimension; a corrected participation ratio " +
		"from unbiased estimates of (tr C)² and tr C² with latents of different blocks; the entropy effective " +
		"rank exp(−Σ p ln p) with p = λ/Σλ, and the same with singular values instead of eigenvalues [@roy2007]; " +
		"RankMe, the effective rank of the singular values of the uncentered latents with 10⁻⁷ added to each p " +
		"[@garrido2023]; the stable rank Σλ/max λ (also NESum [@he2022]), and the stable rank of the uncentered " +
		"latents; the number of leading directions with 90 %% and 99 %% of the variance; and the number of " +
		"constant coordinates. The jackknife bias of effective rank and RankMe is reported, but not subtracted.")
	if low := d.Models("alpha_req", "low"); len(low) > 0 {
		d.Say("αReQ [@agrawal2022] is the exponent α of a power law λ_i = c·i^−α of the eigenvalues of ranks %s "+
			"to %s, fitted by least squares of ln λ_i on ln i with weights 1/i [@stringer2019]. R² of the fit is "+
			"reported; below 0.95 the eigenvalues are considered to follow no power law.",
			methods.Join(low), methods.Join(d.Models("alpha_req", "high")))
	}
	if latents := d.Models("lidar", "latents"); len(latents) > 0 {
		classes := "groups of states"
		if n := d.Text("views"); n != "0" {
			classes = fmt.Sprintf("states, each encoded under %s seeded views (corruption %s at level %s)",
				n, d.Text("view-corruption"), d.Text("view-level"))
		}
		d.Say("LiDAR [@thilak2024] is the effective rank exp(−Σ p ln p) of the eigenvalues of Σ_w^(−1/2) Σ_b "+
			"Σ_w^(−1/2), with the scatter Σ_b of the means of classes and the scatter Σ_w of latents about the "+
			"mean of their class, δ = %s on the diagonal of Σ_w, and 10⁻⁷ added to each p. Classes are %s.",
			d.Text("lidar-delta"), classes)
	}
	if d.Holds("gaussianity", "tested_states") {
		scale := "less their mean and divided by the root mean variance of a coordinate"
		if d.Text("gaussian-scale") == string(normality.Raw) {
			scale = "as they are"
		}
		d.Say("Latents, %s, were compared with an isotropic Gaussian by the sliced Epps–Pulley statistic of "+
			"SIGReg [@balestriero2025; @epps1983] in %s random directions, with weight exp(−t²/2) and 17 knots of "+
			"t from 0 to 3, and by the BHEP statistic [@baringhaus1988] with β = 1/√D. Excess and p come from %s "+
			"Gaussian samples of the same number and dimension. Where the autocorrelation time was above 1.15, "+
			"states at least two autocorrelation times apart were tested.",
			scale, d.Text("gaussian-slices"), d.Text("gaussian-draws"))
	}
	if d.Holds("cluster_learnability", "clusters") {
		d.Say("Cluster learnability [@lu2022] is the share of latents whose cluster, of %s by k-means, has the "+
			"majority among their 5 nearest neighbors, leave one out.", d.Text("learn-clusters"))
	}
	d.Section("Intrinsic dimension")
	switch manifold.Estimator(d.Text("estimator")) {
	case manifold.EstimatorFit:
		d.Say("The intrinsic dimension is the Two-NN estimate by the least-squares fit of the published method " +
			"[@facco2017], without the largest tenth of the ratios of second to first neighbor distance. The " +
			"maximum likelihood estimate is also reported.")
	case manifold.EstimatorDocumented:
		d.Say("The intrinsic dimension is 1/(ln(mean of r₂/r₁) − ψ(1)), which never exceeds 1.7325. The Two-NN " +
			"estimates [@facco2017] by maximum likelihood and by least squares are also reported.")
	default:
		d.Say("The intrinsic dimension is the Two-NN estimate [@facco2017] by maximum likelihood: the number of " +
			"ratios of second to first neighbor distance divided by the sum of their logarithms. The published " +
			"least-squares fit without the largest tenth is also reported.")
	}
	d.Say("The dependence on scale was measured by Gride with neighbor orders n₂ = %s and n₁ = n₂/2 [@denti2022]; "+
		"by Levina–Bickel with k = %s [@levina2004], averaged as the inverse of the mean inverse [@mackay2005]; "+
		"and by maximum-likelihood Two-NN over 1, 2, 4, … random disjoint subsets (decimation).",
		methods.Join(d.Rows("gride", "n2")), methods.Join(d.Rows("lb_mle", "k")))
	d.Say("Latents nearer to another latent than %s of the root mean square distance √(2·tr C) were removed as "+
		"duplicates.", d.Text("duplicate-tolerance"))
	switch windows := d.Models("exclude_window"); {
	case d.Text("exclude-window") == "auto":
		d.Say("Neighbors were searched among states more than %s frames apart in an episode, from the state and "+
			"from each other (a Theiler window [@theiler1986]), by distributing states in turn over several sets. "+
			"The window is the longest autocorrelation time of the models.", methods.Join(windows))
	case d.Text("exclude-window") != "0":
		d.Say("Neighbors were searched among states more than %s frames apart in an episode, from the state and "+
			"from each other (a Theiler window [@theiler1986]), by distributing states in turn over several sets.",
			d.Text("exclude-window"))
	}
	d.Say("Distances are Euclidean.")
	if d.Yes("approx") {
		if d.Holds("recall", "value") && methods.Join(d.Models("recall", "exact")) != "true" {
			d.Say("Nearest neighbors were searched approximately in an inverted file with exact distances (cells around k-means centers, without quantization) [@jegou2011]; the recall, measured on %s queries, is in the result.", methods.Join(d.Models("recall", "queries")))
		} else {
			d.Say("An approximate search was requested, but nearest neighbors were searched exactly, because this " +
				"takes only seconds.")
		}
	}
	output.Methods(d, ", and the linear dimensions were computed without it")
	if output.Blocks(d) == "" {
		return
	}
	d.Say("The degrees of freedom of linear dimensions follow Satterthwaite, which lowers them if few blocks dominate.")
	d.Say("Intervals of intrinsic dimensions come from comparing halves of the blocks in balanced splits "+
		"[@shao1989], on a logarithmic scale. They are reported for neighbor orders up to %d, for Levina–Bickel "+
		"with up to %d neighbors, and for at least %d latents.", manifold.HalvedOrder, manifold.HalvedNeighbors,
		manifold.HalvedLatents)
}
