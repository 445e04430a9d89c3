// Panels as gonum plotters: drawing, ranges and legends in a plot.Plot that is not a figure of ours.

package plots

import (
	"fmt"
	"image/draw"
	"math"
	"reflect"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Panels with axes report their range, their glyphs beyond it, and their legend thumbnails.
var _ = []interface {
	plot.Plotter
	plot.DataRanger
	plot.GlyphBoxer
	plot.Thumbnailer
}{(*Scatter)(nil), (*BoxPlot)(nil), (*GroupedBars)(nil), (*Bars)(nil), (*Curves)(nil), (*Histogram)(nil), (*Spectrum)(nil), (*mounted)(nil)}

// Add adds panels to a plot of gonum's as a [Figure] would show them. It sets the labels, scales, ticks and names of
// the axes from the first panel that has axes (a plot of panels without axes hides its axes) and extends their ranges.
// It styles title and legend like a figure's, and adds a legend entry for each series that needs one, at the position
// of p.Legend. series fixes the order of the series, as Figure.Series does; nil is the order of appearance.
//
// Add also checks the panels, unlike p.Add: a panel that cannot be drawn is an error that names it, and p does not
// change. notes are facts for the reader, such as omitted values.
//
// A panel can also be passed to p.Add itself. Then the axes stay the caller's, the series have the styles of their
// order in the panel, and a panel that cannot be drawn shows its error instead of its data.
func Add(p *plot.Plot, series []string, panels ...Panel) (notes []string, err error) {
	prep, err := newPreparation(series)
	if err != nil {
		return nil, err
	}
	all := make([]*mounted, len(panels))
	var axes *chart
	for i, panel := range panels {
		all[i] = mountWith(prep, panelName(i), panel)
		if all[i].err != nil {
			return nil, all[i].err
		}
	}
	for _, m := range all {
		if c, ok := m.content.(*chart); ok {
			if axes == nil {
				axes = c
			}
			p.X.Min, p.X.Max = min(p.X.Min, c.x.Min), max(p.X.Max, c.x.Max)
			p.Y.Min, p.Y.Max = min(p.Y.Min, c.y.Min), max(p.Y.Max, c.y.Max)
		}
	}
	switch {
	case axes != nil:
		adopt(&p.X, axes.x.Axis, vgdraw.XCenter, vgdraw.YTop)
		adopt(&p.Y, axes.y.Axis, vgdraw.XRight, vgdraw.YCenter)
	case math.IsInf(p.X.Min, 1): // nothing else needs them
		p.HideAxes()
	}
	words := styledAxis(Axis{}).Label.TextStyle
	words.XAlign, words.YAlign = vgdraw.XLeft, vgdraw.YBottom
	p.Legend.TextStyle, p.Legend.ThumbnailWidth, p.Legend.Padding = words, lineWidth, 2
	p.Title.TextStyle = words
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = vgdraw.XCenter, vgdraw.YTop
	for _, m := range all {
		p.Add(m)
	}
	for _, name := range prep.order {
		if kinds, shown := prep.keys[name]; shown {
			p.Legend.Add(name, legendKey{name, prep.style(name), kinds})
		}
	}
	return prep.warnings, nil
}

// adopt gives an axis of a plot the look of ours, with its labels aligned; a label
// that ours lacks and the range stay.
func adopt(axis *plot.Axis, ours plot.Axis, x vgdraw.XAlignment, y vgdraw.YAlignment) {
	ours.Min, ours.Max = axis.Min, axis.Max
	if ours.Label.Text == "" {
		ours.Label.Text = axis.Label.Text
	}
	ours.Tick.Label.XAlign, ours.Tick.Label.YAlign = x, y
	*axis = ours
}

// mounted is a panel prepared for a plot.
type mounted struct {
	content content
	shown   []legendKey // of its series
	err     error
}

// mount prepares a panel by itself.
func mount(p Panel) *mounted {
	prep, _ := newPreparation(nil) // fails only on duplicate names
	return mountWith(prep, "panel", p)
}

func mountWith(prep *preparation, name string, p Panel) *mounted {
	prep.panel, prep.absent = name, nil
	if isNil(p) {
		return &mounted{err: prep.errorf("no panel given")}
	}
	prep.shown = nil
	content, err := p.prepare(prep)
	return &mounted{content: content, shown: prep.shown, err: err}
}

// isNil reports whether a panel is nil or a nil pointer.
func isNil(p Panel) bool { return p == nil || reflect.ValueOf(p).IsNil() }

// Plot draws the panel into the plot's data rectangle, reference labels right of it. It does not panic: a panel that
// cannot be drawn shows the error.
func (m *mounted) Plot(c vgdraw.Canvas, p *plot.Plot) {
	s := newForeignScene(c.Canvas)
	defer func() {
		if r := recover(); r != nil {
			s.fault(fmt.Errorf("plots: the panel could not be drawn: %v", r), c.Rectangle)
		}
	}()
	err := m.err
	if panel, ok := m.content.(*chart); ok && err == nil {
		panel.drawData(s, foreignArea(c.Rectangle, p))
	} else if err == nil {
		err = m.content.draw(s, c.Rectangle, c.Rectangle)
	}
	if err != nil {
		s.fault(err, c.Rectangle)
	}
}

// fault writes an error where a panel should be.
func (s *scene) fault(err error, r vg.Rectangle) {
	b := newBlock(wrap(Escape(err.Error()), smallestSize, false, r.Size().X), smallestSize, false)
	s.drawText("note", b, vg.Point{X: r.Min.X, Y: r.Max.Y}, alignStart, alignEnd, 0, ink)
}

// newForeignScene is the scene of a canvas that is not a figure's.
func newForeignScene(c vg.Canvas) *scene {
	_, raster := c.(interface{ Image() draw.Image })
	return &scene{canvas: c, vector: !raster, panel: -1}
}

// foreignArea is a plot's data rectangle. Gonum's log scale panics on values that it cannot show; ours, with the same
// positions for the others, replaces it.
func foreignArea(r vg.Rectangle, p *plot.Plot) *area {
	return &area{Rectangle: r, x: tolerant(p.X), y: tolerant(p.Y), logY: isLog(p.Y.Scale), foreign: true}
}

func tolerant(axis plot.Axis) *plot.Axis {
	switch n := axis.Scale.(type) {
	case plot.LogScale:
		axis.Scale = LogScale{}
	case plot.InvertedScale:
		if _, ok := n.Normalizer.(plot.LogScale); ok {
			axis.Scale = plot.InvertedScale{Normalizer: LogScale{}}
		}
	}
	return &axis
}

// DataRange is the range of the data, with zero or the fixed range where an axis
// has one; a panel without data, axes or sense reports an empty range, which
// changes no plot.
func (m *mounted) DataRange() (xmin, xmax, ymin, ymax float64) {
	empty := extent{low: math.Inf(1), high: math.Inf(-1)}
	x, y := empty, empty
	if c, ok := m.content.(*chart); ok && m.err == nil {
		if c.x.data.some {
			x = c.x.data
		}
		if c.y.data.some {
			y = c.y.data
		}
	}
	return x.low, x.high, y.low, y.high
}

// GlyphBoxes are the markers, printed values and labels that extend beyond their data points.
func (m *mounted) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	c, ok := m.content.(*chart)
	if !ok || m.err != nil {
		return nil
	}
	var boxes []plot.GlyphBox
	x, y := tolerant(p.X), tolerant(p.Y)
	if c.glyphs != nil && !c.empty {
		c.glyphs(func(atX, atY float64, r vg.Rectangle) {
			boxes = append(boxes, plot.GlyphBox{X: share(x, atX), Y: share(y, atY), Rectangle: r})
		})
	}
	for _, r := range c.references {
		if r.Label == "" {
			continue
		}
		b := newBlock(referenceText(r), smallestSize, false)
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: share(y, r.Value), Rectangle: vg.Rectangle{
			Min: vg.Point{X: labelGap, Y: -b.height / 2}, Max: vg.Point{X: labelGap + b.width, Y: b.height / 2}}})
	}
	return boxes
}

// Thumbnail draws the keys of the panel's series side by side.
func (m *mounted) Thumbnail(c *vgdraw.Canvas) {
	if m.err == nil && len(m.shown) > 0 {
		drawKeys(c, m.shown)
	}
}

// square is the box of a marker of this radius.
func square(radius vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: -radius, Y: -radius}, Max: vg.Point{X: radius, Y: radius}}
}
