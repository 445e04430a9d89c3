// The published layout: {metrics, evaluation_config}.

package forecast

import (
	"bytes"
	"io"
	"path/filepath"

	"repscope/internal/run"
	"repscope/report"
)

// documentedMetrics are those of the published layout, in its order.
var documentedMetrics = []string{"mae", "mse", "variogram_score", "patched_energy_score", "pairwise_energy_score"}

// documented is the published layout of one model.
func (r *Result) documented(m *Model, o Options) *report.Object {
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
		sd := s.SD
		if o.BatchSize > 0 {
			sd = s.BatchSD
		}
		metrics.Set(name, s.Value)
		metrics.Set(name+"_std", sd)
	}
	config.Set("model", m.Name)
	config.Set("num_samples", m.Members)
	config.Set("num_examples", len(r.Samples))
	config.Set("batch_size", o.BatchSize)
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

// writeDocumented writes the published layout of the first model when all other files
// have their names.
func (s *settings) writeDocumented(env *run.Env, _ *Input, o Options, r *Result) error {
	if s.documented == "" {
		return nil
	}
	var content bytes.Buffer
	if err := report.Encode(&content, r.documented(&r.Models[0], o)); err != nil {
		return err
	}
	dir, name := filepath.Split(s.documented)
	env.AfterCommit(func() error {
		files, err := report.Begin(filepath.Clean(dir))
		if err != nil {
			return err
		}
		defer files.Abort()
		if err := files.File(name, func(w io.Writer) error { _, err := w.Write(content.Bytes()); return err }); err != nil {
			return err
		}
		return files.Commit()
	})
	return nil
}
