// The shared legend, in a tile of its own: gonum's covers the data and has one column.

package plots

import "gonum.org/v1/plot/vg"

// Distances in points.
const (
	legendGap  = 11.0 // between columns
	legendRule = 4.0  // between legend and panels
)

// legend is measured but not yet placed.
type legend struct {
	entries []legendEntry
	title   block
	kinds   int // union of the kinds of all keys: keys are equally wide
}

type legendEntry struct {
	key  legendKey
	text block
}

// newLegend collects the entries and fits their names into the available size.
func newLegend(f *Figure, prep *preparation, s *scene, size vg.Point) *legend {
	l := &legend{}
	if f.Legend == LegendNone || len(prep.keys) == 0 {
		return l
	}
	for _, name := range prep.order {
		l.kinds |= prep.keys[name]
	}
	widest := size.X - keyWidth(l.kinds) - keyGap
	if f.Legend == LegendRight {
		widest = 0.28*size.X - keyWidth(l.kinds) - keyGap
	}
	for _, name := range prep.order {
		kind, shown := prep.keys[name]
		if !shown {
			continue
		}
		text := name
		if newBlock(text, labelSize, false).width > widest {
			text = wrap(text, labelSize, false, widest)
		}
		text, cut := shortenLines(text, labelSize, false, widest)
		if cut {
			s.cramp("legend: the name %.60q had to be shortened", plainText(name))
		}
		l.entries = append(l.entries, legendEntry{legendKey{name, prep.style(name), kind}, newBlock(text, labelSize, false)})
	}
	if f.LegendTitle != "" {
		text, _ := shorten(f.LegendTitle, labelSize, false, max(widest, 30))
		l.title = newBlock(text, labelSize, true)
	}
	return l
}

// place draws the legend at an edge of rest and returns the remaining area.
func (l *legend) place(s *scene, where LegendPosition, rest vg.Rectangle) vg.Rectangle {
	if len(l.entries) == 0 {
		return rest
	}
	var row vg.Length
	for _, e := range l.entries {
		row = max(row, e.text.height, keyHeight)
	}
	row++
	size := rest.Size()
	titleWidth := vg.Length(0)
	if l.title.width > 0 && where != LegendRight {
		titleWidth = l.title.width + legendGap
	}
	columns := l.columns(size, row, titleWidth, where)
	starts, width := l.columnStarts(columns, where)
	rows := (len(l.entries) + columns - 1) / columns
	height := vg.Length(rows) * row
	origin := vg.Point{X: rest.Min.X + (size.X-width-titleWidth)/2 + titleWidth, Y: rest.Min.Y + height}
	titleAt := vg.Point{X: origin.X - titleWidth, Y: origin.Y - row/2}
	switch where {
	case LegendAbove:
		origin.Y = rest.Max.Y
		titleAt.Y = origin.Y - row/2
		rest.Max.Y -= height + legendRule
	case LegendRight:
		if l.title.width > 0 {
			width = max(width, l.title.width)
		}
		origin, titleAt = l.right(rest, width, height)
		rest.Max.X -= width + columnGap
	default:
		rest.Min.Y += height + legendRule
	}
	if l.title.width > 0 {
		s.drawText("legend", l.title, titleAt, alignStart, alignCenter, 0, ink)
	}
	for i, e := range l.entries {
		r, c := l.cell(i, columns, where)
		p := vg.Point{X: origin.X + starts[c], Y: origin.Y - (vg.Length(r)+0.5)*row}
		s.record("key", "", p, 0, vg.Rectangle{Min: vg.Point{Y: -keyHeight / 2}, Max: vg.Point{X: keyWidth(l.kinds), Y: keyHeight / 2}})
		e.key.draw(s, p, l.kinds, 1)
		s.drawText("legend", e.text, vg.Point{X: p.X + keyWidth(l.kinds) + keyGap, Y: p.Y}, alignStart, alignCenter, 0, ink)
	}
	return rest
}

// columns is how many columns the entries take: as many as fit below each other at
// the right, else as few rows as the width allows, equally full.
func (l *legend) columns(size vg.Point, row, titleWidth vg.Length, where LegendPosition) int {
	n := len(l.entries)
	if where == LegendRight {
		rows := max(1, int(size.Y/row))
		return (n + rows - 1) / rows
	}
	columns := n
	for ; columns > 1; columns-- {
		if _, width := l.columnStarts(columns, where); width <= size.X-titleWidth {
			break
		}
	}
	full := (n + columns - 1) / columns
	return (n + full - 1) / full
}

// right is where entries and title start at the right of rest, in the middle of
// its height.
func (l *legend) right(rest vg.Rectangle, width, height vg.Length) (origin, titleAt vg.Point) {
	top := (rest.Min.Y + rest.Max.Y + height) / 2
	origin = vg.Point{X: rest.Max.X - width, Y: min(top, rest.Max.Y)}
	titleAt = vg.Point{X: origin.X, Y: origin.Y + l.title.height/2}
	if l.title.width > 0 && titleAt.Y+l.title.height/2 > rest.Max.Y {
		origin.Y = rest.Max.Y - l.title.height
		titleAt.Y = origin.Y + l.title.height/2
	}
	return origin, titleAt
}

// cell is the row and column of the i-th entry: row by row, but column by column
// at the right.
func (l *legend) cell(i, columns int, where LegendPosition) (row, column int) {
	if where == LegendRight {
		rows := (len(l.entries) + columns - 1) / columns
		return i % rows, i / rows
	}
	return i / columns, i % columns
}

// columnStarts returns where each column starts, and the width of all.
func (l *legend) columnStarts(columns int, where LegendPosition) (starts []vg.Length, width vg.Length) {
	widths := make([]vg.Length, columns)
	for i, e := range l.entries {
		_, c := l.cell(i, columns, where)
		widths[c] = max(widths[c], keyWidth(l.kinds)+keyGap+e.text.width)
	}
	starts = make([]vg.Length, columns)
	for c, w := range widths {
		if c > 0 {
			width += legendGap
		}
		starts[c] = width
		width += w
	}
	return starts, width
}
