// Package command is the reconstruction binary: its flags, its files, its console tables and its figures.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"repscope/analysis/internal/output"
	"repscope/analysis/reconstruction"
	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/filename"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/image"
	"repscope/points"
)

// Command is the reconstruction binary.
var Command = run.Command{
	Name:       "reconstruction",
	Summary:    "comparison of predicted and true next frames: errors, similarity, sharpness, moving pixels",
	Manual:     manual,
	Out:        "evaluation_plots/reconstruction",
	Omit:       []string{"latent-scale"},
	Methods:    describeMethods,
	Definition: reconstruction.Definition,
	Metrics:    reconstruction.Metrics,
	Setup:      setup,
}

// settings are the values of the command's own flags.
type settings struct {
	inputs      *input.Inputs
	predictions *input.Given
	decoders    *input.GivenHeads
	predictors  *input.GivenHeads
	actions     *input.Given
	pixels      rangeFlag
	rollout     int
	predicts    string
	axis        string
	shown       int
	save        bool
	o           reconstruction.Options

	acted *dataset.Array // actions; nil without
	acts  []int64        // all of them, if they are whole numbers
	whole bool           // they are
}

// The values of --predicts.
const (
	predictsNext = "next"
	predictsSame = "same"
)

func setup(flags *run.Flags) run.Job {
	inputs := input.Register(flags, input.Needs{Frames: true, HeadsOnly: true, NoModels: true})
	flags.Usage("--frames FILE[:key] --predictions NAME=FILE[:key] … [flags]",
		"--frames FILE[:key] --model NAME=FILE --decoder NAME=FILE.onnx … [flags]")
	flags.FileHint("give files with --frames FILE, --predictions NAME=FILE or --model NAME=FILE")
	s := &settings{inputs: inputs, pixels: rangeFlag{all: rangeAuto}, rollout: 1, predicts: predictsNext, axis: axisHorizon, shown: 6,
		o: reconstruction.Options{MovingThreshold: 0.02, Window: reconstruction.WindowUniform, ObjectThreshold: 0.1, ObjectArea: 4}}
	s.predictions = inputs.Role(flags, input.Role{Name: "predictions", Unit: "frame", Named: true, Measured: true,
		Usage: "`NAME=FILE[:key]` of predicted frames [N,H,W], [N,C,H,W] or [N,H,W,C], or for several steps " +
			"[N,T,…], one row per state or frame (repeats)"})
	s.decoders = inputs.Heads(flags, input.HeadRole{Name: "decoder", Example: example.Decoder, Usage: "`NAME=FILE.onnx` " +
		"that decodes latents of model NAME to frames: the latents predicted by --predictor NAME, or otherwise the " +
		"latents of the next states (repeats)"})
	s.predictors = inputs.Heads(flags, input.HeadRole{Name: "predictor", Example: example.Predictor, Usage: "`NAME=FILE.onnx` " +
		"that predicts the next latent of model NAME from a latent and an action (repeats)"})
	s.actions = inputs.Role(flags, input.Role{Name: "actions", Unit: "action", Example: "action", Published: "actions",
		Usage: "`FILE[:key]` of the action at every frame, for --predictor: integers or vectors (a window has the " +
			"action of its last frame)"})
	list := option.Of(&s.o)
	list.Int(&s.rollout, "rollout-steps",
		"roll predictors out over `N` steps, feeding back their predictions with the recorded actions").AtLeast(1)
	option.Choice(list, &s.predicts, "predicts", []string{predictsNext, predictsSame},
		"`WHAT` row i of --predictions predicts: the successor of state i (next), or state i itself (same)")
	option.Choice(list, &s.axis, "time-axis", []string{axisHorizon, axisClip},
		"`MEANING` of the axis T of --predictions [N,T,…]: steps ahead (horizon), or the frames of one predicted "+
			"clip, with the last one scored (clip)")
	list.Int(&s.shown, "samples-shown", "`N` samples of the contact sheet, drawn with --seed").AtLeast(0).Free()
	list.Bool(&s.save, "save-frames",
		"also write the frames of the contact sheet to frames/<sample>_{current,true,NAME,error}.png").Free()
	list.Var(&s.pixels, "predictions-range", "`[NAME=]RANGE` of the pixel values of --predictions: LOW,HIGH, "+
		"frames (range of the frames), or auto (from the type or the data) (repeats)")
	flags.Declare(list)
	inputs.Sized(func(data *input.Data) error { return s.sized(data) })
	return run.Job{
		Files: output.Files("reconstruction", append(output.Pages(sheetName(0)), "reconstruction_summary.csv", "reconstruction_raw_data.csv",
			"reconstruction_scores.figure", "reconstruction_horizon.figure", "frames/[0-9]*_*.png")...),
		Check: func(*run.Options) error { return s.check(flags) },
		Run: func(ctx context.Context, env *run.Env) error {
			data, err := inputs.Load(ctx, env)
			if err != nil {
				return err
			}
			return s.run(ctx, env, data)
		},
		Plan:    func(ctx context.Context, env *run.Env) error { return s.plan(ctx, env, inputs) },
		Divides: true,
	}
}

