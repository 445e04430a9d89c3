// What --methods says of an audit.

package command

import (
	"slices"

	"repscope/analysis/internal/output"
	"repscope/internal/input"
	"repscope/report"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	d.Section("Independence of the test set")
	has := func(role string) bool {
		return slices.ContainsFunc(d.Result.Inputs, func(in report.Input) bool { return in.Role == role })
	}
	if slices.ContainsFunc(d.Result.Inputs, func(in report.Input) bool { return in.Kind == "sequences" }) {
		d.Say("Sequences were compared by their identity: the equal pairs of the global alignment with the fewest edits, "+
			"over the length of "+
			"the shorter sequence. A test sequence is too near if a training sequence has an identity of at least "+
			"%g.", d.Number("identity"))
		output.Methods(d, ", and shares and scores were computed without it")
		return
	}
	d.Say("The distance of each test state to its nearest training state was computed exactly, over all values " +
		"[@barz2020].")
	if t := d.Number("tolerance"); t > 0 {
		d.Say("States with a root mean squared difference of at most %g of the range of values count as duplicates.", t)
	} else {
		d.Say("Equal states count as duplicates.")
	}
	d.Say("A test state is too near if its nearest training state is nearer than a threshold: at most %g %% of the "+
		"training states have a "+
		"training state of another episode nearer than that, as in conformal prediction "+
		"[@bates2023].", 100*d.Number("false-alarm"))
	d.Say("At most %s training states, of whole episodes, gave the threshold.",
		input.Thousands(int(d.Number("references"))))
	if n := d.Number("permutations"); n > 0 {
		d.Say("The drift between parts is the energy distance [@szekely2013], with p values from %g exchanges of whole "+
			"episodes.", n)
	}
	if part := d.Text("train-part"); part != "" {
		d.Say("The part %s is the training set.", part)
	}
	if way := d.Text("repair"); way == "move" {
		d.Say("A new split gives whole episodes with leaking states to the training set.")
	}
	if has("scores") || has("targets") && has("latents") {
		d.Say("Scores were computed on all test states and on those without a duplicate or a training state too near.")
	}
	if has("targets") && has("latents") {
		d.Say("Targets were predicted by linear probes of standardized latents: multinomial logistic regression or ridge " +
			"regression, with the " +
			"penalty chosen by grouped folds of the training states. For the second score the probes were fitted without the " +
			"training states that " +
			"are too near to test states. The retrieval score copies the target of the nearest training state [@barz2020].")
	}
	output.Methods(d, ", and shares and scores were computed without it")
}
