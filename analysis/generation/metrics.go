// What the numbers of a generator are.

package generation

import (
	"math"

	"repscope/report"
)

// Described describes the numbers of a generator that a metric makes, in the order of the result file; the numbers of
// all metrics where it is empty.
func Described(metric string) []report.Described {
	share := func(name, about string) report.Described {
		return report.Described{Name: name, Better: report.Higher, High: 1, About: about}
	}
	distance := func(name, about, cite string) report.Described {
		return report.Described{Name: name, Better: report.Lower, About: about, Cite: cite}
	}
	headline := func(d report.Described) report.Described {
		d.Headline = true
		return d
	}
	inf := math.Inf(1)
	var out []report.Described
	for _, group := range []struct {
		metric  string
		numbers []report.Described
	}{
		{"reconstruction", []report.Described{
			headline(share("reconstruction.mean_iou",
				"mean over samples of the intersection over union of reconstructed and true cells")),
			share("reconstruction.median_iou",
				"median over samples of the intersection over union of reconstructed and true cells"),
			share("reconstruction.exact_share", "share of samples reconstructed without errors"),
			share("per_channel_iou.start", "intersection over union in the channel of start holds"),
			share("per_channel_iou.middle", "intersection over union in the channel of middle holds"),
			share("per_channel_iou.end", "intersection over union in the channel of end holds"),
		}},
		{"diversity", []report.Described{
			{Name: "diversity.overall_mean_diversity", Better: report.Higher, Unit: "share of cells", High: 1,
				About: "mean Hamming distance between two samples of the same label"},
			headline(share("diversity.overall_uniqueness_ratio", "share of distinct samples within their label")),
			{Name: "diversity.pooled_uniqueness_ratio", Better: report.Higher, About: "share of distinct samples " +
				"among all samples"},
			share("diversity.mean_jaccard_distance", "mean Jaccard distance between two samples of the same label"),
			{Name: "diversity.diversity_of_ceiling", Better: report.Higher, High: inf,
				About: "mean Hamming distance divided by the largest possible for the sizes of the samples"},
			share("diversity.validity_rate", "share of samples that are valid"),
			share("diversity.novelty", "share of samples that do not occur among the real samples"),
			share("diversity.valid_unique_novel", "share of samples that are valid, unique and novel"),
			{Name: "diversity.mean_nearest_jaccard", Better: report.Neither, High: 1,
				About: "mean Jaccard similarity of a sample to its nearest real sample"},
			{Name: "diversity.co_occurrence_distance", Better: report.Neither, High: inf,
				About: "distance between the co-occurrence matrices of cells in generated and real samples"},
		}},
		{"similarity", []report.Described{
			{Name: "similarity.overall_mean_distance", Better: report.Lower, High: inf,
				About: "mean over statistics and labels of the Wasserstein distance between generated and real " +
					"samples"},
			{Name: "similarity.overall_mean_distance_scaled", Better: report.Lower, Unit: "SD", High: inf,
				About: "the same in units of each statistic's standard deviation"},
		}},
		{"clusters", []report.Described{
			{Name: "clusters.silhouette_score", Better: report.Higher, Low: -1, High: 1, Cite: "rousseeuw1987",
				About: "mean silhouette of the latents, grouped by label"},
			share("clusters.neighbor_accuracy", "share of latents with the majority label of their neighbors"),
			share("clusters.neighbor_purity", "mean share of neighbors with the same label"),
			{Name: "clusters.label_spearman", Better: report.Higher, Low: -1, High: 1,
				About: "rank correlation between labels and their cross-validated ridge predictions"},
			{Name: "clusters.grade_separation_scaled", Better: report.Higher,
				About: "distance between the means of neighboring labels divided by the spread within labels"},
			{Name: "clusters.davies_bouldin", Better: report.Lower, High: inf, Cite: "davies1979",
				About: "Davies–Bouldin index of the latents, grouped by label"},
		}},
		{"conditioning", []report.Described{
			headline(share("conditioning.exact_accuracy",
				"share of samples that the classifier assigns to the requested label")),
			share("conditioning.within_one_accuracy",
				"share of samples classified within one label of the requested label"),
			share("conditioning.within_two_accuracy",
				"share of samples classified within two labels of the requested label"),
			share("conditioning.macro_exact_accuracy", "mean over labels of the exact accuracy"),
			share("conditioning.macro_within_one_accuracy", "mean over labels of the accuracy within one label"),
			share("conditioning.macro_within_two_accuracy", "mean over labels of the accuracy within two labels"),
			{Name: "conditioning.quadratic_weighted_kappa", Better: report.Higher, Low: -1, High: 1,
				About: "chance-corrected agreement of requested and classified label, with quadratic weights"},
			{Name: "conditioning.mean_absolute_error", Better: report.Lower, Unit: "labels", High: inf,
				About: "mean absolute difference between requested and classified label"},
		}},
		{"fidelity", []report.Described{
			{Name: "fidelity.precision", Better: report.Higher, High: 1, Cite: "kynkaanniemi2019",
				About: "share of generated samples within the neighborhoods of real samples"},
			{Name: "fidelity.recall", Better: report.Higher, High: 1, Cite: "kynkaanniemi2019",
				About: "share of real samples within the neighborhoods of generated samples"},
			{Name: "fidelity.coverage", Better: report.Higher, High: 1, Cite: "naeem2020",
				About: "share of real samples with a generated sample in their neighborhood"},
			{Name: "fidelity.vendi_score", Better: report.Higher, High: inf, Cite: "friedman2023",
				About: "effective number of distinct samples (Vendi score)"},
			{Name: "fidelity.density", Better: report.Neither, High: inf, Cite: "naeem2020",
				About: "mean number of real neighborhoods that contain a generated sample, divided by k"},
			{Name: "fidelity.novelty", Better: report.Neither, High: inf,
				About: "mean distance of a generated sample to its nearest real sample"},
			distance("fidelity.mmd",
				"squared maximum mean discrepancy between generated and real samples", "gretton2012"),
			distance("fidelity.energy_distance", "energy distance between generated and real samples", "szekely2013"),
			headline(distance("fidelity.frechet_distance",
				"Fréchet distance between generated and real samples", "heusel2017")),
			distance("fidelity.kid", "kernel distance between generated and real samples", "binkowski2018"),
			{Name: "fidelity.classifier.auc", Better: report.Lower, High: 1, Cite: "lopezpaz2017",
				About: "area under the ROC curve of a classifier of generated against real samples; 0.5: " +
					"indistinguishable"},
		}},
	} {
		if metric == "" || metric == group.metric {
			out = append(out, group.numbers...)
		}
	}
	return out
}
