// A heat map in a plot of gonum's.

package plots_test

import (
	"log"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Skill of two models by lead, on a scale about zero.
func ExampleHeatMap() {
	panel := &plots.HeatMap{
		X:       plots.Axis{Label: "Lead (h)"},
		Rows:    []string{"jepa", "pixel_pca"},
		Columns: []string{"6", "24", "48", "72"},
		Values:  [][]float64{{0.47, 0.53, 0.4, 0.19}, {0.2, 0.04, -0.31, math.NaN()}},
		Scale:   plots.ColorScale{Ramp: plots.RampDiverging, Low: -0.6, High: 0.6, Label: "Skill over persistence"},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(70*vg.Millimeter, 45*vg.Millimeter, filepath.Join(exampleFolder, "heatmap.png")); err != nil {
		log.Fatal(err)
	}
}
