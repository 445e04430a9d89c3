// This file is for the flags that all binaries share.

package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"repscope/internal/device"
	"repscope/latent"
	"repscope/measure/spectrum"
	"repscope/model"
	"repscope/stat"
)

// Options are the values of the shared flags.
type Options struct {
	Out         string         // --out: the output folder
	Formats     []string       // --format: png, pdf, svg
	Device      string         // --device: auto, cpu, cuda or a list of GPUs
	Precision   string         // --precision: of matrix products on GPUs
	Batch       int            // --batch: states per batch
	Samples     int            // --samples: states or pairs to analyse, 0 for all
	Seed        uint64         // --seed
	Bootstrap   int            // --bootstrap: resamples, 0 for no intervals
	Block       stat.BlockSpec // --block
	LatentScale string         // --latent-scale: raw, l2 or rms
	SkipNaN     bool           // --skip-nan
	Threads     int            // --threads: 0 for all cores
	Memory      int64          // --memory: bytes, 0 for the default
	Quiet, JSON bool           // --quiet, --json

	frames, episodes, pixelRange, layout, cache, config string
	window                                              int
	sources                                             []source
	example, version                                    bool
	pool, inputScale, activation, finalActivation       perModel
	state, heads, mean, std, resize, interpolation      perModel
	layer                                               layersPerModel
}

// source is where models come from: one --model, --latents, --weights or an
// element of --baseline, in the order of the command line.
type source struct {
	kind string // model, latents, weights, baseline
	name string // the model's name; empty for weights
	path string // file or folder; pca or random for a baseline
	dim  int    // of a baseline; 0 for the default
}

var (
	formats = []string{"png", "pdf", "svg"}
	layouts = []string{"auto", "D", "HW", "CHW", "THW", "CTHW", "TCHW", "TD"}
)

