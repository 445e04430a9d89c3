// What a run writes: the result file, CSV files and console tables.

package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// The CSV files besides the usual ones and the ones of metrics: the scores of single sequences,
// and the numbers of several datasets.
const (
	sequenceFile = "sequence_sequences.csv"
	datasetsFile = "sequence_datasets.csv"
)

// write puts the result into the result file, the CSV files, the console and the figures.
func (s *settings) write(ctx context.Context, env *run.Env, r *sequence.Result) error {
	for _, u := range r.Unmeasured {
		env.LeaveOut(u.Name, errors.New(u.Reason))
	}
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	first := &r.Datasets[0]
	enterModels(first, &env.Result.Models)
	env.Result.Comparisons, env.Result.Blocks = first.Comparisons, first.Blocks
	if len(r.Datasets) > 1 {
		var all report.Object
		for i := range r.Datasets {
			d := &r.Datasets[i]
			var models, part report.Object
			enterModels(d, &models)
			part.Set("models", models)
			part.Set("comparisons", d.Comparisons)
			all.Set(d.Name, part)
		}
		env.Result.Extra.Set("datasets", all)
	}
	env.Result.Describe(sequence.Described(computedMetrics(r)...)...)
	if err := output.Documented(env, s.document, documentedNumbers(r)); err != nil {
		return err
	}
	withResult := func(write func(r *sequence.Result, env *run.Env) error) func(*run.Env) error {
		return func(env *run.Env) error { return write(r, env) }
	}
	return output.All(env, withResult(writeTables), withResult(writeSequences), withResult(writeSamples),
		withResult(writeDatasets), withResult(printResult),
		func(env *run.Env) error { return s.figures(ctx, env, r) })
}

// enterModels puts the models of a dataset into a part of the result file.
func enterModels(d *sequence.DatasetResult, o *report.Object) {
	for i := range d.Models {
		o.Set(d.Models[i].Name, d.Models[i].Object)
	}
}

// computedMetrics are the metrics that were computed of any model.
func computedMetrics(r *sequence.Result) []*sequence.Kind {
	return slices.DeleteFunc(slices.Clone(r.Planned), func(k *sequence.Kind) bool {
		computed := func(m sequence.ModelResult) bool { return slices.Contains(m.Metrics, k.Name) }
		return !slices.ContainsFunc(r.Datasets,
			func(d sequence.DatasetResult) bool { return slices.ContainsFunc(d.Models, computed) })
	})
}

