// What --methods says of robustness.

package command

import (
	"fmt"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/robustness"
	"repscope/internal/input"
	"repscope/measure/corruption"
	"repscope/measure/spectrum"
	"repscope/report"
	"repscope/report/methods"
)

// changes say what becomes of a state at a level, R being the pixel range.
var changes = map[corruption.Kind]string{
	corruption.Gaussian:   "independent Gaussian noise of standard deviation σ·R was added to every pixel",
	corruption.SaltPepper: "a share σ of the pixels was set to the low or the high end of the range, each with probability ½",
	corruption.Blur: "planes were convolved with a Gaussian of standard deviation σ/4 of the shorter side of " +
		"the frame, with repeated edges",
	corruption.Brightness: "σ·R was added to or subtracted from all pixels of a state, with a random sign per state",
	corruption.Contrast:   "every pixel was moved toward the mean of its plane by a share σ",
	corruption.Occlusion: "a rectangle of σ times the area of the frame, with the same proportions and a random " +
		"position, was filled with the middle of the range",
	corruption.Shift: "the frame was shifted by σ times its side in one of four directions, drawn per state, " +
		"with repeated edges",
	corruption.JPEG: "every plane was compressed as JPEG with quality 100·(1 − σ)",
}

// changesOfVectors say what becomes of vectors at a level, R being their spread.
var changesOfVectors = map[corruption.Kind]string{
	corruption.Gaussian: "independent Gaussian noise of standard deviation σ·R was added to every value",
	corruption.SaltPepper: "a share σ of the values was set to 2R below or above the overall mean, each with " +
		"probability ½",
	corruption.Brightness: "σ·R was added to or subtracted from all values of a state, with a random sign per state",
}

// clipped say what becomes of pixels outside the range.
var clipped = map[corruption.Clip]string{
	corruption.ClipRange:   "Pixels outside the range were clipped.",
	corruption.ClipNone:    "Pixels outside the range were kept.",
	corruption.ClipReflect: "Pixels outside the range were reflected at its ends.",
}

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, input.Analyzed(d, "levels", "samples"))
	d.Section("Measures")
	kind := corruption.Kind(d.Text("corruption"))
	const how = "Robustness was measured by the displacement of latents under corruption of the states, as in " +
		"common-corruption benchmarks [@hendrycks2019]. At the levels σ = %s, %s (R: %s)."
	perturbation := "the pixels after clipping"
	if unit, ok := d.Extra("noise_unit"); ok {
		d.Say(how, d.List("levels"), changesOfVectors[kind], unitOfVectors(unit, d.Text("noise-unit")))
		perturbation = "the states"
	} else {
		d.Say(how, d.List("levels"), changes[kind], "the pixel range")
		if kind != corruption.JPEG {
			d.Say("%s", clipped[corruption.Clip(d.Text("clip"))])
		}
	}
	if draws := d.Number("draws"); draws > 1 {
		d.Say("Each state was corrupted %g times at each level.", draws)
	}
	d.Say("All models received the same corrupted states.")
	if d.Text("latent-scale") == string(spectrum.ScaleL2) {
		d.Say("Latents were divided by their Euclidean norm.")
	}
	d.Say("At each level, the distance between the latents of a state before and after corruption was summarized "+
		"by mean, standard deviation, median and extremes. The mean and the root mean square are also reported "+
		"relative to the root mean square distance between two random clean states, √(2·tr C), with the covariance "+
		"C of the clean latents. The flip rate is the share of corrupted latents that are strictly nearer to the "+
		"clean latent of another state than to their own. The cosine is the mean cosine similarity between both "+
		"latents. The input perturbation is the mean Euclidean distance between %s. Over the levels, the area "+
		"under the relative mean (trapezoidal rule, divided by the range of levels) and its least-squares slope "+
		"against σ are reported.", perturbation)
	output.MethodsOfSpread(d)
	output.Methods(d, "")
	if output.Blocks(d) == "" {
		return
	}
	ofUnit := ""
	if _, ok := d.Extra("noise_unit"); ok && kind.OfRange() {
		ofUnit = "The intervals also include the error of R, propagated by the power of the level that each number " +
			"follows. "
	}
	d.Say("Intervals of relative distances include the error of the root mean square distance. %sThe interval of "+
		"the median follows Woodruff [@woodruff1952]. Intervals of flip rates follow Korn and Graubard for shares "+
		"of dependent observations [@korn1998].", ofUnit)
	if level, ok := comparedLevel(d); ok {
		d.Say("Models were compared by the relative mean at every level, by the other numbers at σ = %s, and by "+
			"area and slope.", level)
	}
}

// unitOfVectors names the unit of levels of vectors and its value.
func unitOfVectors(unit report.Object, kind string) string {
	name := "the standard deviation of the states pooled over their values"
	if kind == string(robustness.SpreadMAD) {
		name = "1.4826 times the median over states of the median absolute deviation of their values from the medians of all"
	}
	value, _ := unit.Get("value")
	return fmt.Sprintf("%s, %v", name, value)
}

// comparedLevel is the level at which models are compared by all numbers.
func comparedLevel(d *methods.Draft) (string, bool) {
	for _, c := range d.Result.Comparisons {
		if level, ok := strings.CutPrefix(c.Metric, "flip_rate at "); ok {
			return level, true
		}
	}
	return "", false
}
