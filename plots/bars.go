// Bars: one per series with printed values, and grouped bars. One function draws
// a bar together with its interval, so the two cannot come apart.

package plots

import (
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
)

// bar is one bar ready to be drawn: its centre and width on the x axis.
type bar struct {
	x, width         float64
	value, low, high float64 // NaN: undefined
	style            Style
	text             string // printed beyond the interval
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
	if !a.y.axis.Log && a.y.low < 0 {
		base = a.within(a.Y(0))
	}
	if math.IsNaN(b.value) {
		b.print(s, "n/a", vg.Point{X: middle, Y: base + 1.5}, false, right-left < 12)
		return
	}
	end := a.within(a.Y(b.value))
	r := vg.Rectangle{Min: vg.Point{X: left, Y: min(base, end)}, Max: vg.Point{X: right, Y: max(base, end)}}
	s.box(r, b.style, b.style.Fill, 0.4)
	s.record("bar", "", vg.Point{}, 0, r)
	top := end
	if b.hasInterval() {
		low, high := a.Min.Y, a.within(a.Y(b.high))
		if !a.y.axis.Log || b.low > 0 {
			low = a.within(a.Y(b.low))
		}
		reach := min(2.5, (right-left)*0.3)
		if luminance(b.style.Fill) < 0.25 { // a rim, so that the lower half shows on dark bars
			s.line([]vg.Point{{X: middle, Y: low}, {X: middle, Y: min(high, end)}}, withAlpha(paperOpen, 0.8), 1.7, nil)
			s.line([]vg.Point{{X: middle - reach - 0.5, Y: low}, {X: middle + reach + 0.5, Y: low}}, withAlpha(paperOpen, 0.8), 1.7, nil)
		}
		s.line([]vg.Point{{X: middle, Y: low}, {X: middle, Y: high}}, ink, 0.7, nil)
		for _, y := range []vg.Length{low, high} {
			s.line([]vg.Point{{X: middle - reach, Y: y}, {X: middle + reach, Y: y}}, ink, 0.7, nil)
		}
		s.record("interval", "", vg.Point{}, 0, vg.Rectangle{Min: vg.Point{X: middle - reach, Y: low}, Max: vg.Point{X: middle + reach, Y: high}})
		top = max(high, end)
		if b.value < 0 {
			top = min(low, end)
		}
	}
	if b.text != "" && how != printNothing {
		b.print(s, b.text, vg.Point{X: middle, Y: top}, b.value < 0, how == printUpright)
	}
}

// valueGap is the distance between a cap and the printed value.
const valueGap = 1.5

// print writes text above (or below) a point, side by side or upright.
func (b *bar) print(s *scene, text string, at vg.Point, below, upright bool) {
	label := newBlock(text, smallestSize, false)
	switch {
	case upright && below:
		s.drawText("value", label, vg.Point{X: at.X, Y: at.Y - valueGap}, alignEnd, alignCenter, math.Pi/2, ink)
	case upright:
		s.drawText("value", label, vg.Point{X: at.X, Y: at.Y + valueGap}, alignStart, alignCenter, math.Pi/2, ink)
	case below:
		s.drawText("value", label, vg.Point{X: at.X, Y: at.Y - valueGap}, alignCenter, alignEnd, 0, ink)
	default:
		s.drawText("value", label, vg.Point{X: at.X, Y: at.Y + valueGap}, alignCenter, alignStart, 0, ink)
	}
}

// zeroBased lets the axis of bars start at zero.
func zeroBased(y Axis) Axis {
	y.Zero = !y.Log
	return y
}

