// The figures: scores of probes, and predicted against true rewards.

package command

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/analysis/reward"
	"repscope/plots"
	"repscope/report"
	"repscope/stat"
)

// sides are the latents that probes are fitted and evaluated on, as figures call them.
var sides = []struct{ fitted, evaluated, name string }{
	{reward.True, reward.True, "true latents"}, {reward.True, reward.PredictedLatents, "transfer"}, {reward.PredictedLatents, reward.PredictedLatents, "predicted latents"},
}

// transitions are the scorers of rewards, and own the scorers of the states' own targets.
func transitions(r *reward.Result) (transitions, others []*reward.Scorer) {
	for _, c := range r.Scorers {
		if c.Target.Rewarding() {
			transitions = append(transitions, c)
		} else {
			others = append(others, c)
		}
	}
	return transitions, others
}

// names are the names of the models that have probes of latents.
func names(r *reward.Result) []string {
	var out []string
	for _, m := range r.Models {
		if !m.Baseline {
			out = append(out, m.Name)
		}
	}
	return out
}

// Figure composes reward_probes: the scores of the reward by every probe, what predicted
// latents cost, and the scores of other targets; nil without targets.
func Figure(r *reward.Result) *plots.Figure {
	if len(r.Scorers) == 0 {
		return nil
	}
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: names(r), Title: "Probes", Notes: output.IntervalNotes(r.Warnings)}
	transitions, others := transitions(r)
	row := 0
	if len(transitions) > 0 {
		c := transitions[0]
		f.Tiles = append(f.Tiles, plots.Tile{Panel: scores(r, c, "r2", "R²"), Title: "R² of the " + c.Target.Name, Row: 0, Column: 0, ColumnSpan: 2})
		area := plots.Tile{Panel: scores(r, c, "auroc", "AUROC"), Title: c.Target.Name + " > 0", Row: 1, Column: 0}
		if gaps := gapBars(r, c); gaps != nil {
			f.Tiles = append(f.Tiles, area, plots.Tile{Panel: gaps, Title: "Loss by predicted latents", Row: 1, Column: 1})
		} else {
			area.ColumnSpan = 2
			f.Tiles = append(f.Tiles, area)
		}
		row = 2
	}
	if len(others) > 0 {
		f.Tiles = append(f.Tiles, plots.Tile{Panel: targets(r, others), Title: "Other targets, from true latents", Row: row,
			Column: 0, ColumnSpan: 2})
		row++
	}
	f.HeightMM = 58*float64(row) + 14 + 5*max(0, float64(len(f.Series)-8))
	f.Footnote = caption(r, others)
	cut := false
	for _, t := range f.Tiles {
		if bars, ok := t.Panel.(*plots.GroupedBars); ok && cutLow(bars) {
			cut = true
		}
	}
	if cut {
		f.Footnote += " Axes end at −1; negative values are worse than predicting the mean."
	}
	return f
}

