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
		d.Say("Predictions of the last frame of a state were compared with the true frame over %s "+
			"states.", strings.Join(d.Models("samples"), " or "))
		d.Say("Measures that need the previous frame, and comparisons with it, cover the states with a predecessor " +
			"in their episode.")
	} else {
		d.Say("Predictions of the last frame of the next state were compared with the true frame over %s states "+
			"with a successor in their episode.", strings.Join(d.Models("samples"), ", "))
	}
	if n := d.Number("samples"); n > 0 {
		d.Say("At most %s states were drawn at random, the same for all models.", input.Thousands(int(n)))
	}
	sayPredictions(d)
	d.Say("Two baselines need no training: the current frame, and the mean frame of the other episodes.")
	d.Section("Measures")
	window := "of 7 × 7 pixels with equal weights"
	if d.Text("ssim-window") == reconstruction.WindowGaussian {
		window = "of 11 × 11 pixels with Gaussian weights (standard deviation 1.5)"
	}
	d.Say("Pixels are in units of the pixel range. The measures are mean squared and absolute error, peak "+
		"signal-to-noise ratio (mean over samples, and from the mean squared error), structural similarity "+
		"[@wang2004] in windows %s, and the ratio of predicted to true sharpness.", window)
	d.Say("Pixels that change by more than %s of the range to the next frame count as moving. Errors are reported "+
		"for moving and static pixels, with the share of moving pixels. The skill is 1 minus the squared error "+
		"divided by the squared error of the current frame.", d.Text("moving-threshold"))
	d.Say("Objects are 8-connected components that differ by more than %s of the range from the background of "+
		"their episode and have at least %s pixels. Objects were matched one to one at an intersection over union "+
		"of at least %g and scored by recall, precision, F1, recall by thirds of area, and the distance of matched "+
		"objects.", d.Text("object-threshold"), d.Text("object-area"), reconstruction.LeastOverlap)
	d.Say("Motion, the change from the current frame, was scored by the cosine between predicted and true change " +
		"and by the ratio of their energies.")
	output.Methods(d, ", with the samples that start in it")
}

// sayPredictions says what made the predictions.
func sayPredictions(d *methods.Draft) {
	for _, name := range d.Result.Models.Keys() {
		if from := fromOf(d, name); from != "" && !slices.Contains(reconstruction.Baselines(), name) {
			d.Say("Predictions of %s come from %s.", name, from)
		}
	}
	if d.Text("predictions") != "" || d.Text("predicts") != predictsNext {
		what := "a prediction of its successor"
		if d.Text("predicts") == predictsSame {
			what = "a prediction of its own frame"
		}
		d.Say("Row i of the precomputed predictions belongs to state i: %s.", what)
	}
	if d.Text("time-axis") == axisClip {
		d.Say("Several frames of a precomputed prediction form one clip, with the last frame scored.")
	}
	if steps := d.Number("rollout-steps"); steps > 1 {
		d.Say("Predictors were rolled out over %g steps on their own predictions, with the recorded actions.", steps)
	}
	if pixels := d.Text("predictions-range"); pixels != "auto" && pixels != "" {
		d.Say("The pixel range of predictions was set (%s).", pixels)
	}
	input.SayHeadPool(d, "Decoders and predictors")
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
