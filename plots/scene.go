// The scene: the canvas of a figure, with a record of the drawn boxes. Shapes and markers are drawn here.

package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scene is one drawing of a figure.
type scene struct {
	canvas   vg.Canvas
	vector   bool // PDF or SVG: heavy layers become images
	width    vg.Length
	height   vg.Length
	panel    int // index of the tile being drawn, −1 outside
	marks    []mark
	warnings []string
	cramped  map[int]bool // panels with texts that are cut, too small or left out
}

// mark records where something was drawn, so that tests can assert that nothing
// overlaps or leaves the canvas.
type mark struct {
	kind    string
	text    string
	panel   int
	size    vg.Length // of a text's letters
	corners [4]vg.Point
}

// record notes a rectangle relative to p and rotated about p.
func (s *scene) record(kind, text string, p vg.Point, rotation float64, r vg.Rectangle) {
	m := mark{kind: kind, text: text, panel: s.panel}
	for i, c := range []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}} {
		m.corners[i] = p.Add(rotated(c, rotation))
	}
	s.marks = append(s.marks, m)
}

// warn adds a warning once.
func (s *scene) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}

// cramp adds a warning that the panel is too small.
func (s *scene) cramp(format string, args ...any) {
	if s.cramped == nil {
		s.cramped = map[int]bool{}
	}
	s.cramped[s.panel] = true
	s.warn(format, args...)
}

// line strokes an open polyline.
func (s *scene) line(points []vg.Point, c color.Color, width vg.Length, dash []vg.Length) {
	if len(points) < 2 {
		return
	}
	s.canvas.SetColor(c)
	s.canvas.SetLineWidth(width)
	s.canvas.SetLineDash(dash, 0)
	var path vg.Path
	path.Move(points[0])
	for _, p := range points[1:] {
		path.Line(p)
	}
	s.canvas.Stroke(path)
	s.canvas.SetLineDash(nil, 0)
}

// clippedLine strokes the part of a polyline inside r.
func (s *scene) clippedLine(points []vg.Point, r vg.Rectangle, c color.Color, width vg.Length, dash []vg.Length) {
	area := draw.Canvas{Canvas: s.canvas, Rectangle: r}
	for _, part := range area.ClipLinesXY(points) {
		s.line(part, c, width, dash)
	}
}

// clippedPolygon fills the part of a polygon inside r.
func (s *scene) clippedPolygon(points []vg.Point, r vg.Rectangle, c color.Color) {
	area := draw.Canvas{Canvas: s.canvas, Rectangle: r}
	if points = area.ClipPolygonXY(points); len(points) >= 3 {
		s.canvas.SetColor(c)
		s.canvas.Fill(polygon(points))
	}
}

// box fills and outlines a rectangle in the style of a series, hatched when the
// style is hollow.
func (s *scene) box(r vg.Rectangle, style Style, fill color.NRGBA, edge vg.Length) {
	outline := rectangle(r)
	s.canvas.SetColor(fill)
	s.canvas.Fill(outline)
	if style.Hollow {
		s.hatch(r, paperOpen)
	}
	if edge > 0 {
		s.canvas.SetColor(style.Edge)
		s.canvas.SetLineWidth(edge)
		s.canvas.SetLineDash(nil, 0)
		s.canvas.Stroke(outline)
	}
}

// hatch draws diagonal lines over r, as one path; none over a box that is narrower than a line.
func (s *scene) hatch(r vg.Rectangle, c color.Color) {
	const pitch, width = 3, 0.7
	size := r.Size()
	if min(size.X, size.Y) < width {
		return
	}
	var path vg.Path
	for offset := vg.Length(pitch / 2.0); offset < size.X+size.Y; offset += pitch {
		path.Move(vg.Point{X: r.Min.X + min(offset, size.X), Y: r.Min.Y + max(0, offset-size.X)})
		path.Line(vg.Point{X: r.Min.X + max(0, offset-size.Y), Y: r.Min.Y + min(offset, size.Y)})
	}
	if len(path) == 0 {
		return
	}
	s.canvas.SetColor(c)
	s.canvas.SetLineWidth(width)
	s.canvas.SetLineDash(nil, 0)
	s.canvas.Stroke(path)
}

