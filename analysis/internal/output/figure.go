// How figures show numbers that may be undefined: error bars, points of curves
// and cells of tables.

package output

import (
	"strconv"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/internal/run"
	"repscope/plots"
	"repscope/report"
)

// Drawing is a figure to draw, for [run.Env.Figures]; draw returns nil where there is nothing to show.
func Drawing(name string, draw func() (*plots.Figure, error)) run.Drawing {
	return run.Drawing{Name: name, Draw: func() (run.Figure, error) {
		figure, err := draw()
		if err != nil || figure == nil {
			return nil, err
		}
		return figure, nil
	}}
}

// Ends are the ends of an interval; NaN where it is undefined, which draws no
// error bar and no band.
func Ends(ci report.Interval) (low, high float64) { return results.Ends(ci) }

// Why is the reason of an undefined number for the reader of a figure, "" for a number.
func Why(v report.Value) string {
	switch {
	case v.Defined():
		return ""
	case strings.Contains(v.Reason, "are constant"):
		return "collapsed: " + v.Reason
	case v.Reason == "":
		return "not defined"
	}
	return v.Reason
}

// IntervalNotes are the warnings of a run that concern its intervals, as sentences for
// the notes of a figure.
func IntervalNotes(warnings []string) []string {
	var notes []string
	for _, w := range warnings {
		if strings.Contains(w, "intervals") {
			if strings.HasPrefix(w, "intervals") {
				w = "I" + w[1:]
			}
			notes = append(notes, w)
		}
	}
	return notes
}

// Bar is a value with its interval, both times factor (percentages, shares).
func Bar(name string, v report.Estimate, factor float64) plots.Bar {
	low, high := Ends(v.CI)
	return plots.Bar{Name: name, Value: factor * v.Float(), Low: factor * low, High: factor * high, Reason: Why(v.Value)}
}

// AppendBar adds the value of the next group to a series.
func AppendBar(s *plots.BarSeries, v report.Estimate) {
	low, high := Ends(v.CI)
	s.Values = append(s.Values, v.Float())
	s.Low, s.High = append(s.Low, low), append(s.High, high)
	if s.Reason == "" {
		s.Reason = Why(v.Value)
	}
}

// AppendPoint adds a point and the ends of its band to a curve.
func AppendPoint(c *plots.CurveSeries, x float64, v report.Estimate) {
	low, high := Ends(v.CI)
	c.X, c.Y = append(c.X, x), append(c.Y, v.Float())
	c.Low, c.High = append(c.Low, low), append(c.High, high)
	if c.Reason == "" {
		c.Reason = Why(v.Value)
	}
}

// Decimals writes v with a number of decimals for a cell of a figure's table: U+2212
// for minus, none for a value that rounds to zero, "n/a" where v is undefined.
func Decimals(v report.Value, decimals int) string {
	if !v.Defined() {
		return "n/a"
	}
	text := strconv.FormatFloat(v.V, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}
