// Contact sheets of images.

package plots

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the images into the data rectangle of a plot, whose axes [Add] hides.
func (p *ImageGrid) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// sheet is a prepared ImageGrid.
type sheet struct {
	grid    *ImageGrid
	columns int
}

func (p *ImageGrid) prepare(prep *preparation) (content, error) {
	c := &sheet{grid: p}
	some := false
	for i, row := range p.Images {
		c.columns = max(c.columns, len(row))
		for j, m := range row {
			if m == nil {
				continue
			}
			some = true
			if m.Bounds().Empty() {
				return nil, prep.errorf("image in row %d, column %d has no pixels", i, j)
			}
		}
	}
	if !some {
		return nil, prep.errorf("an image grid needs at least one image")
	}
	if n := len(p.RowLabels); n > 0 && n != len(p.Images) {
		return nil, prep.errorf("%d row labels for %d rows of images", n, len(p.Images))
	}
	if n := len(p.ColumnLabels); n > 0 && n != c.columns {
		return nil, prep.errorf("%d column labels for %d columns of images", n, c.columns)
	}
	prep.text(p.RowLabels...)
	prep.text(p.ColumnLabels...)
	taken := 0
	for _, b := range p.Bars {
		if b.First < taken || b.Last < b.First || b.Last >= c.columns {
			return nil, prep.errorf("a color bar under columns %d to %d of %d; want bars from left to right without overlap",
				b.First, b.Last, c.columns)
		}
		taken = b.Last + 1
		if err := b.Scale.check(); err != nil {
			return nil, prep.errorf("%v", err)
		}
		prep.text(b.Scale.Label)
	}
	return c, nil
}

func (c *sheet) measure(vg.Point, vg.Length) margins { return margins{} }

// imageGap is the distance between images in points.
const imageGap = 2

func (c *sheet) draw(s *scene, _, tile vg.Rectangle) error {
	area := tile
	// Row labels take the width they need, at most a third.
	labels := fitLabels(s, c.grid.RowLabels, tickSize, tile.Size().X*0.3, "row")
	var labelWidth vg.Length
	for _, b := range labels {
		labelWidth = max(labelWidth, b.width)
	}
	if labelWidth > 0 {
		area.Min.X += labelWidth + labelGap
	}
	titles := fitLabels(s, c.grid.ColumnLabels, smallestSize, c.slot(area.Size().X), "column")
	var height vg.Length
	for _, b := range titles {
		height = max(height, b.height)
	}
	if height > 0 {
		area.Max.Y -= height + 1
	}
	area.Min.Y += c.barsRoom(area.Size().X)
	cell := c.cell(s, area.Size())
	for i, row := range c.grid.Images {
		top := area.Max.Y - vg.Length(i)*(cell.Y+imageGap)
		if len(labels) > 0 {
			s.drawText("tick", labels[i], vg.Point{X: area.Min.X - labelGap, Y: top - cell.Y/2}, alignEnd, alignCenter, 0, ink)
		}
		for j, m := range row {
			if m != nil {
				s.image(m, vg.Point{X: area.Min.X + vg.Length(j)*(cell.X+imageGap), Y: top}, cell)
			}
		}
	}
	for _, b := range c.grid.Bars {
		at := vg.Point{X: area.Min.X + vg.Length(b.First)*(cell.X+imageGap), Y: area.Max.Y - vg.Length(len(c.grid.Images))*(cell.Y+imageGap) - imageGap}
		s.colorBar(b.Scale, at, c.under(b, area.Size().X))
	}
	for j, b := range titles {
		x := area.Min.X + vg.Length(j)*(cell.X+imageGap) + cell.X/2
		s.drawText("tick", b, vg.Point{X: x, Y: area.Max.Y + 1}, alignCenter, alignStart, 0, ink)
	}
	return nil
}

// under is the width of the columns of a color bar.
func (c *sheet) under(b ImageBar, width vg.Length) vg.Length {
	return vg.Length(b.Last-b.First+1)*(c.slot(width)+imageGap) - imageGap
}

