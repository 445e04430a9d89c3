// What a run writes: the result file, CSV files and console tables.

package sequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// The CSV files beside those of every analysis and of metrics: the scores of single sequences,
// and the numbers of several datasets.
const (
	sequenceFile = "sequence_sequences.csv"
	datasetsFile = "sequence_datasets.csv"
)

// write puts the result into the result file, the CSV files, the console and the figures.
func (s *settings) write(ctx context.Context, env *run.Env, r *Result) error {
	env.Result.Definition = definition
	for _, u := range r.Unmeasured {
		env.LeaveOut(u.Name, errors.New(u.Reason))
	}
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	first := &r.Datasets[0]
	first.enter(&env.Result.Models)
	env.Result.Comparisons, env.Result.Blocks = first.Comparisons, first.Blocks
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
	if err := output.Documented(env, s.document, r.documented()); err != nil {
		return err
	}
	return output.All(env, r.writeTables, r.writeSequences, r.writeSamples, r.writeDatasets, r.print, func(env *run.Env) error { return s.figures(ctx, env, r) })
}

// enter puts the models of a dataset into a part of the result file.
func (d *DatasetResult) enter(o *report.Object) {
	for i := range d.Models {
		o.Set(d.Models[i].Name, d.Models[i].Object)
	}
}

// describe enters directions and units.
func (r *Result) describe(env *run.Env) {
	for _, k := range r.computed() {
		for _, key := range k.Keys {
			output.Describe(env, key.Direction, key.Unit, key.Name)
			output.Limit(env, key.Low, key.High, key.Name)
		}
	}
	output.Headline(env, "mask_acc", "ppl", "p_at_l", "cdr_probe")
}

// computed are the metrics that were computed of any model.
func (r *Result) computed() []*Kind {
	return slices.DeleteFunc(slices.Clone(r.Planned), func(k *Kind) bool {
		computed := func(m ModelResult) bool { return slices.Contains(m.Metrics, k.Name) }
		return !slices.ContainsFunc(r.Datasets, func(d DatasetResult) bool { return slices.ContainsFunc(d.Models, computed) })
	})
}

// filesOfPlan are the CSV files that a run writes beside those of every analysis.
func filesOfPlan(env *run.Env, p *Plan) []string {
	out := []string{sequenceFile}
	if len(p.Datasets) > 1 {
		out = append(out, datasetsFile)
	}
	if len(p.Paired()) > 0 {
		out = append(out, output.SamplesFile(env))
	}
	for _, k := range p.Metrics() {
		for _, f := range k.Files {
			out = append(out, f.Name)
		}
	}
	return out
}

