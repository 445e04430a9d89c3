// The flags of states and models.

package input

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"repscope/dataset"
	"repscope/internal/device"
	"repscope/internal/option"
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
	// ExampleSamples is how many states of the built-in example are analyzed unless --samples
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
	Samples     int            // --samples: states or pairs to analyze, 0 for all
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
	flags.Declare(option.Of(option.Func(in.declareInputs)))
	// Flags that all commands share stand among these.
	flags.Group(run.Statistics, "samples", "seed", "bootstrap", "block", "family", "latent-scale")
	flags.Group(run.Running, "device", "precision", "batch", "threads", "memory", "cache")
	flags.Declare(option.Of(option.Func(in.declareAnalysis)))
	flags.Check(func(*run.Options) error { return in.check() })
	flags.Reads(func(*run.Options) []string { return in.leads() })
	flags.Holds(func(_ *run.Options, path string) string { return holder("latents", in.sources, path) })
	Folder(flags, "frames", &in.frames)
	return in
}

// declareInputs lists the options of states and models.
func (in *Inputs) declareInputs(l *option.List) {
	in.declareSources(l)
	in.declareStates(l)
	in.declareEncoders(l)
}

// declareAnalysis lists the options of the analysis of them.
func (in *Inputs) declareAnalysis(l *option.List) {
	in.declareStatistics(l)
	in.declareRunning(l)
}

// declareSources lists the options of files.
func (in *Inputs) declareSources(l *option.List) {
	l.Under(option.Inputs)
	l.Path(&in.frames, "frames", "`FILE[:key]` of the original states [N,…]: "+dataset.FormatNames()).Reads()
	l.Path(&in.episodes, "episodes",
		"`FILE[:key]` of an episode number or an end-of-episode flag for each frame, or FILE.csv:column; see "+
			"--episodes-kind").Reads()
	l.Var(&sourceFlag{in, "model"}, "model", "`NAME=FILE` of an encoder: ONNX, .pth, .safetensors (repeats)").Reads()
	l.Var(&sourceFlag{in, "latents"}, "latents", "`NAME=FILE[:key]` of precomputed latents (repeats)").Reads()
	l.Var(&sourceFlag{in, "weights"}, "weights", "`DIR` with models: every <name>/best_encoder.{onnx,pth,safetensors} in it (repeats)").Reads()
	l.Var(&sourceFlag{in, "baseline"}, "baseline",
		"`LIST` of baselines: pca[:D], pixel PCA; random[:D], an untrained encoder (repeats)")
	l.Bool(&in.example, "example", "run on the built-in example: frames of a small arcade game, two trained encoders and both baselines")
}

// declareStates lists how frames become states.
func (in *Inputs) declareStates(l *option.List) {
	l.Under(option.Settings)
	in.window.all, in.window.check = "0", checkWindow
	l.Var(&in.window, "window", "`[NAME=]T` consecutive frames per state. 0: one frame, or the window of a published dataset. "+
		"A model with its own window gets the last frames of the same states (repeats)")
	in.episodesKind = dataset.EpisodesAuto
	l.OneOf(&in.episodesKind, "episodes-kind", dataset.EpisodeKinds(),
		"`KIND` of --episodes: numbers, flags of last frames (ends) or of first frames (starts), or for each episode its "+
			"number of frames (lengths) or its first frame (offsets); auto: decided from the values")
	in.layout = "auto"
	layouts := append([]string{"auto"}, dataset.Layouts()...)
	l.OneOf(&in.layout, "layout", layouts, "`AXES` of one frame or clip ("+strings.Join(layouts, ", ")+")")
	in.pixelRange = "auto"
	l.Checked(&in.pixelRange, "pixel-range",
		dataset.CheckPixelRange, "`LOW,HIGH` of the pixel values; auto: from the type or the data")
	l.Bool(&in.SkipNaN, "skip-nan", "drop and count states with NaN or Inf instead of failing")
}

// declareEncoders lists the inputs and outputs of encoders.
func (in *Inputs) declareEncoders(l *option.List) {
	l.Under(option.Settings)
	if in.needs.ByLayer {
		in.declareLayers(l)
	}
	in.declarePreprocessing(l)
	l.Var(&in.fixed, "input", "`[NAME=]INPUT=VALUE` of an ONNX file's input besides the states, such as a recurrent state: zeros, "+
		"a number, or FILE[:key] of an array with one element along the batch (repeats)").Reads()
	l.Var(&in.layer, "layer", "`[NAME=]LAYER` to use instead of the model's output: a module of the original code, "+
		"such as blocks.7, in which * stands for no dot; or the name of a value in its graph, or of the node that "+
		"computes it, in which * matches any "+
		"characters; ? matches any one character; see encode --layers list (repeats)")
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
	l.Var(&in.pool, "pool", "`[NAME=]MODE` of pooling for outputs with several vectors per state: last, mean, cls, flatten, index:K"+unpooled+" (repeats)")
	in.declareCheckpoints(l)
}

