// Package command is the surprise binary: its flags, its files, its console tables and its figure.
package command

import (
	"context"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/surprise"
	"repscope/internal/example"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/measure/spectrum"
)

// ErrorsFile has the errors of all transitions.
const ErrorsFile = "surprise_errors.csv"

// Command is the surprise binary.
var Command = run.Command{
	Name:       "surprise",
	Summary:    "whether models of dynamics notice what cannot happen",
	Manual:     manual,
	Out:        "evaluation_plots/surprise",
	Defaults:   map[string]string{"latent-scale": string(spectrum.ScaleRMS)},
	Methods:    describeMethods,
	Definition: surprise.Definition,
	Metrics:    surprise.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		f := register(flags)
		return run.Job{
			Files: output.Files("surprise", ErrorsFile, "surprise.figure"),
			Check: func(*run.Options) error { return f.check() },
			Run:   f.run, Plan: f.plan, Divides: true,
		}
	},
}

const manual = `surprise makes violations of your own episodes and asks whether the prediction error of a
model of dynamics shows them. At a random moment of an episode a patch jumps (teleport), changes its
color (recolor), vanishes or appears, moves against its direction (gravity), or time stands still
(freeze), skips, runs back (reverse), is shuffled, or another episode goes on (swap). The moving patch
is the largest object that differs from the median frame of the episode and from the frame before.
Moments at which nothing moves are left out and counted. The untouched episode from the same moment on
is the twin. All models see the same violations, and only frames that differ are encoded.

The error of a transition is the distance between the predicted and the true next latent, divided by
the RMS distance of two random latents. Give --predictor NAME=FILE.onnx with --actions, as for reward,
or latents predicted elsewhere with --predicted. Every model is also measured without learning:
copy_last predicts the latent before, constant_velocity repeats the last step.

p of a transition is the rank of its error among errors of other, untouched episodes of the same model.
At most a share a of untouched transitions has p <= a, on average over exchangeable episodes.
Per violation and size: auroc (an impossible transition against its untouched twin; 0.5 is chance),
detected_1in100 and detected_1in1000 (share of impossible transitions with p <= 0.01 and 0.001),
noticed (share of episodes with p <= 0.01 inside --horizon; noticed_untouched is the same for the twins),
delay and place (distance of the largest error from the violation), in transitions, and alarmed. The
alarm may be watched at every step and sounds in at most 1 % of untouched episodes.

--errors NAME=FILE with --violations-of FILE.csv measures errors that were computed elsewhere, without
frames: a row for each transition, and columns episode, pair, step (0: the first impossible transition;
also in the untouched twin), violation (empty: untouched) and size.`

// options are the values of the command's own flags.
type options struct {
	flags     *run.Flags
	inputs    *input.Inputs
	dynamics  *input.Predictors
	predicted *input.Given
	frames    *input.Given // predicted ones
	errors    *input.Given
	table     string // of --violations-of
	o         surprise.Options
}

// register adds the flags.
func register(flags *run.Flags) *options {
	f := &options{flags: flags, o: surprise.Defaults()}
	flags.Usage("--frames FILE[:key] --model NAME=FILE --predictor NAME=FILE.onnx --actions FILE[:key] [flags]",
		"--errors NAME=FILE[:key] --violations-of FILE.csv [flags]")
	f.inputs = input.Register(flags, input.Needs{NoModels: true, Without: func() bool { return f.errors.Any() }})
	in := f.inputs
	f.dynamics = in.Predictors(flags, example.Predictor, "")
	f.predicted = in.Role(flags, input.Role{Name: "predicted", Unit: "predicted latent", Named: true, Wide: true,
		Like:   input.LikeLatents,
		Models: true,
		Usage: "`NAME=FILE[:key]` of latents [N,D] predicted by a dynamics model of NAME: row i predicts the " +
			"successor of state i. Transitions from new frames have no prediction then (repeats)"})
	f.frames = in.Role(flags, input.Role{Name: "predicted-frames", Unit: "predicted frame", Named: true, Wide: true,
		Like: input.LikeFrames,
		Usage: "`NAME=FILE[:key]` of frames [N,…] predicted by NAME: row i predicts the last frame of the successor of " +
			"state i; errors are of pixels (repeats)"})
	f.errors = input.RegisterRole(flags, input.Role{Name: "errors", Unit: "error", Named: true, Column: true,
		Usage: "`NAME=FILE[:key]` of an error for each row of --violations-of, or FILE.csv:column, instead of frames and " +
			"models (repeats)"})
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		l.Under(option.Inputs)
		l.Path(&f.table, "violations-of", "`FILE.csv` of the transitions of --errors, with columns episode, pair, step, "+
			"violation and size").Reads()
	})))
	flags.Group(run.Inputs, "predicted", "predicted-frames", "errors")
	flags.Declare(option.Of(&f.o))
	in.Sized(func(data *input.Data) error {
		for _, g := range []*input.Given{f.predicted, f.frames} {
			if err := g.Check(data); err != nil {
				return err
			}
		}
		return nil
	})
	return f
}

