// Layout of a figure: margins, footnote, legend, grid, headers and aligned axes.

package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Distances in points.
const (
	outerMargin = 3.0
	columnGap   = 9.0
	rowGap      = 7.0
	headerGap   = 2.5
	smallestBox = 16.0 // a data rectangle below this is an error
)

// panelName names the i-th tile in messages: its letter, in the order of Tiles. A
// panel alone has none.
func panelName(i int) string {
	if i < 0 {
		return "panel"
	}
	return "panel " + letter(i)
}

// letter is a, b, …, z, aa, ab, …
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + string(rune('a'+i%26))
}

// placed is a tile ready to be laid out.
type placed struct {
	tile                  Tile
	content               content
	letter                block
	title                 block
	header                vg.Length
	rect                  vg.Rectangle // without its header
	headerTop             vg.Length
	chart                 bool
	need                  margins
	lastRow, lastColumn   int
	firstRow, firstColumn int
}

// checkSize validates the outer size.
func (f *Figure) checkSize() error {
	for _, size := range []float64{f.WidthMM, f.HeightMM} {
		if size > 1000 {
			return &RoomError{fmt.Sprintf("plots: figure of %g × %g mm: each side must be in (0, 1000]", f.WidthMM, f.HeightMM), noPanel}
		}
		if !(size > 0) {
			return fmt.Errorf("plots: figure of %g × %g mm: each side must be in (0, 1000]", f.WidthMM, f.HeightMM)
		}
	}
	return nil
}

// compose lays the figure out and draws it on a canvas.
func (f *Figure) compose(canvas vg.Canvas, vector bool) (s *scene, err error) {
	if err := f.checkSize(); err != nil {
		return nil, err
	}
	// The drawing libraries panic on unsupported input; no panic may leave this package.
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("plots: the figure could not be drawn: %v", r)
		}
	}()
	s = &scene{canvas: canvas, vector: vector, panel: -1,
		width: vg.Length(f.WidthMM) * mm, height: vg.Length(f.HeightMM) * mm}
	return s, f.draw(s)
}

// draw lays out and draws everything on the scene.
func (f *Figure) draw(s *scene) error {
	prep, err := newOrdered(f.Series, f.Ordered)
	if err != nil {
		return err
	}
	tiles, widths, heights, err := f.prepare(prep)
	if err != nil {
		return err
	}
	prep.panel = "figure"
	prep.text(f.Footnote, f.LegendTitle)
	prep.text(f.Notes...)
	s.warnings = append(s.warnings, prep.warnings...)

	rest := f.frame(s, prep)
	if rest.Size().X < 2*smallestBox || rest.Size().Y < 2*smallestBox {
		return &RoomError{fmt.Sprintf("plots: a figure of %g × %g mm has no room for panels next to its legend and footnote", f.WidthMM, f.HeightMM), noPanel}
	}
	gridCells(tiles, widths, heights, rest)
	return drawTiles(s, tiles, len(widths), len(heights))
}

// frame draws footnote and legend, and returns the area for the panels.
func (f *Figure) frame(s *scene, prep *preparation) vg.Rectangle {
	rest := vg.Rectangle{Min: vg.Point{X: outerMargin, Y: outerMargin},
		Max: vg.Point{X: s.width - outerMargin, Y: s.height - outerMargin}}
	// The footnote at the bottom.
	notes := prep.footer(f.Footnote, f.Notes)
	if notes != "" {
		b := newBlock(wrap(notes, smallestSize, false, rest.Size().X), smallestSize, false)
		s.drawText("footnote", b, rest.Min, alignStart, alignStart, 0, softInk)
		rest.Min.Y += b.height + 2
	}
	legend := newLegend(f, prep, s, rest.Size())
	return legend.place(s, f.Legend, rest)
}

