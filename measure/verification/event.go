// Events at a threshold, their contingency table, and its scores.

package verification

import (
	"fmt"
	"math"

	"repscope/stat"
)

// Event occurs in a cell whose value is at least Threshold, or with Below at most Threshold;
// with Beyond at the threshold itself it does not. A threshold is met by its nearest float32
// too, so that a value stored as 0.7 in single precision reaches 0.7, and is not above it. It
// never occurs at NaN.
type Event struct {
	Threshold float64
	Below     bool
	Beyond    bool
}

// limit is the outermost value at which the event occurs.
func (e Event) limit() float64 {
	lower, upper := min(e.Threshold, float64(float32(e.Threshold))), max(e.Threshold, float64(float32(e.Threshold)))
	switch {
	case e.Below && e.Beyond:
		return math.Nextafter(lower, math.Inf(-1))
	case e.Below:
		return upper
	case e.Beyond:
		return math.Nextafter(upper, math.Inf(1))
	}
	return lower
}

// Occurs says whether the event occurs at a value.
func (e Event) Occurs(value float64) bool {
	if e.Below {
		return value <= e.limit()
	}
	return value >= e.limit()
}

// Sign is ≥, >, ≤ or <.
func (e Event) Sign() string {
	switch {
	case e.Below && e.Beyond:
		return "<"
	case e.Below:
		return "≤"
	case e.Beyond:
		return ">"
	}
	return "≥"
}

// String is "≥ 20", and so on.
func (e Event) String() string { return fmt.Sprintf("%s %v", e.Sign(), e.Threshold) }

// CountMembers fills counts, one per cell, with the number of fields (members) in which the
// event occurs: 1 or 0 for a single field.
func (e Event) CountMembers(counts []int, members ...[]float64) {
	clear(counts)
	limit := e.limit()
	for _, field := range members {
		if e.Below {
			for c, v := range field[:len(counts)] {
				if v <= limit {
					counts[c]++
				}
			}
			continue
		}
		for c, v := range field[:len(counts)] {
			if v >= limit {
				counts[c]++
			}
		}
	}
}

// Table is the contingency table of a forecast event: sums of the weights of cells. With
// equal weights it counts cells.
type Table struct {
	Hits             float64 // forecast and observed
	Misses           float64 // observed only
	FalseAlarms      float64 // forecast only
	CorrectNegatives float64 // neither
}

// Table compares a forecast field with the true one.
func (e Event) Table(forecast []float64, truth []float64, weights []float64) Table {
	var t Table
	for c, f := range forecast {
		w := 1.0
		if weights != nil {
			w = weights[c]
		}
		switch forecast, observed := e.Occurs(f), e.Occurs(truth[c]); {
		case forecast && observed:
			t.Hits += w
		case observed:
			t.Misses += w
		case forecast:
			t.FalseAlarms += w
		default:
			t.CorrectNegatives += w
		}
	}
	return t
}

// TableOf is the table of four sums in the order of its fields.
func TableOf(sums []float64) Table { return Table{sums[0], sums[1], sums[2], sums[3]} }

// Sums are the four sums in the order of the fields.
func (t Table) Sums() []float64 {
	return []float64{t.Hits, t.Misses, t.FalseAlarms, t.CorrectNegatives}
}

// Add adds another table to t.
func (t *Table) Add(other Table) {
	t.Hits += other.Hits
	t.Misses += other.Misses
	t.FalseAlarms += other.FalseAlarms
	t.CorrectNegatives += other.CorrectNegatives
}

// Total is the sum of all four.
func (t Table) Total() float64 { return t.Hits + t.Misses + t.FalseAlarms + t.CorrectNegatives }

// Reasons why scores of events are undefined.
const (
	neverObserved = "the event never occurs"
	alwaysThere   = "the event occurs in every cell"
	neverForecast = "the event is never forecast"
	neither       = "the event neither occurs nor is forecast"
)

// share is a ratio of sums, undefined with a reason where the denominator is 0.
func share(quantity string, numerator, denominator float64, reason string) (float64, error) {
	if !(denominator > 0) {
		return math.NaN(), stat.Undefined(quantity, "%s", reason)
	}
	return numerator / denominator, nil
}

