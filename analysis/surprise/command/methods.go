// What --methods says of surprise.

package command

import (
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/surprise"
	"repscope/internal/input"
	"repscope/measure/spectrum"
	"repscope/report"
	"repscope/report/methods"
)

// made says how each violation was made; sizes are s.
var made = map[string]string{
	"teleport": "the moving patch was moved by s times the shorter side of the frame",
	"recolor":  "the values of the moving patch were changed by s times the pixel range",
	"vanish":   "the moving patch was faded into the median frame of the episode by s",
	"appear":   "a copy of the moving patch was drawn elsewhere with opacity s",
	"freeze":   "the last frame was repeated s times",
	"skip":     "s frames were left out",
	"reverse":  "time ran back by s frames at a step",
	"swap":     "another episode went on with opacity s",
	"gravity":  "the patch was moved against its displacement by 2s times the displacement",
	"shuffle":  "the next s frames were put in another order",
}

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	elsewhere := slices.ContainsFunc(d.Result.Inputs, func(in report.Input) bool { return in.Role == "errors" })
	if !elsewhere {
		input.Methods(d, 0)
	}
	d.Section("Surprise")
	if elsewhere {
		d.Say("Errors of transitions were computed elsewhere. Each violated episode was compared with the " +
			"untouched episode of its pair.")
	} else {
		sayViolations(d)
	}
	d.Say("The conformal p value of a transition is the mean, over the untouched other episodes and its own, of " +
		"the share of errors that are at least as large [@vovk2005; @dunn2023]: of exchangeable episodes at most " +
		"a share a of untouched transitions has p ≤ a.")
	if d.Text("condition") == surprise.Phase {
		d.Say("Errors were compared with errors of the same step of other episodes.")
	}
	d.Say("The AUROC of a violation is the probability that an impossible transition has a larger error than a " +
		"transition of the same stretch of the untouched episode, averaged over episodes, as in tests of violated " +
		"expectations [@riochet2022]. Detection is the share of impossible transitions with p of at most 0.01 and " +
		"0.001.")
	d.Say("An episode is noticed if p ≤ 0.01 at one of %g transitions from the violation on.", d.Number("horizon"))
	d.Say("The alarm, which may be watched at every step, has a level of 1 %% per episode [@ville1939; " +
		"@vovk2003]: with at least 100 untouched episodes it compares whole episodes, otherwise the innovations " +
		"of an episode, around the mean course of the others, with its own earlier ones.")
	output.Methods(d, ", and numbers and p values were computed without it")
}

// sayViolations names the violations and predictors.
func sayViolations(d *methods.Draft) {
	when := d.Text("at")
	if when == "random" || when == "" {
		d.Say("In each episode %g moments were drawn. From there on the episode was violated, and compared with "+
			"the untouched episode.", d.Number("draws"))
	} else {
		d.Say("Each episode was violated at its state %s, and compared with the untouched episode.", when)
	}
	for _, kind := range d.Values("violations") {
		if how, ok := made[kind]; ok {
			d.Say("%s: %s.", kind, how)
		}
	}
	if sizes := d.List("sizes"); sizes != "" {
		d.Say("The sizes s were %s.", sizes)
	}
	d.Say("The moving patch is the largest object of at least %g pixels that differs by more than %g of the pixel "+
		"range from the median frame of the episode and from the frame before.",
		d.Number("object-area"), d.Number("object-threshold"))
	d.Say("The error of a transition is the distance between the predicted and the true next latent%s.",
		unitOf(d.Text("latent-scale")))
	input.SayHeadPool(d, "Predictors")
	if baselines := d.List("predict-by"); baselines != "" {
		d.Say("Models without learning on the latents of each model: %s.", baselines)
	}
}

// unitOf says in what unit errors are.
func unitOf(scale string) string {
	switch scale {
	case string(spectrum.ScaleL2):
		return ", both divided by their norms"
	case string(spectrum.ScaleRaw):
		return ""
	}
	return ", divided by the root mean square distance of two random states"
}
