// What --methods says of the similarity of models.

package command

import (
	"strings"

	"repscope/analysis/internal/output"
	"repscope/internal/input"
	measures "repscope/measure/similarity"
	"repscope/measure/spectrum"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, 0)
	d.Section("Measures")
	d.Say("The latent spaces of every two models were compared by %s.", methods.Join(sayMeasures(d, "measures")))
	if d.Text("latent-scale") == string(spectrum.ScaleL2) {
		d.Say("The latents of each state were divided by their Euclidean length first.")
	}
	chosen := chosenMeasures(d, "measures")
	if chosen["mutual_knn"] || chosen["cknna"] {
		d.Say("Neighborhoods have k = %s states.", d.List("k"))
	}
	if (chosen["mutual_knn"] || chosen["information_imbalance"]) && d.Text("metric") == "cosine" {
		d.Say("Neighbors were found by the cosine of latents.")
	}
	if chosen["cka_rbf"] {
		d.Say("The standard deviation of Gaussian kernels is %s times the median distance of a space.",
			d.Text("bandwidth"))
	}
	if chosen["rsa_spearman"] || chosen["rsa_pearson"] {
		if n := d.Number("rsa-pairs"); n > 0 {
			d.Say("Distances were correlated over at most %s pairs of states, drawn at random and the same for all "+
				"models.", input.Thousands(int(n)))
		} else {
			d.Say("Distances were correlated over all pairs of states.")
		}
	}
	if n := d.Number("permutations"); n > 0 {
		d.Section("Chance")
		if d.Text("null") == "independent" {
			d.Say("Each score was compared with its values in %g random orders of the states of one model.", n)
		} else {
			d.Say("Each score was compared with its values in %g orders in which whole episodes of one model are "+
				"given to episodes of the other; fewer than 5 episodes are rotated in time. These orders keep the dependence of "+
				"consecutive states.", n)
		}
		d.Say("p values are (1 + the number of orders with at least the score)/(1 + the number of orders), corrected " +
			"over the pairs of models by Holm's method [@holm1979]. Adjusted scores are 0 at the mean of the null and 1 " +
			"for identical spaces; gated scores start at its 95 %% threshold.")
	}
	if d.Text("layers") != "" {
		d.Section("Layers")
		d.Say("Every layer of a model was compared with every layer of the others by %s.",
			methods.Join(sayMeasures(d, "layer-measures")))
		if d.Number("permutations") > 0 {
			d.Say("The p value of the best pair of layers is the share of orders in which the best pair scores at least as " +
				"much, so that it includes the search.")
		}
	}
	if d.Yes("stitch") {
		sayStitches(d)
	}
	output.Methods(d, "")
	if d.Text("reference") != "" && len(d.Result.Comparisons) > 0 {
		d.Say("The comparisons are about which model is more like %s.", d.Text("reference"))
	}
}

// sayStitches describes stitched models.
func sayStitches(d *methods.Draft) {
	d.Section("Stitching")
	d.Say("Each layer of a model was put before the part of another model that follows each of its layers, through a " +
		"ridge regression between the values of the two layers [@bansal2021]. Layers with the same positions have one " +
		"regression of channels for all positions.")
	d.Say("Each state was mapped by a regression on the other four of five folds of whole episodes, whose penalty has " +
		"the least error over the other folds. The error is the sum of squared differences of the outputs from the " +
		"outputs of the whole model, over their sum of squares about the mean; agreement is the share of states with " +
		"the same class.")
	if n := min(d.Number("stitch-permutations"), d.Number("permutations")); n > 0 {
		d.Say("Both were compared with their values in %g orders of the same null.", n)
	}
}

// chosenMeasures are the names of the measures of an option.
func chosenMeasures(d *methods.Draft, option string) map[string]bool {
	out := map[string]bool{}
	names := d.Values(option)
	if strings.Contains(d.Text(option), "all") {
		names = measures.Names()
	}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// sayMeasures describes the measures of an option.
func sayMeasures(d *methods.Draft, option string) []string {
	var out []string
	chosen := chosenMeasures(d, option)
	for _, m := range measures.Measures() {
		if chosen[m.Name] {
			out = append(out, m.About+" [@"+m.Cite+"]")
		}
	}
	return out
}
