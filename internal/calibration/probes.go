// The probes of the rewards' analysis.

package main

import (
	"context"

	"repscope/analysis/reward"
	"repscope/points"
	"repscope/report"
)

// probing reads from the latents of each model a reward and a class to which the
// coordinates of all models contribute alike, and the same from predictions that go half of
// the way to the next latent.
func probing(probes ...string) func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	return func(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
		n := len(s.Episode)
		rewards := make([]float64, n)
		for i := range n - 1 {
			for m := range models {
				rewards[i] += float64(s.States[(i+1)*features+m*seen]) + 0.5*float64(s.States[i*features+m*seen+1])
			}
		}
		in := reward.Input{Episode: s.Episode, Targets: []reward.Target{
			{Name: "reward", OfTransition: true, Values: rewards}, {Name: "class", Classes: s.Labels},
		}}
		for m := range models {
			z := s.Latents[m]
			predicted := make([]float64, 0, n*z.Dim)
			for i := range n {
				next := z.Row(min(i+1, n-1), nil)
				for k, v := range z.Row(i, nil) {
					predicted = append(predicted, (v+next[k])/2)
				}
			}
			in.Models = append(in.Models, reward.Model{Name: name(m), Latents: z, Predicted: points.Float64(predicted, z.Dim)})
		}
		r, err := reward.Analyze(ctx, in, reward.Options{Probes: probes, Settings: settings(seed)})
		if err != nil {
			return nil, err
		}
		// Baselines have no latents, and dynamics are a analysis of their own here.
		var kept []reward.ModelResult
		for _, m := range r.Models[:models] {
			kept = append(kept, reward.ModelResult{Name: m.Name, Probes: m.Probes, Gaps: m.Gaps})
		}
		var compared []report.Comparison
		for _, c := range r.Comparisons {
			if isModel(c.A) && isModel(c.B) {
				compared = append(compared, c)
			}
		}
		return result("reward", kept, func(m reward.ModelResult) string { return m.Name }, compared), nil
	}
}

// isModel reports whether a name belongs to a model of the design.
func isModel(text string) bool {
	for m := range models {
		if text == name(m) {
			return true
		}
	}
	return false
}
