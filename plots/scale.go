// Scales: the range of an axis, which values it can show, and where they lie.

package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Drawn values lie below largestValue in magnitude and, on a log axis, above smallestLog, so that sums and margins stay
// finite and positive.
const (
	largestValue = 1e300
	smallestLog  = 1e-300
)

// farthest is the maximum distance beyond an axis, in axis lengths, so that clipping can compute with it.
const farthest = 1e6

// dropped counts values that cannot be shown.
type dropped struct{ infinite, nonpositive, undefined int }

// accepts reports whether the axis can show v, and counts it in d if not.
func (a Axis) accepts(v float64, d *dropped) bool {
	switch {
	case math.IsNaN(v):
		d.undefined++
	case math.Abs(v) > largestValue:
		d.infinite++
	case a.Log && v < smallestLog:
		d.nonpositive++
	default:
		return true
	}
	return false
}

// extent is the range of some values.
type extent struct {
	low, high float64
	some      bool
}

func (e *extent) add(v float64) {
	if !e.some {
		e.low, e.high, e.some = v, v, true
		return
	}
	e.low, e.high = min(e.low, v), max(e.high, v)
}

// LogScale is a [plot.Normalizer] for a log axis. Unlike gonum's it does not
// panic: a value ≤ 0 lies far below the axis.
type LogScale struct{}

// Normalize returns where x lies: 0 at low, 1 at high, both positive.
func (LogScale) Normalize(low, high, x float64) float64 {
	if !(x > 0) {
		return -farthest
	}
	bottom, span := math.Log10(low), math.Log10(high)-math.Log10(low)
	switch {
	case span != 0:
	case x == low || !(high > low):
		return 0
	default: // the ends differ by rounding alone
		return (x - low) / (high - low)
	}
	return (math.Log10(x) - bottom) / span
}

// isLog reports whether a normalizer is logarithmic.
func isLog(n plot.Normalizer) bool {
	switch n := n.(type) {
	case LogScale, plot.LogScale:
		return true
	case plot.InvertedScale:
		return isLog(n.Normalizer)
	}
	return false
}

// share is where v lies on an axis: 0 at the low end, 1 at the high end, outside
// beyond.
func share(axis *plot.Axis, v float64) float64 {
	return min(farthest, max(-farthest, axis.Scale.Normalize(axis.Min, axis.Max, v)))
}

// scale is an axis of a chart: gonum's, with the texts that a figure prints at it.
type scale struct {
	plot.Axis // range, label, Scale, ticker and line styles
	log       bool
	fixed     bool     // the range is the caller's
	blank     bool     // nothing can be drawn: a range chosen for no data has no ticks
	integer   bool     // ticks at whole numbers only
	names     []string // categories at 0, 1, …; nil for numbers
	places    []float64
	data      extent // the range before margins, which a plotter reports
	ticks     []plot.Tick
	exponent  int // the power of ten printed next to the axis
}

// newScale finds the range of an axis over data.
func newScale(a Axis, data extent) (scale, error) {
	s := scale{log: a.Log, integer: a.Integer, places: a.Ticks, Axis: styledAxis(a)}
	if math.IsNaN(a.Min) || math.IsNaN(a.Max) || math.Abs(a.Min) > largestValue || math.Abs(a.Max) > largestValue {
		return s, fmt.Errorf("axis %q: range [%g, %g] is not finite", a.Label, a.Min, a.Max)
	}
	if a.Min < a.Max {
		if a.Log && a.Min < smallestLog {
			return s, fmt.Errorf("axis %q: a log axis cannot reach down to %g", a.Label, a.Min)
		}
		s.Min, s.Max, s.fixed = a.Min, a.Max, true
		s.data = extent{a.Min, a.Max, true}
		return s, nil
	}
	tight, constant := a.bounds(data)
	s.data = tight
	s.Min, s.Max = tight.low, tight.high
	switch {
	case !data.some || constant:
	case a.Log:
		grow := math.Pow(10, max(0.04*(math.Log10(data.high)-math.Log10(data.low)), 0.03))
		s.Min, s.Max = max(1e-307, tight.low/grow), min(1e307, tight.high*grow)
	default:
		pad := 0.045 * (tight.high - tight.low)
		if !(a.Zero && tight.low == 0) {
			s.Min -= pad
		}
		if !(a.Zero && tight.high == 0) {
			s.Max += pad
		}
	}
	return s, nil
}

