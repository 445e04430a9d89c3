// The published layout: {metrics, evaluation_config}.

package command

import (
	"path/filepath"
	"slices"

	"repscope/analysis/forecast"
	"repscope/report"
)

// documentedMetrics are the metrics of the published layout, in its order.
var documentedMetrics = []string{"mae", "mse", "variogram_score", "patched_energy_score", "pairwise_energy_score"}

// documentedObject is the published layout of one model; dir is where its files are.
func documentedObject(r *forecast.Result, m *forecast.Model, o forecast.Options, dir string) *report.Object {
	var metrics, config, all report.Object
	over := "samples"
	if o.BatchSize > 0 {
		over = "batches"
	}
	for _, name := range documentedMetrics {
		s, ok := m.Score(name)
		if !ok {
			continue
		}
		sd := *s.SD
		if o.BatchSize > 0 {
			sd = s.BatchSD
		}
		metrics.Set(name, s.Value)
		metrics.Set(name+"_std", sd)
	}
	config.Set("model", m.Name)
	config.Set("model_dir", dir)
	config.Set("n_samples", m.Members)
	config.Set("num_samples", m.Members)
	config.Set("num_examples", len(r.Samples))
	config.Set("batch_size", o.BatchSize)
	config.Set("device", device)
	config.Set("std_over", over)
	config.Set("variables", r.Variables)
	config.Set("estimator", m.Estimator)
	config.Set("patch_size", o.Patch)
	config.Set("num_pairs", o.Pairs)
	config.Set("seed", o.Seed)
	all.Set("metrics", &metrics)
	all.Set("evaluation_config", &config)
	return &all
}

// dirOf is the folder of the file of a model, or the name of a model without one.
func dirOf(name string, inputs []report.Input) string {
	i := slices.IndexFunc(inputs, func(in report.Input) bool {
		return in.Name == name && (in.Role == "model" || in.Role == "forecast")
	})
	if i < 0 {
		return name
	}
	return filepath.Dir(inputs[i].Path)
}
