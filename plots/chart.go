// Charts: panels with two axes. The space they need around their data, and
// drawing data and reference lines.

package plots

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// content is a prepared panel.
type content interface {
	// measure returns the space the panel needs around a data rectangle of this size inside a tile of this height.
	measure(size vg.Point, tileHeight vg.Length) margins
	// draw draws the panel: its data into data, axes and labels into tile.
	draw(s *scene, data, tile vg.Rectangle) error
}

// margins are the widths around a data rectangle.
type margins struct{ left, right, bottom, top vg.Length }

// chart is a panel with two axes.
type chart struct {
	x, y       scale
	baseY      scale // the range of y without the space for printed values
	references []Reference
	below      bool   // references lie below the data
	empty      bool   // no value can be drawn
	reasons    string // why, for the reader; empty: not known
	grid       bool   // horizontal lines behind the data

	// room returns the points needed below and above the data for a data rectangle of this size (printed values); nil:
	// none.
	room func(size vg.Point) (below, above float64)
	// paint draws the data.
	paint func(s *scene, a *area)
	// glyphs reports the drawn rectangles that extend beyond their data points, around points in data units; nil: none.
	glyphs func(put func(x, y float64, r vg.Rectangle))

	labels   categoryLabels
	xBlocks  []block // labels of x ticks of numbers
	factorY  block
	yTitle   block
	xTitle   block
	factorX  block
	stackedX bool // the factor of x does not fit next to the title
}

// newChart makes an empty chart of two scales.
func newChart(x, y scale) *chart { return &chart{x: x, y: y, baseY: y} }

// newNumeric creates the chart of two numeric axes over data of these extents.
func newNumeric(prep *preparation, x, y Axis, dataX, dataY extent) (*chart, error) {
	xs, err := newScale(x, dataX)
	if err != nil {
		return nil, prep.errorf("%v", err)
	}
	ys, err := newScale(y, dataY)
	if err != nil {
		return nil, prep.errorf("%v", err)
	}
	return newChart(xs, ys), nil
}

// area is a data rectangle with its axes.
type area struct {
	vg.Rectangle
	x, y *plot.Axis
	logY bool
	// foreign: the plot is not a figure's, so its range has no space for texts at the data.
	foreign bool
}

// area makes the data rectangle of a chart in a figure.
func (c *chart) area(r vg.Rectangle) *area {
	return &area{Rectangle: r, x: &c.x.Axis, y: &c.y.Axis, logY: c.y.log}
}

func (a *area) X(v float64) vg.Length {
	return a.Min.X + vg.Length(share(a.x, v))*(a.Max.X-a.Min.X)
}

func (a *area) Y(v float64) vg.Length {
	return a.Min.Y + vg.Length(share(a.y, v))*(a.Max.Y-a.Min.Y)
}

func (a *area) point(x, y float64) vg.Point { return vg.Point{X: a.X(x), Y: a.Y(y)} }

// inside reports whether a point lies in the rectangle, with a little slack for
// rounding.
func (a *area) inside(p vg.Point) bool {
	const slack = 0.01
	return p.X >= a.Min.X-slack && p.X <= a.Max.X+slack && p.Y >= a.Min.Y-slack && p.Y <= a.Max.Y+slack
}

// within clamps a height to the rectangle.
func (a *area) within(y vg.Length) vg.Length { return min(a.Max.Y, max(a.Min.Y, y)) }

// prepareReferences checks reference lines and adds them to the range of y.
func prepareReferences(prep *preparation, references []Reference, y Axis, data *extent) ([]Reference, error) {
	for i, r := range references {
		var d dropped
		if !y.accepts(r.Value, &d) {
			return nil, prep.errorf("reference line %d (%q): %g cannot be shown on the axis", i+1, r.Label, r.Value)
		}
		prep.text(r.Label)
		data.add(r.Value)
	}
	return references, nil
}

