// The work of an analysis in units: groups of sequences, of one dataset after the other.

package sequence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"repscope/internal/fault"
	"repscope/internal/kernel"
	"repscope/internal/run"
	"repscope/measure/token"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// definition is the version of what the numbers mean; see [shard.Identity].
const definition = 1

// Part is the outcome of a range of units.
type Part struct{ Pieces []Piece }

// Piece is what the metrics of a model accumulated over groups of a dataset that follow each
// other.
type Piece struct {
	Dataset, Model int
	States         []State // of the census, then of metrics in the order of the registry
	Failed         string  // why the model could not be evaluated, in place of states
}

// State is a metric, or the bytes of one that another process computed.
type State struct {
	metric Metric
	data   []byte
}

// MarshalBinary is the state of the metric.
func (s State) MarshalBinary() ([]byte, error) {
	if s.metric == nil {
		return s.data, nil
	}
	return s.metric.MarshalBinary()
}

// UnmarshalBinary keeps the bytes until the metric is known.
func (s *State) UnmarshalBinary(data []byte) error {
	s.metric, s.data = nil, slices.Clone(data)
	return nil
}

// plan is the work of one analysis.
type plan struct {
	o        Options
	alphabet *token.Alphabet
	datasets []*datasetPlan
	done     atomic.Int64
	total    int
}

// datasetPlan is the work on one dataset.
type datasetPlan struct {
	Dataset
	setting *Setting
	groups  *groups
	first   int // unit of its first group
	models  []*modelPlan
}

// modelPlan is what is computed of one model.
type modelPlan struct {
	Model
	kinds   []*Kind
	needs   Needs // of all kinds
	always  Needs // of those that look at every sequence
	skipped []skippedMetric
}

type skippedMetric struct{ name, reason string }

// Work returns the analysis in units; see [Analyze] for the result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	p, err := newPlan(in, o)
	if err != nil {
		return shard.Work[*Part, *Result]{}, err
	}
	return p.work(), nil
}

// work is the plan in units: groups of sequences, of one dataset after the other.
func (p *plan) work() shard.Work[*Part, *Result] {
	units := 0
	for _, d := range p.datasets {
		units += d.groups.count()
	}
	return shard.Work[*Part, *Result]{Units: units, Identity: p.identity, Map: p.measure, Merge: p.merge}
}

// newPlan checks everything that is known without reading a sequence.
func newPlan(in Input, o Options) (*plan, error) {
	p := &plan{o: o, alphabet: in.Alphabet}
	if p.alphabet == nil {
		p.alphabet = token.Antibody()
	}
	if p.o.Memory <= 0 {
		p.o.Memory = 1 << 30
	}
	if len(in.Datasets) == 0 {
		return nil, errors.New("there is no dataset to evaluate")
	}
	unit := 0
	for _, of := range in.Datasets {
		d, err := p.newDataset(of)
		if err != nil {
			return nil, err
		}
		d.first = unit
		unit += d.groups.count()
		p.total += d.groups.n * len(d.models)
		p.datasets = append(p.datasets, d)
	}
	p.shareMemory()
	return p, p.checkAny()
}

// shareMemory gives every metric that holds much its part of the memory.
func (p *plan) shareMemory() {
	share := int64(0)
	for _, d := range p.datasets {
		for _, m := range d.models {
			for _, k := range m.kinds {
				if k.Holds {
					share++
				}
			}
		}
	}
	for _, d := range p.datasets {
		d.setting.Memory /= max(share, 1)
	}
}

// newDataset is the plan of a dataset.
func (p *plan) newDataset(of Dataset) (*datasetPlan, error) {
	if len(of.Models) == 0 {
		return nil, fmt.Errorf("dataset %s: there is no model to evaluate", of.Name)
	}
	names, err := Select(of.Choice.Metrics)
	if err != nil {
		return nil, err
	}
	if of.Choice.Mode == "" {
		of.Choice.Mode = RegionStandard
	}
	options, err := resolve(of.Choice.Set)
	if err != nil {
		return nil, err
	}
	d := &datasetPlan{Dataset: of, setting: &Setting{Alphabet: p.alphabet, Mode: of.Choice.Mode, Regions: of.Choice.Regions,
		Options: options, Substitutions: of.Choice.Substitutions, Seed: p.o.Seed, Threads: p.o.Threads, Memory: p.o.Memory}}
	clusters := of.Models[0].Sequences.Clusters()
	if len(clusters) == 0 {
		return nil, fmt.Errorf("dataset %s: there are no sequences", of.Name)
	}
	d.groups = newGroups(blocked(clusters, p.o.Block.Length), mostGroups)
	d.setting.Sequences = d.groups.n
	for i := range of.Models {
		m := &of.Models[i]
		if i > 0 && !slices.Equal(m.Sequences.Clusters(), clusters) {
			return nil, otherSequences(m, &of.Models[0])
		}
		planned := &modelPlan{Model: *m}
		for _, name := range names {
			kind := Find(name)
			if reason := d.without(kind, m); reason != "" {
				planned.skipped = append(planned.skipped, skippedMetric{name, reason})
				continue
			}
			planned.kinds = append(planned.kinds, kind)
			needs := kind.asks(m, of.Choice.Mode)
			planned.needs |= needs
			if kind.Wants == nil {
				planned.always |= needs
			}
		}
		d.models = append(d.models, planned)
	}
	return d, nil
}

