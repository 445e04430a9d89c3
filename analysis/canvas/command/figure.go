// The figures of numbers: which there are, bars and boxes by metric, and scores over steps.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/plots"
	"repscope/report"
)

// The names of the figures.
const (
	figureScores       = "canvas_scores"
	figureSpread       = "canvas_spread"
	figureSteps        = "canvas_steps"
	figureImprovements = "canvas_improvements"
	figureAgreement    = "canvas_agreement"
	figureCases        = "canvas_cases"
	figureOverlay      = "canvas_overlay"
	// plotsFolder holds the figures of single metrics.
	plotsFolder = "evaluation_results_vis"
)

// planFigures adds the figures of a run to a plan.
func planFigures(env *run.Env, in *canvas.Input, kinds []canvas.Kind) {
	cases := in.Cases
	var keys []canvas.Key
	for _, k := range kinds {
		keys = append(keys, k.Keys...)
	}
	if len(keys) == 0 {
		return
	}
	env.PlanFigures(figureScores, figureSpread)
	steps, bases, screens, final := false, false, false, 0
	for i := range cases {
		steps = steps || cases[i].Snapshot >= 0
		bases = bases || cases[i].Base != (source.Side{})
		if cases[i].Snapshot < 0 {
			screens = screens || cases[i].Reference.Image != "" || cases[i].Generated.Image != ""
			final++
		}
	}
	if steps {
		env.PlanFigures(figureSteps)
	}
	if bases {
		env.PlanFigures(figureImprovements)
	}
	if in.Ratings != nil {
		env.PlanFigures(figureAgreement)
	}
	if in.Preferences != nil {
		env.PlanFigures(figurePreferences)
	}
	if screens && final > 1 {
		env.PlanFigures(figureCases)
	}
	for k := range overlayCount(final) {
		env.PlanFigures(overlayName(k, final))
	}
}

// drawings are the figures of a run.
func (r *outcome) drawings(ctx context.Context) (drawings []run.Drawing) {
	for _, f := range []struct {
		name string
		draw func() *plots.Figure
	}{
		{figureScores, r.scoresFigure}, {figureSpread, r.spreadFigure}, {figureSteps, r.stepsFigure},
		{figureImprovements, r.improvementsFigure}, {figureAgreement, r.agreementFigure},
		{figurePreferences, r.preferencesFigure},
	} {
		drawings = append(drawings, output.Drawing(f.name, func() (*plots.Figure, error) { return f.draw(), nil }))
	}
	drawings = append(drawings, r.caseFigures(ctx)...)
	if r.plots {
		drawings = append(drawings, r.metricFigures()...)
	}
	return drawings
}

// Sizes of figures of small panels.
const (
	panelColumns = 3
	panelHeight  = 44.0 // mm
)

// panels is a figure of one panel for each key, three in a row.
func (r *outcome) panels(title string, keys []canvas.Key, panel func(key canvas.Key) plots.Panel) *plots.Figure {
	if len(keys) == 0 {
		return nil
	}
	rows := (len(keys) + panelColumns - 1) / panelColumns
	columns := min(len(keys), panelColumns)
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM * float64(columns) / panelColumns, Series: r.names(), Title: title}
	f.HeightMM = panelHeight*float64(rows) + 14 + 4*float64(len(r.Models)/3)
	f.NoLetters = len(keys) > 26
	for i, key := range keys {
		f.Tiles = append(f.Tiles, plots.Tile{Panel: panel(key), Row: i / panelColumns, Column: i % panelColumns})
	}
	f.Notes = output.IntervalNotes(r.Warnings)
	return f
}

// axis is the axis of a key: its name, unit and better direction.
func axis(key canvas.Key) plots.Axis {
	label := plots.Escape(label(key))
	switch key.Direction {
	case report.Higher:
		label += " ↑"
	case report.Lower:
		label += " ↓"
	}
	return plots.Axis{Label: label}
}

// names are the names of the models.
func (r *outcome) names() []string {
	var out []string
	for i := range r.Models {
		out = append(out, r.Models[i].Name)
	}
	return out
}

