// This file is for loading what the flags name: frames, episodes, models.

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/latent"
	"repscope/points"
	"repscope/report"
)

// exampleInput stands for the built-in example in the result file and in messages.
const exampleInput = "example:arcade"

// encoderFiles are the names that --weights looks for, the first one found wins:
// an ONNX file tells more than a checkpoint.
var encoderFiles = []string{"best_encoder.onnx", "best_encoder.pth", "best_encoder.safetensors"}

// check finds wrong usage before any file is read.
func (o *Options) check(c *Command) error {
	hint := "or run the built-in example: " + c.Name + " --example"
	if o.example {
		switch {
		case o.frames != "":
			return Usage("--example brings its own frames; leave --frames out")
		case o.episodes != "":
			return Usage("--example brings its own episodes; leave --episodes out")
		}
		builtIn := []source{}
		for _, name := range example.Models() {
			builtIn = append(builtIn, source{kind: "example", name: name, path: exampleInput + "/" + name})
		}
		builtIn = append(builtIn, source{kind: "baseline", name: "random", path: "random"}, source{kind: "baseline", name: "pca", path: "pca"})
		o.sources = append(builtIn, o.sources...)
	}
	var encoders, latents int
	for _, s := range o.sources {
		if s.kind == "latents" {
			latents++
		} else {
			encoders++
		}
	}
	what := "--model NAME=FILE, --latents NAME=FILE[:key] or --weights DIR"
	if c.Encoders {
		what = "--model NAME=FILE or --weights DIR"
	}
	frames := o.frames != "" || o.example
	switch {
	case !frames && len(o.sources) == 0:
		return Hint(Usage("no input: frames (--frames FILE[:key]) and models (%s) are needed", what), hint)
	case len(o.sources) == 0:
		return Hint(Usage("no models: give at least one with %s", what), "baselines are --baseline pca,random")
	case !frames && (c.Frames || encoders > 0):
		return Hint(Usage("no frames: give them with --frames FILE[:key]"), hint)
	case c.Encoders && latents > 0:
		return Hint(Usage("latents computed elsewhere cannot be used: %s runs the encoders itself", c.Name),
			"give the encoder with --model NAME=FILE")
	}
	return o.checkNames()
}

// checkNames finds models of the same name and settings for models that are
// not there.
func (o *Options) checkNames() error {
	var names []string
	whole := true // all names are known: no --weights folder still to be listed
	for _, s := range o.sources {
		if s.kind == "weights" {
			whole = false
			continue
		}
		if slices.Contains(names, s.name) {
			return Hint(Usage("two models are named %q", s.name), "give every model a name of its own: --model NAME=FILE")
		}
		names = append(names, s.name)
	}
	if !whole {
		return nil
	}
	for _, setting := range []struct {
		flag  string
		value *perModel
	}{{"pool", &o.pool}, {"resize", &o.resize}, {"interpolation", &o.interpolation}, {"input-scale", &o.inputScale}, {"mean", &o.mean}, {"std", &o.std},
		{"activation", &o.activation}, {"final-activation", &o.finalActivation}, {"heads", &o.heads}, {"state", &o.state}} {
		for _, name := range setting.value.names {
			if !slices.Contains(names, name) {
				return Hint(Usage("--%s %s=%s: no model is named %q", setting.flag, name, setting.value.byName[name], name),
					didYouMean("", name, names))
			}
		}
	}
	for _, name := range o.layer.names {
		if !slices.Contains(names, name) {
			return Hint(Usage("--layer %s=%s: no model is named %q", name, o.layer.byName[name][0], name), didYouMean("", name, names))
		}
	}
	return nil
}

// expandWeights replaces every --weights folder by the models in it, by name.
func (o *Options) expandWeights() error {
	var out []source
	for _, s := range o.sources {
		if s.kind != "weights" {
			out = append(out, s)
			continue
		}
		entries, err := os.ReadDir(s.path)
		if err != nil {
			return fmt.Errorf("weights folder %w", pathError(err))
		}
		found := 0
		for _, entry := range entries { // sorted by name
			for _, file := range encoderFiles {
				path := filepath.Join(s.path, entry.Name(), file)
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					out = append(out, source{kind: "model", name: entry.Name(), path: path})
					found++
					break
				}
			}
		}
		if found == 0 {
			hint := ""
			for _, file := range encoderFiles {
				if _, err := os.Stat(filepath.Join(s.path, file)); err == nil {
					hint = "this folder is one model: --model " + filepath.Base(filepath.Clean(s.path)) + "=" + filepath.Join(s.path, file)
					break
				}
			}
			return Hint(fmt.Errorf("weights folder %s: found no <name>/best_encoder.onnx, .pth or .safetensors in it", s.path), hint)
		}
	}
	o.sources = out
	return o.checkNames()
}

