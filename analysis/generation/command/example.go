// The built-in example: problems on a toy climbing board, and models of it.

package command

import (
	"context"

	"repscope/analysis/generation"
	"repscope/analysis/generation/climbing"
	"repscope/internal/example/boards"
	"repscope/internal/run"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
)

// loadExample makes the input of --example: a faithful model, and others with one defect
// each, which the metric shows that is about it.
func (f *options) loadExample(env *run.Env) (*generation.Input, error) {
	e := boards.Example()
	l := &loader{env: env, f: f, names: grades()}
	in := &generation.Input{LabelNames: l.names, Real: l.boards("training problems", &e.Train),
		HoldOut: l.boards("held-out problems", &e.HeldOut)}
	in.RealPredictions = &generation.Predictions{Name: "predictions of the held-out problems", Target: e.HeldOut.Label,
		Predicted: e.HeldOutPredicted}
	env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "real", Path: "example:boards/train",
		Shape: shapeOf(in.Real)},
		report.Input{Role: "holdout", Path: "example:boards/holdout", Shape: shapeOf(in.HoldOut)})
	for i := range e.Models {
		m := &e.Models[i]
		s := l.boards("problems of "+m.Name, &m.Generated)
		g := generation.Generator{Name: m.Name, Generated: s,
			Reconstruction: given("reconstructions of "+m.Name, in.HoldOut, m.Reconstructed),
			Latents: &generation.Latents{Name: "latents of " + m.Name, Points: points.Float64(m.Latents, boards.LatentDim),
				Labels: e.HeldOut.Label},
			Predictions: &generation.Predictions{Name: "predictions of the problems of " + m.Name}}
		for k, label := range s.Labels {
			if s.IsValid(k) { // a classifier is asked about valid problems alone
				g.Predictions.Target, g.Predictions.Predicted = append(g.Predictions.Target, label), append(g.Predictions.Predicted, m.Predicted[k])
			}
		}
		countGenerated(g.Predictions, s)
		if n := f.generator.samples; n > 0 {
			g.Generated = firstOfLabels(s, n)
		}
		in.Generators = append(in.Generators, g)
		env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: "generated", Name: m.Name,
			Path: "example:boards/" + m.Name, Shape: shapeOf(g.Generated)})
	}
	return in, nil
}

// shapeOf is the shape of all samples.
func shapeOf(s *generation.Samples) []int { return append([]int{s.N()}, s.Shape...) }

// boards are problems of the example as samples.
func (l *loader) boards(name string, set *boards.Set) *generation.Samples {
	s := &generation.Samples{Name: name, Rows: points.Uint8(set.Cells, boards.Cells), Shape: climbing.Shape(),
		Channels: climbing.ChannelNames(), Labels: set.Label}
	l.board(s, nil)
	return s
}

// given are samples next to probabilities of their cells that are in memory.
func given(name string, samples *generation.Samples, probability []float32) *generation.Pairs {
	width := samples.Rows.Dim
	return &generation.Pairs{Name: name, N: samples.N(), Shape: samples.Shape, Channels: samples.Channels,
		Labels: samples.Labels,
		Groups: samples.Groups,
		Digest: shard.Digest(samples.Rows) + " " + shard.Digest(points.Float32(probability, width)),
		Read: func(ctx context.Context, original, reconstructed []float64, lo, hi int) error {
			for i := range (hi - lo) * width {
				original[i], reconstructed[i] = float64(samples.Rows.U8[lo*width+i]), float64(probability[lo*width+i])
			}
			return ctx.Err()
		}}
}
