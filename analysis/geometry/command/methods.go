// What --methods says of the geometry of latents.

package command

import (
	"slices"

	"repscope/analysis/geometry"
	"repscope/analysis/internal/output"
	"repscope/internal/input"
	"repscope/report"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, 0)
	if states, sample := input.Analysed(d, "states"), input.Analysed(d, "samples"); sample < states {
		d.Say("Measures over pairs of states see %s of them, drawn at random without replacement; measures in time see all.", input.Thousands(sample))
	}
	d.Section("Sphere")
	d.Say("With latents divided by their norm, uniformity is ln of the mean of exp(−2‖u − v‖²) over all pairs of states and alignment the mean squared distance of consecutive states [@wang2020]; uniformity is also given for latents about their mean.")
	sayGroups(d)
	saySimilarity(d)
	d.Section("Time")
	d.Say("Inside episodes: the autocorrelation of the latents up to lag %s, the mean over coordinates weighted by their variances; the integrated autocorrelation time τ = 1 + 2·Σρ with Sokal's window [@sokal1997]; "+
		"the distribution of steps between consecutive states, also relative to the root mean square distance √(2·tr C) of two random states; and straightness, the mean cosine of successive steps, with the mean angle between them as curvature [@henaff2019], "+
		"beside the same of three states drawn at random.", d.Text("lags"))
	output.MethodsOfSpread(d)
	output.Methods(d, ", and everything was computed again without it: clusters were found anew, and neighbors are those that remain")
	if output.Blocks(d) != "" {
		d.Say("At most %d blocks were deleted, %d where clusters are found again and %d for similarities; more were joined. Models are not compared by clusters of k-means, which every model has of its own.", geometry.MaxBlocks, geometry.MaxRefits, geometry.MaxSimilarityBlocks)
	}
}

// sayGroups says what groups were measured.
func sayGroups(d *methods.Draft) {
	d.Section("Groups")
	labelled := slices.ContainsFunc(d.Result.Inputs, func(in report.Input) bool { return in.Role == "labels" })
	groups := "clusters of k-means with " + d.List("clusters") + " centers"
	if labelled {
		groups = "the groups given by labels and of " + groups
	}
	d.Say("Of %s: the silhouette [@rousseeuw1987], the Davies–Bouldin index [@davies1979] and the Calinski–Harabasz index [@calinski1974].", groups)
	d.Say("k-means is the best of %s k-means++ starts [@arthur2007] with Lloyd's iterations [@lloyd1982], improved by single moves while they lower the inertia.", d.Text("starts"))
	if !labelled {
		return
	}
	d.Say("Clusters agree with labels by normalized and adjusted mutual information [@vinh2010] and the adjusted Rand index [@hubert1985]. "+
		"Of the k = %s nearest latents (Euclidean) of a state, the share with its label (purity) and how often the majority has it (leave one out, a tied vote to the label of the nearest; means over all orders of equal distances) are given beside what chance gives.", d.List("k"))
	if d.Text("exclude-window") == "auto" {
		d.Say("States at most %s frames apart in one episode, the longest autocorrelation time of the models, are no neighbors (a Theiler window [@theiler1986]).", methods.Join(d.Models("exclude_window")))
	} else if w := d.Number("exclude-window"); w > 0 {
		d.Say("States at most %g frames apart in one episode are no neighbors (a Theiler window [@theiler1986]).", w)
	}
}

// saySimilarity says how spaces of models are compared.
func saySimilarity(d *methods.Draft) {
	if len(d.Result.Models.Keys()) < 2 {
		return
	}
	d.Section("Similarity of models")
	d.Say("Every two spaces are compared by linear centered kernel alignment [@kornblith2019], also debiased with the unbiased HSIC [@song2012], and by the orthogonal Procrustes distance of centered spaces scaled to Frobenius norm 1 [@schonemann1966].")
	pairs := "all pairs of states"
	if n := d.Number("rsa-pairs"); n > 0 && n < allPairs(input.Analysed(d, "samples")) {
		pairs = input.Thousands(int(n)) + " pairs of states drawn at random, the same for all models; the error of this draw stands beside"
	}
	d.Say("Representational similarity [@kriegeskorte2008] is Spearman's rank correlation of the Euclidean distances within both spaces, over %s.", pairs)
}

// allPairs is the number of pairs of n states.
func allPairs(n int) float64 { return float64(n) * float64(n-1) / 2 }
