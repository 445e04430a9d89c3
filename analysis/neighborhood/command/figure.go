// The figures: trustworthiness and continuity over k, and the R_NX curves.

package command

import (
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/neighborhood"
	"repscope/internal/text"
	"repscope/plots"
	"repscope/report"
)

// Figure composes neighborhood_preservation: bars of trustworthiness and of
// continuity over k with intervals and the chance level, and below them the
// difference to 1 on a log axis, because bars start at zero and good scores differ
// in the digits behind 0.9. For a single k, bars with printed values say the same.
func Figure(r *neighborhood.Result) *plots.Figure {
	if len(r.K) == 1 {
		return figureOfOne(r)
	}
	sizes := plots.Axis{Label: "Neighborhood size k"}
	logSizes := plots.Axis{Label: sizes.Label, Log: true}
	panels := []struct {
		title, symbol string
		bars          *plots.GroupedBars
		errors        *plots.Curves
		of            func(a *neighborhood.AtK) (report.Value, report.Interval)
		null          func(n *neighborhood.Null) report.Value
	}{
		{title: "Trustworthiness", symbol: "T(k)", of: func(a *neighborhood.AtK) (report.Value, report.Interval) { return a.Trustworthiness, trustBar(a) },
			null: func(n *neighborhood.Null) report.Value { return n.TrustworthinessMean }},
		{title: "Continuity", symbol: "C(k)", of: func(a *neighborhood.AtK) (report.Value, report.Interval) { return a.Continuity, contBar(a) },
			null: func(n *neighborhood.Null) report.Value { return n.ContinuityMean }},
	}
	figure := &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 120 + 5*max(0, float64(len(r.Models)-mostBanded)),
		RowHeights: []float64{0.85, 1},
		Footnote:   caption(r),
		Notes:      output.IntervalNotes(r.Warnings),
		Title:      "Neighborhood preservation",
	}
	var groups []string
	for _, k := range slices.Sorted(slices.Values(r.K)) {
		groups = append(groups, fmt.Sprint(k))
		logSizes.Ticks = append(logSizes.Ticks, float64(k))
	}
	for _, m := range r.Models {
		figure.Series = append(figure.Series, m.Name)
	}
	for row, p := range panels {
		p.bars = &plots.GroupedBars{X: sizes, Groups: groups,
			Y: plots.Axis{Label: p.title + " " + p.symbol, Max: 1, Ticks: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}}}
		p.errors = &plots.Curves{X: logSizes, Y: plots.Axis{Label: "Error 1 − " + p.symbol, Log: true}}
		for _, m := range r.Models {
			bars, missing := plots.BarSeries{Name: m.Name}, plots.CurveSeries{Name: m.Name}
			for _, a := range ascending(&m) {
				v, ci := p.of(&a)
				output.AppendBar(&bars, report.WithInterval(v, ci))
				if n := a.MadeNull(); n != nil && n.Cut == nil {
					bars.Baselines = append(bars.Baselines, p.null(n).Float())
				}
				low, high := output.Ends(ci)
				missing.X, missing.Y = append(missing.X, float64(a.K)), append(missing.Y, 1-v.Float())
				if banded(r) {
					missing.Low, missing.High = append(missing.Low, 1-high), append(missing.High, 1-low)
				}
			}
			missing.Reason = bars.Reason
			p.bars.Series, p.errors.Series = append(p.bars.Series, bars), append(p.errors.Series, missing)
		}
		if chance := chance(r); chance.Defined() {
			p.bars.References = []plots.Reference{{Value: chance.V, Label: "independent states"}}
			p.errors.References = []plots.Reference{{Value: 1 - chance.V, Label: "independent states"}}
		}
		figure.Tiles = append(figure.Tiles,
			plots.Tile{Panel: p.bars, Title: p.title, Row: 0, Column: row},
			plots.Tile{Panel: p.errors, Title: p.title + " error", Row: 1, Column: row})
	}
	slices.SortStableFunc(figure.Tiles, func(a, b plots.Tile) int { return a.Row - b.Row })
	return figure
}

// figureOfOne is the figure for a single neighborhood size.
func figureOfOne(r *neighborhood.Result) *plots.Figure {
	trust := &plots.Bars{Y: plots.Axis{Label: fmt.Sprintf("Trustworthiness T(%d)", r.K[0])}}
	cont := &plots.Bars{Y: plots.Axis{Label: fmt.Sprintf("Continuity C(%d)", r.K[0])}}
	figure := &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 75,
		Tiles: []plots.Tile{
			{Panel: trust, Title: "Trustworthiness", Row: 0, Column: 0},
			{Panel: cont, Title: "Continuity", Row: 0, Column: 1},
		},
		Footnote: caption(r),
		Notes:    output.IntervalNotes(r.Warnings),
		Title:    "Neighborhood preservation",
	}
	for _, m := range r.Models {
		figure.Series = append(figure.Series, m.Name)
		a := m.ByK[0]
		trust.Bars = append(trust.Bars, bar(m.Name, a.Trustworthiness, trustBar(&a)))
		cont.Bars = append(cont.Bars, bar(m.Name, a.Continuity, contBar(&a)))
		if n := a.MadeNull(); n != nil && n.Cut == nil {
			at := len(trust.Bars) - 1
			trust.Bars[at].Baseline, cont.Bars[at].Baseline = new(n.TrustworthinessMean.Float()), new(n.ContinuityMean.Float())
		}
	}
	if chance := chance(r); chance.Defined() {
		line := []plots.Reference{{Value: chance.V, Label: "independent states"}}
		trust.References, cont.References = line, line
	}
	return figure
}

