// Box plots.

package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"repscope/internal/quantile"
)

// Plot draws the boxes and reference lines into the data rectangle of a plot; see [Add].
func (p *BoxPlot) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// DataRange returns the range of the drawn values and reference lines on y, and one unit around 0, 1, … for the boxes
// on x.
func (p *BoxPlot) DataRange() (xmin, xmax, ymin, ymax float64) { return mount(p).DataRange() }

// GlyphBoxes are the boxes of the means, of the points beyond the whiskers and of the labels
// of reference lines.
func (p *BoxPlot) GlyphBoxes(plt *plot.Plot) []plot.GlyphBox { return mount(p).GlyphBoxes(plt) }

// Thumbnail draws a filled box in the style of a series, side by side for several.
func (p *BoxPlot) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

// Radii of marks in points.
const (
	meanRadius    = 1.5
	outlierRadius = 0.75
)

// boxSummary is the summary of a sample that is drawn.
type boxSummary struct {
	style                     Style
	some                      bool
	low, q1, median, q3, high float64
	mean                      float64
	outliers                  []float64
	reason                    string
}

func (p *BoxPlot) prepare(prep *preparation) (content, error) {
	if len(p.Boxes) == 0 {
		return nil, prep.errorf("a box plot needs at least one box")
	}
	prep.text(p.X.Label, p.Y.Label)
	var names []string
	for _, b := range p.Boxes {
		names = append(names, b.Name)
	}
	if err := prep.names(names); err != nil {
		return nil, err
	}
	limit := p.MaxOutliers
	if limit == 0 {
		limit = 100
	}
	var data extent
	var lost dropped
	boxes := make([]boxSummary, len(p.Boxes))
	for i, b := range p.Boxes {
		var unshown dropped
		boxes[i] = summarize(b.Values, p.Y, limit, &data, &unshown)
		boxes[i].style, boxes[i].reason = prep.style(b.Name), b.Reason
		if !boxes[i].some && b.Reason == "" && unshown.nonpositive > 0 && unshown.nonpositive == len(b.Values) {
			boxes[i].reason = "no value above 0"
		}
		if boxes[i].some || boxes[i].reason == "" {
			lost.infinite, lost.nonpositive, lost.undefined = lost.infinite+unshown.infinite, lost.nonpositive+unshown.nonpositive, lost.undefined+unshown.undefined
		} else {
			prep.lack(b.Name, boxes[i].reason)
		}
		prep.show(b.Name, keyFill)
		if p.NamesInLegend {
			prep.explain(b.Name, keyFill)
			names[i] = ""
		}
	}
	prep.note(lost, true)
	empty := !data.some
	references, err := prepareReferences(prep, p.References, p.Y, &data)
	if err != nil {
		return nil, err
	}
	y, err := newScale(p.Y, data)
	if err != nil {
		return nil, prep.errorf("%v", err)
	}
	c := newChart(newCategories(p.X, names), y)
	c.references, c.grid = references, true
	if empty {
		c.nothing(prep)
	}
	c.paint = func(s *scene, a *area) {
		for i := range boxes {
			boxes[i].draw(s, a, float64(i))
		}
	}
	c.glyphs = func(put func(x, y float64, r vg.Rectangle)) {
		for i, b := range boxes {
			if !b.some {
				continue
			}
			put(float64(i), b.mean, square(meanRadius*1.5))
			for _, v := range b.outliers {
				put(float64(i), v, square(outlierRadius))
			}
		}
	}
	return c, nil
}

// summarize computes the box of the values the axis can show.
func summarize(values []float64, y Axis, limit int, data *extent, lost *dropped) boxSummary {
	var sorted []float64
	var infinite dropped
	for _, v := range values {
		if y.accepts(v, &infinite) {
			sorted = append(sorted, v)
		}
	}
	lost.infinite += infinite.infinite
	lost.nonpositive += infinite.nonpositive
	lost.undefined += infinite.undefined
	if len(sorted) == 0 {
		return boxSummary{}
	}
	slices.Sort(sorted)
	b := boxSummary{some: true, q1: quantile.Sorted(sorted, 0.25), median: quantile.Sorted(sorted, 0.5), q3: quantile.Sorted(sorted, 0.75)}
	for _, v := range sorted {
		b.mean += v / float64(len(sorted))
	}
	reach := 1.5 * (b.q3 - b.q1)
	first := slices.IndexFunc(sorted, func(v float64) bool { return v >= b.q1-reach })
	last := len(sorted) - 1
	for sorted[last] > b.q3+reach {
		last--
	}
	b.low, b.high = min(sorted[first], b.q1), max(sorted[last], b.q3)
	below, above := sorted[:first], sorted[last+1:]
	if limit > 0 {
		share := limit
		if n := len(below) + len(above); n > limit {
			share = max(1, int(math.Round(float64(limit)*float64(len(below))/float64(n))))
			below = thinned(below, share)
			above = thinned(above, limit-share)
		}
		b.outliers = append(slices.Clone(below), above...)
	}
	for _, v := range append([]float64{b.low, b.high, b.mean}, b.outliers...) {
		data.add(v)
	}
	return b
}

// thinned keeps n values of a sorted slice, evenly spread in order, both ends
// among them.
func thinned(sorted []float64, n int) []float64 {
	if len(sorted) <= n || n < 2 {
		return sorted[:min(len(sorted), max(n, 1))]
	}
	kept := make([]float64, n)
	for i := range kept {
		kept[i] = sorted[i*(len(sorted)-1)/(n-1)]
	}
	return kept
}

// draw draws one box in its slot.
func (b *boxSummary) draw(s *scene, a *area, x float64) {
	middle := a.X(x)
	if !b.some {
		room := vg.Point{X: a.X(x+0.5) - a.X(x-0.5) - 3, Y: a.Size().Y - 2*valueGap}
		s.undefined(b.reason, vg.Point{X: middle, Y: a.Min.Y + valueGap}, room, alignStart)
		return
	}
	half := min(12, (a.X(x+0.3)-a.X(x-0.3))/2)
	height := func(v float64) vg.Length { return a.within(a.Y(v)) }
	for _, v := range b.outliers {
		if p := (vg.Point{X: middle, Y: a.Y(v)}); a.inside(p) {
			s.canvas.SetColor(withAlpha(b.style.Line, 0.45))
			s.canvas.Fill(circle(p, outlierRadius))
		}
	}
	for _, whisker := range [][2]float64{{b.low, b.q1}, {b.q3, b.high}} {
		s.line([]vg.Point{{X: middle, Y: height(whisker[0])}, {X: middle, Y: height(whisker[1])}}, b.style.Edge, 0.7, nil)
	}
	for _, v := range []float64{b.low, b.high} {
		s.line([]vg.Point{{X: middle - half/2, Y: height(v)}, {X: middle + half/2, Y: height(v)}}, b.style.Edge, 0.7, nil)
	}
	box := vg.Rectangle{Min: vg.Point{X: middle - half, Y: height(b.q1)}, Max: vg.Point{X: middle + half, Y: height(b.q3)}}
	s.box(box, b.style, mix(b.style.Fill, paperOpen, 0.4), 0.7)
	s.line([]vg.Point{{X: middle - half, Y: height(b.median)}, {X: middle + half, Y: height(b.median)}}, ink, 1.2, nil)
	if p := (vg.Point{X: middle, Y: a.Y(b.mean)}); a.inside(p) {
		s.marker(p, meanRadius, Style{Marker: markDiamond}, paperOpen, ink, 0.5)
	}
}
