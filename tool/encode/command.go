// The encode binary: its flags, its lists, its result file and console table.

package encode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repscope/dataset"
	"repscope/internal/escape"
	"repscope/internal/filename"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/report"
)

// settings are the values of the command's own flags.
type settings struct {
	to, output, kind, layers    string
	restart, profile, ops, arch bool
}

// Declare lists the options.
func (s *settings) Declare(l *option.List) {
	l.Text(&s.to, "to", "`FORMAT` of the files: npy, npz, safetensors (default: by --output, else npy); arrays are named latents")
	l.Text(&s.output, "output", "`PATTERN` of file names, with {model} and {layer} (default {model}.npy, with several layers {model}.{layer}.npy)").NamesNoInput()
	option.Choice(l, &s.kind, "dtype", []string{"float32", "float16"}, "`TYPE` of the numbers")
	l.Bool(&s.restart, "restart", "discard the files of an interrupted run in --out and start over").Free()
	l.Bool(&s.profile, "profile", "print the time of each step of the models, and write it to "+profileName).Free()
	option.Choice(l, &s.layers, "layers", []string{"list"},
		"list: print every value of the models' graphs, as --layer names them, and exit").Free()
	l.Bool(&s.ops, "ops", "print the supported ONNX operators and exit").Free()
	l.Bool(&s.arch, "arch", "print the architectures that are recognized in checkpoints, and exit").Free()
}

// Command is the encode binary.
var Command = run.Command{
	Name:    "encode",
	Summary: "writes latents, or any layers, of models as files",
	Manual:  manual,
	Out:     "latents",
	Interrupted: "interrupted; finished rows are kept in *" + Partial + " files: the same command continues, " +
		"--restart starts over",
	Omit:    []string{"latents", "bootstrap", "block", "latent-scale", "format", "width", "memory", "cache"},
	Methods: describeMethods,
	Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{Frames: true, Encoders: true, Unpooled: true, Layers: true, AllModels: true})
		o := &settings{kind: "float32"}
		flags.Declare(option.Of(o))
		return run.Job{Instead: func(_ context.Context, shared *run.Options, stdout io.Writer) (bool, error) {
			switch {
			case o.ops:
				return true, printOperators(stdout)
			case o.arch:
				_, err := io.WriteString(stdout, latent.ArchitectureHelp())
				return true, err
			case o.layers != "":
				return true, printLayers(stdout, inputs, shared)
			}
			return false, nil
		}, Check: func(*run.Options) error {
			_, err := chooseFormat(o.to, o.output)
			return err
		}, Files: func(*run.Options) []string {
			format, err := chooseFormat(o.to, o.output)
			if err != nil {
				return nil
			}
			return mayWrite(inputs.Models(), format, o.output, flags.Given("layer"))
		}, Run: func(ctx context.Context, env *run.Env) error {
			format, err := chooseFormat(o.to, o.output)
			if err != nil {
				return err
			}
			data, err := inputs.Load(ctx, env)
			if err != nil {
				return err
			}
			return write(ctx, env, data,
				Options{Format: format, Pattern: o.output, Float16: o.kind == "float16", Restart: o.restart}, o.profile)
		}, Plan: func(ctx context.Context, env *run.Env) error {
			format, err := chooseFormat(o.to, o.output)
			if err != nil {
				return err
			}
			return dryRun(ctx, env, inputs, Options{Format: format, Pattern: o.output})
		}}
	},
}

// dryRun says what a run would do.
func dryRun(ctx context.Context, env *run.Env, inputs *input.Inputs, o Options) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	if o.Format == "" {
		o.Format = "npy"
	}
	var files []File
	for _, m := range env.Plan.Models {
		for _, out := range m.Output {
			files = append(files, File{Model: m.Name, Output: latent.StreamOutput{Layer: latent.Layer{Name: out.Layer}}})
		}
	}
	if err := name(files, o); err != nil {
		return err
	}
	for _, f := range files {
		env.Plan.Write(f.Name)
	}
	if len(data.Sample()) != data.States.Array().Len() {
		env.Plan.Write(framesName, episodesName)
	}
	return nil
}

const manual = `encode writes the latents of every model to its own file: an array with one row
per state, in the order of the frames. With --layer it writes values of the model's
graph instead, one file each; --layers list shows all values. Rows are pooled to
vectors as in the analyses (--pool); --pool none, the default with --layer, keeps
the shapes. Other binaries read the files with --latents. A frame is resized
(--resize), then scaled (--input-scale), then normalized (--mean, --std).

Frames are read and latents written batch by batch, so neither has to fit in memory.
Unfinished files are named NAME` + Partial + `, next to the journal
` + JournalName + `. To continue an interrupted run, give the same command again.
It ends with the same bytes as an uninterrupted run. Other inputs or options are
refused, unless --restart discards the unfinished files.

--profile prints the time of each step of the models, after operators have been fused:
shapes, GFLOP/s of matrix products, and GB/s read and written. For a long recording
--samples 1000 is enough.

With --window, --samples or --skip-nan, rows do not correspond to frames one to one.
Then encode_frames.npy has the index of the first frame of each row, for the model
with the longest window. encode_episodes.npy has the episode number of each row,
counted from 1: give it as --episodes when the latents are used without frames.
With --samples and --skip-nan not all rows are consecutive.`

