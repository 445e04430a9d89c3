// The plan of an analysis: the metrics of each model, and the identity of everything that the numbers follow
// from.

package sequence

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"repscope/analysis/sequence/internal/groups"
	"repscope/internal/kernel"
	"repscope/internal/text"
	"repscope/measure/token"
	"repscope/shard"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 1

// Plan is the work of one analysis.
type Plan struct {
	Datasets []*DatasetPlan
	o        Options
	registry Registry
	alphabet *token.Alphabet
	done     atomic.Int64
	total    int
}

// DatasetPlan is the work on one dataset.
type DatasetPlan struct {
	Dataset
	Planned []*ModelPlan // of each of Models
	setting *Setting
	groups  *groups.Groups
	first   int // unit of its first group
}

// ModelPlan are the metrics of one model.
type ModelPlan struct {
	Model
	Kinds   []*Kind
	Skipped []Skipped
	needs   Needs // of all kinds
	always  Needs // of those that look at every sequence
}

// Skipped is a metric that is not computed, and why.
type Skipped struct{ Metric, Reason string }

// Sequences is the number of sequences of the dataset.
func (d *DatasetPlan) Sequences() int { return d.groups.N }

// NewPlan plans an analysis: it checks everything that is known without reading a sequence. See [Analyze] for the
// errors.
func NewPlan(in Input, o Options) (*Plan, error) {
	p := &Plan{o: o, registry: in.Registry, alphabet: in.Alphabet}
	if err := p.registry.check(); err != nil {
		return nil, err
	}
	if p.alphabet == nil {
		p.alphabet = token.Antibody()
	}
	if p.o.Memory <= 0 {
		p.o.Memory = 1 << 30
	}
	if len(in.Datasets) == 0 {
		return nil, errors.New("no dataset to evaluate")
	}
	unit := 0
	for _, dataset := range in.Datasets {
		d, err := p.newDataset(dataset)
		if err != nil {
			return nil, err
		}
		d.first = unit
		unit += d.groups.Count()
		p.total += d.groups.N * len(d.Planned)
		p.Datasets = append(p.Datasets, d)
	}
	p.shareMemory()
	return p, p.checkAny()
}

// Metrics are those that are computed of any model, in the order of the registry.
func (p *Plan) Metrics() []*Kind { return p.metrics(p.Datasets) }

// metrics are those that are computed of any model of the datasets.
func (p *Plan) metrics(datasets []*DatasetPlan) []*Kind {
	var out []*Kind
	for i := range p.registry {
		has := func(m *ModelPlan) bool { return slices.Contains(m.Kinds, &p.registry[i]) }
		if slices.ContainsFunc(datasets, func(d *DatasetPlan) bool { return slices.ContainsFunc(d.Planned, has) }) {
			out = append(out, &p.registry[i])
		}
	}
	return out
}

// Paired are the keys of the first dataset that other runs are paired by: see [Key].
func (p *Plan) Paired() []string {
	var out []string
	for _, k := range p.metrics(p.Datasets[:1]) {
		for _, key := range k.Keys {
			if key.Paired {
				out = append(out, key.Name)
			}
		}
	}
	return out
}

// Runs reports whether a model is run, which takes long.
func (p *Plan) Runs() bool {
	return slices.ContainsFunc(p.Datasets, func(d *DatasetPlan) bool {
		return slices.ContainsFunc(d.Models, func(m Model) bool { return runs(m.Source) })
	})
}

// shareMemory gives every metric that holds much its part of the memory.
func (p *Plan) shareMemory() {
	share := int64(0)
	for _, d := range p.Datasets {
		for _, m := range d.Planned {
			for _, k := range m.Kinds {
				if k.Holds {
					share++
				}
			}
		}
	}
	for _, d := range p.Datasets {
		d.setting.Memory /= max(share, 1)
	}
}

// newDataset is the plan of a dataset.
func (p *Plan) newDataset(dataset Dataset) (*DatasetPlan, error) {
	if len(dataset.Models) == 0 {
		return nil, fmt.Errorf("dataset %s: no model to evaluate", dataset.Name)
	}
	names, err := p.registry.Select(dataset.Choice.Metrics)
	if err != nil {
		return nil, err
	}
	if dataset.Choice.Mode == "" {
		dataset.Choice.Mode = RegionStandard
	}
	options, err := p.registry.Resolve(dataset.Choice.Set)
	if err != nil {
		return nil, err
	}
	d := &DatasetPlan{Dataset: dataset, setting: &Setting{Alphabet: p.alphabet, Mode: dataset.Choice.Mode,
		Regions: dataset.Choice.Regions,
		Options: options, Substitutions: dataset.Choice.Substitutions, Seed: p.o.Seed, Threads: p.o.Threads, Memory: p.o.Memory}}
	clusters := dataset.Models[0].Sequences.Clusters()
	if len(clusters) == 0 {
		return nil, fmt.Errorf("dataset %s: no sequences", dataset.Name)
	}
	d.groups = groups.New(groups.Blocked(clusters, p.o.Block.Length), groups.Most)
	d.setting.Sequences = d.groups.N
	for i := range dataset.Models {
		m := &dataset.Models[i]
		if i > 0 && !slices.Equal(m.Sequences.Clusters(), clusters) {
			return nil, OtherSequences(m, &dataset.Models[0])
		}
		planned := &ModelPlan{Model: *m}
		for _, name := range names {
			kind := p.registry.Find(name)
			if reason := d.without(kind, m); reason != "" {
				planned.Skipped = append(planned.Skipped, Skipped{name, reason})
				continue
			}
			planned.Kinds = append(planned.Kinds, kind)
			needs := kind.asks(m, dataset.Choice.Mode)
			planned.needs |= needs
			if kind.Wants == nil {
				planned.always |= needs
			}
		}
		d.Planned = append(d.Planned, planned)
	}
	return d, nil
}

