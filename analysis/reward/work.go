// The work of an analysis in units: one model after the other, then the baselines.

package reward

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis"
	"repscope/analysis/internal/results"
	"repscope/internal/kernel"
	"repscope/internal/option"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 2

// Part is the outcome of a range of units: one for each model, and a last one for the
// baselines.
type Part struct{ Measured []Measured }

// Measured is one model's rows, and what its probes said about every sample.
type Measured struct {
	Name     string
	Baseline bool
	Rows     []Row
	Gaps     []Gap
	Means    []Mean
	Curve    []Point
	Skipped  []Skipped
	Warnings []string
	// Disentanglement is nil where it was not asked for.
	Disentanglement *Disentanglement
}

// Row is one probe of one target, fitted and evaluated.
type Row struct {
	Target, Probe         string
	FittedOn, EvaluatedOn string
	Alphas                []float64 // of the folds; nil for probes without
	Scores                []Score
	Control               []Score // of the same probe on targets of other episodes; nil: not asked for
	// Predictions are the predicted numbers or classes of all samples, Losses the squared
	// errors, or 1 for each wrong class.
	Predictions, Losses []float64
}

// Work returns the analysis in units; see [Analyze] for the result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	o, err := o.withDefaults()
	if err != nil {
		return none, err
	}
	if err := in.check(); err != nil {
		return none, err
	}
	a, err := newAnalyzer(in, o)
	if err != nil {
		return none, err
	}
	return shard.Work[*Part, *Result]{Units: len(in.Models) + 1, Identity: a.identity, Map: a.measureAll, Merge: a.merge}, nil
}

// identity is the identity of everything the numbers follow from.
func (a *analyzer) identity() shard.Identity {
	id := a.common()
	id.Inputs = append(a.dynamics().Digest(), id.Inputs...)
	for _, m := range a.in.Models {
		for _, g := range m.Given {
			id.Inputs = append(id.Inputs, shard.Field{Name: "predicted rewards " + m.Name + " " + g.FittedOn + " " + g.EvaluatedOn,
				Value: shard.Digest(points.Float64(g.Values, 1))})
		}
	}
	return id
}

// common is the identity without the models.
func (a *analyzer) common() shard.Identity {
	in, o := a.in, a.o
	id := shard.Identity{
		Analysis: "reward", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Options: append(option.Of(&o).Identity(), o.Identity()...),
	}
	for _, t := range in.Targets {
		id.Inputs = append(id.Inputs, shard.Field{Name: "target " + t.Name + " " + t.Category, Value: t.digest()})
	}
	return id
}

// sampled is the common identity with the samples, which follow from all models: what the baselines follow from.
func (a *analyzer) sampled() shard.Identity {
	blocks := "none"
	if b := a.data.blocks; b != nil {
		blocks = b.String() + " " + shard.Digest(points.Points{}, b.Labels())
	}
	id := a.common()
	id.Options = slices.DeleteFunc(id.Options, func(f shard.Field) bool { return f.Name == "family" })
	id.Inputs = append(id.Inputs,
		shard.Field{Name: "successors", Value: shard.Digest(points.Points{}, a.in.Episode, a.in.Time, a.in.Next)},
		shard.Field{Name: "samples", Value: shard.Digest(points.Points{}, a.data.now, a.data.next, a.data.group, a.fold, a.choice, a.before)},
		shard.Field{Name: "blocks", Value: blocks})
	return id
}

// identityOf is the identity of the rows of one model.
func (a *analyzer) identityOf(m *Model) shard.Identity {
	content := shard.Digest(m.Latents)
	if m.Predicted.N > 0 {
		content += " predicted " + shard.Digest(m.Predicted)
	}
	for _, g := range m.Given {
		content += " " + g.FittedOn + " " + g.EvaluatedOn + " " + shard.Digest(points.Float64(g.Values, 1))
	}
	return a.sampled().OfModel(content)
}

