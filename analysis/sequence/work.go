// The work of an analysis in units: groups of sequences, of one dataset after the other.

package sequence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/analysis/sequence/internal/groups"
	"repscope/internal/fault"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Analyze evaluates all models on all datasets. Errors: no dataset, no model or no sequence,
// models of other sequences, unknown metrics and options, nothing that can be
// computed. A model that fails, or whose answers cannot be read, is not evaluated, the others
// are; it is an error where that is every model of a dataset.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	p, err := NewPlan(in, o)
	if err != nil {
		return nil, err
	}
	return p.Work().Run(ctx)
}

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

// Work is the plan in units: groups of sequences, of one dataset after the other.
func (p *Plan) Work() shard.Work[*Part, *Result] {
	units := 0
	for _, d := range p.Datasets {
		units += d.groups.Count()
	}
	return shard.Work[*Part, *Result]{Units: units, Identity: p.identity, Map: p.measure, Merge: p.merge}
}

// Skip counts the sequences of the units lo … hi−1, which are computed already, as looked at by every model.
func (p *Plan) Skip(lo, hi int) {
	for _, d := range p.Datasets {
		for range d.Models {
			p.skip(d, max(lo-d.first, 0), min(hi-d.first, d.groups.Count()))
		}
	}
}

// skip counts the sequences of the groups lo … hi−1 of a dataset, none if hi is no larger, as looked at by a model.
func (p *Plan) skip(d *DatasetPlan, lo, hi int) {
	for g := lo; g < hi; g++ {
		p.done.Add(int64(len(d.groups.Members(g))))
	}
}

// measure computes a range of units.
func (p *Plan) measure(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{}
	for i, d := range p.Datasets {
		lo, hi := max(r.Lo-d.first, 0), min(r.Hi-d.first, d.groups.Count())
		for m, model := range d.Planned {
			if lo >= hi || len(model.Kinds) == 0 {
				continue
			}
			computed := false
			states, err := shard.Remember(ctx, func() shard.Identity { return p.identityOf(d, model, lo, hi) }, func() ([]State, error) {
				computed = true
				return p.accumulate(ctx, d, model, lo, hi)
			})
			if !computed {
				p.skip(d, lo, hi)
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
func (d *DatasetPlan) newMetrics(m *ModelPlan) []Metric {
	out := []Metric{newCensus()}
	for _, k := range m.Kinds {
		out = append(out, k.New(d.setting))
	}
	return out
}

// merge puts the result together and compares the models.
func (p *Plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	r := &Result{Planned: p.Metrics(), Paired: p.Paired()}
	overSequences := slices.ContainsFunc(r.Planned, func(k *Kind) bool { return !k.OwnGroups })
	for i, d := range p.Datasets {
		out := DatasetResult{Name: d.Name, Sequences: d.groups.N, Group: d.groups.Labels()}
		named := func(warning string) string {
			if len(p.Datasets) > 1 {
				return d.Name + ": " + warning
			}
			return warning
		}
		if p.o.Intervals {
			if d.groups.Count() >= groups.Fewest {
				out.Blocks = d.groups.Name()
			}
			for _, w := range d.groups.Warnings() {
				if overSequences && !slices.Contains(r.Warnings, w) {
					r.Warnings = append(r.Warnings, w)
				}
			}
		}
		var censuses []*census
		var counted []string // their models
		for m, model := range d.Planned {
			var pieces []Piece
			for _, part := range parts {
				for _, piece := range part.Pieces {
					if piece.Dataset == i && piece.Model == m {
						pieces = append(pieces, piece)
					}
				}
			}
			if i := slices.IndexFunc(pieces, func(piece Piece) bool { return piece.Failed != "" }); i >= 0 {
				failed := report.Unmeasured{Name: model.Name, Reason: pieces[i].Failed}
				if len(p.Datasets) > 1 {
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
			for _, w := range result.warnings {
				r.Warnings = append(r.Warnings, named(w))
			}
			if len(metrics) > 0 {
				censuses, counted = append(censuses, metrics[0].(*census)), append(counted, model.Name)
			}
		}
		if len(out.Models) == 0 {
			return nil, errors.New(r.Unmeasured[len(r.Unmeasured)-len(d.Planned)].Reason)
		}
		if err := sameSequences(counted, censuses); err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, otherMasks(counted, censuses)...)
		if len(censuses) > 0 {
			clusters := points.Pick(d.Planned[0].Sequences.Clusters(), d.groups.Order)
			if w := censuses[0].inSeveralClusters(clusters); w != "" {
				r.Warnings = append(r.Warnings, named(w))
			}
		}
		warnings, err := out.compare(p.registry, p.o)
		if err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, warnings...)
		r.Datasets = append(r.Datasets, out)
	}
	return r, r.nothing()
}

// join merges the metrics of the pieces of a model.
func (d *DatasetPlan) join(m *ModelPlan, pieces []Piece) ([]Metric, error) {
	if len(pieces) == 0 {
		return nil, nil
	}
	var joined []Metric
	for column, k := range append([]*Kind{{Name: "census"}}, m.Kinds...) {
		if first := pieces[0].States[column].metric; len(pieces) == 1 && first != nil {
			joined = append(joined, first)
			continue
		}
		sum := d.newMetrics(m)[column]
		for i, piece := range pieces {
			other := piece.States[column].metric
			if other == nil {
				other = d.newMetrics(m)[column]
				if err := other.UnmarshalBinary(piece.States[column].data); err != nil {
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
func (p *Plan) summarize(ctx context.Context, d *DatasetPlan, m *ModelPlan, metrics []Metric) (*ModelResult, error) {
	r := &ModelResult{Name: m.Name, Kept: map[string]any{}, jackknifes: map[string]*stat.Jackknifed{}, deleted: map[string]string{}}
	reasons := map[string]string{}
	for _, s := range m.Skipped {
		reasons[s.Metric] = s.Reason
	}
	if len(metrics) > 0 {
		metrics[0].(*census).enter(&r.Object)
		metrics = metrics[1:]
	}
	for i, metric := range metrics {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := m.Kinds[i]
		s := &Summary{Setting: d.setting, Object: &r.Object, kind: k, Intervals: p.o.Intervals, groups: d.groups, model: r}
		var missing *skipped
		switch err := metric.Result(ctx, s); {
		case errors.As(err, &missing):
			reasons[k.Name] = missing.reason
		case err != nil:
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		default:
			r.Metrics = append(r.Metrics, k.Name)
		}
	}
	for i := range p.registry {
		if reason, ok := reasons[p.registry[i].Name]; ok {
			r.Skipped.Set(p.registry[i].Name, reason)
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
	return NothingError(reason)
}

// skipped is why a metric is not computed, as an error.
type skipped struct{ reason string }

func (s *skipped) Error() string { return s.reason }

// Skip is an error that leaves a metric out of the numbers of a model, with its reason: what
// [Metric] may return of Result.
func Skip(format string, args ...any) error { return &skipped{fmt.Sprintf(format, args...)} }
