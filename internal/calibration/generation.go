// Made samples: what generation prints about one draw of a design; and how often its intervals of fidelity hold where
// generated and real samples are both drawn in each repetition.

package main

import (
	"context"
	"io"
	"math"

	"repscope/analysis/generation"
	"repscope/analysis/generation/command"
	"repscope/points"
	"repscope/report"
)

// cuts are the values at which latents are cut into cells of a grid.
var cuts = []float64{-0.6, -0.2, 0.2, 0.6}

// gridOf is a grid of cells [latent, cuts] of a state as a model sees it.
func (s *Sample) gridOf(dst []uint8, state, model int) []uint8 {
	for _, v := range s.Latents[model].Row(state, nil) {
		for _, cut := range cuts {
			cell := uint8(0)
			if v > cut {
				cell = 1
			}
			dst = append(dst, cell)
		}
	}
	return dst
}

// samplesOf are the grids of states as a model sees them, with their labels. They
// follow from coordinates of the model's own, so that no model is nearer to the
// real samples than another, and states of one episode are one group.
func (s *Sample) samplesOf(states []int, model int) *generation.Samples {
	out := &generation.Samples{Name: name(model), Shape: []int{latent, len(cuts)}}
	sum := generation.Statistic{Name: "sum", Published: true}
	var cells []uint8
	for _, i := range states {
		cells = s.gridOf(cells, i, model)
		out.Labels, out.Groups = append(out.Labels, int(s.Labels[i])), append(out.Groups, s.Episode[i])
		total := 0.0
		for _, v := range s.Latents[model].Row(i, nil) {
			total += v
		}
		sum.Values = append(sum.Values, total)
		out.Valid = append(out.Valid, total > -2)
	}
	out.Rows, out.Statistics = points.Uint8(cells, latent*len(cuts)), []generation.Statistic{sum}
	return out
}

// reconstructed are cells of all models' coordinates, next to a model's reconstruction of them: it is
// wrong where a latent of its own is low.
func (s *Sample) reconstructed(states []int, model int) *generation.Pairs {
	var original, rebuilt []float64
	var labels, groups []int
	for _, i := range states {
		z := s.Latents[model].Row(i, nil)
		for k := range latent {
			common := 0.0
			for m := range models {
				common += float64(s.States[i*features+m*seen+k%seen]) * float64(1+k)
			}
			v := 0.0
			if common > 0 {
				v = 1
			}
			original = append(original, v)
			if z[k] < -0.5 {
				v = 1 - v
			}
			rebuilt = append(rebuilt, v)
		}
		labels, groups = append(labels, int(s.Labels[i])), append(groups, s.Episode[i])
	}
	return &generation.Pairs{Name: name(model), N: len(states), Shape: []int{1, latent}, Labels: labels, Groups: groups,
		Read: func(_ context.Context, a, b []float64, lo, hi int) error {
			copy(a, original[lo*latent:hi*latent])
			copy(b, rebuilt[lo*latent:hi*latent])
			return nil
		}}
}

// predictedLabels are labels of four classes by a sum that every model sees alike, and what a
// classifier finds that errs by a latent of the model.
func (s *Sample) predictedLabels(states []int, model int) *generation.Predictions {
	p := &generation.Predictions{Name: name(model)}
	for _, i := range states {
		sum, target := 0.0, 0
		for m := range models {
			sum += float64(s.States[i*features+m*seen])
		}
		for _, cut := range []float64{-1, 0, 1} {
			if sum > cut {
				target++
			}
		}
		predicted := target + int(math.Round(3*s.Latents[model].Row(i, nil)[0]))
		p.Target, p.Predicted, p.Groups = append(p.Target, target), append(p.Predicted, min(max(predicted, 0), 3)), append(p.Groups, s.Episode[i])
	}
	return p
}

// ungroup takes all samples as independent.
func ungroup(in *generation.Input) {
	in.Real.Groups, in.RealPredictions.Groups = nil, nil
	for i := range in.Generators {
		g := &in.Generators[i]
		g.Generated.Groups, g.Reconstruction.Groups, g.Predictions.Groups, g.Latents.Groups = nil, nil, nil, nil
	}
}

// halves are the states of the first and of the second half of the episodes; every state of a single episode is an
// episode of its own.
func (s *Sample) halves() (sample *Sample, half [2][]int) {
	last := s.Episode[len(s.Episode)-1]
	if last == 0 {
		independent := *s
		independent.Episode, last = make([]int, len(s.Episode)), len(s.Episode)-1
		for i := range independent.Episode {
			independent.Episode[i] = i
		}
		s = &independent
	}
	for i, e := range s.Episode {
		k := 0
		if 2*e > last {
			k = 1
		}
		half[k] = append(half[k], i)
	}
	return s, half
}

// generating measures what models make of the first half of the episodes; what the first
// model makes of the others is real. Episodes are groups; the states of a single one are
// taken as independent samples, as they are where no groups are given.
func generating(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	s, half := s.halves()
	in := generation.Input{Real: s.samplesOf(half[1], 0), RealPredictions: s.predictedLabels(half[1], 0)}
	for m := range models {
		z := make([]float64, 0, len(half[0])*latent)
		var labels, groups []int
		for _, i := range half[0] {
			z = append(z, s.Latents[m].Row(i, nil)...)
			labels, groups = append(labels, int(s.Labels[i])), append(groups, s.Episode[i])
		}
		in.Generators = append(in.Generators, generation.Generator{Name: name(m), Generated: s.samplesOf(half[0], m), Reconstruction: s.reconstructed(half[0], m),
			Predictions: s.predictedLabels(half[0], m), Latents: &generation.Latents{Name: name(m), Points: points.Float64(z, latent), Labels: labels, Groups: groups}})
	}
	if s.Episode[len(s.Episode)-1] == len(s.Episode)-1 {
		ungroup(&in)
	}
	return generated(ctx, in, generation.Options{Settings: settings(seed)})
}

// generated is the result of an input.
func generated(ctx context.Context, in generation.Input, o generation.Options) (*report.Result, error) {
	r, err := generation.Analyze(ctx, in, o)
	if err != nil {
		return nil, err
	}
	out := report.NewResult("generation")
	out.Models, out.Comparisons = command.Objects(r, &in, nil), r.Comparisons
	return out, nil
}

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
	return generated(ctx, in, generation.Options{Metrics: []string{"fidelity"}, Settings: settings(seed)})
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
