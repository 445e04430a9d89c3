// Layout of a figure: margins, footnote, legend, grid, headers and aligned axes.

package plots

import (
	"fmt"
	"math"
	"strings"

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

// panelName names the i-th tile in messages: its letter, in the order of Tiles.
func panelName(i int) string {
	if i < 0 {
		return "figure"
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
	tile                 Tile
	content              content
	letter               block
	title                block
	header               vg.Length
	rect                 vg.Rectangle // without its header
	headerTop            vg.Length
	chart                bool
	need                 margins
	lastRow, lastColumn  int
	firstRow, firstColum int
}

// checkSize validates the outer size.
func (f *Figure) checkSize() error {
	for _, size := range []float64{f.WidthMM, f.HeightMM} {
		if !(size > 0 && size <= 1000) {
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
	// The drawing libraries panic on what they cannot do; no panic may leave this
	// package.
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
	env, err := newEnvironment(f.Series)
	if err != nil {
		return err
	}
	tiles, widths, heights, err := f.prepare(env)
	if err != nil {
		return err
	}
	env.panel = "figure"
	env.text(f.Footnote, f.LegendTitle)
	s.warnings = append(s.warnings, env.warnings...)

	rest := vg.Rectangle{Min: vg.Point{X: outerMargin, Y: outerMargin},
		Max: vg.Point{X: s.width - outerMargin, Y: s.height - outerMargin}}
	// The footnote at the bottom.
	notes := strings.TrimSpace(strings.Join(append([]string{f.Footnote}, env.notes...), " "))
	if notes != "" {
		b := newBlock(wrap(notes, smallestSize, false, rest.Size().X), smallestSize, false)
		s.drawText("footnote", b, rest.Min, alignStart, alignStart, 0, softInk)
		rest.Min.Y += b.height + 2
	}
	legend := newLegend(f, env, s, rest.Size())
	rest = legend.place(s, f.Legend, rest)
	if rest.Size().X < 2*smallestBox || rest.Size().Y < 2*smallestBox {
		return fmt.Errorf("plots: a figure of %g × %g mm has no room for panels beside its legend and footnote", f.WidthMM, f.HeightMM)
	}
	gridCells(tiles, widths, heights, rest)
	return drawTiles(s, tiles, len(widths), len(heights))
}

// prepare validates tiles and panels, and returns them with the relative sizes of
// the grid.
func (f *Figure) prepare(env *environment) (tiles []*placed, widths, heights []float64, err error) {
	if len(f.Tiles) == 0 {
		return nil, nil, nil, fmt.Errorf("plots: a figure needs at least one panel")
	}
	widths, heights = f.ColumnWidths, f.RowHeights
	columns, rows := 1, 1
	for i, t := range f.Tiles {
		t.RowSpan, t.ColumnSpan = max(1, t.RowSpan), max(1, t.ColumnSpan)
		env.panel = panelName(i)
		if t.Row < 0 || t.Column < 0 || t.Row+t.RowSpan > 100 || t.Column+t.ColumnSpan > 100 {
			return nil, nil, nil, env.errorf("row %d, column %d is outside the grid", t.Row, t.Column)
		}
		columns, rows = max(columns, t.Column+t.ColumnSpan), max(rows, t.Row+t.RowSpan)
		tiles = append(tiles, &placed{tile: t, firstRow: t.Row, firstColum: t.Column,
			lastRow: t.Row + t.RowSpan - 1, lastColumn: t.Column + t.ColumnSpan - 1})
	}
	for _, g := range []struct {
		sizes *[]float64
		count int
		what  string
	}{{&widths, columns, "ColumnWidths"}, {&heights, rows, "RowHeights"}} {
		if *g.sizes == nil {
			for range g.count {
				*g.sizes = append(*g.sizes, 1)
			}
		}
		if len(*g.sizes) < g.count {
			return nil, nil, nil, fmt.Errorf("plots: %s has %d entries, the tiles need %d", g.what, len(*g.sizes), g.count)
		}
		for _, v := range *g.sizes {
			if !(v > 0) || math.IsInf(v, 0) {
				return nil, nil, nil, fmt.Errorf("plots: %s: relative sizes must be positive, got %g", g.what, v)
			}
		}
	}
	occupied := map[[2]int]int{}
	for i, p := range tiles {
		env.panel = panelName(i)
		for r := p.firstRow; r <= p.lastRow; r++ {
			for c := p.firstColum; c <= p.lastColumn; c++ {
				if other, taken := occupied[[2]int{r, c}]; taken {
					return nil, nil, nil, env.errorf("row %d, column %d already holds %s", r, c, panelName(other))
				}
				occupied[[2]int{r, c}] = i
			}
		}
		if isNil(p.tile.Panel) {
			return nil, nil, nil, env.errorf("no panel given")
		}
		if p.content, err = p.tile.Panel.prepare(env); err != nil {
			return nil, nil, nil, err
		}
		_, p.chart = p.content.(*chart)
		env.text(p.tile.Title, p.tile.Letter)
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

// isNil reports whether a panel is nil or a nil pointer of a panel's type.
func isNil(p Panel) bool {
	switch p := p.(type) {
	case nil:
		return true
	case *Scatter:
		return p == nil
	case *BoxPlot:
		return p == nil
	case *GroupedBars:
		return p == nil
	case *Bars:
		return p == nil
	case *Curves:
		return p == nil
	case *Spectrum:
		return p == nil
	case *Table:
		return p == nil
	case *ImageGrid:
		return p == nil
	case *Text:
		return p == nil
	}
	return false
}

// gridCells gives every tile its rectangle and its header.
func gridCells(tiles []*placed, widths, heights []float64, area vg.Rectangle) {
	columns := divide(widths, area.Size().X, columnGap)
	rows := divide(heights, area.Size().Y, rowGap)
	headers := make([]vg.Length, len(heights))
	for _, p := range tiles {
		p.rect.Min.X = area.Min.X + columns[p.firstColum][0]
		p.rect.Max.X = area.Min.X + columns[p.lastColumn][1]
		p.headerTop = area.Max.Y - rows[p.firstRow][0]
		p.rect.Min.Y = area.Max.Y - rows[p.lastRow][1]
		room := p.rect.Size().X
		if p.letter.width > 0 {
			room -= p.letter.width + 4
			p.header = p.letter.height + headerGap
		}
		if p.tile.Title != "" {
			text, _ := shortenLines(wrap(p.tile.Title, titleSize, false, room), titleSize, false, room)
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
	room := max(0, length-gap*vg.Length(len(sizes)-1))
	parts := make([][2]vg.Length, len(sizes))
	at := vg.Length(0)
	for i, v := range sizes {
		w := room * vg.Length(v/total)
		parts[i] = [2]vg.Length{at, at + w}
		at += w + gap
	}
	return parts
}

// drawTiles aligns the data rectangles of the charts, rows by their lower and
// upper edges and columns by their left and right edges, and draws all tiles.
func drawTiles(s *scene, tiles []*placed, columns, rows int) error {
	left, right := make([]vg.Length, columns), make([]vg.Length, columns)
	bottom, top := make([]vg.Length, rows), make([]vg.Length, rows)
	data := func(p *placed) vg.Rectangle {
		return vg.Rectangle{
			Min: vg.Point{X: p.rect.Min.X + left[p.firstColum], Y: p.rect.Min.Y + bottom[p.lastRow]},
			Max: vg.Point{X: p.rect.Max.X - right[p.lastColumn], Y: p.rect.Max.Y - top[p.firstRow]},
		}
	}
	// Ticks depend on the size of the data rectangle and its size on the ticks:
	// grow the margins until they suffice. They never shrink, so this ends.
	for range 6 {
		grown := false
		grow := func(m *vg.Length, need vg.Length) {
			if need > *m+0.01 {
				*m, grown = need, true
			}
		}
		for i, p := range tiles {
			if !p.chart {
				continue
			}
			size := data(p).Size()
			if size.X < smallestBox || size.Y < smallestBox {
				return fmt.Errorf("plots: %s: only %.0f × %.0f mm are left for the data: make the figure larger, or labels and legend shorter",
					panelName(i), max(0, size.X/mm), max(0, size.Y/mm))
			}
			p.need = p.content.measure(size, p.rect.Size().Y)
		}
		for _, p := range tiles {
			if p.chart {
				grow(&left[p.firstColum], p.need.left)
				grow(&right[p.lastColumn], p.need.right)
				grow(&bottom[p.lastRow], p.need.bottom)
				grow(&top[p.firstRow], p.need.top)
			}
		}
		if !grown {
			break
		}
	}
	for i, p := range tiles {
		s.panel = i
		baseline := p.headerTop - letterSize*ascent
		if p.letter.width > 0 {
			s.drawText("letter", p.letter, vg.Point{X: p.rect.Min.X, Y: baseline - letterSize*descent}, alignStart, alignStart, 0, ink)
		}
		if p.title.width > 0 {
			x := p.rect.Min.X
			if p.letter.width > 0 {
				x += p.letter.width + 4
			}
			s.drawText("title", p.title, vg.Point{X: x, Y: baseline + titleSize*ascent}, alignStart, alignEnd, 0, ink)
		}
		inner := p.rect
		if p.chart {
			inner = data(p)
			if size := inner.Size(); size.X < smallestBox || size.Y < smallestBox {
				return fmt.Errorf("plots: %s: only %.0f × %.0f mm are left for the data: make the figure larger, or labels and legend shorter",
					panelName(i), max(0, size.X/mm), max(0, size.Y/mm))
			}
			p.content.measure(inner.Size(), p.rect.Size().Y)
		} else if size := inner.Size(); size.X < smallestBox || size.Y < smallestBox {
			return fmt.Errorf("plots: %s: its tile is too small", panelName(i))
		}
		if err := p.content.draw(s, inner, p.rect); err != nil {
			return err
		}
	}
	s.panel = -1
	return nil
}

// errorIn makes an error that names the i-th tile.
func errorIn(i int, format string, args ...any) error {
	return fmt.Errorf("plots: %s: %s", panelName(i), fmt.Sprintf(format, args...))
}
