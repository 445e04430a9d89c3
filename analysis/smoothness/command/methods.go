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
	d.Say("Smoothness relates the Euclidean distance of last frames to the distance of latents, over %s pairs of "+
		"%s within an episode.", strings.Join(d.Models("pairs"), ", "), apart)
	if n := d.Number("samples"); n > 0 {
		d.Say(
			"At most %s pairs of each horizon were drawn at random, the same for all models.", input.Thousands(int(n)))
	}
	switch spectrum.Scale(d.Text("latent-scale")) {
	case spectrum.ScaleRMS:
		d.Say("Latent distances were divided by the root mean square distance between two random states, √(2·tr " +
			"C), with the covariance C of the model's latents. The raw relation is also reported.")
	case spectrum.ScaleL2:
		d.Say("Latents were divided by their Euclidean norm before distances were computed. The raw relation is " +
			"also reported.")
	default:
		d.Say("Latent distances are in units of the latents.")
	}
	d.Say("The reported numbers are the least-squares line of latent distance on pixel distance (slope, intercept, " +
		"correlation r, r²), Spearman's rank correlation, and the Theil–Sen slope (the median slope over pairs of " +
		"points) [@sen1968]. The ratio of latent to pixel distance was summarized (mean, standard deviation, " +
		"median, 95th and 99th percentile, maximum) over the pairs with frames that differ by more than 10⁻⁶ of " +
		"the pixel range.")
	if d.Holds("leverage.without.slope") {
		d.Say("Pairs with a pixel distance more than √10 standard deviations from the mean have half of its " +
			"variance or more and determine the line. The relation of the other pairs is therefore also reported. " +
			"Comparisons of slopes and r² have no p value if the other pairs do not confirm them, or if the " +
			"Theil–Sen slope or the rank correlation contradicts them.")
	}
	if len(horizons) > 1 {
		d.Say("Models were compared, and pairs counted, at the smallest horizon.")
	}
	output.MethodsOfSpread(d)
	output.Methods(d, ", with the pairs that start in it, and the statistics were computed without it")
	if output.Blocks(d) == "" {
		return
	}
	if d.Text("latent-scale") == string(spectrum.ScaleRMS) {
		d.Say("The intervals include the error of the root mean square distance.")
	}
	d.Say("Intervals of quantiles follow Woodruff [@woodruff1952]: the interval of the share below the quantile, " +
		"mapped to the ratios.")
	d.Say("Intervals of correlations use Fisher's z scale; the interval of r² follows from the interval of r. The " +
		"p value and standard error under independent errors are reported separately; they are too small for " +
		"consecutive frames.")
}
