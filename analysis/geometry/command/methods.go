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
	if states, sample := input.Analyzed(d, "states"), input.Analyzed(d, "samples"); sample < states {
		d.Say("Measures over pairs of states used %s states, drawn at random without replacement; measures in time "+
			"used all states.", input.Thousands(sample))
	}
	d.Section("Sphere")
	d.Say("For latents divided by their norm, uniformity is the logarithm of the mean of exp(−2‖u − v‖²) over all " +
		"pairs of states, and alignment is the mean squared distance between consecutive states [@wang2020]. " +
		"Uniformity is also reported for latents centered at their mean.")
	sayGroups(d)
	saySimilarity(d)
	d.Section("Time")
	d.Say("Inside episodes, the measures are the autocorrelation of the latents up to lag %s, averaged over "+
		"coordinates with their variances as weights; the integrated autocorrelation time τ = 1 + 2·Σρ with "+
		"Sokal's window [@sokal1997]; and the distribution of steps between consecutive states, also relative to "+
		"the root mean square distance √(2·tr C) between two random states. Straightness is the mean cosine of "+
		"successive steps, and curvature the mean angle between them [@henaff2019]; both are also reported for "+
		"three states drawn at random.", d.Text("lags"))
	output.MethodsOfSpread(d)
	output.Methods(d, ", and all measures were recomputed without it, with new clusters and the remaining neighbors")
	if output.Blocks(d) != "" {
		d.Say("At most %d blocks were deleted, %d for clusters and %d for similarities; larger numbers of blocks "+
			"were joined. Models were not compared by k-means clusters, because every model has its own.", geometry.MaxBlocks,
			geometry.MaxRefits, geometry.MaxSimilarityBlocks)
	}
}

// sayGroups says what groups were measured.
func sayGroups(d *methods.Draft) {
	d.Section("Groups")
	labelled := slices.ContainsFunc(d.Result.Inputs, func(in report.Input) bool { return in.Role == "labels" })
	groups := "clusters of k-means with " + d.List("clusters") + " centers"
	if labelled {
		groups = "the groups given by labels and for " + groups
	}
	d.Say("The silhouette [@rousseeuw1987], the Davies–Bouldin index [@davies1979] and the Calinski–Harabasz index "+
		"[@calinski1974] were computed for %s.", groups)
	d.Say("k-means used the best of %s k-means++ starts [@arthur2007] with Lloyd's iterations [@lloyd1982], "+
		"followed by single moves while they lower the inertia.", d.Text("starts"))
	if !labelled {
		return
	}
	d.Say("The agreement of clusters with labels was measured by normalized and adjusted mutual information "+
		"[@vinh2010] and by the adjusted Rand index [@hubert1985]. For the k = %s nearest latents (Euclidean) of a "+
		"state, purity is the share with its label, and accuracy is the share of states with the majority label "+
		"(leave one out; the nearest neighbor breaks a tied vote; means over all orders of equal distances). Both "+
		"are reported with their chance level.", d.List("k"))
	if d.Text("exclude-window") == "auto" {
		d.Say("States at most %s frames apart in one episode, the longest autocorrelation time of the models, do "+
			"not count as neighbors (a Theiler window [@theiler1986]).", methods.Join(d.Models("exclude_window")))
	} else if w := d.Number("exclude-window"); w > 0 {
		d.Say("States at most %g frames apart in one episode do not count as neighbors (a Theiler window "+
			"[@theiler1986]).", w)
	}
}

// saySimilarity says how spaces of models are compared.
func saySimilarity(d *methods.Draft) {
	if len(d.Result.Models.Keys()) < 2 {
		return
	}
	d.Section("Similarity of models")
	d.Say("Each pair of spaces was compared by linear centered kernel alignment [@kornblith2019], also debiased " +
		"with the unbiased HSIC [@song2012], and by the orthogonal Procrustes distance of centered spaces scaled " +
		"to Frobenius norm 1 [@schonemann1966].")
	if output.Blocks(d) != "" {
		d.Say("Debiased alignment and representational similarity were also computed from pairs of states in different " +
			"episodes or blocks alone, for which spaces that share nothing have 0 on average also where states change " +
			"slowly.")
	}
	if d.Has("permutations") && d.Number("permutations") > 0 {
		d.Say("Each score is reported next to a null: its mean over %g orders in which whole episodes of one model "+
			"are given to episodes of the other (fewer than 5 episodes are rotated in time), and the share of orders "+
			"that score at least as much as its p value. Where alignment or the agreement with labels does not exceed the "+
			"null, its interval is at least the score ± the 95 %% quantile of the deviations in the null.",
			d.Number("permutations"))
	}
	pairs := "all pairs of states"
	if n := d.Number("rsa-pairs"); n > 0 && n < allPairs(input.Analyzed(d, "samples")) {
		pairs = input.Thousands(int(n)) + " pairs of states drawn at random, the same for all models; the error of " +
			"this draw is also reported"
	}
	d.Say("Representational similarity [@kriegeskorte2008] is Spearman's rank correlation between the Euclidean "+
		"distances in both spaces, over %s.", pairs)
}

// allPairs is the number of pairs of n states.
func allPairs(n int) float64 { return float64(n) * float64(n-1) / 2 }
