// Tables.

package plots

import (
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the table into the data rectangle of a plot, whose axes [Add] hides.
func (p *Table) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// grid is a prepared Table.
type grid struct {
	cells   [][]string // header first, all rows equally long
	align   []Align
	keys    []*Style // per row, nil without a key
	columns int
}

func (p *Table) prepare(prep *preparation) (content, error) {
	if len(p.Header) == 0 {
		return nil, prep.errorf("a table needs a header")
	}
	g := &grid{columns: len(p.Header)}
	if len(p.Align) > g.columns {
		return nil, prep.errorf("table: %d alignments for %d columns", len(p.Align), g.columns)
	}
	for i := range g.columns {
		a := AlignAuto
		if i < len(p.Align) {
			a = p.Align[i]
		}
		if a == AlignAuto {
			a = AlignRight
			if i == 0 {
				a = AlignLeft
			}
		}
		g.align = append(g.align, a)
	}
	g.cells = append(g.cells, slices.Clone(p.Header))
	g.keys = append(g.keys, nil)
	for i, row := range p.Rows {
		if len(row) > g.columns {
			return nil, prep.errorf("table row %d has %d cells, the header %d", i+1, len(row), g.columns)
		}
		full := make([]string, g.columns)
		copy(full, row)
		g.cells = append(g.cells, full)
		var key *Style
		if p.Keys && full[0] != "" {
			style := prep.style(full[0])
			key = &style
		}
		g.keys = append(g.keys, key)
	}
	for _, row := range g.cells {
		prep.text(row...)
	}
	return g, nil
}

func (g *grid) measure(vg.Point, vg.Length) margins { return margins{} }

// tableLayout is a table measured in one text size.
type tableLayout struct {
	size    float64
	blocks  [][]block
	widths  []vg.Length
	heights []vg.Length
	gap     vg.Length
	width   vg.Length
	height  vg.Length
	cut     bool
}

const (
	cellGap  = 6.0
	rowSpace = 2.2
	keySpace = fillWidth + 3
)

func (g *grid) draw(s *scene, _, tile vg.Rectangle) error {
	tile.Max.Y -= 1.5
	size := tile.Size()
	l, fits := g.fit(size)
	if !fits {
		return roomError(s.panel, "a table of %d rows and %d columns does not fit its tile", len(g.cells)-1, g.columns)
	}
	if l.size < smallestSize {
		s.cramp("%s: the table's text is %g pt, below %d pt", panelName(s.panel), l.size, smallestSize)
	}
	if l.cut {
		s.cramp("%s: cells of the table had to be shortened", panelName(s.panel))
	}
	// Spread the columns over the tile, but not so far that rows fall apart.
	if n := g.columns - 1; n > 0 {
		l.gap += min(14, (size.X-l.width)/vg.Length(n))
	}
	total := vg.Length(g.columns-1) * l.gap
	for _, w := range l.widths {
		total += w
	}
	space := min(3, (size.Y-l.height)/vg.Length(2*len(l.heights)))
	y := tile.Max.Y
	rule := func(width vg.Length) {
		s.line([]vg.Point{{X: tile.Min.X, Y: y}, {X: tile.Min.X + total, Y: y}}, ink, width, nil)
	}
	rule(0.8)
	for i := range l.blocks {
		height := l.heights[i] + 2*space
		g.drawRow(s, &l, i, vg.Point{X: tile.Min.X, Y: y - height/2})
		y -= height
		switch i {
		case 0:
			rule(0.5)
		case len(l.blocks) - 1:
			rule(0.8)
		}
	}
	return nil
}

// fit lays the table out as large as possible: it shrinks, then wraps, then goes below the recommended size.
func (g *grid) fit(size vg.Point) (l tableLayout, fits bool) {
	for _, try := range []struct {
		size float64
		wrap bool
	}{{labelSize, false}, {tickSize, false}, {smallestSize, false}, {tickSize, true}, {smallestSize, true}, {5, true}, {4, true}, {3, true}} {
		l = g.lay(try.size, size.X, try.wrap)
		if fits = l.width <= size.X+0.01 && l.height <= size.Y+0.01; fits && (!l.cut || try.size <= smallestSize) {
			break
		}
	}
	return l, fits
}

// drawRow draws the i-th row about a middle height, from its left edge.
func (g *grid) drawRow(s *scene, l *tableLayout, i int, corner vg.Point) {
	x, y := corner.X, corner.Y
	for j, b := range l.blocks[i] {
		position, align := x, alignStart
		switch g.align[j] {
		case AlignRight:
			position, align = x+l.widths[j], alignEnd
		case AlignCenter:
			position, align = x+l.widths[j]/2, alignCenter
		}
		if j == 0 && g.hasKeys() {
			if g.keys[i] != nil {
				drawSwatch(s, *g.keys[i], vg.Point{X: x, Y: y}, 1)
			}
			position += keySpace * vg.Length(1-align) // the key is left of the text
		}
		if b.width > 0 {
			s.drawText("cell", b, vg.Point{X: position, Y: y}, align, alignCenter, 0, ink)
		}
		x += l.widths[j] + l.gap
	}
}

func (g *grid) hasKeys() bool {
	return slices.ContainsFunc(g.keys, func(k *Style) bool { return k != nil })
}

// lay measures the table; with wrapping the widest columns shrink until the table is as wide as room.
func (g *grid) lay(size float64, width vg.Length, wrapping bool) tableLayout {
	l := tableLayout{size: size, gap: cellGap, widths: make([]vg.Length, g.columns)}
	if size <= smallestSize {
		l.gap = cellGap * 0.7
	}
	text := make([][]string, len(g.cells))
	least := make([]vg.Length, g.columns) // the widest part that cannot be wrapped
	for i, row := range g.cells {
		text[i] = slices.Clone(row)
		for j, cell := range row {
			l.widths[j] = max(l.widths[j], newBlock(cell, size, i == 0).width)
			for _, part := range unbreakable(cell) {
				least[j] = max(least[j], newBlock(strings.TrimRight(part, " "), size, i == 0).width)
			}
		}
	}
	reserve := vg.Length(g.columns-1) * l.gap
	if g.hasKeys() {
		reserve += keySpace
	}
	if wrapping {
		narrow(l.widths, least, width-reserve)
		for i, row := range text {
			for j := range row {
				var cut bool
				row[j], cut = shortenLines(wrap(row[j], size, i == 0, l.widths[j]+0.01), size, i == 0, l.widths[j]+0.01)
				l.cut = l.cut || cut
			}
		}
	}
	l.width = reserve
	for _, w := range l.widths {
		l.width += w
	}
	if g.hasKeys() {
		l.widths[0] += keySpace
	}
	for i, row := range text {
		var blocks []block
		height := vg.Length(0)
		for _, cell := range row {
			b := newBlock(cell, size, i == 0)
			blocks = append(blocks, b)
			height = max(height, b.height)
		}
		l.blocks = append(l.blocks, blocks)
		l.heights = append(l.heights, height+rowSpace*vg.Length(size/labelSize))
		l.height += l.heights[i]
	}
	return l
}

// narrow reduces the widest columns in steps until the sum is at most room: first no column below its widest word,
// then, if that is not enough, any.
func narrow(widths, least []vg.Length, limit vg.Length) {
	total := vg.Length(0)
	for _, w := range widths {
		total += w
	}
	for _, floor := range [][]vg.Length{least, make([]vg.Length, len(widths))} {
		for total > limit {
			widest := -1
			for j, w := range widths {
				if w > floor[j]+0.5 && (widest < 0 || w > widths[widest]) {
					widest = j
				}
			}
			if widest < 0 {
				break
			}
			step := min(1, widths[widest]-floor[widest], total-limit)
			widths[widest] -= step
			total -= step
		}
	}
}