// caption says what bars and arrows mean.
func (r *outcome) caption(what string) string {
	note := what
	if r.Blocks != "" {
		note += fmt.Sprintf(" Error bars: 95 %% intervals, jackknife over %s.", r.Blocks)
	}
	return note + " ↑: higher is better, ↓: lower is better."
}

// namesBelow is the number of models whose names stand under their bars.
const namesBelow = 3

// scoresFigure are the means of the main numbers.
func (r *outcome) scoresFigure() *plots.Figure {
	f := r.panels("Scores of generated designs", r.mainKeys(), r.bars)
	if f != nil {
		f.Footnote = r.caption("Means over cases.")
	}
	return f
}

// bars are the means of a key.
func (r *outcome) bars(key canvas.Key) plots.Panel {
	p := &plots.Bars{Y: axis(key), NamesInLegend: len(r.Models) > namesBelow, NoValues: len(r.Models) > 6}
	for i := range r.Models {
		n := r.Models[i].Number(key.Name)
		p.Bars = append(p.Bars, output.Bar(r.Models[i].Name, n.Estimate, 1))
	}
	return p
}

// spreadFigure are the values of all cases of the main numbers.
func (r *outcome) spreadFigure() *plots.Figure {
	f := r.panels("Scores of single designs", r.mainKeys(), r.boxes)
	if f != nil {
		f.Footnote = "Boxes: quartiles and median over cases; whiskers: values within 1.5 interquartile ranges; diamonds: means. " +
			"↑: higher is better, ↓: lower is better."
		f.Notes = nil
	}
	return f
}

// boxes are the values of a key.
func (r *outcome) boxes(key canvas.Key) plots.Panel {
	p := &plots.BoxPlot{Y: axis(key), NamesInLegend: len(r.Models) > namesBelow}
	for i := range r.Models {
		m := &r.Models[i]
		box := plots.Box{Name: m.Name}
		for _, row := range m.Rows {
			if v := r.Rows[row].Row.Values[key.Name]; v.Defined() {
				box.Values = append(box.Values, v.V)
			}
		}
		if n := m.Number(key.Name); n.N == 0 {
			box.Reason = n.Why()
		}
		p.Boxes = append(p.Boxes, box)
	}
	return p
}

// metricFigures are bars and boxes of every number that some model has, each in a file.
func (r *outcome) metricFigures() (drawings []run.Drawing) {
	for _, k := range r.kinds {
		for _, key := range k.Keys {
			some := false
			for i := range r.Models {
				some = some || r.Models[i].Number(key.Name).N > 0
			}
			if !some {
				continue
			}
			for _, form := range []struct {
				kind  string
				panel func(canvas.Key) plots.Panel
				note  string
			}{{"bar", r.bars, r.caption("Means over cases.")}, {"box", r.boxes, "Values of single cases."}} {
				drawings = append(drawings, output.Drawing(fmt.Sprintf("%s/%s_%s", plotsFolder, key.Name, form.kind),
					func() (*plots.Figure, error) {
						return r.metricFigure(key, form.panel, form.note), nil
					}))
			}
		}
	}
	return drawings
}

// metricFigure is a figure of one number.
func (r *outcome) metricFigure(key canvas.Key, panel func(canvas.Key) plots.Panel, note string) *plots.Figure {
	return &plots.Figure{WidthMM: plots.SingleColumnMM, HeightMM: 62 + 4*float64(len(r.Models)/2),
		Series: r.names(), Title: key.Name, Footnote: note, Tiles: []plots.Tile{{Panel: panel(key)}}}
}

// stepsFigure are the main numbers over the way to the final design; nil without snapshots.
func (r *outcome) stepsFigure() *plots.Figure {
	keys := slices.DeleteFunc(r.mainKeys(), func(key canvas.Key) bool { return !r.hasSteps(key.Name) })
	f := r.panels("Scores by step", keys, r.steps)
	if f != nil {
		f.Footnote = "Means over cases, with linear interpolation between the steps of a case. 0: first snapshot, " +
			"1: final design."
		if r.Blocks != "" {
			f.Footnote += " Bands: 95 % intervals over samples."
		}
	}
	return f
}

