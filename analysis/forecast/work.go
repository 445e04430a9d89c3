// The work of an analysis in units: the sums of blocks of samples, and the scores of all.

package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"repscope/internal/option"
	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/points"
	"repscope/shard"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 2

// blockValues bounds the values of the samples of a unit.
const blockValues = 1 << 22

// Part is the outcome of a range of units: of samples that follow each other.
type Part struct {
	// Bad is the number of the array that has no finite numbers for a sample, from 1; 0
	// where all have.
	Bad    []int
	Models []PartOfModel
	// Limits are where events begin, by event and variable.
	Limits [][]float64
}

// PartOfModel are the sums of a model by family: [samples, variables, regions, sums].
type PartOfModel struct {
	Families [][]float64
	Failed   string // why some members could not be made or read; empty where they could
}

// source is where the members of a model come from.
type source struct {
	name, kind, from string
	members          int
	array            int // number of the array that is read
	// read fills dst with the members of a sample.
	read func(c *sample, dst []float64) error
}

// input is an array with the name of its role, for messages.
type inputArray struct {
	role string
	Array
}

// plan is the work of one analysis.
type plan struct {
	*setting
	in       Input
	n        int
	arrays   []inputArray
	models   []source
	families []family
	climate  *climate // nil without
	block    int      // samples of a unit
	begins   limits
}

// Work returns the analysis in units of blocks of samples; see [Analyze] for the result
// and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	p, err := newPlan(in, o)
	if err != nil {
		return none, err
	}
	return shard.Work[*Part, *Result]{Units: (p.n + p.block - 1) / p.block, Identity: p.identity, Map: p.scoreAll, Merge: p.merge}, nil
}

func newPlan(in Input, o Options) (*plan, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	in.WithAxes()
	s, d, err := in.setting(o)
	if err != nil {
		return nil, err
	}
	p := &plan{setting: s, in: in, n: d.N, arrays: []inputArray{{"target", in.Target}}}
	if p.families, err = chosen(o.Metrics); err != nil {
		return nil, err
	}
	if err := p.addForecasts(d); err != nil {
		return nil, err
	}
	if err := p.addBaselines(d); err != nil {
		return nil, err
	}
	if err := p.checkScores(); err != nil {
		return nil, err
	}
	p.families = append(p.families, valueFamily())
	values := 0
	for _, m := range p.models {
		values += m.members * d.V * d.H * d.W
	}
	p.block = min(max(blockValues/values, 1), 64)
	return p, nil
}

// checkScores finds scores that were asked for and that no model can have.
func (p *plan) checkScores() error {
	why := ""
	for i := range p.families {
		f := &p.families[i]
		for _, m := range p.models {
			reason := f.missing(p.setting, m.members)
			if reason == "" {
				return nil
			}
			if why == "" {
				why = f.name + ": " + reason
			}
		}
	}
	return fmt.Errorf("nothing to score: %s", why)
}

// addForecasts adds the models that are given.
func (p *plan) addForecasts(d Dims) error {
	for i := range p.in.Forecasts {
		f := &p.in.Forecasts[i]
		all, err := f.CountMembers(d)
		if err != nil {
			return err
		}
		members := all
		if p.o.Members > 0 && all > 1 { // of one member it is that
			if p.o.Members > all {
				return fmt.Errorf("forecast %s: %s has %d members, fewer than --n-samples "+
					"%d", f.Name, f.Members.Name(), all, p.o.Members)
			}
			members = p.o.Members
		}
		p.arrays = append(p.arrays, inputArray{"forecast " + f.Name, f.Members})
		array, size := len(p.arrays)-1, d.V*d.H*d.W
		p.models = append(p.models, source{name: f.Name, kind: "forecast", from: f.From, members: members, array: array,
			read: func(c *sample, dst []float64) error {
				if members == all {
					return p.read(array, dst, c.index)
				}
				if len(c.rest) < all*size {
					c.rest = make([]float64, all*size)
				}
				if p.o.SkipMembers {
					return p.readFinite(array, dst, c.rest[:all*size], c.index, members)
				}
				if err := p.read(array, c.rest[:all*size], c.index); err != nil {
					return err
				}
				copy(dst, c.rest)
				return nil
			}})
	}
	return nil
}