// chooseFormat settles the format of the files by --to and --output.
func chooseFormat(to, pattern string) (string, error) {
	if to != "" && !slices.Contains(dataset.AppendFormats(), to) {
		err := run.Usage("--to %s: want %s", to, strings.Join(dataset.AppendFormats(), ", "))
		return "", run.Hint(err, text.DidYouMean("", to, dataset.AppendFormats()))
	}
	if pattern == "" {
		return to, nil
	}
	if filepath.Base(pattern) != pattern {
		return "", run.Usage("--output %s: want a plain name with {model} and {layer}; set the folder with --out", pattern)
	}
	if wrong := filename.Wrong(pattern); wrong != "" {
		return "", run.Usage("--output %s: want a plain name with {model} and {layer}; %s", pattern, wrong)
	}
	extension := strings.TrimPrefix(filepath.Ext(pattern), ".")
	supported := slices.Contains(dataset.AppendFormats(), extension)
	switch {
	case to == "" && !supported:
		return "", run.Usage("--output %s: want a name that ends in .%s, or --to",
			pattern, strings.Join(dataset.AppendFormats(), ", ."))
	case to == "":
		return extension, nil
	case supported && extension != to:
		return "", run.Usage("--output %s and --to %s are different formats", pattern, to)
	}
	return to, nil
}

func printOperators(w io.Writer) error {
	table := report.NewTable("", "Operator", "Opsets", "Types", "Note")
	for _, s := range latent.Supported() {
		types := make([]string, len(s.Types))
		for i, t := range s.Types {
			types[i] = t.String()
		}
		table.Row(s.Name, fmt.Sprintf("%d–%d", s.First, s.Last), strings.Join(types, " "), s.Note)
	}
	table.Note("operators without a domain are of ai.onnx; com.microsoft is the domain of ONNX Runtime's optimizer " +
		"and quantization")
	table.Note("float16, bfloat16 and float64 are computed in float32; integers have the width stated in the file")
	return table.Write(w)
}

