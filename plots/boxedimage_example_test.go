// An image with boxes in a plot of gonum's.

package plots_test

import (
	"image"
	"image/color"
	"log"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"repscope/plots"
)

// A screen with a header and a button, one of them found; the box of another element extends beyond the screen.
func ExampleBoxedImage() {
	screen := image.NewNRGBA(image.Rect(0, 0, 40, 60))
	for y := range 60 {
		for x := range 40 {
			c := color.NRGBA{245, 245, 245, 255}
			switch {
			case y < 10:
				c = color.NRGBA{40, 60, 110, 255}
			case y >= 40 && y < 50 && x >= 8 && x < 32:
				c = color.NRGBA{200, 80, 60, 255}
			}
			screen.SetNRGBA(x, y, c)
		}
	}
	panel := &plots.BoxedImage{Image: screen, Label: "generated", Boxes: []plots.ImageBox{
		{Kind: "matched", MinX: 0, MinY: 0, MaxX: 40, MaxY: 10},
		{Kind: "unmatched", MinX: 8, MinY: 40, MaxX: 32, MaxY: 50},
		{Kind: "unmatched", MinX: 25, MinY: 20, MaxX: 60, MaxY: 30},
	}}
	p := plot.New()
	p.Legend.Top = true
	if _, err := plots.Add(p, nil, panel); err != nil {
		log.Fatal(err)
	}
	if err := p.Save(95*vg.Millimeter, 50*vg.Millimeter, filepath.Join(exampleFolder, "boxedimage.png")); err != nil {
		log.Fatal(err)
	}
}
