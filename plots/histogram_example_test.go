// A histogram in a plot of gonum's.

package plots_test

import (
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// The ranks of truths among the members of an ensemble whose spread is too small, with
// the share that each rank has where it is right, and the band in which shares then lie.
func ExampleHistogram() {
	panel := &plots.Histogram{
		X:     plots.Axis{Label: "Rank of the truth", Integer: true},
		Y:     plots.Axis{Label: "Share"},
		Name:  "jepa",
		Edges: []float64{-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5}, Values: []float64{0.31, 0.13, 0.09, 0.08, 0.12, 0.27},
		Low: 0.14, High: 0.19, References: []plots.Reference{{Value: 1. / 6, Label: "uniform"}},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(60*vg.Millimeter, 45*vg.Millimeter, filepath.Join(exampleFolder, "histogram.png")); err != nil {
		log.Fatal(err)
	}
}
