// The work of an analysis in units: one model after the other, and their
// comparison.

package manifold

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/kernel"
	"repscope/internal/option"
	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/measure/dimension"
	"repscope/measure/motion"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 2

// Part is the outcome of a range of units, one for each model.
type Part struct{ Models []Measured }

// Measured is one model, with what it is compared by, nil where undefined: the
// corrected participation ratio, ranks, and Two-NN by maximum likelihood and by the fit.
type Measured struct {
	Model                             Model
	ParticipationRatio                *stat.Jackknifed
	EffectiveRank, RankMe, TwoNN, Fit *stat.Jackknifed
	LevinaBickel                      *stat.Jackknifed // with the neighbors by which models are compared
	Warnings                          []string
}

func (m *Measured) warn(format string, arguments ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, arguments...))
}

// plan is the work of one analysis.
type plan struct {
	in     Input
	spaces []neighbors.Space // the latents of each model, checked
	o      Options
	memory []stat.AutocorrelationTime // of each model; the zero value where undefined
	window dimension.Window
	blocks *stat.Blocks // deleted and halved blocks
	// similarities are what blocks were chosen by; nil where they were not needed, and nil for latents that do not vary.
	similarities []*spectrum.Similarities
	// spectra are the blocks that are deleted where eigenvalues are computed again; nil
	// where that takes too long.
	spectra  *stat.Blocks
	nulls    nulls
	off      string // why there are no intervals; empty if there are
	warnings []string
}

// Work returns the analysis in units, one for each model; see [Analyze] for the
// result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	if err := CheckPowerLaw(o.PowerLaw); err != nil {
		return none, err
	}
	if o.Views > 0 && in.View == nil {
		return none, fmt.Errorf("%d views, but no way to encode them", o.Views)
	}
	spaces, err := in.check(o.Threads)
	if err != nil {
		return none, err
	}
	n := in.Models[0].Latents.N
	p := &plan{in: in, spaces: spaces, o: o.withDefaults(n)}
	var series [][]float64
	p.memory = make([]stat.AutocorrelationTime, len(in.Models))
	// Leading series are summed on one goroutine.
	_ = parallel.For(context.Background(), o.Threads, 1+len(in.Models), func(_, task int) {
		if task == 0 {
			series = results.LeadingSeries(in.Models)
			return
		}
		t, err := motion.EffectiveSize(context.Background(), in.Models[task-1].Latents, in.Episode, in.Time, o.Threads)
		if err != nil {
			t = stat.AutocorrelationTime{} // constant: the model has its reason
		}
		p.memory[task-1] = t
	})
	p.decideWindow()
	if err := p.decideBlocks(n, series); err != nil {
		return none, err
	}
	return shard.Work[*Part, *Result]{
		Units:    len(in.Models),
		Identity: p.identity,
		Map:      p.measureAll,
		Merge:    p.merge,
	}, nil
}

// The least numbers of blocks behind an interval.
const leastEpisodes, leastPieces = 5, 8

// decideBlocks groups the latents. Lengths of pieces of episodes follow the shares of
// latents in the participation ratio, too.
func (p *plan) decideBlocks(n int, series [][]float64) error {
	blocks, err := stat.NewBlocks(n, p.in.Episode, p.o.Block, series...)
	if err != nil {
		return err
	}
	if p.o.Intervals && blocks.Kind() == stat.MovingBlocks && p.o.Block.Length == 0 {
		if p.similarities, err = similaritiesOf(context.Background(), p.in.Models, p.o.Threads); err != nil {
			return err
		}
		influence := influences(p.similarities)
		if blocks, err = stat.NewBlocks(n, p.in.Episode, p.o.Block, slices.Concat(series, stat.Differences(influence...))...); err != nil {
			return err
		}
	}
	p.blocks = blocks.Coarsen(maxBlocks)
	switch count := p.blocks.Count(); {
	case !p.o.Intervals:
		p.off = "intervals are off"
	case p.blocks.Kind() == stat.EpisodeBlocks && count < leastEpisodes:
		p.off = fmt.Sprintf("%d episodes are too few for an interval, want at least %d", count, leastEpisodes)
	case p.blocks.Kind() == stat.MovingBlocks && count < leastPieces:
		p.off = fmt.Sprintf("%d blocks of %s are too few for an interval, want at least %d",
			count, text.Count(p.blocks.Length(), "latent"), leastPieces)
	}
	directions := 0
	for _, m := range p.in.Models {
		directions = max(directions, min(n, m.Latents.Dim))
	}
	switch {
	case directions <= manyDirections:
		p.spectra = p.blocks
	case directions <= wideDirections:
		p.spectra = p.blocks.Coarsen(wideBlocks)
	}
	return nil
}

// identity is the identity of everything the numbers follow from.
func (p *plan) identity() shard.Identity {
	id := p.common()
	id.Inputs = append(id.Inputs, results.Digests(p.in.Models)...)
	for i := range p.in.Content {
		id.Inputs = append(id.Inputs, p.viewed(i, fmt.Sprintf("encoder %d of views", i))...)
	}
	return id
}

// common is the identity without the models.
func (p *plan) common() shard.Identity {
	return shard.Identity{
		Analysis: "manifold", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Inputs: []shard.Field{
			{Name: "episodes", Value: shard.Digest(points.Points{}, p.in.Episode)},
			{Name: "times", Value: shard.Digest(points.Points{}, p.in.Time)},
			{Name: "equal states", Value: shard.Digest(points.Points{}, p.in.Same)},
			{Name: "groups", Value: shard.Digest(points.Points{}, ints(p.in.Groups))},
		},
		Options: slices.Concat(option.Of(&p.o).Identity("exclude-window"), p.o.Identity(),
			[]shard.Field{shard.Option("excluded window", p.window.Frames)}),
	}
}

