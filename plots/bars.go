// Bars: one per series with printed values. One function draws a bar together with
// its interval, so the two cannot come apart.

package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the bars, their intervals, values and reference lines into the data rectangle of a plot; see [Add].
func (p *Bars) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// DataRange is the range of the data. On y it is the range of the values, intervals and reference lines, from zero
// unless y is log, has a fixed range or Dots is set. On x it is one unit about 0, 1, … for the bars.
func (p *Bars) DataRange() (xmin, xmax, ymin, ymax float64) { return mount(p).DataRange() }

// GlyphBoxes are the boxes of the printed values and of the labels of reference lines.
func (p *Bars) GlyphBoxes(plt *plot.Plot) []plot.GlyphBox { return mount(p).GlyphBoxes(plt) }

// Thumbnail draws a filled box in the style of a bar, side by side for several.
func (p *Bars) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

// bar is one bar ready to be drawn: its center and width on the x axis.
type bar struct {
	x, width         float64
	value, low, high float64 // NaN: undefined
	baseline         *float64
	style            Style
	dot              bool   // a marker, not a bar
	text             string // printed beyond the interval
	reason           string // why the value is undefined
}

// hasInterval reports whether the bar has an interval to draw.
func (b *bar) hasInterval() bool { return b.low < b.high }

// extend adds the bar with its caps to the range of y.
func (b *bar) extend(y Axis, data *extent, lost *dropped) {
	if !y.accepts(b.value, lost) {
		b.value = math.NaN()
		return
	}
	data.add(b.value)
	if b.baseline != nil && y.accepts(*b.baseline, &dropped{}) {
		data.add(*b.baseline)
	} else {
		b.baseline = nil
	}
	if !b.hasInterval() {
		return
	}
	// An upper end that cannot be shown takes the interval with it; a lower end ≤ 0
	// on a log axis only means that the interval reaches the bottom.
	if !y.accepts(b.high, lost) {
		b.low, b.high = math.NaN(), math.NaN()
		return
	}
	data.add(b.high)
	var below dropped
	if y.accepts(b.low, &below) {
		data.add(b.low)
	} else if !y.Log || math.Abs(b.low) > largestValue {
		lost.infinite += below.infinite
		b.low, b.high = math.NaN(), math.NaN()
	}
}

// top is the far end of a bar and its interval, away from zero.
func (b *bar) top() float64 {
	if !b.hasInterval() {
		return b.value
	}
	if b.value < 0 {
		return min(b.low, b.value)
	}
	return max(b.high, b.value)
}

// draw draws the bar, its interval with caps, and its text or "n/a".
func (b *bar) draw(s *scene, a *area, how int) {
	left, right := a.X(b.x-b.width/2), a.X(b.x+b.width/2)
	middle := (left + right) / 2
	base := a.Min.Y
	if !a.logY && a.y.Min < 0 {
		base = a.within(a.Y(0))
	}
	if math.IsNaN(b.value) {
		size := vg.Point{X: right - left + 2, Y: a.Max.Y - base - 2*valueGap}
		if below := base - a.Min.Y - 2*valueGap; below > size.Y { // the other bars hang from the top
			size.Y = below
			s.undefined(b.reason, vg.Point{X: middle, Y: base - valueGap}, size, alignEnd)
			return
		}
		s.undefined(b.reason, vg.Point{X: middle, Y: base + valueGap}, size, alignStart)
		return
	}
	end := a.within(a.Y(b.value))
	r := vg.Rectangle{Min: vg.Point{X: left, Y: min(base, end)}, Max: vg.Point{X: right, Y: max(base, end)}}
	if !b.dot {
		s.box(r, b.style, b.style.Fill, 0.4)
		s.record("bar", "", vg.Point{}, 0, r)
	}
	if b.baseline != nil {
		y := a.within(a.Y(*b.baseline))
		across := []vg.Point{{X: left, Y: y}, {X: right, Y: y}}
		s.line(across, withAlpha(paperOpen, 0.9), 1.8, nil)
		s.line(across, ink, 0.9, []vg.Length{2, 1})
		s.record("baseline", "", vg.Point{}, 0, vg.Rectangle{Min: across[0], Max: across[1]})
	}
	top := end
	if b.hasInterval() {
		low, high := a.Min.Y, a.within(a.Y(b.high))
		if !a.logY || b.low > 0 {
			low = a.within(a.Y(b.low))
		}
		reach := min(2.5, (right-left)*0.3)
		if luminance(b.style.Fill) < 0.25 && !b.dot { // a rim, so that the lower half shows on dark bars
			s.line([]vg.Point{{X: middle, Y: low}, {X: middle, Y: min(high, end)}}, withAlpha(paperOpen, 0.8), 1.7, nil)
			s.line([]vg.Point{{X: middle - reach - 0.5, Y: low}, {X: middle + reach + 0.5, Y: low}}, withAlpha(paperOpen, 0.8),
				1.7, nil)
		}
		s.line([]vg.Point{{X: middle, Y: low}, {X: middle, Y: high}}, ink, 0.7, nil)
		for _, y := range []vg.Length{low, high} {
			s.line([]vg.Point{{X: middle - reach, Y: y}, {X: middle + reach, Y: y}}, ink, 0.7, nil)
		}
		s.record("interval", "", vg.Point{}, 0,
			vg.Rectangle{Min: vg.Point{X: middle - reach, Y: low}, Max: vg.Point{X: middle + reach, Y: high}})
		top = max(high, end)
		if b.value < 0 {
			top = min(low, end)
		}
	}
	if b.dot {
		at := vg.Point{X: middle, Y: end}
		s.marker(at, dotRadius, b.style, b.style.Fill, b.style.Edge, 0.4)
		s.record("marker", "", vg.Point{}, 0, vg.Rectangle{Min: at, Max: at})
	}
	if b.text != "" && how != printNothing {
		b.print(s, b.text, vg.Point{X: middle, Y: top}, b.value < 0, how == printUpright)
	}
}

