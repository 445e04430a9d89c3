// A contact sheet in a plot of gonum's.

package plots_test

import (
	"image"
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// A contact sheet.
func ExampleImageGrid() {
	var rows [2][]image.Image
	for i := range 6 {
		pixels := make([]uint8, 8*8)
		for j := range pixels {
			pixels[j] = uint8(j * (i + 1))
		}
		m, err := plots.GrayImage(pixels, 8, 8)
		if err != nil {
			log.Fatal(err)
		}
		rows[i%2] = append(rows[i%2], m)
	}
	panel := &plots.ImageGrid{
		Images:       rows[:],
		RowLabels:    []string{"original", "decoded"},
		ColumnLabels: []string{"t", "t + 1", "t + 2"},
	}
	p := plot.New()
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(60*vg.Millimeter, 40*vg.Millimeter, filepath.Join(exampleFolder, "imagegrid.png")); err != nil {
		log.Fatal(err)
	}
}
