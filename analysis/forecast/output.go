// The files and the console tables.

package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// The CSV files beside those of every analysis.
const (
	leadFile     = "forecast_by_lead.csv"
	variableFile = "forecast_by_variable.csv"
	rankFile     = "forecast_rank_histogram.csv"
)

// files are the CSV files that a run writes.
func (s *settings) files(env *run.Env, p *plan) []string {
	files := []string{output.SamplesFile(env), variableFile}
	if p.in.Leads != nil {
		files = append(files, leadFile)
	}
	ranked := func(m source) bool { return m.members > 1 }
	if slices.ContainsFunc(p.families, func(f family) bool { return f.name == ranksName }) && slices.ContainsFunc(p.models, ranked) {
		files = append(files, rankFile)
	}
	return append(files, p.curveFiles()...)
}

// write puts the result into the result file, the CSV files, the console and the figures.
func (s *settings) write(ctx context.Context, env *run.Env, in *Input, o Options, r *Result) error {
	output.Enter(env, r.Warnings, r.Models, func(m Model) string { return m.Name }, r.Comparisons)
	env.Result.Definition, env.Result.Blocks = definition, r.Blocks
	r.describe(env)
	if err := output.All(env, r.writeSamples, r.writeVariables, r.writeLeads, r.writeRanks, r.writeCurves, r.print); err != nil {
		return err
	}
	first := &r.Models[0]
	published := r.documented(first, o, dirOf(first.Name, env.Result.Inputs))
	if err := output.Documented(env, s.documented, published); err != nil {
		return err
	}
	return s.figures(ctx, env, in, o, r)
}

// describe enters directions and units of scores.
func (r *Result) describe(env *run.Env) {
	for _, f := range r.formulas {
		name := f.name
		if f.list != "" {
			name = f.list + "." + name
		}
		output.Describe(env, f.direction, f.unit, name)
		output.Limit(env, f.low, f.high, name)
		if f.perfect {
			output.Describe(env, report.Higher, "", "skill_scores."+name)
			output.Limit(env, math.Inf(-1), 1, "skill_scores."+name)
		}
	}
	output.Headline(env, "rmse", "crps", "energy_score", "spread_skill_ratio")
}

// writeSamples writes the scores that runs are paired by: those whose mean over samples
// is the score.
func (r *Result) writeSamples(env *run.Env) error {
	var paths []string
	for _, m := range r.Models {
		for _, s := range m.Scores {
			if s.Mean && !slices.Contains(paths, s.Path()) {
				paths = append(paths, s.Path())
			}
		}
	}
	// Whoever pairs samples takes groups to be independent. Initial times that are not are
	// one series, in its order.
	order := r.inTime()
	groups, group := pick(r.Groups, order), "initial time"
	if r.series {
		groups, group = nil, "series"
	}
	var models []output.SampleScores
	for i := range r.Models {
		m := &r.Models[i]
		scores := output.SampleScores{Model: m.Name, Sample: pick(r.Samples, order), Group: groups}
		for _, path := range paths {
			values := undefined(len(r.Samples))
			if s, ok := m.Score(path); ok {
				values = pick(s.Sample, order)
			}
			scores.Scores = append(scores.Scores, values)
		}
		models = append(models, scores)
	}
	return output.Samples(env, "sample", group, paths, models)
}

// inTime are the places of the samples in the order of their groups, inside one as they are
// given.
func (r *Result) inTime() []int {
	order := make([]int, len(r.Samples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Groups[a], r.Groups[b]) })
	return order
}

func pick[T any](values []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = values[k]
	}
	return out
}

