// What a run writes: the result file, CSV files and console tables.

package generation

import (
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/run"
	"repscope/report"
)

// write puts the result into the result file, the CSV files, the console and the figures.
func (r *Result) write(env *run.Env) error {
	env.Result.Definition = definition
	names := labels(r.labels)
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	for i := range r.Models {
		env.Result.Models.Set(r.Models[i].Name, r.object(&r.Models[i]))
	}
	env.Result.Comparisons = r.Comparisons
	for _, m := range registry {
		for _, d := range m.describe {
			results.Describe(env, d.direction, d.unit, d.names...)
		}
	}
	return results.All(env,
		func(env *run.Env) error { return r.writeLabels(env, names) },
		r.writeSamples, r.printTables,
		func(env *run.Env) error { return results.PrintComparisons(env, r.Comparisons) },
		r.writeFigures)
}

// writeLabels writes the CSV files of the metrics that were computed.
func (r *Result) writeLabels(env *run.Env, names labels) error {
	for _, m := range registry {
		if m.csv == nil || !r.computed(m.Name) {
			continue
		}
		err := env.Files.CSV(m.csv.name, m.csv.columns, func(csv *report.CSV) error {
			for i := range r.Models {
				if err := m.csv.rows(&r.Models[i], names, csv.Row); err != nil {
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
func (r *Result) computed(metric string) bool {
	return slices.Contains(r.Metrics, metric) && slices.ContainsFunc(r.Models, func(m Model) bool {
		return !slices.ContainsFunc(m.Skipped, func(s Skipped) bool { return s.Metric == metric })
	})
}

// writeSamples writes the scores of samples.
func (r *Result) writeSamples(*run.Env) error { return nil }

// printTables writes the tables of the metrics, then what was skipped.
func (r *Result) printTables(env *run.Env) error {
	for _, m := range registry {
		if m.tables == nil || !r.computed(m.Name) {
			continue
		}
		for _, t := range m.tables(r) {
			if err := env.Table(t); err != nil {
				return err
			}
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
	return env.Table(t)
}

// planFiles are the files that a run writes beside those of every analysis.
func planFiles(in *Input, o Options) []string {
	var names []string
	for _, name := range o.Metrics {
		m := find(name)
		if m.csv != nil && slices.ContainsFunc(in.Generators, func(g Generator) bool { return m.missing(in, &g) == "" }) {
			names = append(names, m.csv.name)
		}
	}
	return names
}