func printLayers(w io.Writer, inputs *input.Inputs, o *run.Options) error {
	files, done, err := inputs.Encoders(o)
	if err != nil {
		return err
	}
	defer done()
	if len(files) == 0 {
		return run.Hint(run.Usage("--layers list: no models"),
			"give them with --model NAME=FILE or --weights DIR, or use --example")
	}
	for _, f := range files {
		open := f.Options
		open.Layers = nil // all of them are listed
		layers, err := latent.Layers(f.Path, open, nil)
		if err != nil {
			return fmt.Errorf("model %s: %w", f.Name, err)
		}
		table := report.NewTable(f.Name, "Layer", "Node", "Operator", "Type", "Shape", "Module", "")
		for _, l := range layers {
			shape := "unknown"
			if l.Shape != nil {
				parts := make([]string, len(l.Shape))
				for i, d := range l.Shape {
					if parts[i] = fmt.Sprint(d); d < 0 {
						parts[i] = "B"
					}
				}
				shape = "[" + strings.Join(parts, " ") + "]"
			}
			note := l.Reason
			if l.Output {
				note = strings.TrimSuffix("output; "+note, "; ")
			}
			table.Row(l.Name, l.Node, l.Operator, l.DType, shape, strings.Join(l.Modules, ", "), note)
		}
		if err := table.Write(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// states describes the encoded states, and a row of them.
func states(data *input.Data) (source *dataset.States, index []int, unit string) {
	index = data.Sample()
	source, unit = data.States, "frames"
	if len(index) != source.Len() {
		source = source.Subset(index)
	}
	if layout := source.Layout(); strings.Contains(layout, "T") {
		unit = "states"
	}
	return source, index, unit
}

func write(ctx context.Context, env *run.Env, data *input.Data, o Options, profile bool) error {
	source, index, unit := states(data)
	var models []Model
	for _, m := range data.Models {
		model := Model{Name: m.Name, Encoder: m.Encoder, Options: m.EncodeOptions("encoding " + m.Name)}
		if seen := m.Seen(source); seen != latent.Source(source) {
			model.States = seen
		}
		models = append(models, model)
	}
	o.Dir = env.Files.Dir()
	o.Program = fmt.Sprintf("repscope %s, KC %d",
		strings.TrimSpace(env.Result.Version+" "+env.Result.Revision), env.Result.Kernel.KC)
	o.Progress = func(label string) func(done, total int) { return env.ProgressOf(label, unit) }
	o.Announce = func(names []string) error { return env.Write(withPartial(names)...) }
	o.Notify = func(text string) { env.Note("%s", text) }
	if profile {
		beginProfile(env, models)
	}
	start := time.Now()
	w, err := Write(ctx, source, models, o)
	if err != nil {
		var other *OtherRunError
		if errors.As(err, &other) {
			return run.Hint(err, "run the command of that run again to finish it",
				"choose another folder with --out, or discard the unfinished run with --restart")
		}
		return err
	}
	elapsed := time.Since(start).Seconds()
	if profile {
		if err := writeProfile(env, models); err != nil {
			return err
		}
	}

	rows := rowsOf{frames: data.Frame(index), episodes: data.Episodes(index)}
	for i := range rows.episodes {
		rows.episodes[i]++ // from 1: numbers 0 and 1 might be taken for flags
	}
	rows.plain = len(index) == source.Array().Len() // ascending and distinct, so these are all
	return writeResult(env, models, w, rows, unit, elapsed)
}

// rowsOf is what the rows of the arrays belong to: the frame at which the state of
// each begins, and the number of its episode.
type rowsOf struct {
	frames, episodes []int
	plain            bool // every frame is a row
}

// The files that tell what rows belong to.
const (
	framesName   = "encode_frames.npy"
	episodesName = "encode_episodes.npy"
)

// ownFiles are the files of a run that are no arrays of models.
var ownFiles = []string{JournalName, resultName, framesName, episodesName, profileName}

// mayWrite are patterns of the files of models, as far as their names are known before they are opened.
func mayWrite(models []string, format, pattern string, layers bool) []string {
	patterns := slices.Clone(ownFiles)
	if pattern == "" {
		format = cmp.Or(format, "npy")
		if pattern = "{model}." + format; layers {
			pattern = "{model}.{layer}." + format
			patterns = append(patterns, mayWrite(models, format, "{model}."+format, false)...)
		}
	}
	for _, model := range models {
		file := fromPattern(pattern, escape.Glob(filename.Of(model)), "*")
		stem, ext := strings.TrimSuffix(file, filepath.Ext(file)), filepath.Ext(file)
		for _, name := range []string{file, stem + "~[0-9]*" + ext} { // names may be alike
			patterns = append(patterns, withPartial([]string{name})...)
		}
	}
	return patterns
}

// withPartial are names with those that the files have until they are complete.
func withPartial(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, name, name+Partial)
	}
	return all
}

// write writes the files, if rows are not simply the frames.
func (r rowsOf) write(env *run.Env) error {
	if r.plain {
		return nil
	}
	for _, file := range []struct {
		name   string
		values []int
	}{{framesName, r.frames}, {episodesName, r.episodes}} {
		numbers := make([]int64, len(file.values))
		for i, v := range file.values {
			numbers[i] = int64(v)
		}
		err := env.Files.File(file.name, func(out io.Writer) error { return dataset.EncodeNPY(out, []int{len(numbers)}, numbers) })
		if err != nil {
			return err
		}
	}
	return nil
}

// writeResult enters the files into the result and prints them.
func writeResult(env *run.Env, models []Model, w *Writing, rows rowsOf, unit string, elapsed float64) error {
	if err := rows.write(env); err != nil {
		return err
	}
	table := report.NewTable("", "Model", "Layer", "Pooling", "Shape", "File", "MB")
	for _, m := range models {
		var part report.Object
		part.Set("rows", len(rows.frames))
		if !rows.plain {
			part.Set("frames_file", framesName)
			part.Set("episodes_file", episodesName)
		}
		var list []any
		for _, f := range w.Files {
			if f.Model != m.Name {
				continue
			}
			list = append(list, f.describe())
			table.Row(f.Model, f.Output.Layer.Label(), poolName(f.Output.Pool), fmt.Sprint(f.Shape), f.Name,
				float64(f.Bytes)/1e6)
		}
		part.Set("files", list)
		env.Result.Models.Set(m.Name, &part)
	}
	if w.Encoded > 0 {
		table.Note("%d %s in %.3g s: %.4g %s/s", w.Encoded, unit, elapsed, float64(w.Encoded)/elapsed, unit)
	}
	if w.Resumed > 0 {
		table.Note("%d %s were encoded by an earlier run", w.Resumed, unit)
	}
	if err := env.Table(table); err != nil {
		return err
	}
	env.AfterCommit(w.Done)
	return w.Adopt(env.Files)
}

// describe is a file as the result holds it.
func (f File) describe() *report.Object {
	var o report.Object
	o.Set("file", f.Name)
	o.Set("layer", f.Output.Layer.Label())
	if f.Output.Layer.Operator != "" {
		o.Set("node", f.Output.Layer.Node)
		o.Set("operator", f.Output.Layer.Operator)
	}
	o.Set("pool", poolName(f.Output.Pool))
	o.Set("dtype", f.DType.String())
	o.Set("shape", f.Shape)
	o.Set("bytes", f.Bytes)
	o.Set("sha256", f.SHA256)
	return &o
}

// poolName names a pooling; one vector per state needs none.
func poolName(p latent.Pool) string {
	if p == latent.PoolNone {
		return "vector"
	}
	return string(p)
}
