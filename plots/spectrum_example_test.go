// A spectrum in a plot of gonum's.

package plots_test

import (
	"log"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// A spectrum over fourteen orders of magnitude; twelve are shown.
func ExampleSpectrum() {
	values := make([]float64, 64)
	for i := range values {
		values[i] = math.Exp(-0.5 * float64(i))
	}
	panel := &plots.Spectrum{
		X:      plots.Axis{Label: "Eigenvalue index"},
		Y:      plots.Axis{Label: "Eigenvalue λ_{i}"},
		Series: []plots.SpectrumSeries{{Name: "jepa", Values: values}},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	p.Legend.Top = true
	if err := p.Save(60*vg.Millimeter, 45*vg.Millimeter, filepath.Join(exampleFolder, "spectrum.png")); err != nil {
		log.Fatal(err)
	}
}
