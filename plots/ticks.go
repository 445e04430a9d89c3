// Tick marks as gonum tickers: 1-2-5 steps with fixed decimals, decades for log axes, and fixed positions.

package plots

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
)

// defaultTicks is the default maximum number of labels.
const defaultTicks = 6

// LinearTicks is a [plot.Ticker] of multiples of 1, 2 or 5 times a power of ten.
// Labels have equally many decimals and U+2212 for minus. Where plain numbers
// would be long, each label carries a power of ten ("2.5×10^{5}"; see [Markup]).
type LinearTicks struct {
	// Most is the most ticks (up to five where the next coarser step would leave
	// only one); 0: 6.
	Most int
	// Factored leaves the power of ten out of the labels, for an axis that prints
	// it once; see Exponent.
	Factored bool
	// Integer leaves out ticks between whole numbers.
	Integer bool
}

// Ticks returns the ticks inside [low, high]; none where the range is empty, not
// finite, or constant except for rounding.
func (t LinearTicks) Ticks(low, high float64) []plot.Tick {
	ticks, exponent := linearTicks(low, high, orDefault(t.Most), t.Integer)
	if exponent == 0 || t.Factored {
		return ticks
	}
	for i := range ticks {
		if ticks[i].Value == 0 {
			ticks[i].Label = "0"
			continue
		}
		ticks[i].Label += "×" + decadeLabel(exponent, false)
	}
	return ticks
}

// Exponent is the power of ten that the labels of a factored axis leave out (0:
// none).
func (t LinearTicks) Exponent(low, high float64) int {
	_, exponent := linearTicks(low, high, orDefault(t.Most), t.Integer)
	return exponent
}

// LogTicks is a [plot.Ticker] for a log axis: decades (every m-th where there are
// many), 1-2-5 steps within two decades, or linear steps within a small range;
// unlabelled marks between. Labels are plain numbers where all are short, else
// powers of ten ("10^{−3}"; see [Markup]).
type LogTicks struct {
	// Most is the most labels; 0: 6.
	Most int
	// Integer leaves out ticks between whole numbers.
	Integer bool
}

// Ticks returns the ticks inside [low, high]; none unless 0 < low < high.
func (t LogTicks) Ticks(low, high float64) []plot.Tick {
	ticks := logTicks(low, high, orDefault(t.Most))
	if t.Integer {
		ticks = slices.DeleteFunc(ticks, func(k plot.Tick) bool { return math.Abs(k.Value-math.Round(k.Value)) > 1e-9*k.Value })
	}
	return ticks
}

// FixedTicks is a [plot.Ticker] of fixed positions, labeled with the fewest decimals (at most six) that represent
// them.
type FixedTicks []float64

// Ticks returns the positions inside [low, high]; NaN is omitted.
func (t FixedTicks) Ticks(low, high float64) []plot.Tick { return explicitTicks(t, low, high) }

// nominalTicks are names at 0, 1, ….
func nominalTicks(names []string) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	return ticks
}

func orDefault(limit int) int {
	if limit <= 0 {
		return defaultTicks
	}
	return limit
}

// linearTicks returns at most atMost labeled ticks at multiples of 1, 2 or 5 times a power of ten inside [low, high];
// up to five if the next coarser step would leave only one. exponent is the power of ten to print at the axis (0:
// none). Labels have equally many decimals and U+2212 for minus. With integer, steps are whole numbers.
func linearTicks(low, high float64, atMost int, integer bool) (ticks []plot.Tick, exponent int) {
	span := high - low
	if !(span > 1e-12*max(math.Abs(low), math.Abs(high))) || span < 1e-300 || math.IsInf(span, 0) {
		return nil, 0
	}
	atMost = max(2, atMost)
	var finer func() ([]plot.Tick, int) // the step before, where the next leaves one tick only
	first := int(math.Floor(math.Log10(span/float64(atMost)))) - 1
	if integer {
		first = max(0, first)
	}
	for power := first; ; power++ {
		for _, mantissa := range []int64{1, 2, 5} {
			step := float64(mantissa) * math.Pow(10, float64(power))
			first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
			choice := func() ([]plot.Tick, int) { return label(int64(first), int64(last), mantissa, power) }
			switch n := last - first + 1; {
			case n > float64(atMost):
				finer = choice
			case n < 2 && finer != nil:
				return finer()
			default:
				return choice()
			}
		}
	}
}

