// Scatter: clouds of points with fitted lines and bands.

package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rasterAbove is the number of points above which vector formats hold the points
// as one image.
const rasterAbove = 20000

// Plot draws the points, fitted lines and bands into the data rectangle of a plot; see [Add].
func (p *Scatter) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// DataRange is the range of the points and fitted lines.
func (p *Scatter) DataRange() (xmin, xmax, ymin, ymax float64) { return mount(p).DataRange() }

// GlyphBoxes are the boxes of the points.
func (p *Scatter) GlyphBoxes(plt *plot.Plot) []plot.GlyphBox { return mount(p).GlyphBoxes(plt) }

// Thumbnail draws a marker in the style of a series, over a line where it
// has a fit, side by side for several.
func (p *Scatter) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

func (p *Scatter) prepare(prep *preparation) (content, error) {
	if len(p.Series) == 0 {
		return nil, prep.errorf("a scatter needs at least one series")
	}
	prep.text(p.X.Label, p.Y.Label)
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	if err := prep.names(names); err != nil {
		return nil, err
	}
	clouds, lost, err := p.clouds(prep)
	if err != nil {
		return nil, err
	}
	prep.note(lost, true)
	x, y, total := p.extents(clouds)
	c, err := newNumeric(prep, p.X, p.Y, x, y)
	if err != nil {
		return nil, err
	}
	if !x.some {
		c.nothing(prep)
	}
	c.paint = func(s *scene, a *area) {
		if p.Diagonal {
			s.diagonal(a)
		}
		s.points(clouds, total, a)
		for i, series := range p.Series {
			if series.Fit != nil {
				s.fit(series.Fit, clouds[i].style, p.X, p.Y, a, len(p.Series) <= 6)
			}
			if series.Other != nil {
				for _, part := range pieces(series.Other.X, series.Other.Y, p.X, p.Y, a) {
					s.clippedLine(part, a.Rectangle, clouds[i].style.Edge, 1.1, []vg.Length{1.1, 1.6})
				}
			}
		}
	}
	c.glyphs = func(put func(x, y float64, r vg.Rectangle)) {
		box := square(pointRadius(total) * markerReach)
		for _, c := range clouds {
			for j := range c.x {
				put(c.x[j], c.y[j], box)
			}
		}
	}
	return c, nil
}

// clouds checks the series and selects the points that the axes can show.
func (p *Scatter) clouds(prep *preparation) (clouds []cloud, lost dropped, err error) {
	clouds = make([]cloud, len(p.Series))
	for i, s := range p.Series {
		if len(s.X) != len(s.Y) {
			return nil, lost, prep.errorf("series %q: %d x values but %d y values", s.Name, len(s.X), len(s.Y))
		}
		clouds[i].style = prep.style(s.Name)
		before := lost
		for j := range s.X {
			if !p.X.accepts(s.X[j], &lost) || !p.Y.accepts(s.Y[j], &lost) {
				continue
			}
			clouds[i].x, clouds[i].y = append(clouds[i].x, s.X[j]), append(clouds[i].y, s.Y[j])
		}
		if len(clouds[i].x) == 0 && s.Reason != "" {
			lost = before // the reason is printed instead
			prep.lack(s.Name, s.Reason)
		}
		kind := keyMarker
		for _, fit := range []*Fit{s.Fit, s.Other} {
			if fit == nil {
				continue
			}
			kind |= keyLine
			if err := prep.checkFit(s.Name, fit); err != nil {
				return nil, lost, err
			}
		}
		prep.explain(s.Name, kind)
	}
	return clouds, lost, nil
}

// extents are the ranges of points and fits, and the number of points. A fit may leave a log axis without a note.
func (p *Scatter) extents(clouds []cloud) (x, y extent, total int) {
	for _, c := range clouds {
		total += len(c.x)
		for j := range c.x {
			x.add(c.x[j])
			y.add(c.y[j])
		}
	}
	for _, s := range p.Series {
		if s.Fit == nil {
			continue
		}
		var ignored dropped
		for j := range s.Fit.X {
			if p.X.accepts(s.Fit.X[j], &ignored) && p.Y.accepts(s.Fit.Y[j], &ignored) {
				x.add(s.Fit.X[j])
				y.add(s.Fit.Y[j])
			}
		}
	}
	return x, y, total
}

// cloud is the drawable part of one series.
type cloud struct {
	style Style
	x, y  []float64
}

// checkFit validates the lengths and order of a fit.
func (prep *preparation) checkFit(name string, f *Fit) error {
	if len(f.X) != len(f.Y) || len(f.X) < 2 {
		return prep.errorf("fit of series %q: %d x and %d y values, want equal numbers and at least 2",
			name, len(f.X), len(f.Y))
	}
	return prep.sameLength(name, len(f.X), f.Low, f.High)
}