// digest is the digest of the target's values.
func (t *Target) digest() string {
	values := t.Values
	if t.Classified() {
		values = make([]float64, len(t.Classes))
		for i, k := range t.Classes {
			values[i] = float64(k)
			if t.Missing != nil && t.Missing[i] {
				values[i] += 0.5
			}
		}
	}
	return fmt.Sprint(t.Kind(), t.OfTransition, shard.Digest(points.Float64(values, 1)))
}

// measureAll measures a range of units.
func (a *analyzer) measureAll(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{}
	a.total = (min(r.Hi, len(a.in.Models)) - r.Lo) * a.partsPerModel()
	a.done = 0
	for u := r.Lo; u < r.Hi; u++ {
		if u == len(a.in.Models) {
			rest, err := shard.Remember(ctx, a.sampled, func() ([]Measured, error) { return a.measureBaselines(ctx) })
			if err != nil {
				return nil, err
			}
			part.Measured = append(part.Measured, rest...)
			continue
		}
		model := &a.in.Models[u]
		m, err := results.Remember(ctx, model.Name, func() shard.Identity { return a.identityOf(model) },
			func(name string) (Measured, error) { return a.measure(ctx, model, name) },
			func(m *Measured) (name *string, warnings []string) { return &m.Name, m.Warnings })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", model.Name, err)
		}
		a.step()
		part.Measured = append(part.Measured, m)
	}
	return part, nil
}

// step tells that a part of the work is done.
func (a *analyzer) step() {
	a.done++
	if a.o.Progress != nil {
		a.o.Progress(a.done, a.total)
	}
}

// merge puts the result together and compares the models.
func (a *analyzer) merge(ctx context.Context, parts []*Part) (*Result, error) {
	result := &Result{Samples: a.data.summary, Targets: a.summaries, Warnings: slices.Clone(a.warnings), Data: a.data, Scorers: a.scorers, Probes: a.o.Probes, Folds: a.fold}
	if a.data.blocks != nil {
		result.Blocks = results.Deleted(a.data.blocks)
	}
	for _, part := range parts {
		for i := range part.Measured {
			m := &part.Measured[i]
			result.Warnings = append(result.Warnings, m.Warnings...)
			result.Measured = append(result.Measured, m)
			result.Models = append(result.Models, m.result(a))
		}
	}
	if err := a.compare(result); err != nil {
		return nil, err
	}
	if err := a.addDynamics(ctx, result); err != nil {
		return nil, err
	}
	results.Correct(result.Comparisons, a.o.Family)
	return result, nil
}

// dynamics is what the analysis of dynamics looks at.
func (a *analyzer) dynamics() *DynamicsInput {
	in := &DynamicsInput{Episode: a.in.Episode, Time: a.in.Time, Next: a.in.successors()}
	for _, m := range a.in.Models {
		in.Models = append(in.Models, DynamicsModel{Name: m.Name, Latents: m.Latents, Predicted: m.Predicted, Rollout: m.Rollout})
	}
	return in
}

// addDynamics measures the models of dynamics and adds the results to the models.
func (a *analyzer) addDynamics(ctx context.Context, result *Result) error {
	var err error
	if result.Dynamics, err = Dynamics(ctx, *a.dynamics(), DynamicsOptions{SkipNaN: a.o.SkipNaN, Settings: analysis.Settings{Intervals: a.o.Intervals, Block: a.o.Block, Seed: a.o.Seed, Threads: a.o.Threads}}); err != nil {
		return err
	}
	dynamics := result.Dynamics
	for _, measured := range dynamics.Models {
		i := slices.IndexFunc(result.Models, func(m ModelResult) bool { return m.Name == measured.Name })
		m := &result.Models[i]
		m.LatentPrediction, m.Rollout, m.RolloutHorizon, m.TemporalDistance = measured.LatentPrediction, measured.Rollout, measured.RolloutHorizon, measured.TemporalDistance
		for _, s := range measured.Skipped {
			m.Skipped.Set(s.Metric, s.Reason)
		}
	}
	result.Comparisons = append(result.Comparisons, dynamics.Comparisons...)
	for _, w := range dynamics.Warnings {
		if !slices.Contains(result.Warnings, w) {
			result.Warnings = append(result.Warnings, w)
		}
	}
	return nil
}

