// What the numbers of a generator are.

package generation

import (
	"math"

	"repscope/report"
)

// Described describes the numbers of a generator that a metric makes, in the order of the result file; those of
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
			headline(share("reconstruction.mean_iou", "intersection over union of reconstructed and true cells, mean over samples")),
			share("reconstruction.median_iou", "intersection over union of reconstructed and true cells, median over samples"),
			share("reconstruction.exact_share", "share of samples reconstructed without an error"),
			share("per_channel_iou.start", "intersection over union of the channel of starts"),
			share("per_channel_iou.middle", "intersection over union of the channel of middle holds"),
			share("per_channel_iou.end", "intersection over union of the channel of ends"),
		}},
		{"diversity", []report.Described{
			{Name: "diversity.overall_mean_diversity", Better: report.Higher, Unit: "share of the cells", High: 1,
				About: "mean Hamming distance of two samples of a label"},
			headline(share("diversity.overall_uniqueness_ratio", "share of samples that are unique among those of their label")),
			{Name: "diversity.pooled_uniqueness_ratio", Better: report.Higher, About: "share of samples that are unique among all"},
			share("diversity.mean_jaccard_distance", "mean Jaccard distance of two samples of a label"),
			{Name: "diversity.diversity_of_ceiling", Better: report.Higher, High: inf,
				About: "mean Hamming distance over the largest that the sizes of the samples allow"},
			share("diversity.validity_rate", "share of samples that are valid"),
			share("diversity.novelty", "share of samples that are not among the real ones"),
			share("diversity.valid_unique_novel", "share of samples that are valid, unique and novel"),
			{Name: "diversity.mean_nearest_jaccard", Better: report.Neither, High: 1,
				About: "mean Jaccard similarity of a sample to the nearest real one"},
			{Name: "diversity.co_occurrence_distance", Better: report.Neither, High: inf,
				About: "distance between how often cells occur together in generated and in real samples"},
		}},
		{"similarity", []report.Described{
			{Name: "similarity.overall_mean_distance", Better: report.Lower, High: inf,
				About: "Wasserstein distance of statistics of generated and real samples, mean over statistics and labels"},
			{Name: "similarity.overall_mean_distance_scaled", Better: report.Lower, Unit: "SD", High: inf,
				About: "the same in units of the standard deviation of each statistic"},
		}},
		{"clusters", []report.Described{
			{Name: "clusters.silhouette_score", Better: report.Higher, Low: -1, High: 1, Cite: "rousseeuw1987",
				About: "mean silhouette of the latents of labels"},
			share("clusters.neighbor_accuracy", "share of latents whose label most of their neighbors have"),
			share("clusters.neighbor_purity", "share of neighbors with the label of the latent"),
			{Name: "clusters.label_spearman", Better: report.Higher, Low: -1, High: 1,
				About: "rank correlation of labels with their cross-validated predictions by ridge"},
			{Name: "clusters.grade_separation_scaled", Better: report.Higher,
				About: "distance of the means of neighboring labels over the spread within labels"},
			{Name: "clusters.davies_bouldin", Better: report.Lower, High: inf, Cite: "davies1979",
				About: "Davies–Bouldin index of the latents of labels"},
		}},
		{"conditioning", []report.Described{
			headline(share("conditioning.exact_accuracy", "share of samples that the classifier gives the label asked for")),
			share("conditioning.within_one_accuracy", "share of samples classified within one label of that asked for"),
			share("conditioning.within_two_accuracy", "share of samples classified within two labels of that asked for"),
			share("conditioning.macro_exact_accuracy", "exact accuracy, mean over labels"),
			share("conditioning.macro_within_one_accuracy", "accuracy within one label, mean over labels"),
			share("conditioning.macro_within_two_accuracy", "accuracy within two labels, mean over labels"),
			{Name: "conditioning.quadratic_weighted_kappa", Better: report.Higher, Low: -1, High: 1,
				About: "agreement of asked for and classified label beyond chance, weighted by squared distance"},
			{Name: "conditioning.mean_absolute_error", Better: report.Lower, Unit: "labels", High: inf,
				About: "mean distance of asked for and classified label"},
		}},
		{"fidelity", []report.Described{
			{Name: "fidelity.precision", Better: report.Higher, High: 1, Cite: "kynkaanniemi2019",
				About: "share of generated samples within the neighborhoods of real ones"},
			{Name: "fidelity.recall", Better: report.Higher, High: 1, Cite: "kynkaanniemi2019",
				About: "share of real samples within the neighborhoods of generated ones"},
			{Name: "fidelity.coverage", Better: report.Higher, High: 1, Cite: "naeem2020",
				About: "share of real samples whose neighborhood holds a generated one"},
			{Name: "fidelity.vendi_score", Better: report.Higher, High: inf, Cite: "friedman2023",
				About: "effective number of different samples"},
			{Name: "fidelity.density", Better: report.Neither, High: inf, Cite: "naeem2020",
				About: "mean number of neighborhoods of real samples that hold a generated one, over k"},
			{Name: "fidelity.novelty", Better: report.Neither, High: 1,
				About: "mean distance of a generated sample to the nearest real one"},
			distance("fidelity.mmd", "squared maximum mean discrepancy of generated and real samples", "gretton2012"),
			distance("fidelity.energy_distance", "energy distance of generated and real samples", "szekely2013"),
			headline(distance("fidelity.frechet_distance", "Fréchet distance of generated and real samples", "heusel2017")),
			distance("fidelity.kid", "kernel distance of generated and real samples", "binkowski2018"),
			{Name: "fidelity.classifier.auc", Better: report.Lower, High: 1, Cite: "lopezpaz2017",
				About: "area under the ROC curve of a classifier that tells generated from real samples"},
		}},
	} {
		if metric == "" || metric == group.metric {
			out = append(out, group.numbers...)
		}
	}
	return out
}
