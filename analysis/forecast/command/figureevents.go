// Figures of events and of spectra: reliability diagrams, fractions skill scores by window,
// power spectra.

package command

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/forecast"
	"repscope/analysis/internal/output"
	"repscope/plots"
)

// eventPanels is the most events that figures show.
const eventPanels = 9

// panel says whether rows of an event have a panel: of several variables each has its own.
func (d *drawing) panel(e forecast.EventRow) bool {
	return (e.Variable != "") == (len(d.Variables) > 1)
}

// eventTitle names an event: the variable, where it begins, and the quantile.
func (d *drawing) eventTitle(e forecast.EventRow) string {
	v := max(0, slices.Index(d.Variables, e.Variable))
	title := d.Variables[v]
	if e.Limit != nil {
		title += " " + e.Event().Sign() + " " + plots.Number(*e.Limit, 3)
		if d.units[v] != "" {
			title += " " + d.units[v]
		}
	}
	if of := e.Event(); of.OfQuantile() {
		title += " (" + strconv.FormatFloat(100*of.Value, 'g', 4, 64) + " %)"
	}
	return title
}

// eventGrid is a figure of panels of events, three in a row.
func (d *drawing) eventGrid(title, intervals string, panels []plots.Panel, titles []string) *plots.Figure {
	columns := min(3, len(panels))
	figure := d.figure(title, intervals, (len(panels)+columns-1)/columns, 58)
	figure.WidthMM = min(plots.DoubleColumnMM, max(plots.SingleColumnMM, 61*float64(columns)))
	if figure.WidthMM < plots.DoubleColumnMM { // a legend of fewer columns
		figure.HeightMM += 5 * math.Ceil(float64(len(d.Models))/4)
	}
	for i, p := range panels {
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: p, Title: titles[i], Row: i / columns, Column: i % columns})
	}
	return figure
}

// reliability are the diagrams of the events.
func (d *drawing) reliability() *plots.Figure {
	var panels []plots.Panel
	var titles []string
	for _, row := range d.eventRows() {
		panel := &plots.Scatter{X: plots.Axis{Label: "Forecast probability", Min: -0.03, Max: 1.03, Ticks: quarters}, Diagonal: true,
			Y: plots.Axis{Label: "Observed frequency (isotonic)", Min: -0.03, Max: 1.03, Ticks: quarters}}
		for i := range d.Models {
			m := &d.Models[i]
			series := plots.ScatterSeries{Name: m.Name}
			for _, diagram := range forecast.Table[forecast.ReliabilityDiagram](m, "reliability_diagram") {
				if !diagram.Same(row) {
					continue
				}
				for _, p := range diagram.Points {
					series.X, series.Y = append(series.X, p.Probability), append(series.Y, p.Recalibrated)
				}
			}
			if len(series.X) > 1 {
				series.Fit = &plots.Fit{X: series.X, Y: series.Y}
			}
			panel.Series = append(panel.Series, series)
		}
		panels, titles = append(panels, panel), append(titles, d.eventTitle(row))
	}
	figure := d.eventGrid("Reliability", "", panels, titles)
	figure.Footnote = "Observed frequency of the event against its forecast probability, by isotonic regression " +
		"(CORP). Diagonal: reliable forecasts. " + figure.Footnote
	return figure
}

// quarters are the marks of probabilities.
var quarters = []float64{0, 0.25, 0.5, 0.75, 1}

// eventRows are the events and variables that have panels.
func (d *drawing) eventRows() []forecast.EventRow {
	var rows []forecast.EventRow
	for i := range d.Models {
		for _, diagram := range forecast.Table[forecast.ReliabilityDiagram](&d.Models[i], "reliability_diagram") {
			if d.panel(diagram.EventRow) && len(rows) < eventPanels && !slices.ContainsFunc(rows, diagram.Same) {
				rows = append(rows, diagram.EventRow)
			}
		}
	}
	return rows
}

