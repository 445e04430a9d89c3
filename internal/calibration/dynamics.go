// The half of the rewards' analysis that is about dynamics: predictions, rollouts, time.

package main

import (
	"context"

	"repscope/analysis/reward"
	"repscope/points"
	"repscope/report"
)

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
