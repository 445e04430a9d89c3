// The work of an analysis in units: the movements of all states at one level and
// draw, and the statistics of all movements.

package robustness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/fault"
	"repscope/internal/option"
	"repscope/internal/parallel"
	"repscope/latent"
	"repscope/measure/corruption"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 3

// Part is the outcome of a range of units, one for each level and draw, draws of
// a level together.
type Part struct{ Units []Unit }

// Unit are the movements of all states at one level and draw: ‖x' − x‖₂ of each
// state, and what became of the latents of every model.
type Unit struct {
	Input  []float64
	Models []Moved
}

// Moved is how the latents of one model moved, state by state.
type Moved struct {
	Distance []float64 // ‖φ(x') − φ(x)‖
	Cosine   []float64 // of φ(x') and φ(x); NaN where a vector is zero
	Flipped  []float64 // 1 where another state's clean latent is nearer than their own, else 0
	Failed   string    // why the model could not encode these states; empty where it could
}

// plan is the work of one analysis.
type plan struct {
	in        Input
	o         Options
	corrupter *corruption.Corrupter
	moves     []*movement // by model, without movements
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
	p := &plan{in: in, o: o, moves: make([]*movement, len(in.Models))}
	if u := in.Spread; u != nil {
		p.o.Clip = corruption.ClipNone
		p.corrupter, err = corruption.NewVectors(o.Corruption, u.Mean, u.Value, in.States.Shape(), o.Seed)
	} else {
		p.corrupter, err = corruption.New(o.Corruption, o.Clip, in.PixelRange.Low, in.PixelRange.High, in.States.Shape(),
			o.Seed)
	}
	if err != nil {
		return none, err
	}
	for i, m := range in.Models {
		if p.moves[i], err = newMovement(m, o); err != nil {
			return none, err
		}
	}
	return shard.Work[*Part, *Result]{
		Units:    len(o.Levels) * o.Draws,
		Identity: p.identity,
		Map:      p.corruptAll,
		Merge:    p.merge,
	}, nil
}

// identity is the identity of everything the numbers follow from. The latents of clean
// states stand for the encoders.
func (p *plan) identity() shard.Identity {
	id := p.common()
	for _, m := range p.in.Models {
		id.Inputs = append(id.Inputs, results.Digest(m.Name, m.Clean))
	}
	return id
}

// common is the identity without the models.
func (p *plan) common() shard.Identity {
	states, err := p.in.States.Fingerprint()
	if err != nil {
		states = "unknown: " + err.Error()
	}
	return shard.Identity{
		Analysis: "robustness", Definition: Definition,
		Inputs: []shard.Field{
			{Name: "states", Value: states},
			{Name: "numbers and episodes", Value: shard.Digest(points.Points{}, p.in.Number, p.in.Episode, p.in.Time)},
			p.in.Spread.field(),
		},
		Options: slices.Concat(option.Of(&p.o).Identity(), p.o.Identity(), []shard.Field{
			shard.Option("pixel range", []float64{p.in.PixelRange.Low, p.in.PixelRange.High}), shard.Option("l2", p.o.L2),
		}),
	}
}

// corruptAll encodes the corrupted states of a range of levels and draws with every
// model.
func (p *plan) corruptAll(ctx context.Context, r shard.Range) (*Part, error) {
	n := p.in.States.Len()
	m := &mover{plan: p, size: 1, total: n * (r.Hi - r.Lo) * len(p.in.Models), failed: make([]error, len(p.in.Models))}
	for _, d := range p.in.States.Shape() {
		m.size *= d
	}
	part := &Part{}
	for u := r.Lo; u < r.Hi; u++ {
		m.level, m.draw = p.o.Levels[u/p.o.Draws], u%p.o.Draws
		unit, err := p.remembered(ctx, m)
		if err != nil {
			return nil, err
		}
		part.Units = append(part.Units, *unit)
	}
	return part, nil
}

