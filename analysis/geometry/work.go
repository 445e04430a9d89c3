// The work of an analysis in units: one model after the other, then the
// similarities of all.

package geometry

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/kernel"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 4

// Part is the outcome of a range of units: one for each model, and a last one for
// the similarities of all, nil where that is not in the range.
type Part struct {
	Models       []Measured
	Similarities *Similarities
}

// Measured is one model, with what it is compared by.
type Measured struct {
	Model    Model
	Metrics  []Metric // in the order in which they were measured
	Warnings []string
}

// Metric is an estimate by which models are compared, nil where it is undefined.
type Metric struct {
	Name      string
	Family    string // of tests
	Path      string // of the number in [Model], where it has another name
	Jackknife *stat.Jackknifed
}

// Similarities are the rows of the symmetric matrices of all models, and how many
// pairs of states RSA ranked.
type Similarities struct {
	Rows     [][]SimilarityRow
	RSAPairs int
	RSAAll   bool
}

func (m *Measured) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// compareBy files an estimate by which models are compared; nil is passed over.
func (m *Measured) compareBy(name, family, path string, j *stat.Jackknifed) {
	if j != nil {
		m.Metrics = append(m.Metrics, Metric{Name: name, Family: family, Path: path, Jackknife: j})
	}
}

// progress counts parts of the work.
type progress struct {
	done, total int
	tell        func(done, total int)
}

// The parts of the work that progress counts: per model, and the similarities.
const (
	partsPerModel     = 4
	partsOfSimilarity = 2
)

func (p *progress) step() {
	p.done++
	if p.tell != nil {
		p.tell(p.done, p.total)
	}
}

// Work returns the analysis in units; see [Analyze] for the result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	if err := in.check(o); err != nil {
		return none, err
	}
	a, err := newAnalyzer(in, o)
	if err != nil {
		return none, err
	}
	return shard.Work[*Part, *Result]{
		Units:    len(in.Models) + 1,
		Identity: a.identity,
		Map:      a.measureAll,
		Merge:    a.merge,
	}, nil
}

// identity is the identity of everything the numbers follow from.
func (a *analyzer) identity() shard.Identity {
	id := a.common()
	id.Inputs = append(id.Inputs, results.Digests(a.in.Models)...)
	return id
}

// common is the identity without the models.
func (a *analyzer) common() shard.Identity {
	in, o := a.in, a.o
	labels := make([]int, len(in.Labels))
	for i, label := range in.Labels {
		labels[i] = int(label)
	}
	return shard.Identity{
		Analysis: "geometry", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Inputs: []shard.Field{
			{Name: "labels", Value: shard.Digest(points.Points{}, labels)},
			{Name: "episodes, times and sample", Value: shard.Digest(points.Points{}, in.Episode, in.Time, in.Sample)},
			{Name: "equal states", Value: shard.Digest(points.Points{}, in.Same)},
		},
		Options: append(option.Of(&o).Identity(), o.Identity()...),
	}
}

// identityOf names the inputs and options that one model's numbers follow from. Blocks follow from all models.
func (a *analyzer) identityOf(m int) shard.Identity {
	var blocks []shard.Field
	for _, s := range []scope{a.states, a.sample, a.steps, a.turns} {
		text, labels := s.reason, []int(nil)
		if s.blocks != nil {
			text, labels = s.blocks.String(), s.blocks.Labels()
		}
		blocks = append(blocks, shard.Option("blocks", fmt.Sprintf("%d %s %s", s.n, text, shard.Digest(points.Points{}, labels))))
	}
	return a.common().OfModel(shard.Digest(a.in.Models[m].Latents), blocks...)
}

// measureAll measures a range of units.
func (a *analyzer) measureAll(ctx context.Context, r shard.Range) (*Part, error) {
	part, models := &Part{}, len(a.in.Models)
	a.progress = &progress{total: partsPerModel * (min(r.Hi, models) - r.Lo), tell: a.o.Progress}
	if r.Hi > models {
		a.progress.total += partsOfSimilarity
	}
	for m := r.Lo; m < min(r.Hi, models); m++ {
		before := a.progress.done
		measured, err := results.Remember(ctx, a.in.Models[m].Name, func() shard.Identity { return a.identityOf(m) },
			func(name string) (Measured, error) {
				measured, err := a.measure(ctx, m, name)
				if err != nil {
					return Measured{}, err
				}
				return *measured, nil
			}, func(m *Measured) (name *string, warnings []string) { return &m.Model.Name, m.Warnings })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.in.Models[m].Name, err)
		}
		for a.progress.done < before+partsPerModel {
			a.progress.step()
		}
		part.Models = append(part.Models, measured)
	}
	if r.Hi > models {
		var err error
		if part.Similarities, err = a.similarities(ctx); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// merge compares the models.
func (a *analyzer) merge(_ context.Context, parts []*Part) (*Result, error) {
	result := &Result{Labelled: a.in.Labels != nil, Warnings: slices.Clone(a.warnings)}
	if a.sample.blocks != nil {
		result.SampleBlocks = a.sample.blocks.String()
	}
	if a.steps.blocks != nil {
		result.TimeBlocks = a.steps.blocks.String()
	}
	var measured []Measured
	for _, part := range parts {
		measured = append(measured, part.Models...)
		if s := part.Similarities; s != nil {
			result.RSAPairs, result.RSAAll = s.RSAPairs, s.RSAAll
		}
	}
	var names []string
	for _, m := range measured {
		result.Warnings = append(result.Warnings, m.Warnings...)
		result.Models, names = append(result.Models, m.Model), append(names, m.Model.Name)
	}
	result.Warnings = text.Together(result.Warnings, names)
	for _, part := range parts {
		if s := part.Similarities; s != nil {
			for m := range s.Rows {
				result.Models[m].Similarity = report.Object{}
				for j, row := range s.Rows[m] {
					result.Models[m].Similarity.Set(a.in.Models[j].Name, row)
				}
			}
		}
	}
	return result, a.compare(result, measured)
}

// compare tests all pairs of models on every metric that was measured, in the order
// of their first appearance.
func (a *analyzer) compare(result *Result, measured []Measured) error {
	if !a.o.Intervals {
		return nil
	}
	jackknifed := map[string][]*stat.Jackknifed{}
	var order []results.Metric
	for m := range measured {
		for _, metric := range measured[m].Metrics {
			if jackknifed[metric.Name] == nil {
				order = append(order, results.Metric{Name: metric.Name, Family: metric.Family, Path: metric.Path})
				jackknifed[metric.Name] = make([]*stat.Jackknifed, len(measured))
			}
			jackknifed[metric.Name][m] = metric.Jackknife
		}
	}
	for _, metric := range order {
		compared, err := results.Pairwise(metric, results.Names(a.in.Models), jackknifed[metric.Name], a.o.Seed)
		if err != nil {
			return err
		}
		result.Comparisons = append(result.Comparisons, compared...)
	}
	results.Correct(result.Comparisons, a.o.Family)
	return nil
}