// cutLow ends the axis of a panel at −1 where bars or intervals reach lower, and says whether
// they do: R² has no lower end.
func cutLow(p *plots.GroupedBars) bool {
	low, high := 0.0, 0.0
	for _, s := range p.Series {
		for _, values := range [][]float64{s.Values, s.Low, s.High} {
			for _, v := range values {
				if !math.IsNaN(v) {
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	if low >= -1 || !strings.HasPrefix(p.Y.Label, "R²") {
		return false
	}
	for _, line := range p.References {
		high = max(high, line.Value)
	}
	p.Y.Min, p.Y.Max = -1, max(high*1.08, 0.1)
	return true
}

func caption(r *reward.Result, others []*reward.Scorer) string {
	note := "Probes are tested on other episodes than they were fitted on. Transfer: fitted on true latents, " +
		"evaluated on predicted latents."
	if len(others) > 0 {
		note += " Dashed: predicting the most frequent class, or the mean."
	}
	if r.Blocks != "" {
		note += fmt.Sprintf(" Error bars: 95 %% intervals, jackknife over %s.", r.Blocks)
	}
	if reason := results.NoTest(r.Comparisons); reason != "" {
		note += " No tests: " + reason + "."
	}
	return note
}

// scores are bars of a metric: a group for each probe and side that some model has.
func scores(r *reward.Result, c *reward.Scorer, metric, label string) plots.Panel {
	panel := &plots.GroupedBars{Y: plots.Axis{Label: label}}
	for _, m := range r.Models {
		if m.Baseline && m.Name != reward.BaselineMajority {
			if p := find(&m, c.Target.Name, "", reward.True, reward.True); p != nil && p.Score(metric).Defined() && m.Name == reward.BaselineLast && p.Score(metric).V > -1 {
				panel.References = append(panel.References, plots.Reference{Value: p.Score(metric).V, Label: "previous " +
					"reward"})
			}
		}
	}
	if metric == "auroc" {
		panel.References = append(panel.References, plots.Reference{Value: 0.5, Label: "chance"})
	}
	type group struct {
		probe string
		side  int
	}
	var groups []group
	for _, probe := range append(slices.Clone(r.Probes), reward.ProbeOfGiven) {
		for s := range sides {
			if has(r, c.Target.Name, probe, s) {
				groups = append(groups, group{probe, s})
				panel.Groups = append(panel.Groups, probeName(probe)+", "+sides[s].name)
			}
		}
	}
	for i := range r.Models {
		m := &r.Models[i]
		if m.Baseline {
			continue
		}
		series := plots.BarSeries{Name: m.Name}
		for _, g := range groups {
			v := report.NoEstimate("no predictions")
			if p := find(m, c.Target.Name, g.probe, sides[g.side].fitted, sides[g.side].evaluated); p != nil {
				v = p.Score(metric)
			}
			output.AppendBar(&series, v)
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// has reports whether some model has rows of a probe on a side.
func has(r *reward.Result, target, probe string, side int) bool {
	return slices.ContainsFunc(r.Models, func(m reward.ModelResult) bool {
		return !m.Baseline && find(&m, target, probe, sides[side].fitted, sides[side].evaluated) != nil
	})
}

// probeName is how figures call a probe.
func probeName(probe string) string {
	switch probe {
	case reward.MLP:
		return "MLP"
	case reward.KNN:
		return "k-NN"
	case reward.ProbeOfGiven:
		return "Existing head"
	}
	return strings.ToUpper(probe[:1]) + probe[1:]
}

// gapBars are the gaps of a target relative to its variance; nil without predictions.
func gapBars(r *reward.Result, c *reward.Scorer) plots.Panel {
	variance := reward.Spread(c.Values) * reward.Spread(c.Values)
	panel := &plots.GroupedBars{Y: plots.Axis{Label: "Δ MSE / variance"}, References: []plots.Reference{{Value: 0}}}
	var probes []string
	for _, m := range r.Models {
		for _, g := range m.Gaps {
			if g.Target == c.Target.Name && !slices.Contains(probes, g.Probe) {
				probes = append(probes, g.Probe)
			}
		}
	}
	if len(probes) == 0 {
		return nil
	}
	for _, p := range probes {
		panel.Groups = append(panel.Groups, probeName(p)+", transfer", probeName(p)+", published")
	}
	for _, m := range r.Models {
		if len(m.Gaps) == 0 {
			continue
		}
		series := plots.BarSeries{Name: m.Name}
		for _, p := range probes {
			g := report.Lack(reward.GapRow{}, "no head")
			for _, gap := range m.Gaps {
				if gap.Target == c.Target.Name && gap.Probe == p {
					g = gap
				}
			}
			appendScaled(&series, g.Transfer.Value, g.Transfer.CI, 1/variance)
			appendScaled(&series, g.Published.Value, g.Published.CI, 1/variance)
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// appendScaled is output.AppendBar of a number in another unit.
func appendScaled(s *plots.BarSeries, v report.Value, ci report.Interval, factor float64) {
	if v.Defined() {
		v = report.NumberOr(v.V*factor, "the target is constant")
	}
	if ci.Defined() {
		ci = report.Between(ci.Low*factor, ci.High*factor)
	}
	output.AppendBar(s, report.WithInterval(v, ci))
}

// targets are bars of the states' own targets by their linear probes.
func targets(r *reward.Result, scorers []*reward.Scorer) plots.Panel {
	panel := &plots.GroupedBars{Y: plots.Axis{Label: "R² or macro F1"}}
	chance := make([]float64, len(scorers))
	for i, c := range scorers {
		name := c.Target.Name + " (R²)"
		if c.Target.Classified() {
			name = c.Target.Name + " (F1)"
		}
		panel.Groups = append(panel.Groups, name)
		chance[i] = math.NaN()
		for k := range r.Models {
			if m := &r.Models[k]; m.Baseline {
				if p := find(m, c.Target.Name, "", reward.True, reward.True); p != nil {
					chance[i] = p.Score(mainMetric(c)).Float()
				}
			}
		}
	}
	for i := range r.Models {
		m := &r.Models[i]
		if m.Baseline {
			continue
		}
		series := plots.BarSeries{Name: m.Name, Baselines: chance}
		for _, c := range scorers {
			v := report.NoEstimate("not probed")
			if p := find(m, c.Target.Name, linear(r, c), reward.True, reward.True); p != nil {
				v = p.Score(mainMetric(c))
			}
			output.AppendBar(&series, v)
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// PredictedFigure composes reward_predicted: how the predicted rewards of the linear probe
// lie to the true ones, on true and on predicted latents; nil where there is no reward.
func PredictedFigure(r *reward.Result) *plots.Figure {
	transitions, _ := transitions(r)
	if len(transitions) == 0 || transitions[0].Target.Classified() {
		return nil
	}
	c := transitions[0]
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: names(r), Title: "Predicted rewards", Notes: output.IntervalNotes(r.Warnings)}
	row := 0
	for s, side := range sides[:2] {
		if !has(r, c.Target.Name, linear(r, c), s) {
			continue
		}
		f.Tiles = append(f.Tiles,
			plots.Tile{Panel: calibration(r, c, s), Title: "Calibration, " + side.name, Row: row, Column: 0},
			plots.Tile{Panel: byValue(r, c, s), Title: "Predictions by true value, " + side.name, Row: row, Column: 1})
		row++
	}
	if row == 0 {
		return nil
	}
	f.HeightMM = 66*float64(row) + 14 + 5*max(0, float64(len(f.Series)-8))
	f.Footnote = fmt.Sprintf("Probe: %s. Left: means over deciles of the predicted %s; on the diagonal, "+
		"predictions are correct on average. Right: mean prediction for each true value (or decile, if there are "+
		"many values)", probeName(linear(r, c)), c.Target.Name)
	if len(f.Series) <= shadedModels {
		f.Footnote += "; bands: quartiles"
	}
	f.Footnote += ". Gray: the truth."
	return f
}

// shadedModels is the largest number of models whose bands can be told apart.
const shadedModels = 4

// rowOf is a model's row of the linear probe on a side; nil where there is none.
func rowOf(r *reward.Result, m *reward.Measured, c *reward.Scorer, side int) *reward.Row {
	for i := range m.Rows {
		row := &m.Rows[i]
		if row.Target == c.Target.Name && row.Probe == linear(r, c) && row.FittedOn == sides[side].fitted && row.EvaluatedOn == sides[side].evaluated {
			return row
		}
	}
	return nil
}

// calibration shows the mean true value of tenths of the samples by predicted value.
func calibration(r *reward.Result, c *reward.Scorer, side int) plots.Panel {
	panel := &plots.Scatter{X: plots.Axis{Label: "Predicted " + c.Target.Name}, Y: plots.Axis{Label: "Mean true " + c.Target.Name}, Diagonal: true}
	for _, m := range r.Measured {
		row := rowOf(r, m, c, side)
		if m.Baseline {
			continue
		}
		series := plots.ScatterSeries{Name: m.Name}
		if row == nil {
			series.Reason = "no predictions"
		} else {
			for _, bin := range tenths(row.Predictions) {
				series.X = append(series.X, stat.Mean(reward.At(row.Predictions, bin)))
				series.Y = append(series.Y, stat.Mean(reward.At(c.Values, bin)))
			}
			series.Fit = &plots.Fit{X: series.X, Y: series.Y}
			if !ascending(series.X) {
				series.Fit = nil
			}
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// byValue shows the predictions of the samples of each true value.
func byValue(r *reward.Result, c *reward.Scorer, side int) plots.Panel {
	panel := &plots.Curves{X: plots.Axis{Label: "True " + c.Target.Name}, Y: plots.Axis{Label: "Predicted " + c.Target.Name}}
	bins := valueBins(c.Values)
	truth := plots.CurveSeries{}
	for _, bin := range bins {
		truth.X = append(truth.X, stat.Mean(reward.At(c.Values, bin)))
	}
	truth.Y = truth.X
	panel.Series = append(panel.Series, truth)
	shaded := len(names(r)) <= shadedModels
	for _, m := range r.Measured {
		if m.Baseline {
			continue
		}
		row := rowOf(r, m, c, side)
		series := plots.CurveSeries{Name: m.Name}
		if row == nil {
			series.Reason = "no predictions"
			panel.Series = append(panel.Series, series)
			continue
		}
		for _, bin := range bins {
			values := reward.At(row.Predictions, bin)
			quartiles, err := stat.Quantiles(values, 0.25, 0.75)
			if err != nil {
				continue
			}
			series.X, series.Y = append(series.X, stat.Mean(reward.At(c.Values, bin))), append(series.Y, stat.Mean(values))
			if shaded {
				series.Low, series.High = append(series.Low, quartiles[0]), append(series.High, quartiles[1])
			}
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// ascending reports whether values grow.
func ascending(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if !(values[i] > values[i-1]) {
			return false
		}
	}
	return true
}

// tenths divides samples by value into ten parts of about equal size.
func tenths(values []float64) [][]int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	var out [][]int
	for k := range 10 {
		if lo, hi := k*len(order)/10, (k+1)*len(order)/10; lo < hi {
			out = append(out, order[lo:hi])
		}
	}
	return out
}

// fewValues is the number of distinct values up to which each is a bin of its own.
const fewValues = 12

// valueBins divides samples by their true value.
func valueBins(values []float64) [][]int {
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	if len(distinct) > fewValues {
		return tenths(values)
	}
	out := make([][]int, len(distinct))
	for i, v := range values {
		k, _ := slices.BinarySearch(distinct, v)
		out[k] = append(out[k], i)
	}
	return out
}

// dynamicsFigure is the figure of models of dynamics; nil where there is nothing of them.
func dynamicsFigure(r *reward.Result) *plots.Figure {
	if !hasDynamics(r.Dynamics) {
		return nil
	}
	return figureOfDynamics(r.Dynamics, names(r))
}
