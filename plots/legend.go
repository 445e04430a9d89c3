// The shared legend, in a tile of its own.

package plots

import (
	"gonum.org/v1/plot/vg"
)

// Lengths of legend keys in points.
const (
	keyHeight  = 6.0
	fillWidth  = 8.0
	lineWidth  = 17.0
	keyGap     = 3.0
	legendGap  = 11.0
	legendRule = 4.0
)

// legend is measured but not yet placed.
type legend struct {
	entries []legendEntry
	title   block
	kinds   int // union of the kinds of all keys: keys are equally wide
}

type legendEntry struct {
	style Style
	kind  int
	text  block
}

// newLegend collects the entries and fits their names into the room.
func newLegend(f *Figure, env *environment, s *scene, room vg.Point) *legend {
	l := &legend{}
	if f.Legend == LegendNone || len(env.keys) == 0 {
		return l
	}
	for _, name := range env.order {
		l.kinds |= env.keys[name]
	}
	widest := room.X - l.keyWidth() - keyGap
	if f.Legend == LegendRight {
		widest = 0.28*room.X - l.keyWidth() - keyGap
	}
	for _, name := range env.order {
		kind, shown := env.keys[name]
		if !shown {
			continue
		}
		text := name
		if newBlock(text, labelSize, false).width > widest {
			text = wrap(text, labelSize, false, widest)
		}
		text, cut := shortenLines(text, labelSize, false, widest)
		if cut {
			s.warn("legend: the name %q had to be shortened", plainText(name))
		}
		l.entries = append(l.entries, legendEntry{env.style(name), kind, newBlock(text, labelSize, false)})
	}
	if f.LegendTitle != "" {
		text, _ := shorten(f.LegendTitle, labelSize, false, max(widest, 30))
		l.title = newBlock(text, labelSize, true)
	}
	return l
}

func (l *legend) keyWidth() vg.Length {
	var w vg.Length
	if l.kinds&keyFill != 0 {
		w += fillWidth
	}
	if l.kinds&keyLine != 0 {
		w += lineWidth
	} else if l.kinds&keyMarker != 0 {
		w += fillWidth
	}
	if l.kinds&keyFill != 0 && l.kinds&(keyLine|keyMarker) != 0 {
		w += keyGap
	}
	return w
}

// place draws the legend at an edge of rest and returns what is left.
func (l *legend) place(s *scene, where LegendPosition, rest vg.Rectangle) vg.Rectangle {
	if len(l.entries) == 0 {
		return rest
	}
	var row vg.Length
	for _, e := range l.entries {
		row = max(row, e.text.height, keyHeight)
	}
	row++
	room := rest.Size()
	titleWidth := vg.Length(0)
	if l.title.width > 0 {
		titleWidth = l.title.width + legendGap
	}
	n := len(l.entries)
	columns := 1
	if where == LegendRight {
		columns = (n + max(1, int(room.Y/row)) - 1) / max(1, int(room.Y/row))
		titleWidth = 0
	} else {
		for columns = n; columns > 1; columns-- {
			if _, width := l.columnStarts(columns, where); width <= room.X-titleWidth {
				break
			}
		}
		full := (n + columns - 1) / columns
		columns = (n + full - 1) / full // equally full rows
	}
	starts, width := l.columnStarts(columns, where)
	rows := (n + columns - 1) / columns
	height := vg.Length(rows) * row
	origin := vg.Point{X: rest.Min.X + (room.X-width-titleWidth)/2 + titleWidth, Y: rest.Min.Y + height}
	titleAt := vg.Point{X: origin.X - titleWidth, Y: origin.Y - row/2}
	switch where {
	case LegendAbove:
		origin.Y = rest.Max.Y
		titleAt.Y = origin.Y - row/2
		rest.Max.Y -= height + legendRule
	case LegendRight:
		top := (rest.Min.Y + rest.Max.Y + height) / 2
		if l.title.width > 0 {
			width = max(width, l.title.width)
		}
		origin = vg.Point{X: rest.Max.X - width, Y: min(top, rest.Max.Y)}
		titleAt = vg.Point{X: origin.X, Y: origin.Y + l.title.height/2}
		if l.title.width > 0 && titleAt.Y+l.title.height/2 > rest.Max.Y {
			origin.Y = rest.Max.Y - l.title.height
			titleAt.Y = origin.Y + l.title.height/2
		}
		rest.Max.X -= width + columnGap
	default:
		rest.Min.Y += height + legendRule
	}
	if l.title.width > 0 {
		s.drawText("legend", l.title, titleAt, alignStart, alignCenter, 0, ink)
	}
	for i, e := range l.entries {
		r, c := l.cell(i, columns, where)
		at := vg.Point{X: origin.X + starts[c], Y: origin.Y - (vg.Length(r)+0.5)*row}
		l.key(s, e, at)
		s.drawText("legend", e.text, vg.Point{X: at.X + l.keyWidth() + keyGap, Y: at.Y}, alignStart, alignCenter, 0, ink)
	}
	return rest
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
		widths[c] = max(widths[c], l.keyWidth()+keyGap+e.text.width)
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

// key draws the sample of one series: opaque, whatever the panels use.
func (l *legend) key(s *scene, e legendEntry, at vg.Point) {
	x := at.X
	s.record("key", "", at, 0, vg.Rectangle{Min: vg.Point{Y: -keyHeight / 2}, Max: vg.Point{X: l.keyWidth(), Y: keyHeight / 2}})
	if l.kinds&keyFill != 0 {
		if e.kind&keyFill != 0 {
			drawSwatch(s, e.style, vg.Point{X: x, Y: at.Y})
		}
		x += fillWidth + keyGap
	}
	switch {
	case l.kinds&keyLine != 0:
		if e.kind&keyLine != 0 {
			s.line([]vg.Point{{X: x, Y: at.Y}, {X: x + lineWidth, Y: at.Y}}, e.style.Line, 1, e.style.dash)
		}
		if e.kind&keyMarker != 0 {
			s.marker(vg.Point{X: x + lineWidth/2, Y: at.Y}, 2, e.style, e.style.Fill, e.style.Edge, 0.3)
		}
	case l.kinds&keyMarker != 0:
		s.marker(vg.Point{X: x + fillWidth/2, Y: at.Y}, 2.2, e.style, e.style.Fill, e.style.Edge, 0.3)
	}
}

// drawSwatch draws the filled key of a series, its left edge at p.
func drawSwatch(s *scene, style Style, p vg.Point) {
	s.box(vg.Rectangle{Min: vg.Point{X: p.X, Y: p.Y - keyHeight/2}, Max: vg.Point{X: p.X + fillWidth, Y: p.Y + keyHeight/2}},
		style, style.Fill, 0.4)
}
