// Generated and real samples that are both drawn in each repetition: how often intervals of fidelity hold.

package main

import (
	"context"
	"io"

	"repscope/analysis/generation"
	"repscope/analysis/generation/command"
	"repscope/points"
	"repscope/report"
)

// sampleDesigns have independent samples, and samples in groups.
func sampleDesigns() []Design {
	return []Design{
		{Name: "independent", N: 300, Episodes: 1},
		{Name: "heavy tails", N: 300, Episodes: 1, Tail: 3},
		{Name: "groups", N: 480, Episodes: 24, Rho: 0.6, Between: 0.3},
		{Name: "groups, heavy tails", N: 480, Episodes: 24, Rho: 0.6, Tail: 3},
		{Name: "unequal groups", N: 480, Episodes: 24, Rho: 0.6, Between: 0.3, Uneven: 0.6, Redrawn: true},
	}
}

// sampled are the fidelity of generators, whose samples are coordinates of the states in the first half of the
// episodes, to real samples of the same law from the second half.
func sampled(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	s, half := s.halves()
	in := generation.Input{RealLatents: s.coordinates(half[1], 0)}
	for m := range models {
		in.Generators = append(in.Generators, generation.Generator{Name: name(m), Latents: s.coordinates(half[0], m)})
	}
	if s.Episode[len(s.Episode)-1] == len(s.Episode)-1 {
		in.RealLatents.Groups = nil
		for i := range in.Generators {
			in.Generators[i].Latents.Groups = nil
		}
	}
	r, err := generation.Analyze(ctx, in, generation.Options{Metrics: []string{"fidelity"}, Settings: settings(seed)})
	if err != nil {
		return nil, err
	}
	out := report.NewResult("generation")
	out.Models, out.Comparisons = command.Objects(r, &in, nil), r.Comparisons
	return out, nil
}

// coordinates are the coordinates of some states that a model sees.
func (s *Sample) coordinates(states []int, model int) *generation.Latents {
	out := &generation.Latents{Name: name(model)}
	var x []float64
	for _, i := range states {
		for c := range seen {
			x = append(x, float64(s.States[i*features+model*seen+c]))
		}
		out.Groups = append(out.Groups, s.Episode[i])
	}
	out.Points = points.Float64(x, seen)
	return out
}

// writeSamples writes the tables of two samples.
func writeSamples(ctx context.Context, w io.Writer, designs []Design, draws int, seed uint64, threads int) error {
	var tallies []*Tally
	for _, d := range designs {
		t, err := tally(ctx, Analysis{"samples", sampled}, d, draws, seed, threads)
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	write(w, tallies, nil)
	return nil
}