// prepare validates tiles and panels, and returns them with the relative sizes of
// the grid.
func (f *Figure) prepare(prep *preparation) (tiles []*placed, widths, heights []float64, err error) {
	if len(f.Tiles) == 0 {
		return nil, nil, nil, errors.New("plots: a figure needs at least one panel")
	}
	tiles, columns, rows, err := f.place(prep)
	if err != nil {
		return nil, nil, nil, err
	}
	if widths, err = relativeSizes(f.ColumnWidths, columns, "ColumnWidths"); err != nil {
		return nil, nil, nil, err
	}
	if heights, err = relativeSizes(f.RowHeights, rows, "RowHeights"); err != nil {
		return nil, nil, nil, err
	}
	occupied := map[[2]int]int{}
	for i, p := range tiles {
		prep.panel, prep.absent = panelName(i), nil
		if err := p.occupy(prep, i, occupied); err != nil {
			return nil, nil, nil, err
		}
		if isNil(p.tile.Panel) {
			return nil, nil, nil, prep.errorf("no panel given")
		}
		if p.content, err = p.tile.Panel.prepare(prep); err != nil {
			return nil, nil, nil, err
		}
		_, p.chart = p.content.(*chart)
		prep.text(p.tile.Title, p.tile.Letter)
		switch {
		case p.tile.Letter == "-":
		case p.tile.Letter != "":
			p.letter = newBlock(p.tile.Letter, letterSize, true)
		case !f.NoLetters && len(f.Tiles) > 1:
			p.letter = newBlock(letter(i), letterSize, true)
		}
	}
	return tiles, widths, heights, nil
}

// place assigns cells to the tiles, and returns the size of the grid.
func (f *Figure) place(prep *preparation) (tiles []*placed, columns, rows int, err error) {
	columns, rows = 1, 1
	for i, t := range f.lack(prep) {
		t.RowSpan, t.ColumnSpan = max(1, t.RowSpan), max(1, t.ColumnSpan)
		prep.panel = panelName(i)
		if t.Row < 0 || t.Column < 0 || t.Row+t.RowSpan > 100 || t.Column+t.ColumnSpan > 100 {
			return nil, 0, 0, prep.errorf("row %d, column %d is outside the grid", t.Row, t.Column)
		}
		columns, rows = max(columns, t.Column+t.ColumnSpan), max(rows, t.Row+t.RowSpan)
		tiles = append(tiles, &placed{tile: t, firstRow: t.Row, firstColumn: t.Column,
			lastRow: t.Row + t.RowSpan - 1, lastColumn: t.Column + t.ColumnSpan - 1})
	}
	return tiles, columns, rows, nil
}

// relativeSizes checks the sizes of columns or rows; nil: all equal.
func relativeSizes(sizes []float64, count int, what string) ([]float64, error) {
	if sizes == nil {
		return slices.Repeat([]float64{1}, count), nil
	}
	if len(sizes) < count {
		return nil, fmt.Errorf("plots: %s has %d entries, the tiles need %d", what, len(sizes), count)
	}
	for _, v := range sizes {
		if !(v > 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("plots: %s: relative sizes must be positive, got %g", what, v)
		}
	}
	return sizes, nil
}

// occupy takes the cells of the i-th tile.
func (p *placed) occupy(prep *preparation, i int, occupied map[[2]int]int) error {
	for r := p.firstRow; r <= p.lastRow; r++ {
		for c := p.firstColumn; c <= p.lastColumn; c++ {
			if other, taken := occupied[[2]int{r, c}]; taken {
				return prep.errorf("row %d, column %d already contains %s", r, c, panelName(other))
			}
			occupied[[2]int{r, c}] = i
		}
	}
	return nil
}

// gridCells gives every tile its rectangle and its header.
func gridCells(tiles []*placed, widths, heights []float64, area vg.Rectangle) {
	columns := divide(widths, area.Size().X, columnGap)
	rows := divide(heights, area.Size().Y, rowGap)
	headers := make([]vg.Length, len(heights))
	for _, p := range tiles {
		p.rect.Min.X = area.Min.X + columns[p.firstColumn][0]
		p.rect.Max.X = area.Min.X + columns[p.lastColumn][1]
		p.headerTop = area.Max.Y - rows[p.firstRow][0]
		p.rect.Min.Y = area.Max.Y - rows[p.lastRow][1]
		width := p.rect.Size().X
		if p.letter.width > 0 {
			width -= p.letter.width + 4
			p.header = p.letter.height + headerGap
		}
		if p.tile.Title != "" {
			text, _ := shortenLines(wrap(p.tile.Title, titleSize, false, width), titleSize, false, width)
			p.title = newBlock(text, titleSize, false)
			p.header = max(p.header, p.title.height+(letterSize-titleSize)*ascent+headerGap)
		}
		headers[p.firstRow] = max(headers[p.firstRow], p.header)
	}
	for _, p := range tiles {
		p.rect.Max.Y = p.headerTop - headers[p.firstRow]
	}
}

// divide splits a length by relative sizes with gaps between; pairs of start and
// end.
func divide(sizes []float64, length, gap vg.Length) [][2]vg.Length {
	total := 0.0
	for _, v := range sizes {
		total += v
	}
	space := max(0, length-gap*vg.Length(len(sizes)-1))
	parts := make([][2]vg.Length, len(sizes))
	offset := vg.Length(0)
	for i, v := range sizes {
		w := space * vg.Length(v/total)
		parts[i] = [2]vg.Length{offset, offset + w}
		offset += w + gap
	}
	return parts
}

