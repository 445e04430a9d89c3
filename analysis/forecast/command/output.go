// The files and the console tables.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/forecast"
	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
)

// The CSV files besides the files of every analysis.
const (
	leadFile     = "forecast_by_lead.csv"
	variableFile = "forecast_by_variable.csv"
	rankFile     = "forecast_rank_histogram.csv"
)

// files are the CSV files that a run writes.
func files(env *run.Env, in *forecast.Input, p *forecast.Planned) []string {
	files := []string{output.SamplesFile(env), variableFile}
	if in.Leads != nil {
		files = append(files, leadFile)
	}
	for _, table := range []struct {
		family string
		files  []string
	}{{forecast.RankTable, []string{rankFile}}, {"spectrum", []string{spectrumFile}}, {"probabilities", []string{reliabilityFile, rocFile}}} {
		if slices.Contains(p.Families, table.family) {
			files = append(files, table.files...)
		}
	}
	return files
}

// write puts the result into the result file, the CSV files, the console and the figures.
func (s *settings) write(ctx context.Context, env *run.Env, in *forecast.Input, o forecast.Options,
	r *forecast.Result) error {
	output.Enter(env, r.Warnings, r.Models, func(m forecast.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	env.Result.Describe(forecast.Described(r.Formulas)...)
	step := func(write func(*forecast.Result, *run.Env) error) func(*run.Env) error {
		return func(env *run.Env) error { return write(r, env) }
	}
	if err := output.All(env, step(writeSamples), step(writeVariables), step(writeLeads), step(writeRanks),
		step(writeCurves), step(printTables)); err != nil {
		return err
	}
	first := &r.Models[0]
	published := documentedObject(r, first, o, dirOf(first.Name, env.Result.Inputs))
	if err := output.Documented(env, s.documented, published); err != nil {
		return err
	}
	return s.figures(ctx, env, in, o, r)
}

// writeSamples writes the scores that runs are paired by: those whose mean over samples
// is the score.
func writeSamples(r *forecast.Result, env *run.Env) error {
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
	order := r.InTime()
	groups, group := points.Pick(r.Groups, order), "initial time"
	if r.Series {
		groups, group = nil, "series"
	}
	var models []output.SampleScores
	for i := range r.Models {
		m := &r.Models[i]
		scores := output.SampleScores{Model: m.Name, Sample: points.Pick(r.Samples, order), Group: groups}
		for _, path := range paths {
			values := slices.Repeat([]float64{math.NaN()}, len(r.Samples))
			if s, ok := m.Score(path); ok {
				values = points.Pick(s.Sample, order)
			}
			scores.Scores = append(scores.Scores, values)
		}
		models = append(models, scores)
	}
	return output.Samples(env, "sample", group, paths, models)
}

// writeVariables writes a row per model and variable.
func writeVariables(r *forecast.Result, env *run.Env) error {
	columns := []string{"model", "variable"}
	scores := allOf(r.ByVariable, func(m [][]forecast.Score) []forecast.Score { return m[0] })
	for _, s := range scores {
		columns = append(columns, s.Path(), s.Path()+"_sd", s.Path()+"_low", s.Path()+"_high")
	}
	return output.ModelCSV(env, variableFile, columns, func(csv *report.CSV) error {
		for m := range r.Models {
			for v, name := range r.Variables {
				if err := csv.Row(row(scores, r.ByVariable[m][v], r.Models[m].Name, name)...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// allOf are the scores of the model that has most of them: of one member there are fewer.
func allOf[T any](models []T, scores func(T) []forecast.Score) []forecast.Score {
	var out []forecast.Score
	for _, m := range models {
		if of := scores(m); len(of) > len(out) {
			out = of
		}
	}
	return out
}

// row is a row of a CSV file: the scores of the columns, empty where there are none.
func row(columns, scores []forecast.Score, cells ...any) []any {
	for _, column := range columns {
		s, ok := forecast.FindScore(scores, column.Path())
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
func writeLeads(r *forecast.Result, env *run.Env) error {
	if r.Leads == nil {
		return nil
	}
	columns := []string{"model", "lead", "samples"}
	scores := allOf(r.Models, func(m forecast.Model) []forecast.Score { return m.ByLead[0].Scores })
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
func writeRanks(r *forecast.Result, env *run.Env) error {
	any := func(m forecast.Model) bool { return forecast.Table[float64](&m, forecast.RankTable) != nil }
	if !slices.ContainsFunc(r.Models, any) {
		return nil
	}
	return env.Files.CSV(rankFile, []string{"model", "rank", "share", "flat"}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			shares := forecast.Table[float64](&m, forecast.RankTable)
			for rank, share := range shares {
				if err := csv.Row(m.Name, rank, share, 1/float64(len(shares))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// printTables writes the tables to the console.
func printTables(r *forecast.Result, env *run.Env) error {
	names := headline(r)
	table := report.NewTable("", append([]string{"Model", "Members"}, headings(r, names)...)...)
	for i := range r.Models {
		m := &r.Models[i]
		table.Row(append([]any{m.Name, m.Members}, cellsOf(m, names)...)...)
	}
	what := fmt.Sprintf("%s of %s", text.Count(len(r.Samples), "sample"), text.Count(len(r.Variables), "variable"))
	if r.Blocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.Blocks)
	}
	table.Note("%s", what)
	if slices.Contains(names, "spread_skill_ratio") {
		table.Note("Lower errors and scores are better; spread skill ratio: 1 is calibrated, below 1 the spread is too small")
	}
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	if err := printEvents(r, env); err != nil {
		return err
	}
	return output.PrintComparisons(env, shownComparisons(r))
}

// headline are the scores of the first table: some that are known to all, or where none
// of them was asked for the first that are.
func headline(r *forecast.Result) []string {
	preferred := []string{"mae", "rmse", "crps", "energy_score", "variogram_score", "spread_skill_ratio"}
	if names := present(r, preferred); names != nil {
		return names
	}
	var names []string
	for i := range r.Models {
		for _, s := range r.Models[i].Scores {
			if s.Row == "" && !slices.Contains(names, s.Name) && len(names) < len(preferred) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// present are the scores of a list that some model has.
func present(r *forecast.Result, names []string) []string {
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
func headings(r *forecast.Result, names []string) []string {
	var out []string
	for _, name := range present(r, names) {
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

// cellsOf are scores of a model for a table.
func cellsOf(m *forecast.Model, names []string) []any {
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

// shownComparisons are the comparisons for the console: of one score, over all leads. Others are in
// the files.
func shownComparisons(r *forecast.Result) []report.Comparison {
	metric := "mse"
	if len(present(r, []string{"crps"})) > 0 {
		metric = "crps"
	}
	return slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool { return c.Metric != metric })
}