// check finds wrong usage in the flags alone.
func (s *settings) check(flags *run.Flags) error {
	if err := s.checkIdle(flags); err != nil {
		return err
	}
	names := s.predictions.Names()
	for _, name := range names {
		if slices.Contains(reconstruction.Baselines(), name) {
			return run.Hint(run.Usage("--predictions %s=…: the name %s is reserved for a "+
				"baseline", name, name), "give the predictions another name")
		}
	}
	for _, name := range s.predictors.Names() {
		if !slices.Contains(s.decoders.Names(), name) && !s.inputs.OfExample() {
			return run.Hint(run.Usage("--predictor %s=…: its predicted latents have no "+
				"decoder", name), "give a decoder with --decoder "+name+"=FILE.onnx")
		}
	}
	names = append(names, s.decoders.Names()...)
	if err := s.checkSaved(names); err != nil {
		return err
	}
	if !s.inputs.OfExample() { // whose models are known later
		return s.checkRanges(names)
	}
	return nil
}

// checkIdle finds settings of predictors where there are none.
func (s *settings) checkIdle(flags *run.Flags) (err error) {
	if len(s.predictors.Names()) > 0 || s.inputs.OfExample() {
		return nil
	}
	flags.Visit(func(f *flag.Flag) {
		if err == nil && (f.Name == "actions" || f.Name == "rollout-steps" && s.rollout > 1) {
			err = run.Hint(run.Usage("--%s %s has no effect: there is no --predictor", f.Name, f.Value), "leave it out")
		}
	})
	return err
}

// checkRanges finds pixel ranges of models that are not there.
func (s *settings) checkRanges(models []string) error {
	for _, name := range s.pixels.names {
		if !slices.Contains(models, name) {
			return run.Hint(run.Usage("--predictions-range %s=%s: no predictions are named %q", name, s.pixels.byName[name], name), text.DidYouMean("", name, models))
		}
	}
	return nil
}

// checkSaved finds names whose frames would be saved into one file.
func (s *settings) checkSaved(models []string) error {
	seen := filename.Taken{}
	for _, name := range savedNames(models) {
		file := filename.Of(name)
		if s.save && seen.Has(file) {
			return run.Hint(run.Usage(
				"--save-frames: two files would have the name %q", file), "give the model another name")
		}
		seen.Unique(file, "")
	}
	return nil
}

// shapeOf is the shape of the last frame of every state.
func shapeOf(data *input.Data) (image.Shape, error) {
	frames := data.States.LastFrame()
	shape, array := frames.Shape(), data.States.Array()
	switch frames.Layout() {
	case "HW":
		return image.Shape{Channels: 1, Height: shape[0], Width: shape[1]}, nil
	case "CHW":
		return image.Shape{Channels: shape[0], Height: shape[1], Width: shape[2]}, nil
	}
	return image.Shape{}, fmt.Errorf("frames: %s has shape %v, which are vectors; want images [N,H,W], [N,C,H,W], "+
		"[N,H,W,C] or clips of images", array.Name(), array.Shape())
}

// sized checks what the flags name against the states, before any work is done.
func (s *settings) sized(data *input.Data) error {
	shape, err := shapeOf(data)
	if err != nil {
		return err
	}
	all := s.samples(data, data.Index(), allPairs(data))
	if len(all) == 0 {
		return run.Hint(fmt.Errorf("frames: no state of %s has a successor in its episode, so there is "+
			"nothing to predict", data.States.Array().Name()),
			"if every frame is its own episode, check --episodes-kind; predictions of the states themselves need "+
				"no successor: --predicts same")
	}
	return s.predictions.Each(data, func(a input.Array) error {
		p, err := newArray(a.Name, a.Array, shape, s.axis)
		if err != nil {
			return err
		}
		_, _, err = s.rowsOf(data, p, all)
		return err
	})
}

