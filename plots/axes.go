// Axes of a figure's charts: layout and drawing of their labels. Range, scale, ticks and lines are gonum's; the drawing
// is ours. gonum lays out one plot by itself: it cannot share the edges of the data with other panels, align the titles
// of a column, wrap or rotate names, or print a power of ten once per axis.

package plots

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Lengths in points.
const (
	axisWidth  = 0.6
	tickLength = 2.4
	minorTick  = 1.4
	labelGap   = 2.0
)

// measureY chooses the ticks of y and returns the space they and the title need.
func (c *chart) measureY(size vg.Point, tileHeight vg.Length) (left, top vg.Length) {
	c.y.mark(min(6, max(2, int(size.Y/(tickSize*2.3)))))
	left = tickLength + labelGap + c.tickWidth()
	top = tickSize * ascent / 2
	c.factorY, c.yTitle = block{}, block{}
	if c.y.exponent != 0 {
		c.factorY = newBlock("×"+decadeLabel(c.y.exponent, false), smallestSize, false)
		top += c.factorY.height
	}
	label := c.y.Label.Text
	if label == "" {
		return left, top
	}
	// Next to rotated names the title must stay next to the data; else it may use the height of the tile.
	limit := max(size.Y, 30)
	if c.x.names == nil {
		limit = max(limit, 0.95*tileHeight)
	}
	c.yTitle = newBlock(wrap(label, labelSize, false, limit), labelSize, false)
	if c.yTitle.width > limit {
		text, _ := shortenLines(wrap(label, smallestSize, false, limit), smallestSize, false, max(tileHeight, size.Y))
		c.yTitle = newBlock(text, smallestSize, false)
	}
	return left + (c.yTitle.height + labelGap), top
}

// tickWidth is the width of the widest label of y.
func (c *chart) tickWidth() vg.Length {
	var width vg.Length
	for _, t := range c.y.ticks {
		if !t.IsMinor() {
			width = max(width, newBlock(t.Label, tickSize, false).width)
		}
	}
	return width
}

// measureX lays out names or ticks of x and returns the height that they and the
// title need, and how far they reach beyond the axis.
func (c *chart) measureX(size vg.Point, tileHeight vg.Length) (bottom, overLeft, overRight vg.Length) {
	bottom = tickLength + labelGap
	if c.x.names != nil {
		c.labels = layoutCategories(c.x.names, size.X, 0.42*tileHeight)
		bottom += c.labels.height
		overLeft, overRight = c.labels.left, c.labels.right
	} else {
		overLeft, overRight = c.markX(size.X)
		bottom += tickSize * (ascent + descent)
		if c.raisedX() {
			bottom += 0.5
		}
	}
	c.xTitle, c.factorX, c.stackedX = block{}, block{}, false
	if c.x.exponent != 0 {
		c.factorX = newBlock("×"+decadeLabel(c.x.exponent, false), smallestSize, false)
	}
	if label := c.x.Label.Text; label != "" {
		c.xTitle = newBlock(wrap(label, labelSize, false, max(size.X, 30)), labelSize, false)
		bottom += labelGap + c.xTitle.height
		c.stackedX = c.factorX.width > 0 && c.xTitle.width/2+c.factorX.width+4 > size.X/2
		if over := (c.xTitle.width - size.X) / 2; over > 0 {
			overLeft, overRight = max(overLeft, over), max(overRight, over)
		}
	}
	if c.factorX.width > 0 && (c.stackedX || c.xTitle.width == 0) {
		bottom += c.factorX.height
	}
	return bottom, overLeft, overRight
}

// raisedX reports whether labels of x hold raised exponents.
func (c *chart) raisedX() bool { return c.x.log || c.x.exponent != 0 }

