// Images with boxes upon them.

package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the image and its boxes into the data rectangle of a plot, whose axes [Add] hides.
func (p *BoxedImage) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// Thumbnail draws a line in the style of each kind of boxes, side by side for several.
func (p *BoxedImage) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

// boxed is a prepared BoxedImage.
type boxed struct {
	of     *BoxedImage
	styles []Style // of the boxes
}

func (p *BoxedImage) prepare(prep *preparation) (content, error) {
	if p.Image == nil || p.Image.Bounds().Empty() {
		return nil, prep.errorf("an image with boxes needs an image with pixels")
	}
	prep.text(p.Label)
	for i, b := range p.Boxes {
		for _, v := range []float64{b.MinX, b.MinY, b.MaxX, b.MaxY} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, prep.errorf("box %d of an image runs from %g, %g to %g, %g", i, b.MinX, b.MinY, b.MaxX, b.MaxY)
			}
		}
	}
	c := &boxed{of: p}
	for _, b := range p.Boxes {
		c.styles = append(c.styles, prep.style(b.Kind))
		prep.explain(b.Kind, keyLine)
	}
	return c, nil
}

func (c *boxed) measure(vg.Point, vg.Length) margins { return margins{} }

func (c *boxed) draw(s *scene, _, tile vg.Rectangle) error {
	area := tile
	if c.of.Label != "" {
		label := fitLabels(s, []string{c.of.Label}, smallestSize, tile.Size().X, "image")[0]
		area.Max.Y -= label.height + 1
		s.drawText("tick", label, vg.Point{X: tile.Min.X + tile.Size().X/2, Y: area.Max.Y + 1}, alignCenter, alignStart, 0,
			ink)
	}
	if area.Size().X < 4 || area.Size().Y < 4 {
		return roomError(s.panel, "there is no room for the image")
	}
	size := fitted(c.of.Image, area.Size())
	corner := vg.Point{X: area.Min.X + (area.Size().X-size.X)/2, Y: area.Max.Y}
	s.image(c.of.Image, corner, size)
	shown := vg.Rectangle{Min: vg.Point{X: corner.X, Y: corner.Y - size.Y}, Max: vg.Point{X: corner.X + size.X, Y: corner.Y}}
	// A pale rim separates lines from a dark image, and their color from a light one.
	for i, b := range c.of.Boxes {
		outline := c.outline(b, shown)
		s.clippedLine(outline, shown, color.NRGBA{R: 255, G: 255, B: 255, A: 150}, 1.5, nil)
		s.clippedLine(outline, shown, c.styles[i].Line, 0.75, c.styles[i].dash)
	}
	return nil
}

// outline is a closed line about a box, in points. One without width or height is a line.
func (c *boxed) outline(b ImageBox, shown vg.Rectangle) []vg.Point {
	bounds := c.of.Image.Bounds()
	scale := shown.Size().X / vg.Length(bounds.Dx())
	p := func(x, y float64) vg.Point {
		return vg.Point{X: shown.Min.X + vg.Length(x)*scale, Y: shown.Max.Y - vg.Length(y)*scale}
	}
	return []vg.Point{p(b.MinX, b.MinY), p(b.MaxX, b.MinY), p(b.MaxX, b.MaxY), p(b.MinX, b.MaxY), p(b.MinX, b.MinY)}
}