// register adds the shared flags to f.
func (o *Options) register(f *Flags, c *Command) {
	in := func(g group, names ...string) {
		for _, name := range names {
			f.groups[name] = g
		}
		f.order = append(f.order, names...)
	}

	f.StringVar(&o.frames, "frames", "", "`FILE[:key]` of the original states [N,…]: npy, npz, safetensors, a folder of PNG or JPEG, a published .pth dataset")
	f.StringVar(&o.episodes, "episodes", "", "`FILE[:key]` of an episode number or an end-of-episode flag per frame")
	f.Var(&sourceFlag{o, "model"}, "model", "`NAME=FILE` of an encoder: ONNX, .pth, .safetensors (repeats)")
	f.Var(&sourceFlag{o, "latents"}, "latents", "`NAME=FILE[:key]` of latents computed elsewhere (repeats)")
	f.Var(&sourceFlag{o, "weights"}, "weights", "`DIR` whose <name>/best_encoder.{onnx,pth,safetensors} are all models (repeats)")
	f.Var(&sourceFlag{o, "baseline"}, "baseline", "`LIST` of pca[:D] and random[:D]: pixel PCA and an untrained encoder as models (repeats)")
	f.BoolVar(&o.example, "example", false, "run on the built-in example: frames of a small arcade game, two trained encoders, both baselines")
	f.Var(&count{&o.window, 0}, "window", "`T` consecutive frames make a state; 0: every frame is a state, and a published dataset keeps its own")
	o.layout = "auto"
	f.Var(&checked{&o.layout, oneOf(layouts...)}, "layout", "`AXES` of one frame or clip ("+strings.Join(layouts, ", ")+")")
	f.StringVar(&o.pixelRange, "pixel-range", "auto", "`LOW,HIGH` of the pixel values; auto: from the type or the data")
	f.BoolVar(&o.SkipNaN, "skip-nan", false, "drop states with NaN or Inf, and count them, instead of failing")
	f.StringVar(&o.config, "config", "", "`FILE.yaml` with the same names as the flags; the command line wins")
	in(inputGroup, "frames", "episodes", "model", "latents", "weights", "baseline", "example")
	in(encodeGroup, "window", "layout", "pixel-range", "skip-nan")
	in(inputGroup, "config")

	unpooled := ""
	o.pool.check = func(s string) error { _, err := latent.ParsePool(s); return err }
	if c.Unpooled {
		unpooled = ", or none for outputs as they are, of any shape"
		o.pool.check = func(s string) error {
			if s == string(latent.PoolKeep) {
				return nil
			}
			_, err := latent.ParsePool(s)
			return err
		}
	}
	f.Var(&o.pool, "pool", "`[NAME=]MODE` for outputs of several vectors per state: last, mean, cls, flatten, index:K"+unpooled+" (repeats)")
	f.Var(&o.layer, "layer", "`[NAME=]LAYER` of the model that is used instead of its output: the name of a value of its graph or of the node that makes it; * and ? stand for any characters and any one; see encode --layers list (repeats)")
	o.resize.check = func(s string) error { _, _, err := parseSize(s); return err }
	f.Var(&o.resize, "resize", "`[NAME=]HxW` that frames are resized to, first of all, for the encoders; their distances are measured as they are (repeats)")
	o.interpolation.all = string(latent.Bilinear)
	o.interpolation.check = oneOf(string(latent.Bilinear), string(latent.Nearest))
	f.Var(&o.interpolation, "interpolation", "`[NAME=]METHOD` of --resize: bilinear (between pixel centres, no smoothing), nearest (repeats)")
	o.inputScale.all = scaleAuto
	o.inputScale.check = oneOf(scaleAuto, string(latent.ScaleRaw), string(latent.ScaleUnit))
	f.Var(&o.inputScale, "input-scale", "`[NAME=]SCALE` of the pixels an encoder is given, after resizing: raw as stored, unit for 0..1, auto: unit with --mean or --std, else raw (repeats)")
	o.mean.whole, o.std.whole = true, true
	o.mean.check, o.std.check = checkNumbers, checkNumbers
	f.Var(&o.mean, "mean", "`[NAME=]LIST` of one value, or one per channel, subtracted after scaling (repeats)")
	f.Var(&o.std, "std", "`[NAME=]LIST` of one value, or one per channel, divided by after --mean (repeats)")
	o.activation.check = oneOf("silu", "relu", "gelu", "gelu_tanh", "tanh", "none")
	f.Var(&o.activation, "activation", "`[NAME=]FUNCTION` between the layers of a checkpoint that does not tell: silu (default of a ConvEncoder), relu, gelu (default of a ViT-MAE), gelu_tanh, tanh, none (repeats)")
	o.finalActivation.check = oneOf("relu", "none")
	f.Var(&o.finalActivation, "final-activation", "`[NAME=]FUNCTION` after the last layer of a DQN checkpoint: relu (default), none (repeats)")
	o.state.check = oneOf("encoder", "target")
	f.Var(&o.state, "state", "`[NAME=]WHICH` state dict of a training checkpoint: encoder (default), target (repeats)")
	o.heads.check = func(s string) error {
		if n, err := strconv.Atoi(s); err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive integer", s)
		}
		return nil
	}
	f.Var(&o.heads, "heads", "`[NAME=]N` attention heads of a ViT checkpoint that does not tell (repeats)")
	in(encodeGroup, "resize", "interpolation", "input-scale", "mean", "std", "layer", "pool", "activation", "final-activation", "heads", "state")

	f.Var(&count{&o.Samples, 0}, "samples", "`N` states or pairs to analyse, drawn with --seed and the same for all models; 0: all")
	f.Uint64Var(&o.Seed, "seed", 42, "`N` that all random draws come from")
	o.Bootstrap = 1000
	f.Var(&count{&o.Bootstrap, 0}, "bootstrap", "`N` resamples for the intervals; 0: no intervals")
	f.Var(&blockFlag{&o.Block}, "block", "`SPEC` of what is resampled: episode, a number of consecutive states, or auto")
	o.LatentScale = string(spectrum.ScaleRaw)
	f.Var(&checked{&o.LatentScale, oneOf(string(spectrum.ScaleRaw), string(spectrum.ScaleL2), string(spectrum.ScaleRMS))}, "latent-scale", "`SCALE` of latents: raw, l2 (unit vectors), rms (divided by the RMS distance of two random states)")
	in(statisticsGroup, "samples", "seed", "bootstrap", "block", "latent-scale")

	f.StringVar(&o.Out, "out", c.Out, "`DIR` for the result file, the CSV files and the figures")
	o.Formats = []string{"png"}
	f.Var(choiceList(&o.Formats, formats), "format", "`LIST` of figure formats ("+strings.Join(formats, ", ")+")")
	f.BoolVar(&o.JSON, "json", false, "print the result on stdout, and nothing else there")
	f.BoolVar(&o.Quiet, "quiet", false, "no progress and no table; warnings and errors only")
	f.BoolVar(&o.version, "version", false, "print the version and stop")
	in(outputGroup, "out", "format", "json", "quiet", "version")

	o.Device = "auto"
	f.Var(&checked{&o.Device, device.Check}, "device", "`DEVICE` for encoders and neighbour searches: cpu, cuda (the first GPU), a list such as cuda:0,cuda:1, or auto for the first GPU, if there is one, else the processor")
	o.Precision = model.Precisions()[0]
	f.Var(&checked{&o.Precision, oneOf(model.Precisions()...)}, "precision", "`PRECISION` of matrix products on GPUs ("+strings.Join(model.Precisions(), ", ")+"), with float32 sums; the processor computes in float32")
	o.Batch = 64
	f.Var(&count{&o.Batch, 1}, "batch", "`N` states per batch")
	f.Var(&count{&o.Threads, 0}, "threads", "`N` cores to use; 0: all")
	f.Var((*size)(&o.Memory), "memory", "`SIZE` of the working memory, such as 450MB; 0: a quarter of the machine's")
	f.StringVar(&o.cache, "cache", "", "`DIR` that keeps encoded latents between runs, or off (default: the user's cache folder)")
	in(runGroup, "device", "precision", "batch", "threads", "memory", "cache")

	for name, value := range c.Defaults {
		fl := f.Lookup(name)
		if fl == nil {
			panic("cli: " + c.Name + ": default for an unknown flag " + name)
		}
		if err := fl.Value.Set(value); err != nil {
			panic("cli: " + c.Name + ": default of " + name + ": " + err.Error())
		}
		fl.DefValue = fl.Value.String()
	}
	f.omit(c.Omit)
}