// ints are numbers of groups, as digests take them.
func ints(groups []int64) []int {
	out := make([]int, len(groups))
	for i, g := range groups {
		out[i] = int(g)
	}
	return out
}

// viewed identifies the encoder of the views of model i; nothing without views.
func (p *plan) viewed(i int, name string) []shard.Field {
	if p.o.Views == 0 || p.in.Content == nil {
		return nil
	}
	return []shard.Field{{Name: name, Value: p.in.Content[i]}}
}

// identityOf names the inputs and options that one model's numbers follow from. Blocks follow from all models.
func (p *plan) identityOf(i int) shard.Identity {
	spectra := "none"
	if p.spectra != nil {
		spectra = shard.Digest(points.Points{}, p.spectra.Labels())
	}
	common := p.common()
	common.Inputs = append(common.Inputs, p.viewed(i, "encoder of views")...)
	return common.OfModel(shard.Digest(p.in.Models[i].Latents),
		shard.Option("blocks", p.blocks.String()),
		shard.Option("labels of blocks", shard.Digest(points.Points{}, p.blocks.Labels())),
		shard.Option("labels of spectra", spectra), shard.Option("no intervals", p.off))
}

// measureAll measures a range of models.
func (p *plan) measureAll(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{}
	for i := r.Lo; i < r.Hi; i++ {
		m, err := results.Remember(ctx, p.in.Models[i].Name, func() shard.Identity { return p.identityOf(i) },
			func(name string) (Measured, error) { return p.measure(ctx, i, name) },
			func(m *Measured) (name *string, warnings []string) { return &m.Model.Name, m.Warnings })
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

// measure measures one model, which its result and its warnings call by the given name.
func (p *plan) measure(ctx context.Context, i int, name string) (Measured, error) {
	encoded := p.in.Models[i]
	out := Measured{Model: Model{Name: name, Samples: encoded.Latents.N, NominalDimension: encoded.Latents.Dim,
		AlphaReQ: p.powerLawRanks(encoded.Latents), Estimator: p.o.Estimator}}
	m := &out.Model
	var similarities *spectrum.Similarities
	if p.similarities != nil {
		similarities = p.similarities[i]
	}
	var d *dimension.Distinct
	var few *stat.UndefinedError // too few distinct latents
	rms := make(chan float64, 1)
	searching, stop := context.WithCancel(ctx)
	defer stop()
	// Parts of either run on one goroutine; distances to duplicates are needed when neighbors are found.
	err := parallel.Try(ctx, p.o.Threads, 2, func(_, task int) (err error) {
		// The lists of neighbors of constant latents of few dimensions would take far more memory than the latents.
		if p.spaces[i].Collapsed() {
			return stat.Undefined("spectrum", "the points are constant")
		}
		if task == 1 {
			d, err = p.neighbors(searching, i, rms)
			if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
				few, err = undefined, nil
			}
			return err
		}
		linear, err := m.linear(ctx, encoded.Latents, p, similarities, &out)
		if err != nil {
			stop()
			return err
		}
		scale := linear.RMSDistance()
		if typical := spectrum.TypicalDistance(encoded.Latents); typical > 0 && scale > fewHold*typical {
			out.warn("%s: few latents have nearly all variance: the RMS distance is %.3g, without the largest "+
				"tenth %.3g. Linear dimensions describe these few; duplicates are detected by the distance of the "+
				"others; check outliers", m.Name, scale, typical)
			scale = typical
		}
		rms <- scale
		return nil
	})
	if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
		m.undefined(undefined.Reason)
		m.undefinedExtras(p, undefined.Reason)
		if p.spaces[i].Collapsed() {
			m.TwoNN.Duplicates = encoded.Latents.N - 1
		} else if m.TwoNN.Duplicates, err = p.spaces[i].Duplicates(ctx, max(p.o.Threads, 0)); err != nil {
			return out, err
		}
		out.Warnings = []string{results.Collapsed(m.Name, undefined.Reason)}
		return Measured{Model: *m, Warnings: out.Warnings}, nil
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", encoded.Name, err)
	}
	if err := m.extras(ctx, i, p); err != nil {
		return out, fmt.Errorf("%s: %w", encoded.Name, err)
	}
	if w := results.FarLatents(m.Name, encoded.Latents, p.in.Time, "variance, participation ratio and ranks"); w != "" {
		out.warn("%s", w)
	}
	t := p.memory[i]
	m.Tau, m.NEff, m.NEffReliable = report.Number(t.Tau), report.Number(t.EffectiveSampleSize), t.Reliable
	m.ExcludeWindow = p.window.Frames
	if few != nil {
		if d != nil {
			m.TwoNN.Duplicates = d.Duplicates
		}
		m.undefinedIntrinsic(few.Reason)
		return out, nil
	}
	if err := m.intrinsic(ctx, d, p, &out); err != nil {
		return out, fmt.Errorf("%s: %w", encoded.Name, err)
	}
	if w := m.Recall.warning(m.Name); w != "" {
		out.warn("%s", w)
	}
	out.doubt(d.SharedCoordinates())
	return out, nil
}
