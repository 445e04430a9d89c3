// What --methods says of probes and of predicted latents.

package command

import (
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/reward"
	"repscope/internal/input"
	"repscope/measure/spectrum"
	"repscope/report"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, 0)
	switch spectrum.Scale(d.Text("latent-scale")) {
	case spectrum.ScaleRMS:
		d.Say("Latents were divided by the root mean square distance of two random states.")
	case spectrum.ScaleL2:
		d.Say("Latents were divided by their Euclidean norm.")
	}
	if d.Holds("probes") {
		sayTargets(d)
		sayProbes(d)
		sayScores(d)
	}
	sayDynamics(d)
	output.Methods(d, "")
	if output.Blocks(d) != "" && slices.Contains(d.Values("probes"), reward.Ridge) && d.Holds("probes") {
		d.Say("Linear probes and nearest neighbors were fitted again without each block, so that their intervals hold what depends on the training episodes; networks were not, and their intervals are those of the fitted networks.")
	}
}

// sayTargets says what is read, and from what.
func sayTargets(d *methods.Draft) {
	d.Section("Probes")
	var regressed, classified []string
	if rows, ok := d.Result.Extra.Get("targets"); ok {
		list, _ := rows.([]any)
		for _, row := range list {
			target, _ := row.(report.Object)
			name, _ := target.Get("target")
			if out, _ := target.Get("left_out"); out != nil {
				continue
			}
			if kind, _ := target.Get("kind"); kind == reward.Classification {
				classified = append(classified, fmt.Sprint(name))
			} else {
				regressed = append(regressed, fmt.Sprint(name))
			}
		}
	}
	if len(regressed) > 0 {
		d.Say("Regressed from latents: %s.", methods.Join(regressed))
	}
	if len(classified) > 0 {
		d.Say("Classified: %s; classes whose entropy is below %s nats were left out.", methods.Join(classified), d.Text("min-entropy"))
	}
	if list := d.Text("regress"); list != "" {
		d.Say("Whole numbers that are quantities (%s) are regressed.", list)
	}
	switch d.Text("probe-features") {
	case reward.FeaturesNext:
		d.Say("A target of a transition is read from the latent of its second state, any other from that of its state.")
	case reward.FeaturesCurrent:
		d.Say("Targets are read from the latents of a state and of its successor or predecessor together.")
	default:
		d.Say("A target of a transition, such as a reward, is read from the latents of both its states, any other from that of its state.")
	}
	observations, _ := d.Extra("observations")
	number := func(key string) string { v, _ := observations.Get(key); return fmt.Sprint(v) }
	d.Say("There are %s samples in %s episodes or pieces of one; they were divided into %s folds of whole episodes (%s were asked for), and every sample is predicted by a probe fitted on the other folds.",
		number("samples"), number("groups"), number("folds"), d.Text("folds"))
	if dropped := number("dropped"); dropped != "0" {
		d.Say("%s samples without a value of some target were left out.", dropped)
	}
}

// sayProbes says what probes are.
func sayProbes(d *methods.Draft) {
	for _, name := range d.Values("probes") {
		switch name {
		case reward.Ridge:
			alpha := "of 64 strengths from 10⁻⁴ to 10⁴ the one of least error in grouped cross-validation inside the training folds"
			if a := d.Number("alpha"); a > 0 {
				alpha = fmt.Sprintf("the strength %g", a)
			}
			d.Say("The ridge probe [@hoerl1970] has %s.", alpha)
		case reward.MLP:
			d.Say("The network has one hidden layer of 128 rectified linear units, is trained by Adam [@kingma2015] (step size 10⁻³, batches of 256, at most 200 epochs) and stopped by a fifth of the training episodes (patience of 20 epochs).")
		case reward.KNN:
			d.Say("Nearest neighbors predict by the mean of the nearest samples of other folds.")
		case reward.Logistic:
			d.Say("Logistic regression of classes, on standardized features, has an L2 penalty whose inverse strength is chosen from 10⁻³ to 10 by cross-validation inside the training folds.")
		}
	}
	if given := slices.Contains(d.Rows("probes", "probe"), reward.ProbeOfGiven); given {
		d.Say("Heads that were trained elsewhere stand beside them as the probe \"given\".")
	}
	d.Say("Baselines that see no latent are the mean of the other folds, the reward before, and the commonest class.")
	if d.Yes("control") {
		d.Say("Control tasks, in which linear probes are fitted on targets of other episodes, give their selectivity [@hewitt2019].")
	}
	if shares := d.Values("label-efficiency"); len(shares) > 0 {
		d.Say("Linear probes were also fitted on shares of %s of the labels.", methods.Join(shares))
	}
	if d.Yes("disentanglement") {
		d.Say("Disentanglement is measured by DCI [@eastwood2018] and the mutual information gap [@chen2018].")
	}
}

// sayScores says what is reported of probes.
func sayScores(d *methods.Draft) {
	d.Say("Reported are mean squared error and R² of regressions, the area under the ROC curve of rewards above 0 over pairs of one fold, and accuracy, balanced accuracy and macro F1 of classes; means over targets of a category stand beside them.")
	if d.Holds("gaps") {
		d.Say("Probes were fitted on true latents and evaluated on true and on predicted ones, and fitted and evaluated on predicted ones. The transfer gap is the loss on predicted less that on true latents of a probe fitted on true ones; " +
			"the published gap is the loss of a probe fitted and evaluated on predicted latents less that of one fitted and evaluated on true ones. Both are paired over samples.")
	}
}

// sayDynamics says what is measured of predicted latents.
func sayDynamics(d *methods.Draft) {
	if !d.Holds("latent_prediction") && !d.Holds("rollout") && !d.Holds("temporal_distance") {
		return
	}
	d.Section("Dynamics")
	if d.Holds("latent_prediction") {
		d.Say("Predicted next latents are compared with the true ones: mean squared error, cosine, R² by dimension, and skill, 1 less the error over that of copying the latent, and over that of the mean latent.")
	}
	if d.Holds("rollout") {
		d.Say("Open-loop predictions have the same by step, for %s steps from every state whose episode lasts so long; the horizon is the step at which the baselines become better.", d.Text("horizon"))
	}
	if pool := d.Text("decoder-pool"); pool != "" {
		d.Say("Predictors and heads were given latents pooled by %s.", pool)
	}
	if d.Holds("temporal_distance") {
		d.Say("The temporal distance is Spearman's rank correlation of latent distance with the time between two states, inside episodes.")
	}
	if strings.Contains(strings.Join(d.Rows("probes", "target"), " "), "action") {
		d.Say("The action is a target read from the latents of both states (inverse dynamics).")
	}
}
