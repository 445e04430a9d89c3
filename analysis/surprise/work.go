// The work of an analysis in units: one violation of one size in all episodes, and the statistics of all errors.

package surprise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/fault"
	"repscope/internal/kernel"
	"repscope/internal/option"
	"repscope/latent"
	"repscope/measure/spectrum"
	"repscope/measure/violation"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
)

// Part is the outcome of a range of units, one for each violation and size.
type Part struct{ Units []Unit }

// Unit is what became of a violation of one size in all episodes.
type Unit struct {
	Moments      []int // of the episodes that were violated
	Still, Short int   // moments that were left out
	Models       []Outcome
}

// Outcome are the errors of one model, by violated episode.
type Outcome struct {
	Episodes []Transitions
	Failed   string // why the model could not encode the states; empty where it could
	Lacking  string // why there are no errors; empty where there are
}

// Transitions are the errors of predictors on the transitions of an episode from the violation on: of the model, of
// copying the latent before, and of repeating the last step. NaN: there is no prediction.
type Transitions struct{ Predicted, Copied, Repeated []float64 }

// plan is the work of one analysis.
type plan struct {
	in       Input
	o        Options
	runs     [][]int // of states
	previous []int
	all      []moment
	short    int // episodes without a moment
	units    []unit
	scales   []scale // of each model
	done     int
	total    int
}

// scale is the unit of a model's latents; reason says why there is none.
type scale struct {
	spectrum.Unit
	reason string
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
	p := &plan{in: in, o: o}
	if in.Errors != nil {
		return shard.Work[*Part, *Result]{Units: 1, Identity: p.identity,
			Map:   func(context.Context, shard.Range) (*Part, error) { return &Part{}, nil },
			Merge: func(ctx context.Context, _ []*Part) (*Result, error) { return p.known(ctx) }}, nil
	}
	p.runs, p.previous = linked(in.Next)
	p.all, p.short = p.moments()
	for _, kind := range o.Violations {
		for _, size := range o.sizes(violation.Kind(kind)) {
			p.units = append(p.units, unit{violation.Kind(kind), size})
		}
	}
	if len(p.units) == 0 {
		return none, errors.New("no violations")
	}
	for i := range in.Models {
		s := scale{}
		if s.Unit, err = spectrum.UnitOf(o.Scale, in.Models[i].Latents); err != nil {
			s.reason = report.Undefined("%v", err).Reason
		}
		p.scales = append(p.scales, s)
		if err := p.checkFinite(&in.Models[i]); err != nil {
			return none, err
		}
	}
	return shard.Work[*Part, *Result]{Units: len(p.units), Identity: p.identity, Map: p.violateAll, Merge: p.merge}, nil
}

// checkFinite finds NaN and Inf in predictions of states with a successor.
func (p *plan) checkFinite(m *Model) error {
	if m.Predicted.N == 0 || p.o.SkipNaN {
		return nil
	}
	row := make([]float64, m.Predicted.Dim)
	for i, next := range p.in.Next {
		if next < 0 {
			continue
		}
		for k, v := range m.Predicted.Row(i, row) {
			if v-v != 0 {
				return fmt.Errorf("%s: the prediction of the successor of state %d: element %d is %v, want a finite number",
					m.Name, i, k, v)
			}
		}
	}
	return nil
}

// identity names everything that the numbers follow from. The latents of untouched states stand for the encoders, and
// their predictions for the predictors.
func (p *plan) identity() shard.Identity {
	id := p.common()
	for i := range p.in.Models {
		m := &p.in.Models[i]
		id.Inputs = append(id.Inputs, results.Digest(m.Name, m.Latents), shard.Field{Name: "predicted " + m.Name,
			Value: shard.Digest(m.Predicted)})
	}
	if e := p.in.Errors; e != nil {
		for i, name := range e.Names {
			id.Inputs = append(id.Inputs, shard.Field{Name: "errors " + name, Value: shard.Digest(points.Float64(e.Values[i],
				1))})
		}
		id.Inputs = append(id.Inputs, shard.Field{Name: "rows", Value: shard.Digest(points.Float64(e.Size, 1), e.Episode,
			e.Pair, e.Step)},
			shard.Field{Name: "violations", Value: fmt.Sprintf("%q", e.Violation)})
	}
	return id
}