// marker draws a marker of this radius: filled, with an edge unless width is zero; hollow styles are filled with white.
func (s *scene) marker(p vg.Point, radius vg.Length, style Style, fill color.NRGBA, edge color.Color, width vg.Length) {
	if style.Marker == markPlus || style.Marker == markCross {
		s.canvas.SetColor(fill)
		s.canvas.Fill(crossShape(p, radius*1.1, style.Marker == markCross))
		return
	}
	path := markerPath(style.Marker, p, radius)
	if style.Hollow {
		s.canvas.SetColor(withAlpha(paperOpen, float64(fill.A)/255))
		s.canvas.Fill(path)
		s.canvas.SetColor(fill)
		s.canvas.SetLineWidth(max(width, radius*0.45))
		s.canvas.SetLineDash(nil, 0)
		s.canvas.Stroke(path)
		return
	}
	s.canvas.SetColor(fill)
	s.canvas.Fill(path)
	if width > 0 {
		s.canvas.SetColor(edge)
		s.canvas.SetLineWidth(width)
		s.canvas.SetLineDash(nil, 0)
		s.canvas.Stroke(path)
	}
}

// markerReach is how far the widest marker reaches, in radii.
const markerReach = 1.45

// markerPath is the outline of a closed marker.
func markerPath(shape int, p vg.Point, radius vg.Length) vg.Path {
	switch shape {
	case markSquare:
		return regular(p, radius*1.15, 4, math.Pi/4, 1)
	case markTriangle:
		return regular(p, radius*1.3, 3, math.Pi/2, 1)
	case markInverted:
		return regular(p, radius*1.3, 3, -math.Pi/2, 1)
	case markDiamond:
		return regular(p, radius*1.25, 4, 0, 1)
	case markStar:
		return regular(p, radius*1.4, 10, math.Pi/2, 0.45)
	}
	return circle(p, radius)
}

// circle is made of four cubic curves, which every backend draws alike.
func circle(p vg.Point, r vg.Length) vg.Path {
	const k = 0.5522847498307936
	point := func(x, y float64) vg.Point { return vg.Point{X: p.X + r*vg.Length(x), Y: p.Y + r*vg.Length(y)} }
	var path vg.Path
	path.Move(point(1, 0))
	path.CubeTo(point(1, k), point(k, 1), point(0, 1))
	path.CubeTo(point(-k, 1), point(-1, k), point(-1, 0))
	path.CubeTo(point(-1, -k), point(-k, -1), point(0, -1))
	path.CubeTo(point(k, -1), point(1, -k), point(1, 0))
	path.Close()
	return path
}

// regular is a polygon of n corners; every second one lies at inner·r.
func regular(p vg.Point, r vg.Length, n int, start, inner float64) vg.Path {
	points := make([]vg.Point, n)
	for i := range points {
		radius := r
		if i%2 == 1 {
			radius *= vg.Length(inner)
		}
		sin, cos := math.Sincos(start + 2*math.Pi*float64(i)/float64(n))
		points[i] = vg.Point{X: p.X + radius*vg.Length(cos), Y: p.Y + radius*vg.Length(sin)}
	}
	return polygon(points)
}

// crossShape is a thick plus, or a cross if turned.
func crossShape(p vg.Point, r vg.Length, diagonal bool) vg.Path {
	t := r * 0.32
	points := []vg.Point{{X: t, Y: r}, {X: t, Y: t}, {X: r, Y: t}, {X: r, Y: -t}, {X: t, Y: -t}, {X: t, Y: -r},
		{X: -t, Y: -r}, {X: -t, Y: -t}, {X: -r, Y: -t}, {X: -r, Y: t}, {X: -t, Y: t}, {X: -t, Y: r}}
	for i := range points {
		if diagonal {
			points[i] = rotated(points[i], math.Pi/4)
		}
		points[i] = points[i].Add(p)
	}
	return polygon(points)
}

func polygon(points []vg.Point) vg.Path {
	var path vg.Path
	path.Move(points[0])
	for _, p := range points[1:] {
		path.Line(p)
	}
	path.Close()
	return path
}

func rectangle(r vg.Rectangle) vg.Path {
	return polygon([]vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
}