// hasSteps reports whether some model has a key at two parts of the way.
func (r *outcome) hasSteps(key string) bool {
	return slices.ContainsFunc(r.Models, func(m canvas.ModelResult) bool {
		points := 0
		for _, p := range m.Progress {
			if p.Key == key && p.Value.Defined() {
				points++
			}
		}
		return points > 1
	})
}

// steps are the curves of a key.
func (r *outcome) steps(key canvas.Key) plots.Panel {
	p := &plots.Curves{X: plots.Axis{Label: "Share of steps", Min: 0, Max: 1}, Y: axis(key)}
	for i := range r.Models {
		m := &r.Models[i]
		series := plots.CurveSeries{Name: m.Name}
		for _, point := range m.Progress {
			if point.Key == key.Name {
				output.AppendPoint(&series, point.At, point.Estimate)
			}
		}
		if len(series.X) == 0 {
			series.Reason = "no snapshots"
		}
		p.Series = append(p.Series, series)
	}
	return p
}

// improvementsFigure are the improvements of the main numbers; nil where nothing was modified.
func (r *outcome) improvementsFigure() *plots.Figure {
	var keys []canvas.Key
	for _, key := range r.mainKeys() {
		if r.improves(key.Name) {
			keys = append(keys, key)
		}
	}
	f := r.panels("Improvement by modification", keys, func(key canvas.Key) plots.Panel {
		label := axis(key)
		label.Label = "Δ " + label.Label
		p := &plots.Bars{Y: label, NamesInLegend: len(r.Models) > namesBelow, NoValues: len(r.Models) > 6,
			References: []plots.Reference{{Value: 0}}}
		for i := range r.Models {
			m := &r.Models[i]
			bar := plots.Bar{Name: m.Name, Value: math.NaN(), Reason: "no modification"}
			if g := m.Number(key.Name).Improvement; g != nil {
				bar = output.Bar(m.Name, g.Estimate, 1)
			}
			p.Bars = append(p.Bars, bar)
		}
		return p
	})
	if f != nil {
		f.Footnote = r.caption(
			"Δ: mean score of the generated design minus score of the base design, both compared with the target.")
	}
	return f
}

// agreementFigure is how the main numbers agree with ratings; nil without.
func (r *outcome) agreementFigure() *plots.Figure {
	a := r.Agreement
	if a == nil {
		return nil
	}
	main := r.mainKeys()
	rank := plots.GroupedBars{Y: plots.Axis{Label: "Correlation with ratings"},
		Series: []plots.BarSeries{{Name: "Spearman"}, {Name: "Kendall τ_b"}}, References: []plots.Reference{{Value: 0}}}
	pairs := plots.GroupedBars{Y: plots.Axis{Label: "Share of pairs ordered as by raters", Min: 0, Max: 1},
		Series: []plots.BarSeries{{Name: "pairs of one sample"}}, References: []plots.Reference{{Value: 0.5, Label: "chance"}}}
	for _, key := range main {
		for i := range a.Metrics {
			m := &a.Metrics[i]
			if m.Key.Name != key.Name || m.N == 0 {
				continue
			}
			name := plots.Escape(m.Key.Name)
			rank.Groups, pairs.Groups = append(rank.Groups, name), append(pairs.Groups, name)
			output.AppendBar(&rank.Series[0], m.Spearman)
			output.AppendBar(&rank.Series[1], m.Kendall)
			output.AppendBar(&pairs.Series[0], m.PairAccuracy)
		}
	}
	if len(rank.Groups) == 0 {
		return nil
	}
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, HeightMM: 150, Title: "Agreement with ratings", Tiles: []plots.Tile{
		{Panel: &rank, Row: 0}, {Panel: &pairs, Row: 1},
	}, Notes: output.IntervalNotes(r.Warnings)}
	f.Footnote = fmt.Sprintf("%s of %s.", text.Count(a.Ratings, "rating"), text.Count(a.Cases, "case"))
	if r.Blocks != "" {
		f.Footnote += " Error bars: 95 % intervals over samples and models."
	}
	if a.Rest.Defined() {
		f.Footnote += fmt.Sprintf(
			" One rater against the mean of the others: Spearman %s.", report.FormatEstimate(a.Rest.V, a.Rest.CI))
	}
	return f
}