// otherSequences is the error for models of one dataset that were given other sequences.
func otherSequences(m, first *Model) error {
	return run.Hint(fmt.Errorf("model %s: %d sequences, and model %s has %d, or other clusters: models are compared on the same sequences",
		m.Name, m.Sequences.Len(), first.Name, len(first.Sequences.Clusters())), fmt.Sprintf("give it a dataset of its own: %s/DATASET=FILE", m.Name))
}

// without is why a metric of a model is not computed; empty if it is.
func (d *datasetPlan) without(k *Kind, m *Model) string {
	if d.long(k, m) {
		return "it hides every residue alone, which takes long: ask for it with --metrics"
	}
	reason := k.missing(m, d.Choice.Mode)
	if reason == "" && k.Lacks != nil {
		reason = k.Lacks(d.setting)
	}
	return reason
}

// long reports whether a metric that nobody asked for would have a model look at all sequences
// once for every residue.
func (d *Dataset) long(k *Kind, m *Model) bool {
	return !d.Choice.asked(k.Name) && d.Choice.Mode != RegionPerPosition && runs(m.Source) && k.Wants == nil && k.Needs&(NeedSingle|NeedSingleLogits) != 0
}

// asked reports whether a metric is asked for by name.
func (c *Choice) asked(name string) bool {
	if c.Asked != nil {
		return slices.Contains(c.Asked, name)
	}
	return slices.Contains(c.Metrics, name)
}

// nothingError is why nothing can be computed of any model.
type nothingError string

func (e nothingError) Error() string { return "nothing can be computed: " + string(e) }

// checkAny fails where nothing can be computed of any model.
func (p *plan) checkAny() error {
	reason := ""
	for _, d := range p.datasets {
		for _, m := range d.models {
			if len(m.kinds) > 0 {
				return nil
			}
			for _, s := range m.skipped {
				if reason == "" {
					reason = fmt.Sprintf("%s of %s: %s", s.name, m.Name, s.reason)
				}
			}
		}
	}
	if reason == "" {
		reason = "there are no metrics"
	}
	return nothingError(reason)
}

// resolve returns the options of all metrics: those that are given over defaults.
func resolve(given map[string]map[string]any) (map[string]map[string]any, error) {
	out := map[string]map[string]any{}
	for i := range registry {
		k := &registry[i]
		out[k.Name] = map[string]any{}
		for _, o := range k.Options {
			out[k.Name][o.Name] = o.Default
		}
	}
	for _, name := range sorted(given) {
		k := Find(name)
		if k == nil {
			return nil, run.Hint(run.Usage("there is no metric %q to set options of; the metrics are %s", name, listing()), run.DidYouMean("", name, Names()))
		}
		for _, key := range sorted(given[name]) {
			option := k.canonical(key)
			value, err := k.option(option, given[name][key])
			if err != nil {
				return nil, err
			}
			out[k.Name][option] = value
		}
	}
	return out, nil
}

// identity is that of everything the numbers follow from.
func (p *plan) identity() shard.Identity {
	id := p.common()
	id.Options = append(id.Options, shard.Option("family", p.o.Family), shard.Option("memory", p.o.Memory))
	for _, d := range p.datasets {
		d.enter(&id, d.Name+": ")
		for _, m := range d.models {
			d.enterModel(&id, m, d.Name+": "+m.Name+": ")
		}
	}
	return id
}

// common is the identity without the datasets.
func (p *plan) common() shard.Identity {
	a := p.alphabet
	return shard.Identity{
		Analysis: "sequence", Definition: definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Options: []shard.Field{
			shard.Option("alphabet", a.Names), shard.Option("special tokens", []int{a.CLS, a.Pad, a.EOS, a.Unknown, a.Mask}),
			shard.Option("intervals", p.o.Intervals), shard.Option("block", p.o.Block.Length), shard.Option("seed", p.o.Seed),
		},
	}
}