// common is the identity without the models.
func (p *plan) common() shard.Identity {
	id := shard.Identity{Analysis: "surprise", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Options: slices.Concat(option.Of(&p.o).Identity(), p.o.Identity(), []shard.Field{
			shard.Option("scale", p.o.Scale), shard.Option("range", []float64{p.in.Low, p.in.High})})}
	states := "none"
	if p.in.Last != nil {
		var err error
		if states, err = p.in.Last.Fingerprint(); err != nil {
			states = "unknown: " + err.Error()
		}
	}
	actions := make([]int, len(p.in.Actions))
	for i, a := range p.in.Actions {
		actions[i] = int(a)
	}
	id.Inputs = []shard.Field{{Name: "frames", Value: states},
		{Name: "episodes", Value: shard.Digest(points.Points{}, p.in.Episode, p.in.Time, p.in.Next, actions)}}
	return id
}

// violateAll makes and encodes the violations of a range of units.
func (p *plan) violateAll(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{}
	maker := violation.New(p.scene())
	failed := make([]error, len(p.in.Models))
	p.done, p.total = 0, (r.Hi-r.Lo)*len(p.all)
	for u := r.Lo; u < r.Hi; u++ {
		w := &worker{plan: p, maker: maker, unit: p.units[u], failed: failed}
		unit, err := w.run(ctx)
		if err != nil {
			return nil, err
		}
		part.Units = append(part.Units, *unit)
	}
	return part, nil
}

// heldValues bounds the values of new states that are held at a time.
const heldValues = 1 << 24

// worker is one unit in the making.
type worker struct {
	*plan
	maker  *violation.Maker
	unit   unit
	failed []error // of each model, over all units of a part
}