// declarePreprocessing lists what frames go through before an encoder sees them.
func (in *Inputs) declarePreprocessing(l *option.List) {
	in.preprocess.check = run.OneOf(presetNone, presetImageNet)
	l.Var(&in.preprocess, "preprocess", "`[NAME=]PRESET` of the preprocessing. imagenet: --resize 224x224 (bilinear), one channel repeated to three, --input-scale unit, "+
		"and the mean and std of ImageNet. Other flags override a preset; a preset for one model, or none, overrides "+
		"one for all. Default: the preprocessing of the model's folder, from preprocessor_config.json, open_clip_config.json or the "+
		"pretrained_cfg of timm; none turns it off (repeats)")
	in.resize.check = func(s string) error { _, _, err := parseSize(s); return err }
	l.Var(&in.resize, "resize", "`[NAME=]HxW`, height by width, of the frames that encoders get, before all other steps; distances between frames use the original size (repeats)")
	in.interpolation.all = string(latent.Bilinear)
	in.interpolation.check = run.OneOf(string(latent.Bilinear), string(latent.Nearest))
	l.Var(&in.interpolation, "interpolation",
		"`[NAME=]METHOD` of --resize: bilinear (between pixel centers, no smoothing), nearest (repeats)")
	in.inputScale.all = scaleAuto
	in.inputScale.check = run.OneOf(scaleAuto, string(latent.ScaleRaw), string(latent.ScaleUnit))
	l.Var(&in.inputScale, "input-scale", "`[NAME=]SCALE` of an encoder's input pixels, after resizing: raw (as stored), unit (0..1), "+
		"auto (unit with --mean or --std, else raw) (repeats)")
	in.mean.whole, in.std.whole = true, true
	in.mean.check, in.std.check = checkNumbers, checkDeviations
	l.Var(&in.mean, "mean", "`[NAME=]LIST` of one value, or one per channel, to subtract after scaling (repeats)")
	l.Var(&in.std, "std", "`[NAME=]LIST` of one value, or one per channel, to divide by after --mean (repeats)")
}

// declareCheckpoints lists what a checkpoint of weights may leave open.
func (in *Inputs) declareCheckpoints(l *option.List) {
	var names, choices []string
	for _, a := range checkpoint.Activations() {
		names, choices = append(names, a.Name), append(choices, a.Name)
		if a.DefaultOf != "" {
			choices[len(choices)-1] += " (default of a " + a.DefaultOf + ")"
		}
	}
	in.activation.check = run.OneOf(names...)
	l.Var(&in.activation, "activation", "`[NAME=]FUNCTION` between layers, for checkpoints that do not record it: "+
		strings.Join(choices, ", ")+" (repeats)")
	final := checkpoint.FinalActivations()
	in.finalActivation.check = run.OneOf(final...)
	l.Var(&in.finalActivation, "final-activation",
		"`[NAME=]FUNCTION` after the last layer of a DQN checkpoint: "+final[0]+" (default), "+
			strings.Join(final[1:], ", ")+" (repeats)")
	in.attentionHeads.check = func(s string) error {
		if n, err := strconv.Atoi(s); err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive integer", s)
		}
		return nil
	}
	l.Var(&in.attentionHeads, "heads", "`[NAME=]N` attention heads, for ViT checkpoints that do not record them (repeats)")
	in.state.check = func(s string) error {
		if s == "" {
			return errors.New("the key is empty")
		}
		return nil
	}
	l.Var(&in.state, "state", "`[NAME=]KEY` of the state dict in a training checkpoint, such as model, ema or target; "+
		"default: encoder_state_dict, state_dict or model_state_dict; else the only one (repeats)")
}

// declareStatistics lists which states are analyzed and how they are resampled,
// among the shared flags of statistics.
func (in *Inputs) declareStatistics(l *option.List) {
	l.Under(option.Statistics)
	example := ""
	if in.needs.ExampleSamples > 0 {
		example = fmt.Sprintf("; default with --example: %d", in.needs.ExampleSamples)
	}
	l.Int(&in.Samples, "samples", "`N` states or pairs to analyze, drawn with --seed, the same for all models; 0: all"+example).AtLeast(0)
	l.Var(&blockFlag{&in.Block}, "block", "`SPEC` of the blocks for intervals: episode, a number of consecutive states, or auto (whole episodes if there are at least 5, else parts of them)")
	in.LatentScale = string(spectrum.ScaleRaw)
	l.OneOf(&in.LatentScale, "latent-scale",
		[]string{string(spectrum.ScaleRaw), string(spectrum.ScaleL2), string(spectrum.ScaleRMS)},
		"`SCALE` of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states)")
	in.Family = "metric"
	l.OneOf(&in.Family, "family", []string{"metric", "run"}, familyUsage)
}

const familyUsage = "`SCOPE` of Holm's correction of p values: metric (all rows of one metric) or run (all rows of the run)"

// declareRunning lists what changes no number but by rounding.
func (in *Inputs) declareRunning(l *option.List) {
	l.Under(option.Running)
	in.Device = "auto"
	l.Checked(&in.Device, "device", device.Check,
		"`DEVICE` for encoders and neighbor searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, "+
			"or auto (the first GPU if there is one, else the CPU)")
	in.Precision = model.Precisions()[0]
	l.OneOf(&in.Precision, "precision", model.Precisions(), "`PRECISION` of matrix products on GPUs ("+
		strings.Join(model.Precisions(), ", ")+"), with float32 sums; the CPU computes in float32")
	in.Batch = 64
	l.Int(&in.Batch, "batch", "`N` states per batch").AtLeast(1)
	l.Path(&in.cache, "cache", "`DIR` of the cache of encoded latents, or off (default: the user's cache folder)").NamesNoInput()
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
