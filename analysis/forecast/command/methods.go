// What --methods says of forecasts.

package command

import (
	"fmt"
	"strings"

	"repscope/analysis/forecast"
	"repscope/analysis/internal/output"
	"repscope/internal/input"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	sayFields(d)
	sayAccuracy(d)
	sayProper(d)
	sayCalibration(d)
	sayEvents(d)
	sayStructure(d)
	output.Methods(d, "")
	if output.Blocks(d) == "" {
		if n := d.Number("batch-size"); n > 0 {
			d.Section("Uncertainty")
			d.Say("Standard deviations are reported over samples and over batches of %g samples.", n)
		}
		return
	}
	d.Say("Samples of one group were treated as dependent: groups with one sample of every lead time are initial " +
		"times, other groups are periods of time.")
	if n := d.Number("batch-size"); n > 0 {
		d.Say("Standard deviations are reported over samples and over batches of %g samples.", n)
	}
	if d.Holds("diebold_mariano") {
		d.Say("Given enough initial times, equal accuracy over their sequence was tested with the Diebold–Mariano " +
			"test [@diebold1995].")
	}
}

// sayFields describes the forecast fields.
func sayFields(d *methods.Draft) {
	d.Section("Data")
	for _, in := range d.Result.Inputs {
		switch in.Role {
		case "target":
			d.Say(
				"The target consists of fields of shape %s (samples, variables, height, width).", input.Shape(in.Shape))
		case "input":
			d.Say("Persistence predicts the initial field of the forecast.")
		case "climatology":
			d.Say("Climatology is the mean over other times.")
		case "weights":
			d.Say("Cells were weighted by user-defined weights.")
		case "lat":
			d.Say("Cells were weighted by the cosine of their latitude.")
		case "regions":
			d.Say("Scores are reported for the whole grid and for the region %s.", in.Name)
		}
	}
	if members := d.Models("members"); len(members) > 0 {
		d.Say("The forecasts have %s members.", methods.Join(members))
	}
	if n := d.Number("n-samples"); n > 0 {
		d.Say("Models generated %g members per sample.", n)
	}
	if names := d.Values("variables"); len(names) > 0 {
		d.Say("The variables are %s, with equal weight.", methods.Join(names))
	}
	if names := d.Values("input-variables"); len(names) > 0 {
		d.Say("The variables of the initial fields are %s.", methods.Join(names))
	}
	if d.Yes("skip-nan") {
		d.Say("Samples with NaN or infinite values were left out.")
	}
	if d.Yes("skip-members") {
		d.Say(
			"Members with NaN or infinite values were left out; the first finite members of every sample were scored.")
	}
	if d.Yes("wrap") {
		d.Say("The grid was treated as periodic along its columns.")
	}
	d.Say("Each score is a function of means over samples, cells and variables.")
}

// sayAccuracy describes the scores of the ensemble mean.
func sayAccuracy(d *methods.Draft) {
	d.Section("Measures")
	if d.HoldsAny("mae", "mse", "rmse", "bias") {
		d.Say("The ensemble mean was scored by mean absolute error, mean squared error, its root, and bias.")
	}
	if d.Holds("vrmse") {
		d.Say("Whole fields were scored by the root mean squared error relative to the variance (vrmse) and to the " +
			"mean square (nrmse) of the true field, by the largest error, by the error of the cells on the border, " +
			"and by the error of the field mean.")
	}
	if d.HoldsAny("acc", "acc_centered") {
		d.Say("The anomaly correlation is the correlation of anomalies relative to climatology.")
	}
	if d.Holds("skill_scores") {
		d.Say("Skill scores are 1 − score/score of the reference, which is persistence, or climatology where there " +
			"is no persistence.")
	}
}

// sayProper says which proper scores, in which form.
func sayProper(d *methods.Draft) {
	form := func(option string) string {
		if d.Text(option) == forecast.EstimatorFair {
			return "in its fair form, corrected to an infinite ensemble [@ferro2014]"
		}
		return "in its biased form, for the empirical distribution of the members"
	}
	if d.Holds("crps") {
		d.Say("The continuous ranked probability score [@gneiting2007] was computed %s.", form("crps"))
	}
	if d.HoldsAny("energy_score", "patched_energy_score", "pairwise_energy_score", "tiled_energy_score") {
		d.Say("The energy score [@gneiting2007] was computed %s, with all variables and cells of a field as one "+
			"vector (%s).", form("energy"), strings.Join(energies(d), "; "))
	}
	if d.HoldsAny("variogram_score", "tiled_variogram_score") {
		reach := "all pairs of cells"
		if far := d.Number("max-distance"); far > 0 {
			reach = fmt.Sprintf("pairs of cells at most %g apart", far)
		}
		d.Say("The variogram score [@scheuerer2015] was computed with order %s over %s.", d.Text("variogram-p"), reach)
		if d.Text("variogram") == forecast.VariogramDocumented {
			d.Say("It was computed for the ensemble mean, as in the documented definition, which is not proper.")
		}
		if d.Holds("tiled_variogram_score") {
			d.Say("Its mean over tiles of %s × %s cells is also reported.", d.Text("tile"), d.Text("tile"))
		}
	}
	if d.Holds("dawid_sebastiani") {
		d.Say("The Dawid–Sebastiani score [@dawid1999] uses the mean and variance of the members.")
	}
	if d.Holds("error_spread") {
		d.Say("The error-spread score [@christensen2015] uses the mean, variance and skewness of the members.")
	}
}

