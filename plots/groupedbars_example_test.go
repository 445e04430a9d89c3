// Grouped bars in a plot of gonum's.

package plots_test

import (
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Grouped bars with the axes and legend entries of a figure.
func ExampleGroupedBars() {
	panel := &plots.GroupedBars{
		X:      plots.Axis{Label: "Neighborhood size k"},
		Y:      plots.Axis{Label: "Trustworthiness T(k)", Max: 1},
		Groups: []string{"5", "10", "20"},
		Series: []plots.BarSeries{
			{Name: "jepa", Values: []float64{0.93, 0.91, 0.88}, Low: []float64{0.92, 0.9, 0.86}, High: []float64{0.94, 0.92, 0.9}},
			{Name: "pixel_pca", Values: []float64{0.85, 0.82, 0.79}, Low: []float64{0.83, 0.8, 0.77}, High: []float64{0.87, 0.84, 0.81}},
		},
		References: []plots.Reference{{Value: 0.5, Label: "chance"}},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	p.Legend.Top, p.Legend.YOffs = true, 14 // over the data
	p.Title.Text, p.Title.Padding = " ", 10 // room for it
	if err := p.Save(60*vg.Millimeter, 45*vg.Millimeter, filepath.Join(exampleFolder, "groupedbars.png")); err != nil {
		log.Fatal(err)
	}
}