// label makes the ticks i·mantissa·10^power for i in [first, last].
func label(first, last, mantissa int64, power int) (ticks []plot.Tick, exponent int) {
	largest := max(math.Abs(float64(first)), math.Abs(float64(last))) * float64(mantissa)
	if largest > 0 {
		magnitude := int(math.Floor(math.Log10(largest)+1e-12)) + power
		// Plain numbers where they stay short; otherwise one factor for the axis.
		if magnitude >= 5 || magnitude <= -4 {
			exponent = magnitude
		}
	}
	decimals := max(0, exponent-power)
	for i := first; i <= last; i++ {
		scaled := float64(i*mantissa) * math.Pow(10, float64(power-exponent))
		if power < exponent {
			scaled = float64(i*mantissa) / math.Pow(10, float64(exponent-power))
		}
		value := float64(i*mantissa) * math.Pow(10, float64(power))
		if power < 0 {
			value = float64(i*mantissa) / math.Pow(10, float64(-power))
		}
		ticks = append(ticks, plot.Tick{Value: value, Label: minus(strconv.FormatFloat(scaled, 'f', decimals, 64))})
	}
	return ticks, exponent
}

// explicitTicks labels these positions with the fewest decimals that distinguish neighboring ones exactly, at most six.
func explicitTicks(values []float64, low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, v := range values {
		if math.IsNaN(v) || v < low || v > high {
			continue
		}
		var text string
		if a := math.Abs(v); v == 0 || (a >= 1e-3 && a < 1e5) {
			text = strconv.FormatFloat(v, 'f', -1, 64)
			if rounded := strconv.FormatFloat(v, 'f', 6, 64); len(rounded) < len(text) {
				text = rounded
			}
			text = minus(text)
		} else {
			text = Number(v, significantDigits(v))
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: text})
	}
	return ticks
}

// significantDigits is the number of digits, at most six, that write v.
func significantDigits(v float64) int {
	for n := 1; n < 6; n++ {
		if back, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', n-1, 64), 64); err == nil && back == v {
			return n
		}
	}
	return 6
}

// logTicks returns ticks for a log axis over [low, high], both positive, with at
// most atMost labels: decades (every m-th where there are many), 1-2-5 steps
// within two decades, or linear steps within a small range; minor marks between.
// Labels are plain numbers where all are short, else powers of ten.
func logTicks(low, high float64, atMost int) []plot.Tick {
	if !(low > 0) || !(low < high) {
		return nil
	}
	atMost = max(2, atMost)
	first := int(math.Ceil(math.Log10(low) - 1e-9))
	last := int(math.Floor(math.Log10(high) + 1e-9))
	if decades := last - first + 1; decades >= 3 || (decades == 2 && atMost < 4) {
		every := (decades + atMost - 1) / atMost
		plain := first >= -3 && last <= 3
		var ticks []plot.Tick
		// A common phase: multiples of every, so that 10^0 is labeled when present.
		for e := first; e <= last; e++ {
			t := plot.Tick{Value: math.Pow(10, float64(e))}
			if ((e%every)+every)%every == 0 {
				t.Label = decadeLabel(e, plain)
			}
			ticks = append(ticks, t)
		}
		if labelled(ticks) < 2 {
			ticks[0].Label, ticks[len(ticks)-1].Label = decadeLabel(first, plain), decadeLabel(last, plain)
		}
		if decades <= 8 {
			ticks = append(ticks, logMinor(low, high, first-1, last)...)
		}
		return ticks
	}
	for _, mantissas := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		var ticks []plot.Tick
		for e := first - 1; e <= last; e++ {
			for _, m := range mantissas {
				if v := m * math.Pow(10, float64(e)); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
					ticks = append(ticks, plot.Tick{Value: v, Label: Number(v, 1)})
				}
			}
		}
		if n := len(ticks); n >= 2 && n <= atMost {
			return append(ticks, logMinor(low, high, first-1, last)...)
		}
	}
	linear, exponent := linearTicks(low, high, atMost, false)
	var ticks []plot.Tick
	for _, t := range linear {
		if t.Value <= 0 {
			continue
		}
		if exponent != 0 {
			t.Label += "×" + decadeLabel(exponent, false)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// logMinor returns the unlabelled marks 2…9 of the decades first…last in range.
func logMinor(low, high float64, first, last int) []plot.Tick {
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for m := 2; m <= 9; m++ {
			if v := float64(m) * math.Pow(10, float64(e)); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v})
			}
		}
	}
	return ticks
}

func decadeLabel(exponent int, plain bool) string {
	if plain {
		return strconv.FormatFloat(math.Pow(10, float64(exponent)), 'f', max(0, -exponent), 64)
	}
	return "10^{" + minus(strconv.Itoa(exponent)) + "}"
}

func labelled(ticks []plot.Tick) int {
	n := 0
	for _, t := range ticks {
		if t.Label != "" {
			n++
		}
	}
	return n
}
