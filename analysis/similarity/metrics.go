// What the numbers of a model are: how alike it is to the reference model.

package similarity

import (
	"math"
	"slices"

	"repscope/measure/similarity"
	"repscope/report"
)

// withIntervals are the measures whose error deleting blocks gives; see the calibration.
// In simulations intervals of information_imbalance hold 86 to 100 %.
var withIntervals = slices.DeleteFunc(similarity.Names(), func(name string) bool {
	return name == "information_imbalance"
})

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	var out []report.Described
	for _, m := range similarity.Measures() {
		names, directions := []string{m.Name}, []string{""}
		switch {
		case m.Directed:
			names = []string{m.Name + "_to", m.Name + "_from"}
			directions = []string{" (from the model to the reference)", " (from the reference to the model)"}
		case m.Sized:
			names = []string{m.Name + ".score"}
		}
		for i, name := range names {
			out = append(out, report.Described{
				Name: "reference." + name, Better: report.Neither, Low: m.Low, High: m.High,
				Headline: name == "cka_debiased" || name == "mutual_knn.score",
				About:    "likeness to the reference model: " + m.About + directions[i], Cite: m.Cite,
			})
		}
	}
	return append(out, report.Described{
		Name: "reference.stitch_error", Better: report.Lower, Low: 0, High: math.Inf(1),
		About: "error of the outputs of the reference model when a linear map of the last layer of the model replaces its " +
			"last layer, in the variance of its own outputs (--stitch)",
	}, report.Described{
		Name: "reference.stitch_agreement", Better: report.Higher, Low: 0, High: 1,
		About: "share of states that the reference model gives the same class when a linear map of the last layer of the " +
			"model replaces its last layer (--stitch)",
	})
}