// undefined writes "n/a" and the reason above a point (below it for alignEnd), instead of a bar or box, as far as a
// slot of size room has space.
func (s *scene) undefined(reason string, point, slot vg.Point, align float64) {
	const size = smallestSize
	text := "n/a"
	if reason != "" {
		text += ": " + reason
	}
	flat := newBlock(wrap(text, size, false, slot.X), size, false)
	if newBlock("n/a:", size, false).width <= slot.X && flat.width <= slot.X && len(flat.lines) <= 4 && flat.height <= slot.Y {
		s.drawText("value", flat, point, alignCenter, align, 0, ink)
		return
	}
	upright := newBlock(wrap(text, size, false, slot.Y), size, false)
	if upright.width > slot.Y || upright.height > slot.X {
		upright = newBlock("n/a", size, false)
		if upright.width <= slot.X {
			s.drawText("value", upright, point, alignCenter, align, 0, ink)
			return
		}
	}
	s.drawText("value", upright, point, align, alignCenter, math.Pi/2, ink)
}

// dotRadius is the radius of the markers of [Bars.Dots].
const dotRadius = 2.2

// valueGap is the distance between a cap and the printed value.
const valueGap = 1.5

// print writes text above (or below) a point, side by side or upright.
func (b *bar) print(s *scene, text string, point vg.Point, below, upright bool) {
	label := newBlock(text, smallestSize, false)
	switch {
	case upright && below:
		s.drawText("value", label, vg.Point{X: point.X, Y: point.Y - valueGap}, alignEnd, alignCenter, math.Pi/2, ink)
	case upright:
		s.drawText("value", label, vg.Point{X: point.X, Y: point.Y + valueGap}, alignStart, alignCenter, math.Pi/2, ink)
	case below:
		s.drawText("value", label, vg.Point{X: point.X, Y: point.Y - valueGap}, alignCenter, alignEnd, 0, ink)
	default:
		s.drawText("value", label, vg.Point{X: point.X, Y: point.Y + valueGap}, alignCenter, alignStart, 0, ink)
	}
}

// zeroBased lets the axis of bars start at zero.
func zeroBased(y Axis) Axis {
	y.Zero = !y.Log
	return y
}

func (p *Bars) prepare(prep *preparation) (content, error) {
	if len(p.Bars) == 0 {
		return nil, prep.errorf("bars: want at least one")
	}
	prep.text(p.X.Label, p.Y.Label)
	var names []string
	for _, b := range p.Bars {
		names = append(names, b.Name)
		prep.text(b.Text)
	}
	if err := prep.names(names); err != nil {
		return nil, err
	}
	var data extent
	var lost dropped
	y, kind := zeroBased(p.Y), keyFill
	if p.Dots {
		y, kind = p.Y, keyMarker
	}
	bars := make([]*bar, len(p.Bars))
	for i, b := range p.Bars {
		bars[i] = &bar{x: float64(i), width: 0.72, value: b.Value, low: b.Low, high: b.High, baseline: b.Baseline, style: prep.style(b.Name), dot: p.Dots}
		if b.Low > b.High {
			return nil, prep.errorf("bar %q: interval [%g, %g] is reversed", b.Name, b.Low, b.High)
		}
		bars[i].extend(y, &data, &lost)
		if bars[i].reason = b.Reason; math.IsNaN(bars[i].value) {
			prep.lack(b.Name, b.Reason)
		}
		prep.show(b.Name, kind)
		if p.NamesInLegend {
			prep.explain(b.Name, kind)
			names[i] = ""
		}
		switch {
		case p.NoValues:
		case b.Text != "":
			bars[i].text = b.Text
		default:
			bars[i].text = Number(b.Value, 3)
		}
	}
	return barChart(prep, p.X, y, names, bars, data, lost, p.References)
}

