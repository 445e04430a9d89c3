// Encoders and baselines: opening, and what the result says of them.

package input

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"repscope/internal/atomicfile"
	"repscope/internal/example"
	"repscope/internal/fault"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/report"
)

// openModels opens the encoders and baselines and lists all models in order.
func (d *Data) openModels(ctx context.Context, latents []givenLatents) error {
	sources := d.inputs.sources
	models := make([]*Model, len(sources))
	inputs := make([]report.Input, len(sources))
	nominal := 0 // latent dimension of the first model, taken by baselines
	for i, s := range sources {
		var m *Model
		var err error
		switch {
		case d.inputs.left.Has(s.name):
			inputs[i] = leftInput(s, latents)
			continue
		case s.kind == "latents":
			g := latents[slices.IndexFunc(latents, func(g givenLatents) bool { return g.source.name == s.name })]
			m, inputs[i] = &Model{Name: s.name, data: d, window: d.windowOf(s.name), given: &g}, g.input
		case s.kind == "model" || s.kind == "example":
			m, inputs[i], err = d.openEncoder(s)
		default:
			continue
		}
		if err != nil {
			inputs[i] = leftInput(s, nil)
			if err := d.leave(ctx, s.name, err); err != nil {
				return err
			}
			continue
		}
		models[i] = m
		if nominal == 0 {
			nominal = m.dimension()
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
		m, input, err := d.openBaseline(ctx, s, dim)
		if err != nil {
			inputs[i] = leftInput(s, nil)
			if err := d.leave(ctx, s.name, err); err != nil {
				return err
			}
			continue
		}
		models[i], inputs[i] = m, input
	}
	d.Models = slices.DeleteFunc(models, func(m *Model) bool { return m == nil })
	d.env.Result.Inputs = append(d.env.Result.Inputs, inputs...)
	var names, warnings []string
	for _, m := range d.Models {
		names = append(names, m.Name)
		if m.Encoder != nil {
			if doubt := d.doubtScale(m.Name, m.pre); doubt != "" && !m.Baseline() {
				warnings = append(warnings, m.Name+": "+doubt)
			}
			info := m.Encoder.Info()
			for _, w := range info.Warnings {
				warnings = append(warnings, m.Name+": "+w)
			}
			for _, n := range info.Notes {
				d.env.Note("note: model %s: %s", m.Name, n)
			}
		}
	}
	for _, w := range text.Together(warnings, names) {
		d.env.Warn("model %s", w)
	}
	return d.settle()
}

// dimension is the model's latent dimension, 0 where it is not known yet.
func (m *Model) dimension() int {
	if m.unfitted > 0 {
		return m.unfitted
	}
	if m.Encoder == nil {
		return m.given.points.Dim
	}
	info := m.Encoder.Info()
	_, dim, err := m.Pool.Resolve(info.Output, info.DefaultPool)
	if err != nil || dim < 0 {
		return 0
	}
	return dim
}

func (d *Data) openEncoder(s source) (*Model, report.Input, error) {
	path := s.path
	if s.kind == "example" {
		cache := d.inputs.cache
		if d.plan != nil {
			cache = "off" // nothing is kept
		}
		unpacked, remove, err := exampleEncoder(s.name, cache)
		if remove != nil {
			d.env.CloseLater(closerFunc(remove))
		}
		if err != nil {
			return nil, report.Input{}, fault.OfRun(err)
		}
		path = unpacked
	}
	pre, seen, err := d.preprocessing(s.name)
	if err != nil {
		return nil, report.Input{}, err
	}
	m, in, err := d.openSeeing(s, path, pre, seen)
	if last, seen, ok := d.channelsLast(s.name, pre, err); ok {
		return d.openSeeing(s, path, last, seen)
	}
	return m, in, err
}

// channelsLast is the preprocessing and the states as they are seen with it, where the
// encoder refused states for their shape alone and takes channels that come last.
func (d *Data) channelsLast(name string, p latent.Preprocessing,
	err error) (latent.Preprocessing, latent.Source, bool) {
	var shape *latent.ShapeError
	if !errors.As(err, &shape) {
		return p, nil, false
	}
	p.ChannelsLast = true
	seen, err := latent.Prepared(d.statesOf(name), p)
	if err != nil || !latent.Fits(seen.Shape(), shape.Input) {
		return p, nil, false
	}
	return p, seen, true
}

// openSeeing opens the encoder of a file for the states as it sees them.
func (d *Data) openSeeing(s source, path string, pre latent.Preprocessing,
	seen latent.Source) (*Model, report.Input, error) {
	open := d.inputs.open(s.name, d.env.Options.Threads)
	open.StateShape = seen.Shape()
	var err error
	if open.Backend, err = d.Device(); err != nil {
		return nil, report.Input{}, fault.OfRun(err)
	}
	encoder, err := latent.Open(path, open)
	if err != nil {
		return nil, report.Input{}, d.fitHint(s.name, pre, layerHint(s.name, fmt.Errorf("model %s: %w", s.name, err)))
	}
	if l, ok := encoder.(latent.LayerEncoder); ok && !d.inputs.needs.Layers && len(d.inputs.byLayer.of(s.name)) == 0 &&
		len(l.Layers()) > 1 {
		err := fmt.Errorf("model %s: --layer %s matches %d layers, want one",
			s.name, strings.Join(d.inputs.layer.of(s.name), ", "), len(l.Layers()))
		return nil, report.Input{}, errors.Join(run.Hint(err, "give the model once per layer, each time under another name, with --layer NAME=LAYER"), encoder.Close())
	}
	m, err := d.newModel(s, encoder, pre, seen.Shape())
	if err != nil {
		return nil, report.Input{}, d.fitHint(s.name, pre, fmt.Errorf("model %s: %w", s.name, err))
	}
	info := encoder.Info()
	return m, report.Input{Role: "model", Name: s.name, Path: s.path, SHA256: info.SHA256,
		Kind: info.Architecture, Pool: m.poolName(), Details: m.details()}, nil
}

// newModel is a model of an encoder, which is closed at the end of the run, for states
// of the given shape.
func (d *Data) newModel(s source, encoder latent.Encoder, pre latent.Preprocessing, state []int) (*Model, error) {
	d.env.CloseLater(encoder)
	pool := latent.Pool(d.inputs.pool.of(s.name)) // checked when it was set
	if s.kind == "baseline" && d.inputs.pool.byName[s.name] == "" {
		pool = latent.PoolNone // a pooling meant for the models
	}
	if pool == latent.PoolNone && d.inputs.needs.Unpooled && s.kind != "baseline" && len(d.inputs.layersOf(s.name)) > 0 {
		pool = latent.PoolKeep // layers have all kinds of shapes
	}
	if pool == latent.PoolNone && d.inputs.needs.HeadsOnly {
		pool = latent.PoolFlatten
	}
	m := &Model{Name: s.name, Encoder: encoder, Pool: pool, data: d, window: d.windowOf(s.name), pre: pre}
	var err error
	m.seen.low, m.seen.high = inputRange(pre)
	m.seen.shape, m.seen.dtype, err = latent.Check(encoder, state, pool)
	return m, err
}

// preprocessing is what the states go through before a model sees them, and the
// states as it sees them.
func (d *Data) preprocessing(name string) (latent.Preprocessing, latent.Source, error) {
	p, err := d.inputs.preprocessing(name, d.folderPreset(name))
	var seen latent.Source
	if err == nil {
		states, r := d.statesOf(name), d.States.Range()
		p.Low, p.High, p.Layout = r.Low, r.High, states.Layout()
		seen, err = latent.Prepared(states, p)
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
		names = append(names, l.Modules...)
	}
	meant := text.DidYouMean("", unknown.Pattern, names)
	if other := otherCase(unknown.Pattern, names); other != "" {
		meant = "did you mean " + other + "?"
	}
	near := unknown.Nearest(3)
	if len(near) > 0 && meant == "" {
		meant = "the nearest are " + strings.Join(near, ", ")
	}
	return run.Hint(err, meant, "list them with encode --model "+model+"=FILE --layers list")
}

// otherCase is a pattern in the upper and lower case of the first name that it matches but
// for the case; empty where there is none.
func otherCase(pattern string, names []string) string {
	var expression strings.Builder
	expression.WriteString("(?is)^")
	for _, r := range pattern {
		switch r {
		case '*':
			expression.WriteString("(?:.*)")
		case '?':
			expression.WriteString("(?:.)")
		default:
			expression.WriteString("(" + regexp.QuoteMeta(string(r)) + ")")
		}
	}
	matcher, err := regexp.Compile(expression.String() + "$")
	if err != nil {
		return ""
	}
	for _, name := range names {
		letters := matcher.FindStringSubmatch(name)
		if letters == nil {
			continue
		}
		next := 0
		return strings.Map(func(r rune) rune {
			if r == '*' || r == '?' {
				return r
			}
			next++
			letter, _ := utf8.DecodeRuneInString(letters[next])
			return letter
		}, pattern)
	}
	return ""
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
	if info.State != "" {
		o.Set("state", info.State)
	}
	if len(info.Beside) > 0 {
		o.Set("files", info.Beside)
	}
	if len(info.Inputs) > 0 {
		o.Set("inputs", info.Inputs)
	}
	m.describePreprocessing(&o)
	return &o
}

// describeLayers records the layers that were asked for.
func (m *Model) describeLayers(o *report.Object) {
	if len(m.data.inputs.layersOf(m.Name)) == 0 {
		return
	}
	if l, ok := m.Encoder.(latent.LayerEncoder); ok && m.Encoder.Info().Format != "pca" && m.Encoder.Info().Format != "random" {
		var names []string
		for _, layer := range l.Layers() {
			names = append(names, layer.Label())
		}
		o.Set("layers", names)
	}
}

func (d *Data) openBaseline(ctx context.Context, s source, dim int) (*Model, report.Input, error) {
	var encoder latent.Encoder
	pre, seen, err := d.preprocessing(s.name)
	if err != nil {
		return nil, report.Input{}, err
	}
	if d.plan != nil && s.path == "pca" {
		return &Model{Name: s.name, data: d, pre: pre, window: d.windowOf(s.name), unfitted: cmp.Or(dim, latent.DefaultDim)},
			report.Input{Role: "baseline", Name: s.name, Path: "baseline:" + s.path}, nil
	}
	device, err := d.Device()
	if err != nil {
		return nil, report.Input{}, fault.OfRun(err)
	}
	if s.path == "random" {
		encoder, err = latent.RandomEncoder(seen.Shape(),
			latent.RandomOptions{Dim: dim, Seed: d.env.Options.Seed, Threads: d.env.Options.Threads, Backend: device})
	} else {
		encoder, err = latent.PCAEncoder(ctx, seen, latent.PCAOptions{Dim: dim, Backend: device})
	}
	if err != nil {
		return nil, report.Input{}, fmt.Errorf("baseline %s: %w", s.name, err)
	}
	m, err := d.newModel(s, encoder, pre, seen.Shape())
	if err != nil {
		return nil, report.Input{}, fmt.Errorf("baseline %s: %w", s.name, err)
	}
	details := m.details()
	details.Set("dimension", m.dimension())
	return m, report.Input{Role: "baseline", Name: s.name, Path: "baseline:" + s.path,
		Kind: encoder.Info().Architecture, Pool: m.poolName(), Details: details}, nil
}

// exampleEncoder puts an encoder of the built-in example into a file; see unpack.
func exampleEncoder(name, cache string) (path string, remove func() error, err error) {
	content, err := example.Encoder(name)
	if err != nil {
		return "", nil, err
	}
	return unpack(content, name+".pth", cache)
}

// unpack puts a file of the built-in example on disk, once per content, and returns its
// path. Where there is no cache, the file is in a folder of its own, which remove, if not
// nil, removes.
func unpack(content []byte, name, cache string) (path string, remove func() error, err error) {
	sum := sha256.Sum256(content)
	base, err := os.UserCacheDir()
	dir := filepath.Join(base, "repscope", "example", hex.EncodeToString(sum[:8]))
	if err == nil && cache != "off" {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil || cache == "off" {
		if dir, err = atomicfile.TemporaryFolder("repscope"); err != nil {
			return "", nil, err
		}
		remove = func() error { return os.RemoveAll(dir) }
	}
	path = filepath.Join(dir, name)
	if old, err := regular.Read(path, regular.Table); err == nil && sha256.Sum256(old) == sum {
		return path, remove, nil
	}
	files, err := report.Begin(dir)
	if err != nil {
		return "", remove, err
	}
	defer files.Abort()
	if err := files.File(name, func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
		return "", remove, err
	}
	return path, remove, files.Commit()
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

// EncoderFile is an encoder that the flags name.
type EncoderFile struct {
	Name, Path string
	Options    latent.OpenOptions
}

// Encoders lists the encoder files that --model, --weights and --example name,
// for use before the input is loaded; see [run.Job]. done removes the files that were
// unpacked.
func (in *Inputs) Encoders(o *run.Options) (files []EncoderFile, done func(), err error) {
	var unpacked []func() error
	done = func() {
		for _, remove := range unpacked {
			_ = remove()
		}
	}
	listed := *in
	if in.example {
		for _, name := range example.Models() {
			listed.sources = append(listed.sources, source{kind: "example", name: name})
		}
	}
	if err := listed.expandWeights(); err != nil {
		return nil, nil, err
	}
	for _, s := range listed.sources {
		switch s.kind {
		case "example":
			path, remove, err := exampleEncoder(s.name, in.cache)
			if remove != nil {
				unpacked = append(unpacked, remove)
			}
			if err != nil {
				done()
				return nil, nil, err
			}
			s.path = path
		case "model":
		default:
			continue
		}
		files = append(files, EncoderFile{s.name, s.path, in.open(s.name, o.Threads)})
	}
	return files, done, nil
}