// check finds wrong usage before any file is opened.
func (f *options) check() error {
	if err := f.o.Check(); err != nil {
		return run.Usage("--%v", err)
	}
	if !f.errors.Any() {
		if f.table != "" {
			return run.Hint(run.Usage("--violations-of has no effect: there are no --errors"), "give --errors NAME=FILE[:key]")
		}
		if len(f.inputs.Models()) == 0 && !f.frames.Any() {
			return run.Hint(run.Usage("no models: nothing predicts the frames"),
				"give --model NAME=FILE or --latents NAME=FILE[:key]",
				"or --predicted-frames NAME=FILE[:key]")
		}
		return f.checkNames()
	}
	if f.table == "" {
		return run.Hint(run.Usage("--errors needs --violations-of: which rows are of violated episodes"),
			"give --violations-of FILE.csv")
	}
	var others []string
	for _, name := range []string{"frames", "episodes", "model", "latents", "weights", "baseline", "example", "predictor",
		"actions",
		"predicted", "predicted-frames", "violations", "sizes", "at", "draws", "predict-by", "object-threshold",
		"object-area"} {
		if f.flags.Given(name) {
			others = append(others, "--"+name)
		}
	}
	if len(others) > 0 {
		return run.Hint(run.Usage("--errors and %s cannot be used together: errors are measured as they are",
			strings.Join(others, ", ")),
			"leave one of them out")
	}
	return nil
}

// checkNames finds predictions that are given twice, and predicted frames with the name of a model.
func (f *options) checkNames() error {
	has := map[string]bool{}
	for _, name := range f.dynamics.Files.Names() {
		has[name] = true
	}
	for _, name := range f.predicted.Names() {
		if has[name] {
			return run.Hint(run.Usage("--predicted %s=… and --predictor %s=… both give predictions of this model", name, name),
				"remove one of them")
		}
	}
	models := map[string]bool{}
	for _, name := range f.inputs.Models() {
		models[name] = true
	}
	for _, name := range f.frames.Names() {
		if models[name] {
			return run.Hint(run.Usage("--predicted-frames %s=…: a model is named %q", name, name),
				"give predicted frames a name of their own")
		}
	}
	return nil
}

// run measures.
func (f *options) run(ctx context.Context, env *run.Env) error {
	o := f.o
	if f.errors.Any() {
		in, err := f.known(env)
		if err != nil {
			return err
		}
		statistics := input.Statistics{Block: f.inputs.Block, Family: f.inputs.Family}
		o.SkipNaN, o.Settings = f.inputs.SkipNaN, statistics.Settings(env, "comparing")
		return f.finish(ctx, env, nil, in, o)
	}
	data, err := f.inputs.Load(ctx, env)
	if err != nil {
		return err
	}
	in, states, err := f.load(ctx, env, data)
	if err != nil {
		return err
	}
	o.SkipNaN, o.Settings = data.Options.SkipNaN, data.Settings(env, "violating and encoding")
	o.Scale = spectrum.Scale(data.Options.LatentScale)
	return f.finish(ctx, env, &loaded{data, states}, *in, o)
}

// finish analyzes and writes.
func (f *options) finish(ctx context.Context, env *run.Env, l *loaded, in surprise.Input, o surprise.Options) error {
	result, err := surprise.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	if l != nil {
		if err := l.leaveOut(ctx, result.Unmeasured); err != nil {
			return err
		}
	}
	return write(env, result, l, o)
}

// plan says what a run would do.
func (f *options) plan(ctx context.Context, env *run.Env) error {
	if f.errors.Any() {
		in, err := f.known(env)
		if err != nil {
			return err
		}
		env.Plan.States, env.Plan.Units = len(in.Errors.Episode), 1
	} else {
		data, err := f.inputs.Plan(ctx, env)
		if err != nil {
			return err
		}
		if err := f.planModels(ctx, data); err != nil {
			return err
		}
		env.Plan.Count("violations", len(f.o.Violations))
		env.Plan.Units = f.o.Units()
		data.Hold(3*len(data.Index()), input.NoFrames) // latents, inputs of predictors, predictions
	}
	output.PlanFiles(env, ErrorsFile)
	env.PlanFigures("surprise")
	return nil
}
