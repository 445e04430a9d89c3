// Charts: panels with axes. Measuring their margins, and drawing axes, tick
// labels, reference lines and data.

package plots

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Lengths in points.
const (
	axisWidth  = 0.6
	tickLength = 2.4
	minorTick  = 1.4
	labelGap   = 2.0
)

// content is a prepared panel.
type content interface {
	// measure returns the space the panel needs around a data rectangle of the
	// given size inside a tile of the given height.
	measure(size vg.Point, tileHeight vg.Length) margins
	// draw draws the panel: its data into data, what surrounds it into tile.
	draw(s *scene, data, tile vg.Rectangle) error
}

// margins are the widths around a data rectangle.
type margins struct{ left, right, bottom, top vg.Length }

// chart is a panel with two axes.
type chart struct {
	x, y       scale
	baseY      scale // the range of y before room was made
	references []Reference
	empty      bool // no value can be drawn
	grid       bool // horizontal lines behind the data

	// room returns the points needed below and above the data for a data
	// rectangle of this size (printed values); nil: none.
	room func(size vg.Point) (below, above float64)
	// paint draws the data.
	paint func(s *scene, a *area)

	labels   categoryLabels
	xBlocks  []block // labels of x ticks of numbers
	factorY  block
	yTitle   block
	xTitle   block
	factorX  block
	stackedX bool // the factor of x does not fit beside the title
}

// newChart makes an empty chart of two scales.
func newChart(x, y scale) *chart { return &chart{x: x, y: y, baseY: y} }

// area is a data rectangle with its scales.
type area struct {
	vg.Rectangle
	x, y *scale
}

func (a *area) X(v float64) vg.Length {
	return a.Min.X + vg.Length(a.x.share(v))*(a.Max.X-a.Min.X)
}

