// The figure of probes: how often they are right, beside the commonest class.

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
	for _, of := range []struct{ name, label string }{
		{"chain_probe", "Which chain"}, {"position_probe", "Part of chain"}, {"cdr_probe", "In a CDR"}, {"cdr_probe_class", "Which CDR"},
	} {
		if slices.ContainsFunc(d.Models, func(m sequence.ModelResult) bool { return slices.Contains(m.Metrics, of.name) }) {
			columns = append(columns, chanceColumn{of.label, of.name, of.name + "_baseline"})
		}
	}
	if columns == nil {
		return nil
	}
	f := newFigure(d, "What probes read out of hidden states")
	f.Tiles = []plots.Tile{{Title: "Accuracy of probes", Panel: overChance(d, "Accuracy", columns)}}
	f.HeightMM = 66
	baseline := "dashed lines"
	if len(d.Models) > mostBars {
		f.HeightMM = 28 + 6*float64(len(d.Models))
		baseline = "the last row"
		f.Footnote = ""
	}
	f.HeightMM += 5 * math.Ceil(float64(len(d.Models))/5)
	f.Footnote = fmt.Sprintf("Logistic regressions on sequences that they have not seen. Chance, %s, is the commonest class. %s", baseline, f.Footnote)
	return f
}
