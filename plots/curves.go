// Curves with bands.

package plots

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// markersUpTo is the most points of a curve that are marked, by markers of
// curveRadius points.
const (
	markersUpTo = 60
	curveRadius = 1.7
)

// Plot draws the lines, bands, markers and reference lines into the data rectangle of a plot; see [Add].
func (p *Curves) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// DataRange is the range of the points, band ends and reference lines.
func (p *Curves) DataRange() (xmin, xmax, ymin, ymax float64) { return mount(p).DataRange() }

// GlyphBoxes are the boxes of the markers and of the labels of reference lines.
func (p *Curves) GlyphBoxes(plt *plot.Plot) []plot.GlyphBox { return mount(p).GlyphBoxes(plt) }

// Thumbnail draws a line with its marker in the style of a series, side by side for several.
func (p *Curves) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

func (p *Curves) prepare(prep *preparation) (content, error) {
	if len(p.Series) == 0 {
		return nil, prep.errorf("curves need at least one series")
	}
	prep.text(p.X.Label, p.Y.Label)
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	if err := prep.names(names); err != nil {
		return nil, err
	}
	marked := make([]bool, len(p.Series))
	for i, s := range p.Series {
		if len(s.X) != len(s.Y) {
			return nil, prep.errorf("series %q: %d x values but %d y values", s.Name, len(s.X), len(s.Y))
		}
		if err := prep.sameLength(s.Name, len(s.X), s.Low, s.High); err != nil {
			return nil, err
		}
		marked[i] = !p.NoMarkers && len(s.X) <= markersUpTo
		kind := keyLine
		if marked[i] {
			kind |= keyMarker
		}
		prep.explain(s.Name, kind)
	}
	x, y, lost := p.extents()
	prep.note(lost, false)
	c, err := newCurves(prep, p, x, y)
	if err != nil {
		return nil, err
	}
	styles, index := make([]Style, len(p.Series)), make([]int, len(p.Series))
	for i, s := range p.Series {
		styles[i], index[i] = prep.style(s.Name), -1
		if at, named := prep.index[s.Name]; named {
			index[i] = at
		}
	}
	c.paint = func(s *scene, a *area) {
		for i, series := range p.Series {
			s.series(index[i], func() {
				s.band(series.X, series.Y, series.Low, series.High, p.X, p.Y, withAlpha(styles[i].Line, 0.18), a)
			})
		}
		for i, series := range p.Series {
			s.series(index[i], func() {
				s.curve(series, styles[i], marked[i], p, a)
				p.explain(s, series, a)
			})
		}
	}
	c.glyphs = func(put func(x, y float64, r vg.Rectangle)) { p.markers(marked, put) }
	return c, nil
}

// extents are the ranges of the points and band ends that the axes can show, and the number of points they cannot.
func (p *Curves) extents() (x, y extent, lost dropped) {
	var gaps dropped
	for _, s := range p.Series {
		for j := range s.X {
			if !p.X.accepts(s.X[j], &lost) || !p.Y.accepts(s.Y[j], &lost) {
				continue
			}
			x.add(s.X[j])
			y.add(s.Y[j])
			if s.Low != nil {
				for _, end := range []float64{s.Low[j], s.High[j]} {
					if p.Y.accepts(end, &gaps) {
						y.add(end)
					}
				}
			}
		}
	}
	return x, y, lost
}

// shows reports whether a point of a series can be drawn.
func (p *Curves) shows(s CurveSeries) bool {
	var ignored dropped
	for j := range s.X {
		if p.X.accepts(s.X[j], &ignored) && p.Y.accepts(s.Y[j], &ignored) {
			return true
		}
	}
	return false
}

// markers reports the boxes of the markers.
func (p *Curves) markers(marked []bool, put func(x, y float64, r vg.Rectangle)) {
	var ignored dropped
	for i, s := range p.Series {
		for j := range s.X {
			if marked[i] && p.X.accepts(s.X[j], &ignored) && p.Y.accepts(s.Y[j], &ignored) {
				put(s.X[j], s.Y[j], square(curveRadius*markerReach))
			}
		}
	}
}

// newCurves creates the chart of curves over data of these extents.
func newCurves(prep *preparation, p *Curves, x, y extent) (*chart, error) {
	empty := !x.some
	references, err := prepareReferences(prep, p.References, p.Y, &y)
	if err != nil {
		return nil, err
	}
	c, err := newNumeric(prep, p.X, p.Y, x, y)
	if err != nil {
		return nil, err
	}
	c.references, c.grid = references, true
	for _, s := range p.Series {
		if s.Reason != "" && !p.shows(s) {
			prep.lack(s.Name, s.Reason)
		}
	}
	if empty {
		c.nothing(prep)
	}
	return c, nil
}

// curve draws one line with its gaps and markers. A point between two gaps would
// be invisible as a line and is marked in any case.
func (s *scene) curve(series CurveSeries, style Style, marked bool, p *Curves, a *area) {
	for _, part := range pieces(series.X, series.Y, p.X, p.Y, a) {
		part = thin(part)
		s.clippedLine(part, a.Rectangle, style.Line, 1, style.dash)
		if !marked && len(part) > 1 {
			continue
		}
		for _, point := range part {
			if a.inside(point) {
				s.marker(point, curveRadius, style, style.Fill, style.Edge, 0.3)
			}
		}
	}
}

// explain gives the values of a series, where the canvas shows them to who points at them.
func (p *Curves) explain(s *scene, series CurveSeries, a *area) {
	var ignored dropped
	for j := range series.X {
		if !p.X.accepts(series.X[j], &ignored) || !p.Y.accepts(series.Y[j], &ignored) {
			continue
		}
		point := a.point(series.X[j], series.Y[j])
		if !a.inside(point) {
			continue
		}
		s.value(point, func() string {
			text := series.Name + ": " + number(series.Y[j])
			if series.Low != nil && !math.IsNaN(series.Low[j]) && !math.IsNaN(series.High[j]) {
				text += " [" + number(series.Low[j]) + ", " + number(series.High[j]) + "]"
			}
			return strings.TrimSpace(text + " at " + plainText(p.X.Label) + " " + number(series.X[j]))
		})
	}
}

// thin removes points of long curves that lie within a tenth of a point of the one before: the difference is invisible,
// and vector files stay small. The last point stays.
func thin(points []vg.Point) []vg.Point {
	if len(points) <= 500 {
		return points
	}
	kept := points[:1:1]
	for i, p := range points[1:] {
		last := kept[len(kept)-1]
		if math.Hypot(float64(p.X-last.X), float64(p.Y-last.Y)) >= 0.1 || i == len(points)-2 {
			kept = append(kept, p)
		}
	}
	return kept
}