// edges are the margins of the grid's columns and rows: charts of one row share
// their lower and upper edges, charts of one column their left and right ones.
type edges struct{ left, right, bottom, top []vg.Length }

// data is the data rectangle of a tile.
func (e *edges) data(p *placed) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: p.rect.Min.X + e.left[p.firstColumn], Y: p.rect.Min.Y + e.bottom[p.lastRow]},
		Max: vg.Point{X: p.rect.Max.X - e.right[p.lastColumn], Y: p.rect.Max.Y - e.top[p.firstRow]},
	}
}

// grow makes the edges suffice for a chart, and reports whether they did not.
func (e *edges) grow(p *placed) (grown bool) {
	for _, side := range []struct {
		margin *vg.Length
		need   vg.Length
	}{{&e.left[p.firstColumn], p.need.left}, {&e.right[p.lastColumn], p.need.right},
		{&e.bottom[p.lastRow], p.need.bottom}, {&e.top[p.firstRow], p.need.top}} {
		if side.need > *side.margin+0.01 {
			*side.margin, grown = side.need, true
		}
	}
	return grown
}

// checkRoom returns an error unless a data rectangle has the smallest size.
func checkRoom(i int, size vg.Point) error {
	if size.X >= smallestBox && size.Y >= smallestBox {
		return nil
	}
	return roomError(i, "only %.0f × %.0f mm are left for the data: make the figure larger, or shorten labels and legend",
		max(0, size.X/mm), max(0, size.Y/mm))
}

// align finds the edges. Ticks depend on the size of the data rectangle and its
// size on the ticks: margins grow until they suffice. They never shrink, so this
// ends.
func align(tiles []*placed, columns, rows int) (*edges, error) {
	e := &edges{left: make([]vg.Length, columns), right: make([]vg.Length, columns),
		bottom: make([]vg.Length, rows), top: make([]vg.Length, rows)}
	for range 6 {
		for i, p := range tiles {
			if !p.chart {
				continue
			}
			size := e.data(p).Size()
			if err := checkRoom(i, size); err != nil {
				return nil, err
			}
			p.need = p.content.measure(size, p.rect.Size().Y)
		}
		grown := false
		for _, p := range tiles {
			grown = p.chart && e.grow(p) || grown
		}
		if !grown {
			break
		}
	}
	return e, nil
}

// drawTiles aligns the charts and draws all tiles.
func drawTiles(s *scene, tiles []*placed, columns, rows int) error {
	e, err := align(tiles, columns, rows)
	if err != nil {
		return err
	}
	defer func() { s.panel = -1 }()
	for i, p := range tiles {
		s.panel = i
		p.drawHeader(s)
		inner := p.rect
		if p.chart {
			inner = e.data(p)
			if err := checkRoom(i, inner.Size()); err != nil {
				return err
			}
			p.content.measure(inner.Size(), p.rect.Size().Y)
		} else if size := inner.Size(); size.X < smallestBox || size.Y < smallestBox {
			return roomError(i, "its tile is too small")
		}
		if err := p.content.draw(s, inner, p.rect); err != nil {
			return err
		}
	}
	return nil
}

// drawHeader draws letter and title.
func (p *placed) drawHeader(s *scene) {
	baseline := p.headerTop - letterSize*ascent
	x := p.rect.Min.X
	if p.letter.width > 0 {
		s.drawText("letter", p.letter, vg.Point{X: x, Y: baseline - letterSize*descent}, alignStart, alignStart, 0, ink)
		x += p.letter.width + 4
	}
	if p.title.width > 0 {
		s.drawText("title", p.title, vg.Point{X: x, Y: baseline + titleSize*ascent}, alignStart, alignEnd, 0, ink)
	}
}

// errorIn makes an error that names the i-th tile.
func errorIn(i int, format string, args ...any) error {
	return fmt.Errorf("plots: %s: %s", panelName(i), fmt.Sprintf(format, args...))
}

// RoomError reports that the content of a figure does not fit, though it could be drawn larger.
type RoomError struct {
	text  string
	panel int // that has too little; noPanel: the figure
}

func (e *RoomError) Error() string { return e.text }

// NoRoom identifies such an error without importing this package.
func (e *RoomError) NoRoom() {}

func roomError(i int, format string, args ...any) error {
	return &RoomError{errorIn(i, format, args...).Error(), i}
}
