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
			d.Say("Standard deviations over batches of %g samples stand beside those over samples.", n)
		}
		return
	}
	d.Say("Samples of one group depend on each other: groups with one sample of every lead time are initial times, others stretches of time.")
	if n := d.Number("batch-size"); n > 0 {
		d.Say("Standard deviations over batches of %g samples stand beside those over samples.", n)
	}
	if d.Holds("diebold_mariano") {
		d.Say("Equal accuracy over the sequence of initial times is tested by Diebold and Mariano's test [@diebold1995] where there are enough of them.")
	}
}

// sayFields says what was forecast.
func sayFields(d *methods.Draft) {
	d.Section("Data")
	for _, in := range d.Result.Inputs {
		switch in.Role {
		case "target":
			d.Say("The truth are fields of shape %s (samples, variables, height, width).", input.Shape(in.Shape))
		case "input":
			d.Say("Persistence predicts the field that a forecast begins with.")
		case "climatology":
			d.Say("Climatology is the mean of other times.")
		case "weights":
			d.Say("Cells count by given weights.")
		case "lat":
			d.Say("Cells count by the cosine of their latitude.")
		case "regions":
			d.Say("Scores of the region %s stand beside those of the whole grid.", in.Name)
		}
	}
	if members := d.Models("members"); len(members) > 0 {
		d.Say("Forecasts have %s members.", methods.Join(members))
	}
	if n := d.Number("n-samples"); n > 0 {
		d.Say("Models that were run made %g members.", n)
	}
	if names := d.Values("variables"); len(names) > 0 {
		d.Say("The variables are %s; they count alike.", methods.Join(names))
	}
	if names := d.Values("input-variables"); len(names) > 0 {
		d.Say("Those of the fields that forecasts begin with are %s.", methods.Join(names))
	}
	if d.Yes("skip-nan") {
		d.Say("Samples with NaN or an infinity were left out.")
	}
	if d.Yes("skip-members") {
		d.Say("Members with NaN or an infinity were left out; of every sample the first others were scored.")
	}
	if d.Yes("wrap") {
		d.Say("The columns of the grid go round: the last is beside the first.")
	}
	d.Say("A score is a function of means over samples, cells and variables.")
}

// sayAccuracy says what is measured of the ensemble mean.
func sayAccuracy(d *methods.Draft) {
	d.Section("Measures")
	if d.HoldsAny("mae", "mse", "rmse", "bias") {
		d.Say("Of the ensemble mean: mean absolute and squared error, its root, and bias.")
	}
	if d.Holds("vrmse") {
		d.Say("Of whole fields: the root mean squared error over the variance (vrmse) and over the mean square (nrmse) of the true field, the largest error, that of the outermost cells, and that of the field's mean.")
	}
	if d.HoldsAny("acc", "acc_centered") {
		d.Say("The anomaly correlation is that of the anomalies from climatology.")
	}
	if d.Holds("skill_scores") {
		d.Say("Skill scores are 1 less the score over that of persistence, or without it of climatology.")
	}
}

// sayProper says which proper scores, in which form.
func sayProper(d *methods.Draft) {
	form := func(option string) string {
		if d.Text(option) == forecast.EstimatorFair {
			return "in its fair form, that of infinitely many such members [@ferro2014]"
		}
		return "of the distribution of the members as it is"
	}
	if d.Holds("crps") {
		d.Say("The continuous ranked probability score [@gneiting2007] is given %s.", form("crps"))
	}
	if d.HoldsAny("energy_score", "patched_energy_score", "pairwise_energy_score", "tiled_energy_score") {
		d.Say("The energy score [@gneiting2007], %s, is that of whole fields, all variables and cells as one vector (%s).", form("energy"), strings.Join(energies(d), "; "))
	}
	if d.HoldsAny("variogram_score", "tiled_variogram_score") {
		reach := "all pairs of cells"
		if far := d.Number("max-distance"); far > 0 {
			reach = fmt.Sprintf("pairs of cells at most %g apart", far)
		}
		d.Say("The variogram score [@scheuerer2015] has the order %s, over %s.", d.Text("variogram-p"), reach)
		if d.Text("variogram") == forecast.VariogramDocumented {
			d.Say("It is that of the ensemble mean, as documented, which is not proper.")
		}
		if d.Holds("tiled_variogram_score") {
			d.Say("It is also given as the mean over tiles of %s × %s cells.", d.Text("tile"), d.Text("tile"))
		}
	}
	if d.Holds("dawid_sebastiani") {
		d.Say("The Dawid–Sebastiani score is that of mean and variance of the members [@dawid1999].")
	}
	if d.Holds("error_spread") {
		d.Say("The error-spread score [@christensen2015] sees mean, variance and skewness of the members.")
	}
}

