// Scales: the range of an axis, which values it can show, and where they lie.

package plots

import (
	"fmt"
	"math"
)

// What is drawn lies below largestValue in magnitude and, on a log axis, above
// smallestLog, so that sums and margins stay finite and positive.
const (
	largestValue = 1e300
	smallestLog  = 1e-300
)

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

// scale maps values to shares of the axis.
type scale struct {
	axis      Axis
	low, high float64
	fixed     bool
	names     []string // categories at 0, 1, …; nil for numbers
	ticks     []tick
	exponent  int
}

// newScale finds the range of an axis over data.
func newScale(a Axis, data extent) (scale, error) {
	s := scale{axis: a}
	if math.IsNaN(a.Min) || math.IsNaN(a.Max) || math.Abs(a.Min) > largestValue || math.Abs(a.Max) > largestValue {
		return s, fmt.Errorf("axis %q: range [%g, %g] is not finite", a.Label, a.Min, a.Max)
	}
	if a.Min < a.Max {
		if a.Log && a.Min < smallestLog {
			return s, fmt.Errorf("axis %q: a log axis cannot reach down to %g", a.Label, a.Min)
		}
		s.low, s.high, s.fixed = a.Min, a.Max, true
		return s, nil
	}
	if a.Log {
		s.low, s.high = 1, 10
		if data.some {
			decades := math.Log10(data.high) - math.Log10(data.low)
			grow := math.Pow(10, max(0.04*decades, 0.03))
			if decades < 0.05 { // constant: a decade about it
				grow = math.Sqrt(10)
			}
			s.low, s.high = max(1e-307, data.low/grow), min(1e307, data.high*grow)
		}
		return s, nil
	}
	if !data.some {
		s.low, s.high = 0, 1
		return s, nil
	}
	low, high := data.low, data.high
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
	case span <= 1e-9*magnitude: // constant but for rounding
		low, high = low-0.1*magnitude, high+0.1*magnitude
	default:
		pad := 0.045 * span
		if !(a.Zero && low == 0) {
			low -= pad
		}
		if !(a.Zero && high == 0) {
			high += pad
		}
	}
	s.low, s.high = low, high
	return s, nil
}

// newCategories is the scale of names side by side.
func newCategories(a Axis, names []string) scale {
	return scale{axis: Axis{Label: a.Label}, low: -0.5, high: float64(len(names)) - 0.5, fixed: true, names: names}
}

// share is where v lies: 0 at the low end, 1 at the high end, outside beyond; at
// most a million lengths away, so that clipping can compute with it.
func (s *scale) share(v float64) float64 {
	share := (v - s.low) / (s.high - s.low)
	if s.axis.Log {
		low := math.Log10(s.low)
		share = (math.Log10(v) - low) / (math.Log10(s.high) - low)
	}
	return min(1e6, max(-1e6, share))
}

// extend makes room of so many points at the ends, where the axis is length
// points long.
func (s *scale) extend(below, above, length float64) {
	room := length - below - above
	if length <= 0 || (below <= 0 && above <= 0) || room <= 0 {
		return
	}
	if s.axis.Log {
		low, high := math.Log10(s.low), math.Log10(s.high)
		per := (high - low) / room
		s.low, s.high = math.Pow(10, max(-307, low-below*per)), math.Pow(10, min(307, high+above*per))
		return
	}
	per := (s.high - s.low) / room
	s.low, s.high = s.low-below*per, s.high+above*per
}

// mark chooses the ticks, at most n of them.
func (s *scale) mark(n int) {
	s.exponent = 0
	switch {
	case s.names != nil:
		s.ticks = nil
		for i, name := range s.names {
			s.ticks = append(s.ticks, tick{float64(i), name})
		}
	case s.axis.Ticks != nil:
		s.ticks = explicitTicks(s.axis.Ticks, s.low, s.high)
	case s.axis.Log:
		s.ticks = logTicks(s.low, s.high, n)
	default:
		s.ticks, s.exponent = linearTicks(s.low, s.high, n)
	}
}