// result is what the result file says of a model.
func (m *Measured) result(a *analyzer) ModelResult {
	out := ModelResult{Name: m.Name, Baseline: m.Baseline, Probes: []ProbeRow{}}
	for i := range m.Rows {
		out.Probes = append(out.Probes, m.Rows[i].result(a.data))
	}
	for i := range m.Gaps {
		out.Gaps = append(out.Gaps, m.Gaps[i].result())
	}
	if len(out.Gaps) > 0 {
		g := &out.Gaps[0]
		out.PublishedGap, out.TransferGap = &g.Published, &g.Transfer
	}
	for i := range m.Means {
		out.Categories = append(out.Categories, m.Means[i].result())
	}
	for i := range m.Curve {
		out.LabelEfficiency = append(out.LabelEfficiency, m.Curve[i].result())
	}
	out.Disentanglement = m.Disentanglement
	for _, s := range m.Skipped {
		out.Skipped.Set(s.Metric, s.Reason)
	}
	return out
}

// comparedMetrics are the scores that models are compared by: scores that others are
// functions of one target.
var comparedMetrics = []string{"r2", "auroc", "balanced_accuracy", "f1"}

// compare tests all pairs of models on every row that both have. Baselines stand next to
// every probe of their target, and are not compared with each other.
func (a *analyzer) compare(r *Result) error {
	if !a.o.Intervals {
		return nil
	}
	var table comparisons
	for _, m := range r.Measured {
		if m.Baseline {
			continue
		}
		for i := range m.Rows {
			row := &m.Rows[i]
			for _, s := range row.Scores {
				if slices.Contains(comparedMetrics, s.Metric) {
					table.add(row.key(s.Metric), m.Name, s.Jackknife)
				}
			}
		}
		for i := range m.Gaps {
			g := &m.Gaps[i]
			table.add(key{metric: "transfer_gap", target: g.Target, probe: g.Probe}, m.Name, g.Transfer.Jackknife)
			table.add(key{metric: "published_gap", target: g.Target, probe: g.Probe}, m.Name, g.Published.Jackknife)
		}
	}
	for _, m := range r.Measured {
		if !m.Baseline {
			continue
		}
		for i := range m.Rows {
			for _, s := range m.Rows[i].Scores {
				table.addBaseline(m.Rows[i].Target, m.Name, s)
			}
		}
	}
	var err error
	r.Comparisons, err = table.compare(a.o.Seed)
	return err
}

// result is a row as the result file holds it.
func (r *Row) result(s *samples) ProbeRow {
	out := ProbeRow{Name: r.Name(), Target: r.Target, Probe: r.Probe, FittedOn: r.FittedOn, EvaluatedOn: r.EvaluatedOn, N: s.n(), Groups: s.groups, Alphas: r.Alphas}
	if len(r.Alphas) > 0 {
		out.Alpha = new(stat.Median(r.Alphas))
	}
	enter(&out.Scores, "", r.Scores)
	enter(&out.Scores, "control_", r.Control)
	return out
}

// Name is the name of the row in the result file.
func (r *Row) Name() string {
	return strings.Join([]string{r.Target, r.Probe, r.FittedOn, r.EvaluatedOn}, "/")
}

// enter puts scores under their names, with their intervals and deviations.
func enter(o *report.Object, prefix string, scores []Score) {
	for _, s := range scores {
		o.Set(prefix+s.Metric, s.Estimate)
		if s.SD.Defined() {
			o.Set(prefix+s.Metric+"_sd", s.SD)
		}
	}
}