// mostBanded is the most models whose errors are drawn with bands: more bands cover each other
// and the lines. The intervals stand in the bars too.
const mostBanded = 6

func banded(r *neighborhood.Result) bool { return len(r.Models) <= mostBanded }

// hasNull reports whether a null of all states was made. The null of episodes cut to one length is not about the
// scores in the figure.
func hasNull(r *neighborhood.Result) bool {
	made := func(m neighborhood.Model) bool { return len(m.ByK) > 0 && m.ByK[0].MadeNull() != nil }
	return slices.ContainsFunc(r.Models, made) && cutStates(r) == 0
}

// chance is the chance level of the first model that has one: it depends on the states only.
func chance(r *neighborhood.Result) report.Value {
	for _, m := range r.Models {
		if m.Chance.Defined() {
			return m.Chance
		}
	}
	return report.Undefined("no model has scores")
}

// trustBar and contBar are the ends of the error bars.
func trustBar(a *neighborhood.AtK) report.Interval {
	if a.SamplingSE == nil {
		return a.TrustCI
	}
	return samplingBar(a.Trustworthiness, a.SamplingSE.Trustworthiness)
}

func contBar(a *neighborhood.AtK) report.Interval {
	if a.SamplingSE == nil {
		return a.ContCI
	}
	return samplingBar(a.Continuity, a.SamplingSE.Continuity)
}

func samplingBar(v, se report.Value) report.Interval {
	if !se.Defined() {
		return report.NoInterval("no sampling error")
	}
	return report.Between(max(0, v.Float()-1.96*se.Float()), min(1, v.Float()+1.96*se.Float()))
}

// bar prints the value with the digits that tell good scores apart.
func bar(name string, v report.Value, ci report.Interval) plots.Bar {
	b := output.Bar(name, report.WithInterval(v, ci), 1)
	if v.Defined() {
		b.Text = output.Decimals(v, 4)
	}
	return b
}

// ascending are the scores in the order of k.
func ascending(m *neighborhood.Model) []neighborhood.AtK {
	return slices.SortedFunc(slices.Values(m.ByK), func(a, b neighborhood.AtK) int { return a.K - b.K })
}

// states describes the ranked states.
func states(r *neighborhood.Result) string {
	what := text.Count(r.Samples, "state")
	if r.ExcludeWindow > 0 {
		what += fmt.Sprintf(", without neighbors up to %s away", text.Count(r.ExcludeWindow, "frame"))
	}
	if r.Sampling != nil {
		what += fmt.Sprintf("; estimated from %d of them", r.Sampling.References)
	}
	return what
}

func caption(r *neighborhood.Result) string {
	text := states(r) + "; long dashes: independent states"
	if hasNull(r) {
		text += "; short dashes: the null (shuffled pairing)"
	}
	if r.Sampling != nil {
		return text + "; error bars: ±1.96 sampling standard errors."
	}
	if r.Blocks == "" {
		return text + "."
	}
	if len(r.K) == 1 {
		return text + "; error bars: 95 % intervals, block jackknife, " + r.Blocks + "."
	}
	if !banded(r) {
		return text + "; error bars: 95 % intervals, block jackknife, " + r.Blocks + "; no bands on errors, for legibility."
	}
	text += "; error bars and bands: 95 % intervals, block jackknife, " + r.Blocks
	for _, m := range r.Models {
		for _, a := range m.ByK {
			if a.TrustCI.High >= 1 || a.ContCI.High >= 1 {
				return text + "; on logarithmic error axes, bands that reach a score of 1 extend to the end of the " +
					"axis."
			}
		}
	}
	return text + "."
}

// CurvesFigure composes neighborhood_rnx_curves, R_NX over all neighborhood
// sizes; nil where they were not computed.
func CurvesFigure(r *neighborhood.Result) *plots.Figure {
	if !hasCurves(r) {
		return nil
	}
	lowest := 0.0
	for _, m := range r.Models {
		if m.Curves != nil {
			lowest = min(lowest, slices.Min(m.Curves.RNX))
		}
	}
	curves := &plots.Curves{
		X:          plots.Axis{Label: "Neighborhood size K", Log: true, Integer: true},
		Y:          plots.Axis{Label: "Agreement beyond independence R_{NX}(K)", Min: math.Floor(lowest*20) / 20, Max: 1},
		NoMarkers:  true,
		References: []plots.Reference{{Value: 0, Label: "independent states"}},
	}
	var names []string
	for _, m := range r.Models {
		names = append(names, m.Name)
		series := plots.CurveSeries{Name: m.Name, Reason: output.Why(m.AUCRNX.Value)}
		if m.Curves != nil {
			series.Y = m.Curves.RNX
		}
		for i := range series.Y {
			series.X = append(series.X, float64(i+1))
		}
		curves.Series = append(curves.Series, series)
	}
	return &plots.Figure{
		WidthMM:  plots.SingleColumnMM,
		HeightMM: 72 + 4*max(0, float64(len(names)-6)), // long names stand one below the other
		Tiles:    []plots.Tile{{Panel: curves}},
		Series:   names,
		Footnote: states(r) + "; 1: all neighborhoods preserved, 0: independent states.",
		Title:    "Neighborhood preservation over all sizes",
	}
}
