// What the numbers of a model are: how alike it is to the reference model.

package similarity

import (
	"repscope/measure/similarity"
	"repscope/report"
)

// withIntervals are the measures whose error deleting blocks gives; see the calibration.
var withIntervals = []string{"cka", "cka_debiased", "mutual_knn", "cknna", "procrustes", "rsa_spearman", "rsa_pearson", "svcca", "pwcca", "shape_angle", "distance_correlation", "cka_rbf", "unit_match", "predictivity", "information_imbalance"}

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	var out []report.Described
	for _, m := range similarity.Measures() {
		names := []string{m.Name}
		if m.Directed {
			names = []string{m.Name + "_ab", m.Name + "_ba"}
		}
		for _, name := range names {
			out = append(out, report.Described{
				Name: "reference." + name, Better: report.Neither, Low: m.Low, High: m.High,
				Headline: name == "cka_debiased" || name == "mutual_knn", About: "likeness to the reference model: " + m.About,
				Cite: m.Cite,
			})
		}
	}
	return out
}
