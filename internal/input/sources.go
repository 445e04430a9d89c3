// Where models come from: --model, --latents, --weights, --baseline and --example.

package input

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"repscope/internal/example"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
)

// source is where models come from: one --model, --latents, --weights or an
// element of --baseline, in the order of the command line.
type source struct {
	kind string // model, latents, weights, baseline
	name string // the model's name; empty for weights
	path string // file or folder; pca or random for a baseline
	dim  int    // of a baseline; 0 for the default
}

// encoderFiles are the names that --weights looks for, the first one found wins:
// an ONNX file tells more than a checkpoint.
var encoderFiles = []string{"best_encoder.onnx", "best_encoder.pth", "best_encoder.safetensors"}

// exampleInput stands for the built-in example in the result file and in messages.
const exampleInput = "example:arcade"

// sourceFlag adds models to the options, in the order in which they are given.
type sourceFlag struct {
	inputs *Inputs
	kind   string
}

func (s *sourceFlag) String() string {
	if s.inputs == nil {
		return ""
	}
	var parts []string
	for _, source := range s.inputs.sources {
		switch {
		case source.kind != s.kind:
		case source.kind == "model" || source.kind == "latents":
			parts = append(parts, run.JoinName(source.name, source.path))
		default:
			parts = append(parts, source.path)
		}
	}
	return strings.Join(parts, ",")
}

func (s *sourceFlag) Repeats() bool { return true }

func (s *sourceFlag) Set(text string) error {
	switch s.kind {
	case "weights":
		if text == "" {
			return fmt.Errorf("the folder is empty")
		}
		s.inputs.sources = append(s.inputs.sources, source{kind: s.kind, path: run.Expand(text)})
	case "baseline":
		for part := range strings.SplitSeq(text, ",") {
			baseline, err := parseBaseline(strings.TrimSpace(part))
			if err != nil {
				return err
			}
			s.inputs.sources = append(s.inputs.sources, baseline)
		}
	default:
		name, path, err := cutName(text)
		if err != nil {
			return err
		}
		s.inputs.sources = append(s.inputs.sources, source{kind: s.kind, name: name, path: path})
	}
	return nil
}

// cutName reads NAME=FILE.
func cutName(text string) (name, path string, err error) {
	name, path, ok := run.CutFile(text)
	if !ok || name == "" || path == "" {
		return "", "", fmt.Errorf("want NAME=FILE%s", exampleName(path))
	}
	return name, path, nil
}

// exampleName suggests a name for a file that was given without one.
func exampleName(path string) string {
	base := filepath.Base(path)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" && name != "." && !strings.ContainsAny(name, `/\`) {
		return "\ndid you mean " + run.JoinName(name, path) + "?"
	}
	return ""
}

// mostDimensions are the dimensions of a baseline, whose weights are made in memory.
const mostDimensions = 1 << 16

func parseBaseline(value string) (source, error) {
	name, dim, sized := strings.Cut(value, ":")
	if err := text.CheckChoice(name, []string{"pca", "random"}); err != nil {
		return source{}, err
	}
	s := source{kind: "baseline", name: name, path: name}
	if sized {
		d, err := strconv.Atoi(dim)
		if err != nil || d < 1 {
			return source{}, fmt.Errorf("%q: the dimension %q is not a positive integer", value, dim)
		}
		if d > mostDimensions {
			return source{}, fmt.Errorf("%q: %d dimensions, want at most %d", value, d, mostDimensions)
		}
		s.dim = d
	}
	return s, nil
}

// check finds wrong usage before any file is read.
func (in *Inputs) check() error {
	hint := "or run the built-in example: " + in.command + " --example"
	if in.example {
		switch {
		case in.frames != "":
			return run.Usage("--example has its own frames; leave --frames out")
		case in.episodes != "":
			return run.Usage("--example has its own episodes; leave --episodes out")
		}
		builtIn := []source{}
		for _, name := range example.Models() {
			builtIn = append(builtIn, source{kind: "example", name: name, path: exampleInput + "/" + name})
		}
		builtIn = append(builtIn, source{kind: "baseline", name: "random", path: "random"},
			source{kind: "baseline", name: "pca", path: "pca"})
		in.sources = append(builtIn, in.sources...)
		if !in.flags.Given("samples") {
			in.Samples = in.needs.ExampleSamples
		}
	}
	var encoders, latents int
	for _, s := range in.sources {
		if s.kind == "latents" {
			latents++
		} else {
			encoders++
		}
	}
	what := "--model NAME=FILE, --latents NAME=FILE[:key] or --weights DIR"
	if in.needs.Encoders {
		what = "--model NAME=FILE or --weights DIR"
	}
	frames := in.frames != "" || in.example
	switch {
	case !frames && len(in.sources) == 0 && in.needs.Without != nil && in.needs.Without():
		return nil
	case !frames && len(in.sources) == 0:
		return run.Hint(run.Usage("no input: want frames (--frames FILE[:key]) and models (%s)", what), hint)
	case len(in.sources) == 0 && !in.needs.NoModels:
		return run.Hint(run.Usage("no models: give at least one with %s", what), "baselines are --baseline pca,random")
	case !frames && (in.needs.Frames || encoders > 0):
		return run.Hint(run.Usage("no frames: give them with --frames FILE[:key]"), hint)
	case in.needs.Encoders && latents > 0:
		return run.Hint(run.Usage("precomputed latents cannot be used: %s runs the encoders itself", in.command),
			"give the encoder with --model NAME=FILE")
	}
	if err := in.checkIdle(encoders > 0, frames); err != nil {
		return err
	}
	if frames && in.needs.Baselines {
		in.addBaselines()
	}
	return in.checkNames()
}

