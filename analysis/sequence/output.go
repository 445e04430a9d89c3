// What a run writes: the result file, CSV files and console tables.

package sequence

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// sequenceFile has the scores of single sequences.
const sequenceFile = "sequence_sequences.csv"

// write puts the result into the result file, the CSV files, the console and the figures.
func (s *settings) write(ctx context.Context, env *run.Env, r *Result) error {
	env.Result.Definition = definition
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	first := &r.Datasets[0]
	first.enter(&env.Result.Models)
	env.Result.Comparisons = first.Comparisons
	if len(r.Datasets) > 1 {
		var all report.Object
		for i := range r.Datasets {
			d := &r.Datasets[i]
			var models, part report.Object
			d.enter(&models)
			part.Set("models", models)
			part.Set("comparisons", d.Comparisons)
			all.Set(d.Name, part)
		}
		env.Result.Extra.Set("datasets", all)
	}
	r.describe(env)
	return results.All(env, r.writeTables, r.writeSequences, r.print, func(env *run.Env) error { return s.figures(ctx, env, r) })
}

// describe enters directions and units.
func (r *Result) describe(env *run.Env) {
	for _, k := range r.kinds() {
		for _, key := range k.Keys {
			results.Describe(env, key.Direction, key.Unit, key.Name)
		}
	}
}

// kinds are the metrics that were computed of any model.
func (r *Result) kinds() []*Kind {
	var out []*Kind
	for i := range registry {
		computed := func(m ModelResult) bool { return slices.Contains(m.Metrics, registry[i].Name) }
		if slices.ContainsFunc(r.Datasets, func(d DatasetResult) bool { return slices.ContainsFunc(d.Models, computed) }) {
			out = append(out, &registry[i])
		}
	}
	return out
}

// planned are the metrics that are computed of any model.
func (p *plan) planned() []*Kind {
	var out []*Kind
	for i := range registry {
		has := func(m *modelPlan) bool { return slices.Contains(m.kinds, &registry[i]) }
		if slices.ContainsFunc(p.datasets, func(d *datasetPlan) bool { return slices.ContainsFunc(d.models, has) }) {
			out = append(out, &registry[i])
		}
	}
	return out
}

// files are the CSV files that a run writes beside those of every analysis.
func (p *plan) files(*run.Env) []string {
	out := []string{sequenceFile}
	for _, k := range p.planned() {
		for _, f := range k.Files {
			out = append(out, f.Name)
		}
	}
	return out
}

// each calls f for every model of every dataset.
func (r *Result) each(f func(d *DatasetResult, m *ModelResult) error) error {
	for i := range r.Datasets {
		for k := range r.Datasets[i].Models {
			if err := f(&r.Datasets[i], &r.Datasets[i].Models[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTables writes the files of metrics.
func (r *Result) writeTables(env *run.Env) error {
	for _, k := range r.plannedKinds {
		for _, f := range k.Files {
			err := env.Files.CSV(f.Name, append([]string{"dataset", "model"}, f.Columns...), func(csv *report.CSV) error {
				return r.each(func(d *DatasetResult, m *ModelResult) error {
					for _, t := range m.Tables {
						if t.File != f.Name {
							continue
						}
						for _, row := range t.Rows {
							if err := csv.Row(append([]any{d.Name, m.Name}, row...)...); err != nil {
								return err
							}
						}
					}
					return nil
				})
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// writeSequences writes a row for every sequence of every model: its scores.
func (r *Result) writeSequences(env *run.Env) error {
	var keys []string
	_ = r.each(func(_ *DatasetResult, m *ModelResult) error {
		for _, s := range m.Scores {
			if !slices.Contains(keys, s.Key) {
				keys = append(keys, s.Key)
			}
		}
		return nil
	})
	return env.Files.CSV(sequenceFile, append([]string{"dataset", "model", "sequence"}, keys...), func(csv *report.CSV) error {
		return r.each(func(d *DatasetResult, m *ModelResult) error {
			for i := range d.Sequences {
				row := []any{d.Name, m.Name, i}
				for _, key := range keys {
					value := math.NaN()
					if k := slices.IndexFunc(m.Scores, func(s SequenceScores) bool { return s.Key == key }); k >= 0 {
						value = m.Scores[k].Values[i]
					}
					row = append(row, report.Number(value))
				}
				if err := csv.Row(row...); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// print writes the tables to the console.
func (r *Result) print(env *run.Env) error {
	for i := range r.Datasets {
		d := &r.Datasets[i]
		title := ""
		if len(r.Datasets) > 1 {
			title = d.Name
		}
		table := report.NewTable(title, "Model")
		table.Note("%s", text.Count(d.Sequences, "sequence"))
		if d.Blocks != "" {
			table.Note("[95 %% intervals] by deleting each of %s", d.Blocks)
		}
		if err := env.Table(table); err != nil {
			return err
		}
		if err := results.PrintComparisons(env, d.Comparisons); err != nil {
			return err
		}
	}
	return nil
}

// figures draws the figures of all metrics.
func (s *settings) figures(context.Context, *run.Env, *Result) error { return nil }

// planFigures adds them to a plan.
func (s *settings) planFigures(*run.Env, *plan) error { return nil }
