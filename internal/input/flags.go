// The flags of states and models.

package input

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"repscope/dataset"
	"repscope/internal/device"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/measure/spectrum"
	"repscope/model"
	"repscope/model/checkpoint"
	"repscope/stat"
)

// Needs says what a command takes.
type Needs struct {
	// Frames says that the frames are needed even when all models are given as
	// latents. Encoders need them always.
	Frames bool
	// Encoders says that latents computed elsewhere cannot serve, because the
	// command encodes inputs of its own.
	Encoders bool
	// Baselines adds pixel PCA and an untrained encoder to the models wherever there are
	// frames, unless --baseline names some.
	Baselines bool
	// Unpooled admits --pool none, and Layers several values of --layer: for a
	// command that takes outputs of any shape and number.
	Unpooled, Layers bool
	// ByLayer adds --layers, for a command that compares the layers of models; see [Data.Layered].
	ByLayer bool
	// HeadsOnly says that latents are only given to heads (see [Inputs.Heads]) and need no
	// pooling.
	HeadsOnly bool
	// ExampleSamples is how many states of the built-in example are analysed unless --samples
	// says otherwise, for a command that would take long over all; 0: all.
	ExampleSamples int
	// AllModels says that a run without one of its models is of no use: what cannot be encoded
	// is the error of the run, and no model is left out.
	AllModels bool
	// NoModels admits runs without any model, for a command that may be given something
	// else to measure.
	NoModels bool
	// Without, if not nil, reports whether the command was given something else to measure, without frames and models.
	Without func() bool
	// Fewest is the least number of models that make sense, for the usage line of latents; 0: one.
	Fewest int
}

// Options are values of flags that an analysis of states may want to know.
type Options struct {
	Device      string         // --device: auto, cpu, cuda or a list of GPUs
	Precision   string         // --precision: of matrix products on GPUs
	Batch       int            // --batch: states per batch
	Samples     int            // --samples: states or pairs to analyse, 0 for all
	Block       stat.BlockSpec // --block
	Family      string         // --family
	LatentScale string         // --latent-scale: raw, l2 or rms
	SkipNaN     bool           // --skip-nan
}

// Inputs are the flags of states and models.
type Inputs struct {
	Options

	command string // the binary's name
	flags   *run.Flags
	needs   Needs
	roles   []*Given
	heads   []*GivenHeads
	sized   []func(*Data) error
	left    Losses

	frames, episodes, pixelRange, layout, cache             string
	episodesKind                                            string
	window                                                  windowPerModel
	preprocess                                              perModel
	sources                                                 []source
	example                                                 bool
	pool, inputScale, activation, finalActivation           perModel
	state, attentionHeads, mean, std, resize, interpolation perModel
	layer                                                   layersPerModel
	byLayer                                                 layerLists
	fixed                                                   fixedInputs
	headPool                                                perModel
}

// Register adds the flags of states and models to a command's, and the check of
// their values. What they name is loaded by [Inputs.Load].
func Register(flags *run.Flags, needs Needs) *Inputs {
	in := &Inputs{command: flags.Name(), flags: flags, needs: needs}
	flags.Usage("--example")
	if !needs.NoModels {
		flags.Usage("--frames FILE[:key] --model NAME=FILE … [flags]")
	}
	if !needs.Frames && !needs.Encoders && !needs.NoModels {
		flags.Usage(strings.Repeat("--latents NAME=FILE[:key] ", max(needs.Fewest, 1)) + "… [flags]")
	}
	flags.FileHint("files are given with --frames FILE, --model NAME=FILE or --latents NAME=FILE")
	flags.Title(run.Settings, "states and encoders")
	in.registerSources(flags)
	in.registerStates(flags)
	in.registerEncoders(flags)
	in.registerStatistics(flags)
	in.registerRunning(flags)
	flags.Check(func(*run.Options) error { return in.check() })
	flags.Reads(func(*run.Options) []string { return in.leads() })
	return in
}

// registerSources adds what is read.
func (in *Inputs) registerSources(f *run.Flags) {
	f.PathVar(&in.frames, "frames", "`FILE[:key]` of the original states [N,…]: "+dataset.FormatNames())
	f.PathVar(&in.episodes, "episodes",
		"`FILE[:key]` of an episode number or an end-of-episode flag for each frame, or FILE.csv:column; see "+
			"--episodes-kind")
	f.Var(&sourceFlag{in, "model"}, "model", "`NAME=FILE` of an encoder: ONNX, .pth, .safetensors (repeats)")
	f.Var(&sourceFlag{in, "latents"}, "latents", "`NAME=FILE[:key]` of precomputed latents (repeats)")
	f.Var(&sourceFlag{in, "weights"}, "weights", "`DIR` with models: every <name>/best_encoder.{onnx,pth,safetensors} in it (repeats)")
	f.Var(&sourceFlag{in, "baseline"}, "baseline", "`LIST` of baselines: pca[:D], pixel PCA; random[:D], an untrained encoder (repeats)")
	f.BoolVar(&in.example, "example", false, "run on the built-in example: frames of a small arcade game, two trained encoders and both baselines")
	f.Group(run.Inputs, "frames", "episodes", "model", "latents", "weights", "baseline", "example")
}