// writeVariables writes a row per model and variable.
func (r *Result) writeVariables(env *run.Env) error {
	columns := []string{"model", "variable"}
	scores := allOf(r.byVariable, func(m [][]Score) []Score { return m[0] })
	for _, s := range scores {
		columns = append(columns, s.Path(), s.Path()+"_sd", s.Path()+"_low", s.Path()+"_high")
	}
	return output.ModelCSV(env, variableFile, columns, func(csv *report.CSV) error {
		for m := range r.Models {
			for v, name := range r.Variables {
				if err := csv.Row(row(scores, r.byVariable[m][v], r.Models[m].Name, name)...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// allOf are the scores of the model that has most of them: of one member there are fewer.
func allOf[T any](models []T, scores func(T) []Score) []Score {
	var out []Score
	for _, m := range models {
		if of := scores(m); len(of) > len(out) {
			out = of
		}
	}
	return out
}

// row is a row of a CSV file: the scores of the columns, empty where there are none.
func row(columns, scores []Score, cells ...any) []any {
	for _, column := range columns {
		s, ok := find(scores, column.Path())
		if !ok {
			cells = append(cells, report.Value{}, report.Value{}, report.Value{}, report.Value{})
			continue
		}
		low, high := output.Ends(s.CI)
		cells = append(cells, s.Value, *s.SD, low, high)
	}
	return cells
}

// writeLeads writes a row per model and lead, if there are leads.
func (r *Result) writeLeads(env *run.Env) error {
	if r.Leads == nil {
		return nil
	}
	columns := []string{"model", "lead", "samples"}
	scores := allOf(r.Models, func(m Model) []Score { return m.ByLead[0].Scores })
	for _, s := range scores {
		columns = append(columns, s.Path(), s.Path()+"_sd", s.Path()+"_low", s.Path()+"_high")
	}
	return env.Files.CSV(leadFile, columns, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for _, l := range m.ByLead {
				if err := csv.Row(row(scores, l.Scores, m.Name, l.Lead, l.Samples)...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeRanks writes a row per model and rank, if there are histograms of ranks.
func (r *Result) writeRanks(env *run.Env) error {
	any := func(m Model) bool { _, ok := m.Tables.Get(ranksName); return ok }
	if !slices.ContainsFunc(r.Models, any) {
		return nil
	}
	return env.Files.CSV(rankFile, []string{"model", "rank", "share", "flat"}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			value, _ := m.Tables.Get(ranksName)
			shares, _ := value.([]float64)
			for rank, share := range shares {
				if err := csv.Row(m.Name, rank, share, 1/float64(len(shares))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// print writes the tables to the console.
func (r *Result) print(env *run.Env) error {
	names := r.headline()
	table := report.NewTable("", append([]string{"Model", "Members"}, r.headings(names)...)...)
	for i := range r.Models {
		m := &r.Models[i]
		table.Row(append([]any{m.Name, m.Members}, m.cells(names)...)...)
	}
	table.Note("%s of %s", text.Count(len(r.Samples), "sample"), text.Count(len(r.Variables), "variable"))
	if r.Blocks != "" {
		table.Note("[95 %% intervals] by deleting each of %s", r.Blocks)
	}
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	if err := r.printEvents(env); err != nil {
		return err
	}
	return output.PrintComparisons(env, r.shown())
}

// headline are the scores of the first table: some that are known to all, or where none
// of them was asked for the first that are.
func (r *Result) headline() []string {
	known := []string{"mae", "rmse", "crps", "energy_score", "variogram_score", "spread_skill_ratio"}
	if names := r.present(known); names != nil {
		return names
	}
	var names []string
	for i := range r.Models {
		for _, s := range r.Models[i].Scores {
			if s.Row == "" && !slices.Contains(names, s.Name) && len(names) < len(known) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// present are the scores of a list that some model has.
func (r *Result) present(names []string) []string {
	var out []string
	for _, name := range names {
		for i := range r.Models {
			if _, ok := r.Models[i].Score(name); ok {
				out = append(out, name)
				break
			}
		}
	}
	return out
}

// headings are the names of scores for a table.
func (r *Result) headings(names []string) []string {
	var out []string
	for _, name := range r.present(names) {
		switch name {
		case "mae", "mse", "rmse", "crps":
			name = strings.ToUpper(name)
		default:
			name = strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
		}
		out = append(out, name)
	}
	return out
}

// cells are scores of a model for a table.
func (m *Model) cells(names []string) []any {
	var cells []any
	for _, name := range names {
		s, ok := m.Score(name)
		if !ok {
			reason, _ := m.Skipped.Get(name)
			why, _ := reason.(string)
			s.Value = report.Undefined("%s", why)
		}
		cells = append(cells, s.Estimate)
	}
	return cells
}

// shown are the comparisons for the console: of one score, over all leads. Others are in
// the files.
func (r *Result) shown() []report.Comparison {
	metric := "mse"
	if len(r.present([]string{"crps"})) > 0 {
		metric = "crps"
	}
	return slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool { return c.Metric != metric })
}
