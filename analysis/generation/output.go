// What a run writes: the result file, CSV files and console tables.

package generation

import (
	"context"
	"math"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/report"
)

// write puts the result into the result file, the CSV files, the console and the figures.
func (r *Result) write(ctx context.Context, env *run.Env, in *Input) error {
	env.Result.Definition = definition
	names := labels(r.labels)
	for _, w := range r.Warnings {
		env.Warn("%s", w)
	}
	for i := range r.Models {
		env.Result.Models.Set(r.Models[i].Name, r.Object(&r.Models[i]))
	}
	env.Result.Comparisons = r.Comparisons
	for _, m := range registry {
		if !r.computed(m.Name) {
			continue
		}
		for _, d := range m.describe {
			output.Describe(env, d.direction, d.unit, d.names...)
		}
	}
	inf := math.Inf(1)
	output.Limit(env, 0, 1, "reconstruction.mean_iou", "reconstruction.median_iou", "reconstruction.exact_share", "per_channel_iou.start", "per_channel_iou.middle",
		"per_channel_iou.end", "diversity.overall_mean_diversity", "diversity.overall_uniqueness_ratio", "diversity.mean_jaccard_distance", "diversity.validity_rate",
		"diversity.novelty", "diversity.valid_unique_novel", "diversity.mean_nearest_jaccard", "clusters.neighbor_accuracy", "clusters.neighbor_purity",
		"conditioning.exact_accuracy", "conditioning.within_one_accuracy", "conditioning.within_two_accuracy", "conditioning.macro_exact_accuracy",
		"conditioning.macro_within_one_accuracy", "conditioning.macro_within_two_accuracy", "fidelity.precision", "fidelity.recall", "fidelity.coverage",
		"fidelity.novelty", "fidelity.classifier.auc")
	output.Limit(env, -1, 1, "clusters.silhouette_score", "clusters.label_spearman", "conditioning.quadratic_weighted_kappa")
	output.Limit(env, 0, inf, "clusters.davies_bouldin", "conditioning.mean_absolute_error", "fidelity.vendi_score", "fidelity.density", "similarity.overall_mean_distance",
		"similarity.overall_mean_distance_scaled", "diversity.co_occurrence_distance", "diversity.diversity_of_ceiling")
	output.Headline(env, "reconstruction.mean_iou", "diversity.overall_uniqueness_ratio", "conditioning.exact_accuracy", "fidelity.frechet_distance")
	return output.All(env,
		func(env *run.Env) error { return r.writeLabels(env, names) },
		r.writeSamples, r.printTables,
		func(env *run.Env) error { return output.PrintComparisons(env, r.Comparisons) },
		func(env *run.Env) error { return r.writeFigures(ctx, env, in) })
}

// writeLabels writes the CSV files of the metrics that were computed.
func (r *Result) writeLabels(env *run.Env, names labels) error {
	for _, m := range registry {
		if m.csv == nil || !r.computed(m.Name) {
			continue
		}
		err := output.ModelCSV(env, m.csv.name, m.csv.columns, func(csv *report.CSV) error {
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

// writeSamples writes the scores of items that all generators are measured on, which compare
// pairs: those of reconstructed samples. Samples that are drawn are no pairs.
func (r *Result) writeSamples(env *run.Env) error {
	var paths []string
	var models []output.SampleScores
	for i := range r.Models {
		of := scoresOf(&r.Models[i])
		if len(of) == 0 {
			continue
		}
		model := output.SampleScores{Model: r.Models[i].Name, Group: of[0].Group}
		if model.Group == nil {
			model.Group = make([]int, len(of[0].Values))
			for k := range model.Group {
				model.Group[k] = k
			}
		}
		for _, s := range of {
			k := slices.Index(paths, s.Path)
			if k < 0 {
				k = len(paths)
				paths = append(paths, s.Path)
			}
			for len(model.Scores) <= k {
				model.Scores = append(model.Scores, nil)
			}
			model.Scores[k] = s.Values
		}
		models = append(models, model)
	}
	if len(models) == 0 {
		return nil
	}
	for i := range models {
		m := &models[i]
		for len(m.Scores) < len(paths) {
			m.Scores = append(m.Scores, nil)
		}
		for k := range m.Scores {
			if m.Scores[k] == nil { // a channel that the grids of this generator do not have
				m.Scores[k] = slices.Repeat([]float64{math.NaN()}, len(m.Group))
			}
		}
	}
	return output.Samples(env, "item", "group", paths, models)
}

// scoresOf are the scores of items of a model.
func scoresOf(m *Model) []Scores {
	var out []Scores
	for _, metric := range registry {
		if metric.scores != nil {
			out = append(out, metric.scores(m)...)
		}
	}
	return out
}

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

// mayWrite are the names of all files that a run may write beside those of every analysis.
func mayWrite() []string {
	var files []string
	for _, m := range registry {
		if m.csv != nil {
			files = append(files, m.csv.name)
		}
	}
	for _, f := range figures {
		files = append(files, output.Pages(f.name)...)
	}
	return files
}

// planFiles are the files that a run writes beside those of every analysis.
func planFiles(env *run.Env, in *Input, o Options) []string {
	var names []string
	for _, name := range o.Metrics {
		m := find(name)
		if !slices.ContainsFunc(in.Generators, func(g Generator) bool { return m.missing(in, &g) == "" }) {
			continue
		}
		if m.csv != nil {
			names = append(names, m.csv.name)
		}
		if m.scores != nil {
			names = append(names, output.SamplesFile(env))
		}
	}
	return names
}
