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
		d.Say("Reconstruction was scored by the intersection over union of cells with a probability above %s and "+
			"cells of the original (1 if both are empty), also by channel and by label.", d.Text("threshold"))
	}
	if d.Holds("diversity") {
		d.Say("Diversity of valid samples was measured by Hamming (as a share of cells) and Jaccard distances over " +
			"all pairs of a label, by the share of distinct samples with its rarefaction [@hurlbert1971], and by " +
			"internal diversity [@polykovskiy2020].")
	}
	if d.Holds("similarity") {
		middle, which := "holds that are neither start nor end", "generated"
		if d.Text("definition") == generation.DefinitionDocumented {
			middle, which = "holds minus start and end holds", "valid generated"
		}
		d.Say("Similarity of statistics was measured for every label by the exact Wasserstein distance between %s "+
			"and real samples (middle holds, where holds exist, are %s), in the unit of the statistic and in "+
			"standard deviations of the real samples. The baseline is the distance between two random halves of "+
			"the real samples. The Kolmogorov–Smirnov statistic, the energy distance [@szekely2013] and the "+
			"maximum mean discrepancy [@gretton2012] over all statistics have permutation p values.", which, middle)
	}
	if d.Holds("clusters") {
		d.Say("The arrangement of labels in latent space was measured by silhouette [@rousseeuw1987], " +
			"Davies–Bouldin index [@davies1979], the vote of the 10 nearest neighbors, the distances between " +
			"centroids of consecutive labels, and the rank correlation of labels with cross-validated ridge " +
			"predictions [@hoerl1970]. Shuffled labels serve as a baseline.")
	}
	if d.Holds("conditioning") {
		d.Say("Conditioning was measured by the accuracy of a classifier for the requested label (exact, within " +
			"one and within two labels), by its mean absolute error, and by kappa with quadratic weights.")
	}
	sayFidelity(d)
	sayReferenceRows(d)
	sayGenerationIntervals(d)
}

// saySamples describes the samples.
func saySamples(d *methods.Draft) {
	d.Section("Samples")
	for _, role := range []struct{ role, text string }{
		{"real", "Real samples that the generators were trained on"}, {"holdout", "Real samples that no generator was trained on"}, {"generated", "Generated samples"},
		{"reconstruction", "Reconstructions"}, {"latents", "Latents of samples"}, {"real-latents", "Latents of real samples"}, {"predictions", "Predictions of a classifier"},
	} {
		var names []string
		for _, in := range d.Result.Inputs {
			if in.Role == role.role {
				shape := "an array"
				if len(in.Shape) > 0 {
					shape = input.Shape(in.Shape)
				}
				if in.Name != "" {
					shape = in.Name + " (" + shape + ")"
				}
				names = append(names, shape)
			}
		}
		if len(names) > 0 {
			d.Say("%s: %s.", role.text, methods.Join(names))
		}
	}
	if n := d.Number("num-samples"); n > 0 {
		d.Say("For each label, %g samples were read from files or drawn with decoders.", n)
	}
	if t := d.Number("temperature"); t != 1 {
		d.Say("Standard normal latents were multiplied by %g before decoding.", t)
	}
	if d.Yes("revalidate") {
		d.Say("Valid problems were determined by rule (a start, an end, at least three other holds), regardless of " +
			"the files.")
	}
	if d.Yes("strict") {
		d.Say("No problem was left out: an unreadable problem would have stopped the run.")
	}
}

// sayFidelity says how generated samples lie among real ones.
func sayFidelity(d *methods.Draft) {
	if !d.Holds("fidelity") {
		return
	}
	d.Say("Fidelity was measured in latents if both kinds of samples have them, otherwise on the valid samples " +
		"themselves. The measures are precision and recall [@kynkaanniemi2019]; density and coverage [@naeem2020] " +
		"with 5 nearest neighbors (also 3 and 10); the squared maximum mean discrepancy [@gretton2012], the energy " +
		"distance [@szekely2013] and the kernel distance [@binkowski2018] over at most 5,000 samples of each kind; " +
		"and the Vendi score [@friedman2023]. Classifier two-sample tests [@lopezpaz2017] used cross-validated " +
		"logistic regression and 20 nearest neighbors.")
	if d.Holds("fidelity", "frechet_distance") {
		d.Say(
			"The Fréchet distance [@heusel2017] is also reported extrapolated to infinitely many samples [@chong2020].")
	}
	if d.Holds("fidelity", "authentic") {
		d.Say("Memorization was measured by distances to the nearest real sample, the share of exact copies, and " +
			"the share of authentic samples [@alaa2022].")
	}
	if d.Holds("fidelity", "ct") {
		d.Say("The data-copying test [@meehan2020] used the hold-out samples.")
	}
}

// sayReferenceRows names the rows next to the generators.
func sayReferenceRows(d *methods.Draft) {
	for _, row := range []struct{ name, text string }{
		{"real", "The row \"real\" evaluates real samples instead of generated samples."}, {"shuffled",
			"The row \"shuffled\" evaluates real samples with shuffled labels."},
	} {
		if _, ok := d.Result.Models.Get(row.name); ok {
			d.Say("%s", row.text)
		}
	}
}

// sayGenerationIntervals describes the deletions: every number has blocks of its own samples.
func sayGenerationIntervals(d *methods.Draft) {
	if d.Number("bootstrap") == 0 {
		return
	}
	d.Section("Uncertainty")
	unit := "samples, or groups of dependent samples where given,"
	switch block := d.Text("block"); block {
	case "auto", "episode", "1":
	default:
		unit = fmt.Sprintf("runs of %s samples", block)
	}
	d.Say("Intervals are 95 %% intervals from the delete-block jackknife with Student's t [@busing1999]. In turn, "+
		"%s were deleted, both generated and real where a score depends on both; large numbers of them were joined "+
		"into blocks. Shares of independent samples have Wilson intervals [@wilson1927]. Intervals of precision, "+
		"recall and coverage come from halves of both kinds of samples [@shao1989].", unit)
	if d.Text("block") != "1" {
		d.Say("Where an input had no groups and its neighboring samples were alike (correlation above 2/√n), " +
			"ten groups of neighbors were deleted in turn, and no p value is reported.")
	}
	d.Say("Distances between generated and real samples add the variances of both, with Welch's degrees of freedom. " +
		"Where the permutation test of MMD, KID or energy distance gives p > 0.05, the lower end is the distance less the " +
		"95 %% quantile of the deviations under permutation, and the upper end is at least as far away.")
	output.MethodsOfComparisons(d, "on shared data: blocks of items that both reconstruct, or of real samples that "+
		"both are compared with, are deleted from both at once; the variances of their own samples are added, with "+
		"Satterthwaite's degrees of freedom")
}
