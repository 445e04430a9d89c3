// Heat maps: numbers of rows and columns as colors of a scale.

package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the map into the data rectangle of a plot, whose axes [Add] hides.
func (p *HeatMap) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// cells is a prepared HeatMap.
type cells struct {
	of   *HeatMap
	text [][]string // of the cells; nil: none wanted
}

func (p *HeatMap) prepare(prep *preparation) (content, error) {
	if len(p.Columns) == 0 || len(p.Values) == 0 || p.Rows != nil && len(p.Rows) != len(p.Values) {
		return nil, prep.errorf("a heat map of %d rows and %d columns for the names of %d rows",
			len(p.Values), len(p.Columns), len(p.Rows))
	}
	if err := p.Scale.check(); err != nil {
		return nil, prep.errorf("%v", err)
	}
	prep.text(p.X.Label, p.Y.Label, p.Scale.Label)
	prep.text(p.Rows...)
	prep.text(p.Columns...)
	c := &cells{of: p}
	decimals := p.Decimals
	if decimals == 0 {
		decimals = 2
	}
	for i, values := range p.Values {
		if len(values) != len(p.Columns) {
			return nil, prep.errorf("row %d of the heat map has %d values for %d columns", i, len(values), len(p.Columns))
		}
		if decimals < 0 {
			continue
		}
		var row []string
		for _, v := range values {
			row = append(row, cellText(v, decimals))
		}
		c.text = append(c.text, row)
	}
	return c, nil
}

func (c *cells) measure(vg.Point, vg.Length) margins { return margins{} }

func (c *cells) draw(s *scene, _, tile vg.Rectangle) error {
	area := tile
	p := c.of
	if p.Y.Label != "" {
		b := newBlock(wrap(p.Y.Label, labelSize, false, area.Size().Y), labelSize, false)
		area.Min.X += b.height + labelGap
		defer func() {
			middle := insideTile(tile, (area.Min.Y+area.Max.Y)/2, b.width)
			s.drawText("label", b, vg.Point{X: tile.Min.X, Y: middle}, alignCenter, alignEnd, math.Pi/2, ink)
		}()
	}
	rows := fitLabels(s, p.Rows, tickSize, tile.Size().X*0.4, "row")
	var names vg.Length
	for _, b := range rows {
		names = max(names, b.width)
	}
	if names > 0 {
		area.Min.X += names + labelGap
	}
	below := c.below(s, area.Size().X)
	area.Min.Y += below.room
	n, m := vg.Length(len(p.Values)), vg.Length(len(p.Columns))
	cell := vg.Point{X: area.Size().X / m, Y: min(area.Size().Y/n, largestCell)}
	if cell.X < 2 || cell.Y < 2 {
		return roomError(s.panel, "a heat map of %d rows and %d columns does not fit its tile", len(p.Values), len(p.Columns))
	}
	area.Min.Y = area.Max.Y - cell.Y*n
	s.record("data", "", vg.Point{}, 0, area)
	for i, b := range rows {
		y := area.Max.Y - cell.Y*(vg.Length(i)+0.5)
		s.drawText("tick", b, vg.Point{X: area.Min.X - labelGap, Y: y}, alignEnd, alignCenter, 0, ink)
	}
	c.drawCells(s, area, cell)
	below.draw(s, area, p)
	return nil
}

// drawCells draws the colors, and the numbers where all of them fit.
func (c *cells) drawCells(s *scene, area vg.Rectangle, cell vg.Point) {
	h := &heatmap{text: c.text}
	size, fits := h.fit(cell)
	if !fits {
		h.shorten()
		size, fits = h.fit(cell)
	}
	for i, row := range c.of.Values {
		for j, v := range row {
			r := vg.Rectangle{Min: vg.Point{X: area.Min.X + cell.X*vg.Length(j), Y: area.Max.Y - cell.Y*vg.Length(i+1)}}
			r.Max = r.Min.Add(cell)
			fill := c.of.Scale.Color(v)
			if math.IsNaN(v) {
				fill = gridInk
			}
			words := block{}
			if fits && h.text != nil {
				words = newBlock(h.text[i][j], size, false)
			}
			s.heatCell(r, fill, words)
		}
	}
}

// footing is the part under the cells of a heat map.
type footing struct {
	columns categoryLabels
	title   block
	room    vg.Length // of all, with the bar
}

// below lays out the names of the columns, their title and the bar of the scale.
func (c *cells) below(s *scene, width vg.Length) footing {
	p := c.of
	f := footing{columns: layoutCategories(p.Columns, width, 0.42*s.height)}
	if p.Ordered && (f.columns.small || f.columns.cut) {
		f.columns = layoutEvery(p.Columns, width, 0.42*s.height)
	}
	f.room = tickLength + labelGap + f.columns.height
	if p.X.Label != "" {
		f.title = newBlock(wrap(p.X.Label, labelSize, false, width), labelSize, false)
		f.room += labelGap + f.title.height
	}
	if p.Scale.Label != "" {
		f.room += 2*labelGap + p.Scale.barRoom(width)
	}
	return f
}

func (f *footing) draw(s *scene, cells vg.Rectangle, p *HeatMap) {
	x := newCategories(Axis{}, p.Columns)
	y := cells.Min.Y - tickLength - labelGap
	f.columns.draw(s, &area{Rectangle: cells, x: &x.Axis}, y)
	y -= f.columns.height
	if f.title.width > 0 {
		y -= labelGap
		s.drawText("label", f.title, vg.Point{X: (cells.Min.X + cells.Max.X) / 2, Y: y}, alignCenter, alignEnd, 0, ink)
		y -= f.title.height
	}
	if p.Scale.Label != "" {
		s.colorBar(p.Scale, vg.Point{X: cells.Min.X, Y: y - 2*labelGap}, cells.Size().X)
	}
}

// heatCell draws a cell of a table of colors with its number, if there is one, in a readable color.
func (s *scene) heatCell(r vg.Rectangle, fill color.NRGBA, number block) {
	s.canvas.SetColor(fill)
	s.canvas.Fill(rectangle(r))
	s.canvas.SetColor(paperOpen)
	s.canvas.SetLineWidth(0.5)
	s.canvas.SetLineDash(nil, 0)
	s.canvas.Stroke(rectangle(r))
	s.record("bar", "", vg.Point{}, 0, r)
	if len(number.lines) == 0 {
		return
	}
	words := color.Color(ink)
	if luminance(fill) < 0.55 {
		words = paperOpen
	}
	s.drawText("value", number, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, alignCenter, alignCenter,
		0, words)
}