// barsRoom is the height of the color bars with their distance to the images.
func (c *sheet) barsRoom(width vg.Length) vg.Length {
	var labelWidth vg.Length
	for _, b := range c.grid.Bars {
		labelWidth = max(labelWidth, b.Scale.barRoom(c.under(b, width))+2*imageGap)
	}
	return labelWidth
}

// fitLabels wraps labels to a width, and shortens labels that do not fit even then.
func fitLabels(s *scene, labels []string, size float64, width vg.Length, what string) []block {
	var blocks []block
	for _, text := range labels {
		text, cut := shortenLines(wrap(text, size, false, width), size, false, width)
		if cut {
			s.cramp("%s: %s labels had to be shortened", panelName(s.panel), what)
		}
		blocks = append(blocks, newBlock(text, size, false))
	}
	return blocks
}

// slot is the width of a column of images.
func (c *sheet) slot(width vg.Length) vg.Length {
	return (width+imageGap)/vg.Length(c.columns) - imageGap
}

// cell is the size of one image: as high as the widest aspect needs, so that the sheet is tight.
func (c *sheet) cell(s *scene, size vg.Point) vg.Point {
	cell := vg.Point{X: c.slot(size.X), Y: (size.Y+imageGap)/vg.Length(len(c.grid.Images)) - imageGap}
	if cell.X < 2 || cell.Y < 2 {
		s.cramp("%s: the images are too small to see", panelName(s.panel))
	}
	tallest := vg.Length(0)
	for _, row := range c.grid.Images {
		for _, m := range row {
			if m != nil {
				tallest = max(tallest, fitted(m, cell).Y)
			}
		}
	}
	return vg.Point{X: cell.X, Y: tallest}
}

// image draws an image in the middle of a cell with this upper left corner.
func (s *scene) image(m image.Image, corner, cell vg.Point) {
	extent := fitted(m, cell)
	r := vg.Rectangle{Min: vg.Point{X: corner.X + (cell.X-extent.X)/2, Y: corner.Y - (cell.Y+extent.Y)/2}}
	r.Max = r.Min.Add(extent)
	s.canvas.DrawImage(r, magnify(m, extent))
	s.record("image", "", vg.Point{}, 0, r)
	s.canvas.SetColor(plainInk)
	s.canvas.SetLineWidth(0.3)
	s.canvas.Stroke(rectangle(r))
}

// fitted is the largest size of an image's shape inside a cell.
func fitted(m image.Image, cell vg.Point) vg.Point {
	b := m.Bounds()
	scale := min(cell.X/vg.Length(b.Dx()), cell.Y/vg.Length(b.Dy()))
	return vg.Point{X: vg.Length(b.Dx()) * scale, Y: vg.Length(b.Dy()) * scale}
}

// magnify repeats pixels so that the backends' smoothing cannot blur them: at
// least to the resolution of the output, at most 2,000 pixels a side.
func magnify(m image.Image, size vg.Point) image.Image {
	b := m.Bounds()
	want := float64(max(size.X, size.Y)) / 72 * DPI
	factor := int(math.Ceil(2 * want / float64(max(b.Dx(), b.Dy()))))
	factor = max(1, min(factor, 2000/max(b.Dx(), b.Dy())))
	if nrgba, ok := m.(*image.NRGBA); ok && float64(max(b.Dx(), b.Dy())) >= want {
		return nrgba // it is made smaller, not larger
	}
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx()*factor, b.Dy()*factor))
	for y := range b.Dy() {
		first := out.Pix[y*factor*out.Stride:][:out.Stride]
		for x := range b.Dx() {
			c := color.NRGBAModel.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
			for k := range factor {
				copy(first[4*(x*factor+k):], []byte{c.R, c.G, c.B, c.A})
			}
		}
		for k := 1; k < factor; k++ {
			copy(out.Pix[(y*factor+k)*out.Stride:], first)
		}
	}
	return out
}
