// What a run writes: the result file, CSV files and console tables.

package reward

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/plots"
	"repscope/points"
	"repscope/report"
)

// write puts the result into the result file, the CSV files, the console and the figures.
func (r *Result) write(env *run.Env, states *points.Selection, predictions bool) error {
	env.Result.Definition = definition
	r.describe(env)
	r.dynamics.describe(env)
	output.Enter(env, r.Warnings, r.Models, func(m ModelResult) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	env.Result.Extra.Set("observations", r.Samples)
	env.Result.Extra.Set("targets", r.Targets)
	steps := []func(*run.Env) error{
		r.writeSummary,
		func(env *run.Env) error { return r.writeSamples(env, states) },
		r.printSamples, r.printTransitions, r.printGaps, r.dynamics.writeRollouts, r.dynamics.print, r.printTargets, r.printCategories, r.printEfficiency, r.printDisentanglement,
		func(env *run.Env) error { return output.PrintComparisons(env, r.shown()) },
	}
	if predictions {
		steps = append(steps, func(env *run.Env) error { return r.writePredictions(env, states) })
	}
	if err := output.All(env, steps...); err != nil {
		return err
	}
	for _, f := range []struct {
		name   string
		figure *plots.Figure
	}{{"reward_probes", r.Figure()}, {"reward_predicted", r.PredictedFigure()}, {DynamicsFigure, r.dynamicsFigure()}} {
		if f.figure == nil {
			continue
		}
		if err := env.Figure(f.name, f.figure); err != nil {
			return err
		}
	}
	return nil
}

// describe says which way the numbers are better.
func (r *Result) describe(env *run.Env) {
	output.Describe(env, report.Lower, "squared units of the target", "probes.mse")
	output.Describe(env, report.Lower, "", "probes.nmse", "gaps.transfer_gap", "gaps.published_gap", "transfer_gap", "published_gap")
	higher := []string{"r2", "auroc", "accuracy", "balanced_accuracy", "f1"}
	for _, metric := range higher {
		output.Describe(env, report.Higher, "", "probes."+metric, "categories."+metric, "label_efficiency."+metric)
		low := 0.0
		if metric == "r2" {
			low = math.Inf(-1)
		}
		output.Limit(env, low, 1, "probes."+metric, "categories."+metric, "label_efficiency."+metric)
	}
	output.Limit(env, 0, math.Inf(1), "probes.mse", "probes.nmse")
	output.Headline(env, "probes.r2", "probes.auroc", "probes.balanced_accuracy")
}

// summaryMetrics are the scores in the summary, a column each.
var summaryMetrics = []string{"mse", "r2", "nmse", "auroc", "accuracy", "balanced_accuracy", "f1"}

// writeSummary writes a row per model and probe of a target.
func (r *Result) writeSummary(env *run.Env) error {
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
func (r *Result) writeSamples(env *run.Env, states *points.Selection) error {
	var metrics []string
	if len(r.scorers) == 0 {
		return nil
	}
	for _, m := range r.measured {
		for i := range m.Rows {
			if name := m.Rows[i].samplesMetric(); name != "" && !slices.Contains(metrics, name) {
				metrics = append(metrics, name)
			}
		}
	}
	seen := r.data.states()
	sample, group := make([]int, len(seen)), make([]int, len(seen))
	for i, state := range seen {
		sample[i], group[i] = states.Index[state], states.Episode[state]
	}
	var models []output.SampleScores
	for _, m := range r.measured {
		scores := output.SampleScores{Model: m.Name, Sample: sample, Group: group}
		for _, metric := range metrics {
			values := undefinedValues(len(seen))
			for i := range m.Rows {
				if m.Rows[i].samplesMetric() != metric {
					continue
				}
				target := r.target(m.Rows[i].Target)
				for k, score := range m.Rows[i].ownScores() {
					row, _ := slices.BinarySearch(seen, r.data.state(target, k))
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
func (r *Row) samplesMetric() string {
	return fmt.Sprintf("probes[name=%s].%s", r.name(), r.Scores[0].Metric)
}

// ownScores are the squared errors of samples, or 1 for each right class.
func (r *Row) ownScores() []float64 {
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
func (r *Result) writePredictions(env *run.Env, states *points.Selection) error {
	header := []string{"Model", "Target", "Probe", "Fitted_On", "Evaluated_On", "Sample_ID", "Episode", "Frame", "Fold", "True", "Predicted"}
	return env.Files.CSV("reward_predictions.csv", header, func(csv *report.CSV) error {
		for _, m := range r.measured {
			for k := range m.Rows {
				row := &m.Rows[k]
				target := r.target(row.Target)
				truth := r.data.numbers(target)
				for i, p := range row.Predictions {
					at := r.data.state(target, i)
					if err := csv.Row(m.Name, row.Target, row.Probe, row.FittedOn, row.EvaluatedOn, states.Index[at], states.Episode[at], states.Time[at],
						r.folds[i], truth[i], p); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// target is the one of a name, which some scorer has.
func (r *Result) target(name string) *Target {
	return r.scorers[slices.IndexFunc(r.scorers, func(c *scorer) bool { return c.target.Name == name })].target
}

// printSamples says what was probed.
func (r *Result) printSamples(env *run.Env) error {
	if len(r.scorers) == 0 {
		return nil
	}
	s := r.Samples
	kind := "transition"
	if s.States == s.Samples && s.Ignored == 0 {
		kind = "state"
	}
	groups := "episode"
	if r.data.pieces {
		groups = "piece"
	}
	env.Print("%s in %s, %d folds", text.Count(s.Samples, kind), text.Count(s.Groups, groups), s.Folds)
	for _, of := range []struct {
		n    int
		what string
	}{{s.Ignored, "without a successor ignored"}, {s.Dropped, "dropped for missing values"}, {s.Gaps, "left out between pieces"}} {
		if of.n > 0 {
			env.Print("; %s %s", text.Count(of.n, "state"), of.what)
		}
	}
	env.Print("\n\n")
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

// printTransitions writes the probes of rewards.
func (r *Result) printTransitions(env *run.Env) error {
	for _, c := range r.scorers {
		if !c.target.rewarding() {
			continue
		}
		table := report.NewTable("Probes of "+c.target.Name, "Model", "Probe", "Fitted on", "Evaluated on", "MSE", "R²", "AUROC (> 0)")
		last, probe := "", ""
		for _, m := range r.Models {
			for i := range m.Probes {
				p := &m.Probes[i]
				if p.Target != c.target.Name {
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
				table.Row(name, nameOnce(p.Probe, &probe), p.FittedOn, p.EvaluatedOn, p.Score("mse"), p.Score("r2"), p.Score("auroc"))
			}
		}
		table.Note("every sample is predicted by a probe that has not seen its episode; R² = 1 − MSE/variance")
		if r.Blocks != "" {
			table.Note("[95 %% intervals] by deleting each of %s", r.Blocks)
			if slices.Contains(r.probes, MLP) {
				table.Note("those of networks are of the fitted ones: what depends on their training episodes is left out")
			}
		}
		if err := output.ModelTable(env, table); err != nil {
			return err
		}
	}
	return nil
}

// printGaps writes what probes lose by predicted latents.
func (r *Result) printGaps(env *run.Env) error {
	table := report.NewTable("What probes lose by predicted latents", "Target", "Probe", "Model", "Loss", "Transfer gap", "Published gap")
	rows := 0
	target, probe := "", ""
	for _, c := range r.scorers {
		for _, name := range append(slices.Clone(r.probes), probeOfGiven) {
			for _, m := range r.Models {
				for i := range m.Gaps {
					g := &m.Gaps[i]
					if g.Target != c.target.Name || g.Probe != name || !c.target.rewarding() && name != r.linear(c) {
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
	table.Note("transfer gap: loss of the head fitted on true latents, on predicted less on true ones; published gap: loss of a head of predicted latents less that of one of true latents")
	return env.Table(table)
}

// linear is the linear probe of a target: the one whose scores the tables of many targets
// show; the first of the probes where there is none.
func (r *Result) linear(c *scorer) string {
	want := Ridge
	if c.target.classified() && slices.Contains(r.probes, Logistic) {
		want = Logistic
	}
	if slices.Contains(r.probes, want) {
		return want
	}
	for _, p := range r.probes {
		if p != Logistic || c.target.classified() {
			return p
		}
	}
	return ""
}

// mainMetric is the score of a target that tables and figures of many targets show.
func mainMetric(c *scorer) string {
	if c.target.classified() {
		return "f1"
	}
	return "r2"
}

// find is a model's row of a target; nil where there is none.
func (m *ModelResult) find(target, probe, fitted, evaluated string) *ProbeRow {
	for i := range m.Probes {
		p := &m.Probes[i]
		if p.Target == target && (p.Probe == probe || m.Baseline) && p.FittedOn == fitted && p.EvaluatedOn == evaluated {
			return p
		}
	}
	return nil
}

// printTargets writes the scores of the states' own targets, a column for each model.
func (r *Result) printTargets(env *run.Env) error {
	for _, side := range []struct{ title, fitted, evaluated string }{
		{"Targets read from true latents", True, True}, {"Targets read from predicted latents by the same probes", True, PredictedLatents},
	} {
		header := []string{"Target", "Probe", "Score"}
		var models []*ModelResult
		for i := range r.Models {
			m := &r.Models[i]
			if side.evaluated == PredictedLatents && !slices.ContainsFunc(m.Probes, func(p ProbeRow) bool { return p.EvaluatedOn == PredictedLatents }) {
				continue
			}
			if m.Name == BaselineLast || m.Baseline && side.evaluated != True {
				continue
			}
			models = append(models, m)
			header = append(header, m.Name)
		}
		table := report.NewTable(side.title, header...)
		rows := 0
		for _, c := range r.scorers {
			if c.target.rewarding() || len(models) == 0 {
				continue
			}
			cells := []any{c.target.Name, r.linear(c), map[string]string{"f1": "F1 (macro)", "r2": "R²"}[mainMetric(c)]}
			for _, m := range models {
				if p := m.find(c.target.Name, r.linear(c), side.fitted, side.evaluated); p != nil {
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
		if err := env.Table(table); err != nil {
			return err
		}
	}
	return nil
}

// printCategories writes the means over targets, of the linear probes on true latents.
func (r *Result) printCategories(env *run.Env) error {
	table := report.NewTable("Means over targets, on true latents", "Category", "Probe", "Model", "Targets", "R²", "F1 (macro)")
	rows := 0
	var order []string
	for _, m := range r.Models {
		for _, c := range m.Categories {
			if key := c.Category + "\x00" + c.Probe; c.EvaluatedOn == True && !slices.Contains(order, key) {
				order = append(order, key)
			}
		}
	}
	category, probe := "", ""
	for _, key := range order {
		for _, m := range r.Models {
			for _, c := range m.Categories {
				if c.Category+"\x00"+c.Probe != key || c.FittedOn != True || c.EvaluatedOn != True || c.Probe == MLP || c.Probe == KNN {
					continue
				}
				name := nameOnce(c.Category, &category)
				if name != "" {
					probe = ""
				}
				row := ProbeRow{Scores: c.Scores}
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
	return env.Table(table)
}

// shown are the comparisons for the console: of the first target, by its linear probe, of
// true latents and of what predicted ones cost.
func (r *Result) shown() []report.Comparison {
	if len(r.scorers) == 0 {
		return r.Comparisons
	}
	first := r.scorers[0]
	probe := r.linear(first)
	return slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool {
		about := fmt.Sprintf("of %s by %s", first.target.Name, probe)
		return !strings.HasSuffix(c.Metric, about+", true on true") && !strings.HasSuffix(c.Metric, about)
	})
}
