// What a run writes of preferences: CSV files, console tables and the figure.

package command

import (
	"cmp"
	"fmt"

	"repscope/analysis/canvas"
	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/plots"
	"repscope/report"
)

// The files of preferences.
const (
	preferencesFile   = "canvas_preferences.csv"
	strengthsFile     = "canvas_strengths.csv"
	figurePreferences = "canvas_preferences"
)

// writePreferences writes strengths, and how metrics agree with preferences.
func (r *outcome) writePreferences(env *run.Env) error {
	a := r.Preferences
	if a == nil {
		return nil
	}
	columns := []string{"metric", "direction", "pairs", "metric_ties", "pair_agreement", "pair_agreement_low",
		"pair_agreement_high", "reason"}
	err := env.Files.CSV(preferencesFile, columns, func(csv *report.CSV) error {
		for i := range a.Metrics {
			m := &a.Metrics[i]
			low, high := output.Ends(m.Share.CI)
			if err := csv.Row(m.Key.Name, string(m.Key.Better()), m.Pairs, m.Ties, m.Share.Value, report.Number(low),
				report.Number(high), whyNot(m.Share)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	columns = []string{"kind", "name", "wins", "losses", "ties", "strength", "strength_low", "strength_high",
		"information_low", "information_high", "reason"}
	return env.Files.CSV(strengthsFile, columns, func(csv *report.CSV) error {
		for kind, strengths := range []*canvas.Strengths{&a.Models, &a.Cases} {
			for i := range strengths.All {
				s := &strengths.All[i]
				low, high := output.Ends(s.CI)
				lower, upper := output.Ends(s.Information)
				if err := csv.Row([]string{"model", "case"}[kind], s.Name, s.Wins, s.Losses, s.Ties, s.Value, report.Number(low),
					report.Number(high), report.Number(lower), report.Number(upper), whyNot(s.Estimate)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// whyNot is why an estimate lacks a value, or an interval.
func whyNot(e report.Estimate) string {
	if e.Defined() && !e.CI.Defined() {
		return e.CI.Reason
	}
	return output.Why(e.Value)
}

// printPreferences writes the strengths of models, and how main metrics agree with preferences.
func (r *outcome) printPreferences(env *run.Env) error {
	a := r.Preferences
	if a == nil {
		return nil
	}
	table := report.NewTable("Strengths by preferences", "Model", "wins", "losses", "ties", "log strength",
		"by information matrix")
	for i := range a.Models.All {
		s := &a.Models.All[i]
		information := report.Estimate{Value: s.Value, CI: s.Information}
		table.Row(s.Name, s.Wins, s.Losses, s.Ties, s.Estimate, information)
	}
	table.Note("%s between designs of two models for one sample", text.Count(a.Models.Pairs, "preference"))
	switch {
	case !a.Models.Tie.Defined():
		table.Note("%s", a.Models.Tie.Reason)
	case a.Models.Deleted != "":
		table.Note("[95 %% intervals] by deleting each of %s", a.Models.Deleted)
	}
	if len(a.Models.All) > 0 {
		if err := env.Details(table); err != nil {
			return err
		}
	}
	table, rows := report.NewTable("Agreement with preferences", "Metric", "better", "pairs", "metric ties",
		"ordered alike"), 0
	for _, m := range a.Metrics {
		if m.Share.Defined() && m.Key.Compared {
			table.Row(m.Key.Name, string(m.Key.Better()), m.Pairs, m.Ties, m.Share)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	table.Note("pairs of designs for one sample; ties of people and of the metric are left out")
	return env.Details(table)
}

// preferencesFigure are the strengths of models, and how main numbers agree with preferences; nil without.
func (r *outcome) preferencesFigure() *plots.Figure {
	a := r.Preferences
	if a == nil {
		return nil
	}
	strengths := plots.Bars{Y: plots.Axis{Label: "Log strength"}, NamesInLegend: len(a.Models.All) > namesBelow,
		NoValues: len(a.Models.All) > 6, References: []plots.Reference{{Value: 0}}}
	var names []string
	for i := range a.Models.All {
		s := &a.Models.All[i]
		names = append(names, s.Name)
		strengths.Bars = append(strengths.Bars, output.Bar(s.Name, s.Estimate, 1))
	}
	pairs := plots.GroupedBars{Y: plots.Axis{Label: "Share of pairs ordered alike", Min: 0, Max: 1},
		Series:     []plots.BarSeries{{Name: "pairs of one sample"}},
		References: []plots.Reference{{Value: 0.5, Label: "chance"}}}
	deleted := a.Models.Deleted
	for _, key := range r.mainKeys() {
		for i := range a.Metrics {
			if m := &a.Metrics[i]; m.Key.Name == key.Name && m.Share.Defined() {
				deleted = cmp.Or(deleted, m.Deleted)
				pairs.Groups = append(pairs.Groups, plots.Escape(key.Name))
				output.AppendBar(&pairs.Series[0], m.Share)
			}
		}
	}
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: names, Title: "Preferences",
		Notes: output.IntervalNotes(r.Warnings)}
	for _, panel := range []struct {
		plots.Panel
		drawn bool
	}{{&strengths, len(names) > 0}, {&pairs, len(pairs.Groups) > 0}} {
		if panel.drawn {
			f.Tiles = append(f.Tiles, plots.Tile{Panel: panel.Panel, Row: len(f.Tiles)})
		}
	}
	if len(f.Tiles) == 0 {
		return nil
	}
	f.HeightMM = 70*float64(len(f.Tiles)) + 14 + 4*float64(len(names)/3)
	f.Footnote = fmt.Sprintf("%s, %d of them ties.", text.Count(a.Pairs, "preference"), a.Ties)
	if deleted != "" {
		f.Footnote += fmt.Sprintf(" Error bars: 95 %% intervals, jackknife over %s.", deleted)
	}
	if len(names) > 0 && a.Models.Deleted == "" && a.Models.Tie.Defined() {
		f.Footnote += fmt.Sprintf(" Strengths have no interval: %s.", a.Models.All[0].CI.Reason)
	}
	return f
}
