// A matrix in a plot of gonum's.

package plots_test

import (
	"log"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Similarities of three series, with the tree of average linkage; the legend explains the keys of rows and columns.
func ExampleMatrix() {
	panel := &plots.Matrix{
		Names: []string{"jepa", "pixel_pca", "random"},
		Values: [][]float64{
			{1, 0.67, -0.2},
			{0.59, 1, -0.001},
			{-0.41, math.NaN(), 1},
		},
		Tree: []plots.Join{{First: 0, Second: 1, Height: 0.33}, {First: 3, Second: 2, Height: 1.1}},
	}
	p := plot.New()
	p.Legend.Top = true
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(60*vg.Millimeter, 40*vg.Millimeter, filepath.Join(exampleFolder, "matrix.png")); err != nil {
		log.Fatal(err)
	}
}