// readFinite reads a row of an array of members and takes the first of them, that many, that have no
// NaN or infinity.
func (p *plan) readFinite(array int, dst, row []float64, index, members int) error {
	a := p.arrays[array]
	if err := p.readMasked(array, row, index); err != nil {
		return err
	}
	taken, size := 0, len(dst)/members
	for member := range slices.Chunk(row, size) {
		if taken < members && !slices.ContainsFunc(member, func(v float64) bool { return v-v != 0 }) {
			copy(dst[taken*size:], member)
			taken++
		}
	}
	if taken == members {
		return nil
	}
	return fmt.Errorf(
		"sample %d has only %s without NaN or Inf, want %d: %w", index, text.Count(taken, "member"), members,
		CheckFinite(a.role, a.Array, index, row))
}

// read reads a row of an array and finds NaN and infinity.
func (p *plan) read(array int, dst []float64, row int) error {
	if err := p.readMasked(array, dst, row); err != nil {
		return err
	}
	if err := CheckFinite(p.arrays[array].role, p.arrays[array].Array, row, dst); err != nil {
		return err
	}
	return nil
}

// readMasked reads a row of an array. Cells without weight become 0, whatever they hold, so that no
// score can see it.
func (p *plan) readMasked(array int, dst []float64, row int) error {
	a := p.arrays[array]
	if err := a.ReadFloat64(dst, row, row+1); err != nil {
		return fmt.Errorf("%s: %w", a.role, err)
	}
	if len(p.masked) > 0 {
		for field := range slices.Chunk(dst, p.size()) {
			for _, c := range p.masked {
				field[c] = 0
			}
		}
	}
	return nil
}

// identity is the identity of everything the numbers follow from.
func (p *plan) identity() shard.Identity {
	return p.identityWith(p.arrays)
}

// identityOf is the identity of the sums of a model over the samples lo … hi−1. The arrays of other models are not in
// it, nor is any baseline in the identity of a forecast.
func (p *plan) identityOf(common shard.Identity, m, lo, hi int) shard.Identity {
	model := p.models[m]
	content := "baseline " + model.name
	if m < len(p.in.Forecasts) {
		sum, err := p.arrays[model.array].SHA256()
		if content = sum; err != nil {
			content = "unknown: " + err.Error()
		}
	}
	common.Options = slices.DeleteFunc(slices.Clone(common.Options),
		func(f shard.Field) bool { return slices.Contains(afterwards, f.Name) })
	return common.OfModel(content, shard.Option("members of the model", model.members),
		shard.Option("samples", []int{lo, hi}), shard.Option("limits", p.limits))
}

// afterwards are the options by which the sums of samples do not change.
var afterwards = []string{"bootstrap", "block", "family"}

// common is the identity without the forecasts.
func (p *plan) common() shard.Identity {
	var rest []inputArray
	for i, a := range p.arrays {
		if !slices.ContainsFunc(p.models[:len(p.in.Forecasts)], func(m source) bool { return m.array == i }) {
			rest = append(rest, a)
		}
	}
	return p.identityWith(rest)
}

// identityWith is the identity with some of the arrays.
func (p *plan) identityWith(arrays []inputArray) shard.Identity {
	id := shard.Identity{Analysis: "forecast", Definition: Definition}
	for _, a := range arrays {
		value, err := a.SHA256()
		if err != nil {
			value = "unknown: " + err.Error()
		}
		id.Inputs = append(id.Inputs, shard.Field{Name: a.role, Value: value})
	}
	add := func(name string, values []float64) {
		id.Inputs = append(id.Inputs, shard.Field{Name: name, Value: shard.Digest(points.Float64(values, 1))})
	}
	for r, weights := range p.weights {
		add("weights of region "+p.regions[r], weights)
	}
	add("leads", p.in.Leads)
	id.Inputs = append(id.Inputs, shard.Field{Name: "groups", Value: shard.Digest(points.Points{}, p.in.Groups)})
	id.Options = slices.Concat(option.Of(&p.o).Identity(), p.o.Identity(), []shard.Field{
		shard.Option("variables", p.variables), shard.Option("variables of the input", p.in.FieldVariables),
		shard.Option("climatology of the target", p.in.FromTarget),
	})
	return id
}

// makeRoom makes room for the sums of some of the models in a part.
func (p *plan) makeRoom(part *Part, models []int) {
	for _, m := range models {
		members := p.models[m].members
		part.Models[m].Families = make([][]float64, len(p.families))
		for f := range p.families {
			if p.families[f].missing(p.setting, members) == "" {
				part.Models[m].Families[f] = make([]float64, len(part.Bad)*p.stride(f, members))
			}
		}
	}
}

// stride is the number of sums of a sample of a family.
func (p *plan) stride(f, members int) int {
	variables, regions, sums := p.families[f].size(p.setting, members)
	return variables * regions * sums
}