// pointRadius is the radius of markers: smaller the more there are.
func pointRadius(total int) vg.Length {
	return vg.Length(min(1.9, max(0.8, 9/math.Pow(float64(max(1, total)), 0.28))))
}

// points draws the clouds, point by point in turn so that no series covers
// another, in one image where there are too many for a vector format.
func (s *scene) points(clouds []cloud, total int, a *area) {
	radius := pointRadius(total)
	alpha := min(0.9, max(0.12, 20/math.Sqrt(float64(max(1, total)))))
	target := s
	to := a
	rect := a.Rectangle
	raster := s.vector && total > rasterAbove
	if raster {
		margin := 2 * radius
		rect = vg.Rectangle{Min: vg.Point{X: a.Min.X - margin, Y: a.Min.Y - margin}, Max: vg.Point{X: a.Max.X + margin, Y: a.Max.Y + margin}}
		size := rect.Size()
		layer := newRaster(size.X, size.Y, color.Transparent)
		target = &scene{canvas: layer, width: size.X, height: size.Y}
		to = &area{x: a.x, y: a.y, logY: a.logY, Rectangle: vg.Rectangle{
			Min: vg.Point{X: margin, Y: margin}, Max: vg.Point{X: size.X - margin, Y: size.Y - margin}}}
		defer func() { s.canvas.DrawImage(rect, layer.Image()) }()
	}
	longest := 0
	for _, c := range clouds {
		longest = max(longest, len(c.x))
	}
	for j := range longest {
		for _, c := range clouds {
			if j >= len(c.x) {
				continue
			}
			if point := to.point(c.x[j], c.y[j]); to.inside(point) {
				style := c.style
				style.Hollow = style.Hollow && total <= 500 // small marks show only when filled
				target.marker(point, radius, style, withAlpha(style.Fill, alpha), nil, 0)
			}
		}
	}
}

// fit draws a fitted line with its band, over a white rim where there are few (many
// rims would hide the points).
func (s *scene) fit(f *Fit, style Style, x, y Axis, a *area, rim bool) {
	parts := pieces(f.X, f.Y, x, y, a)
	for _, part := range parts {
		if !rim {
			break
		}
		s.clippedLine(part, a.Rectangle, withAlpha(paperOpen, 0.8), 2.2, nil)
	}
	s.band(f.X, f.Y, f.Low, f.High, x, y, withAlpha(style.Line, 0.32), a)
	for _, part := range parts {
		s.clippedLine(part, a.Rectangle, style.Edge, 1.1, style.dash)
	}
}

// diagonal draws y = x where both axes are of one kind.
func (s *scene) diagonal(a *area) {
	low, high := max(a.x.Min, a.y.Min), min(a.x.Max, a.y.Max)
	if low < high {
		s.clippedLine([]vg.Point{a.point(low, low), a.point(high, high)}, a.Rectangle, plainInk, 0.6, []vg.Length{2.5, 1.8})
	}
}

// pieces turns a curve into polylines between its gaps.
func pieces(xs, ys []float64, x, y Axis, a *area) [][]vg.Point {
	var parts [][]vg.Point
	var part []vg.Point
	var ignored dropped
	for i := range xs {
		if !x.accepts(xs[i], &ignored) || !y.accepts(ys[i], &ignored) {
			if part != nil {
				parts = append(parts, part)
			}
			part = nil
			continue
		}
		part = append(part, a.point(xs[i], ys[i]))
	}
	if part != nil {
		parts = append(parts, part)
	}
	return parts
}

// band fills between low and high where both and the curve are defined. On a log axis a lower
// end ≤ 0 reaches the bottom of the axis.
func (s *scene) band(xs, ys, low, high []float64, x, y Axis, c color.NRGBA, a *area) {
	if low == nil {
		return
	}
	var up, down []vg.Point
	flush := func() {
		if len(up) > 1 {
			for i := len(down) - 1; i >= 0; i-- {
				up = append(up, down[i])
			}
			s.clippedPolygon(up, a.Rectangle, c)
		}
		up, down = nil, nil
	}
	var ignored dropped
	for i := range xs {
		bottom := low[i]
		if y.Log && bottom <= 0 {
			bottom = a.y.Min
		}
		if !x.accepts(xs[i], &ignored) || !y.accepts(ys[i], &ignored) || !y.accepts(bottom, &ignored) || !y.accepts(high[i], &ignored) {
			flush()
			continue
		}
		up = append(up, a.point(xs[i], high[i]))
		down = append(down, a.point(xs[i], bottom))
	}
	flush()
}