// OtherSequences is the error for models of one dataset that were given other sequences.
func OtherSequences(m, first *Model) error {
	return text.WithHint(fmt.Errorf("model %s has %d sequences, but model %s has %d, or different clusters: models "+
		"are compared on the same sequences",
		m.Name, m.Sequences.Len(), first.Name, len(first.Sequences.Clusters())), fmt.Sprintf(
		"put the model into its own dataset: %s/DATASET=FILE", m.Name))
}

// without is why a metric of a model is not computed; empty if it is.
func (d *DatasetPlan) without(k *Kind, m *Model) string {
	if d.long(k, m) {
		return "slow, because every residue is masked alone: request it with --metrics"
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

// runs reports whether the answers of a source are computed when they are asked for, which
// takes long where every residue is hidden alone: such metrics are computed by name only.
func runs(s Source) bool {
	r, ok := s.(interface{ Runs() bool })
	return ok && r.Runs()
}

// asked reports whether a metric is asked for by name.
func (c *Choice) asked(name string) bool {
	if c.Asked != nil {
		return slices.Contains(c.Asked, name)
	}
	return slices.Contains(c.Metrics, name)
}

// NothingError is why nothing can be computed of any model.
type NothingError string

func (e NothingError) Error() string { return "nothing can be computed: " + string(e) }

// checkAny fails where nothing can be computed of any model.
func (p *Plan) checkAny() error {
	reason := ""
	for _, d := range p.Datasets {
		for _, m := range d.Planned {
			if len(m.Kinds) > 0 {
				return nil
			}
			for _, s := range m.Skipped {
				if reason == "" {
					reason = fmt.Sprintf("%s of %s: %s", s.Metric, m.Name, s.Reason)
				}
			}
		}
	}
	if reason == "" {
		reason = "no metrics"
	}
	return NothingError(reason)
}

// identity is the identity of everything the numbers follow from.
func (p *Plan) identity() shard.Identity {
	id := p.common()
	id.Options = append(id.Options, shard.Option("family", p.o.Family), shard.Option("memory", p.o.Memory))
	for _, d := range p.Datasets {
		d.enter(&id, d.Name+": ")
		for _, m := range d.Planned {
			d.enterModel(&id, m, d.Name+": "+m.Name+": ")
		}
	}
	return id
}

// common is the identity without the datasets.
func (p *Plan) common() shard.Identity {
	a := p.alphabet
	return shard.Identity{
		Analysis: "sequence", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Options: []shard.Field{
			shard.Option("alphabet", a.Names), shard.Option("special tokens", []int{a.CLS, a.Pad, a.EOS, a.Unknown, a.Mask}),
			shard.Option("intervals", p.o.Intervals), shard.Option("block", p.o.Block.Length), shard.Option("seed", p.o.Seed),
		},
	}
}

// enter enters what the models of a dataset share into an identity, under names that begin with prefix.
func (d *DatasetPlan) enter(id *shard.Identity, prefix string) {
	c := d.Choice
	id.Options = append(id.Options, shard.Option(prefix+"mode", c.Mode), shard.Option(prefix+"regions", c.Regions),
		shard.Option(prefix+"masking", c.Masking))
	if c.Substitutions != nil {
		id.Inputs = append(id.Inputs, shard.Field{Name: prefix + "substitutions", Value: c.Substitutions.Digest})
	}
	id.Inputs = append(id.Inputs, shard.Field{Name: prefix + "clusters",
		Value: fmt.Sprint(d.groups.N, " ", d.groups.Clusters)})
}

// enterModel enters a model of the dataset and its metrics.
func (d *DatasetPlan) enterModel(id *shard.Identity, m *ModelPlan, prefix string) {
	var kinds []string
	for _, k := range m.Kinds {
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

// identityOf is the identity of the sums that a model's metrics accumulate over the groups lo … hi−1 of a dataset.
// Metrics that hold sequences have a part of the memory, which follows from the number of all models.
func (p *Plan) identityOf(d *DatasetPlan, m *ModelPlan, lo, hi int) shard.Identity {
	id := p.common()
	d.enter(&id, "")
	if m.Inputs == nil {
		id.Inputs = append(id.Inputs, shard.Field{Name: "model"}) // unknown
	}
	d.enterModel(&id, m, "")
	if slices.ContainsFunc(m.Kinds, func(k *Kind) bool { return k.Holds }) {
		id.Options = append(id.Options, shard.Option("memory", d.setting.Memory))
	}
	id.Options = append(id.Options, shard.Option("groups", []int{lo, hi}))
	return id
}