// BaseRate is the share of cells in which the event occurs, (hits + misses)/total.
func (t Table) BaseRate() (float64, error) {
	return share("base rate", t.Hits+t.Misses, t.Total(), "no cells")
}

// POD is the probability of detection (hit rate), hits/(hits + misses), 0 to 1.
func (t Table) POD() (float64, error) {
	return share("POD", t.Hits, t.Hits+t.Misses, neverObserved)
}

// POFD is the probability of false detection (false alarm rate), false alarms/(false
// alarms + correct negatives), 0 to 1.
func (t Table) POFD() (float64, error) {
	return share("POFD", t.FalseAlarms, t.FalseAlarms+t.CorrectNegatives, alwaysThere)
}

// FAR is the false alarm ratio, false alarms/(hits + false alarms), 0 to 1.
func (t Table) FAR() (float64, error) {
	return share("FAR", t.FalseAlarms, t.Hits+t.FalseAlarms, neverForecast)
}

// CSI is the critical success index (threat score), hits/(hits + misses + false alarms),
// 0 to 1.
func (t Table) CSI() (float64, error) {
	return share("CSI", t.Hits, t.Hits+t.Misses+t.FalseAlarms, neither)
}

// FrequencyBias is how often the event is forecast over how often it occurs, (hits +
// false alarms)/(hits + misses); 1 is best.
func (t Table) FrequencyBias() (float64, error) {
	return share("frequency bias", t.Hits+t.FalseAlarms, t.Hits+t.Misses, neverObserved)
}

// ETS is the equitable threat score (Gilbert skill score), (hits − r)/(hits + misses +
// false alarms − r) with the hits of chance r = (hits + misses)·(hits + false
// alarms)/total; −1/3 to 1, 0 for chance.
func (t Table) ETS() (float64, error) {
	union := t.Hits + t.Misses + t.FalseAlarms
	if !(union > 0) {
		return math.NaN(), stat.Undefined("ETS", neither)
	}
	chance := (t.Hits + t.Misses) * (t.Hits + t.FalseAlarms) / t.Total()
	return share("ETS", t.Hits-chance, union-chance, "the event occurs and is forecast in every cell")
}

// HSS is Heidke's skill score, 2(ad − bc)/((a + c)(c + d) + (a + b)(b + d)) of hits a,
// false alarms b, misses c and correct negatives d: the share of correct cells beyond
// the share by chance; −1 to 1, 0 for chance.
func (t Table) HSS() (float64, error) {
	a, b, c, d := t.Hits, t.FalseAlarms, t.Misses, t.CorrectNegatives
	return share("HSS", 2*(a*d-b*c), (a+c)*(c+d)+(a+b)*(b+d),
		"the event and its forecast both cover every cell, or no cell")
}

// SEDI is the symmetric extremal dependence index of Ferro and Stephenson (2011,
// "Extremal dependence indices"), of hit rate H and false alarm rate F
//
//	(ln F − ln H − ln(1−F) + ln(1−H)) / (ln F + ln H + ln(1−F) + ln(1−H)),
//
// −1 to 1, 0 for chance, which does not vanish as events become rare. At rates of 0 and 1
// it has the limit 1 where there are no misses and no false alarms, −1 where there are only
// these, and is undefined elsewhere.
func (t Table) SEDI() (float64, error) {
	h, err := t.POD()
	if err != nil {
		return h, stat.Undefined("SEDI", neverObserved)
	}
	f, err := t.POFD()
	if err != nil {
		return f, stat.Undefined("SEDI", alwaysThere)
	}
	switch {
	case h == 1 && f == 0:
		return 1, nil
	case h == 0 && f == 1:
		return -1, nil
	case h == 0 || h == 1 || f == 0 || f == 1:
		return math.NaN(), stat.Undefined("SEDI", "a rate is 0 or 1 (detection %.4g, false detection %.4g)", h, f)
	}
	miss, reject := math.Log1p(-h), math.Log1p(-f)
	numerator := math.Log(f) - math.Log(h) - reject + miss
	return numerator / (math.Log(f) + math.Log(h) + reject + miss), nil
}