// energies are the other forms of the energy score that there are.
func energies(d *methods.Draft) []string {
	var out []string
	if d.Holds("patched_energy_score") {
		what := "of averages over patches"
		if d.Text("patch-mode") == forecast.PatchTile {
			what = "the mean over patches"
		}
		out = append(out, fmt.Sprintf("also %s of %s × %s cells", what, d.Text("patch"), d.Text("patch")))
	}
	if d.Holds("pairwise_energy_score") {
		pairs := "of all pairs of neighboring cells"
		if n := d.Number("pairs"); n > 0 {
			pairs = fmt.Sprintf("of %g pairs of neighboring cells drawn at random", n)
		}
		out = append(out, pairs)
	}
	if d.Holds("tiled_energy_score") {
		out = append(out, fmt.Sprintf("the mean over tiles of %s × %s cells", d.Text("tile"), d.Text("tile")))
	}
	if len(out) == 0 {
		out = append(out, "all of the grid")
	}
	return out
}

// sayCalibration says how spread and probabilities are held against what happened.
func sayCalibration(d *methods.Draft) {
	if d.Holds("spread") {
		d.Say("The spread is the root of the mean variance of the members; its ratio to the root mean squared error of the mean has the factor √((S + 1)/S) of S members [@fortin2014].")
	}
	if d.HoldsAny("rank_histogram", "rank_bias") {
		d.Say("Rank histograms of the truth among the members are summed up by the sum of their deviations from flatness, and by bias and dispersion of the places of the truth.")
	}
	if d.Holds("intervals") {
		d.Say("Central intervals of the levels %s are scored by coverage, width and interval score, and together by the weighted interval score [@bracher2021].", d.List("intervals"))
	}
	if d.Holds("quantiles") {
		d.Say("Quantile scores are given at the levels %s.", d.List("quantiles"))
	}
}

// sayEvents says what events are and how they are scored.
func sayEvents(d *methods.Draft) {
	if !d.Holds("events") && !d.Holds("fss") {
		return
	}
	var of []string
	rule := "of at least"
	if d.Text("event-rule") == forecast.EventAbove {
		rule = "above"
	}
	if list := d.Values("thresholds"); len(list) > 0 {
		of = append(of, rule+" "+methods.Join(list))
	}
	if list := d.Values("event-quantiles"); len(list) > 0 {
		of = append(of, rule+" the quantile "+methods.Join(list)+" of all true values of the variable")
	}
	d.Say("Events are values %s.", strings.Join(of, ", and "))
	if d.Holds("events") {
		d.Say("The ensemble mean is scored by hits and misses (POD, FAR, CSI, ETS, HSS, SEDI); probabilities, the shares of members, by the Brier score with its parts [@murphy1973], its fair form [@ferro2014], the area under the relative operating characteristic, and isotonic recalibration (CORP) [@dimitriadis2021]; " +
			"values from the threshold on by the threshold-weighted CRPS [@gneiting2011].")
	}
	if d.Holds("fss") {
		windows := d.List("fss-windows")
		if windows == "" {
			windows = methods.Join(d.Rows("fss", "window"))
		}
		d.Say("The fractions skill score [@roberts2008] is that of windows of %s cells.", windows)
	}
}

// sayStructure says how spectra are compared.
func sayStructure(d *methods.Draft) {
	if !d.HoldsAny("log_spectral_distance", "effective_resolution") {
		return
	}
	kind := map[string]string{forecast.SpectrumDCT: "discrete cosine transforms",
		forecast.SpectrumFFT: "Fourier transforms"}[d.Text("spectrum")]
	d.Say("Radial power spectra come from %s: their logarithmic distance, the wavelength at which members fall below half of the power of the truth, and the error of the ensemble mean in three bands.", kind)
}