// energies are the other forms of the energy score that there are.
func energies(d *methods.Draft) []string {
	var out []string
	if d.Holds("patched_energy_score") {
		what := "for averages over patches"
		if d.Text("patch-mode") == forecast.PatchTile {
			what = "as the mean over patches"
		}
		out = append(out, fmt.Sprintf("also %s of %s × %s cells", what, d.Text("patch"), d.Text("patch")))
	}
	if d.Holds("pairwise_energy_score") {
		pairs := "for all pairs of neighboring cells"
		if n := d.Number("pairs"); n > 0 {
			pairs = fmt.Sprintf("for %g pairs of neighboring cells drawn at random", n)
		}
		out = append(out, pairs)
	}
	if d.Holds("tiled_energy_score") {
		out = append(out, fmt.Sprintf("as the mean over tiles of %s × %s cells", d.Text("tile"), d.Text("tile")))
	}
	if len(out) == 0 {
		out = append(out, "whole grid")
	}
	return out
}

// sayCalibration says how spread and probabilities are held against what happened.
func sayCalibration(d *methods.Draft) {
	if d.Holds("spread") {
		d.Say("The spread is the square root of the mean variance of the members; its ratio to the root mean " +
			"squared error of the mean includes the factor √((S + 1)/S) for S members [@fortin2014].")
	}
	if d.HoldsAny("rank_histogram", "rank_bias") {
		d.Say("Rank histograms of the truth among the members are summarized by their total deviation from " +
			"flatness and by the bias and dispersion of the ranks.")
	}
	if d.Holds("intervals") {
		d.Say("Central intervals of the levels %s were scored by coverage, width and interval score, and jointly "+
			"by the weighted interval score [@bracher2021].", d.List("intervals"))
	}
	if d.Holds("quantiles") {
		d.Say("Quantile scores were computed at the levels %s.", d.List("quantiles"))
	}
}

// sayEvents says what events are and how they are scored.
func sayEvents(d *methods.Draft) {
	if !d.Holds("events") && !d.Holds("fss") {
		return
	}
	var rules []string
	rule := "of at least"
	if d.Text("event-rule") == forecast.EventAbove {
		rule = "above"
	}
	if list := d.Values("thresholds"); len(list) > 0 {
		rules = append(rules, rule+" "+methods.Join(list))
	}
	if list := d.Values("event-quantiles"); len(list) > 0 {
		rules = append(rules, rule+" the quantile "+methods.Join(list)+" of all true values of the variable")
	}
	d.Say("Events are values %s.", strings.Join(rules, ", and "))
	if d.Holds("events") {
		d.Say("The ensemble mean was scored by hits and misses (POD, FAR, CSI, ETS, HSS, SEDI). Event " +
			"probabilities, the shares of members, were scored by the Brier score with its decomposition " +
			"[@murphy1973], its fair form [@ferro2014], the area under the relative operating characteristic, and " +
			"isotonic recalibration (CORP) [@dimitriadis2021]. Values above the threshold were scored by the " +
			"threshold-weighted CRPS [@gneiting2011].")
	}
	if d.Holds("fss") {
		windows := d.List("fss-windows")
		if windows == "" {
			windows = methods.Join(d.Rows("fss", "window"))
		}
		d.Say("The fractions skill score [@roberts2008] was computed in windows with sides of %s cells.", windows)
	}
}

// sayStructure says how spectra are compared.
func sayStructure(d *methods.Draft) {
	if !d.HoldsAny("log_spectral_distance", "effective_resolution") {
		return
	}
	kind := map[string]string{forecast.SpectrumDCT: "discrete cosine transforms",
		forecast.SpectrumFFT: "Fourier transforms"}[d.Text("spectrum")]
	d.Say("Radial power spectra were computed by %s and compared by their logarithmic distance, by the wavelength "+
		"at which members fall below half the power of the truth, and by the error of the ensemble mean in three "+
		"bands.", kind)
}