// barChart makes the chart of prepared bars over named slots.
func barChart(prep *preparation, x, y Axis, slots []string, bars []*bar, data extent, lost dropped,
	lines []Reference) (*chart, error) {
	prep.note(lost, false)
	references, err := prepareReferences(prep, lines, y, &data)
	if err != nil {
		return nil, err
	}
	if y.Log && data.some { // bars need some height over the smallest value
		data.low /= math.Pow(10, max(0.3, 0.08*(math.Log10(data.high)-math.Log10(data.low))))
	}
	ys, err := newScale(y, data)
	if err != nil {
		return nil, prep.errorf("%v", err)
	}
	c := newChart(newCategories(x, slots), ys)
	c.references, c.grid = references, true
	c.below = slices.ContainsFunc(bars, func(b *bar) bool { return b.dot })
	if !slices.ContainsFunc(bars, func(b *bar) bool { return !math.IsNaN(b.value) }) {
		c.nothing(prep)
		return c, nil
	}
	c.room = func(size vg.Point) (below, above float64) {
		how := printing(&c.baseY.Axis, bars, size, len(slots))
		return printRoom(&c.baseY.Axis, bars, float64(size.Y), how)
	}
	c.glyphs = func(put func(x, y float64, r vg.Rectangle)) { valueBoxes(bars, put) }
	c.paint = func(s *scene, a *area) {
		how := printing(&c.baseY.Axis, bars, a.Size(), len(slots))
		if a.foreign {
			how = foreignPrinting(a, bars, len(slots))
		}
		if how == printNothing {
			s.cramp("%s: no room to print the values of the bars", panelName(s.panel))
		}
		for _, b := range bars {
			b.draw(s, a, how)
		}
	}
	return c, nil
}

// Ways to print values at bars.
const (
	printFlat = iota
	printUpright
	printNothing
)

// printing chooses how values are printed: upright where one is wider than its
// slot, not at all where that would take half of the panel or lines would touch.
func printing(y *plot.Axis, bars []*bar, size vg.Point, slots int) int {
	slot := size.X / vg.Length(slots)
	how := printFlat
	for _, b := range bars {
		if b.text != "" && newBlock(b.text, smallestSize, false).width > slot-1.5 {
			how = printUpright
		}
	}
	if how == printFlat {
		return how
	}
	below, above := printRoom(y, bars, float64(size.Y), how)
	if slot < smallestSize || below+above > 0.5*float64(size.Y) {
		return printNothing
	}
	return how
}

// printRoom is how many points the axis must grow below and above so that every
// printed value fits between its cap and the edge.
func printRoom(y *plot.Axis, bars []*bar, length float64, how int) (below, above float64) {
	if how == printNothing {
		return 0, 0
	}
	// Printed values move the bars towards the middle: a few rounds settle it.
	for range 6 {
		wasBelow, wasAbove := below, above
		scale := max(0, length-below-above)
		for _, b := range bars {
			if b.text == "" || math.IsNaN(b.value) {
				continue
			}
			label := newBlock(b.text, smallestSize, false)
			height := float64(label.height)
			if how == printUpright {
				height = float64(label.width)
			}
			position := min(1, max(0, share(y, b.top()))) * scale
			if b.value < 0 {
				below = max(below, height+2*valueGap-position)
			} else {
				above = max(above, height+valueGap-(scale-position))
			}
		}
		if below+above-wasBelow-wasAbove < 0.1 {
			break
		}
	}
	return below, above
}

// foreignPrinting is printing in a plot that left space for side by side values only: upright ones that need more are
// omitted.
func foreignPrinting(a *area, bars []*bar, slots int) int {
	size := a.Size()
	how := printing(a.y, bars, size, slots)
	if how != printUpright {
		return how
	}
	below, above := printRoom(a.y, bars, float64(size.Y), printUpright)
	flatBelow, flatAbove := printRoom(a.y, bars, float64(size.Y), printFlat)
	if below > flatBelow || above > flatAbove {
		return printNothing
	}
	return how
}

// valueBoxes reports the boxes of values printed side by side. They have no width: a value wider than its slot is not
// printed there.
func valueBoxes(bars []*bar, put func(x, y float64, r vg.Rectangle)) {
	for _, b := range bars {
		if b.text == "" || math.IsNaN(b.value) {
			continue
		}
		height := newBlock(b.text, smallestSize, false).height
		r := vg.Rectangle{Min: vg.Point{Y: valueGap}, Max: vg.Point{Y: valueGap + height}}
		if b.value < 0 {
			r = vg.Rectangle{Min: vg.Point{Y: -valueGap - height}, Max: vg.Point{Y: -valueGap}}
		}
		put(b.x, b.top(), r)
	}
}
