// What --methods says of generators.

package command

import (
	"fmt"

	"repscope/analysis/generation"
	"repscope/analysis/internal/output"
	"repscope/internal/input"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	saySamples(d)
	d.Section("Measures")
	if d.Holds("reconstruction") {
		d.Say("Reconstruction: the intersection over union of the cells whose probability exceeds %s with those of the original, 1 where both are empty; by channel and by label.", d.Text("threshold"))
	}
	if d.Holds("diversity") {
		d.Say("Diversity, over valid samples: Hamming (as a share of the cells) and Jaccard distances of all pairs of a label, the share of distinct samples with its rarefaction [@hurlbert1971], and internal diversity [@polykovskiy2020].")
	}
	if d.Holds("similarity") {
		middle, which := "holds that are neither start nor end", "generated"
		if d.Text("definition") == generation.DefinitionDocumented {
			middle, which = "holds less start and end holds", "valid generated"
		}
		d.Say("Similarity of statistics: of every label the exact Wasserstein distance of numbers of %s and real "+
			"samples (middle holds, where there are holds, are %s), in their unit and in standard deviations of the real ones, "+
			"beside that of two random parts of the real samples; Kolmogorov–Smirnov, energy distance [@szekely2013] and "+
			"maximum mean discrepancy [@gretton2012] over all numbers, with p values by permutation.", which, middle)
	}
	if d.Holds("clusters") {
		d.Say("Clusters: the labels among the latents, by silhouette [@rousseeuw1987], Davies–Bouldin index [@davies1979], the vote of the 10 nearest neighbors, the distances of centroids of labels that follow each other, and the rank correlation of labels with a direction found by ridge regression [@hoerl1970] on other samples; " +
			"shuffled labels stand beside.")
	}
	if d.Holds("conditioning") {
		d.Say("Conditioning: how often a classifier finds the label that was asked for, exactly and within one and two, the mean absolute error, and kappa with quadratic weights.")
	}
	sayFidelity(d)
	sayReferenceRows(d)
	sayGenerationIntervals(d)
}

// saySamples says what was measured.
func saySamples(d *methods.Draft) {
	d.Section("Samples")
	for _, role := range []struct{ role, text string }{
		{"real", "Real samples that the generators were trained on"}, {"holdout", "Real samples that no generator was trained on"}, {"generated", "Generated samples"},
		{"reconstruction", "Reconstructions"}, {"latents", "Latents of samples"}, {"real-latents", "Latents of real samples"}, {"predictions", "Predictions of a classifier"},
	} {
		var names []string
		for _, in := range d.Result.Inputs {
			if in.Role == role.role {
				of := "an array"
				if len(in.Shape) > 0 {
					of = input.Shape(in.Shape)
				}
				if in.Name != "" {
					of = in.Name + " (" + of + ")"
				}
				names = append(names, of)
			}
		}
		if len(names) > 0 {
			d.Say("%s: %s.", role.text, methods.Join(names))
		}
	}
	if n := d.Number("num-samples"); n > 0 {
		d.Say("Of each label %g samples were taken, or drawn by decoders.", n)
	}
	if t := d.Number("temperature"); t != 1 {
		d.Say("Standard normal latents were multiplied by %g before they were decoded.", t)
	}
	if d.Yes("revalidate") {
		d.Say("Which problems are valid is decided by the rule (a start, an end, at least three other holds), whatever the files say.")
	}
	if d.Yes("strict") {
		d.Say("No problem was left out.")
	}
}

// sayFidelity says how generated samples lie among real ones.
func sayFidelity(d *methods.Draft) {
	if !d.Holds("fidelity") {
		return
	}
	d.Say("Fidelity, in latents where there are those of both kinds, else in the valid samples themselves: precision and recall [@kynkaanniemi2019], density and coverage [@naeem2020] with 5 nearest neighbors (3 and 10 beside); the squared maximum mean discrepancy [@gretton2012], " +
		"the energy distance [@szekely2013] and the kernel distance [@binkowski2018], over at most 5,000 samples of each kind; the Vendi score [@friedman2023]; and classifier two-sample tests [@lopezpaz2017] by logistic regression and by 20 nearest neighbors, in folds that they have not seen.")
	if d.Holds("fidelity", "frechet_distance") {
		d.Say("The Fréchet distance [@heusel2017] is also given as its limit for many samples [@chong2020].")
	}
	if d.Holds("fidelity", "authentic") {
		d.Say("Memorization: distances to the nearest real sample, the share of exact copies, and the share of authentic samples [@alaa2022].")
	}
	if d.Holds("fidelity", "ct") {
		d.Say("With hold-out samples the data-copying test [@meehan2020] is made.")
	}
}

// sayReferenceRows says what stands beside the generators.
func sayReferenceRows(d *methods.Draft) {
	for _, row := range []struct{ name, text string }{
		{"real", "The row \"real\" puts real samples in the place of generated ones."}, {"shuffled", "The row \"shuffled\" does so with shuffled labels."},
	} {
		if _, ok := d.Result.Models.Get(row.name); ok {
			d.Say("%s", row.text)
		}
	}
}

// sayGenerationIntervals says what is deleted: every number has blocks of its own samples.
func sayGenerationIntervals(d *methods.Draft) {
	if d.Number("bootstrap") == 0 {
		return
	}
	d.Section("Uncertainty")
	unit := "samples, or groups of dependent ones where they are given,"
	switch block := d.Text("block"); block {
	case "auto", "episode", "1":
	default:
		unit = fmt.Sprintf("runs of %s samples", block)
	}
	d.Say("Intervals are 95 %% intervals of the delete-block jackknife with Student's t [@busing1999]: %s were deleted in turn, generated and real ones where both decide; more than can be deleted one by one were joined. Shares of independent samples have Wilson's intervals [@wilson1927]. "+
		"Intervals of precision, recall and coverage come from halves of both kinds of samples [@shao1989].", unit)
	output.MethodsOfComparisons(d, "on what they share: blocks of items that both reconstruct, and of real samples that both are held against, are deleted in both at once, "+
		"and the variances of their own samples add, with Satterthwaite's degrees of freedom")
}
