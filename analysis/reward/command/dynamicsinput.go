// The flags of dynamics, and what they name: predictors, rollouts, reward heads, actions.

package command

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/reward"
	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/measure/spectrum"
	"repscope/points"
)

// What reward heads were trained on, or are evaluated on: true latents, or predicted ones.
const (
	onTrue      = "true"
	onPredicted = "predicted"
)

// dynamicsFlags are the flags of models of dynamics and of reward heads.
type dynamicsFlags struct {
	flags            *run.Flags
	dynamics         *input.Predictors
	predictors       *input.GivenHeads // of dynamics
	actions          *input.Given      // of dynamics
	heads            *input.GivenHeads
	rollouts, starts *input.Given
	horizon          int
}

// registerDynamics adds the flags.
func registerDynamics(flags *run.Flags, in *input.Inputs) *dynamicsFlags {
	f := &dynamicsFlags{flags: flags}
	f.dynamics = in.Predictors(flags, example.Predictor, ", and a target for the latents of both states of a transition")
	f.predictors, f.actions = f.dynamics.Files, f.dynamics.Actions
	f.heads = in.Heads(flags, input.HeadRole{Name: "head", Variants: []string{onTrue, onPredicted},
		Usage: "`NAME:ON=FILE.onnx` of a reward head of NAME with inputs z_t and z_next; ON, true or predicted, " +
			"names the latents it was trained on. A head trained on true latents is also evaluated on predicted " +
			"latents (repeats)"})
	f.rollouts = in.Role(flags, input.Role{Name: "rollouts", Unit: "rollout", Named: true, Models: true,
		Usage: "`NAME=FILE[:key]` of open-loop predictions [M,T,D] of NAME, 1 to T steps from each of M states " +
			"(repeats)"})
	f.starts = in.Role(flags, input.Role{Name: "rollout-starts", Unit: "state",
		Usage: "`FILE[:key]` of the initial state of each of --rollouts, as a row index from 0 (default: one " +
			"rollout from every state)"})
	f.horizon = 16
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		l.Int(&f.horizon, "horizon", "number `H` of steps to roll out --predictor from every state")
	})))
	return f
}

// check finds wrong values before anything is read.
func (f *dynamicsFlags) check() error {
	if err := run.AtLeast("horizon", f.horizon, 1); err != nil {
		return err
	}
	if f.starts.Any() && !f.rollouts.Any() {
		return run.Hint(run.Usage("--rollout-starts has no effect: there are no --rollouts"),
			"remove it, or give --rollouts NAME=FILE[:key]")
	}
	var idle error
	f.flags.Visit(func(set *flag.Flag) {
		switch {
		case idle != nil || f.predictors.Any():
		case set.Name == "horizon":
			idle = run.Hint(run.Usage("--horizon %s has no effect: there is no --predictor", set.Value),
				"remove it, or give --predictor NAME=FILE.onnx")
		case set.Name == "decoder-pool" && !f.heads.Any():
			idle = run.Hint(run.Usage("--decoder-pool %s has no effect: there is no --predictor and no --head", set.Value),
				"remove it")
		}
	})
	return idle
}

// checkTwice finds models whose predictor would make what a file holds already: of one
// step and of several, where nothing would say which counts.
func (f *dynamicsFlags) checkTwice(files ...*input.Given) error {
	for _, g := range files {
		for _, name := range g.Names() {
			if slices.Contains(f.predictors.Names(), name) {
				return run.Hint(run.Usage("--%s %s=… and --predictor %s=… both give predictions of this "+
					"model", g.Role(), name, name), "remove one of them")
			}
		}
	}
	return nil
}

// loadedDynamics holds the predictions made and read for the models, in their order; the rows of
// latents are the latents of the states, and in the unit of --latent-scale.
type loadedDynamics struct {
	next      []int // the successor of each state by its row, −1 where there is none
	actions   []int64
	predicted []points.Points // N = 0: none
	rollouts  [][]reward.StepErrors
	rewards   [][]headReward
	warnings  []string
}

// headReward is what a reward head says of every transition, by the state it begins at; NaN
// for states without a successor.
type headReward struct {
	fittedOn, evaluatedOn string
	values                []float64
}