// enter enters what the models of a dataset share into an identity, under names that begin with prefix.
func (d *datasetPlan) enter(id *shard.Identity, prefix string) {
	c := d.Choice
	id.Options = append(id.Options, shard.Option(prefix+"mode", c.Mode), shard.Option(prefix+"regions", c.Regions),
		shard.Option(prefix+"masking", c.Masking))
	if c.Substitutions != nil {
		id.Inputs = append(id.Inputs, shard.Field{Name: prefix + "substitutions", Value: c.Substitutions.digest})
	}
	id.Inputs = append(id.Inputs, shard.Field{Name: prefix + "clusters", Value: fmt.Sprint(d.groups.n, " ", d.groups.clusters)})
}

// enterModel enters a model of the dataset and its metrics.
func (d *datasetPlan) enterModel(id *shard.Identity, m *modelPlan, prefix string) {
	var kinds []string
	for _, k := range m.kinds {
		kinds = append(kinds, k.Name)
		for _, o := range k.Options {
			id.Options = append(id.Options, shard.Option(prefix+k.Name+": "+o.Name, d.setting.Options[k.Name][o.Name]))
		}
	}
	id.Options = append(id.Options, shard.Option(prefix+"metrics", kinds))
	if m.Inputs == nil {
		return
	}
	fields, err := m.Inputs()
	if err != nil {
		fields = []shard.Field{{Name: "unknown", Value: "unknown: " + err.Error()}}
	}
	for _, f := range fields {
		id.Inputs = append(id.Inputs, shard.Field{Name: prefix + f.Name, Value: f.Value})
	}
}

// identityOf is that of what a model's metrics accumulate over the groups lo … hi−1 of a dataset. Metrics that hold sequences have
// a part of the memory, which follows from the number of all models.
func (p *plan) identityOf(d *datasetPlan, m *modelPlan, lo, hi int) shard.Identity {
	id := p.common()
	d.enter(&id, "")
	if m.Inputs == nil {
		id.Inputs = append(id.Inputs, shard.Field{Name: "model"}) // unknown
	}
	d.enterModel(&id, m, "")
	if slices.ContainsFunc(m.kinds, func(k *Kind) bool { return k.Holds }) {
		id.Options = append(id.Options, shard.Option("memory", d.setting.Memory))
	}
	id.Options = append(id.Options, shard.Option("groups", []int{lo, hi}))
	return id
}

// measure computes a range of units.
func (p *plan) measure(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{}
	for i, d := range p.datasets {
		lo, hi := max(r.Lo-d.first, 0), min(r.Hi-d.first, d.groups.count())
		for m, model := range d.models {
			if lo >= hi || len(model.kinds) == 0 {
				continue
			}
			computed := false
			states, err := shard.Remember(ctx, func() shard.Identity { return p.identityOf(d, model, lo, hi) }, func() ([]State, error) {
				computed = true
				return p.accumulate(ctx, d, model, lo, hi)
			})
			if !computed {
				p.skip(d, lo, hi, 1)
			}
			if err != nil {
				if err = fmt.Errorf("%s: %w", model.Name, err); !fault.OfModel(ctx, err) {
					return nil, err
				}
				part.Pieces = append(part.Pieces, Piece{Dataset: i, Model: m, Failed: err.Error()})
				continue
			}
			part.Pieces = append(part.Pieces, Piece{Dataset: i, Model: m, States: states})
		}
	}
	return part, nil
}

// newMetrics are the census and the metrics of a model, empty.
func (d *datasetPlan) newMetrics(m *modelPlan) []Metric {
	out := []Metric{newCensus()}
	for _, k := range m.kinds {
		out = append(out, k.New(d.setting))
	}
	return out
}

