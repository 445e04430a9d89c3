// What the numbers of a model are.

package reward

import (
	"math"

	"repscope/report"
)

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	inf := math.Inf(1)
	gap := func(name, about string) report.Described {
		return report.Described{Name: name, Better: report.Lower, About: about}
	}
	const transfer = "loss on predicted latents minus loss on true latents, for a probe fitted on true latents"
	const published = "loss of a probe fitted and evaluated on predicted latents, minus loss of a probe fitted and " +
		"evaluated on true latents"
	out := []report.Described{
		{Name: "probes.mse", Better: report.Lower, Unit: "squared units of the target", High: inf, About: "mean squared error of a probe"},
		{Name: "probes.nmse", Better: report.Lower, High: inf, About: "mean squared error divided by the variance " +
			"of the target: 1 − R²"},
		gap("gaps.transfer_gap", transfer), gap("gaps.published_gap", published), gap("transfer_gap", transfer), gap("published_gap", published),
	}
	for _, m := range []struct {
		name     string
		low      float64
		headline bool
		about    string
	}{
		{"r2", -inf, true, "coefficient of determination of a probe on held-out episodes"},
		{"r", -1, false, "Pearson's r of predictions of a probe with the target, on held-out episodes, inside folds"},
		{"auroc", 0, true, "area under the ROC curve of a probe for values above 0"},
		{"accuracy", 0, false, "share of samples that a probe classifies correctly"},
		{"balanced_accuracy", 0, true, "mean over classes of the recall of a probe"},
		{"f1", 0, false, "mean over classes of the F1 of a probe"},
	} {
		d := report.Described{Name: "probes." + m.name, Better: report.Higher, Low: m.low, High: 1, Headline: m.headline, About: m.about}
		out = append(out, d)
		d.Headline = false
		d.Name, d.About = "categories."+m.name, m.about+"; mean over targets of a category"
		out = append(out, d)
		d.Name, d.About = "label_efficiency."+m.name, m.about+", fitted to a share of the labels"
		out = append(out, d)
	}
	const unit = "squared units of the latents"
	for _, part := range []struct{ name, of string }{{"latent_prediction", "one-step predictions"}, {"rollout", "open-loop predictions"}} {
		out = append(out,
			report.Described{Name: part.name + ".mse", Better: report.Lower, Unit: unit, High: inf, About: "mean squared error of " + part.of},
			report.Described{Name: part.name + ".copy_mse", Unit: unit, Better: report.Neither, High: inf, About: "mean squared error of copying the current latent"},
			report.Described{Name: part.name + ".mean_mse", Unit: unit, Better: report.Neither, High: inf, About: "mean squared error of the mean latent"},
			report.Described{Name: part.name + ".cosine", Better: report.Higher, Low: -1, High: 1, About: "mean cosine between predicted and true latent, " + part.of},
			report.Described{Name: part.name + ".skill", Better: report.Higher, Low: -inf, High: 1, Headline: part.name == "latent_prediction",
				About: "1 − mse / copy_mse of " + part.of},
			report.Described{Name: part.name + ".mean_skill", Better: report.Higher, Low: -inf, High: 1, About: "1 − mse / mean_mse of " + part.of})
	}
	return append(out,
		report.Described{Name: "latent_prediction.r2", Better: report.Higher, Low: -inf, High: 1, About: "R² of " +
			"one-step predictions, over all coordinates"},
		report.Described{Name: "temporal_distance.spearman", Better: report.Higher, Low: -1, High: 1, About: "rank " +
			"correlation between distance in time and distance in latent space"},
		report.Described{Name: "rollout_horizon.copy", Better: report.Higher, Unit: "steps", High: inf, About: "number " +
			"of steps for which rollouts beat copying"},
		report.Described{Name: "rollout_horizon.mean", Better: report.Higher, Unit: "steps", High: inf, About: "number " +
			"of steps for which rollouts beat the mean latent"})
}
