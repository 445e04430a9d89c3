// The fractions skill score, by event and window.

package forecast

import (
	"fmt"
	"math"
	"slices"

	"repscope/measure/verification"
	"repscope/report"
)

// fssName is the list of rows of the fractions skill score.
const fssName = "fss"

// windows are the sides of the windows.
func (s *setting) windows() []int {
	if s.o.Windows != nil {
		return s.o.Windows
	}
	out := []int{1}
	for n := 3; n <= min(s.height, s.width); n = 2*n + 1 {
		out = append(out, n)
	}
	return out
}

// Sums of an event: its share in truth and in the forecasts, then for every window the shares of
// the ensemble and of its mean.
const (
	fractionShares = 2
	fractionSums   = 3
)

// fractionsFamily compares the shares of windows that an event covers.
func fractionsFamily() family {
	size := func(s *setting) int { return fractionShares + 2*fractionSums*len(s.windows()) }
	return family{
		name: "fractions", about: "fractions skill score of events in windows of --fss-windows", needs: noEvents,
		sums: func(s *setting, _ int) []string {
			var names []string
			for _, e := range s.o.events() {
				row := report.Row(e.Key, e.Value)
				names = append(names, "observed"+row, "forecast"+row)
				for _, w := range s.windows() {
					for _, kind := range []string{"ensemble", "mean"} {
						for _, sum := range []string{"difference", "forecast", "observed"} {
							names = append(names, fmt.Sprintf("%s of %s in windows of %d%s", sum, kind, w, row))
						}
					}
				}
			}
			return names
		},
		count: func(s *setting, _ int) int { return size(s) * len(s.o.events()) },
		field: func(c *sample, v, region int, out []float64) error {
			for k := range c.limits {
				c.fractions(k, v, region, out[k*size(c.setting):(k+1)*size(c.setting)])
			}
			return nil
		},
		scores: func(s *setting, _ int) []Formula {
			var out []Formula
			for k, e := range s.o.events() {
				for w, window := range s.windows() {
					for i, score := range []Formula{
						{Name: "fss", About: "fractions skill score of the probabilities", Direction: report.Higher, High: 1, compared: true},
						{Name: "fss_mean", About: "fractions skill score of the ensemble mean", Direction: report.Higher, High: 1},
					} {
						formula := scored(score, e, func(sums []float64) (float64, error) { return verification.FractionsOf(sums).FSS() })
						formula.List, formula.window = fssName, float64(window)
						formula.from, formula.count = k*size(s)+fractionShares+fractionSums*(2*w+i), fractionSums
						out = append(out, formula)
					}
				}
			}
			return out
		},
		warn: func(t *tally) []string {
			return t.rare(func(k int, means []float64) float64 { return means[k*size(t.setting)] })
		},
		tables: func(t *tally, into *report.Object) error {
			t.usefulWindows(into, size(t.setting))
			return nil
		},
	}
}

// fractions fills out with the sums of an event.
func (c *sample) fractions(k, v, region int, out []float64) {
	e, grid, weights := c.event(k, v), c.grid(), c.weights[region]
	share := func(counts []int, members float64) float64 {
		sum := 0.0
		for i, n := range counts {
			sum += weights[i] * float64(n)
		}
		return sum / members
	}
	counts := c.counts(e, c.truthOf(v))
	out[0] = share(counts, 1)
	observed := grid.Sums(counts, weights)
	mean := grid.Sums(c.counts(e, c.meanOf(v)), weights)
	counts = c.counts(e, c.membersOf(v)...)
	out[1] = share(counts, float64(c.members))
	ensemble := grid.Sums(counts, weights)
	for i, window := range c.windows() {
		to := out[fractionShares+2*fractionSums*i:]
		copy(to, grid.Fractions(ensemble, observed, c.members, window, weights).Sums())
		copy(to[fractionSums:], grid.Fractions(mean, observed, 1, window, weights).Sums())
	}
}

// UsefulWindow says from which window on forecasts of an event are useful.
type UsefulWindow struct {
	EventRow
	BaseRate     float64 `json:"base_rate"`     // share of cells with the event
	ForecastRate float64 `json:"forecast_rate"` // mean probability
	Useful       float64 `json:"useful"`        // 0.5 + base rate/2
	// Asymptotic is the score of windows that hold the grid; null where the event neither
	// occurs nor is forecast.
	Asymptotic report.Value `json:"asymptotic"`
	// Window is the smallest whose score, of the probabilities, is at least Useful; null
	// where none is.
	Window report.Value `json:"window"`
}

// usefulWindows adds fss_useful, a row per event and variable.
func (t *tally) usefulWindows(into *report.Object, size int) {
	var rows []UsefulWindow
	for _, v := range t.parts() {
		means := t.means(v, 0)
		for k, e := range t.o.events() {
			sums := means[k*size : (k+1)*size]
			row := UsefulWindow{EventRow: t.row(k, e, v), BaseRate: sums[0], ForecastRate: sums[1], Useful: verification.UsefulFSS(sums[0])}
			row.Asymptotic = report.NumberOr(verification.AsymptoticFSS(sums[1], sums[0]),
				"the event neither occurs nor is forecast")
			smallest := math.Inf(1)
			for i, w := range t.windows() {
				first := fractionShares + 2*fractionSums*i
				if fss, err := verification.FractionsOf(sums[first : first+fractionSums]).FSS(); err == nil && fss >= row.Useful {
					smallest = min(smallest, float64(w))
				}
			}
			if row.Window = report.Undefined(
				"no window side of %v reaches a useful score", slices.Max(t.windows())); !math.IsInf(smallest, 1) {
				row.Window = report.Number(smallest)
			}
			rows = append(rows, row)
		}
	}
	into.Set("fss_useful", rows)
}

// FractionPath is the path of the score of an event in a window, such as fss[threshold=5;window=3].fss.
func FractionPath(e Event, window float64) string {
	f := Formula{Name: "fss", List: fssName, key: e.Key, value: e.Value, window: window}
	return f.row() + "." + f.Name
}
