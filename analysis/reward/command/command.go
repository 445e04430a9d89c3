// Package command is the reward binary: its flags, its files, its console tables and its figures.
package command

import (
	"context"
	"flag"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/reward"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/measure/probe"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/points"
)

// Command is the reward binary.
var Command = run.Command{
	Name:       "reward",
	Summary:    "probes of true and predicted latents: reward and any other target",
	Manual:     manual,
	Out:        "evaluation_plots/reward_analysis",
	Methods:    describeMethods,
	Definition: reward.Definition,
	Metrics:    reward.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		f := register(flags)
		return run.Job{
			Files: output.Files("reward", append(layoutFiles(), "reward_summary.csv", "reward_predictions.csv",
				RolloutFile,
				"reward_probes.figure", "reward_predicted.figure", DynamicsFigure+".figure")...),
			Check:   func(*run.Options) error { return f.check() },
			Run:     func(ctx context.Context, env *run.Env) error { return f.run(ctx, env) },
			Plan:    func(ctx context.Context, env *run.Env) error { return f.plan(ctx, env) },
			Divides: true,
		}
	},
}

// rewardTarget is the name of the target that --rewards is.
const rewardTarget = "reward"

// options are the values of the command's own flags.
type options struct {
	inputs                      *input.Inputs
	rewards, targets, predicted *input.Given
	given                       *input.Given // predicted rewards
	dynamics                    *dynamicsFlags
	o                           reward.Options
	regress, layout             string
	predictions                 bool
}

// register adds the flags.
func register(flags *run.Flags) *options {
	f := &options{inputs: input.Register(flags, input.Needs{Baselines: true}),
		o: reward.Options{Probes: reward.DefaultProbes(), Features: reward.FeaturesAuto, Folds: probe.DefaultFolds, MinEntropy: 0.6}}
	in := f.inputs
	f.rewards = in.Role(flags, input.Role{Name: "rewards", Unit: "reward", Example: "reward", Published: "rewards",
		Usage: "`FILE[:key]` of one number per frame: the reward of the transition to the next frame (a window has " +
			"the reward of its last frame). Default: the rewards of a published dataset given with --frames"})
	f.predicted = in.Role(flags, input.Role{Name: "predicted", Unit: "predicted latent", Named: true, Wide: true, Models: true,
		Like: input.LikeLatents,
		Usage: "`NAME=FILE[:key]` of latents [N,D] predicted by a dynamics model of NAME: row i predicts the " +
			"successor of state i (repeats)"})
	f.given = in.Role(flags, input.Role{Name: "predicted-rewards", Unit: "predicted reward", Named: true, Models: true, Variants: []string{reward.True, reward.PredictedLatents},
		Usage: "`NAME:ON=FILE[:key]` of rewards predicted by a head of NAME that was trained elsewhere; ON, true " +
			"or predicted, names its input latents (repeats)"})
	f.dynamics = registerDynamics(flags, in)
	f.targets = in.Role(flags, input.Role{Name: "targets", Unit: "value", Named: true, Wide: true, Table: true, Example: "lives",
		Examples: exampleTargets,
		Usage: "`[CATEGORY/]NAME=FILE[:key]` of one value per frame to predict from the latent of its state: " +
			"numbers are regressed, integers classified. An array [N,K] or a CSV table has K targets; " +
			"FILE.csv:column and, with --example, example:COLUMN have one (repeats)"})
	list := option.Of(&f.o)
	list.Text(&f.regress, "regress",
		"`LIST` of integer targets to regress as quantities; * matches any characters, ? one character")
	list.Bool(&f.predictions, "predictions-csv",
		"write the prediction of every probe for every sample to reward_predictions.csv").Free()
	list.OneOf(&f.layout, "table-layout", []string{layoutLeWM},
		"`NAME` of the layout of a further table, in the console and as reward_NAME.csv, .md and .tex: lewm: a row for "+
			"each number, with MSE and Pearson r of the ridge and of the mlp probe").Free()
	flags.Declare(list)
	in.Sized(func(data *input.Data) error {
		for _, g := range []*input.Given{f.rewards, f.targets, f.predicted, f.given} {
			if err := g.Check(data); err != nil {
				return err
			}
		}
		return nil
	})
	return f
}