// samples are the pairs of states that samples are made of: those given, or with
// --predicts same each of the states and the one before it, −1 where there is none.
func (s *settings) samples(data *input.Data, states []int, pairs []points.Pair) []points.Pair {
	if s.predicts != predictsSame {
		return pairs
	}
	before := map[int]int{}
	for _, p := range allPairs(data) {
		before[p.Next] = p.Now
	}
	out := make([]points.Pair, len(states))
	for i, state := range states {
		out[i] = points.Pair{Now: -1, Next: state}
		if now, ok := before[state]; ok {
			out[i].Now = now
		}
	}
	return out
}

// chosen are the samples of --samples, drawn with the seed.
func (s *settings) chosen(data *input.Data) []points.Pair {
	states := slices.Sorted(slices.Values(data.Sample()))
	return s.samples(data, states, data.Pairs(1))
}

// allPairs are all states with the next of their episode.
func allPairs(data *input.Data) []points.Pair {
	admissible := make([]bool, data.States.Len())
	for _, i := range data.Index() {
		admissible[i] = true
	}
	return slices.DeleteFunc(data.States.Pairs(1),
		func(p points.Pair) bool { return !admissible[p.Now] || !admissible[p.Next] })
}

// rowsOf tells which row of an array predicts the next state of every pair: the array has
// a row per frame, per state, or per state with a successor. With --predicts same that is
// a row per frame, per state, or per state after another, so that no other is predicted:
// forward, with rows of −1.
func (s *settings) rowsOf(data *input.Data, a *array, pairs []points.Pair) (rows []int, forward bool, err error) {
	index := make([]int, len(pairs))
	for i, p := range pairs {
		index[i] = p.Now
		if s.predicts == predictsSame {
			index[i] = p.Next
		}
	}
	rows, want := data.RowsOf(a.array.Len(), index)
	if rows != nil {
		return rows, false, nil
	}
	all := allPairs(data)
	if a.array.Len() == len(all) {
		rows = make([]int, len(pairs))
		for i, p := range pairs {
			if rows[i] = -1; p.Now >= 0 {
				rows[i], _ = slices.BinarySearchFunc(all, p, func(a, b points.Pair) int { return a.Now - b.Now })
			}
		}
		return rows, s.predicts == predictsSame, nil
	}
	which := "with a successor"
	if s.predicts == predictsSame {
		which = "after another"
	}
	return nil, false, fmt.Errorf("predictions %s: %s has %s, want %s, or %d, one per state %s",
		a.name, a.array.Name(), text.Count(a.array.Len(), "row"), want, len(all), which)
}

// open opens the predictions from arrays for samples, but for those that cannot be
// measured. bad are samples for which some model predicts no finite numbers.
func (s *settings) open(
	ctx context.Context, env *run.Env, data *input.Data, shape image.Shape, pairs []points.Pair,
) (arrays []*array, ignored []int, bad map[int]bool, err error) {
	list, err := s.predictions.Open(env)
	if err != nil {
		return nil, nil, nil, err
	}
	bad = map[int]bool{}
	for _, g := range list {
		a, err := s.openArray(env, data, g, shape, pairs, bad)
		if err != nil {
			if err := data.LeaveOut(ctx, g.Name, err); err != nil {
				return nil, nil, nil, err
			}
			continue
		}
		predicted := len(s.samples(data, data.Index(), allPairs(data)))
		arrays, ignored = append(arrays, a), append(ignored, max(0, a.array.Len()-predicted))
	}
	return arrays, ignored, bad, nil
}

// openArray opens the predictions of one array and adds to the bad samples.
func (s *settings) openArray(
	env *run.Env, data *input.Data, g input.Array, shape image.Shape, pairs []points.Pair, bad map[int]bool,
) (*array, error) {
	a, err := newArray(g.Name, g.Array, shape, s.axis)
	if err != nil {
		return nil, err
	}
	if a.rows, a.forward, err = s.rowsOf(data, a, pairs); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(a.rows, func(row int) bool { return row >= 0 }) {
		return nil, fmt.Errorf(
			"predictions %s: %s has one row per state with a predecessor, but no state has one", a.name, a.array.Name())
	}
	low, high, rows, err := a.inspect()
	if err != nil {
		return nil, err
	}
	if err := a.choosePixels(s.pixels.of(a.name), data.States.Range(), data.States.DType(), low, high); err != nil {
		return nil, err
	}
	return a, s.dropBad(env, data, a, rows, bad)
}