// scaleAuto is the input scale that follows from --mean and --std.
const scaleAuto = "auto"

// parseSize reads HxW.
func parseSize(text string) (height, width int, err error) {
	h, w, ok := strings.Cut(strings.ToLower(text), "x")
	if ok {
		height, err = strconv.Atoi(h)
		if err == nil {
			width, err = strconv.Atoi(w)
		}
	}
	if !ok || err != nil || height < 1 || width < 1 {
		return 0, 0, fmt.Errorf("%q is not a size such as 64x64", text)
	}
	return height, width, nil
}

// parseNumbers reads a list of numbers; an empty text is an empty list.
func parseNumbers(text string) ([]float64, error) {
	var values []float64
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		v, err := parseFloat(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", part)
		}
		values = append(values, v)
	}
	return values, nil
}

func checkNumbers(text string) error {
	if text == "" {
		return fmt.Errorf("the list is empty")
	}
	_, err := parseNumbers(text)
	return err
}

// preprocessing is what a model's frames go through before it sees them.
func (o *Options) preprocessing(model string) (latent.Preprocessing, error) {
	p := latent.Preprocessing{Interpolation: latent.Interpolation(o.interpolation.of(model))}
	var err error
	if size := o.resize.of(model); size != "" {
		if p.Height, p.Width, err = parseSize(size); err != nil {
			return p, err
		}
	}
	if p.Mean, err = parseNumbers(o.mean.of(model)); err != nil {
		return p, err
	}
	if p.Std, err = parseNumbers(o.std.of(model)); err != nil {
		return p, err
	}
	p.Scale = latent.InputScale(o.inputScale.of(model))
	if p.Scale == scaleAuto {
		p.Scale = latent.ScaleRaw
		if len(p.Mean)+len(p.Std) > 0 {
			p.Scale = latent.ScaleUnit
		}
	}
	return p, nil
}

// open is how the file of a model is read.
func (o *Options) open(model string) latent.OpenOptions {
	heads, _ := strconv.Atoi(o.heads.of(model)) // checked when it was set; 0 for none
	return latent.OpenOptions{
		State:           o.state.of(model),
		Activation:      o.activation.of(model),
		FinalActivation: o.finalActivation.of(model),
		Heads:           heads,
		Layers:          o.layer.of(model),
		Threads:         o.Threads,
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

// sourceFlag adds models to the options, in the order in which they are given.
type sourceFlag struct {
	options *Options
	kind    string
}

func (s *sourceFlag) String() string {
	if s.options == nil {
		return ""
	}
	var parts []string
	for _, source := range s.options.sources {
		switch {
		case source.kind != s.kind:
		case source.kind == "model" || source.kind == "latents":
			parts = append(parts, source.name+"="+source.path)
		default:
			parts = append(parts, source.path)
		}
	}
	return strings.Join(parts, ",")
}

func (s *sourceFlag) repeats() bool { return true }

func (s *sourceFlag) Set(text string) error {
	switch s.kind {
	case "weights":
		if text == "" {
			return fmt.Errorf("the folder is empty")
		}
		s.options.sources = append(s.options.sources, source{kind: s.kind, path: text})
	case "baseline":
		for part := range strings.SplitSeq(text, ",") {
			baseline, err := parseBaseline(strings.TrimSpace(part))
			if err != nil {
				return err
			}
			s.options.sources = append(s.options.sources, baseline)
		}
	default:
		name, path, ok := strings.Cut(text, "=")
		if !ok || name == "" || path == "" {
			return fmt.Errorf("want NAME=FILE%s", exampleName(text))
		}
		s.options.sources = append(s.options.sources, source{kind: s.kind, name: name, path: path})
	}
	return nil
}

// exampleName suggests a name for a file that was given without one.
func exampleName(path string) string {
	base := filepath.Base(strings.TrimPrefix(path, "="))
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" && name != "." && !strings.ContainsAny(name, `=/\`) {
		return "\ndid you mean " + name + "=" + strings.TrimPrefix(path, "=") + "?"
	}
	return ""
}

func parseBaseline(text string) (source, error) {
	name, dim, sized := strings.Cut(text, ":")
	if err := checkChoice(name, []string{"pca", "random"}); err != nil {
		return source{}, err
	}
	s := source{kind: "baseline", name: name, path: name}
	if sized {
		d, err := strconv.Atoi(dim)
		if err != nil || d < 1 {
			return source{}, fmt.Errorf("%q: the dimension %q is not a positive integer", text, dim)
		}
		s.dim = d
	}
	return s, nil
}
