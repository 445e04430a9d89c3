// The work of an analysis in units: one model after the other, and their
// comparison.

package manifold

import (
	"context"
	"fmt"

	"repscope/analysis/internal/results"
	"repscope/internal/kernel"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/points"
	"repscope/shard"
	"repscope/stat"
)

// definition is the version of what the numbers mean; see [shard.Identity].
const definition = 1

// Part is the outcome of a range of units, one for each model.
type Part struct{ Models []Measured }

// Measured is one model, with what it is compared by: the jackknifed
// participation ratio and maximum likelihood Two-NN, nil where undefined.
type Measured struct {
	Model                     Model
	ParticipationRatio, TwoNN *stat.Jackknifed
	Warnings                  []string
}

// plan is the work of one analysis.
type plan struct {
	in     Input
	spaces []neighbors.Space // the latents of each model, checked
	o      Options
	series [][]float64  // the leading series of each model
	blocks *stat.Blocks // what the jackknife deletes; nil without intervals
}

// Work returns the analysis in units, one for each model; see [Analyze] for the
// result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	spaces, err := in.check()
	if err != nil {
		return none, err
	}
	n := in.Models[0].Latents.N
	p := &plan{in: in, spaces: spaces, o: o.withDefaults(n), series: results.LeadingSeries(in.Models)}
	if o.Intervals {
		blocks, err := stat.NewBlocks(n, in.Episode, o.Block, p.series...)
		if err != nil {
			return none, err
		}
		p.blocks = blocks.Coarsen(maxBlocks)
	}
	return shard.Work[*Part, *Result]{
		Units:    len(in.Models),
		Identity: p.identity,
		Map:      p.measureAll,
		Merge:    p.merge,
	}, nil
}

// identity is that of everything the numbers follow from.
func (p *plan) identity() shard.Identity {
	o := p.o
	id := shard.Identity{
		Analysis: "manifold", Definition: definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Inputs: []shard.Field{{Name: "episodes", Value: shard.Digest(points.Points{}, p.in.Episode)}},
		Options: []shard.Field{
			shard.Option("estimator", o.Estimator), shard.Option("gride orders", o.GrideOrders), shard.Option("neighbors", o.Neighbors),
			shard.Option("duplicate tolerance", o.DuplicateTolerance), shard.Option("intervals", o.Intervals),
			shard.Option("block", o.Block), shard.Option("family", o.Family), shard.Option("seed", o.Seed), shard.Option("approximate", o.Approximate),
		},
	}
	id.Inputs = append(id.Inputs, results.Digests(p.in.Models)...)
	return id
}

// measureAll measures a range of models.
func (p *plan) measureAll(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{}
	for i := r.Lo; i < r.Hi; i++ {
		m, err := p.measure(ctx, i)
		if err != nil {
			return nil, err
		}
		part.Models = append(part.Models, m)
		if p.o.Progress != nil {
			p.o.Progress(i-r.Lo+1, r.Hi-r.Lo)
		}
	}
	return part, nil
}

// measure measures one model.
func (p *plan) measure(ctx context.Context, i int) (Measured, error) {
	encoded := p.in.Models[i]
	out := Measured{Model: Model{Name: encoded.Name, Samples: encoded.Latents.N, NominalDimension: encoded.Latents.Dim, Estimator: p.o.Estimator}}
	m := &out.Model
	linear, err := spectrum.New(encoded.Latents)
	if err == nil {
		err = m.describe(linear, encoded.Latents)
	}
	if err != nil {
		m.undefined(stat.Reason(err))
		out.Warnings = []string{fmt.Sprintf("%s: %s: the encoder has collapsed", m.Name, stat.Reason(err))}
		return out, nil
	}
	m.NEff = results.EffectiveSize(p.series[i], p.in.Episode)
	out.ParticipationRatio = m.linearIntervals(encoded.Latents, p.blocks)
	if out.TwoNN, err = m.intrinsic(ctx, p.spaces[i], linear.RMSDistance(), p.blocks, p.o); err != nil {
		return out, fmt.Errorf("%s: %w", m.Name, err)
	}
	if w := m.Recall.warning(m.Name); w != "" {
		out.Warnings = []string{w}
	}
	return out, nil
}