// markX chooses ticks of x whose labels do not touch, and returns how far the
// first and last label reach beyond the axis.
func (c *chart) markX(width vg.Length) (left, right vg.Length) {
	for n := min(8, max(2, int(width/18))); ; n-- {
		c.x.mark(n)
		ticks := slices.Clone(c.x.ticks)
		slices.SortFunc(ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
		c.x.ticks = ticks
		last := c.x.places != nil || n <= 2 // fixed ticks: keep the marks, drop labels
		var clash bool
		if left, right, clash = c.placeLabels(width, last); !clash || last {
			return left, right
		}
	}
}

// placeLabels measures the labels of x and reports whether some touch; if drop is true, touching labels are removed.
func (c *chart) placeLabels(width vg.Length, drop bool) (left, right vg.Length, clash bool) {
	const gap = 4
	c.xBlocks = c.xBlocks[:0]
	end := vg.Length(math.Inf(-1))
	for i := range c.x.ticks {
		t := &c.x.ticks[i]
		b := newBlock(t.Label, tickSize, false)
		c.xBlocks = append(c.xBlocks, b)
		if t.IsMinor() {
			continue
		}
		center := vg.Length(share(&c.x.Axis, t.Value)) * width
		if center-b.width/2 < end+gap {
			clash = true
			if drop {
				t.Label = ""
				continue
			}
		}
		end = center + b.width/2
		left, right = max(left, b.width/2-center), max(right, center+b.width/2-width)
	}
	return left, right, clash
}

func (c *chart) drawAxes(s *scene, a *area, tile vg.Rectangle) {
	s.line([]vg.Point{{X: a.Min.X, Y: a.Max.Y}, {X: a.Min.X, Y: a.Min.Y}, {X: a.Max.X, Y: a.Min.Y}}, c.x.Color, c.x.Width,
		nil)
	c.drawY(s, a, tile)
	c.drawX(s, a)
}

// drawY draws marks, labels, power of ten and title of y.
func (c *chart) drawY(s *scene, a *area, tile vg.Rectangle) {
	for _, t := range c.y.ticks {
		y := a.Y(t.Value)
		if y < a.Min.Y-0.01 || y > a.Max.Y+0.01 {
			continue
		}
		if !t.IsMinor() {
			s.drawText("tick", newBlock(t.Label, tickSize, false),
				vg.Point{X: a.Min.X - tickLength - labelGap, Y: y}, alignEnd, alignCenter, 0, ink)
		}
		s.line([]vg.Point{{X: a.Min.X - c.y.markLength(t), Y: y}, {X: a.Min.X, Y: y}}, c.y.Tick.Color, c.y.Tick.Width, nil)
	}
	if c.factorY.width > 0 {
		s.drawText("factor", c.factorY, vg.Point{X: a.Min.X, Y: a.Max.Y + tickSize*ascent/2 - 1}, alignStart, alignStart, 0,
			ink)
	}
	if c.yTitle.width > 0 {
		// Titles of one column share a line, at the tile's edge, and inside the tile.
		middle := insideTile(tile, (a.Min.Y+a.Max.Y)/2, c.yTitle.width)
		s.drawText("label", c.yTitle, vg.Point{X: tile.Min.X, Y: middle}, alignCenter, alignEnd, math.Pi/2, ink)
	}
}

// insideTile is the middle of a turned title of a length, near a height and inside a tile.
func insideTile(tile vg.Rectangle, middle, length vg.Length) vg.Length {
	return min(max(middle, tile.Min.Y+length/2), max(tile.Max.Y-length/2, tile.Min.Y+length/2))
}

// drawX draws names or marks with labels, power of ten and title of x.
func (c *chart) drawX(s *scene, a *area) {
	below := a.Min.Y - tickLength - labelGap
	if c.x.names != nil {
		c.labels.draw(s, a, below)
		below -= c.labels.height
	} else {
		for i, t := range c.x.ticks {
			x := a.X(t.Value)
			if x < a.Min.X-0.01 || x > a.Max.X+0.01 {
				continue
			}
			if !t.IsMinor() {
				s.drawText("tick", c.xBlocks[i], vg.Point{X: x, Y: below}, alignCenter, alignEnd, 0, ink)
			}
			s.line([]vg.Point{{X: x, Y: a.Min.Y - c.x.markLength(t)}, {X: x, Y: a.Min.Y}}, c.x.Tick.Color, c.x.Tick.Width, nil)
		}
		below -= tickSize * (ascent + descent)
		if c.raisedX() {
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
		s.drawText("label", c.xTitle, vg.Point{X: (a.Min.X + a.Max.X) / 2, Y: below - labelGap}, alignCenter, alignEnd, 0,
			ink)
	}
}