// load opens everything and fills the input part of the result.
func (e *Env) load(ctx context.Context) error {
	if err := e.Options.expandWeights(); err != nil {
		return err
	}
	// A wrong name is found before hours are spent on the others.
	for _, s := range e.Options.sources {
		if s.kind == "model" {
			if _, err := os.Stat(s.path); err != nil {
				return fmt.Errorf("model %s: %w", s.name, pathError(err))
			}
		}
	}
	if err := e.openCache(); err != nil {
		return err
	}
	var given []givenLatents
	for _, s := range e.Options.sources {
		if s.kind != "latents" {
			continue
		}
		g, err := e.loadLatents(s)
		if err != nil {
			return err
		}
		given = append(given, g)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	var err error
	if e.Options.frames != "" || e.Options.example {
		err = e.loadStates(given)
	} else {
		err = e.loadWithoutFrames(given)
	}
	if err != nil {
		return err
	}
	if err := e.dropBadLatents(given); err != nil {
		return err
	}
	if len(e.index) == 0 {
		return errors.New("no state is left to analyse")
	}
	return e.openModels(ctx, given)
}

func (e *Env) openCache() error {
	switch dir := e.Options.cache; dir {
	case "off":
	case "":
		cache, err := latent.OpenCache("")
		if err != nil {
			// No home or a read-only one: results are the same, only slower.
			e.message("note: encoded latents are not kept: %v", err)
			return nil
		}
		e.cache = cache
	default:
		cache, err := latent.OpenCache(dir)
		if err != nil {
			return fmt.Errorf("latent cache: %w", err)
		}
		e.cache = cache
	}
	return nil
}

// givenLatents are the latents of one --latents flag.
type givenLatents struct {
	source source
	array  string // name of the array, for messages
	shape  []int
	points points.Points
	row    []int // row of each state in points; nil: the state's own index
	input  report.Input
}

func (e *Env) loadLatents(s source) (givenLatents, error) {
	fail := func(err error) (givenLatents, error) {
		return givenLatents{}, fmt.Errorf("latents %s: %w", s.name, err)
	}
	a, err := dataset.Open(s.path)
	if err != nil {
		return fail(err)
	}
	defer a.Close()
	pool, err := latent.ParsePool(e.Options.pool.of(s.name))
	if err != nil {
		return fail(err)
	}
	if len(a.Shape()) <= 2 && e.Options.pool.byName[s.name] == "" {
		pool = latent.PoolNone // a pooling meant for other models
	}
	pts, err := readLatents(a, pool)
	if err != nil {
		return fail(err)
	}
	sum, err := a.SHA256()
	if err != nil {
		return fail(err)
	}
	return givenLatents{
		source: s, array: a.Name(), shape: slices.Clone(a.Shape()), points: pts,
		input: report.Input{Role: "latents", Name: s.name, Path: s.path, SHA256: sum,
			DType: a.DType().String(), Shape: slices.Clone(a.Shape()), Pool: string(pool)},
	}, nil
}

// loadStates opens the frames and episodes, and decides which states the given
// latents belong to.
func (e *Env) loadStates(given []givenLatents) error {
	in, err := e.openFrames()
	if err != nil {
		return err
	}
	options := dataset.StateOptions{
		Window:     in.window,
		Successors: in.window > 0,
		Episodes:   in.numbers,
		Ends:       in.ends,
		Layout:     e.Options.layout,
		PixelRange: e.Options.pixelRange,
		SkipNaN:    e.Options.SkipNaN,
	}
	states, err := dataset.NewStates(in.frames, options)
	if err != nil {
		return fmt.Errorf("frames: %w", err)
	}
	e.States = states
	e.count = states.Len()
	e.episodes = states.Episodes()
	e.rows = make([]int, e.count)
	for i := range e.rows {
		e.rows[i] = states.Start(i)
	}

	// The windows as they are before any is dropped for NaN decide which row of
	// the given latents belongs to which state.
	proper, err := windowStarts(in.frames.Len(), options, false)
	if err != nil {
		return err
	}
	extended, err := windowStarts(in.frames.Len(), options, true)
	if err != nil {
		return err
	}
	admitted := proper
	if e.Command.Successors {
		admitted = extended
	}
	for i := range given {
		g := &given[i]
		starts := extended
		switch g.points.N {
		case len(extended):
		case len(proper):
			starts, admitted = proper, proper
		default:
			return e.mismatch(g, in, len(proper))
		}
		place := make(map[int]int, len(starts))
		for row, start := range starts {
			place[start] = row
		}
		g.row = make([]int, e.count)
		for state, start := range e.rows {
			row, ok := place[start]
			if !ok {
				row = -1 // a successor, which the latents do not have and admitted leaves out
			}
			g.row[state] = row
		}
	}
	allowed := make(map[int]bool, len(admitted))
	for _, start := range admitted {
		allowed[start] = true
	}
	for state, start := range e.rows {
		if allowed[start] {
			e.index = append(e.index, state)
		}
	}

	pixels := states.Range()
	e.frames = in.frames
	distinct := map[int]bool{}
	for _, state := range e.index {
		distinct[e.episodes[state]] = true
	}
	e.Result.Inputs = append(e.Result.Inputs, report.Input{
		Role: "frames", Path: in.path, DType: in.frames.DType().String(), Shape: slices.Clone(in.frames.Shape()),
		PixelRange: &report.Range{Low: pixels.Low, High: pixels.High, Source: pixels.Source},
		Window:     in.window, States: len(e.index), Episodes: len(distinct), Skipped: states.Skipped(),
	})
	if in.episodes != nil {
		e.Result.Inputs = append(e.Result.Inputs, *in.episodes)
	}
	if states.Skipped() > 0 {
		e.Warn("frames %s: %d states dropped for NaN or Inf", in.path, states.Skipped())
	}
	return nil
}

// windowStarts returns the rows at which states begin, whatever they hold.
func windowStarts(frames int, o dataset.StateOptions, successors bool) ([]int, error) {
	blank, err := dataset.NewArray("frames", []int{frames, 1}, make([]uint8, frames))
	if err != nil {
		return nil, err
	}
	o.Layout, o.PixelRange, o.SkipNaN = "auto", "auto", false
	o.Successors = successors && o.Window > 0
	states, err := dataset.NewStates(blank, o)
	if err != nil {
		return nil, fmt.Errorf("frames: %w", err)
	}
	starts := make([]int, states.Len())
	for i := range starts {
		starts[i] = states.Start(i)
	}
	return starts, nil
}

// mismatch is the error for latents whose rows are not the states.
func (e *Env) mismatch(g *givenLatents, in *frameInput, want int) error {
	hint := ""
	if g.points.N == in.frames.Len() && in.window > 0 {
		hint = fmt.Sprintf("there is a row per frame, but states are windows of %d frames; give the latents of the windows, or --window 0", in.window)
	}
	return Hint(fmt.Errorf("latents %s: %s has shape %v, but frames %s of shape %v make %d states: want %d rows",
		g.source.name, g.array, g.shape, in.path, in.frames.Shape(), want, want), hint)
}

// frameInput is an opened --frames.
type frameInput struct {
	frames   *dataset.Array
	path     string // as given
	window   int
	numbers  []int64
	ends     []bool
	episodes *report.Input
}

func (e *Env) openFrames() (*frameInput, error) {
	if e.Options.example {
		set := example.Example()
		frames, err := dataset.NewArray(exampleInput, []int{set.Len(), example.Height, example.Width}, set.Frames)
		if err != nil {
			return nil, err
		}
		e.closers = append(e.closers, frames)
		return &frameInput{frames: frames, path: exampleInput, window: e.Options.window, numbers: set.Episode}, nil
	}
	in := &frameInput{path: e.Options.frames, window: e.Options.window}
	if experience := openExperience(in.path); experience != nil {
		e.closers = append(e.closers, experience)
		in.frames, in.ends = experience.Frames, experience.Stop
		if in.window == 0 {
			in.window = experience.SequenceLength
		}
	} else {
		frames, err := dataset.Open(in.path)
		if err != nil {
			return nil, fmt.Errorf("frames: %w", err)
		}
		e.closers = append(e.closers, frames)
		in.frames = frames
	}
	if e.Options.episodes == "" {
		return in, nil
	}
	numbers, ends, input, err := e.openEpisodes()
	if err == nil && len(numbers)+len(ends) != in.frames.Len() {
		err = fmt.Errorf("episodes: %s has shape %v, but frames %s have shape %v: want %d rows",
			input.Path, input.Shape, in.path, in.frames.Shape(), in.frames.Len())
	}
	if err != nil {
		return nil, err
	}
	in.numbers, in.ends, in.episodes = numbers, ends, &input
	return in, nil
}

// openExperience opens a published dataset, or returns nil for any other file,
// whose error the reader of arrays then tells.
func openExperience(spec string) *dataset.Experience {
	path, _, _ := strings.Cut(filepath.Base(spec), ":")
	if ext := filepath.Ext(path); ext != ".pth" && ext != ".pt" {
		return nil
	}
	experience, err := dataset.OpenExperience(spec)
	if err != nil {
		return nil
	}
	return experience
}

func (e *Env) openEpisodes() (numbers []int64, ends []bool, input report.Input, err error) {
	a, err := dataset.Open(e.Options.episodes)
	if err != nil {
		return nil, nil, input, fmt.Errorf("episodes: %w", err)
	}
	defer a.Close()
	numbers, ends, err = dataset.ReadEpisodes(a, "auto")
	if err != nil {
		return nil, nil, input, fmt.Errorf("episodes: %w", err)
	}
	sum, err := a.SHA256()
	if err != nil {
		return nil, nil, input, fmt.Errorf("episodes: %w", err)
	}
	kind := "episode numbers"
	if ends != nil {
		kind = "end-of-episode flags"
	}
	return numbers, ends, report.Input{Role: "episodes", Path: e.Options.episodes, SHA256: sum,
		DType: a.DType().String(), Shape: slices.Clone(a.Shape()), Kind: kind}, nil
}

// loadWithoutFrames takes the rows of the latents as states.
func (e *Env) loadWithoutFrames(given []givenLatents) error {
	first := &given[0]
	for _, g := range given[1:] {
		if g.points.N != first.points.N {
			return fmt.Errorf("latents %s: %s has shape %v, but latents %s: %s has shape %v: want the same number of rows",
				g.source.name, g.array, g.shape, first.source.name, first.array, first.shape)
		}
	}
	e.count = first.points.N
	e.index = make([]int, e.count)
	for i := range e.index {
		e.index[i] = i
	}
	if e.Options.window > 0 {
		return Usage("--window %d: windows are made of frames; give --frames FILE[:key], or leave --window out", e.Options.window)
	}
	if e.Options.episodes == "" {
		return nil
	}
	numbers, ends, input, err := e.openEpisodes()
	if err != nil {
		return err
	}
	if len(numbers)+len(ends) != e.count {
		return fmt.Errorf("episodes: %s has shape %v, but latents %s: %s has shape %v: want %d rows",
			input.Path, input.Shape, first.source.name, first.array, first.shape, e.count)
	}
	// The states over a blank array number the episodes as those over frames do.
	blank, err := dataset.NewArray("episodes", []int{e.count, 1}, make([]uint8, e.count))
	if err != nil {
		return err
	}
	states, err := dataset.NewStates(blank, dataset.StateOptions{Episodes: numbers, Ends: ends})
	if err != nil {
		return fmt.Errorf("episodes: %w", err)
	}
	e.episodes = states.Episodes()
	e.Result.Inputs = append(e.Result.Inputs, input)
	return nil
}

// dropBadLatents finds NaN and Inf in the given latents: an error, or with
// --skip-nan the state is left out for all models.
func (e *Env) dropBadLatents(given []givenLatents) error {
	bad := map[int]bool{} // states
	for i := range given {
		g := &given[i]
		rows, column := badRows(g.points)
		if len(rows) == 0 {
			continue
		}
		if !e.Options.SkipNaN {
			return Hint(fmt.Errorf("latents %s: %s: NaN or Inf in %d of %d rows, first in row %d, pooled column %d",
				g.source.name, g.array, len(rows), g.points.N, rows[0], column), "drop such states for all models with --skip-nan")
		}
		g.input.Skipped = len(rows)
		e.Warn("latents %s: %d states dropped for NaN or Inf", g.source.name, len(rows))
		isBad := make(map[int]bool, len(rows))
		for _, row := range rows {
			isBad[row] = true
		}
		for _, state := range e.index {
			row := state
			if g.row != nil {
				row = g.row[state]
			}
			if isBad[row] {
				bad[state] = true
			}
		}
	}
	e.index = slices.DeleteFunc(e.index, func(state int) bool { return bad[state] })
	return nil
}

// openModels opens the encoders and baselines and lists all models in order.
func (e *Env) openModels(ctx context.Context, given []givenLatents) error {
	sources := e.Options.sources
	e.Models = make([]*Model, len(sources))
	inputs := make([]report.Input, len(sources))
	nominal := 0 // latent dimension of the first model, taken by baselines
	for i, s := range sources {
		var err error
		switch s.kind {
		case "latents":
			g := given[slices.IndexFunc(given, func(g givenLatents) bool { return g.source.name == s.name })]
			e.Models[i] = &Model{Name: s.name, env: e, given: g.points, row: g.row}
			inputs[i] = g.input
		case "model", "example":
			e.Models[i], inputs[i], err = e.openEncoder(s)
		default:
			continue
		}
		if err != nil {
			return err
		}
		if nominal == 0 {
			nominal = e.Models[i].dimension()
		}
	}
	for i, s := range sources {
		if s.kind != "baseline" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		dim := s.dim
		if dim == 0 {
			dim = nominal
		}
		m, input, err := e.openBaseline(ctx, s, dim)
		if err != nil {
			return err
		}
		e.Models[i], inputs[i] = m, input
	}
	e.Result.Inputs = append(e.Result.Inputs, inputs...)
	for _, m := range e.Models {
		if m.Encoder != nil {
			for _, w := range m.Encoder.Info().Warnings {
				e.Warn("model %s: %s", m.Name, w)
			}
		}
	}
	return nil
}

// dimension is the model's latent dimension, 0 where it is not known yet.
func (m *Model) dimension() int {
	if m.Encoder == nil {
		return m.given.Dim
	}
	info := m.Encoder.Info()
	_, dim, err := m.Pool.Resolve(info.Output, info.DefaultPool)
	if err != nil || dim < 0 {
		return 0
	}
	return dim
}

func (e *Env) openEncoder(s source) (*Model, report.Input, error) {
	path := s.path
	if s.kind == "example" {
		var err error
		if path, err = e.exampleEncoder(s.name); err != nil {
			return nil, report.Input{}, err
		}
	}
	_, seen, err := e.preprocessing(s.name)
	if err != nil {
		return nil, report.Input{}, err
	}
	open := e.Options.open(s.name)
	open.StateShape = seen.Shape()
	if open.Backend, err = e.Device(); err != nil {
		return nil, report.Input{}, err
	}
	encoder, err := latent.Open(path, open)
	if err != nil {
		return nil, report.Input{}, layerHint(s.name, fmt.Errorf("model %s: %w", s.name, err))
	}
	if l, ok := encoder.(latent.LayerEncoder); ok && !e.Command.Layers && len(l.Layers()) > 1 {
		err := fmt.Errorf("model %s: --layer %s are %d layers, want one", s.name, strings.Join(e.Options.layer.of(s.name), ", "), len(l.Layers()))
		return nil, report.Input{}, errors.Join(Hint(err, "give the model once for each layer, under different names, with --layer NAME=LAYER"), encoder.Close())
	}
	m, err := e.newModel(s, encoder)
	if err != nil {
		return nil, report.Input{}, err
	}
	info := encoder.Info()
	return m, report.Input{Role: "model", Name: s.name, Path: s.path, SHA256: info.SHA256,
		Kind: info.Architecture, Pool: m.poolName(), Details: m.details()}, nil
}

func (e *Env) newModel(s source, encoder latent.Encoder) (*Model, error) {
	e.closers = append(e.closers, encoder)
	pool := latent.Pool(e.Options.pool.of(s.name)) // checked when it was set
	if s.kind == "baseline" && e.Options.pool.byName[s.name] == "" {
		pool = latent.PoolNone // a pooling meant for the models
	}
	if pool == latent.PoolNone && e.Command.Unpooled && s.kind != "baseline" && len(e.Options.layer.of(s.name)) > 0 {
		pool = latent.PoolKeep // layers have all kinds of shapes
	}
	pre, _, err := e.preprocessing(s.name)
	if err != nil {
		return nil, err
	}
	return &Model{Name: s.name, Encoder: encoder, Pool: pool, env: e, pre: pre}, nil
}

// preprocessing is what the states go through before a model sees them, and the
// states as it sees them.
func (e *Env) preprocessing(name string) (latent.Preprocessing, latent.Source, error) {
	p, err := e.Options.preprocessing(name)
	var seen latent.Source
	if err == nil {
		r := e.States.Range()
		p.Low, p.High, p.Layout = r.Low, r.High, e.States.Layout()
		seen, err = latent.Prepared(e.States, p)
	}
	if err != nil {
		return p, nil, fmt.Errorf("model %s: %w", name, err)
	}
	return p, seen, nil
}

// layerHint adds the nearest name to the error of an unknown layer.
func layerHint(model string, err error) error {
	var unknown *latent.UnknownLayerError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	for _, l := range unknown.Layers {
		names = append(names, l.Name)
		if l.Node != "" && !slices.Contains(names, l.Node) {
			names = append(names, l.Node)
		}
	}
	return Hint(err, didYouMean("", unknown.Pattern, names), "list them with encode --model "+model+"=FILE --layers list")
}

// poolName is the pooling that will be applied.
func (m *Model) poolName() string {
	if m.Pool != latent.PoolNone {
		return string(m.Pool)
	}
	return string(m.Encoder.Info().DefaultPool)
}

// details is what else is known of an encoder.
func (m *Model) details() *report.Object {
	info := m.Encoder.Info()
	var o report.Object
	o.Set("format", info.Format)
	o.Set("parameters", info.Parameters)
	if info.Opset > 0 {
		o.Set("opset", info.Opset)
	}
	m.describePreprocessing(&o)
	return &o
}

// describePreprocessing records what the states go through before the encoder sees them.
func (m *Model) describePreprocessing(o *report.Object) {
	if m.pre.Height > 0 {
		o.Set("resize", []int{m.pre.Height, m.pre.Width})
		o.Set("interpolation", string(m.pre.Interpolation))
	}
	o.Set("input_scale", string(m.pre.Scale))
	if len(m.pre.Mean) > 0 {
		o.Set("mean", m.pre.Mean)
	}
	if len(m.pre.Std) > 0 {
		o.Set("std", m.pre.Std)
	}
	if len(m.env.Options.layer.of(m.Name)) == 0 {
		return
	}
	if l, ok := m.Encoder.(latent.LayerEncoder); ok && m.Encoder.Info().Format != "pca" && m.Encoder.Info().Format != "random" {
		var names []string
		for _, layer := range l.Layers() {
			names = append(names, layer.Name)
		}
		o.Set("layers", names)
	}
}

func (e *Env) openBaseline(ctx context.Context, s source, dim int) (*Model, report.Input, error) {
	var encoder latent.Encoder
	_, seen, err := e.preprocessing(s.name)
	if err != nil {
		return nil, report.Input{}, err
	}
	device, err := e.Device()
	if err != nil {
		return nil, report.Input{}, err
	}
	if s.path == "random" {
		encoder, err = latent.RandomEncoder(seen.Shape(), latent.RandomOptions{Dim: dim, Seed: e.Options.Seed, Threads: e.Options.Threads, Backend: device})
	} else {
		encoder, err = latent.PCAEncoder(ctx, seen, latent.PCAOptions{Dim: dim, Backend: device})
	}
	if err != nil {
		return nil, report.Input{}, fmt.Errorf("baseline %s: %w", s.name, err)
	}
	m, err := e.newModel(s, encoder)
	if err != nil {
		return nil, report.Input{}, err
	}
	details := m.details()
	details.Set("dimension", m.dimension())
	return m, report.Input{Role: "baseline", Name: s.name, Path: "baseline:" + s.path,
		Kind: encoder.Info().Architecture, Pool: m.poolName(), Details: details}, nil
}

// exampleEncoder puts an encoder of the built-in example into a file, once per
// content, and returns its path.
func (e *Env) exampleEncoder(name string) (string, error) {
	content, err := example.Encoder(name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	base, err := os.UserCacheDir()
	if err != nil || e.Options.cache == "off" {
		if base, err = os.MkdirTemp("", "repscope"); err != nil {
			return "", err
		}
		e.closers = append(e.closers, closerFunc(func() error { return os.RemoveAll(base) }))
	}
	dir := filepath.Join(base, "repscope", "example", hex.EncodeToString(sum[:8]))
	path := filepath.Join(dir, name+".pth")
	if old, err := os.ReadFile(path); err == nil && sha256.Sum256(old) == sum {
		return path, nil
	}
	files, err := report.Begin(dir)
	if err != nil {
		return "", err
	}
	defer files.Abort()
	if err := files.File(name+".pth", func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
		return "", err
	}
	return path, files.Commit()
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

// close releases files and encoders; they were only read.
func (e *Env) close() {
	for _, c := range slices.Backward(e.closers) {
		_ = c.Close()
	}
}
