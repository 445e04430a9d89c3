// Histograms of bins over an axis of numbers.

package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the bins, the band and the reference lines into the data rectangle of a plot; see [Add].
func (p *Histogram) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// DataRange is the range of the edges, and of the heights, the band and the reference lines,
// from zero unless y is log or has a fixed range.
func (p *Histogram) DataRange() (xmin, xmax, ymin, ymax float64) { return mount(p).DataRange() }

// GlyphBoxes are the boxes of the labels of reference lines.
func (p *Histogram) GlyphBoxes(plt *plot.Plot) []plot.GlyphBox { return mount(p).GlyphBoxes(plt) }

// Thumbnail draws a filled box in the style of the series.
func (p *Histogram) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

func (p *Histogram) prepare(prep *preparation) (content, error) {
	if len(p.Edges) != len(p.Values)+1 || len(p.Values) == 0 {
		return nil, prep.errorf("a histogram of %d bins with %d edges: want at least one bin, and one more edge than bins",
			len(p.Values), len(p.Edges))
	}
	for i, e := range p.Edges {
		var d dropped
		if !p.X.accepts(e, &d) || i > 0 && e <= p.Edges[i-1] {
			return nil, prep.errorf("edge %d of the histogram is %g: want ascending numbers that the axis can show", i, e)
		}
	}
	prep.text(p.X.Label, p.Y.Label)
	prep.show(p.Name, keyFill)
	y := zeroBased(p.Y)
	var rangeX, rangeY extent
	rangeX.add(p.Edges[0])
	rangeX.add(p.Edges[len(p.Edges)-1])
	var lost, ignored dropped
	for _, v := range p.Values {
		if y.accepts(v, &lost) {
			rangeY.add(v)
		}
	}
	prep.note(lost, false)
	empty := !rangeY.some
	banded := p.Low < p.High
	if banded {
		for _, end := range []float64{p.Low, p.High} {
			if y.accepts(end, &ignored) {
				rangeY.add(end)
			}
		}
	}
	references, err := prepareReferences(prep, p.References, y, &rangeY)
	if err != nil {
		return nil, err
	}
	c, err := newNumeric(prep, p.X, y, rangeX, rangeY)
	if err != nil {
		return nil, err
	}
	c.references = references
	if empty {
		prep.lack(p.Name, p.Reason)
		c.nothing(prep)
	}
	style := prep.style(p.Name)
	c.paint = func(s *scene, a *area) { p.paint(s, a, style, banded) }
	return c, nil
}

// paint draws the band and the bins before it.
func (p *Histogram) paint(s *scene, a *area, style Style, banded bool) {
	base := a.Min.Y
	if !a.logY && a.y.Min < 0 {
		base = a.within(a.Y(0))
	}
	var ignored dropped
	edge := vg.Length(0.4)
	if a.X(p.Edges[1])-a.X(p.Edges[0]) < 2 { // outlines of narrow bins would hide them
		edge = 0
	}
	for i, v := range p.Values {
		if !p.Y.accepts(v, &ignored) {
			continue
		}
		left, right := max(a.X(p.Edges[i]), a.Min.X), min(a.X(p.Edges[i+1]), a.Max.X)
		end := a.within(a.Y(v))
		if left >= right {
			continue
		}
		r := vg.Rectangle{Min: vg.Point{X: left, Y: min(base, end)}, Max: vg.Point{X: right, Y: max(base, end)}}
		s.box(r, style, mix(style.Fill, paperOpen, 0.25), edge)
		s.record("bar", "", vg.Point{}, 0, r)
	}
	if !banded {
		return
	}
	low, high := a.Min.Y, a.within(a.Y(p.High))
	if !a.logY || p.Low > 0 {
		low = a.within(a.Y(p.Low))
	}
	if math.Abs(float64(high-low)) > 0 {
		s.canvas.SetColor(withAlpha(ink, 0.22))
		s.canvas.Fill(rectangle(vg.Rectangle{Min: vg.Point{X: a.Min.X, Y: low}, Max: vg.Point{X: a.Max.X, Y: high}}))
	}
}