// leastSamples is the number of samples from which anything is measured.
const leastSamples = 3

// dropBad finds samples that an array has no finite numbers for: an error, or with
// --skip-nan they are left out for all models, unless that leaves too few.
func (s *settings) dropBad(env *run.Env, data *input.Data, a *array, rows []int, bad map[int]bool) error {
	var unusable []int
	first, remain := -1, 0
	for i, row := range a.rows {
		_, broken := slices.BinarySearch(rows, row)
		if broken {
			if unusable = append(unusable, i); first < 0 {
				first = row
			}
		}
		if !broken && row >= 0 && !bad[i] {
			remain++
		}
	}
	if len(unusable) == 0 {
		return nil
	}
	if !data.Options.SkipNaN || remain < leastSamples && len(a.rows)-len(bad) >= leastSamples {
		index, value, err := a.array.NonFinite(first)
		if err != nil {
			return err
		}
		err = fmt.Errorf(
			"predictions %s: %s: %d of %d rows that predict a frame contain NaN or Inf, first row %d: element %v is %v",
			a.name, a.array.Name(), len(unusable), len(a.rows), first, index, value)
		if data.Options.SkipNaN {
			return fmt.Errorf("%w: without these rows, %s is left", err, text.Count(remain, "sample"))
		}
		return run.Hint(err, "leave out such samples for all models with --skip-nan")
	}
	for _, i := range unusable {
		bad[i] = true
	}
	env.Warn("predictions %s: %s with NaN or Inf left out for all models", a.name, text.Count(len(unusable), "sample"))
	return nil
}

