// Contact sheets of boards: lattices of points with marks.

package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the boards into the data rectangle of a plot, whose axes [Add] hides.
func (p *BoardSheet) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// Thumbnail draws the markers of the kinds side by side.
func (p *BoardSheet) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

// boards is a prepared BoardSheet.
type boards struct {
	of            *BoardSheet
	styles        []Style // of the kinds
	columns       int     // boards in a row
	width, height int     // points of a board
}

func (p *BoardSheet) prepare(prep *preparation) (content, error) {
	b := &boards{of: p, width: len(p.XNames), height: len(p.YNames)}
	if len(p.Kinds) == 0 || b.width == 0 || b.height == 0 {
		return nil, prep.errorf("a sheet of boards with %d × %d holds and %d kinds of marks; want at least one of each",
			b.width, b.height, len(p.Kinds))
	}
	if err := prep.names(p.Kinds); err != nil {
		return nil, err
	}
	some := false
	for i, row := range p.Boards {
		b.columns = max(b.columns, len(row))
		for j, marks := range row {
			if want := len(p.Kinds) * b.width * b.height; marks != nil && len(marks) != want {
				return nil, prep.errorf("the board in row %d, column %d has %d marks, want %d: %d kinds on %d × %d holds",
					i, j, len(marks), want, len(p.Kinds), b.height, b.width)
			}
			some = some || marks != nil
		}
	}
	if !some {
		return nil, prep.errorf("a sheet of boards needs at least one board")
	}
	for _, names := range []struct {
		what         string
		labels, rows int
	}{{"row", len(p.RowLabels), len(p.Boards)}, {"column", len(p.ColumnLabels), b.columns}} {
		if names.labels > 0 && names.labels != names.rows {
			return nil, prep.errorf("%d %s labels for %d %ss of boards", names.labels, names.what, names.rows, names.what)
		}
	}
	for _, texts := range [][]string{p.RowLabels, p.ColumnLabels, p.XNames, p.YNames} {
		prep.text(texts...)
	}
	for _, kind := range p.Kinds {
		b.styles = append(b.styles, prep.style(kind))
		prep.explain(kind, keyMarker)
	}
	return b, nil
}

func (b *boards) measure(vg.Point, vg.Length) margins { return margins{} }

// Lengths of a sheet of boards in points.
const (
	boardGap    = 5.0 // between boards
	placeRadius = 0.5 // of the dot at a point without a mark
	boardRim    = 0.6 // between the outer points and the frame, in distances of points
)

func (b *boards) draw(s *scene, _, tile vg.Rectangle) error {
	area := tile
	rows := fitLabels(s, b.of.RowLabels, tickSize, tile.Size().Y/vg.Length(len(b.of.Boards)), "row")
	for _, label := range rows { // they are upright
		area.Min.X = max(area.Min.X, tile.Min.X+label.height+labelGap)
	}
	names := vg.Length(0)
	for _, name := range b.of.YNames {
		names = max(names, newBlock(name, smallestSize, false).width)
	}
	rowNames := names + labelGap
	area.Min.X += rowNames
	line := vg.Length(smallestSize * (ascent + descent))
	area.Min.Y += line + 1 // the names of columns
	titles := fitLabels(s, b.of.ColumnLabels, tickSize, (area.Size().X+boardGap)/vg.Length(b.columns)-boardGap, "column")
	head := vg.Length(0)
	for _, title := range titles {
		head = max(head, title.height+1)
	}
	area.Max.Y -= head
	step := b.step(area)
	if step < 1.5 {
		return roomError(s.panel, "%s of %d × %d holds do not fit the tile",
			fmt.Sprintf("%d × %d boards", len(b.of.Boards), b.columns), b.height, b.width)
	}
	size := vg.Point{X: step * (vg.Length(b.width-1) + 2*boardRim), Y: step * (vg.Length(b.height-1) + 2*boardRim)}
	for i, row := range b.of.Boards {
		low := area.Max.Y - size.Y - vg.Length(i)*(size.Y+boardGap)
		if len(rows) > 0 {
			s.drawText("tick", rows[i], vg.Point{X: area.Min.X - rowNames - labelGap, Y: low + size.Y/2}, alignCenter,
				alignStart, math.Pi/2, ink)
		}
		for j, marks := range row {
			if marks == nil {
				continue
			}
			corner := vg.Point{X: area.Min.X + vg.Length(j)*(size.X+boardGap), Y: low}
			b.drawBoard(s, marks, vg.Rectangle{Min: corner, Max: corner.Add(size)}, step)
			if j == 0 {
				b.nameRows(s, corner, step)
			}
			if i == len(b.of.Boards)-1 {
				b.nameColumns(s, corner, step)
			}
		}
	}
	for j, title := range titles {
		x := area.Min.X + vg.Length(j)*(size.X+boardGap) + size.X/2
		s.drawText("tick", title, vg.Point{X: x, Y: area.Max.Y + 1}, alignCenter, alignStart, 0, ink)
	}
	return nil
}