// exampleTargets are the targets of the built-in example, next to the reward.
var exampleTargets = []string{
	"agent/player_x=player_x", "agent/lives=lives", "enemies/enemies=enemies", "enemies/bombs=bombs", "screen/score=score", "screen/time_left=time_left",
}

// exampleQuantities are the quantities of them that are regressed.
const exampleQuantities = "player_x,score,time_left"

// check finds wrong values before anything is read.
func (f *options) check() error {
	for pattern := range strings.SplitSeq(f.regress, ",") {
		if _, err := path.Match(pattern, ""); err != nil {
			return run.Usage("--regress %s: the pattern %q does not end", f.regress, pattern)
		}
	}
	if err := f.checkTargets(); err != nil {
		return err
	}
	if err := f.checkLayout(); err != nil {
		return err
	}
	if err := checkNames(f.inputs.Names()); err != nil {
		return err
	}
	if err := f.dynamics.checkTwice(f.predicted, f.dynamics.rollouts); err != nil {
		return err
	}
	return f.dynamics.check()
}

// checkTargets finds targets of one name, which their categories do not tell apart, and
// targets with the name of the reward.
func (f *options) checkTargets() error {
	rewards := false
	f.dynamics.flags.Visit(func(set *flag.Flag) { rewards = rewards || set.Name == "rewards" || set.Name == "example" })
	names := map[string]string{}
	for _, full := range f.targets.Names() {
		name := full[strings.Index(full, "/")+1:]
		if rewards && name == rewardTarget {
			return run.Hint(run.Usage(
				"--targets %s=…: the name is used by the target of --rewards", full), "give the target another name")
		}
		if other, ok := names[name]; ok {
			return run.Hint(run.Usage("--targets %s=… and %s=…: two targets are named %q", other, full, name),
				"the category is not part of the name: choose unique target names")
		}
		names[name] = full
	}
	return nil
}

// checkNames finds models with the names of baselines.
func checkNames(models []string) error {
	for _, name := range models {
		if slices.Contains(reward.Baselines(), name) {
			return run.Hint(run.Usage("two models are named %q; the names %s are reserved for baselines", name, strings.Join(reward.Baselines(), ", ")), "give the model another name")
		}
	}
	return nil
}

// cutOn takes ":true" or ":predicted" off a name.
func cutOn(name string) (model, on string) {
	i := strings.LastIndex(name, ":")
	return name[:i], name[i+1:]
}

// run loads what the flags name and analyzes it.
func (f *options) run(ctx context.Context, env *run.Env) error {
	data, err := f.inputs.Load(ctx, env)
	if err != nil {
		return err
	}
	if err := checkNames(data.Names()); err != nil {
		return err
	}
	index := data.Index()
	if data.Options.Samples > 0 {
		env.Warn("--samples is ignored, because probes need consecutive states; remove it")
	}
	states, err := data.Select(ctx, index, input.NoFrames)
	if err != nil {
		return err
	}
	in := reward.Input{Episode: states.Episode, Time: states.Time}
	if in.Targets, err = f.readTargets(env, data, index); err != nil {
		return err
	}
	if err := f.models(ctx, env, data, states, &in); err != nil {
		return err
	}
	o := f.o
	o.Settings, o.SkipNaN = data.Settings(env, "probing"), data.Options.SkipNaN
	result, err := reward.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	return write(result, env, states, f)
}

