// A scatter with a fitted line in a plot of gonum's.

package plots_test

import (
	"log"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Points with a fitted line and its band.
func ExampleScatter() {
	random := rand.New(rand.NewPCG(1, 2))
	cloud := plots.ScatterSeries{Name: "jepa", Fit: &plots.Fit{
		X: []float64{0, 5, 10}, Y: []float64{0.5, 1.5, 2.5}, Low: []float64{0.3, 1.4, 2.3}, High: []float64{0.7, 1.6, 2.7}}}
	for range 120 {
		x := 10 * random.Float64()
		cloud.X, cloud.Y = append(cloud.X, x), append(cloud.Y, 0.5+0.2*x+0.2*random.NormFloat64())
	}
	panel := &plots.Scatter{
		X:      plots.Axis{Label: "Pixel distance (gray levels)"},
		Y:      plots.Axis{Label: "Latent distance"},
		Series: []plots.ScatterSeries{cloud},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	p.Legend.YOffs = 2
	if err := p.Save(60*vg.Millimeter, 45*vg.Millimeter, filepath.Join(exampleFolder, "scatter.png")); err != nil {
		log.Fatal(err)
	}
}