// registerStates adds how frames become states.
func (in *Inputs) registerStates(f *run.Flags) {
	in.window.all, in.window.check = "0", checkWindow
	f.Var(&in.window, "window", "`[NAME=]T` consecutive frames per state. 0: one frame, or the window of a published dataset. "+
		"A model with its own window gets the last frames of the same states (repeats)")
	in.episodesKind = dataset.EpisodesAuto
	f.CheckedVar(&in.episodesKind, "episodes-kind", run.OneOf(dataset.EpisodeKinds()...),
		"`KIND` of --episodes: numbers, flags of last frames (ends) or of first frames (starts); auto: decided from the values")
	in.layout = "auto"
	layouts := append([]string{"auto"}, dataset.Layouts()...)
	f.CheckedVar(&in.layout, "layout", run.OneOf(layouts...), "`AXES` of one frame or clip ("+strings.Join(layouts, ", ")+")")
	in.pixelRange = "auto"
	f.CheckedVar(&in.pixelRange, "pixel-range", dataset.CheckPixelRange, "`LOW,HIGH` of the pixel values; auto: from the type or the data")
	f.BoolVar(&in.SkipNaN, "skip-nan", false, "drop and count states with NaN or Inf instead of failing")
	f.Group(run.Settings, "window", "episodes-kind", "layout", "pixel-range", "skip-nan")
}

// registerEncoders adds what goes into encoders and what is taken out of them.
func (in *Inputs) registerEncoders(f *run.Flags) {
	unpooled := ""
	in.pool.check = func(s string) error { _, err := latent.ParsePool(s); return err }
	if in.needs.Unpooled {
		unpooled = ", or none for unchanged outputs of any shape"
		in.pool.check = func(s string) error {
			if s == string(latent.PoolKeep) {
				return nil
			}
			_, err := latent.ParsePool(s)
			return err
		}
	}
	f.Var(&in.pool, "pool", "`[NAME=]MODE` of pooling for outputs with several vectors per state: last, mean, cls, flatten, index:K"+unpooled+" (repeats)")
	f.Var(&in.layer, "layer", "`[NAME=]LAYER` to use instead of the model's output: a module of the original code, "+
		"such as blocks.7, in which * stands for no dot; or the name of a value in its graph, or of the node that "+
		"computes it, in which * matches any "+
		"characters; ? matches any one character; see encode --layers list (repeats)")
	f.Var(&in.fixed, "input", "`[NAME=]INPUT=VALUE` of an ONNX file's input besides the states, such as a recurrent state: zeros, "+
		"a number, or FILE[:key] of an array with one element along the batch (repeats)")
	if in.needs.ByLayer {
		in.registerLayers(f)
	}
	in.registerPreprocessing(f)
	in.registerCheckpoints(f)
	f.Group(run.Settings, "preprocess", "resize", "interpolation", "input-scale", "mean", "std", "input", "layer", "pool",
		"activation", "final-activation", "heads", "state")
}

// registerPreprocessing adds what frames go through before an encoder sees them.
func (in *Inputs) registerPreprocessing(f *run.Flags) {
	in.preprocess.check = run.OneOf(presetNone, presetImageNet)
	f.Var(&in.preprocess, "preprocess", "`[NAME=]PRESET` of the preprocessing. imagenet: --resize 224x224 (bilinear), one channel repeated to three, --input-scale unit, "+
		"and the mean and std of ImageNet. Other flags override a preset; a preset for one model, or none, overrides "+
		"one for all. Default: the preprocessing of the model's folder, from preprocessor_config.json, open_clip_config.json or the "+
		"pretrained_cfg of timm; none turns it off (repeats)")
	in.resize.check = func(s string) error { _, _, err := parseSize(s); return err }
	f.Var(&in.resize, "resize", "`[NAME=]HxW`, height by width, of the frames that encoders get, before all other steps; distances between frames use the original size (repeats)")
	in.interpolation.all = string(latent.Bilinear)
	in.interpolation.check = run.OneOf(string(latent.Bilinear), string(latent.Nearest))
	f.Var(&in.interpolation, "interpolation", "`[NAME=]METHOD` of --resize: bilinear (between pixel centers, no smoothing), nearest (repeats)")
	in.inputScale.all = scaleAuto
	in.inputScale.check = run.OneOf(scaleAuto, string(latent.ScaleRaw), string(latent.ScaleUnit))
	f.Var(&in.inputScale, "input-scale", "`[NAME=]SCALE` of an encoder's input pixels, after resizing: raw (as stored), unit (0..1), "+
		"auto (unit with --mean or --std, else raw) (repeats)")
	in.mean.whole, in.std.whole = true, true
	in.mean.check, in.std.check = checkNumbers, checkDeviations
	f.Var(&in.mean, "mean", "`[NAME=]LIST` of one value, or one per channel, to subtract after scaling (repeats)")
	f.Var(&in.std, "std", "`[NAME=]LIST` of one value, or one per channel, to divide by after --mean (repeats)")
}

