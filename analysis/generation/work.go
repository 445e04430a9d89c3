// The work of an analysis in units: one metric of one generator each, metric after metric.

package generation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"repscope/analysis/internal/results"
	"repscope/internal/kernel"
	"repscope/internal/option"
	"repscope/points"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity]. 2: overall_uniqueness_ratio
// is the mean over labels, as published; it was what pooled_uniqueness_ratio is. 3: novelty, distances and their
// intervals have the error of the real samples too. 4: columns of tables are centered, on which kid and the Vendi
// scores depend.
const Definition = 4

// Part is the outcome of a range of units.
type Part struct{ Outcomes []Outcome }

// Outcome is the outcome of one unit: a model in which the metric's field alone is set, or which
// says why it was skipped.
type Outcome struct {
	Metric string
	Model  Model
}

// Work returns the analysis in units; see [Analyze] for the result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	o, err := o.WithDefaults()
	if err != nil {
		return none, err
	}
	if in, err = in.checked(); err != nil {
		return none, err
	}
	a := &analyzer{in: in, o: o}
	if !o.independent() {
		a.in, a.related = in.inOrder()
	}
	a.shared = sync.OnceValue(a.common)
	return shard.Work[*Part, *Result]{Units: len(o.Metrics) * len(in.Generators), Identity: sync.OnceValue(a.identity),
		Map: a.measure, Merge: a.merge}, nil
}

// unit is the metric and the generator of a unit.
func (a *analyzer) unit(u int) (*Metric, *Generator) {
	n := len(a.in.Generators)
	return Find(a.o.Metrics[u/n]), &a.in.Generators[u%n]
}

// measure computes a range of units.
func (a *analyzer) measure(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{}
	for u := r.Lo; u < r.Hi; u++ {
		metric, g := a.unit(u)
		identity := sync.OnceValue(func() shard.Identity { return a.identityOf(metric, g) })
		out, kept := shard.Recall[Outcome](ctx, identity)
		if !kept {
			out = Outcome{Metric: metric.Name, Model: Model{Reference: g.Reference}}
			var skip *skipped
			err := a.compute(ctx, metric, g, &out.Model)
			switch {
			case errors.As(err, &skip): // a reason may name a file, and takes no time
				out.Model.Skipped = []Skipped{{metric.Name, skip.reason}}
			case err != nil:
				return nil, fmt.Errorf("%s of %s: %w", metric.Name, g.Name, err)
			default:
				shard.Keep(ctx, identity, out)
			}
		}
		out.Model.Name = g.Name
		part.Outcomes = append(part.Outcomes, out)
		a.step()
	}
	return part, nil
}

// compute computes one metric, or says as a skipped error why not.
func (a *analyzer) compute(ctx context.Context, metric *Metric, g *Generator, m *Model) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if reason := metric.Missing(&a.in, g); reason != "" {
		return &skipped{reason}
	}
	return metric.compute(ctx, a, g, m)
}

// step tells that a unit is done.
func (a *analyzer) step() {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.done++
	if a.o.Progress != nil {
		a.o.Progress(min(a.done, len(a.o.Metrics)*len(a.in.Generators)), len(a.o.Metrics)*len(a.in.Generators))
	}
}

// merge puts the result together and compares the generators.
func (a *analyzer) merge(_ context.Context, parts []*Part) (*Result, error) {
	r := Collect(a.in, a.o, parts)
	for i := range r.Models {
		if f := r.Models[i].Fidelity; f != nil && f.Degenerate != "" {
			r.Warnings = append(r.Warnings, fmt.Sprintf("fidelity of %s is degenerate: %s", r.Models[i].Name, f.Degenerate))
		}
		if a.o.Intervals {
			a.warnOfSizes(r, i)
		}
	}
	if n := a.alike(); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d real and hold-out samples are equal to one of the other kind, so "+
			"that hold-out samples are "+
			"partly known to the generators: audit finds them", n))
	}
	if err := a.compare(r); err != nil {
		return nil, err
	}
	return r, nil
}

// alike counts real and hold-out samples that are equal to one of the other kind.
func (a *analyzer) alike() int {
	real, holdOut := a.in.Real, a.in.HoldOut
	if real == nil || holdOut == nil || real.Rows.Type() != holdOut.Rows.Type() || real.Rows.Dim != holdOut.Rows.Dim {
		return 0
	}
	part := append(make([]int, real.Rows.N), slices.Repeat([]int{1}, holdOut.Rows.N)...)
	return points.Shared(points.Join(real.Rows, holdOut.Rows), part)
}

// warnOfSizes warns of groups of samples whose size goes with the values of a generator in them.
func (a *analyzer) warnOfSizes(r *Result, generator int) {
	g, m := &a.in.Generators[generator], &r.Models[generator]
	warn := func(number string, values []float64, groups []int) {
		if groups == nil {
			return
		}
		if l, err := stat.LengthsOf(values, groups); err == nil && l.Go() {
			r.Warnings = append(r.Warnings, l.Warning(m.Name+": "+number, "sample", "group"))
		}
	}
	if m.Reconstruction != nil {
		warn("reconstruction.mean_iou", m.Reconstruction.IoU, m.Reconstruction.Groups)
	}
	if m.Diversity != nil && g.Generated != nil {
		warn("diversity.validity_rate", shares(g.Generated.N(), g.Generated.IsValid), g.Generated.Groups)
	}
	if p := g.Predictions; m.Conditioning != nil && p != nil {
		exact := p.within(0, nil)
		warn("conditioning.exact_accuracy", shares(len(exact), func(i int) bool { return exact[i] }), p.Groups)
	}
}

