// Box plots in a plot of gonum's.

package plots_test

import (
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Box plots on a log axis.
func ExampleBoxPlot() {
	random := rand.New(rand.NewPCG(1, 1))
	panel := &plots.BoxPlot{Y: plots.Axis{Label: "Step / RMS distance", Log: true}}
	for i, name := range []string{"jepa", "pixel_pca", "random"} {
		box := plots.Box{Name: name}
		for range 400 {
			box.Values = append(box.Values, 0.1*math.Exp(0.5*float64(i)+0.6*random.NormFloat64()))
		}
		panel.Boxes = append(panel.Boxes, box)
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(60*vg.Millimeter, 45*vg.Millimeter, filepath.Join(exampleFolder, "boxplot.png")); err != nil {
		log.Fatal(err)
	}
}
