// What a run writes: the result file, CSV files and console tables.

package command

import (
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/reward"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/plots"
	"repscope/points"
	"repscope/report"
)

// write puts the result into the result file, the CSV files, the console and the figures.
func write(r *reward.Result, env *run.Env, states *points.Selection, f *options) error {
	output.Enter(env, r.Warnings, r.Models, func(m reward.ModelResult) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	env.Result.Extra.Set("observations", r.Samples)
	env.Result.Extra.Set("targets", r.Targets)
	steps := []func(*run.Env) error{
		func(env *run.Env) error { return writeSummary(r, env) },
		func(env *run.Env) error { return writeSamples(r, env, states) },
		func(env *run.Env) error { return printSamples(r, env) },
		func(env *run.Env) error { return printHeadline(r, env) },
		func(env *run.Env) error { return printTransitions(r, env) },
		func(env *run.Env) error { return printGaps(r, env) },
		func(env *run.Env) error { return writeRollouts(r.Dynamics, env) },
		func(env *run.Env) error { return printDynamics(r.Dynamics, env) },
		func(env *run.Env) error { return printTargets(r, env) },
		func(env *run.Env) error { return printCategories(r, env) },
		func(env *run.Env) error { return printEfficiency(r, env) },
		func(env *run.Env) error { return printDisentanglement(r, env) },
		func(env *run.Env) error { return output.PrintComparisons(env, shown(r)) },
	}
	if f.layout != "" {
		steps = append(steps, func(env *run.Env) error { return writeLayout(r, env) })
	}
	if f.predictions {
		steps = append(steps, func(env *run.Env) error { return writePredictions(r, env, states) })
	}
	if err := output.All(env, steps...); err != nil {
		return err
	}
	for _, f := range []struct {
		name   string
		figure *plots.Figure
	}{{"reward_probes", Figure(r)}, {"reward_predicted", PredictedFigure(r)}, {DynamicsFigure, dynamicsFigure(r)}} {
		if f.figure == nil {
			continue
		}
		if err := env.Figure(f.name, f.figure); err != nil {
			return err
		}
	}
	return nil
}

// summaryMetrics are the scores in the summary, a column each.
var summaryMetrics = []string{"mse", "r2", "nmse", "r", "auroc", "accuracy", "balanced_accuracy", "f1"}

// writeSummary writes a row per model and probe of a target.
func writeSummary(r *reward.Result, env *run.Env) error {
	header := []string{"Model", "Target", "Probe", "Fitted_On", "Evaluated_On", "Alpha"}
	for _, metric := range summaryMetrics {
		name := strings.ToUpper(metric)
		if len(metric) > 5 {
			name = strings.ReplaceAll(strings.ReplaceAll(metric, "balanced_a", "Balanced_A"), "accuracy", "Accuracy")
		}
		header = append(header, name, name+"_Low", name+"_High")
	}
	return output.ModelCSV(env, "reward_summary.csv", append(header, "Sample_Count", "Group_Count"), func(csv *report.CSV) error {
		for _, m := range r.Models {
			for i := range m.Probes {
				p := &m.Probes[i]
				alpha := report.Undefined("no strength")
				if p.Alpha != nil {
					alpha = report.Number(*p.Alpha)
				}
				cells := []any{m.Name, p.Target, p.Probe, p.FittedOn, p.EvaluatedOn, alpha}
				for _, metric := range summaryMetrics {
					low, high := output.Ends(p.Score(metric).CI)
					cells = append(cells, p.Score(metric), low, high)
				}
				if err := csv.Row(append(cells, p.N, p.Groups)...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeSamples writes the loss of every row on every sample, which models of different
// runs are paired by, in the row of the state whose value was read: whether other targets
// are of transitions does not move it.
func writeSamples(r *reward.Result, env *run.Env, states *points.Selection) error {
	var metrics []string
	if len(r.Scorers) == 0 {
		return nil
	}
	for _, m := range r.Measured {
		for i := range m.Rows {
			if name := samplesMetric(&m.Rows[i]); name != "" && !slices.Contains(metrics, name) {
				metrics = append(metrics, name)
			}
		}
	}
	seen := r.Data.States()
	sample, group := make([]int, len(seen)), make([]int, len(seen))
	for i, state := range seen {
		sample[i], group[i] = states.Index[state], states.Episode[state]
	}
	var models []output.SampleScores
	for _, m := range r.Measured {
		scores := output.SampleScores{Model: m.Name, Sample: sample, Group: group}
		for _, metric := range metrics {
			values := reward.UndefinedValues(len(seen))
			for i := range m.Rows {
				if samplesMetric(&m.Rows[i]) != metric {
					continue
				}
				target := target(r, m.Rows[i].Target)
				for k, score := range ownScores(&m.Rows[i]) {
					row, _ := slices.BinarySearch(seen, r.Data.State(target, k))
					values[row] = score
				}
			}
			scores.Scores = append(scores.Scores, values)
		}
		models = append(models, scores)
	}
	return output.Samples(env, "state", "episode", metrics, models)
}

// samplesMetric is the path of the number that is the mean of the row's scores of samples.
func samplesMetric(r *reward.Row) string {
	return fmt.Sprintf("probes[name=%s].%s", r.Name(), r.Scores[0].Metric)
}

// ownScores are the squared errors of samples, or 1 for each right class.
func ownScores(r *reward.Row) []float64 {
	if r.Scores[0].Metric != "accuracy" {
		return r.Losses
	}
	out := make([]float64, len(r.Losses))
	for i, wrong := range r.Losses {
		out[i] = 1 - wrong
	}
	return out
}

// writePredictions writes what every probe said of every sample, with the state whose
// value was read.
func writePredictions(r *reward.Result, env *run.Env, states *points.Selection) error {
	header := []string{"Model", "Target", "Probe", "Fitted_On", "Evaluated_On", "Sample_ID", "Episode", "Frame", "Fold", "True", "Predicted"}
	return env.Files.CSV("reward_predictions.csv", header, func(csv *report.CSV) error {
		for _, m := range r.Measured {
			for k := range m.Rows {
				row := &m.Rows[k]
				target := target(r, row.Target)
				truth := r.Data.Numbers(target)
				for i, p := range row.Predictions {
					state := r.Data.State(target, i)
					if err := csv.Row(m.Name, row.Target, row.Probe, row.FittedOn, row.EvaluatedOn, states.Index[state], states.Episode[state], states.Time[state],
						r.Folds[i], truth[i], p); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// target is the one of a name, which some scorer has.
func target(r *reward.Result, name string) *reward.Target {
	return r.Scorers[slices.IndexFunc(r.Scorers, func(c *reward.Scorer) bool { return c.Target.Name == name })].Target
}

// printSamples prints the number of probed samples.
func printSamples(r *reward.Result, env *run.Env) error {
	if len(r.Scorers) == 0 {
		return nil
	}
	s := r.Samples
	kind := "transition"
	if s.States == s.Samples && s.Ignored == 0 {
		kind = "state"
	}
	groups := "episode"
	if r.Data.Pieces {
		groups = "piece"
	}
	env.Detail("%s in %s, %d folds", text.Count(s.Samples, kind), text.Count(s.Groups, groups), s.Folds)
	for _, count := range []struct {
		n    int
		what string
	}{{s.Ignored, "without a successor ignored"}, {s.Dropped, "dropped for missing values"}, {s.Gaps, "left out between pieces"}} {
		if count.n > 0 {
			env.Detail("; %s %s", text.Count(count.n, "state"), count.what)
		}
	}
	env.Detail("\n\n")
	return nil
}

// nameOnce leaves a name out of rows after its first.
func nameOnce(name string, last *string) string {
	if name == *last {
		return ""
	}
	*last = name
	return name
}

// printHeadline writes the main score of each target by its linear probe on true latents, and the skill of predicted
// latents: a column for each model.
func printHeadline(r *reward.Result, env *run.Env) error {
	header := []string{"Target", "Probe", "Score"}
	var models, baselines []*reward.ModelResult
	for i := range r.Models {
		if m := &r.Models[i]; m.Baseline {
			baselines = append(baselines, m)
		} else {
			models, header = append(models, m), append(header, m.Name)
		}
	}
	table := report.NewTable("", append(header, "Baseline")...)
	rows := 0
	row := func(name, probe, score string, value func(m *reward.ModelResult) any) {
		rows++
		cells := []any{name, probe, score}
		for _, m := range models {
			cells = append(cells, value(m))
		}
		for _, m := range baselines {
			if v, ok := value(m).(report.Estimate); ok && v.Defined() {
				cells = append(cells, v)
				break
			}
		}
		table.Row(cells...)
	}
	for _, c := range r.Scorers {
		metrics := []string{mainMetric(c)}
		if c.Target.Rewarding() {
			metrics = append(metrics, "auroc")
		}
		for _, metric := range metrics {
			row(c.Target.Name, linear(r, c), scoreNames[metric], func(m *reward.ModelResult) any {
				if p := find(m, c.Target.Name, linear(r, c), reward.True, reward.True); p != nil {
					return cell(p, metric)
				}
				return ""
			})
		}
	}
	if predicted(r.Dynamics) {
		row("next latent", "predictor", "skill", func(m *reward.ModelResult) any {
			for _, d := range r.Dynamics.Models {
				if d.Name == m.Name && d.LatentPrediction != nil {
					return d.LatentPrediction.Skill
				}
			}
			return ""
		})
	}
	if rows == 0 {
		return nil
	}
	for _, u := range env.Untold() {
		table.Note("%s: not measured: %s", u.Name, u.Reason)
	}
	if len(r.Scorers) > 0 {
		what := fmt.Sprintf("%s in %s; each is predicted by a probe that has not seen its episode",
			text.Count(r.Samples.Samples, "sample"), text.Count(r.Samples.Groups, "group"))
		if r.Blocks != "" {
			what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.Blocks)
		}
		table.Note("%s", what)
		table.Note("Baseline: the mean, the most frequent class, or for AUROC the last reward; R² = 1 − MSE/variance")
	}
	return env.Table(table)
}

// scoreNames are the scores of the headline table in words.
var scoreNames = map[string]string{"r2": "R²", "auroc": "AUROC (> 0)", "f1": "F1 (macro)"}

// printTransitions writes the probes of rewards.
func printTransitions(r *reward.Result, env *run.Env) error {
	for _, c := range r.Scorers {
		if !c.Target.Rewarding() {
			continue
		}
		table := report.NewTable("Probes of "+c.Target.Name, "Model",
			"Probe", "Fitted on", "Evaluated on", "MSE", "R²", "AUROC (> 0)")
		last, probe := "", ""
		for _, m := range r.Models {
			for i := range m.Probes {
				p := &m.Probes[i]
				if p.Target != c.Target.Name {
					continue
				}
				name := nameOnce(m.Name, &last)
				if name != "" {
					probe = ""
				}
				if m.Baseline {
					table.Row(name, "", "", "", p.Score("mse"), p.Score("r2"), p.Score("auroc"))
					continue
				}
				table.Row(name, nameOnce(p.Probe, &probe), p.FittedOn, p.EvaluatedOn, p.Score("mse"), p.Score("r2"),
					p.Score("auroc"))
			}
		}
		if r.Blocks != "" && slices.Contains(r.Probes, reward.MLP) {
			table.Note("Intervals of networks come from the differences between folds; there are no p values")
		}
		if err := env.Details(table); err != nil {
			return err
		}
	}
	return nil
}

// printGaps writes what probes lose by predicted latents.
func printGaps(r *reward.Result, env *run.Env) error {
	table := report.NewTable("What probes lose by predicted latents", "Target",
		"Probe", "Model", "Loss", "Transfer gap", "Published gap")
	rows := 0
	target, probe := "", ""
	for _, c := range r.Scorers {
		for _, name := range append(slices.Clone(r.Probes), reward.ProbeOfGiven) {
			for _, m := range r.Models {
				for i := range m.Gaps {
					g := &m.Gaps[i]
					if g.Target != c.Target.Name || g.Probe != name || !c.Target.Rewarding() && name != linear(r, c) {
						continue
					}
					shown := nameOnce(g.Target, &target)
					if shown != "" {
						probe = ""
					}
					table.Row(shown, nameOnce(g.Probe, &probe), m.Name, g.Loss, g.Transfer, g.Published)
					rows++
				}
			}
		}
	}
	if rows == 0 {
		return nil
	}
	table.Note("Transfer gap: loss of the probe of true latents on predicted latents − its loss on true latents")
	table.Note("Published gap: loss of a probe of predicted latents − loss of a probe of true latents")
	return env.Details(table)
}

// linear is the linear probe of a target: the one whose scores the tables of many targets
// show; the first of the probes where there is none.
func linear(r *reward.Result, c *reward.Scorer) string {
	want := reward.Ridge
	if c.Target.Classified() && slices.Contains(r.Probes, reward.Logistic) {
		want = reward.Logistic
	}
	if slices.Contains(r.Probes, want) {
		return want
	}
	for _, p := range r.Probes {
		if p != reward.Logistic || c.Target.Classified() {
			return p
		}
	}
	return ""
}

// mainMetric is the score of a target that tables and figures of many targets show.
func mainMetric(c *reward.Scorer) string {
	if c.Target.Classified() {
		return "f1"
	}
	return "r2"
}

// find is a model's row of a target; nil where there is none.
func find(m *reward.ModelResult, target, probe, fitted, evaluated string) *reward.ProbeRow {
	for i := range m.Probes {
		p := &m.Probes[i]
		if p.Target == target && (p.Probe == probe || m.Baseline) && p.FittedOn == fitted && p.EvaluatedOn == evaluated {
			return p
		}
	}
	return nil
}

// printTargets writes the scores of the states' own targets, a column for each model.
func printTargets(r *reward.Result, env *run.Env) error {
	for _, side := range []struct{ title, fitted, evaluated string }{
		{"Targets read from true latents", reward.True, reward.True}, {"Targets read from predicted latents by the same probes", reward.True, reward.PredictedLatents},
	} {
		header := []string{"Target", "Probe", "Score"}
		var models []*reward.ModelResult
		for i := range r.Models {
			m := &r.Models[i]
			if side.evaluated == reward.PredictedLatents && !slices.ContainsFunc(m.Probes, func(p reward.ProbeRow) bool { return p.EvaluatedOn == reward.PredictedLatents }) {
				continue
			}
			if m.Name == reward.BaselineLast || m.Baseline && side.evaluated != reward.True {
				continue
			}
			models = append(models, m)
			header = append(header, m.Name)
		}
		table := report.NewTable(side.title, header...)
		rows := 0
		for _, c := range r.Scorers {
			if c.Target.Rewarding() || len(models) == 0 {
				continue
			}
			cells := []any{c.Target.Name, linear(r, c), scoreNames[mainMetric(c)]}
			for _, m := range models {
				if p := find(m, c.Target.Name, linear(r, c), side.fitted, side.evaluated); p != nil {
					cells = append(cells, p.Score(mainMetric(c)))
				} else {
					cells = append(cells, "")
				}
			}
			table.Row(cells...)
			rows++
		}
		if rows == 0 {
			continue
		}
		if err := env.Details(table); err != nil {
			return err
		}
	}
	return nil
}

// printCategories writes the means over targets, of the linear probes on true latents.
func printCategories(r *reward.Result, env *run.Env) error {
	table := report.NewTable("Means over targets, on true latents", "Category",
		"Probe", "Model", "Targets", "R²", "F1 (macro)")
	rows := 0
	var order []string
	for _, m := range r.Models {
		for _, c := range m.Categories {
			if key := c.Category + "\x00" + c.Probe; c.EvaluatedOn == reward.True && !slices.Contains(order, key) {
				order = append(order, key)
			}
		}
	}
	category, probe := "", ""
	for _, key := range order {
		for _, m := range r.Models {
			for _, c := range m.Categories {
				if c.Category+"\x00"+c.Probe != key || c.FittedOn != reward.True || c.EvaluatedOn != reward.True || c.Probe == reward.MLP || c.Probe == reward.KNN {
					continue
				}
				name := nameOnce(c.Category, &category)
				if name != "" {
					probe = ""
				}
				row := reward.ProbeRow{Scores: c.Scores}
				cells := []any{name, nameOnce(c.Probe, &probe), m.Name, c.Targets}
				for _, metric := range []string{"r2", "f1"} {
					if _, ok := c.Scores.Get(metric); ok {
						cells = append(cells, row.Score(metric))
					} else {
						cells = append(cells, "")
					}
				}
				table.Row(cells...)
				rows++
			}
		}
	}
	if rows == 0 {
		return nil
	}
	return env.Details(table)
}

// shown are the comparisons for the console: of the first target, by its linear probe, of
// true latents and of what predicted ones cost.
func shown(r *reward.Result) []report.Comparison {
	if len(r.Scorers) == 0 {
		return r.Comparisons
	}
	first := r.Scorers[0]
	probe := linear(r, first)
	return slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool {
		about := fmt.Sprintf("of %s by %s", first.Target.Name, probe)
		return !strings.HasSuffix(c.Metric, about+", true on true") && !strings.HasSuffix(c.Metric, about)
	})
}

// printEfficiency writes how scores grow with the number of labels, and the scores of the
// controls.
func printEfficiency(r *reward.Result, env *run.Env) error {
	curve := report.NewTable("Label efficiency, ridge on true latents", "Target",
		"Model", "Share", "Episodes", "Samples", "R²", "F1 (macro)")
	control := report.NewTable("Controls: the same probe on targets of other samples", "Target",
		"Model", "R²", "… control", "F1 (macro)", "… control")
	curves, controls, last, lastControl := 0, 0, "", ""
	for _, c := range r.Scorers {
		for _, m := range r.Models {
			for _, p := range m.LabelEfficiency {
				if p.Target != c.Target.Name {
					continue
				}
				row := reward.ProbeRow{Scores: p.Scores}
				curve.Row(nameOnce(p.Target, &last), m.Name, fmt.Sprintf("%g %%", 100*p.Share), p.Episodes, p.Labels,
					cell(&row, "r2"), cell(&row, "f1"))
				curves++
			}
			if p := find(&m, c.Target.Name, reward.Ridge, reward.True, reward.True); !m.Baseline && p != nil && cell(p, "control_"+mainMetric(c)) != "" {
				control.Row(nameOnce(p.Target, &lastControl), m.Name, cell(p, "r2"), cell(p, "control_r2"), cell(p, "f1"),
					cell(p, "control_f1"))
				controls++
			}
		}
	}
	control.Note("A probe scores on controls by memory and by the order in time; selectivity = score − control")
	if curves > 0 {
		if err := env.Details(curve); err != nil {
			return err
		}
	}
	if controls == 0 {
		return nil
	}
	return env.Details(control)
}

// cell is a score with its interval for the console, "" where the row has none.
func cell(r *reward.ProbeRow, metric string) any {
	if _, ok := r.Scores.Get(metric); !ok {
		return ""
	}
	return r.Score(metric)
}

// printDisentanglement writes DCI and MIG.
func printDisentanglement(r *reward.Result, env *run.Env) error {
	table := report.NewTable("Targets over the coordinates of latents", "Model",
		"Disentanglement", "Completeness", "Informativeness", "MIG", "Targets")
	rows := 0
	for _, m := range r.Models {
		if d := m.Disentanglement; d != nil {
			table.Row(m.Name, d.Disentanglement, d.Completeness, d.Informativeness, d.MIG, d.Targets)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	return env.Details(table)
}
