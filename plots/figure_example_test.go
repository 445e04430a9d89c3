// Figures: drawing one, and what to tell its reader.

package plots_test

import (
	"bytes"
	"fmt"
	"image/png"

	"repscope/plots"
)

// A figure in single-column width: curves with their ±SE band.
func ExampleFigure_Render() {
	figure := plots.Figure{
		WidthMM: plots.SingleColumnMM, HeightMM: 60,
		Series: []string{"jepa", "encoder_decoder"},
		Tiles: []plots.Tile{{Panel: &plots.Curves{
			X: plots.Axis{Label: "Noise level σ"},
			Y: plots.Axis{Label: "Latent distance d_{z}", Zero: true},
			Series: []plots.CurveSeries{
				{Name: "jepa", X: []float64{0.01, 0.1, 0.2}, Y: []float64{0.1, 0.8, 1.2},
					Low: []float64{0.09, 0.7, 1.1}, High: []float64{0.11, 0.9, 1.3}},
				{Name: "encoder_decoder", X: []float64{0.01, 0.1, 0.2}, Y: []float64{0.3, 1.4, 2.1}},
			},
		}}},
	}
	var file bytes.Buffer
	if err := figure.Render(&file, "png"); err != nil {
		fmt.Println(err)
		return
	}
	config, _ := png.DecodeConfig(&file)
	fmt.Printf("%d × %d pixels at %d DPI\n", config.Width, config.Height, plots.DPI)
	// Output: 1051 × 709 pixels at 300 DPI
}

// Values that an axis cannot show are counted, in the footnote and here.
func ExampleFigure_Warnings() {
	figure := plots.Figure{WidthMM: 80, HeightMM: 50, Tiles: []plots.Tile{{Panel: &plots.Spectrum{
		Series: []plots.SpectrumSeries{{Name: "jepa", Values: []float64{4, 2, 1e-3, 0, 0}}},
	}}}}
	fmt.Println(figure.Warnings())
	// Output: [Panel a: not shown: 2 values non-positive on a log axis.] <nil>
}
