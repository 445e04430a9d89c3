// The output of runs: CSV rows, and curves of the checkpoints over their steps.

package command

import (
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/similarity"
	"repscope/internal/run"
	measures "repscope/measure/similarity"
	"repscope/plots"
	"repscope/report"
)

// writeRuns writes a row for each score and checkpoint.
func writeRuns(r *similarity.Result, env *run.Env) error {
	return output.ModelCSV(env, "similarity_steps.csv", []string{
		"Run", "Last", "Score", "Step", "Model", "Value", "CI_Low", "CI_High", "Null_Mean", "Null_Threshold", "P", "Adjusted",
	}, func(csv *report.CSV) error {
		for _, one := range r.Runs {
			for _, step := range one.Steps {
				low, high := output.Ends(step.Value.CI)
				c := chanceOf(step.PairScore)
				if err := csv.Row(one.Run, one.Last, one.Score, report.Number(step.Step), step.Model, step.Value.Value,
					report.NumberOr(low, "no interval"), report.NumberOr(high, "no interval"), c.Mean, c.Threshold, c.P,
					c.Adjusted); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// RunFigure has a panel for each of two scores: the likeness of the checkpoints to the last one, run by run, and the
// mean of the null of the first run.
func RunFigure(r *similarity.Result) *plots.Figure {
	const null = "mean of the null"
	f := &plots.Figure{
		WidthMM: plots.DoubleColumnMM, HeightMM: 75, Title: "Likeness to the last checkpoint",
		Notes: output.IntervalNotes(r.Warnings),
	}
	for column, score := range headlines(r) {
		curves := &plots.Curves{X: plots.Axis{Label: "Step"}, Y: plots.Axis{Label: measures.TitleOf(score)}}
		var chance plots.CurveSeries
		for _, one := range r.Runs {
			if one.Score != score {
				continue
			}
			series := plots.CurveSeries{Name: one.Run}
			below := plots.CurveSeries{Name: null}
			for _, step := range one.Steps {
				s := scoreAtNull(r, step.PairScore)
				low, high := output.Ends(s.CI)
				series.X, series.Y = append(series.X, step.Step), append(series.Y, s.Float())
				series.Low, series.High = append(series.Low, low), append(series.High, high)
				if step.Null != nil {
					below.X, below.Y = append(below.X, step.Step), append(below.Y, step.Null.Mean.Float())
				}
			}
			if !slices.ContainsFunc(series.Low, func(v float64) bool { return !math.IsNaN(v) }) {
				series.Low, series.High = nil, nil
			}
			if len(chance.X) == 0 {
				chance = below
			}
			curves.Series = append(curves.Series, series)
			if column == 0 {
				f.Series = append(f.Series, one.Run)
			}
		}
		if len(chance.X) > 0 {
			curves.Series = append(curves.Series, chance)
		}
		f.Tiles = append(f.Tiles, plots.Tile{Panel: curves, Column: column, Title: measures.TitleOf(score)})
	}
	f.Series = append(f.Series, null)
	f.Footnote = fmt.Sprintf("Scores of each checkpoint with the last one (%s).", lastOnes(r))
	if adjusted(r, headlines(r)[0]) {
		f.Footnote += fmt.Sprintf(" The mean of the null is the one of %s.", r.Runs[0].Run)
	}
	return f
}

// lastOnes are the last checkpoints of the runs.
func lastOnes(r *similarity.Result) string {
	out := ""
	for i, one := range r.Runs {
		if one.Score != r.Runs[0].Score {
			continue
		}
		if i > 0 {
			out += ", "
		}
		out += one.Last
	}
	return out
}