// merge puts the result together and compares the models.
func (p *plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	r := &Result{plannedKinds: p.planned(), paired: p.paired()}
	// intervals of variants delete positions, and say themselves where these are few
	overSequences := slices.ContainsFunc(r.plannedKinds, func(k *Kind) bool { return k.Name != substitutions.Name })
	for i, d := range p.datasets {
		out := DatasetResult{Name: d.Name, Sequences: d.groups.n, groups: d.groups}
		if p.o.Intervals {
			if d.groups.count() >= fewestGroups {
				out.Blocks = d.groups.name()
			}
			for _, w := range d.groups.warnings() {
				if overSequences && !slices.Contains(r.Warnings, w) {
					r.Warnings = append(r.Warnings, w)
				}
			}
		}
		var censuses []*census
		var counted []string // their models
		for m, model := range d.models {
			var pieces []Piece
			for _, part := range parts {
				for _, piece := range part.Pieces {
					if piece.Dataset == i && piece.Model == m {
						pieces = append(pieces, piece)
					}
				}
			}
			if at := slices.IndexFunc(pieces, func(piece Piece) bool { return piece.Failed != "" }); at >= 0 {
				failed := report.Unmeasured{Name: model.Name, Reason: pieces[at].Failed}
				if len(p.datasets) > 1 {
					failed.Name += "/" + d.Name
				}
				r.Unmeasured = append(r.Unmeasured, failed)
				continue
			}
			metrics, err := d.join(model, pieces)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", model.Name, err)
			}
			result, err := p.summarize(ctx, d, model, metrics)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", model.Name, err)
			}
			out.Models = append(out.Models, *result)
			if len(metrics) > 0 {
				censuses, counted = append(censuses, metrics[0].(*census)), append(counted, model.Name)
			}
		}
		if len(out.Models) == 0 {
			return nil, errors.New(r.Unmeasured[len(r.Unmeasured)-len(d.models)].Reason)
		}
		if err := sameSequences(counted, censuses); err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, otherMasks(counted, censuses)...)
		warnings, err := out.compare(p.o)
		if err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, warnings...)
		r.Datasets = append(r.Datasets, out)
	}
	return r, r.nothing()
}

// join merges the metrics of the pieces of a model.
func (d *datasetPlan) join(m *modelPlan, pieces []Piece) ([]Metric, error) {
	if len(pieces) == 0 {
		return nil, nil
	}
	var joined []Metric
	for at, k := range append([]*Kind{{Name: "census"}}, m.kinds...) {
		if first := pieces[0].States[at].metric; len(pieces) == 1 && first != nil {
			joined = append(joined, first)
			continue
		}
		sum := d.newMetrics(m)[at]
		for i, piece := range pieces {
			other := piece.States[at].metric
			if other == nil {
				other = d.newMetrics(m)[at]
				if err := other.UnmarshalBinary(piece.States[at].data); err != nil {
					return nil, fmt.Errorf("%s: %w", k.Name, err)
				}
				if i == 0 {
					sum = other
					continue
				}
			}
			if err := sum.Merge(other); err != nil {
				return nil, fmt.Errorf("%s: %w", k.Name, err)
			}
		}
		joined = append(joined, sum)
	}
	return joined, nil
}

// summarize computes the numbers of a model.
func (p *plan) summarize(ctx context.Context, d *datasetPlan, m *modelPlan, metrics []Metric) (*ModelResult, error) {
	r := &ModelResult{Name: m.Name, Kept: map[string]any{}, jackknifes: map[string]*stat.Jackknifed{}, deleted: map[string]string{}}
	reasons := map[string]string{}
	for _, s := range m.skipped {
		reasons[s.name] = s.reason
	}
	if len(metrics) > 0 {
		metrics[0].(*census).enter(&r.Object)
		metrics = metrics[1:]
	}
	for i, metric := range metrics {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := m.kinds[i]
		s := &Summary{Setting: d.setting, Object: &r.Object, kind: k, intervals: p.o.Intervals, groups: d.groups, model: r}
		var left *skipped
		switch err := metric.Result(ctx, s); {
		case errors.As(err, &left):
			reasons[k.Name] = left.reason
		case err != nil:
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		default:
			r.Metrics = append(r.Metrics, k.Name)
		}
	}
	for i := range registry {
		if reason, ok := reasons[registry[i].Name]; ok {
			r.Skipped.Set(registry[i].Name, reason)
		}
	}
	r.Object.Set("skipped", r.Skipped)
	return r, nil
}

// nothing is an error where no metric of any model was computed.
func (r *Result) nothing() error {
	reason := ""
	for _, d := range r.Datasets {
		for i := range d.Models {
			m := &d.Models[i]
			if len(m.Metrics) > 0 {
				return nil
			}
			for _, name := range m.Skipped.Keys() {
				if why, _ := m.Skipped.Get(name); reason == "" {
					reason = fmt.Sprintf("%s of %s: %v", name, m.Name, why)
				}
			}
		}
	}
	if len(r.Unmeasured) > 0 {
		return errors.New(r.Unmeasured[0].Reason)
	}
	return nothingError(reason)
}

// skipped is why a metric is not computed, as an error.
type skipped struct{ reason string }

func (s *skipped) Error() string { return s.reason }

// Skip is an error that leaves a metric out of the numbers of a model, with its reason: what
// [Metric] may return of Result.
func Skip(format string, args ...any) error { return &skipped{fmt.Sprintf(format, args...)} }

// enter puts the models of a dataset into a part of the result file.
func (d *DatasetResult) enter(o *report.Object) {
	for i := range d.Models {
		o.Set(d.Models[i].Name, d.Models[i].Object)
	}
}
