// The analysis step by step: what Analyze calls for each model and each pair of
// models.

package geometry

import (
	"context"
	"errors"
	"math"

	"repscope/analysis/internal/results"
	"repscope/measure/cluster"
	"repscope/measure/motion"
	"repscope/measure/spectrum"
	"repscope/measure/sphere"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// analyzer holds what the models share.
type analyzer struct {
	in Input
	o  Options

	runs    []motion.Run
	pairs   []points.Pair
	triples []int

	sample scope // states of the sample
	states scope // all states
	steps  scope // pairs of consecutive states
	turns  scope // triples

	labels   *cluster.Partition // of the sample; nil without
	windowed windowed           // where the exclusion window counts
	window   int                // an automatic one, in frames; 0 where it was given
	leading  [][]float64        // the leading series of every model
	lengths  [][]float64        // of every model's steps

	collapsed []bool // models whose latents do not vary

	warnings []string // of the exclusion window and the blocks
	progress *progress
}

const intervalsOff = "intervals are off (--bootstrap 0)"

// newAnalyzer lists what follows each other in time and groups it for intervals.
func newAnalyzer(in Input, o Options) (*analyzer, error) {
	o = o.withDefaults()
	a := &analyzer{in: in, o: o, progress: &progress{}}
	n := in.Models[0].Latents.N
	a.runs = motion.Runs(n, in.Episode, in.Time)
	a.pairs, a.triples = motion.Pairs(a.runs), motion.Triples(a.runs)
	if in.Labels != nil {
		p := cluster.NewPartition(at(in.Labels, in.Sample))
		a.labels = &p
		if err := a.decideWindow(); err != nil {
			return nil, err
		}
		a.windowed = a.exclusion()
	}
	a.leading = results.LeadingSeries(in.Models)
	for _, m := range in.Models {
		a.lengths = append(a.lengths, motion.NewPath(m.Latents).Steps(a.pairs))
		_, err := spectrum.RMSDistance(m.Latents)
		a.collapsed = append(a.collapsed, err != nil)
	}
	return a, a.group()
}

// undefined is the number and the interval that err leaves; another error than an
// UndefinedError is returned.
func undefined(err error) (report.Estimate, error) {
	var u *stat.UndefinedError
	if !errors.As(err, &u) {
		return report.Estimate{}, err
	}
	return report.NoEstimate("%s", u.Reason), nil
}

// measure measures everything about one model, called by the given name, but its similarity to others.
func (a *analyzer) measure(ctx context.Context, m int, name string) (*Measured, error) {
	z := a.in.Models[m].Latents
	out := &Measured{Model: Model{Name: name, States: z.N, Samples: a.samples(), NominalDimension: z.Dim, ExcludeWindow: a.window,
		Groupings: []Grouping{}, LabelConsistency: []LabelConsistency{}}}
	model := &out.Model
	model.RMSDistance, model.EffectiveRank = results.Spread(z)
	if reason := model.RMSDistance.Reason; !model.RMSDistance.Defined() {
		out.warn("%s", results.Collapsed(model.Name, reason))
		a.collapse(model, reason)
		for range partsPerModel {
			a.progress.step()
		}
		return out, nil
	}
	if w := results.FarLatents(model.Name, z, a.in.Time, "RMS distance, effective rank and debiased CKA"); w != "" {
		out.warn("%s", w)
	}
	var err error
	if model.NEff, model.NEffReliable, err = results.EffectiveSizeOfMean(ctx, z, a.in.Episode, a.in.Time, a.o.Threads); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context, int, *Measured) error{a.onSphere, a.grouped, a.labeled, a.inTime} {
		if err := part(ctx, m, out); err != nil {
			return nil, err
		}
		a.progress.step()
	}
	return out, nil
}

func (a *analyzer) samples() int {
	if a.in.Sample != nil {
		return len(a.in.Sample)
	}
	return a.in.Models[0].Latents.N
}

// onSphere measures uniformity and alignment.
func (a *analyzer) onSphere(ctx context.Context, m int, out *Measured) error {
	model := &out.Model
	z := sampled(a.in.Models[m].Latents, a.in.Sample)
	value, without, err := sphere.CenteredUniformity(ctx, z, a.sample.blocks, a.o.Threads)
	if model.UniformityCentered, err = a.uniform(out, "uniformity_centered", value, without, err); err != nil {
		return err
	}
	u, err := sphere.NewDirections(a.in.Models[m].Latents)
	if err != nil {
		model.Uniformity, err = undefined(err)
		model.Alignment = model.Uniformity
		return err
	}
	chosen := u
	if a.in.Sample != nil {
		chosen = u.Select(a.in.Sample)
	}
	value, without, err = chosen.Uniformity(ctx, a.sample.blocks, a.o.Threads)
	if model.Uniformity, err = a.uniform(out, "uniformity", value, without, err); err != nil {
		return err
	}
	aligned, j, err := a.steps.mean(u.Alignment(a.pairs))
	if err != nil {
		return err
	}
	out.compareBy("alignment", "alignment", "", j)
	model.Alignment = within(aligned, j, 0, 4)
	return nil
}

// uniform enters a uniformity, with its deletions, or the error that it has left.
func (a *analyzer) uniform(out *Measured, metric string, value float64, without []float64,
	err error) (report.Estimate, error) {
	if err != nil {
		return undefined(err)
	}
	j, err := a.sample.jackknife(value, without, nil)
	if err != nil {
		return report.Estimate{}, err
	}
	out.compareBy(metric, metric, "", j)
	return within(report.Number(value), j, math.Inf(-1), 0), nil
}