// shares are 1 for the samples 0 to n − 1 that hit names, and 0 for the others.
func shares(n int, hit func(i int) bool) []float64 {
	out := make([]float64, n)
	for i := range out {
		if hit(i) {
			out[i] = 1
		}
	}
	return out
}

// Collect makes the result, without comparisons and warnings, of the parts there are; a metric of a
// generator that is in none is skipped as not computed yet. The metrics come from the options, which are checked.
func Collect(in Input, o Options, parts []*Part) *Result {
	var outcomes []Outcome
	for _, part := range parts {
		outcomes = append(outcomes, part.Outcomes...)
	}
	r := &Result{Metrics: o.Metrics}
	for i := range in.Generators {
		g := &in.Generators[i]
		m := Model{Name: g.Name, Reference: g.Reference}
		for _, name := range o.Metrics {
			k := slices.IndexFunc(outcomes, func(o Outcome) bool { return o.Metric == name && o.Model.Name == g.Name })
			if k < 0 {
				m.Skipped = append(m.Skipped, Skipped{name, "not computed yet"})
				continue
			}
			m.take(&outcomes[k].Model)
		}
		r.Models = append(r.Models, m)
	}
	return r
}

// take moves what one unit found into the model.
func (m *Model) take(other *Model) {
	m.Skipped = append(m.Skipped, other.Skipped...)
	take(&m.Reconstruction, other.Reconstruction)
	take(&m.Diversity, other.Diversity)
	take(&m.Similarity, other.Similarity)
	take(&m.Clusters, other.Clusters)
	take(&m.Conditioning, other.Conditioning)
	take(&m.Fidelity, other.Fidelity)
}

func take[T any](to **T, from *T) {
	if from != nil {
		*to = from
	}
}

// compare tests all pairs of generators on the numbers that both have.
func (a *analyzer) compare(r *Result) error {
	if !a.o.Intervals {
		return nil
	}
	var paths []string
	estimates := map[string]map[string]Estimate{}
	var names []string
	for i := range r.Models {
		m := &r.Models[i]
		if m.Reference {
			continue
		}
		names = append(names, m.Name)
		for _, metric := range registry {
			for _, e := range metric.Estimates(m) {
				if estimates[e.Path] == nil {
					estimates[e.Path] = map[string]Estimate{}
					paths = append(paths, e.Path)
				}
				estimates[e.Path][m.Name] = e
			}
		}
	}
	for _, path := range paths {
		byModel := estimates[path]
		jackknifes := make([]*stat.Jackknifed, len(names))
		for i, name := range names {
			jackknifes[i] = byModel[name].Jackknife
		}
		shared := func(i, j int) int {
			x, y := byModel[names[i]], byModel[names[j]]
			if x.Shared == y.Shared && x.Items == y.Items {
				return x.Shared
			}
			return 0
		}
		compared, err := results.PairwiseSharing(results.Metric{Name: path, Family: path}, names, jackknifes, shared,
			a.o.Seed)
		if err != nil {
			return fmt.Errorf("comparing %s: %w", path, err)
		}
		r.Comparisons = append(r.Comparisons, compared...)
	}
	a.withdraw(r)
	results.Correct(r.Comparisons, a.o.Family)
	return nil
}

// identity is the identity of everything the numbers follow from.
func (a *analyzer) identity() shard.Identity {
	id := a.common()
	add := func(name, value string) { id.Inputs = append(id.Inputs, shard.Field{Name: name, Value: value}) }
	for i := range a.in.Generators {
		g := &a.in.Generators[i]
		add("generated "+g.Name, fmt.Sprint(g.Reference, " ", g.Generated.Identity()))
		add("reconstruction "+g.Name, g.Reconstruction.digest())
		add("latents "+g.Name, g.Latents.digest())
		add("predictions "+g.Name, g.Predictions.digest())
	}
	return id
}

// identityOf is the identity of a metric of one generator. Latents without labels are named in what it says.
func (a *analyzer) identityOf(metric *Metric, g *Generator) shard.Identity {
	id := a.shared()
	id.Inputs = slices.Clone(id.Inputs)
	for i, f := range id.Inputs {
		id.Inputs[i].Value = cmp.Or(f.Value, "none")
	}
	id.Options = slices.DeleteFunc(slices.Clone(id.Options), func(f shard.Field) bool {
		return f.Name == "metrics" || f.Name == "family"
	})
	name := ""
	if g.Latents != nil && g.Latents.Labels == nil {
		name = g.Latents.Name
	}
	content := []string{fmt.Sprint(g.Reference), g.Generated.Identity(), g.Reconstruction.digest(), g.Latents.digest(),
		g.Predictions.digest()}
	if g.Reconstruction != nil && g.Reconstruction.Digest == "" {
		content = []string{"unknown"}
	}
	return id.OfModel(strings.Join(content, "; "), shard.Option("metric", metric.Name), shard.Option("latents", name))
}

// common is the identity without the generators.
func (a *analyzer) common() shard.Identity {
	in := a.in
	id := shard.Identity{
		Analysis: "generation", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Options: slices.Concat(option.Of(&a.o).Identity(), a.o.Identity(), []shard.Field{shard.Option("metrics", a.o.Metrics)}),
	}
	add := func(name, value string) { id.Inputs = append(id.Inputs, shard.Field{Name: name, Value: value}) }
	var names []string
	for _, label := range sortedKeys(in.LabelNames) {
		names = append(names, fmt.Sprintf("%d=%q", label, in.LabelNames[label]))
	}
	add("label names", strings.Join(names, " "))
	add("real", in.Real.Identity())
	add("hold-out", in.HoldOut.Identity())
	add("real latents", in.RealLatents.digest())
	add("real predictions", in.RealPredictions.digest())
	return id
}