// workers is how many samples are held at a time.
func (p *plan) workers() int {
	if p.o.Memory <= 0 {
		return p.o.Threads
	}
	return min(parallel.Workers(p.o.Threads, p.n), max(1, int(p.o.Memory/p.sampleBytes())))
}

// sampleBytes is about what a worker holds.
func (p *plan) sampleBytes() int64 {
	largest := 0
	for _, m := range p.models {
		largest = max(largest, 2*m.members)
	}
	for i := range p.in.Forecasts {
		if shape := p.in.Forecasts[i].Members.Shape(); p.o.Members > 0 && len(shape) == 5 {
			largest = max(largest, shape[1]+2*p.o.Members)
		}
	}
	return 8 * int64(largest+8) * int64(len(p.variables)) * int64(p.size())
}

// scoreAll scores the samples of a range of units.
func (p *plan) scoreAll(ctx context.Context, r shard.Range) (*Part, error) {
	lo, hi := r.Lo*p.block, min(r.Hi*p.block, p.n)
	if p.climate != nil {
		if err := p.climate.prepare(ctx, p); err != nil {
			return nil, err
		}
	}
	if err := p.prepareLimits(ctx); err != nil {
		return nil, err
	}
	common := sync.OnceValue(p.common)
	part := &Part{Bad: make([]int, hi-lo), Models: make([]PartOfModel, len(p.models)), Limits: p.limits}
	bad := false
	models, err := shard.RememberEach(ctx, len(p.models), func(m int) shard.Identity { return p.identityOf(common(), m, lo, hi) },
		func(missing []int) ([]*PartOfModel, error) {
			if err := p.scoreSome(ctx, lo, hi, missing, part); err != nil {
				return nil, err
			}
			bad = slices.ContainsFunc(part.Bad, func(array int) bool { return array > 0 })
			var out []*PartOfModel
			for _, m := range missing {
				out = append(out, &part.Models[m])
			}
			return out, nil
		}, func(of *PartOfModel) bool { return of.Failed == "" && !bad }) // leaves out of all models what one leaves out
	if err != nil {
		return nil, err
	}
	for m, of := range models {
		part.Models[m] = *of
	}
	return part, nil
}

// scoreSome enters the sums of some of the models over the samples lo … hi−1 into a part.
func (p *plan) scoreSome(ctx context.Context, lo, hi int, models []int, part *Part) error {
	p.makeRoom(part, models)
	largest := 0
	for _, m := range models {
		largest = max(largest, p.models[m].members)
	}
	var done atomic.Int64
	total := (hi - lo) * len(models)
	failing := newFailing(len(p.models))
	err := parallel.With(ctx, p.workers(), hi-lo, func() func(i int) error {
		c := newSample(p.setting, largest)
		return func(i int) error {
			if err := p.score(ctx, c, lo+i, i, models, part, failing); err != nil {
				return err
			}
			if p.o.Progress != nil {
				p.o.Progress(int(done.Add(int64(len(models)))), total)
			}
			return nil
		}
	})
	failing.enter(part)
	return err
}

// score enters the sums of a sample of some of the models at its place in a part.
func (p *plan) score(ctx context.Context, c *sample, index, row int, models []int, part *Part, failing *failing) error {
	c.index, c.lead, c.climate = index, 0, nil
	if p.in.Leads != nil {
		c.lead = p.in.Leads[index]
	}
	bad := func(array int, err error) error {
		if nan := (*NonFiniteError)(nil); errors.As(err, &nan) && p.o.SkipNaN {
			part.Bad[row] = array + 1
			return nil
		}
		return err
	}
	if err := p.read(0, c.truth, index); err != nil {
		return bad(0, err)
	}
	if p.climate != nil {
		if err := p.climate.enter(c); err != nil {
			return bad(p.climate.array, err)
		}
	}
	d := len(c.mean)
	for _, m := range models {
		model := p.models[m]
		if err := ctx.Err(); err != nil {
			return err
		}
		if failing.before(m, index) {
			continue
		}
		if err := model.read(c, c.ensemble[:model.members*d]); err != nil {
			if err = bad(model.array, err); err == nil || !failing.add(ctx, m, model, index, err) {
				return err
			}
			continue
		}
		c.begin(model.members)
		for f := range p.families {
			to := part.Models[m].Families[f]
			if to == nil {
				continue
			}
			stride := p.stride(f, model.members)
			if err := p.families[f].add(c, to[row*stride:(row+1)*stride]); err != nil {
				return fmt.Errorf("%s: %s: sample %d: %w", model.name, p.families[f].name, index, err)
			}
		}
	}
	return nil
}