func (p *Bars) prepare(env *environment) (content, error) {
	if len(p.Bars) == 0 {
		return nil, env.errorf("bars: none given")
	}
	env.text(p.X.Label, p.Y.Label)
	var names []string
	for _, b := range p.Bars {
		names = append(names, b.Name)
		env.text(b.Text)
	}
	if err := env.names(names); err != nil {
		return nil, err
	}
	var data extent
	var lost dropped
	y := zeroBased(p.Y)
	bars := make([]*bar, len(p.Bars))
	for i, b := range p.Bars {
		bars[i] = &bar{x: float64(i), width: 0.72, value: b.Value, low: b.Low, high: b.High, style: env.style(b.Name)}
		if b.Low > b.High {
			return nil, env.errorf("bar %q: interval [%g, %g] is reversed", b.Name, b.Low, b.High)
		}
		bars[i].extend(y, &data, &lost)
		if p.NamesInLegend {
			env.explain(b.Name, keyFill)
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
	return barChart(env, p.X, y, names, bars, data, lost, p.References)
}

// barChart makes the chart of prepared bars over named slots.
func barChart(env *environment, x, y Axis, slots []string, bars []*bar, data extent, lost dropped, lines []Reference) (*chart, error) {
	env.note(lost, false)
	references, err := prepareReferences(env, lines, y, &data)
	if err != nil {
		return nil, err
	}
	if y.Log && data.some { // bars need some height over the smallest value
		data.low /= math.Pow(10, max(0.3, 0.08*(math.Log10(data.high)-math.Log10(data.low))))
	}
	ys, err := newScale(y, data)
	if err != nil {
		return nil, env.errorf("%v", err)
	}
	c := newChart(newCategories(x, slots), ys)
	c.references, c.grid = references, true
	c.room = func(size vg.Point) (below, above float64) {
		how := printing(&c.baseY, bars, size, len(slots))
		return printRoom(&c.baseY, bars, float64(size.Y), how)
	}
	c.paint = func(s *scene, a *area) {
		how := printing(&c.baseY, bars, a.Size(), len(slots))
		if how == printNothing {
			s.warn("%s: no room to print the values of the bars", panelName(s.panel))
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
func printing(y *scale, bars []*bar, size vg.Point, slots int) int {
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
func printRoom(y *scale, bars []*bar, length float64, how int) (below, above float64) {
	for _, b := range bars {
		if b.text == "" || math.IsNaN(b.value) || how == printNothing {
			continue
		}
		label := newBlock(b.text, smallestSize, false)
		height := float64(label.height)
		if how == printUpright {
			height = float64(label.width)
		}
		at := min(1, max(0, y.share(b.top()))) * length
		if b.value < 0 {
			below = max(below, height+valueGap-at)
		} else {
			above = max(above, height+valueGap-(length-at))
		}
	}
	return below, above
}

func (p *GroupedBars) prepare(env *environment) (content, error) {
	if len(p.Groups) == 0 || len(p.Series) == 0 {
		return nil, env.errorf("grouped bars need at least one group and one series, got %d and %d", len(p.Groups), len(p.Series))
	}
	env.text(p.X.Label, p.Y.Label)
	env.text(p.Groups...)
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	if err := env.names(names); err != nil {
		return nil, err
	}
	var data extent
	var lost dropped
	y := zeroBased(p.Y)
	const share = 0.84 // of a group's slot
	width := share / float64(len(p.Series))
	var bars []*bar
	for i, s := range p.Series {
		if len(s.Values) != len(p.Groups) {
			return nil, env.errorf("series %q: %d values for %d groups (%s)", s.Name, len(s.Values), len(p.Groups), strings.Join(p.Groups, ", "))
		}
		if err := env.sameLength(s.Name, len(s.Values), s.Low, s.High); err != nil {
			return nil, err
		}
		env.explain(s.Name, keyFill)
		for j, v := range s.Values {
			b := &bar{x: float64(j) - share/2 + (float64(i)+0.5)*width, width: width * 0.92, value: v,
				low: math.NaN(), high: math.NaN(), style: env.style(s.Name)}
			if s.Low != nil {
				b.low, b.high = s.Low[j], s.High[j]
			}
			if b.low > b.high {
				return nil, env.errorf("series %q, group %q: interval [%g, %g] is reversed", s.Name, p.Groups[j], b.low, b.high)
			}
			b.extend(y, &data, &lost)
			bars = append(bars, b)
		}
	}
	return barChart(env, p.X, y, p.Groups, bars, data, lost, p.References)
}
