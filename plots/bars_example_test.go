// Bars in a plot of gonum's.

package plots_test

import (
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// Bars with intervals in a plot of gonum's: p.Add alone, with the caller's axes.
// Names and values are the panel's, zero and the room over the bars come from its
// range and its glyph boxes.
func ExampleBars() {
	bars := &plots.Bars{
		Bars: []plots.Bar{
			{Name: "jepa", Value: 8.1, Low: 7.2, High: 9.3},
			{Name: "pixel_pca", Value: 14.2, Low: 12.4, High: 15.1},
			{Name: "random", Value: 3.3, Low: 2.9, High: 3.8},
		},
		References: []plots.Reference{{Value: 5, Label: "null"}},
	}
	p := plot.New()
	p.Y.Label.Text = "Participation ratio"
	p.Add(bars)
	p.NominalX("jepa", "pixel_pca", "random")
	if err := p.Save(90*vg.Millimeter, 60*vg.Millimeter, filepath.Join(exampleFolder, "bars.png")); err != nil {
		log.Fatal(err)
	}
}
