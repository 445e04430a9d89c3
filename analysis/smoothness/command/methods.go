// What --methods says of smoothness.

package command

import (
	"strings"

	"repscope/analysis/internal/output"
	"repscope/internal/input"
	"repscope/measure/spectrum"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	input.Methods(d, 0)
	d.Section("Measures")
	horizons := d.Values("horizons")
	apart := "consecutive states"
	if strings.Join(horizons, ",") != "1" {
		apart = "states " + methods.Join(horizons) + " frames apart"
	}
	d.Say("Smoothness relates, over %s pairs of %s within an episode, the Euclidean distance of their last frames to that of their latents.", strings.Join(d.Models("pairs"), ", "), apart)
	if n := d.Number("samples"); n > 0 {
		d.Say("The pairs of a horizon were drawn at random, at most %s, the same for all models.", input.Thousands(int(n)))
	}
	switch spectrum.Scale(d.Text("latent-scale")) {
	case spectrum.ScaleRMS:
		d.Say("Latent distances were divided by the root mean square distance of two random states, √(2·tr C) with C the covariance of the model's latents; the raw relation stands beside.")
	case spectrum.ScaleL2:
		d.Say("Latents were divided by their Euclidean norm before distances were taken; the raw relation stands beside.")
	default:
		d.Say("Latent distances are in units of the latents.")
	}
	d.Say("Reported are the least-squares line of latent on pixel distance (slope, intercept, correlation r, r²), Spearman's rank correlation, the Theil–Sen slope " +
		"(the median slope of pairs of points) [@sen1968], and the distribution of the ratio of latent to pixel distance (mean, standard deviation, median, 95th and 99th percentile, maximum) over the pairs " +
		"whose frames differ by more than 10⁻⁶ of the pixel range.")
	if d.Holds("leverage.without.slope") {
		d.Say("Pairs whose pixel distance is more than √10 standard deviations from the mean hold half of its variance or more, so that they decide the line: the relation of the other pairs is given beside. " +
			"Comparisons of slopes and r² that the other pairs do not confirm, or that the Theil–Sen slope or the rank correlation contradicts, have no p value.")
	}
	if len(horizons) > 1 {
		d.Say("Models are compared, and pairs counted, at the smallest horizon.")
	}
	output.MethodsOfSpread(d)
	output.Methods(d, ", with the pairs that begin in it, and the statistics were computed without it")
	if output.Blocks(d) == "" {
		return
	}
	if d.Text("latent-scale") == string(spectrum.ScaleRMS) {
		d.Say("The error of the root mean square distance is part of the intervals.")
	}
	d.Say("Intervals of quantiles are Woodruff's [@woodruff1952]: those of the share below, read back on the ratios.")
	d.Say("Intervals of correlations are on Fisher's scale, and that of r² follows from that of r. The p value and standard error of independent errors are given under names of their own and are too small for consecutive frames.")
}
