// The figure of probes: how often they are right, next to the commonest class.

package command

import (
	"fmt"
	"math"
	"slices"

	"repscope/analysis/sequence"
	"repscope/plots"
)

// probeFigure shows the accuracy of all probes that some model has; nil where there are none.
func probeFigure(d *sequence.DatasetResult) *plots.Figure {
	var columns []chanceColumn
	for _, probe := range []struct{ name, label string }{
		{"chain_probe", "Chain"}, {"position_probe", "Third of the chain"}, {"cdr_probe",
			"CDR or not"}, {"cdr_probe_class", "CDR"},
	} {
		if slices.ContainsFunc(d.Models, func(m sequence.ModelResult) bool { return slices.Contains(m.Metrics, probe.name) }) {
			columns = append(columns, chanceColumn{probe.label, probe.name, probe.name + "_baseline"})
		}
	}
	if columns == nil {
		return nil
	}
	f := newFigure(d, "Probes of hidden states")
	f.Tiles = []plots.Tile{{Title: "Probe accuracy", Panel: overChance(d, "Accuracy", columns)}}
	f.HeightMM = 66
	baseline := "dashed lines"
	if len(d.Models) > mostBars {
		f.HeightMM = 28 + 6*float64(len(d.Models))
		baseline = "last row"
		f.Footnote = ""
	}
	f.HeightMM += 5 * math.Ceil(float64(len(d.Models))/5)
	f.Footnote = fmt.Sprintf("Logistic regressions, tested on other sequences. Chance (%s): the most frequent "+
		"class. %s", baseline, f.Footnote)
	return f
}