// filesOfPlan are the CSV files that a run writes besides the files of every analysis.
func filesOfPlan(env *run.Env, p *sequence.Plan) []string {
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

// mayWrite are the names of all files that a run may write besides the files of every analysis.
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
func each(r *sequence.Result, f func(d *sequence.DatasetResult, m *sequence.ModelResult) error) error {
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
func writeTables(r *sequence.Result, env *run.Env) error {
	for _, k := range r.Planned {
		for _, f := range k.Files {
			err := env.Files.CSV(f.Name, append([]string{"dataset", "model"}, f.Columns...), func(csv *report.CSV) error {
				return each(r, func(d *sequence.DatasetResult, m *sequence.ModelResult) error {
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
func writeSequences(r *sequence.Result, env *run.Env) error {
	var keys []string
	_ = each(r, func(_ *sequence.DatasetResult, m *sequence.ModelResult) error {
		for _, s := range m.Scores {
			if !slices.Contains(keys, s.Key) {
				keys = append(keys, s.Key)
			}
		}
		return nil
	})
	return env.Files.CSV(sequenceFile, append([]string{"dataset", "model", "sequence"}, keys...), func(csv *report.CSV) error {
		return each(r, func(d *sequence.DatasetResult, m *sequence.ModelResult) error {
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
// that other runs are paired by: see [sequence.Key].Paired.
func writeSamples(r *sequence.Result, env *run.Env) error {
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
func find(all []sequence.SequenceScores, key string) []float64 {
	if i := slices.IndexFunc(all, func(s sequence.SequenceScores) bool { return s.Key == key }); i >= 0 {
		return all[i].Values
	}
	return nil
}

// writeDatasets writes the numbers of all datasets where there are several.
func writeDatasets(r *sequence.Result, env *run.Env) error {
	if len(r.Datasets) == 1 {
		return nil
	}
	return env.Files.CSV(datasetsFile, []string{"dataset", "model", "metric", "estimate", "low", "high", "reason"}, func(csv *report.CSV) error {
		return each(r, func(d *sequence.DatasetResult, m *sequence.ModelResult) error {
			for _, k := range computedMetrics(r) {
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

// documentedNumbers is {dataset: {key: value}} of the first model of every dataset.
func documentedNumbers(r *sequence.Result) report.Object {
	var all report.Object
	for i := range r.Datasets {
		var numbers report.Object
		m := &r.Datasets[i].Models[0]
		for _, k := range computedMetrics(r) {
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

// printResult writes the tables to the console.
func printResult(r *sequence.Result, env *run.Env) error {
	for i := range r.Datasets {
		d := &r.Datasets[i]
		title := ""
		if len(r.Datasets) > 1 {
			title = d.Name
		}
		if err := printDataset(d, env, title, computedMetrics(r)); err != nil {
			return err
		}
	}
	return nil
}

// mostPrinted is how many numbers the first table has.
const mostPrinted = 8

// printDataset writes the tables of a dataset.
func printDataset(d *sequence.DatasetResult, env *run.Env, title string, kinds []*sequence.Kind) error {
	var keys, regional, scores []string
	for _, k := range kinds {
		for _, key := range k.Keys {
			switch defined := func(m sequence.ModelResult) bool { _, _, ok := m.Number(key.Name); return ok }; {
			case !slices.ContainsFunc(d.Models, defined):
			case strings.HasPrefix(key.Name, "region/") && strings.HasSuffix(key.Name, "/accuracy"):
				regional = append(regional, key.Name)
			case strings.HasPrefix(key.Name, "substitutions/") && strings.HasSuffix(key.Name, "/spearman"):
				scores = append(scores, key.Name)
			case key.Compared && !strings.Contains(key.Name, "/"):
				keys = append(keys, key.Name)
			}
		}
	}
	if !env.Options.Verbose {
		keys = mainOf(env.Result, keys)
	}
	for part := range slices.Chunk(keys, mostPrinted) {
		table := report.NewTable(title, append([]string{"Model"}, part...)...)
		for i := range d.Models {
			cells := []any{d.Models[i].Name}
			for _, key := range part {
				cells = append(cells, cell(&d.Models[i], key))
			}
			table.Row(cells...)
		}
		what := text.Count(d.Sequences, "sequence")
		if d.Blocks != "" {
			what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", d.Blocks)
		}
		table.Note("%s", what)
		if slices.Contains(part, "ppl") {
			table.Note("Higher is better; of loss and ppl (perplexity) lower is better")
		}
		if err := env.Table(table); err != nil {
			return err
		}
	}
	if err := printRows(d, env, "Accuracy of", regional, ""); err != nil {
		return err
	}
	if err := printRows(d, env, "Spearman of variants by", scores, variantGroups(&d.Models[0], scores)); err != nil {
		return err
	}
	if err := printSkipped(d, env); err != nil {
		return err
	}
	return printComparisons(d, env, kinds)
}

// mainOf are the headline metrics among some; the first ones where none is one.
func mainOf(r *report.Result, keys []string) []string {
	main := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !r.Headline(key) })
	if len(main) == 0 {
		return keys[:min(len(keys), mostPrinted)]
	}
	return main
}

// mostCompared is how many comparisons the console shows of all pairs of models.
const mostCompared = 30

// printComparisons writes the comparisons of one number of each metric; those with the first
// model where there are many.
func printComparisons(d *sequence.DatasetResult, env *run.Env, kinds []*sequence.Kind) error {
	if !env.Options.Verbose {
		return output.PrintDiffering(env, d.Comparisons)
	}
	var keys []string
	for _, k := range kinds {
		if i := slices.IndexFunc(k.Keys, func(key sequence.Key) bool { return key.Compared }); i >= 0 && (k.OwnGroups || !strings.Contains(k.Keys[i].Name, "/")) {
			keys = append(keys, k.Keys[i].Name)
		}
	}
	shown := slices.DeleteFunc(slices.Clone(d.Comparisons),
		func(c report.Comparison) bool { return !slices.Contains(keys, c.Metric) })
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
func cell(m *sequence.ModelResult, key string) any {
	v, ci, ok := m.Number(key)
	if !ok {
		return report.Undefined("skipped")
	}
	return report.WithInterval(v, ci)
}

// variantGroups says what intervals of agreements with measurements delete in turn; empty where
// there are none.
func variantGroups(m *sequence.ModelResult, keys []string) string {
	if !slices.ContainsFunc(keys, func(key string) bool { _, ci, _ := m.Number(key); return ci.Defined() }) {
		return ""
	}
	value, _ := m.Object.Get("substitutions")
	object, ok := value.(report.Object)
	if !ok {
		return ""
	}
	unit, _ := object.Get("intervals_over")
	count, _ := object.Get("groups")
	return fmt.Sprintf("[95 %% intervals] by deleting the variants of each of %v %v", count, unit)
}

// printRows writes a row for each of the keys, named by its second part, and a note unless it is empty.
func printRows(d *sequence.DatasetResult, env *run.Env, title string, keys []string, note string) error {
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
			cells = append(cells, cell(&d.Models[i], key))
		}
		table.Row(cells...)
	}
	if note != "" {
		table.Note("%s", note)
	}
	return env.Details(table)
}

// printSkipped lists what the run did not compute, and why.
func printSkipped(d *sequence.DatasetResult, env *run.Env) error {
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
	return env.Details(table)
}