// addBaselines adds both baselines, but for one whose name a model has; where some are
// asked for, there are no others.
func (in *Inputs) addBaselines() {
	if slices.ContainsFunc(in.sources, func(s source) bool { return s.kind == "baseline" }) {
		return
	}
	for _, kind := range []string{"random", "pca"} {
		if !slices.ContainsFunc(in.sources, func(s source) bool { return s.name == kind }) {
			in.sources = append(in.sources, source{kind: "baseline", name: kind, path: kind})
		}
	}
}

// Names are the names of the models that the flags name, once they have been checked; names in
// the folders of --weights are not known before they are listed.
func (in *Inputs) Names() []string {
	var names []string
	for _, s := range in.sources {
		if s.kind != "weights" {
			names = append(names, s.name)
		}
	}
	return names
}

// Models are the names of the models that the flags lead to, also those in the folders of --weights.
func (in *Inputs) Models() []string {
	names := in.Names()
	for _, s := range in.weights() {
		names = append(names, s.name)
	}
	return names
}

// weights are the models in the folders of --weights, as far as these can be read.
func (in *Inputs) weights() []source {
	var all []source
	for _, s := range in.sources {
		if s.kind == "weights" {
			models, _ := weightsIn(s.path)
			all = append(all, models...)
		}
	}
	return all
}

// weightsIn are the models in a folder, by name.
func weightsIn(folder string) ([]source, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var models []source
	for _, entry := range entries { // sorted by name
		for _, file := range encoderFiles {
			path := filepath.Join(folder, entry.Name(), file)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				models = append(models, source{kind: "model", name: entry.Name(), path: path})
				break
			}
		}
	}
	return models, nil
}

// checkNames finds models of the same name and settings for models that are
// not there.
func (in *Inputs) checkNames() error {
	var names []string
	whole := true // all names are known: no --weights folder still to be listed
	for _, s := range in.sources {
		if s.kind == "weights" {
			whole = false
			continue
		}
		if err := checkName(s); err != nil {
			return err
		}
		if slices.Contains(names, s.name) {
			hint := "give each model a different name: --model NAME=FILE"
			switch {
			case s.kind == "baseline" && in.example:
				hint = "--example has both baselines already; leave --baseline out"
			case s.kind == "baseline":
				hint = "a baseline is named after its kind: give pca and random at most once, and models other names"
			}
			return run.Hint(run.Usage("two models are named %q", s.name), hint)
		}
		names = append(names, s.name)
	}
	if !whole {
		return nil
	}
	for _, setting := range []struct {
		flag  string
		value *perModel
	}{{"window", &in.window.perModel}, {"preprocess", &in.preprocess}, {"pool", &in.pool}, {"resize", &in.resize}, {"interpolation", &in.interpolation}, {"input-scale", &in.inputScale}, {"mean", &in.mean}, {"std", &in.std},
		{"activation", &in.activation}, {"final-activation", &in.finalActivation}, {"heads", &in.attentionHeads}, {"state", &in.state}, {"decoder-pool", &in.headPool}} {
		for _, name := range setting.value.names {
			if !slices.Contains(names, name) {
				return run.Hint(run.Usage("--%s %s=%s: no model is named %q", setting.flag, name, setting.value.byName[name], name),
					text.DidYouMean("", name, names))
			}
		}
	}
	for _, g := range in.roles {
		if err := g.checkModels(names); err != nil {
			return err
		}
	}
	for _, g := range in.heads {
		if err := g.checkModels(names); err != nil {
			return err
		}
	}
	if err := in.fixed.checkModels(names); err != nil {
		return err
	}
	if err := in.checkLayers(names); err != nil {
		return err
	}
	for _, name := range in.layer.names {
		if !slices.Contains(names, name) {
			return run.Hint(run.Usage("--layer %s=%s: no model is named %q", name, in.layer.byName[name][0], name),
				text.DidYouMean("", name, names))
		}
	}
	return nil
}

// checkName finds what would break the lines of tables, CSV files and flags that a
// model's name stands in.
func checkName(s source) error {
	what := ""
	switch i := strings.IndexFunc(s.name, unicode.IsControl); {
	case !utf8.ValidString(s.name):
		what = "is not valid UTF-8"
	case i >= 0:
		r, _ := utf8.DecodeRuneInString(s.name[i:])
		what = fmt.Sprintf("holds the control character %q", string(r))
	case strings.TrimSpace(s.name) != s.name:
		what = "begins or ends with a space"
	default:
		return nil
	}
	hint := ""
	if s.kind == "model" && s.path != "" {
		hint = "give another name: --model NAME=" + s.path
	}
	return run.Hint(run.Usage("the model name %q %s", s.name, what), hint)
}

// expandWeights replaces every --weights folder by the models in it, by name.
func (in *Inputs) expandWeights() error {
	var out []source
	for _, s := range in.sources {
		if s.kind != "weights" {
			out = append(out, s)
			continue
		}
		models, err := weightsIn(s.path)
		if err != nil {
			return patternHint(s.path, fmt.Errorf("weights folder %w", regular.PathError(err)))
		}
		out = append(out, models...)
		if len(models) == 0 {
			hint := ""
			for _, file := range encoderFiles {
				if _, err := os.Stat(filepath.Join(s.path, file)); err == nil {
					hint = "this folder is one model: --model " + filepath.Base(filepath.Clean(s.path)) + "=" + filepath.Join(s.path, file)
					break
				}
			}
			return run.Hint(fmt.Errorf("weights folder %s: found no <name>/best_encoder.onnx, .pth or .safetensors in it", s.path), hint)
		}
	}
	in.sources = out
	return in.checkNames()
}
