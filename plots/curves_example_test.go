// Curves in a plot of gonum's.

package plots_test

import (
	"log"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Curves with bands; the undefined value is a gap.
func ExampleCurves() {
	sigma := []float64{0.01, 0.05, 0.1, 0.2}
	panel := &plots.Curves{
		X: plots.Axis{Label: "Noise level σ"},
		Y: plots.Axis{Label: "Latent distance d_{z}", Log: true},
		Series: []plots.CurveSeries{
			{Name: "jepa", X: sigma, Y: []float64{0.02, 0.2, 0.6, 2},
				Low: []float64{0.015, 0.16, 0.5, 1.6}, High: []float64{0.027, 0.25, 0.75, 2.6}},
			{Name: "pixel_pca", X: sigma, Y: []float64{0.1, math.NaN(), 1.5, 8}},
		},
		References: []plots.Reference{{Value: 1, Label: "random pair"}},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	p.Legend.YOffs = 2
	if err := p.Save(60*vg.Millimeter, 45*vg.Millimeter, filepath.Join(exampleFolder, "curves.png")); err != nil {
		log.Fatal(err)
	}
}