func (a *area) Y(v float64) vg.Length {
	return a.Min.Y + vg.Length(a.y.share(v))*(a.Max.Y-a.Min.Y)
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
func prepareReferences(env *environment, references []Reference, y Axis, data *extent) ([]Reference, error) {
	for i, r := range references {
		var d dropped
		if !y.accepts(r.Value, &d) {
			return nil, env.errorf("reference line %d (%q): %g cannot be shown on the axis", i+1, r.Label, r.Value)
		}
		env.text(r.Label)
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
	c.y.mark(min(6, max(2, int(size.Y/(tickSize*2.3)))))

	var m margins
	m.left = tickLength + labelGap + c.tickWidth()
	m.top = tickSize * ascent / 2
	c.factorY = block{}
	if c.y.exponent != 0 {
		c.factorY = newBlock("×"+decadeLabel(c.y.exponent, false), smallestSize, false)
		m.top += c.factorY.height
	}
	c.yTitle = block{}
	if label := c.y.axis.Label; label != "" {
		// Beside turned names the title must stay beside the data; else it may use
		// the height of the tile.
		limit := max(size.Y, 30)
		if c.x.names == nil {
			limit = max(limit, 0.95*tileHeight)
		}
		text := wrap(label, labelSize, false, limit)
		c.yTitle = newBlock(text, labelSize, false)
		if c.yTitle.width > limit {
			text, _ = shortenLines(wrap(label, smallestSize, false, limit), smallestSize, false, max(tileHeight, size.Y))
			c.yTitle = newBlock(text, smallestSize, false)
		}
		m.left += c.yTitle.height + labelGap
	}

	m.bottom = tickLength + labelGap
	var overLeft, overRight vg.Length
	if c.x.names != nil {
		c.labels = layoutCategories(c.x.names, size.X, 0.42*tileHeight)
		m.bottom += c.labels.height
		overLeft, overRight = c.labels.left, c.labels.right
	} else {
		overLeft, overRight = c.markX(size.X)
		m.bottom += tickSize * (ascent + descent)
		if c.x.axis.Log || c.x.exponent != 0 {
			m.bottom += 0.5 // raised exponents
		}
	}
	c.xTitle, c.factorX, c.stackedX = block{}, block{}, false
	if c.x.exponent != 0 {
		c.factorX = newBlock("×"+decadeLabel(c.x.exponent, false), smallestSize, false)
	}
	if c.x.axis.Label != "" {
		c.xTitle = newBlock(wrap(c.x.axis.Label, labelSize, false, max(size.X, 30)), labelSize, false)
		m.bottom += labelGap + c.xTitle.height
		c.stackedX = c.factorX.width > 0 && c.xTitle.width/2+c.factorX.width+4 > size.X/2
		if over := (c.xTitle.width - size.X) / 2; over > 0 {
			overLeft, overRight = max(overLeft, over), max(overRight, over)
		}
	}
	if c.factorX.width > 0 && (c.stackedX || c.xTitle.width == 0) {
		m.bottom += c.factorX.height
	}
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

// tickWidth is the width of the widest label of y.
func (c *chart) tickWidth() vg.Length {
	var width vg.Length
	for _, t := range c.y.ticks {
		if t.label != "" {
			width = max(width, newBlock(t.label, tickSize, false).width)
		}
	}
	return width
}

// markX chooses ticks of x whose labels do not touch, and returns how far the
// first and last label reach beyond the axis.
func (c *chart) markX(width vg.Length) (left, right vg.Length) {
	const gap = 4
	for n := min(8, max(2, int(width/18))); ; n-- {
		c.x.mark(n)
		c.xBlocks = c.xBlocks[:0]
		left, right = 0, 0
		end, clash := vg.Length(math.Inf(-1)), false
		ticks := slices.Clone(c.x.ticks)
		slices.SortFunc(ticks, func(a, b tick) int { return cmp.Compare(a.value, b.value) })
		c.x.ticks = ticks
		for i := range ticks {
			b := newBlock(ticks[i].label, tickSize, false)
			c.xBlocks = append(c.xBlocks, b)
			if ticks[i].label == "" {
				continue
			}
			at := vg.Length(c.x.share(ticks[i].value)) * width
			if at-b.width/2 < end+gap {
				clash = true
				if c.x.axis.Ticks != nil || n <= 2 { // no choice of places: keep the mark, drop the label
					ticks[i].label = ""
					continue
				}
			}
			end = at + b.width/2
			left, right = max(left, b.width/2-at), max(right, at+b.width/2-width)
		}
		if !clash || n <= 2 || c.x.axis.Ticks != nil {
			return left, right
		}
	}
}

func (c *chart) draw(s *scene, data, tile vg.Rectangle) error {
	a := &area{Rectangle: data, x: &c.x, y: &c.y}
	s.record("data", "", vg.Point{}, 0, data)
	if c.grid {
		for _, t := range c.y.ticks {
			if y := a.Y(t.value); t.label != "" && y > data.Min.Y+0.5 && y <= data.Max.Y+0.01 {
				s.line([]vg.Point{{X: data.Min.X, Y: y}, {X: data.Max.X, Y: y}}, gridInk, 0.4, nil)
			}
		}
	}
	if c.empty {
		s.drawText("note", newBlock("no data", smallestSize, false), vg.Point{
			X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}, alignCenter, alignCenter, 0, softInk)
	} else {
		c.paint(s, a)
	}
	c.drawReferences(s, a)
	c.drawAxes(s, a, tile)
	return nil
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
			s.warn("%s: reference line %q at %s lies outside the axis", panelName(s.panel), plainText(r.Label), Number(r.Value, 3))
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

func (c *chart) drawAxes(s *scene, a *area, tile vg.Rectangle) {
	s.line([]vg.Point{{X: a.Min.X, Y: a.Max.Y}, {X: a.Min.X, Y: a.Min.Y}, {X: a.Max.X, Y: a.Min.Y}}, ink, axisWidth, nil)
	for _, t := range c.y.ticks {
		y, length := a.Y(t.value), vg.Length(tickLength)
		if y < a.Min.Y-0.01 || y > a.Max.Y+0.01 {
			continue
		}
		if t.label == "" {
			length = minorTick
		} else {
			s.drawText("tick", newBlock(t.label, tickSize, false),
				vg.Point{X: a.Min.X - tickLength - labelGap, Y: y}, alignEnd, alignCenter, 0, ink)
		}
		s.line([]vg.Point{{X: a.Min.X - length, Y: y}, {X: a.Min.X, Y: y}}, ink, axisWidth*0.8, nil)
	}
	if c.factorY.width > 0 {
		s.drawText("factor", c.factorY, vg.Point{X: a.Min.X, Y: a.Max.Y + tickSize*ascent/2 - 1}, alignStart, alignStart, 0, ink)
	}
	if c.yTitle.width > 0 {
		// Titles of one column stand on one line, at the tile's edge, and inside the tile.
		middle := (a.Min.Y + a.Max.Y) / 2
		middle = min(max(middle, tile.Min.Y+c.yTitle.width/2), max(tile.Max.Y-c.yTitle.width/2, tile.Min.Y+c.yTitle.width/2))
		s.drawText("label", c.yTitle, vg.Point{X: tile.Min.X, Y: middle}, alignCenter, alignEnd, math.Pi/2, ink)
	}

	below := a.Min.Y - tickLength - labelGap
	if c.x.names != nil {
		c.labels.draw(s, a, below)
		below -= c.labels.height
	} else {
		for i, t := range c.x.ticks {
			x, length := a.X(t.value), vg.Length(tickLength)
			if x < a.Min.X-0.01 || x > a.Max.X+0.01 {
				continue
			}
			if t.label == "" {
				length = minorTick
			} else {
				s.drawText("tick", c.xBlocks[i], vg.Point{X: x, Y: below}, alignCenter, alignEnd, 0, ink)
			}
			s.line([]vg.Point{{X: x, Y: a.Min.Y - length}, {X: x, Y: a.Min.Y}}, ink, axisWidth*0.8, nil)
		}
		below -= tickSize * (ascent + descent)
		if c.x.axis.Log || c.x.exponent != 0 {
			below -= 0.5
		}
	}
	if c.factorX.width > 0 {
		y := below
		if c.xTitle.width > 0 && !c.stackedX {
			y -= labelGap
		}
		s.drawText("factor", c.factorX, vg.Point{X: a.Max.X, Y: y}, alignEnd, alignEnd, 0, ink)
		if c.stackedX {
			below -= c.factorX.height
		}
	}
	if c.xTitle.width > 0 {
		s.drawText("label", c.xTitle, vg.Point{X: (a.Min.X + a.Max.X) / 2, Y: below - labelGap}, alignCenter, alignEnd, 0, ink)
	}
}

// categoryLabels are the names under an axis: side by side, wrapped, turned by
// 45° or upright, whatever fits first.
type categoryLabels struct {
	blocks      []block
	rotation    float64
	height      vg.Length
	left, right vg.Length // how far they reach beyond the axis
	cut, small  bool
}

// layoutCategories fits names into equal slots of an axis, at most tallest high.
func layoutCategories(names []string, width, tallest vg.Length) categoryLabels {
	slot := width / vg.Length(len(names))
	const gap = 3
	for _, lines := range []int{1, 3} {
		for _, size := range []float64{tickSize, smallestSize} {
			if l, ok := horizontalLabels(names, size, slot-gap, lines); ok {
				return l
			}
		}
	}
	size := float64(smallestSize)
	l := categoryLabels{rotation: math.Pi / 4}
	line := vg.Length(size * (ascent + descent))
	if slot < line*math.Sqrt2 {
		l.rotation = math.Pi / 2
		if slot < line*0.95 {
			size, l.small = max(3, float64(slot)/(ascent+descent)), true
			line = vg.Length(size * (ascent + descent))
		}
	}
	sin, cos := math.Sincos(l.rotation)
	longest := (tallest - line*vg.Length(cos)) / vg.Length(sin)
	for i, name := range names {
		text, cut := shorten(name, size, false, max(longest, 12))
		l.cut = l.cut || cut
		b := newBlock(text, size, false)
		l.blocks = append(l.blocks, b)
		l.height = max(l.height, b.width*vg.Length(sin)+b.height*vg.Length(cos))
		l.left = max(l.left, b.width*vg.Length(cos)+b.height/2*vg.Length(sin)-slot*(vg.Length(i)+0.5))
	}
	l.height++
	if l.height > 0.25/0.42*tallest || l.cut {
		if u, ok := uprightLabels(names, slot, tallest); ok && u.height < 0.9*l.height {
			return u
		}
	}
	return l
}

// uprightLabels turns names by 90°, wrapped into as many lines as a slot holds.
func uprightLabels(names []string, slot, tallest vg.Length) (categoryLabels, bool) {
	const size = smallestSize
	most := int((slot/size-ascent-descent)/linePitch) + 1
	if most < 2 {
		return categoryLabels{}, false
	}
	l := categoryLabels{rotation: math.Pi / 2}
	for _, name := range names {
		// The narrowest wrapping that needs no more lines than there are.
		var b block
		for width := vg.Length(3 * size); ; width += 2 {
			b = newBlock(wrap(name, size, false, width), size, false)
			if len(b.lines) <= most {
				break
			}
		}
		if b.width > tallest {
			return l, false
		}
		l.blocks = append(l.blocks, b)
		l.height = max(l.height, b.width)
	}
	return l, true
}

// horizontalLabels wraps names into slots of the given width.
func horizontalLabels(names []string, size float64, width vg.Length, most int) (categoryLabels, bool) {
	var l categoryLabels
	for _, name := range names {
		b := newBlock(name, size, false)
		if most > 1 {
			b = newBlock(wrap(name, size, false, width), size, false)
		}
		if b.width > width || len(b.lines) > most {
			return l, false
		}
		l.blocks = append(l.blocks, b)
		l.height = max(l.height, b.height)
	}
	return l, true
}

func (l *categoryLabels) draw(s *scene, a *area, top vg.Length) {
	if l.cut {
		s.warn("%s: names under the axis had to be shortened", panelName(s.panel))
	}
	if l.small {
		s.warn("%s: names under the axis are smaller than %d pt", panelName(s.panel), smallestSize)
	}
	for i, b := range l.blocks {
		p := vg.Point{X: a.X(float64(i)), Y: top}
		s.line([]vg.Point{{X: p.X, Y: a.Min.Y - tickLength}, {X: p.X, Y: a.Min.Y}}, ink, axisWidth*0.8, nil)
		switch {
		case l.rotation == 0:
			s.drawText("category", b, p, alignCenter, alignEnd, 0, ink)
		case l.rotation < math.Pi/3:
			// The upper right corner of the text meets the tick.
			p.Y -= b.height * vg.Length(math.Cos(l.rotation)) / 2
			s.drawText("category", b, p, alignEnd, alignCenter, l.rotation, ink)
		default:
			s.drawText("category", b, p, alignEnd, alignCenter, l.rotation, ink)
		}
	}
}
