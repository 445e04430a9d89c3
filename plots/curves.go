// Curves with bands, and spectra.

package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// markersUpTo is the most points of a curve that are marked.
const markersUpTo = 60

func (p *Curves) prepare(env *environment) (content, error) {
	if len(p.Series) == 0 {
		return nil, env.errorf("curves need at least one series")
	}
	env.text(p.X.Label, p.Y.Label)
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	if err := env.names(names); err != nil {
		return nil, err
	}
	var x, y extent
	var lost, gaps dropped
	marked := make([]bool, len(p.Series))
	for i, s := range p.Series {
		if len(s.X) != len(s.Y) {
			return nil, env.errorf("series %q: %d x values but %d y values", s.Name, len(s.X), len(s.Y))
		}
		if err := env.sameLength(s.Name, len(s.X), s.Low, s.High); err != nil {
			return nil, err
		}
		marked[i] = !p.NoMarkers && len(s.X) <= markersUpTo
		kind := keyLine
		if marked[i] {
			kind |= keyMarker
		}
		env.explain(s.Name, kind)
		env.style(s.Name)
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
	env.note(lost, false)
	c, err := newCurves(env, p, x, y)
	if err != nil {
		return nil, err
	}
	styles := make([]Style, len(p.Series))
	for i, s := range p.Series {
		styles[i] = env.style(s.Name)
	}
	c.paint = func(s *scene, a *area) {
		for i, series := range p.Series {
			s.band(series.X, series.Y, series.Low, series.High, p.X, p.Y, withAlpha(styles[i].Line, 0.18), a)
		}
		for i, series := range p.Series {
			s.curve(series, styles[i], marked[i], p, a)
		}
	}
	return c, nil
}

// newCurves makes the chart of curves over data of the given extents.
func newCurves(env *environment, p *Curves, x, y extent) (*chart, error) {
	empty := !x.some
	references, err := prepareReferences(env, p.References, p.Y, &y)
	if err != nil {
		return nil, err
	}
	xs, err := newScale(p.X, x)
	if err != nil {
		return nil, env.errorf("%v", err)
	}
	ys, err := newScale(p.Y, y)
	if err != nil {
		return nil, env.errorf("%v", err)
	}
	c := newChart(xs, ys)
	c.references, c.grid, c.empty = references, true, empty
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
		for _, at := range part {
			if a.inside(at) {
				s.marker(at, 1.7, style, style.Fill, style.Edge, 0.3)
			}
		}
	}
}

// thin leaves out points of long curves that lie within a tenth of a point of the
// one before: nobody sees them and vector files stay small. The last point stays.
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

func (p *Spectrum) prepare(env *environment) (content, error) {
	if len(p.Series) == 0 {
		return nil, env.errorf("a spectrum needs at least one series")
	}
	curves := &Curves{X: p.X, Y: p.Y, NoMarkers: true}
	curves.Y.Log = true
	largest := 0.0
	smallest := math.Inf(1)
	for _, s := range p.Series {
		index := make([]float64, len(s.Values))
		for i, v := range s.Values {
			index[i] = float64(i + 1)
			if v > 0 && v <= largestValue {
				largest, smallest = max(largest, v), min(smallest, v)
			}
		}
		curves.Series = append(curves.Series, CurveSeries{Name: s.Name, X: index, Y: s.Values})
	}
	decades := p.Decades
	if decades == 0 {
		decades = 12
	}
	if floor := largest * math.Pow(10, -decades); decades > 0 && smallest < floor && !(p.Y.Min < p.Y.Max) {
		curves.Y.Min, curves.Y.Max = floor, largest*math.Pow(10, 0.04*decades)
	}
	return curves.prepare(env)
}
