// What a run writes of dynamics: the rollouts as CSV, console tables and a figure.

package command

import (
	"fmt"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/analysis/reward"
	"repscope/internal/run"
	"repscope/plots"
	"repscope/report"
)

// RolloutFile is the name of the CSV file of rollouts.
const RolloutFile = "reward_rollout.csv"

// DynamicsFigure is the name of the figure of dynamics.
const DynamicsFigure = "reward_dynamics"

// hasDynamics reports whether there is anything of dynamics but distances in time.
func hasDynamics(r *reward.DynamicsResult) bool { return predicted(r) || rolled(r) }

func predicted(r *reward.DynamicsResult) bool {
	for _, m := range r.Models {
		if m.LatentPrediction != nil {
			return true
		}
	}
	return false
}

func rolled(r *reward.DynamicsResult) bool {
	for _, m := range r.Models {
		if len(m.Rollout) > 0 {
			return true
		}
	}
	return false
}

func timed(r *reward.DynamicsResult) bool {
	for _, m := range r.Models {
		if m.TemporalDistance != nil {
			return true
		}
	}
	return false
}

// writeRollouts writes a row per model and step.
func writeRollouts(r *reward.DynamicsResult, env *run.Env) error {
	if !rolled(r) {
		return nil
	}
	header := []string{"Model", "Step", "Starts", "MSE", "MSE_Low", "MSE_High", "Copy_MSE", "Mean_MSE", "Cosine", "Cosine_Low", "Cosine_High",
		"Skill", "Skill_Low", "Skill_High", "Mean_Skill", "Mean_Skill_Low", "Mean_Skill_High"}
	return env.Files.CSV(RolloutFile, header, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for _, s := range m.Rollout {
				cells := []any{m.Name, s.Step, s.Starts}
				estimate := func(v report.Value, ci report.Interval) {
					low, high := output.Ends(ci)
					cells = append(cells, v, low, high)
				}
				estimate(s.MSE.Value, s.MSE.CI)
				cells = append(cells, s.CopyMSE, s.MeanMSE)
				estimate(s.Cosine.Value, s.Cosine.CI)
				estimate(s.Skill.Value, s.Skill.CI)
				estimate(s.MeanSkill.Value, s.MeanSkill.CI)
				if err := csv.Row(cells...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// printDynamics writes the tables of predicted latents to the console.
func printDynamics(r *reward.DynamicsResult, env *run.Env) error {
	if predicted(r) {
		table := report.NewTable("Prediction of the next latent", "Model", "MSE", "of copying", "Skill", "R²", "Cosine")
		for _, m := range r.Models {
			if p := m.LatentPrediction; p != nil {
				table.Row(m.Name, p.MSE, p.CopyMSE.Value, p.Skill, p.R2, p.Cosine)
			}
		}
		table.Note("Skill = 1 − MSE / MSE of copying the current latent; R²: mean over dimensions")
		if err := env.Details(table); err != nil {
			return err
		}
	}
	if rolled(r) {
		if err := printRollouts(r, env); err != nil {
			return err
		}
	}
	if !timed(r) {
		return nil
	}
	table := report.NewTable("Latent distance and distance in time", "Model", "Spearman ρ", "SD over episodes", "Episodes")
	for _, m := range r.Models {
		if t := m.TemporalDistance; t != nil {
			table.Row(m.Name, t.Spearman, *t.Spearman.SD, t.Episodes)
		}
	}
	table.Note("Mean over episodes of the rank correlation over pairs of states")
	return env.Details(table)
}

// printRollouts writes some steps of the rollouts: 1, 2, 4, … and the last.
func printRollouts(r *reward.DynamicsResult, env *run.Env) error {
	table := report.NewTable("Open-loop rollouts", "Model", "Step", "Starts", "MSE", "of copying", "of the mean", "Skill")
	for _, m := range r.Models {
		last := ""
		for i, s := range m.Rollout {
			if s.Step&(s.Step-1) != 0 && i < len(m.Rollout)-1 {
				continue
			}
			name := m.Name
			if name == last {
				name = ""
			}
			last = m.Name
			table.Row(name, s.Step, s.Starts, s.MSE, s.CopyMSE.Value, s.MeanMSE.Value, s.Skill)
		}
	}
	for _, m := range r.Models {
		if h := m.RolloutHorizon; h != nil {
			table.Note("%s: %s; %s", m.Name, crossed(h.Copy, "copying the latent they start from"),
				crossed(h.Mean, "the mean latent"))
		}
	}
	return env.Details(table)
}

// crossed says when rollouts become worse than a baseline.
func crossed(v report.Value, name string) string {
	if !v.Defined() {
		return v.Reason
	}
	return fmt.Sprintf("worse than %s from step %.3g on", name, v.V)
}

// figureOfDynamics composes reward_dynamics: the error of rollouts by step in units of the variance of
// the latents and of the error of copying, and how predictions one step ahead and distances
// in time do. names are the names of all models, for their colors.
func figureOfDynamics(r *reward.DynamicsResult, names []string) *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: names, Title: "Dynamics", Notes: output.IntervalNotes(r.Warnings)}
	row := 0
	if rolled(r) {
		errors, copying := curves(r)
		f.Tiles = append(f.Tiles, plots.Tile{Panel: errors, Title: "Rollout error", Row: row, Column: 0}, plots.Tile{Panel: copying, Title: "Relative " +
			"to copying", Row: row, Column: 1})
		row++
	}
	var bars []plots.Tile
	if predicted(r) {
		bars = append(bars, plots.Tile{Panel: predictionBars(r), Title: "One step ahead"})
	}
	if timed(r) {
		bars = append(bars, plots.Tile{Panel: timeBars(r), Title: "Latent distance and time"})
	}
	for i := range bars {
		bars[i].Row, bars[i].Column = row, i
		if len(bars) == 1 {
			bars[i].ColumnSpan = 2
		}
	}
	if f.Tiles = append(f.Tiles, bars...); len(bars) > 0 {
		row++
	}
	f.HeightMM = 58*float64(row) + 14 + 5*max(0, float64(len(names)-8))
	f.Footnote = "Skill: 1 − MSE/MSE of the baseline."
	bars95 := "Error bars"
	if rolled(r) {
		f.Footnote, bars95 = "Open loop: each step starts from the previous prediction. "+
			""+f.Footnote, "Bands and error bars"
	}
	if rolled(r) && len(r.Models) <= mostCopies {
		f.Footnote += " Gray: copying the initial latent of a rollout."
	}
	if timed(r) {
		f.Footnote += " Latent distance and time: rank correlation over pairs of states, mean over episodes."
	}
	if r.Blocks != "" {
		f.Footnote += fmt.Sprintf(" %s: 95 %% intervals, jackknife over %s.", bars95, r.Blocks)
	}
	if reason := results.NoTest(r.Comparisons); reason != "" {
		f.Footnote += " No tests: " + reason + "."
	}
	return f
}

// mostCopies is the number of models up to which copying is drawn next to each.
const mostCopies = 4

// curves are the error of rollouts by step in units of the variance, and of the error of
// copying.
func curves(r *reward.DynamicsResult) (errors, copying *plots.Curves) {
	step := plots.Axis{Label: "Step", Integer: true}
	errors = &plots.Curves{X: step, Y: plots.Axis{Label: "MSE / variance", Zero: true}, References: []plots.Reference{{Value: 1, Label: "mean"}}}
	copying = &plots.Curves{X: step, Y: plots.Axis{Label: "MSE / MSE of copying", Zero: true}, References: []plots.Reference{{Value: 1, Label: "copy"}}}
	for _, m := range r.Models {
		if len(m.Rollout) == 0 {
			continue
		}
		e, s := plots.CurveSeries{Name: m.Name}, plots.CurveSeries{Name: m.Name}
		copied := plots.CurveSeries{} // in gray
		for _, row := range m.Rollout {
			appendShare(&e, row.Step, row.MeanSkill.Value, row.MeanSkill.CI)
			appendShare(&s, row.Step, row.Skill.Value, row.Skill.CI)
			output.AppendPoint(&copied, float64(row.Step), report.WithInterval(report.NumberOr(row.CopyMSE.V/row.MeanMSE.V, reward.NoVariance), report.NoInterval(reward.NoDynamicsIntervals)))
		}
		errors.Series, copying.Series = append(errors.Series, e), append(copying.Series, s)
		if len(r.Models) <= mostCopies {
			errors.Series = append(errors.Series, copied)
		}
	}
	return errors, copying
}

// appendShare adds the share of a baseline's error that a skill leaves: 1 − skill.
func appendShare(s *plots.CurveSeries, step int, skill report.Value, ci report.Interval) {
	if skill.Defined() {
		skill.V = 1 - skill.V
	}
	if ci.Defined() {
		ci = report.Between(1-ci.High, 1-ci.Low)
	}
	output.AppendPoint(s, float64(step), report.WithInterval(skill, ci))
}

// predictionBars are the scores of predictions one step ahead.
func predictionBars(r *reward.DynamicsResult) plots.Panel {
	panel := &plots.GroupedBars{Y: plots.Axis{Label: "Score (1: perfect)"}, Groups: []string{"Skill, copying", "Skill, mean", "R²", "Cosine"}}
	low := 0.0
	for _, m := range r.Models {
		p := m.LatentPrediction
		if p == nil {
			continue
		}
		s := plots.BarSeries{Name: m.Name}
		for _, v := range []report.Estimate{p.Skill, p.MeanSkill, p.R2, p.Cosine} {
			output.AppendBar(&s, v)
			if v.Defined() {
				low = min(low, v.V)
			}
		}
		panel.Series = append(panel.Series, s)
	}
	if low < -1 {
		panel.Y.Min, panel.Y.Max = -1, 1.05
	}
	return panel
}

// timeBars are the rank correlations of distances in latent space and in time.
func timeBars(r *reward.DynamicsResult) plots.Panel {
	panel := &plots.Bars{Y: plots.Axis{Label: "Spearman ρ"}}
	for _, m := range r.Models {
		if t := m.TemporalDistance; t != nil {
			panel.Bars = append(panel.Bars, output.Bar(m.Name, t.Spearman, 1))
		}
	}
	return panel
}