// input puts the input of the analysis together.
func (s *settings) input(ctx context.Context, env *run.Env, data *input.Data) (reconstruction.Input, error) {
	shape, err := shapeOf(data)
	if err != nil {
		return reconstruction.Input{}, err
	}
	heads, models, err := s.decodedModels(ctx, env, data, shape)
	if err != nil {
		return reconstruction.Input{}, err
	}
	names := s.predictions.Names()
	for _, d := range heads {
		names = append(names, d.name)
	}
	if err := s.checkRanges(names); err != nil {
		return reconstruction.Input{}, err
	}
	pairs := s.chosen(data)
	arrays, ignored, bad, err := s.open(ctx, env, data, shape, pairs)
	if err != nil {
		return reconstruction.Input{}, err
	}
	steps := 1
	for _, a := range arrays {
		steps = max(steps, a.steps())
	}
	for _, d := range heads {
		if d.steps > 1 && len(data.States.Pairs(d.steps)) == 0 {
			return reconstruction.Input{}, run.Usage("--rollout-steps %d: no episode is so long", d.steps)
		}
		steps = max(steps, d.steps)
	}
	kept := pairs[:0:0]
	for i, p := range pairs {
		if !bad[i] {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return reconstruction.Input{}, fmt.Errorf(
			"no sample is left: each of the %d samples has NaN or Inf in some prediction", len(pairs))
	}
	in := reconstruction.Input{Shape: shape, Frames: trueFrames(data.States), Episode: data.States.Episodes(), Same: s.predicts == predictsSame}
	in.Samples = samplesOf(data, kept, steps, in.Same)
	for i, a := range arrays {
		if a.rows, _, err = s.rowsOf(data, a, kept); err != nil {
			return reconstruction.Input{}, err
		}
		in.Models = append(in.Models, a.predictions(ignored[i]))
		env.Detail("predictions %s: %s %v, pixel range %g to %g (%s)%s\n",
			a.name, a.array.DType(), a.array.Shape(), a.pixels.Low, a.pixels.High, a.pixels.Source, aside(ignored[i], in.Same))
	}
	for i, d := range heads {
		err := d.encode(ctx, s, data, models[i], in.Samples)
		if err == nil {
			err = d.choosePixels(ctx, s.pixels.of(d.name), data.States.Range())
		}
		if err != nil {
			if err := data.LeaveOut(ctx, d.name, err); err != nil {
				return reconstruction.Input{}, err
			}
			continue
		}
		in.Models = append(in.Models, d.predictions())
		env.Detail("predictions %s: %s, pixel range %g to %g (%s)\n",
			d.name, d.note(), d.pixels.Low, d.pixels.High, d.pixels.Source)
	}
	return in, nil
}

// aside says how many rows of an array are not looked at.
func aside(ignored int, same bool) string {
	switch {
	case ignored == 0:
		return ""
	case same:
		return ", " + text.Count(ignored, "row") + " before the first state of an episode ignored"
	}
	return ", " + text.Count(ignored, "row") + " without a next frame in the episode ignored"
}

// samplesOf are the samples of pairs, with the states of all steps ahead. States that are
// predicted themselves may have no current one, so that steps are counted from them.
func samplesOf(data *input.Data, pairs []points.Pair, steps int, same bool) []reconstruction.Sample {
	samples := make([]reconstruction.Sample, len(pairs))
	for i, p := range pairs {
		samples[i] = reconstruction.Sample{State: p.Now, Next: []int{p.Next}}
	}
	for step := 2; step <= steps; step++ {
		next, apart := map[int]int{}, step
		if same {
			apart--
		}
		for _, p := range data.States.Pairs(apart) {
			next[p.Now] = p.Next
		}
		for i := range samples {
			from := samples[i].State
			if same {
				from = samples[i].Next[0]
			}
			state, ok := next[from]
			if !ok {
				state = -1
			}
			samples[i].Next = append(samples[i].Next, state)
		}
	}
	return samples
}

// trueFrames are the last frames of states in units of the pixel range.
func trueFrames(states *dataset.States) reconstruction.Frames {
	last, r := states.LastFrame(), states.Range()
	low, width := r.Low, r.High-r.Low
	return reconstruction.Frames{
		Read: func(ctx context.Context, dst []float64, index []int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			p, err := last.Subset(index).Points()
			if err != nil {
				return err
			}
			for i := range p.N {
				row := dst[i*p.Dim : (i+1)*p.Dim]
				for k, v := range p.Row(i, row) {
					row[k] = (v - low) / width
				}
			}
			return nil
		},
		Digest: func() (string, error) {
			text, err := last.Fingerprint()
			return fmt.Sprintf("%s range %v %v", text, low, r.High), err
		},
	}
}

// options returns the options of the analysis, with the settings of the run.
func (s *settings) options(env *run.Env, data *input.Data) reconstruction.Options {
	o := s.o
	o.Settings = data.Settings(env, "")
	o.Progress = env.ProgressOf("comparing frames", "frames")
	return o
}

func (s *settings) run(ctx context.Context, env *run.Env, data *input.Data) error {
	in, err := s.input(ctx, env, data)
	if err != nil {
		return err
	}
	if len(in.Models) == 0 {
		env.Note("note: no predictions are given, so only the baselines are scored; see --predictions")
	}
	env.Detail("\n")
	o := s.options(env, data)
	result, err := reconstruction.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	for _, u := range result.Unmeasured {
		if err := data.LeaveOut(ctx, u.Name, errors.New(u.Reason)); err != nil {
			return err
		}
	}
	in.Models = slices.DeleteFunc(in.Models, func(m reconstruction.Predictions) bool { return data.LeftOut(m.Name) })
	shown, err := reconstruction.Show(ctx, in, o, s.shown)
	if err != nil {
		return err
	}
	return write(result, env, data, in.Shape, shown, s.save)
}

// plan says what a run would do.
func (s *settings) plan(ctx context.Context, env *run.Env, inputs *input.Inputs) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	pairs := s.chosen(data)
	env.Plan.Count("predicted frames", len(pairs))
	shape, err := shapeOf(data)
	if err != nil {
		return err
	}
	heads, _, err := s.decodedModels(ctx, env, data, shape)
	if err != nil {
		return err
	}
	names, steps := s.predictions.Names(), 1
	for _, d := range heads {
		names, steps = append(names, d.name), max(steps, d.steps)
	}
	err = s.predictions.Each(data, func(a input.Array) error {
		p, err := newArray(a.Name, a.Array, shape, s.axis)
		if err == nil {
			steps = max(steps, p.steps())
		}
		return err
	})
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, data.LeftOut)
	// Of a block: current, true and predicted frames, and the part that is read from an array.
	env.Plan.Held += int64(4 * 8 * max(reconstruction.BlockValues, 16*shape.Size()*steps))
	output.PlanFiles(env, "reconstruction_summary.csv", "reconstruction_raw_data.csv", output.SamplesFile(env))
	return s.planFigures(env, pairs, names, steps)
}