// registerCheckpoints adds what a checkpoint of weights may leave open.
func (in *Inputs) registerCheckpoints(f *run.Flags) {
	var names, choices []string
	for _, a := range checkpoint.Activations() {
		names, choices = append(names, a.Name), append(choices, a.Name)
		if a.DefaultOf != "" {
			choices[len(choices)-1] += " (default of a " + a.DefaultOf + ")"
		}
	}
	in.activation.check = run.OneOf(names...)
	f.Var(&in.activation, "activation", "`[NAME=]FUNCTION` between layers, for checkpoints that do not record it: "+
		strings.Join(choices, ", ")+" (repeats)")
	final := checkpoint.FinalActivations()
	in.finalActivation.check = run.OneOf(final...)
	f.Var(&in.finalActivation, "final-activation", "`[NAME=]FUNCTION` after the last layer of a DQN checkpoint: "+final[0]+" (default), "+
		strings.Join(final[1:], ", ")+" (repeats)")
	in.state.check = func(s string) error {
		if s == "" {
			return errors.New("the key is empty")
		}
		return nil
	}
	f.Var(&in.state, "state", "`[NAME=]KEY` of the state dict in a training checkpoint, such as model, ema or target; "+
		"default: encoder_state_dict, state_dict or model_state_dict; else the only one (repeats)")
	in.attentionHeads.check = func(s string) error {
		if n, err := strconv.Atoi(s); err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive integer", s)
		}
		return nil
	}
	f.Var(&in.attentionHeads, "heads", "`[NAME=]N` attention heads, for ViT checkpoints that do not record them (repeats)")
}

// registerStatistics adds which states are analysed and how they are resampled,
// among the shared flags of statistics.
func (in *Inputs) registerStatistics(f *run.Flags) {
	example := ""
	if in.needs.ExampleSamples > 0 {
		example = fmt.Sprintf("; default with --example: %d", in.needs.ExampleSamples)
	}
	f.CountVar(&in.Samples, "samples", 0, "`N` states or pairs to analyze, drawn with --seed, the same for all models; 0: all"+example)
	f.Var(&blockFlag{&in.Block}, "block", "`SPEC` of the blocks for intervals: episode, a number of consecutive states, or auto (whole episodes if there are at least 5, else parts of them)")
	in.LatentScale = string(spectrum.ScaleRaw)
	f.CheckedVar(&in.LatentScale, "latent-scale", run.OneOf(string(spectrum.ScaleRaw), string(spectrum.ScaleL2), string(spectrum.ScaleRMS)),
		"`SCALE` of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states)")
	in.Family = "metric"
	f.CheckedVar(&in.Family, "family", run.OneOf("metric", "run"), familyUsage)
	f.Group(run.Statistics, "samples", "seed", "bootstrap", "block", "family", "latent-scale")
}

const familyUsage = "`SCOPE` of Holm's correction of p values: metric (all rows of one metric) or run (all rows of the run)"

// registerRunning adds what changes no number but by rounding.
func (in *Inputs) registerRunning(f *run.Flags) {
	in.Device = "auto"
	f.CheckedVar(&in.Device, "device", device.Check, "`DEVICE` for encoders and neighbor searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, "+
		"or auto (the first GPU if there is one, else the CPU)")
	in.Precision = model.Precisions()[0]
	f.CheckedVar(&in.Precision, "precision", run.OneOf(model.Precisions()...), "`PRECISION` of matrix products on GPUs ("+
		strings.Join(model.Precisions(), ", ")+"), with float32 sums; the CPU computes in float32")
	in.Batch = 64
	f.CountVar(&in.Batch, "batch", 1, "`N` states per batch")
	f.PathVar(&in.cache, "cache", "`DIR` of the cache of encoded latents, or off (default: the user's cache folder)")
	f.Group(run.Running, "device", "precision", "batch", "threads", "memory", "cache")
}

// open is how the file of a model is read.
func (in *Inputs) open(model string, threads int) latent.OpenOptions {
	heads, _ := strconv.Atoi(in.attentionHeads.of(model)) // checked when it was set; 0 for none
	return latent.OpenOptions{
		State:           in.state.of(model),
		Activation:      in.activation.of(model),
		FinalActivation: in.finalActivation.of(model),
		Heads:           heads,
		Layers:          in.layersOf(model),
		Inputs:          in.fixed.of(model),
		Threads:         threads,
	}
}

// blockFlag is the value of --block.
type blockFlag struct{ spec *stat.BlockSpec }

func (b *blockFlag) String() string {
	if b.spec == nil {
		return ""
	}
	return b.spec.String()
}
func (b *blockFlag) Get() any { return b.spec.String() }
func (b *blockFlag) Set(text string) error {
	spec, err := stat.ParseBlockSpec(text)
	if err != nil {
		return err
	}
	*b.spec = spec
	return nil
}
