// The analysis step by step: what Analyze calls for each model and each pair of
// models.

package geometry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/cluster"
	"repscope/measure/motion"
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
	windowed []int              // labels of the sample inside which the exclusion window counts
	leading  [][]float64        // the leading series of every model
	lengths  [][]float64        // of every model's steps

	warnings []string // of the exclusion window and the blocks
	progress *progress
}

const intervalsOff = "intervals are off (bootstrap 0)"

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
		a.windowed = a.windowLabels()
	}
	a.leading = results.LeadingSeries(in.Models)
	for _, m := range in.Models {
		a.lengths = append(a.lengths, motion.NewPath(m.Latents).Steps(a.pairs))
	}
	for _, g := range a.groupings() {
		if err := a.group(g); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// observations are what a scope groups: how many of what, in which episodes, and the
// series of each model whose dependence decides how.
type observations struct {
	to      *scope
	n       int
	what    string
	episode []int
	series  func(m int) []float64
	warn    bool // whether the warnings about their blocks are for the reader
}

// groupings are the observations of all scopes.
func (a *analyzer) groupings() []observations {
	in := a.in
	position := make(map[int]int, len(a.pairs)) // of the pair that begins at a state
	ofPairs := make([]int, len(a.pairs))
	for i, p := range a.pairs {
		position[p.Now], ofPairs[i] = i, p.Now
	}
	firstSteps := make([]int, len(a.triples))
	for i, t := range a.triples {
		firstSteps[i] = position[t]
	}
	return []observations{
		{&a.sample, a.samples(), "states", at(in.Episode, in.Sample), func(m int) []float64 { return at(a.leading[m], in.Sample) }, true},
		{&a.states, in.Models[0].Latents.N, "states", in.Episode, func(m int) []float64 { return a.leading[m] }, in.Sample != nil},
		{&a.steps, len(a.pairs), "pairs", at(in.Episode, ofPairs), func(m int) []float64 { return a.lengths[m] }, true},
		{&a.turns, len(a.triples), "triples", at(in.Episode, a.triples), func(m int) []float64 { return at(a.lengths[m], firstSteps) }, false},
	}
}

// group makes the blocks and resamples of one scope.
func (a *analyzer) group(g observations) error {
	if g.n < 3 {
		g.to.reason = fmt.Sprintf("%d %s of consecutive states, want at least 3", g.n, g.what)
		return nil
	}
	series := make([][]float64, len(a.in.Models))
	for m := range series {
		series[m] = g.series(m)
	}
	blocks, err := stat.NewBlocks(g.n, g.episode, a.o.Block, series...)
	if err != nil {
		return err
	}
	g.to.n = g.n
	if a.o.Bootstrap <= 0 {
		return nil
	}
	g.to.blocks = blocks.Coarsen(maxBlocks)
	for _, w := range blocks.Warnings() {
		if g.warn && !slices.Contains(a.warnings, w) {
			a.warnings = append(a.warnings, w)
		}
	}
	return nil
}

// undefined is the number and the interval that err leaves; another error than an
// UndefinedError is returned.
func undefined(err error) (report.Value, report.Interval, error) {
	var u *stat.UndefinedError
	if !errors.As(err, &u) {
		return report.Value{}, report.Interval{}, err
	}
	v, ci := results.Undefined(err)
	return v, ci, nil
}

// jackknife is the delete-block jackknife of a statistic and its interval; nil
// without intervals.
func (s scope) jackknife(estimate float64, without []float64) (*stat.Jackknifed, report.Interval) {
	if s.blocks == nil || len(without) == 0 {
		return nil, report.NoInterval(intervalsOff)
	}
	if len(without) < 2 {
		return nil, report.NoInterval("a single block of states")
	}
	j, err := s.blocks.Jackknife(estimate, without, nil)
	if err != nil {
		return nil, report.NoInterval("%s", stat.Reason(err))
	}
	return j, results.Interval(j.Interval)
}

// blockSizes are those of the jackknife, none without intervals.
func (s scope) blockSizes() []int {
	if s.blocks == nil {
		return nil
	}
	return s.blocks.Sizes()
}

// mean jackknifes the mean of values and files it under metric, if that is not
// empty.
func (a *analyzer) mean(s scope, metric string, out *Measured, values []float64) (report.Value, report.Interval, error) {
	if s.n == 0 {
		v, ci := results.Undefined(&stat.UndefinedError{Quantity: metric, Reason: s.reason})
		return v, ci, nil
	}
	if s.blocks == nil {
		return report.Number(stat.Mean(values)), report.NoInterval(intervalsOff), nil
	}
	j, err := stat.JackknifeMean(s.blocks, values)
	if err != nil {
		return report.Value{}, report.Interval{}, err
	}
	if metric != "" {
		out.Metrics = append(out.Metrics, Metric{Name: metric, Family: metric, Jackknife: j})
	}
	v, ci := results.Estimate(j, "")
	return v, ci, nil
}

// measure measures everything about one model but its similarity to others.
func (a *analyzer) measure(ctx context.Context, m int) (*Measured, error) {
	z := a.in.Models[m].Latents
	out := &Measured{Model: Model{Name: a.in.Models[m].Name, States: z.N, Samples: a.samples(), NominalDimension: z.Dim,
		Groupings: []Grouping{}, LabelConsistency: []LabelConsistency{}}}
	model := &out.Model
	model.RMSDistance, model.EffectiveRank = results.Spread(z)
	if !model.RMSDistance.Defined() {
		out.warn("%s: %s: the encoder has collapsed", model.Name, model.RMSDistance.Reason)
	}
	model.NEff = results.EffectiveSize(a.leading[m], a.in.Episode)
	for _, part := range []func(context.Context, int, *Measured) error{a.onSphere, a.grouped, a.labelled, a.inTime} {
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
	u, err := sphere.NewDirections(a.in.Models[m].Latents)
	if err != nil {
		v, ci, err := undefined(err)
		model.Uniformity, model.UniformityCI, model.Alignment, model.AlignmentCI = v, ci, v, ci
		return err
	}
	chosen := u
	if a.in.Sample != nil {
		chosen = u.Select(a.in.Sample)
	}
	value, without, err := chosen.Uniformity(ctx, a.sample.blocks, a.o.Threads)
	if err != nil {
		return err
	}
	model.Uniformity = report.Number(value)
	j, ci := a.sample.jackknife(value, without)
	model.UniformityCI = ci
	out.Metrics = append(out.Metrics, Metric{Name: "uniformity", Family: "uniformity", Jackknife: j})
	model.Alignment, model.AlignmentCI, err = a.mean(a.steps, "alignment", out, u.Alignment(a.pairs))
	return err
}
