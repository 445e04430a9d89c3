// What a run writes: the result file, CSV files and console tables.

package command

import (
	"context"
	"math"
	"slices"
	"strings"

	"repscope/analysis/generation"
	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/report"
)

// writeResult puts the result into the result file, the CSV files, the console and the figures.
func writeResult(ctx context.Context, r *generation.Result, env *run.Env, in *generation.Input,
	models report.Object) error {
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	env.Result.Models = models
	env.Result.Comparisons = r.Comparisons
	for _, l := range layouts {
		if !computed(r, l.metric) {
			continue
		}
		env.Result.Describe(generation.Described(l.metric)...)
	}
	return output.All(env,
		func(env *run.Env) error { return writeLabels(r, env, in.LabelNames) },
		func(env *run.Env) error { return writeSamples(r, env) },
		func(env *run.Env) error { return printTables(r, env) },
		func(env *run.Env) error { return output.PrintComparisons(env, r.Comparisons) },
		func(env *run.Env) error { return writeFigures(ctx, r, env, in) })
}

// writeLabels writes the CSV files of the metrics that were computed.
func writeLabels(r *generation.Result, env *run.Env, names labels) error {
	for _, l := range layouts {
		if !computed(r, l.metric) {
			continue
		}
		err := output.ModelCSV(env, l.file, l.columns, func(csv *report.CSV) error {
			for i := range r.Models {
				if err := l.rows(&r.Models[i], names, csv.Row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// computed reports whether a metric was computed of any generator.
func computed(r *generation.Result, metric string) bool {
	return slices.Contains(r.Metrics, metric) && slices.ContainsFunc(r.Models, func(m generation.Model) bool {
		return !slices.ContainsFunc(m.Skipped, func(s generation.Skipped) bool { return s.Metric == metric })
	})
}

// writeSamples writes the scores of items that all generators are measured on, which compare
// pairs: scores of reconstructed samples. Samples that are drawn are no pairs.
func writeSamples(r *generation.Result, env *run.Env) error {
	var paths []string
	scores := make([]map[string][]float64, len(r.Models)) // by path
	for i := range r.Models {
		reconstruction := r.Models[i].Reconstruction
		if reconstruction == nil {
			continue
		}
		scores[i] = map[string][]float64{}
		add := func(path string, values []float64) {
			if scores[i][path] = values; !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		add(reconstruction.Mean.Path, reconstruction.IoU)
		for c := range reconstruction.Channels {
			add(reconstruction.Channels[c].Mean.Path, reconstruction.ChannelIoU[c])
		}
	}
	var models []output.SampleScores
	for i, byPath := range scores {
		if byPath == nil {
			continue
		}
		items := r.Models[i].Reconstruction
		model := output.SampleScores{Model: r.Models[i].Name, Group: items.Groups}
		for k := 0; items.Groups == nil && k < items.N; k++ { // each is one
			model.Group = append(model.Group, k)
		}
		for _, path := range paths {
			values := byPath[path]
			if values == nil { // a channel that the grids of this generator do not have
				values = slices.Repeat([]float64{math.NaN()}, items.N)
			}
			model.Scores = append(model.Scores, values)
		}
		models = append(models, model)
	}
	if models == nil {
		return nil
	}
	return output.Samples(env, "item", "group", paths, models)
}

// printTables writes the headline numbers of all generators, of a single metric its first table, then the other tables
// and the skipped metrics.
func printTables(r *generation.Result, env *run.Env) error {
	var tables []*report.Table
	metrics := 0
	for _, l := range layouts {
		if computed(r, l.metric) {
			metrics++
			tables = append(tables, l.tables(r)...)
		}
	}
	headline := func() error { return printHeadlines(r, env) }
	if metrics == 1 && len(tables) > 0 {
		first := tables[0]
		headline, tables = func() error { return env.Table(first) }, tables[1:]
	}
	if err := headline(); err != nil {
		return err
	}
	for _, t := range tables {
		if err := env.Details(t); err != nil {
			return err
		}
	}
	t := report.NewTable("Skipped", "Generator", "Metric", "Reason")
	rows := 0
	for _, m := range r.Models {
		for _, s := range m.Skipped {
			t.Row(m.Name, s.Metric, s.Reason)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	return env.Details(t)
}

// mostHeadlines is the most numbers of the table of all generators.
const mostHeadlines = 4

// printHeadlines writes a row for each generator: the numbers that stand for the analysis.
func printHeadlines(r *generation.Result, env *run.Env) error {
	var paths []string
	numbers := map[string]map[string]report.Estimate{} // by generator and path
	for _, name := range env.Result.Models.Keys() {
		m, err := env.Result.Model(name)
		if err != nil {
			return err
		}
		numbers[name] = map[string]report.Estimate{}
		for n := range m.Estimates() {
			if !slices.Contains(paths, n.Path) {
				paths = append(paths, n.Path)
			}
			numbers[name][n.Path] = report.WithInterval(n.Value, n.Interval)
		}
	}
	header := []string{"Generator"}
	var chosen []string
	for _, i := range report.Headlines(paths, env.Result.Headline, mostHeadlines) {
		m, _ := env.Result.MetricOf(paths[i])
		chosen = append(chosen, paths[i])
		header = append(header, strings.TrimSpace(report.Title(paths[i])+" "+m.Direction.Arrow()))
	}
	table := report.NewTable("", header...)
	for _, m := range r.Models {
		cells := []any{m.Name}
		for _, path := range chosen {
			if v, ok := numbers[m.Name][path]; ok {
				cells = append(cells, v)
			} else {
				cells = append(cells, nil)
			}
		}
		table.Row(cells...)
	}
	table.Note("[95 %% intervals] by deleting blocks of samples")
	table.Note("real: other real samples, which a perfect generator reaches; shuffled: real samples with shuffled labels")
	return env.Table(table)
}

// mayWrite are the names of all files that a run may write besides the files of every analysis.
func mayWrite() []string {
	var files []string
	for _, l := range layouts {
		files = append(files, l.file)
	}
	for _, f := range figures {
		files = append(files, output.Pages(f.name)...)
	}
	return files
}

// planFiles are the files that a run writes besides the files of every analysis.
func planFiles(env *run.Env, in *generation.Input, o generation.Options) []string {
	var names []string
	for _, name := range o.Metrics {
		m := generation.Find(name)
		if !slices.ContainsFunc(in.Generators, func(g generation.Generator) bool { return m.Missing(in, &g) == "" }) {
			continue
		}
		names = append(names, layoutOf(name).file)
		if name == "reconstruction" {
			names = append(names, output.SamplesFile(env))
		}
	}
	return names
}