// bounds is the range of data that an axis must show, without a margin: with zero if the axis starts there, and widened
// for constant data, whose own range is empty.
func (a Axis) bounds(data extent) (tight extent, constant bool) {
	low, high := data.low, data.high
	switch {
	case !data.some && a.Log:
		return extent{1, 10, false}, false
	case !data.some:
		return extent{0, 1, false}, false
	case a.Log:
		if math.Log10(high)-math.Log10(low) < 0.05 { // a decade about it
			grow := math.Sqrt(10)
			return extent{max(1e-307, low/grow), min(1e307, high*grow), true}, true
		}
		return data, false
	}
	if a.Zero {
		low, high = min(low, 0), max(high, 0)
	}
	magnitude := max(math.Abs(low), math.Abs(high))
	switch span := high - low; {
	case magnitude < 1e-290:
		low, high = -1, 1
		if a.Zero {
			low = 0
		}
		return extent{low, high, true}, true
	case span <= 1e-9*magnitude: // constant except for rounding
		return extent{low - 0.1*magnitude, high + 0.1*magnitude, true}, true
	}
	return extent{low, high, true}, false
}

// styledAxis is a gonum axis with the label, scale, lines and text of a's.
func styledAxis(a Axis) plot.Axis {
	words := text.Style{Color: ink, Font: regularFont, Handler: Markup{}}
	var axis plot.Axis
	axis.Label.Text = a.Label
	axis.Label.TextStyle = words
	axis.Label.TextStyle.Font.Size = labelSize
	axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign = draw.XCenter, draw.YBottom
	axis.Label.Padding = labelGap
	axis.LineStyle = draw.LineStyle{Color: ink, Width: axisWidth}
	axis.Tick.Label = words
	axis.Tick.Label.Font.Size = tickSize
	axis.Tick.LineStyle = draw.LineStyle{Color: ink, Width: axisWidth * 0.8}
	axis.Tick.Length = tickLength
	axis.Scale = plot.LinearScale{}
	if a.Log {
		axis.Scale = LogScale{}
	}
	axis.Tick.Marker = ticker(a, defaultTicks)
	return axis
}

// ticker is the rule of an axis, for at most n labels.
func ticker(a Axis, n int) plot.Ticker {
	switch {
	case a.Ticks != nil:
		return FixedTicks(a.Ticks)
	case a.Log:
		return LogTicks{Most: n, Integer: a.Integer}
	}
	return LinearTicks{Most: n, Integer: a.Integer}
}

// newCategories is the scale of names side by side.
func newCategories(a Axis, names []string) scale {
	s := scale{Axis: styledAxis(Axis{Label: a.Label}), names: names}
	s.Min, s.Max = -0.5, float64(len(names))-0.5
	s.data = extent{s.Min, s.Max, true}
	s.Tick.Marker = nominalTicks(names)
	return s
}

// extend adds this many points of space at the ends, for an axis of length points.
func (s *scale) extend(below, above, length float64) {
	space := length - below - above
	if length <= 0 || (below <= 0 && above <= 0) || space <= 0 {
		return
	}
	if s.log {
		low, high := math.Log10(s.Min), math.Log10(s.Max)
		if low == high { // the ends differ by rounding alone
			return
		}
		per := (high - low) / space
		s.Min, s.Max = math.Pow(10, max(-307, low-below*per)), math.Pow(10, min(307, high+above*per))
		return
	}
	per := (s.Max - s.Min) / space
	s.Min, s.Max = s.Min-below*per, s.Max+above*per
}

// mark chooses the ticks, at most n of them.
func (s *scale) mark(n int) {
	s.exponent = 0
	if s.blank {
		s.ticks = nil
		return
	}
	if s.names == nil {
		s.Tick.Marker = ticker(Axis{Ticks: s.places, Log: s.log, Integer: s.integer}, n)
	}
	if linear, ok := s.Tick.Marker.(LinearTicks); ok {
		linear.Factored = true
		s.exponent = linear.Exponent(s.Min, s.Max)
		s.Tick.Marker = linear
	}
	s.ticks = s.Tick.Marker.Ticks(s.Min, s.Max)
}

// markLength returns how long the mark of a tick is.
func (s *scale) markLength(t plot.Tick) vg.Length {
	if t.IsMinor() {
		return minorTick
	}
	return s.Tick.Length
}
