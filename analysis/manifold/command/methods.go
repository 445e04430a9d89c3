// What --methods says of dimensions.

package command

import (
	"repscope/analysis/internal/output"
	"repscope/analysis/manifold"
	"repscope/internal/input"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, input.Analysed(d, "samples"))
	d.Section("Linear dimensions")
	d.Say("From the eigenvalues λ of the covariance of the latents: the participation ratio (Σλ)²/Σλ² and its share of the nominal dimension; a corrected participation ratio, the ratio of unbiased estimates of (tr C)² and tr C² " +
		"from latents of different blocks; the entropy effective rank exp(−Σ p ln p) with p = λ/Σλ, and the same with singular values in place of eigenvalues [@roy2007]; RankMe, that of the singular values of the uncentered latents with 10⁻⁷ added to each p [@garrido2023]; " +
		"the stable rank Σλ/max λ; the numbers of leading directions with 90 %% and 99 %% of the variance; and the number of coordinates that do not vary. The bias that the jackknife finds in effective rank and RankMe is reported and not taken off.")
	d.Section("Intrinsic dimension")
	switch manifold.Estimator(d.Text("estimator")) {
	case manifold.EstimatorFit:
		d.Say("The intrinsic dimension is the Two-NN estimate by the least-squares fit of the published method [@facco2017], without the largest tenth of the ratios of second to first neighbor distance; the maximum likelihood estimate stands beside.")
	case manifold.EstimatorDocumented:
		d.Say("The intrinsic dimension shown is 1/(ln(mean of r₂/r₁) − ψ(1)), which no data can make exceed 1.7325; the Two-NN estimates [@facco2017] by maximum likelihood and by least squares stand beside.")
	default:
		d.Say("The intrinsic dimension is the Two-NN estimate [@facco2017] by maximum likelihood, the number of ratios of second to first neighbor distance over the sum of their logarithms; the published least-squares fit without the largest tenth stands beside.")
	}
	d.Say("Scale by scale: Gride with neighbor orders n₂ = %s and n₁ = n₂/2 [@denti2022]; Levina–Bickel with k = %s [@levina2004], averaged as the inverse of the mean inverse [@mackay2005]; and Two-NN by maximum likelihood over 1, 2, 4, … random disjoint subsets (decimation).",
		methods.Join(d.Rows("gride", "n2")), methods.Join(d.Rows("lb_mle", "k")))
	d.Say("Latents nearer to another than %s of the root mean square distance √(2·tr C) count as duplicates of it and were removed.", d.Text("duplicate-tolerance"))
	switch windows := d.Models("exclude_window"); {
	case d.Text("exclude-window") == "auto":
		d.Say("Neighbors are looked for among states more than %s frames apart in an episode, from the state and from each other (a Theiler window [@theiler1986]), the longest autocorrelation time of the models: states are dealt out in turn to as many sets as that needs.", methods.Join(windows))
	case d.Text("exclude-window") != "0":
		d.Say("Neighbors are looked for among states more than %s frames apart in an episode, from the state and from each other (a Theiler window [@theiler1986]): states are dealt out in turn to as many sets as that needs.", d.Text("exclude-window"))
	}
	d.Say("Distances are Euclidean.")
	if d.Yes("approx") {
		if d.Holds("recall", "value") && methods.Join(d.Models("recall", "exact")) != "true" {
			d.Say("Nearest neighbors were searched approximately in an inverted file with exact distances (cells around k-means centers, without quantization) [@jegou2011]; the recall, measured on %s queries, is in the result.", methods.Join(d.Models("recall", "queries")))
		} else {
			d.Say("An approximate search was asked for; nearest neighbors were searched exactly, since that takes seconds.")
		}
	}
	output.Methods(d, ", and the linear dimensions were computed without it")
	if output.Blocks(d) == "" {
		return
	}
	d.Say("The degrees of freedom of linear dimensions are lowered where few blocks decide (Satterthwaite's).")
	d.Say("Intervals of intrinsic dimensions come from halves of the blocks in balanced splits, compared with each other [@shao1989], on a logarithmic scale; they are given for neighbor orders up to %d and from %d latents on.", manifold.HalvedOrder, manifold.HalvedLatents)
}
