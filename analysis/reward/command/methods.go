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
		d.Say("Latents were divided by the root mean square distance between two random states.")
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
		d.Say("Linear probes and nearest neighbors were refitted without each block, so that their intervals " +
			"include the influence of the training episodes and of the choice of the penalty. Intervals of networks " +
			"come from the differences between folds, with the correction for shared training samples [@nadeau2003].")
	}
}

// sayTargets describes the targets and the latents they are read from.
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
		d.Say("Classified: %s; classes whose entropy is below %s nats were left out.",
			methods.Join(classified), d.Text("min-entropy"))
	}
	if list := d.Text("regress"); list != "" {
		d.Say("Integer quantities (%s) were regressed.", list)
	}
	switch d.Text("probe-features") {
	case reward.FeaturesNext:
		d.Say("A target of a transition was predicted from the latent of its second state, any other target from " +
			"the latent of its state.")
	case reward.FeaturesCurrent:
		d.Say("Targets were predicted from the joint latents of a state and its successor or predecessor.")
	default:
		d.Say("A target of a transition, such as a reward, was predicted from the latents of both its states, any " +
			"other target from the latent of its state.")
	}
	observations, _ := d.Extra("observations")
	number := func(key string) string { v, _ := observations.Get(key); return fmt.Sprint(v) }
	d.Say("The %s samples of %s episodes (or pieces of one episode) were divided into %s folds of whole episodes "+
		"(%s requested). Every sample was predicted by a probe fitted on the other folds.",
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
			alpha := "the strength with the smallest error in grouped cross-validation inside the training folds, " +
				"among 64 values from 10⁻⁴ to 10⁴"
			if a := d.Number("alpha"); a > 0 {
				alpha = fmt.Sprintf("the strength %g", a)
			}
			d.Say("The ridge probe [@hoerl1970] has %s.", alpha)
		case reward.MLP:
			d.Say("The network has one hidden layer of 128 rectified linear units. It was trained with Adam " +
				"[@kingma2015] (step size 10⁻³, batches of 256, at most 200 epochs) and early stopping on a fifth " +
				"of the training episodes (patience of 20 epochs).")
		case reward.KNN:
			d.Say("The nearest-neighbor probe predicts the mean of the nearest samples of other folds.")
		case reward.Logistic:
			d.Say("Logistic regression of classes, on standardized features, has an L2 penalty whose inverse strength is chosen from 10⁻³ to 10 by cross-validation inside the training folds.")
		}
	}
	if given := slices.Contains(d.Rows("probes", "probe"), reward.ProbeOfGiven); given {
		d.Say("Heads trained elsewhere are reported as the probe \"given\".")
	}
	d.Say(
		"Baselines without latents are the mean of the other folds, the previous reward, and the most frequent class.")
	if d.Yes("control") {
		d.Say("Control tasks, in which linear probes are fitted to targets of other episodes, determine their " +
			"selectivity [@hewitt2019].")
	}
	if shares := d.Values("label-efficiency"); len(shares) > 0 {
		d.Say("Linear probes were also fitted on shares of %s of the labels.", methods.Join(shares))
	}
	if d.Yes("disentanglement") {
		d.Say("Disentanglement is measured by DCI [@eastwood2018] and the mutual information gap [@chen2018].")
	}
}

// sayScores describes the reported scores of probes.
func sayScores(d *methods.Draft) {
	d.Say("Regressions were scored by mean squared error, R² and Pearson's r inside folds, rewards above 0 by the " +
		"area under the ROC curve " +
		"over pairs within a fold, and classes by accuracy, balanced accuracy and macro F1. Means over targets of " +
		"a category are also reported.")
	if d.Holds("gaps") {
		d.Say("Probes were fitted on true latents and evaluated on true and on predicted latents, and also fitted " +
			"and evaluated on predicted latents. The transfer gap is the loss on predicted latents minus the loss " +
			"on true latents, for a probe fitted on true latents. The published gap is the loss of a probe fitted " +
			"and evaluated on predicted latents, minus the loss of a probe fitted and evaluated on true latents. " +
			"Both are paired over samples.")
	}
}

// sayDynamics describes the measurements of predicted latents.
func sayDynamics(d *methods.Draft) {
	if !d.Holds("latent_prediction") && !d.Holds("rollout") && !d.Holds("temporal_distance") {
		return
	}
	d.Section("Dynamics")
	if d.Holds("latent_prediction") {
		d.Say("Predicted next latents were compared with true latents by mean squared error, cosine, R² by " +
			"dimension, and skill: 1 minus the error divided by the error of copying the latent, or of the mean " +
			"latent.")
	}
	if d.Holds("rollout") {
		d.Say("Open-loop predictions were scored in the same way by step, for %s steps from every state with "+
			"enough successors. The horizon is the step at which the baselines become better.", d.Text("horizon"))
	}
	input.SayHeadPool(d, "Predictors and heads")
	if d.Holds("temporal_distance") {
		d.Say("The temporal distance is Spearman's rank correlation between latent distance and the time between " +
			"two states of an episode.")
	}
	if strings.Contains(strings.Join(d.Rows("probes", "target"), " "), "action") {
		d.Say("The action is a target predicted from the latents of both states (inverse dynamics).")
	}
}
