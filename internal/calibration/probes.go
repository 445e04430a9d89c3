// The rewards' analysis: its probes; and predictions, rollouts and time of dynamics.

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

// dynamical predicts each latent as a share of the one before, which is the same model of
// dynamics for all encoders, and rolls it out for three steps.
func dynamical(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	in := reward.DynamicsInput{Episode: s.Episode}
	for i := range s.Episode {
		next := i + 1
		if next == len(s.Episode) || s.Episode[next] != s.Episode[i] {
			next = -1
		}
		in.Next = append(in.Next, next)
	}
	shrink := func(_ context.Context, z points.Points, _ []int64) (points.Points, error) {
		out := make([]float64, 0, z.N*z.Dim)
		for i := range z.N {
			for _, v := range z.Row(i, nil) {
				out = append(out, 0.8*v)
			}
		}
		return points.Float64(out, z.Dim), nil
	}
	for m := range models {
		z := s.Latents[m]
		predicted, err := shrink(ctx, z, nil)
		if err != nil {
			return nil, err
		}
		steps, err := reward.RollOut(ctx, reward.Rollouts{Latents: z, Next: in.Next, Horizon: 3}, shrink)
		if err != nil {
			return nil, err
		}
		in.Models = append(in.Models, reward.DynamicsModel{Name: name(m), Latents: z, Predicted: predicted, Rollout: steps})
	}
	r, err := reward.Dynamics(ctx, in, reward.DynamicsOptions{Settings: settings(seed)})
	if err != nil {
		return nil, err
	}
	return result("dynamics", r.Models, func(m reward.ModelDynamics) string { return m.Name }, r.Comparisons), nil
}
