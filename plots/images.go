// Contact sheets of images, and notes.

package plots

import (
	"image"
	"math"

	"gonum.org/v1/plot/vg"
)

// sheet is a prepared ImageGrid.
type sheet struct {
	grid    *ImageGrid
	columns int
}

func (p *ImageGrid) prepare(env *environment) (content, error) {
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
				return nil, env.errorf("image in row %d, column %d has no pixels", i, j)
			}
		}
	}
	if !some {
		return nil, env.errorf("an image grid needs at least one image")
	}
	if n := len(p.RowLabels); n > 0 && n != len(p.Images) {
		return nil, env.errorf("%d row labels for %d rows of images", n, len(p.Images))
	}
	if n := len(p.ColumnLabels); n > 0 && n != c.columns {
		return nil, env.errorf("%d column labels for %d columns of images", n, c.columns)
	}
	env.text(p.RowLabels...)
	env.text(p.ColumnLabels...)
	return c, nil
}

func (c *sheet) measure(vg.Point, vg.Length) margins { return margins{} }

func (c *sheet) draw(s *scene, _, tile vg.Rectangle) error {
	const gap = 2
	p := c.grid
	rows := len(p.Images)
	area := tile
	// Row labels take the width they need, at most a third.
	var labels []block
	var labelWidth vg.Length
	for _, text := range p.RowLabels {
		limit := tile.Size().X * 0.3
		text, cut := shortenLines(wrap(text, tickSize, false, limit), tickSize, false, limit)
		if cut {
			s.warn("%s: row labels had to be shortened", panelName(s.panel))
		}
		labels = append(labels, newBlock(text, tickSize, false))
		labelWidth = max(labelWidth, labels[len(labels)-1].width)
	}
	if labelWidth > 0 {
		area.Min.X += labelWidth + labelGap
	}
	header := func() (blocks []block, height vg.Length) {
		slot := (area.Size().X+gap)/vg.Length(c.columns) - gap
		for _, text := range p.ColumnLabels {
			text, cut := shortenLines(wrap(text, smallestSize, false, slot), smallestSize, false, slot)
			if cut {
				s.warn("%s: column labels had to be shortened", panelName(s.panel))
			}
			b := newBlock(text, smallestSize, false)
			blocks = append(blocks, b)
			height = max(height, b.height)
		}
		return blocks, height
	}
	titles, height := header()
	if height > 0 {
		area.Max.Y -= height + 1
	}
	size := area.Size()
	cell := vg.Point{X: (size.X+gap)/vg.Length(c.columns) - gap, Y: (size.Y+gap)/vg.Length(rows) - gap}
	if cell.X < 2 || cell.Y < 2 {
		s.warn("%s: the images are too small to be seen", panelName(s.panel))
	}
	// Rows as high as the widest aspect in them needs, so that the sheet is tight.
	tallest := vg.Length(0)
	for _, row := range p.Images {
		for _, m := range row {
			if m != nil {
				tallest = max(tallest, fitted(m, cell).Y)
			}
		}
	}
	cell.Y = tallest
	for i, row := range p.Images {
		top := area.Max.Y - vg.Length(i)*(cell.Y+gap)
		if len(labels) > 0 {
			s.drawText("tick", labels[i], vg.Point{X: area.Min.X - labelGap, Y: top - cell.Y/2}, alignEnd, alignCenter, 0, ink)
		}
		for j, m := range row {
			if m == nil {
				continue
			}
			extent := fitted(m, cell)
			left := area.Min.X + vg.Length(j)*(cell.X+gap) + (cell.X-extent.X)/2
			r := vg.Rectangle{Min: vg.Point{X: left, Y: top - (cell.Y+extent.Y)/2}}
			r.Max = r.Min.Add(extent)
			s.canvas.DrawImage(r, magnify(m, extent))
			s.record("image", "", vg.Point{}, 0, r)
			s.canvas.SetColor(plainInk)
			s.canvas.SetLineWidth(0.3)
			s.canvas.Stroke(rectangle(r))
		}
	}
	for j, b := range titles {
		x := area.Min.X + vg.Length(j)*(cell.X+gap) + cell.X/2
		s.drawText("tick", b, vg.Point{X: x, Y: area.Max.Y + 1}, alignCenter, alignStart, 0, ink)
	}
	return nil
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
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx()*factor, b.Dy()*factor))
	for y := range b.Dy() * factor {
		for x := range b.Dx() * factor {
			out.Set(x, y, m.At(b.Min.X+x/factor, b.Min.Y+y/factor))
		}
	}
	return out
}

// note is a prepared Text.
type note struct{ body string }

func (p *Text) prepare(env *environment) (content, error) {
	env.text(p.Body)
	return &note{p.Body}, nil
}

func (n *note) measure(vg.Point, vg.Length) margins { return margins{} }

func (n *note) draw(s *scene, _, tile vg.Rectangle) error {
	size := tile.Size()
	for _, points := range []float64{labelSize, tickSize, smallestSize} {
		b := newBlock(wrap(n.body, points, false, size.X), points, false)
		if b.height <= size.Y || points == smallestSize {
			for b.height > size.Y && len(b.lines) > 1 {
				s.warn("%s: the text is longer than its tile", panelName(s.panel))
				b.lines, b.widths = b.lines[:len(b.lines)-1], b.widths[:len(b.widths)-1]
				b.height -= linePitch * b.size
			}
			s.drawText("note", b, vg.Point{X: tile.Min.X, Y: tile.Max.Y}, alignStart, alignEnd, 0, ink)
			return nil
		}
	}
	return nil
}