// remembered is a unit with the models that the memory of a study has, and the others, which are corrupted together.
func (p *plan) remembered(ctx context.Context, m *mover) (*Unit, error) {
	unit := &Unit{Models: make([]Moved, len(p.in.Models))}
	var models []int
	for i := range p.in.Models {
		if m.failed[i] == nil {
			models = append(models, i)
		}
	}
	missing := 0
	moved, err := shard.RememberEach(ctx, len(models), func(at int) shard.Identity { return p.identityOf(models[at], m) },
		func(some []int) ([]*movedOf, error) {
			missing = len(some)
			todo := make([]int, len(some))
			for k, at := range some {
				todo[k] = models[at]
			}
			if err := m.move(ctx, unit, todo); err != nil {
				return nil, err
			}
			out := make([]*movedOf, len(todo))
			for k, i := range todo {
				out[k] = &movedOf{unit.Input, unit.Models[i]}
				if err := m.failed[i]; err != nil {
					out[k].Moved = Moved{Failed: err.Error()}
				}
			}
			return out, nil
		}, func(of *movedOf) bool { return of.Moved.Failed == "" })
	if err != nil {
		return nil, err
	}
	for i, m := range moved {
		if unit.Models[models[i]] = m.Moved; m.Moved.Failed == "" {
			unit.Input = m.Input
		}
	}
	if taken := len(models) - missing; taken > 0 {
		m.done += taken * p.in.States.Len()
		m.report(m.done)
	}
	for i, err := range m.failed {
		if err != nil {
			unit.Models[i] = Moved{Failed: err.Error()}
		}
	}
	if unit.Input == nil { // no model is left
		unit.Input = make([]float64, p.in.States.Len())
	}
	return unit, nil
}

// move fills a unit for some of the models.
func (m *mover) move(ctx context.Context, unit *Unit, todo []int) error {
	p := m.plan
	n := p.in.States.Len()
	unit.Input = make([]float64, n)
	for _, i := range todo {
		unit.Models[i] = Moved{Distance: make([]float64, n), Cosine: make([]float64, n), Flipped: make([]float64, n)}
	}
	m.unit = unit
	rest, err := m.whereEncoded(ctx, todo)
	if err != nil {
		return err
	}
	return m.here(ctx, rest)
}

// movedOf is what a study remembers of a model.
type movedOf struct {
	Input []float64
	Moved Moved
}

// identityOf names the inputs and options that one model's movements follow from, at the level and draw of the mover.
func (p *plan) identityOf(i int, m *mover) shard.Identity {
	if m.identities == nil {
		id := p.common()
		id.Options = slices.DeleteFunc(id.Options, func(f shard.Field) bool { return slices.Contains(afterwards, f.Name) })
		for _, encoder := range p.in.Models {
			content := encoder.Content
			if content != "" {
				content += " " + shard.Digest(encoder.Clean)
			}
			m.identities = append(m.identities, id.OfModel(content))
		}
	}
	id := m.identities[i]
	id.Options = append(slices.Clip(id.Options), shard.Option("level", m.level), shard.Option("draw", m.draw))
	return id
}

// afterwards are the options by which movements do not change.
var afterwards = []string{"levels", "draws", "box-level", "bootstrap", "block", "family"}

// movements joins the parts: the movements of each model by level, at
// [state·draws + draw], and ‖x' − x‖₂ likewise.
func (p *plan) movements(parts []*Part) (moved []*movement, changed [][]float64) {
	var units []Unit
	for _, part := range parts {
		units = append(units, part.Units...)
	}
	draws := p.o.Draws
	n := p.in.States.Len()
	for l := range p.o.Levels {
		input := make([]float64, n*draws)
		for d := range draws {
			for state, v := range units[l*draws+d].Input {
				input[state*draws+d] = v
			}
		}
		changed = append(changed, input)
	}
	for i, m := range p.moves {
		m := *m
		for l := range p.o.Levels {
			distance, cosine, flipped := make([]float64, n*draws), make([]float64, n*draws), make([]float64, n*draws)
			for d := range draws {
				moved := units[l*draws+d].Models[i]
				for state := range n {
					at := state*draws + d
					distance[at], cosine[at], flipped[at] = moved.Distance[state], moved.Cosine[state], moved.Flipped[state]
				}
			}
			m.distance, m.cosine, m.flipped = append(m.distance, distance), append(m.cosine, cosine), append(m.flipped, flipped)
		}
		moved = append(moved, &m)
	}
	return moved, changed
}

// mover encodes the corrupted states of one unit after the other.
type mover struct {
	*plan
	level       float64
	draw        int
	unit        *Unit
	failed      []error          // of every model that could not encode some states; nil: it could
	done, total int              // states corrupted and encoded
	identities  []shard.Identity // of each model, but for level and draw; nil until they are needed

	size    int       // of a state
	clean   []float32 // room for a chunk
	changed *latent.Memory
}

// number identifies a state for the generator of the noise.
func (m *mover) number(state int) int {
	if m.in.Number == nil {
		return state
	}
	return m.in.Number[state]
}

// report tells how many states are done.
func (m *mover) report(done int) {
	if m.o.Progress != nil {
		m.o.Progress(done, m.total)
	}
}