// plan says what a run would do.
func (f *options) plan(ctx context.Context, env *run.Env) error {
	data, err := f.inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	if err := checkNames(data.Names()); err != nil {
		return err
	}
	if err := f.dynamics.plan(ctx, data); err != nil {
		return err
	}
	data.Hold(4*len(data.Index()), input.NoFrames) // latents, predictions, features in float64
	env.Plan.Count("probes", len(f.o.Probes))
	output.PlanFiles(env, "reward_summary.csv")
	if f.rewards.Any() || f.targets.Any() {
		env.Plan.Write(output.SamplesFile(env))
	}
	if f.predictions {
		env.Plan.Write("reward_predictions.csv")
	}
	if f.layout != "" {
		env.Plan.Write(layoutFiles()...)
	}
	if f.rewards.Any() || f.targets.Any() {
		env.PlanFigures("reward_probes")
	}
	if f.rewards.Any() {
		env.PlanFigures("reward_predicted")
	}
	if f.dynamics.rollouts.Any() || f.dynamics.predictors.Any() {
		env.Plan.Write(RolloutFile)
		env.PlanFigures(DynamicsFigure)
	} else if f.predicted.Any() {
		env.PlanFigures(DynamicsFigure)
	}
	return nil
}

// models enters the latents of the models with their predictions, in the unit of
// --latent-scale. Baselines are in the unit of their RMS distance: a penalty that
// counts latents counts pixels for nothing.
func (f *options) models(ctx context.Context, env *run.Env, data *input.Data, states *points.Selection,
	in *reward.Input) error {
	predicted, err := f.readPredicted(ctx, env, data, states)
	if err != nil {
		return err
	}
	d, err := f.dynamics.load(ctx, env, data, states, predicted)
	if err != nil {
		return err
	}
	for _, w := range d.warnings {
		env.Warn("%s", w)
	}
	in.Next, in.Targets = d.next, d.inverse(in.Targets)
	arrays, err := f.given.Open(env)
	if err != nil {
		return err
	}
	pairs := in.PairsOf(len(states.Index))
	for i := range states.Models {
		if data.LeftOut(states.Models[i].Name) {
			continue
		}
		model, err := f.model(ctx, data, states, i, d, arrays, env.Options.Threads)
		if err == nil {
			pairs, err = model.Predictable(pairs, data.Options.SkipNaN)
		}
		if err == nil {
			in.Models = append(in.Models, model)
		} else if err := data.LeaveOut(ctx, model.Name, err); err != nil {
			return err
		}
	}
	return nil
}

// model is one model with all that was predicted for it; its name also with an error.
func (f *options) model(
	ctx context.Context, data *input.Data, states *points.Selection, i int, d *loadedDynamics, arrays []input.Array, threads int,
) (reward.Model, error) {
	m := states.Models[i]
	model := reward.Model{Name: m.Name, Predicted: d.predicted[i], Rollout: d.rollouts[i]}
	for _, g := range d.rewards[i] {
		model.Given = append(model.Given, reward.Given{FittedOn: g.fittedOn, EvaluatedOn: g.evaluatedOn, Values: g.values})
	}
	for _, a := range arrays {
		name, on := cutOn(a.Name)
		if name != m.Name {
			continue
		}
		values, err := f.rowsOf(f.given, data, a, states.Index)
		if err != nil {
			return model, err
		}
		model.Given = append(model.Given, reward.Given{FittedOn: on, EvaluatedOn: on, Values: values.F64})
	}
	// Which of neighbors that are the same but for rounding comes first is chance.
	near, err := neighbors.WithoutRounding(ctx, m.Latents, nil, threads)
	if err != nil {
		return model, fmt.Errorf("%s: %w", m.Name, err)
	}
	if model.Latents, err = spectrum.Scaled(near.Points, scaleOf(data, i)); err != nil {
		return model, fmt.Errorf("%s: %w", m.Name, err)
	}
	return model, nil
}