// planFigures adds figures and saved frames to a plan.
func (s *settings) planFigures(env *run.Env, pairs []points.Pair, names []string, steps int) error {
	samples := samplesOf(nil, pairs, 1, s.predicts == predictsSame)
	states := reconstruction.Input{Samples: samples, Same: s.predicts == predictsSame}.States()
	index, err := reconstruction.DrawSamples(samples, s.shown, env.Options.Seed)
	if err != nil {
		return err
	}
	for k := range sheets(len(names)) {
		if len(index) > 0 {
			env.PlanFigures(sheetName(k))
		}
	}
	for _, i := range index {
		for _, name := range savedNames(names) {
			if s.save && (name != currentFrame || pairs[i].Now >= 0) {
				env.Plan.Write(savedFile(states[i], name))
			}
		}
	}
	if steps > 1 {
		env.PlanFigures("reconstruction_horizon")
	}
	env.PlanFigures("reconstruction_scores")
	return nil
}

const manual = `reconstruction compares predicted with true next frames. Every state with a successor
in its episode is a sample. Row i of --predictions predicts the last frame of the
successor of state i; with windows, the successor of frames i … i+T-1 is frame i+T.
Predictions after the last state of an episode are ignored and counted. There is one row
per frame, per state, or per state with a successor.

With --predicts same, row i predicts state i itself, as a decoder does. Every state is
then a sample, including the first of an episode. copy_last, skill, motion and the scores
of moving pixels leave out states without a predecessor, and models are compared with
copy_last over the states of both.

Pixels are in units of the pixel range (0..1). Predictions may have another type or range
than the frames. Integers have the range of their type. Floating-point numbers have the
range of the frames; with frames of 0..255 they have 0..1 or -1..1 if all values lie
there. The chosen range is printed; set it with --predictions-range if it does not fit.
Values outside the range are not clipped.

  mse, mae         mean squared and absolute error
  psnr             mean over frames of 10 log10(1/mse of the frame); frames without
                   error (infinite PSNR) are left out and counted.
                   psnr_of_mean_mse uses the mean mse, which no frame dominates
  ssim             structural similarity (Wang et al. 2004): scikit-image's defaults, or
                   with --ssim-window gaussian the windows of the paper
  sharpness_ratio  gradient energy of predictions / gradient energy of true frames: below
                   1 if blurred, above 1 if noisy
  moving_mse       error of the pixels that change by more than --moving-threshold to the
  static_mse       next frame, and of all others; moving_share is the share that moves
  skill            1 - mse / mse of copy_last: above 0 if better than copying

Two baselines are part of every run. copy_last repeats the current frame. mean_frame is
the mean frame of all other episodes (of the other half if there is one episode), so that
no frame is predicted from itself. Most pixels do not move and copying predicts them
correctly: read moving_mse together with mse.

Predictions [N,T,…] have T steps: step h of row i predicts state i+h, over the samples
whose episode is long enough. With --time-axis clip, T counts the frames of one predicted
clip, and only the last frame is scored. "horizon" in the result file and a separate
figure show the scores by steps ahead, with copy_last over the same samples.

A decoder turns latents of a model into frames. The latents are predicted by --predictor
NAME from the latent of state i and its action. Without a predictor they are the latents
of the next state itself, the best case for this decoder. --rollout-steps feeds
predictions back into the predictor, with the recorded actions. Both use the encoder's
output before pooling, unless --decoder-pool changes it.

Objects are 8-connected components of at least --object-area pixels that differ from the
median frame of the episode by more than --object-threshold. True and predicted objects
are matched one to one if their overlap is at least 0.1. object_recall is also reported
for small, middle and large objects, by terciles of area. motion_cosine is the cosine
between predicted and true change; motion_energy_ratio is the ratio of their squared
lengths.

Ratios are ratios of sums over samples, so that every moving pixel has equal weight.
Intervals use the jackknife over episodes or blocks of states. Models are compared with
each other and with both baselines. reconstruction_samples.csv contains the share of each
sample in a score and is used to compare runs; reconstruction_raw_data.csv contains the
scores of single samples.

LPIPS and other perceptual distances are not computed, because they need the weights of
separate networks.`
