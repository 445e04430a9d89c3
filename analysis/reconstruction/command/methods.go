// What --methods says of predicted frames.

package command

import (
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/reconstruction"
	"repscope/internal/input"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, 0)
	d.Section("Predictions")
	if d.Text("predicts") == predictsSame {
		d.Say("Predictions of the last frame of a state are compared with the true one, over %s states.", strings.Join(d.Models("samples"), " or "))
		d.Say("What needs the frame before, and comparisons with the current frame, are over the states with another before them in their episode.")
	} else {
		d.Say("Predictions of the last frame of the next state are compared with the true one, over %s states that have a successor in their episode.", strings.Join(d.Models("samples"), ", "))
	}
	if n := d.Number("samples"); n > 0 {
		d.Say("They were drawn at random, at most %s, the same for all models.", input.Thousands(int(n)))
	}
	sayPredictions(d)
	d.Say("Two predictors that learn nothing stand beside: the current frame, and the mean frame of the other episodes.")
	d.Section("Measures")
	window := "of 7 × 7 equal weights"
	if d.Text("ssim-window") == reconstruction.WindowGaussian {
		window = "of 11 × 11 Gaussian weights of standard deviation 1.5"
	}
	d.Say("Pixels are in units of the pixel range. Mean squared and absolute error, peak signal-to-noise ratio (mean over samples, and that of the mean squared error), structural similarity [@wang2004] in windows %s, and the ratio of predicted to true sharpness.", window)
	d.Say("Pixels that change by more than %s of the range to the next frame are those that move: the error is given for them and for the others, with their share and the skill, 1 less the squared error over that of the current frame.", d.Text("moving-threshold"))
	d.Say("Objects are 8-connected pixels that differ by more than %s of the range from the background of their episode, at least %s of them: recall, precision and F1 of objects, matched one to one from an intersection over union of %g on, "+
		"recall by thirds of their areas, and the distance of matched ones.", d.Text("object-threshold"), d.Text("object-area"), reconstruction.LeastOverlap)
	d.Say("Motion is the change from the current frame: the cosine of the predicted and the true one and the ratio of their energies.")
	output.Methods(d, ", with the samples that begin in it")
}

// sayPredictions says what made the predictions.
func sayPredictions(d *methods.Draft) {
	for _, name := range d.Result.Models.Keys() {
		if from := fromOf(d, name); from != "" && !slices.Contains(reconstruction.Baselines(), name) {
			d.Say("Those of %s come from %s.", name, from)
		}
	}
	if d.Text("predictions") != "" || d.Text("predicts") != predictsNext {
		what := "a prediction of its successor"
		if d.Text("predicts") == predictsSame {
			what = "a prediction of its own frame"
		}
		d.Say("Row i of given predictions is that of state i: %s.", what)
	}
	if d.Text("time-axis") == axisClip {
		d.Say("Several frames of a given prediction are one clip, of which the last counts.")
	}
	if steps := d.Number("rollout-steps"); steps > 1 {
		d.Say("Predictors were given what they made, with the recorded actions, for %g steps.", steps)
	}
	if pixels := d.Text("predictions-range"); pixels != "auto" && pixels != "" {
		d.Say("The pixel range of predictions was given (%s).", pixels)
	}
	if pool := d.Text("decoder-pool"); pool != "" {
		d.Say("Decoders and predictors were given latents pooled by %s.", pool)
	}
}

// fromOf is what made the predictions of a model, empty where that is not known.
func fromOf(d *methods.Draft, name string) string {
	part, err := d.Result.Model(name)
	if err != nil {
		return ""
	}
	from, _ := part.Get("from")
	text, _ := from.(string)
	return text
}