func (c *chart) measure(size vg.Point, tileHeight vg.Length) margins {
	c.y = c.baseY
	if c.room != nil {
		below, above := c.room(size)
		c.y.extend(below, above, float64(size.Y))
	}
	var m margins
	m.left, m.top = c.measureY(size, tileHeight)
	bottom, overLeft, overRight := c.measureX(size, tileHeight)
	m.bottom = bottom
	m.left = max(m.left, overLeft)
	m.right = max(2, overRight)
	for _, r := range c.references {
		if r.Label != "" {
			m.right = max(m.right, labelGap+newBlock(referenceText(r), smallestSize, false).width)
		}
	}
	return m
}

// referenceText breaks a reference's label so that it needs little width.
func referenceText(r Reference) string { return wrap(r.Label, smallestSize, false, 30) }

func (c *chart) draw(s *scene, data, tile vg.Rectangle) error {
	a := c.area(data)
	s.record("data", "", vg.Point{}, 0, data)
	if c.grid {
		for _, t := range c.y.ticks {
			if y := a.Y(t.Value); !t.IsMinor() && y > data.Min.Y+0.5 && y <= data.Max.Y+0.01 {
				s.line([]vg.Point{{X: data.Min.X, Y: y}, {X: data.Max.X, Y: y}}, gridInk, 0.4, nil)
			}
		}
	}
	c.drawData(s, a)
	c.drawAxes(s, a, tile)
	return nil
}

// drawData draws the area between the axes, and the labels of reference lines.
func (c *chart) drawData(s *scene, a *area) {
	if c.empty {
		c.drawReasons(s, a)
		return
	}
	if c.below {
		c.drawReferences(s, a)
	}
	c.paint(s, a)
	if !c.below {
		c.drawReferences(s, a)
	}
}

// nothing makes a chart say why there is nothing to draw. Axes whose range was chosen
// for no data have no ticks.
func (c *chart) nothing(prep *preparation) {
	c.empty, c.reasons, c.references = true, prep.reasons(), nil
	for _, axis := range []*scale{&c.x, &c.y, &c.baseY} {
		axis.blank = !axis.fixed && axis.names == nil
	}
}

// drawReasons prints in the middle of the panel why it is empty.
func (c *chart) drawReasons(s *scene, a *area) {
	text := c.reasons
	if text == "" {
		text = "no data"
	}
	size := a.Size()
	b := newBlock(wrap(text, smallestSize, false, size.X-4), smallestSize, false)
	if b.height > size.Y || b.width > size.X {
		b = newBlock("n/a", smallestSize, false) // the footnote has the reason
	}
	s.drawText("note", b, vg.Point{X: (a.Min.X + a.Max.X) / 2, Y: (a.Min.Y + a.Max.Y) / 2}, alignCenter, alignCenter, 0,
		softInk)
}

// drawReferences draws the reference lines, their labels right of the data, moved
// apart where they would touch.
func (c *chart) drawReferences(s *scene, a *area) {
	references := slices.Clone(c.references)
	slices.SortStableFunc(references, func(p, q Reference) int { return cmp.Compare(p.Value, q.Value) })
	bottom := vg.Length(math.Inf(-1))
	for _, r := range references {
		y := a.Y(r.Value)
		if y < a.Min.Y-0.01 || y > a.Max.Y+0.01 {
			s.warn("%s: reference line %q at %s lies outside the axis",
				panelName(s.panel), plainText(r.Label), Number(r.Value, 3))
			continue
		}
		across := []vg.Point{{X: a.Min.X, Y: y}, {X: a.Max.X, Y: y}}
		s.line(across, withAlpha(paperOpen, 0.7), 1.5, nil) // so that it shows over dark bars
		s.line(across, ink, 0.7, []vg.Length{2.5, 1.8})
		if r.Label == "" {
			continue
		}
		b := newBlock(referenceText(r), smallestSize, false)
		y = max(y, bottom+b.height/2)
		bottom = y + b.height/2
		s.drawText("reference", b, vg.Point{X: a.Max.X + labelGap, Y: y}, alignStart, alignCenter, 0, ink)
	}
}
