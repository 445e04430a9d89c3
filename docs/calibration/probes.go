// The half of the rewards' room that is about probes.

package main

import (
	"context"
	"slices"

	"repscope/analysis/reward"
	"repscope/report"
	"repscope/stat"
)

// probing reads a number and a class from the latents: the number is the sum of one coordinate of
// each model, so that all know equally much of it, and noise with the memory of the states.
func probing(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	random := stat.NewRandom(stat.StreamDesign.Key(seed, 1))
	value, noise := make([]float64, len(s.Episode)), 0.0
	for t := range value {
		noise = 0.8*noise + 0.6*random.Normal()
		if t == 0 || s.Episode[t] != s.Episode[t-1] {
			noise = random.Normal()
		}
		value[t] = noise
		for m := range models {
			value[t] += float64(s.States[t*features+m*seen])
		}
	}
	in := reward.Input{Episode: s.Episode, Targets: []reward.Target{
		{Name: "number", OfTransition: true, Values: value}, {Name: "class", Classes: s.Labels}}}
	for m := range models {
		in.Models = append(in.Models, reward.Model{Name: name(m), Latents: s.Latents[m]})
	}
	r, err := reward.Analyze(ctx, in, reward.Options{Probes: []string{reward.Ridge, reward.Logistic}, Intervals: true, Seed: seed, Threads: 1})
	if err != nil {
		return nil, err
	}
	// Baselines know less than the models.
	baseline := func(m reward.ModelResult) bool { return m.Baseline }
	out := slices.DeleteFunc(slices.Clone(r.Models), baseline)
	comparisons := slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool {
		return slices.Contains(reward.Baselines(), c.A) || slices.Contains(reward.Baselines(), c.B)
	})
	return result("reward", out, func(m reward.ModelResult) string { return m.Name }, comparisons), nil
}