// run makes the violations of all moments, as many at a time as may be held, and measures all models on them.
func (w *worker) run(ctx context.Context) (*Unit, error) {
	out := &Unit{Models: make([]Outcome, len(w.in.Models))}
	if reason := w.impossible(); reason != "" {
		for i := range out.Models {
			out.Models[i].Lacking = reason
		}
		return out, nil
	}
	var held []*violated
	values := 0
	flush := func() error {
		err := w.measure(ctx, held, out)
		held, values = nil, 0
		return err
	}
	for m := range w.all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := w.violate(ctx, w.maker, w.unit, m)
		switch {
		case errors.Is(err, violation.ErrStill):
			out.Still++
		case errors.Is(err, violation.ErrShort):
			out.Short++
		case err != nil:
			return nil, fault.OfRun(fmt.Errorf("%s of size %g: %w", w.unit.kind, w.unit.size, err))
		default:
			out.Moments = append(out.Moments, m)
			held = append(held, v)
			for _, s := range v.made {
				values += len(s)
			}
		}
		if values > heldValues {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		w.done++
		if w.o.Progress != nil {
			w.o.Progress(w.done, w.total)
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	for i, err := range w.failed {
		if err != nil {
			out.Models[i] = Outcome{Failed: err.Error()}
		}
	}
	return out, nil
}

// impossible is why the unit cannot be made of these states; empty where it can.
func (w *worker) impossible() string {
	patch := w.unit.kind.NeedsPatch()
	mixed := w.unit.kind == violation.Swap && w.unit.size < 1
	switch {
	case w.in.Last == nil && (patch || mixed):
		return "new frames need frames (--frames) and an encoder (--model)"
	case patch && w.in.Shape.Height == 0:
		return "a moving patch needs frames with height and width"
	case w.in.Last == nil && w.in.Window > 1:
		return "new windows of frames need frames (--frames) and an encoder (--model)"
	}
	return ""
}

// measure encodes the new states of violated episodes, and takes the errors of every model.
func (w *worker) measure(ctx context.Context, held []*violated, out *Unit) error {
	if len(held) == 0 {
		return nil
	}
	var states *latent.Memory
	offsets := make([]int, len(held))
	count := 0
	for i, v := range held {
		offsets[i] = count
		count += len(v.made)
	}
	if count > 0 {
		states = &latent.Memory{Size: w.in.Last.Shape()}
		if w.in.States != nil {
			states.Size = w.in.States.Shape()
		}
		for _, v := range held {
			for _, s := range v.made {
				states.States = append(states.States, s...)
			}
		}
	}
	for i := range w.in.Models {
		if w.failed[i] != nil {
			continue
		}
		m := &w.in.Models[i]
		if count > 0 && m.Encode == nil {
			out.Models[i].Lacking = "new states need an encoder: the latents are precomputed"
			continue
		}
		made, err := w.remembered(ctx, i, states, held, offsets)
		if err == nil {
			out.Models[i].Episodes = append(out.Models[i].Episodes, made...)
		} else if !fault.OfModel(ctx, err) {
			return err
		} else {
			w.failed[i] = fmt.Errorf("violated states (%s of size %g): %w", w.unit.kind, w.unit.size, err)
		}
	}
	return nil
}

// remembered are the errors of a model, from the memory of a study or measured.
func (w *worker) remembered(ctx context.Context, i int, states *latent.Memory, held []*violated,
	offsets []int) ([]Transitions, error) {
	m := &w.in.Models[i]
	if m.Content == "" {
		return w.errorsOf(ctx, i, states, held, offsets)
	}
	identity := func() shard.Identity {
		id := w.common()
		id.Options = slices.DeleteFunc(id.Options, func(f shard.Field) bool { return slices.Contains(afterwards, f.Name) })
		id.Options = append(id.Options, shard.Option("violation", string(w.unit.kind)), shard.Option("size", w.unit.size),
			shard.Option("from", held[0].moment))
		return id.OfModel(m.Content + " " + shard.Digest(m.Latents) + " " + shard.Digest(m.Predicted))
	}
	return shard.Remember(ctx, identity, func() ([]Transitions, error) {
		return w.errorsOf(ctx, i, states, held,
			offsets)
	})
}

// afterwards are the options by which errors do not change.
var afterwards = []string{"violations", "sizes", "predict-by", "bootstrap", "block", "family"}

// errorsOf encodes the new states for one model and takes its errors.
func (w *worker) errorsOf(ctx context.Context, i int, states *latent.Memory, held []*violated,
	offsets []int) ([]Transitions, error) {
	m := &w.in.Models[i]
	var made, inputs points.Points
	if states != nil {
		var err error
		if made, inputs, err = m.Encode(ctx, states); err != nil {
			return nil, err
		}
		if made.N != states.Len() || made.Dim != m.Latents.Dim {
			return nil, fmt.Errorf("%s: latents of violated states have the shape [%d, %d], want [%d, %d]", m.Name, made.N,
				made.Dim, states.Len(), m.Latents.Dim)
		}
	}
	predicted, err := w.predict(ctx, m, held, offsets, inputs)
	if err != nil {
		return nil, err
	}
	out := make([]Transitions, len(held))
	row := 0
	for k, v := range held {
		place := &w.all[v.moment]
		t := measurer{model: m, scale: w.scales[i], made: made, offset: offsets[k]}
		states := append(slices.Clone(place.before[len(place.before)-2:]), v.states...)
		for s := 2; s < len(states); s++ {
			e := transition{before: states[s-2], now: states[s-1], next: states[s]}
			copied, repeated := t.baselines(e)
			out[k].Copied, out[k].Repeated = append(out[k].Copied, copied), append(out[k].Repeated, repeated)
			prediction := math.NaN()
			switch {
			case m.Predicted.N == 0:
			case s == 2: // of the untouched state
				prediction = t.distance(m.Predicted, states[1], states[2])
			case m.Predict != nil:
				prediction = t.distance(predicted, row, states[s])
			case states[s-1] >= 0:
				prediction = t.distance(m.Predicted, states[s-1], states[s])
			}
			if s > 2 {
				row++
			}
			out[k].Predicted = append(out[k].Predicted, prediction)
		}
	}
	return out, nil
}

// predict are the predictions from all states of violated episodes but the last ones, one episode after the other.
func (w *worker) predict(ctx context.Context, m *Model, held []*violated, offsets []int,
	inputs points.Points) (points.Points, error) {
	if m.Predict == nil || m.Predicted.N == 0 {
		return points.Points{}, nil
	}
	var rows []float32
	var actions []int64
	row := make([]float64, m.Inputs.Dim)
	for k, v := range held {
		place := &w.all[v.moment]
		for s, state := range v.states[:len(v.states)-1] {
			source, i := m.Inputs, state
			if state < 0 {
				source, i = inputs, offsets[k]-1-state
			}
			for _, x := range source.Row(i, row) {
				rows = append(rows, float32(x))
			}
			if w.in.Actions != nil { // the actions of the untouched episode
				actions = append(actions, w.in.Actions[place.after[s]])
			}
		}
	}
	if len(rows) == 0 {
		return points.Points{}, nil
	}
	return m.Predict(ctx, points.Float32(rows, m.Inputs.Dim), actions)
}

// transition are three states of a violated episode: recorded ones, or −1−k for the k-th new one of the episode.
type transition struct{ before, now, next int }

// measurer takes the errors of one model.
type measurer struct {
	model  *Model
	scale  scale
	made   points.Points
	offset int // of the episode's new states
}

// latent is the scaled latent of a state.
func (t *measurer) latent(state int) []float64 {
	z, i := t.model.Latents, state
	if state < 0 {
		z, i = t.made, t.offset-1-state
	}
	row := z.Row(i, make([]float64, z.Dim))
	t.scale.Apply(row)
	return row
}

// distance is the error of a row of predictions for a state.
func (t *measurer) distance(predicted points.Points, row, state int) float64 {
	p := predicted.Row(row, make([]float64, predicted.Dim))
	t.scale.Apply(p)
	return distance(p, t.latent(state))
}

// baselines are the errors of the models without learning.
func (t *measurer) baselines(e transition) (copied, repeated float64) {
	now, next := t.latent(e.now), t.latent(e.next)
	copied = distance(now, next)
	repeated = math.NaN()
	if before := e.before; before != none {
		z := t.latent(before)
		for k := range z {
			z[k] = 2*now[k] - z[k]
		}
		repeated = distance(z, next)
	}
	return copied, repeated
}

// none is no state.
const none = math.MinInt

func distance(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		d := v - b[k]
		sum += d * d
	}
	return math.Sqrt(sum)
}

// untouched are the errors of a model by the state that transitions lead to; NaN where there is none.
func (p *plan) untouched(i int) Transitions {
	m := &p.in.Models[i]
	t := measurer{model: m, scale: p.scales[i]}
	n := len(p.in.Next)
	out := Transitions{Predicted: make([]float64, n), Copied: make([]float64, n), Repeated: make([]float64, n)}
	for s, now := range p.previous {
		if now < 0 {
			out.Predicted[s], out.Copied[s], out.Repeated[s] = math.NaN(), math.NaN(), math.NaN()
			continue
		}
		e := transition{before: p.previous[now], now: now, next: s}
		if e.before < 0 {
			e.before = none
		}
		out.Copied[s], out.Repeated[s] = t.baselines(e)
		out.Predicted[s] = math.NaN()
		if m.Predicted.N > 0 {
			out.Predicted[s] = t.distance(m.Predicted, now, s)
		}
	}
	return out
}

// withoutFailed leaves out models that could not encode some violated states.
func (p *plan) withoutFailed(units []Unit) (*plan, []Unit, []report.Unmeasured) {
	reasons := make([]string, len(p.in.Models))
	for _, u := range units {
		for i, m := range u.Models {
			reasons[i] = cmp.Or(reasons[i], m.Failed)
		}
	}
	kept, failed := results.WithoutFailed(p.in.Models, reasons, func(m Model) string { return m.Name })
	if len(failed) == 0 {
		return p, units, nil
	}
	q := *p
	q.in.Models, q.scales = kept, results.Kept(p.scales, reasons)
	fewer := slices.Clone(units)
	for k := range fewer {
		fewer[k].Models = results.Kept(units[k].Models, reasons)
	}
	return &q, fewer, failed
}