// readPredicted reads latents that were predicted elsewhere, by model; none has N = 0.
func (f *options) readPredicted(ctx context.Context, env *run.Env, data *input.Data,
	states *points.Selection) ([]points.Points, error) {
	out := make([]points.Points, len(states.Models))
	arrays, err := f.predicted.Open(env)
	if err != nil {
		return nil, err
	}
	for _, a := range arrays {
		i := slices.IndexFunc(states.Models, func(m points.Encoded) bool { return m.Name == a.Name })
		if i < 0 {
			return nil, run.Usage("--predicted %s: no model is named %q", a.Name, a.Name)
		}
		out[i], err = f.rowsOf(f.predicted, data, a, states.Index)
		if z := states.Models[i].Latents; err == nil && out[i].Dim != z.Dim {
			err = fmt.Errorf("predicted %s: %s has shape %v, but the latents of %s have %d dimensions",
				a.Name, a.Array.Name(), a.Shape(), a.Name, z.Dim)
		}
		if err != nil {
			if err := data.LeaveOut(ctx, a.Name, err); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// rowsOf reads the rows of an array that belong to the states, in float64.
func (f *options) rowsOf(g *input.Given, data *input.Data, a input.Array, index []int) (points.Points, error) {
	rows, err := g.Rows(data, a, index)
	if err != nil {
		return points.Points{}, err
	}
	all := make([]float64, a.Len()*a.RowLen())
	if err := a.ReadFloat64(all, 0, a.Len()); err != nil {
		return points.Points{}, fmt.Errorf("%s %s: %w", g.Role(), a.Name, err)
	}
	return points.Float64(all, a.RowLen()).Select(rows), nil
}

// readTargets reads rewards, then the other targets.
func (f *options) readTargets(env *run.Env, data *input.Data, index []int) ([]reward.Target, error) {
	var out []reward.Target
	rewards, err := f.rewards.Open(env)
	if err != nil {
		return nil, err
	}
	for _, a := range rewards {
		values, err := f.valuesOf(f.rewards, data, a, index)
		if err != nil {
			return nil, err
		}
		out = append(out, reward.Target{Name: rewardTarget, OfTransition: true, Values: values.F64})
	}
	arrays, err := f.targets.Open(env)
	if err != nil {
		return nil, err
	}
	for _, a := range arrays {
		targets, err := f.columnsOf(data, a, index)
		if err != nil {
			return nil, err
		}
		out = append(out, targets...)
	}
	return out, nil
}

// valuesOf is rowsOf for targets: NaN is an error with its row, unless such samples are to
// be dropped.
func (f *options) valuesOf(g *input.Given, data *input.Data, a input.Array, index []int) (points.Points, error) {
	values, err := f.rowsOf(g, data, a, index)
	if err != nil {
		return values, err
	}
	rows, err := g.Rows(data, a, index)
	if err != nil {
		return values, err
	}
	for i, v := range values.F64 {
		if math.IsInf(v, 0) || math.IsNaN(v) && !data.Options.SkipNaN {
			hint := ""
			if math.IsNaN(v) {
				hint = "leave out such samples with --skip-nan"
			}
			return values, run.Hint(fmt.Errorf("%s: %s: row %d is %v, want a finite number", strings.TrimSpace(g.Role()+" "+a.Name), a.Array.Name(), rows[i/values.Dim], v), hint)
		}
	}
	return values, nil
}

// regressed reports whether a target of integers is a quantity.
func (f *options) regressed(name string) bool {
	list := f.regress
	if list == "" && f.ofExample() {
		list = exampleQuantities
	}
	for pattern := range strings.SplitSeq(list, ",") {
		if ok, _ := path.Match(strings.TrimSpace(pattern), name); ok {
			return true
		}
	}
	return false
}

// ofExample reports whether the targets are those that come with the example.
func (f *options) ofExample() bool {
	names := f.targets.Names()
	return len(names) == len(exampleTargets) && strings.HasPrefix(exampleTargets[0], names[0]+"=")
}

// columnsOf makes a target of every column of an array.
func (f *options) columnsOf(data *input.Data, a input.Array, index []int) ([]reward.Target, error) {
	category, name, named := strings.Cut(a.Name, "/")
	if !named {
		category, name = "", a.Name
	}
	values, err := f.valuesOf(f.targets, data, a, index)
	if err != nil {
		return nil, err
	}
	var out []reward.Target
	for k := range values.Dim {
		t := reward.Target{Name: name, Category: category}
		if values.Dim > 1 {
			t.Name = fmt.Sprintf("%s.%d", name, k)
		}
		column := make([]float64, values.N)
		for i := range column {
			column[i] = values.F64[i*values.Dim+k]
		}
		if a.DType().IsFloat() && !a.Whole() || f.regressed(t.Name) {
			t.Values = column
		} else {
			t.SetClasses(column)
		}
		out = append(out, t)
	}
	return out, nil
}