// whereEncoded lets some of the models corrupt the states where they encode them, and returns
// those that cannot.
func (m *mover) whereEncoded(ctx context.Context, models []int) (rest []int, err error) {
	noise, ok := noiseOf(m.o, m.in.PixelRange, m.in.Spread, m.level)
	n := m.in.States.Len()
	for _, i := range models {
		model := m.in.Models[i]
		if !ok || model.EncodeNoisy == nil {
			rest = append(rest, i)
			continue
		}
		key := func(state int) stat.Key { return m.corrupter.Key(m.number(state), m.level, m.draw) }
		z, distance, err := model.EncodeNoisy(ctx, m.in.States, latent.Noise{Noise: noise, Key: key},
			func(done, _ int) { m.report(m.done + done) })
		if errors.Is(err, latent.ErrNoNoise) {
			rest = append(rest, i)
			continue
		}
		if err == nil {
			err = m.moves[i].record(ctx, m.unit.Models[i], 0, z)
		}
		if err != nil {
			if err := m.fail(ctx, i, err); err != nil {
				return nil, err
			}
			continue
		}
		copy(m.unit.Input, distance)
		m.done += n
	}
	return rest, nil
}

// here corrupts the states for some of the models, a chunk of them once for all.
func (m *mover) here(ctx context.Context, models []int) error {
	if len(models) == 0 {
		return nil
	}
	n := m.in.States.Len()
	for lo := 0; lo < n; lo += chunk {
		hi := min(lo+chunk, n)
		if err := m.corrupt(ctx, lo, hi); err != nil {
			return err
		}
		for _, i := range models {
			if m.failed[i] != nil {
				continue
			}
			z, err := m.in.Models[i].Encode(ctx, m.changed)
			if err == nil {
				err = m.moves[i].record(ctx, m.unit.Models[i], lo, z)
			}
			if err != nil {
				if err := m.fail(ctx, i, err); err != nil {
					return err
				}
				continue
			}
			m.done += hi - lo
			m.report(m.done)
		}
	}
	return nil
}

// fail notes that a model cannot encode corrupted states, as one that divides by what noise
// has made zero. It returns the errors that no model is to blame for.
func (m *mover) fail(ctx context.Context, model int, err error) error {
	if !fault.OfModel(ctx, err) {
		return err
	}
	m.failed[model] = fmt.Errorf("corrupted states at level %g: %w", m.level, err)
	return nil
}

// withoutFailed is the plan and its parts without the models that could not encode some
// corrupted states, and these with the reason.
func (p *plan) withoutFailed(parts []*Part) (*plan, []*Part, []report.Unmeasured) {
	reasons := make([]string, len(p.in.Models))
	for _, part := range parts {
		for _, unit := range part.Units {
			for i, m := range unit.Models {
				reasons[i] = cmp.Or(reasons[i], m.Failed)
			}
		}
	}
	q := *p
	var failed []report.Unmeasured
	if q.in.Models, failed = results.WithoutFailed(p.in.Models, reasons, func(m Encoder) string { return m.Name }); len(failed) == 0 {
		return p, parts, nil
	}
	q.moves = results.Kept(p.moves, reasons)
	fewer := make([]*Part, len(parts))
	for k, part := range parts {
		fewer[k] = &Part{}
		for _, unit := range part.Units {
			fewer[k].Units = append(fewer[k].Units, Unit{Input: unit.Input, Models: results.Kept(unit.Models, reasons)})
		}
	}
	return &q, fewer, failed
}

// corrupt makes the corrupted states lo ≤ i < hi and their distances.
func (m *mover) corrupt(ctx context.Context, lo, hi int) error {
	n := m.in.States.Len()
	if m.clean == nil {
		m.clean = make([]float32, min(chunk, n)*m.size)
		m.changed = &latent.Memory{Size: m.in.States.Shape(), States: make([]float32, len(m.clean))}
	}
	states := m.clean[:(hi-lo)*m.size]
	if err := m.in.States.Float32(states, lo, hi); err != nil {
		return err
	}
	m.changed.States = m.changed.States[:len(states)]
	return parallel.Try(ctx, m.o.Threads, hi-lo, func(_, i int) error {
		state, out := states[i*m.size:(i+1)*m.size], m.changed.States[i*m.size:(i+1)*m.size]
		if err := m.corrupter.Apply(out, state, m.number(lo+i), m.level, m.draw); err != nil {
			return err
		}
		square := 0.0
		for k, v := range out {
			d := float64(v) - float64(state[k])
			square += float64(d * d)
		}
		m.unit.Input[lo+i] = math.Sqrt(square)
		return nil
	})
}