// step is the distance of two points, such that all boards fit.
func (b *boards) step(area vg.Rectangle) vg.Length {
	one := func(room vg.Length, boards, places int) vg.Length {
		return ((room+boardGap)/vg.Length(boards) - boardGap) / (vg.Length(places-1) + 2*boardRim)
	}
	return min(one(area.Size().X, b.columns, b.width), one(area.Size().Y, len(b.of.Boards), b.height))
}

// place is the center of a point of a board with this lower left corner.
func place(corner vg.Point, column, row int, step vg.Length) vg.Point {
	return corner.Add(vg.Point{X: step * (vg.Length(column) + boardRim), Y: step * (vg.Length(row) + boardRim)})
}

// drawBoard draws a frame, a dot at each point, and the marks: several kinds at one point inside each other, the first
// outermost.
func (b *boards) drawBoard(s *scene, marks []uint8, frame vg.Rectangle, step vg.Length) {
	s.canvas.SetColor(plainInk)
	s.canvas.SetLineWidth(0.4)
	s.canvas.SetLineDash(nil, 0)
	s.canvas.Stroke(rectangle(frame))
	s.record("image", "", vg.Point{}, 0, frame)
	for row := range b.height {
		for column := range b.width {
			p := place(frame.Min, column, row, step)
			s.canvas.SetColor(gridInk)
			s.canvas.Fill(circle(p, placeRadius*min(1, step/4)))
			radius := step * 0.46
			for k, style := range b.styles {
				if marks[(k*b.height+row)*b.width+column] != 0 {
					s.marker(p, radius, style, style.Fill, style.Edge, 0.3)
					radius *= 0.55
				}
			}
		}
	}
}

// every is the smallest step between names that fit.
func every(count int, size, step vg.Length) int {
	k := 1
	for vg.Length(k)*step < size && k < count {
		k++
	}
	return k
}

func (b *boards) nameRows(s *scene, corner vg.Point, step vg.Length) {
	k := every(b.height, smallestSize*capHeight*1.3, step)
	for row := 0; row < b.height; row += k {
		at := place(corner, 0, row, step)
		s.drawText("tick", newBlock(b.of.YNames[row], smallestSize, false), vg.Point{X: corner.X - labelGap, Y: at.Y},
			alignEnd, alignCenter, 0, softInk)
	}
}

func (b *boards) nameColumns(s *scene, corner vg.Point, step vg.Length) {
	widest := vg.Length(0)
	for _, name := range b.of.XNames {
		widest = max(widest, newBlock(name, smallestSize, false).width)
	}
	k := every(b.width, widest+1.5, step)
	for column := 0; column < b.width; column += k {
		at := place(corner, column, 0, step)
		s.drawText("tick", newBlock(b.of.XNames[column], smallestSize, false), vg.Point{X: at.X, Y: corner.Y - 1},
			alignCenter, alignEnd, 0, softInk)
	}
}