// fractions are the fractions skill scores of the events by window.
func (d *drawing) fractions() *plots.Figure {
	windows := d.windows()
	var panels []plots.Panel
	var titles []string
	for _, row := range d.usefulRows() {
		panel := &plots.Curves{X: plots.Axis{Label: "Window (cells)", Log: len(windows) > 2}, Y: plots.Axis{Label: "FSS", Min: -0.02, Max: 1.02, Ticks: quarters}}
		if panel.X.Log {
			panel.X.Ticks = windows
		}
		panel.References = []plots.Reference{{Value: row.Useful, Label: "useful"}}
		for i := range d.Models {
			series := plots.CurveSeries{Name: d.Models[i].Name}
			for _, w := range windows {
				if s, ok := d.fractionOf(i, row.EventRow, w); ok {
					output.AppendPoint(&series, w, s.Estimate)
				}
			}
			panel.Series = append(panel.Series, series)
		}
		panels, titles = append(panels, panel), append(titles, d.eventTitle(row.EventRow))
	}
	figure := d.eventGrid("Fractions skill score", "Bands", panels, titles)
	figure.Footnote = "Useful: 0.5 + half the base rate of the event. " + figure.Footnote
	return figure
}

// windows are the sides of the windows in the rows of scores, ascending.
func (d *drawing) windows() []float64 {
	var out []float64
	for i := range d.Models {
		for _, s := range d.Models[i].Scores {
			_, text, ok := strings.Cut(strings.TrimSuffix(s.Row, "]"), ";window=")
			if w, err := strconv.ParseFloat(text, 64); ok && err == nil && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	return out
}

// usefulRows are the rows of usefulness of the events that have panels.
func (d *drawing) usefulRows() []forecast.UsefulWindow {
	var rows []forecast.UsefulWindow
	for i := range d.Models {
		for _, u := range forecast.Table[forecast.UsefulWindow](&d.Models[i], "fss_useful") {
			same := func(r forecast.UsefulWindow) bool { return r.Same(u.EventRow) }
			if d.panel(u.EventRow) && len(rows) < eventPanels && !slices.ContainsFunc(rows, same) {
				rows = append(rows, u)
			}
		}
	}
	return rows
}

// fractionOf is the score of a model of an event in a window.
func (d *drawing) fractionOf(model int, e forecast.EventRow, window float64) (forecast.Score, bool) {
	scores := d.Models[model].Scores
	if e.Variable != "" {
		scores = d.ByVariable[model][slices.Index(d.Variables, e.Variable)]
	}
	return forecast.FindScore(scores, forecast.FractionPath(e.Event(), window))
}

// spectra are the power spectra of the members of every model, and what share of the power
// of truth they have, by variable.
func (d *drawing) spectra() *plots.Figure {
	figure := d.figure("Power spectra", "", 2, 56)
	figure.Footnote = "Gray: the truth. Power of single members, averaged over samples. " + figure.Footnote
	columns := 0
	var shares []plots.Tile
	for v := range d.Variables {
		if columns == fewVariables {
			break
		}
		power := &plots.Curves{X: plots.Axis{Label: "Waves per cell", Log: true}, Y: plots.Axis{Label: "Power", Log: true}, NoMarkers: true}
		if d.units[v] != "" {
			power.Y.Label += " (" + squared(d.units[v]) + ")"
		}
		share := &plots.Curves{X: power.X, Y: plots.Axis{Label: "Power / power of truth", Log: true}, NoMarkers: true, References: []plots.Reference{{Value: 1}}}
		for i := range d.Models {
			m := &d.Models[i]
			members, ratio := plots.CurveSeries{Name: m.Name}, plots.CurveSeries{Name: m.Name}
			for _, s := range forecast.Table[forecast.Spectrum](m, "spectrum") {
				if (s.Variable != "") != (len(d.Variables) > 1) || s.Variable != "" && s.Variable != d.Variables[v] {
					continue
				}
				var truth plots.CurveSeries
				for k, wavelength := range s.Wavelength {
					x := 1 / wavelength
					truth.X, truth.Y = append(truth.X, x), append(truth.Y, s.Truth[k])
					members.X, members.Y = append(members.X, x), append(members.Y, s.Members[k])
					ratio.X, ratio.Y = append(ratio.X, x), append(ratio.Y, s.Members[k]/s.Truth[k])
				}
				if len(power.Series) == 0 {
					power.Series = append(power.Series, truth)
				}
			}
			power.Series, share.Series = append(power.Series, members), append(share.Series, ratio)
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: power, Title: d.Variables[v], Column: columns})
		shares = append(shares, plots.Tile{Panel: share, Row: 1, Column: columns})
		columns++
	}
	figure.Tiles = append(figure.Tiles, shares...)
	return figure
}
