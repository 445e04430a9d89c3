// What --methods says of neighborhoods.

package command

import (
	"repscope/analysis/internal/output"
	"repscope/analysis/neighborhood"
	"repscope/internal/input"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, input.Analysed(d, "samples"))
	d.Section("Measures")
	ks := "k = " + d.List("k")
	d.Say("For neighborhoods of %s states, trustworthiness and continuity [@venna2001; @venna2006] are 1 less the sum of (rank − k) over the states that are among the k nearest in one space only, "+
		"ranks being those of the other space, over that sum for the worst embedding, so that both lie in 0–1 for every k. "+
		"From the same ranks: the share Q_NX of common neighbors and the mean relative rank errors [@lee2009], each as 1 less the error, R_NX, which is Q_NX rescaled so that independent states have 0 [@lee2013], "+
		"and the local continuity meta-criterion [@chen2009].", ks)
	sayCurves(d)
	saySpaces(d)
	sayTies(d)
	if d.Text("exclude-window") == "auto" {
		d.Say("States at most %s frames apart in one episode, the longest autocorrelation time of the models (of the coordinate that varies most, about the means of episodes), are no neighbors of each other and have no rank (a Theiler window [@theiler1986]).",
			methods.Join(d.Models("exclude_window")))
	} else if w := d.Number("exclude-window"); w > 0 {
		d.Say("States at most %g frames apart in one episode are no neighbors of each other and have no rank (a Theiler window [@theiler1986]).", w)
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
		d.Say("Intervals of trustworthiness and continuity are cut at 0 and 1. Models are compared by trustworthiness and continuity at each k.")
	}
}

// sayCurves says what is made of the ranks of all states.
func sayCurves(d *methods.Draft) {
	if !d.Holds("curves") {
		return
	}
	when := "as asked for"
	if d.Text("coranking") == neighbors.CoRankingAuto.String() {
		when = "there being few enough states"
	}
	d.Say("Q_NX and R_NX were computed for all neighborhood sizes K, %s: the area under R_NX has weights 1/K [@lee2013], and K* maximizes the local continuity meta-criterion; "+
		"the means of Q_NX up to K* and from K* on are its local and global part.", when)
}

// saySpaces says what is a distance.
func saySpaces(d *methods.Draft) {
	kinds := map[string]string{neighbors.Euclidean.String(): "Euclidean", neighbors.Cosine.String(): "cosine distances"}
	metric, latents := d.Text("metric"), d.Text("latent-metric")
	switch {
	case metric == neighbors.Precomputed.String():
		if latents == neighborhood.LatentSame {
			latents = neighbors.Euclidean.String()
		}
		d.Say("Distances between states were given; those of latents are %s.", kinds[latents])
	case latents == neighborhood.LatentSame || latents == metric:
		d.Say("Distances are %s in both spaces.", kinds[metric])
	default:
		d.Say("Distances between states are %s; those of latents are %s.", kinds[metric], kinds[latents])
	}
	for _, space := range d.Models("space") {
		d.Say("%s", map[string]string{spaceFrame: "The original space is that of the last frame of each state.", spaceClip: "The original space is that of all frames of a state together."}[space])
	}
	if d.Text("latent-scale") == string(spectrum.ScaleL2) {
		d.Say("Latents were divided by their Euclidean norm.")
	}
}

// sayTies says how states at equal distances are ordered.
func sayTies(d *methods.Draft) {
	switch d.Text("ties") {
	case neighbors.TiesAverage.String():
		d.Say("Where distances tie, scores are exact means over all orders of equal distances, independent in both spaces.")
	case neighbors.TiesRandom.String():
		d.Say("Where distances tie, one random order was drawn in each space.")
	case neighbors.TiesIndex.String():
		d.Say("Where distances tie, the state that comes first in the recording comes first in both spaces.")
	}
}

// sayApproximation says what was sampled.
func sayApproximation(d *methods.Draft) {
	d.Say("Scores were estimated from %s reference states (at most %s were asked for), drawn at random in %s strata of consecutive states or episodes in proportion to their size and each ranked exactly against all states; "+
		"the standard errors beside them are those of this draw, stratified and with the finite-population correction. There are no intervals and no comparisons of models.",
		methods.Join(d.Models("sampling", "references")), d.Text("approx-references"), methods.Join(d.Models("sampling", "strata")))
}

// sayNull says what stands for nothing in common.
func sayNull(d *methods.Draft) {
	d.Section("Null")
	d.Say("The level of chance is the expectation of the scores when ranks are uniform, in closed form.")
	n := d.Number("permutations")
	if n == 0 {
		return
	}
	if neighborhood.NullKind(d.Text("null")) == neighborhood.NullIndependent {
		d.Say("Beside it stand mean and standard deviation of the scores over %g random pairings of states and latents, the same for all models.", n)
		return
	}
	d.Say("Beside it stand mean and standard deviation of the scores over %g pairings of states and latents that keep the order in time, the same for all models: "+
		"whole episodes are exchanged and the sequence of all is rotated, or, of fewer than %d episodes, each is rotated in itself by a quarter to three quarters of its length.", n, neighborhood.ExchangedEpisodes)
}