// plan opens everything and checks that it fits, for --dry-run.
func (f *dynamicsFlags) plan(ctx context.Context, data *input.Data) error {
	if err := f.actions.Check(data); err != nil {
		return err
	}
	for _, m := range data.Models {
		if err := f.planOf(ctx, data, m); err != nil {
			if err := data.LeaveOut(ctx, m.Name, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// planOf is plan for one model.
func (f *dynamicsFlags) planOf(ctx context.Context, data *input.Data, m *input.Model) error {
	shape, err := m.HeadShape(ctx)
	if err != nil {
		if f.predictors.Has(m.Name) || f.heads.Has(m.Name) {
			return err
		}
		return nil
	}
	z := latent.HeadInput{Name: latent.HeadLatent, Rows: points.Points{Dim: points.Size(shape)}, Shape: shape}
	predictor, err := f.dynamics.Open(data, m, shape)
	if err != nil {
		return err
	}
	if predictor != nil {
		if err := predictor.Check(); err != nil {
			return err
		}
	}
	for _, on := range []string{onTrue, onPredicted} {
		head, err := f.heads.Open(data, m.Name, on)
		if err != nil {
			return err
		}
		if head == nil {
			continue
		}
		next := z
		next.Name = latent.HeadNext
		if _, err := head.Check([]latent.HeadInput{z, next}, []int{}); err != nil {
			return f.heads.Hint(m.Name, fmt.Errorf("head %s:%s: %w", m.Name, on, err))
		}
	}
	return nil
}

// load runs predictors and heads on the states and reads rollouts. given are predicted
// latents by model that were computed elsewhere, in the units of the model; their N is 0
// where there are none. They and rollouts made elsewhere stand for the rollouts of the example's own predictors.
func (f *dynamicsFlags) load(ctx context.Context, env *run.Env, data *input.Data, states *points.Selection,
	arrays []points.Points) (*loadedDynamics, error) {
	index := states.Index
	d := &loadedDynamics{next: data.Successors(index), predicted: slices.Clone(arrays),
		rollouts: make([][]reward.StepErrors, len(data.Models)), rewards: make([][]headReward, len(data.Models))}
	for i, s := range d.next {
		if s >= 0 {
			row, ok := slices.BinarySearch(index, s)
			if d.next[i] = row; !ok {
				d.next[i] = -1
			}
		}
	}
	var err error
	if d.actions, err = f.actions.Ints(data, index); err != nil {
		return nil, err
	}
	elsewhere, err := f.readRollouts(ctx, env, data, states, d)
	if err != nil {
		return nil, err
	}
	for i, m := range data.Models {
		if data.LeftOut(m.Name) {
			continue
		}
		if err := f.loadOf(ctx, data, states, i, d, elsewhere[m.Name]); err != nil {
			if err := data.LeaveOut(ctx, m.Name, err); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// loadOf is load for one model.
func (f *dynamicsFlags) loadOf(ctx context.Context, data *input.Data, states *points.Selection, i int,
	d *loadedDynamics, elsewhere []reward.StepErrors) error {
	m := data.Models[i]
	unit, err := spectrum.UnitOf(scaleOf(data, i), states.Models[i].Latents)
	if err != nil {
		return fmt.Errorf("model %s: %w", m.Name, err)
	}
	e := dynamicsEngine{f, data, states, m, i, unit, d}
	if err := e.run(ctx, elsewhere); err != nil {
		return err
	}
	if d.predicted[i].N > 0 {
		d.predicted[i] = scaled(unit, d.predicted[i])
	}
	return nil
}

// scaleOf is the scale of a model's latents: --latent-scale, but for baselines, whose own
// units mean nothing, the RMS distance rather than none.
func scaleOf(data *input.Data, model int) spectrum.Scale {
	scale := spectrum.Scale(data.Options.LatentScale)
	if data.Models[model].Baseline() && scale == spectrum.ScaleRaw {
		return spectrum.ScaleRMS
	}
	return scale
}

// scaled are points in the unit.
func scaled(u spectrum.Unit, z points.Points) points.Points {
	if !u.Norm && u.Divisor == 0 {
		return z
	}
	out := make([]float64, z.N*z.Dim)
	for i := range z.N {
		u.Apply(z.Row(i, out[i*z.Dim:(i+1)*z.Dim]))
	}
	return points.Float64(out, z.Dim)
}

// dynamicsEngine runs the heads of one model.
type dynamicsEngine struct {
	f      *dynamicsFlags
	data   *input.Data
	states *points.Selection
	model  *input.Model
	place  int // of the model
	unit   spectrum.Unit
	into   *loadedDynamics
}

// run predicts, rolls out and reads rewards of one model; elsewhere are its rollouts that
// were made elsewhere, nil for none.
func (e *dynamicsEngine) run(ctx context.Context, elsewhere []reward.StepErrors) error {
	f, name, d := e.f, e.model.Name, e.into
	d.rollouts[e.place] = elsewhere
	if !f.predictors.Has(name) && !f.heads.Has(name) {
		return nil
	}
	z, err := e.model.HeadLatents(ctx, e.states.Index)
	if err != nil {
		return err
	}
	predicted := latent.HeadInput{Name: latent.HeadNext, Rows: d.predicted[e.place]} // as heads take them
	predictor, err := f.dynamics.Open(e.data, e.model, z.Shape)
	if err != nil {
		return err
	}
	if predictor != nil {
		if d.predicted[e.place].N == 0 {
			next, err := predictor.Step(ctx, z.Rows, d.actions)
			if err != nil {
				return err
			}
			predicted.Rows, predicted.Shape = next, z.Shape
			if d.predicted[e.place], err = e.pool(z.Shape)(next); err != nil {
				return err
			}
		}
		if elsewhere == nil {
			d.rollouts[e.place], err = reward.RollOut(ctx, reward.Rollouts{Latents: z.Rows, Actions: d.actions, Next: d.next,
				Horizon: f.horizon, Unit: e.unit, Pool: e.pool(z.Shape)}, predictor.Step)
			if err != nil {
				return fmt.Errorf("predictor %s: %w", name, err)
			}
		}
	}
	return e.rewards(ctx, z, predicted)
}

// pool takes from rows of heads latents as the analysis has them.
func (e *dynamicsEngine) pool(shape []int) func(points.Points) (points.Points, error) {
	return func(rows points.Points) (points.Points, error) {
		if rows.F32 == nil { // latents of float64 that were computed elsewhere
			if rows.Dim == e.states.Models[e.place].Latents.Dim {
				return rows, nil
			}
			rows = rows.Narrowed()
		}
		return e.model.PoolHeadRows(rows.F32, shape)
	}
}

// rewards runs the reward heads of the model on transitions.
func (e *dynamicsEngine) rewards(ctx context.Context, z, predicted latent.HeadInput) error {
	var now, next []int
	for i, s := range e.into.next {
		if s >= 0 {
			now, next = append(now, i), append(next, s)
		}
	}
	if len(now) == 0 {
		return nil
	}
	from := latent.HeadInput{Name: latent.HeadLatent, Rows: z.Rows.Select(now), Shape: z.Shape}
	for _, on := range []string{onTrue, onPredicted} {
		head, err := e.f.heads.Open(e.data, e.model.Name, on)
		if err != nil {
			return err
		}
		if head == nil {
			continue
		}
		for _, evaluated := range []string{onTrue, onPredicted} {
			to := latent.HeadInput{Name: latent.HeadNext, Rows: z.Rows.Select(next), Shape: z.Shape}
			if evaluated == onPredicted {
				if predicted.Rows.N == 0 {
					continue
				}
				to = predicted
				to.Rows = predicted.Rows.Select(now)
			} else if on == onPredicted {
				continue
			}
			values, _, err := head.Run(ctx, []latent.HeadInput{from, to}, []int{},
				e.model.EncodeOptions("rewards of "+e.model.Name))
			if err != nil {
				return e.f.heads.Hint(e.model.Name, fmt.Errorf("head %s:%s: %w", e.model.Name, on, err))
			}
			reward := headReward{fittedOn: on, evaluatedOn: evaluated, values: make([]float64, len(e.into.next))}
			for i := range reward.values {
				reward.values[i] = math.NaN()
			}
			for k, i := range now {
				reward.values[i] = float64(values[k])
			}
			e.into.rewards[e.place] = append(e.into.rewards[e.place], reward)
		}
	}
	return nil
}

// readRollouts reads the rollouts that were made elsewhere, by model.
func (f *dynamicsFlags) readRollouts(
	ctx context.Context, env *run.Env, data *input.Data, states *points.Selection, d *loadedDynamics,
) (map[string][]reward.StepErrors, error) {
	arrays, err := f.rollouts.Open(env)
	if err != nil || len(arrays) == 0 {
		return nil, err
	}
	list, err := f.starts.Open(env)
	if err != nil {
		return nil, err
	}
	out := map[string][]reward.StepErrors{}
	for _, a := range arrays {
		place := slices.IndexFunc(data.Models, func(m *input.Model) bool { return m.Name == a.Name })
		if place < 0 || data.LeftOut(a.Name) {
			continue
		}
		rows, past, err := f.rolloutsOf(data, states, d, a, place, list)
		if err != nil {
			if err := data.LeaveOut(ctx, a.Name, err); err != nil {
				return nil, err
			}
			continue
		}
		if past > 0 {
			d.warnings = append(d.warnings, fmt.Sprintf(
				"rollouts %s: %d of %d continue after the end of their episode; only steps inside the episode are "+
					"scored", a.Name, past, a.Len()))
		}
		out[a.Name] = rows
	}
	return out, nil
}

// rolloutsOf reads the rollouts of one model; past is how many go on after their episode.
func (f *dynamicsFlags) rolloutsOf(
	data *input.Data, states *points.Selection, d *loadedDynamics, a input.Array, place int, arrays []input.Array,
) (rows []reward.StepErrors, past int, err error) {
	fail := func(err error) ([]reward.StepErrors, int, error) {
		return nil, 0, fmt.Errorf("rollouts %s: %s: %w", a.Name, a.Array.Name(), err)
	}
	z := states.Models[place].Latents
	if shape := a.Shape(); len(shape) != 3 || shape[2] != z.Dim {
		return fail(fmt.Errorf("has shape %v, want [M T %d]: T steps from each of M states, with the latent "+
			"dimension of %s", a.Shape(), z.Dim, a.Name))
	}
	starts, err := f.startsOf(arrays, a, states.Index)
	if err != nil {
		return nil, 0, err
	}
	unit, err := spectrum.UnitOf(scaleOf(data, place), z)
	if err != nil {
		return fail(err)
	}
	values := make([]float64, a.Len()*a.RowLen())
	if err := a.ReadFloat64(values, 0, a.Len()); err != nil {
		return fail(err)
	}
	if rows, past, err = reward.RolloutErrors(z, d.next, starts, points.Float64(values, a.RowLen()), unit); err != nil {
		return fail(err)
	}
	return rows, past, nil
}

// startsOf are the rows of the states that rollouts start from.
func (f *dynamicsFlags) startsOf(arrays []input.Array, rollouts input.Array, index []int) ([]int, error) {
	if len(arrays) == 0 {
		if rollouts.Len() != len(index) {
			return nil, run.Hint(fmt.Errorf("rollouts %s: %s has %d rollouts, but there are %d states", rollouts.Name, rollouts.Array.Name(), rollouts.Len(), len(index)),
				"give their initial states with --rollout-starts FILE[:key]")
		}
		starts := make([]int, len(index))
		for i := range starts {
			starts[i] = i
		}
		return starts, nil
	}
	a := arrays[0]
	if a.RowLen() != 1 || a.Len() != rollouts.Len() {
		return nil, fmt.Errorf("rollout-starts: %s has shape %v, want one state for each of the %d rollouts of %s",
			a.Array.Name(), a.Shape(), rollouts.Len(), rollouts.Name)
	}
	return readStarts(a.Array, index)
}

// readStarts reads states and finds their rows.
func readStarts(a *dataset.Array, index []int) ([]int, error) {
	values := make([]int64, a.Len())
	if err := a.ReadInt64(values, 0, len(values)); err != nil {
		return nil, fmt.Errorf("rollout-starts: %w", err)
	}
	starts := make([]int, len(values))
	for i, v := range values {
		row, ok := slices.BinarySearch(index, int(v))
		if !ok {
			return nil, fmt.Errorf(
				"rollout-starts: %s: element %d is %d, which is not among the analyzed states", a.Name(), i, v)
		}
		starts[i] = row
	}
	return starts, nil
}