// mayWrite are the names of all files that a run may write beside those of every analysis.
func mayWrite() []string {
	files := []string{sequenceFile, datasetsFile}
	for _, k := range registry {
		for _, f := range k.Files {
			files = append(files, f.Name)
		}
	}
	for _, f := range figureKinds() {
		files = append(files, output.Pages(f.name)...)
	}
	return files
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
	for _, k := range r.Planned {
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
					if of := find(m.Scores, key); of != nil {
						value = of[i]
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

// writeSamples writes what every sequence of the first dataset contributes to the numbers
// that other runs are paired by: see [Key].Paired.
func (r *Result) writeSamples(env *run.Env) error {
	d, keys := &r.Datasets[0], r.Paired
	if len(keys) == 0 {
		return nil
	}
	var models []output.SampleScores
	for i := range d.Models {
		scores := output.SampleScores{Model: d.Models[i].Name, Group: d.Group}
		for _, key := range keys {
			values := find(d.Models[i].Samples, key)
			if values == nil {
				values = slices.Repeat([]float64{math.NaN()}, d.Sequences)
			}
			scores.Scores = append(scores.Scores, values)
		}
		models = append(models, scores)
	}
	return output.Samples(env, "sequence", "group", keys, models)
}

// find are the values of a key; nil where there are none.
func find(all []SequenceScores, key string) []float64 {
	if i := slices.IndexFunc(all, func(s SequenceScores) bool { return s.Key == key }); i >= 0 {
		return all[i].Values
	}
	return nil
}

// writeDatasets writes the numbers of all datasets where there are several.
func (r *Result) writeDatasets(env *run.Env) error {
	if len(r.Datasets) == 1 {
		return nil
	}
	return env.Files.CSV(datasetsFile, []string{"dataset", "model", "metric", "estimate", "low", "high", "reason"}, func(csv *report.CSV) error {
		return r.each(func(d *DatasetResult, m *ModelResult) error {
			for _, k := range r.computed() {
				for _, key := range k.Keys {
					v, ci, ok := m.Number(key.Name)
					if !ok {
						continue
					}
					low, high := output.Ends(ci)
					if err := csv.Row(d.Name, m.Name, key.Name, v, report.Number(low), report.Number(high), v.Reason); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// documented is {dataset: {key: value}} of the first model of every dataset.
func (r *Result) documented() report.Object {
	var all report.Object
	for i := range r.Datasets {
		var numbers report.Object
		m := &r.Datasets[i].Models[0]
		for _, k := range r.computed() {
			for _, key := range k.Keys {
				if v, _, ok := m.Number(key.Name); ok {
					numbers.Set(key.Name, v)
				}
			}
		}
		all.Set(r.Datasets[i].Name, numbers)
	}
	return all
}

// print writes the tables to the console.
func (r *Result) print(env *run.Env) error {
	for i := range r.Datasets {
		d := &r.Datasets[i]
		title := ""
		if len(r.Datasets) > 1 {
			title = d.Name
		}
		if err := d.print(env, title, r.computed()); err != nil {
			return err
		}
	}
	return nil
}

// mostPrinted is how many numbers the first table has.
const mostPrinted = 8

// print writes the tables of a dataset.
func (d *DatasetResult) print(env *run.Env, title string, kinds []*Kind) error {
	var keys, regional, scores []string
	for _, k := range kinds {
		for _, key := range k.Keys {
			switch known := func(m ModelResult) bool { _, _, ok := m.Number(key.Name); return ok }; {
			case !slices.ContainsFunc(d.Models, known):
			case strings.HasPrefix(key.Name, "region/") && strings.HasSuffix(key.Name, "/accuracy"):
				regional = append(regional, key.Name)
			case strings.HasPrefix(key.Name, "substitutions/") && strings.HasSuffix(key.Name, "/spearman"):
				scores = append(scores, key.Name)
			case key.Compared && !strings.Contains(key.Name, "/"):
				keys = append(keys, key.Name)
			}
		}
	}
	for part := range slices.Chunk(keys, mostPrinted) {
		table := report.NewTable(title, append([]string{"Model"}, part...)...)
		for i := range d.Models {
			cells := []any{d.Models[i].Name}
			for _, key := range part {
				cells = append(cells, d.Models[i].cell(key))
			}
			table.Row(cells...)
		}
		table.Note("%s", text.Count(d.Sequences, "sequence"))
		if d.Blocks != "" {
			table.Note("[95 %% intervals] by deleting each of %s", d.Blocks)
		}
		if err := env.Table(table); err != nil {
			return err
		}
	}
	if err := d.printRows(env, "Accuracy of", regional, ""); err != nil {
		return err
	}
	if err := d.printRows(env, "Spearman of variants by", scores, d.Models[0].variantGroups(scores)); err != nil {
		return err
	}
	if err := d.printSkipped(env); err != nil {
		return err
	}
	return d.printComparisons(env, kinds)
}

// mostCompared is how many comparisons the console shows of all pairs of models.
const mostCompared = 30

// printComparisons writes the comparisons of one number of each metric; those with the first
// model where there are many.
func (d *DatasetResult) printComparisons(env *run.Env, kinds []*Kind) error {
	var keys []string
	for _, k := range kinds {
		if i := slices.IndexFunc(k.Keys, func(key Key) bool { return key.Compared }); i >= 0 && (k.OwnGroups || !strings.Contains(k.Keys[i].Name, "/")) {
			keys = append(keys, k.Keys[i].Name)
		}
	}
	shown := slices.DeleteFunc(slices.Clone(d.Comparisons), func(c report.Comparison) bool { return !slices.Contains(keys, c.Metric) })
	if first := d.Models[0].Name; len(shown) > mostCompared {
		shown = slices.DeleteFunc(shown, func(c report.Comparison) bool { return c.A != first && c.B != first })
	}
	if len(shown) == 0 {
		return nil
	}
	table := output.Table(shown)
	if left := len(d.Comparisons) - len(shown); left > 0 {
		table.Note("%s more in sequence.json", text.Count(left, "comparison"))
	}
	return env.Table(table)
}

// cell is a number for a table.
func (m *ModelResult) cell(key string) any {
	v, ci, ok := m.Number(key)
	if !ok {
		return report.Undefined("skipped")
	}
	return report.WithInterval(v, ci)
}

// variantGroups says what intervals of agreements with measurements delete in turn; empty where
// there are none.
func (m *ModelResult) variantGroups(keys []string) string {
	if !slices.ContainsFunc(keys, func(key string) bool { _, ci, _ := m.Number(key); return ci.Defined() }) {
		return ""
	}
	value, _ := m.Object.Get("substitutions")
	of, ok := value.(report.Object)
	if !ok {
		return ""
	}
	unit, _ := of.Get("intervals_over")
	count, _ := of.Get("groups")
	return fmt.Sprintf("[95 %% intervals] by deleting the variants of each of %v %v", count, unit)
}

// printRows writes a row for each of the keys, named by its second part, and a note unless it is empty.
func (d *DatasetResult) printRows(env *run.Env, title string, keys []string, note string) error {
	if len(keys) == 0 {
		return nil
	}
	columns := []string{title}
	for i := range d.Models {
		columns = append(columns, d.Models[i].Name)
	}
	table := report.NewTable("", columns...)
	for _, key := range keys {
		cells := []any{strings.Split(key, "/")[1]}
		for i := range d.Models {
			cells = append(cells, d.Models[i].cell(key))
		}
		table.Row(cells...)
	}
	if note != "" {
		table.Note("%s", note)
	}
	return env.Table(table)
}

// printSkipped says what was not computed, and why.
func (d *DatasetResult) printSkipped(env *run.Env) error {
	table, rows := report.NewTable("Skipped", "Model", "Metric", "Reason"), 0
	for i := range d.Models {
		m := &d.Models[i]
		for _, name := range m.Skipped.Keys() {
			reason, _ := m.Skipped.Get(name)
			table.Row(m.Name, name, reason)
			rows++
		}
	}
	if rows == 0 {
		return nil
	}
	return env.Table(table)
}
