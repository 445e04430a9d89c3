// What --methods says of neighborhoods.

package command

import (
	"repscope/analysis/internal/output"
	"repscope/analysis/neighborhood"
	"repscope/internal/input"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/report/methods"
	"repscope/stat"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, input.Analyzed(d, "samples"))
	d.Section("Measures")
	ks := "k = " + d.List("k")
	d.Say("Trustworthiness and continuity [@venna2001; @venna2006] were computed for neighborhoods of %s states. "+
		"They are 1 minus a sum of (rank − k) divided by its value for the worst embedding, so that both lie "+
		"between 0 and 1 for every k. The sum runs over states that are among the k nearest in one space only, "+
		"with ranks of the other space. The same ranks give the share Q_NX of common neighbors and the mean "+
		"relative rank errors [@lee2009], reported as 1 minus the error. They also give R_NX, which rescales Q_NX "+
		"so that independent states have 0 [@lee2013], and the local continuity meta-criterion [@chen2009].", ks)
	sayCurves(d)
	saySpaces(d)
	sayTies(d)
	if d.Text("exclude-window") == "auto" {
		d.Say("States at most %s frames apart in one episode do not count as neighbors and have no rank (a Theiler "+
			"window [@theiler1986]). The window is the longest autocorrelation time of the models (of the "+
			"coordinate with the largest variance, about the means of episodes).",
			methods.Join(d.Models("exclude_window")))
	} else if w := d.Number("exclude-window"); w > 0 {
		d.Say("States at most %g frames apart in one episode do not count as neighbors and have no rank (a Theiler "+
			"window [@theiler1986]).", w)
	}
	if d.Yes("approx") {
		sayApproximation(d)
	} else {
		d.Say("All states were ranked exactly.")
	}
	output.MethodsOfSpread(d)
	sayNull(d)
	output.Methods(d, ", both as references and as neighbors, and all ranks were computed without it")
	if output.Blocks(d) != "" {
		d.Say("Intervals of trustworthiness and continuity are limited to 0–1. Models were compared by " +
			"trustworthiness and continuity at each k.")
	}
}

// sayCurves describes the numbers from the ranks of all states.
func sayCurves(d *methods.Draft) {
	if !d.Holds("curves") {
		return
	}
	when := "as requested"
	if d.Text("coranking") == neighbors.CoRankingAuto.String() {
		when = "because the number of states permits it"
	}
	d.Say("Q_NX and R_NX were computed for all neighborhood sizes K, %s. The area under R_NX has weights 1/K "+
		"[@lee2013], and K* maximizes the local continuity meta-criterion. The means of Q_NX up to K* and from K* "+
		"are the local and global quality.", when)
}

// saySpaces describes the distances.
func saySpaces(d *methods.Draft) {
	kinds := map[string]string{neighbors.Euclidean.String(): "Euclidean", neighbors.Cosine.String(): "cosine distances"}
	metric, latents := d.Text("metric"), d.Text("latent-metric")
	switch {
	case metric == neighbors.Precomputed.String():
		if latents == neighborhood.LatentSame {
			latents = neighbors.Euclidean.String()
		}
		d.Say("Distances between states were precomputed; distances between latents are %s.", kinds[latents])
	case latents == neighborhood.LatentSame || latents == metric:
		d.Say("Distances are %s in both spaces.", kinds[metric])
	default:
		d.Say("Distances between states are %s; distances between latents are %s.", kinds[metric], kinds[latents])
	}
	for _, space := range d.Models("space") {
		d.Say("%s", map[string]string{spaceFrame: "The original space consists of the last frame of each state.", spaceClip: "The " +
			"original space consists of all frames of a state."}[space])
	}
	if d.Text("latent-scale") == string(spectrum.ScaleL2) {
		d.Say("Latents were divided by their Euclidean norm.")
	}
}

// sayTies says how states at equal distances are ordered.
func sayTies(d *methods.Draft) {
	switch d.Text("ties") {
	case neighbors.TiesAverage.String():
		d.Say("For tied distances, scores are exact means over all orders of equal distances, independent in both " +
			"spaces.")
	case neighbors.TiesRandom.String():
		d.Say("For tied distances, one random order was drawn in each space.")
	case neighbors.TiesIndex.String():
		d.Say("For tied distances, the earlier state in the recording comes first in both spaces.")
	}
}

// sayApproximation describes the sample.
func sayApproximation(d *methods.Draft) {
	d.Say("Scores were estimated from %s reference states (at most %s requested), each ranked exactly against all "+
		"states. References were drawn at random in %s strata of consecutive states or episodes, in proportion to "+
		"their size. The standard errors account for this stratified draw, with finite-population correction. "+
		"There are no intervals and no comparisons of models.",
		methods.Join(d.Models("sampling", "references")), d.Text("approx-references"),
		methods.Join(d.Models("sampling", "strata")))
}

// sayNull says what stands for nothing in common.
func sayNull(d *methods.Draft) {
	d.Section("Null")
	d.Say("The chance level is the expectation of the scores for uniform ranks, in closed form.")
	n := d.Number("permutations")
	if n == 0 {
		return
	}
	if neighborhood.NullKind(d.Text("null")) == neighborhood.NullIndependent {
		d.Say("The mean and standard deviation of the scores over %g random pairings of states and latents, the "+
			"same for all models, are also reported.", n)
		return
	}
	d.Say("The mean and standard deviation of the scores over %g pairings of states and latents that keep the "+
		"order in time, the same for all models, are also reported. Whole episodes were exchanged; with fewer than %d "+
		"episodes, each was rotated, the longest by at least a quarter of its length.", n, stat.ExchangedEpisodes)
}
