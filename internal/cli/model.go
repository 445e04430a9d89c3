// This file is for models: encoders, baselines, and latents computed elsewhere.

package cli

import (
	"context"
	"fmt"
	"math"

	"repscope/dataset"
	"repscope/internal/device"
	"repscope/internal/example"
	"repscope/latent"
	"repscope/model"
	"repscope/points"
)

// Model is one of the models that are compared.
type Model struct {
	Name string
	// Encoder is nil for latents computed elsewhere.
	Encoder latent.Encoder
	// Pool is the pooling of its outputs, empty for the encoder's default.
	Pool latent.Pool

	env   *Env
	pre   latent.Preprocessing
	given points.Points // pooled latents computed elsewhere, one row per state
	row   []int         // row of each state in given; nil: the state's own index
	all   points.Points // latents of all states, once encoded
}

// Latents returns the pooled latents of the given states. When no --samples are
// asked for, all states are encoded once and kept on disk, so that another
// analysis of the same frames encodes nothing.
func (m *Model) Latents(ctx context.Context, index []int) (points.Points, error) {
	if m.Encoder == nil {
		rows := index
		if m.row != nil {
			rows = make([]int, len(index))
			for i, state := range index {
				rows[i] = m.row[state]
			}
		}
		return m.given.Select(rows), nil
	}
	states := m.env.States
	if m.env.Options.Samples > 0 && len(index) < states.Len() {
		return m.encode(ctx, states.Subset(index), true, "encoding "+m.Name)
	}
	if m.all.N == 0 {
		all, err := m.encode(ctx, states, true, "encoding "+m.Name)
		if err != nil {
			return points.Points{}, err
		}
		m.all = all
	}
	if len(index) == m.all.N { // ascending, so these are all of them
		return m.all, nil
	}
	return m.all.Select(index), nil
}

// Encode returns the pooled latents of other inputs than the states, such as
// noisy ones, with the settings of this model. They are not cached. label names
// the work in the progress bar. It is an error for latents computed elsewhere.
func (m *Model) Encode(ctx context.Context, source latent.Source, label string) (points.Points, error) {
	if m.Encoder == nil {
		return points.Points{}, Usage("model %s: latents computed elsewhere cannot encode anything new", m.Name)
	}
	return m.encode(ctx, source, false, label)
}

// EncodeNoisy is Encode for states that noise changes where the encoder runs; see
// latent.EncodeNoisy. It tells progress, if not nil, how many states are done.
func (m *Model) EncodeNoisy(ctx context.Context, source latent.Source, noise latent.Noise, progress func(done, total int)) (points.Points, []float64, error) {
	if m.Encoder == nil {
		return points.Points{}, nil, fmt.Errorf("model %s: %w", m.Name, latent.ErrNoNoise)
	}
	o := m.EncodeOptions("")
	o.Progress = progress
	z, moved, err := latent.EncodeNoisy(ctx, m.Encoder, source, noise, o)
	if err != nil {
		return points.Points{}, nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return z, moved, nil
}

// EncodeOptions are the settings of this model for package latent, without a
// cache. label names the work in the progress bar.
func (m *Model) EncodeOptions(label string) latent.EncodeOptions {
	return latent.EncodeOptions{
		Batch:         m.env.Options.Batch,
		Pool:          m.Pool,
		Preprocessing: m.pre,
		Threads:       m.env.Options.Threads,
		Progress:      m.env.Progress(label),
	}
}

func (m *Model) encode(ctx context.Context, source latent.Source, keep bool, label string) (points.Points, error) {
	o := m.EncodeOptions(label)
	if keep {
		o.Cache = m.env.cache
	}
	z, err := latent.Latents(ctx, m.Encoder, source, o)
	if err != nil {
		return points.Points{}, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return z, nil
}

// Device returns what --device names, in use until the end of the run. It is taken
// into use when it is first asked for, so that a run without encoders needs none.
func (e *Env) Device() (*model.Backend, error) {
	if e.device != nil {
		return e.device, nil
	}
	d, note, err := device.Open(e.Options.Device)
	if err != nil {
		return nil, Hint(err, "use --device cpu, or auto")
	}
	if note != "" {
		e.Note("%s", note)
	}
	e.device = &model.Backend{Device: d, Precision: e.Options.Precision, Note: func(text string) { e.Note("%s", text) }}
	if d != nil {
		e.closers = append(e.closers, d)
		e.Result.Device, e.Result.Precision = d.String(), e.Options.Precision
		e.Note("on %v, encoders in %s", d, e.Options.Precision)
	}
	return e.device, nil
}

// GPUs are those of Device, for neighbour searches; nil is the processor.
func (e *Env) GPUs() (*device.Device, error) {
	d, err := e.Device()
	if err != nil {
		return nil, err
	}
	return d.Device, nil
}

// EncoderFile is an encoder that the flags name.
type EncoderFile struct {
	Name, Path string
	Options    latent.OpenOptions
}

// Encoders lists the encoder files that --model, --weights and --example name,
// for use before the input is loaded; see Flags.Instead. done removes what was
// unpacked.
func (o *Options) Encoders() (files []EncoderFile, done func(), err error) {
	e := &Env{Options: *o}
	if o.example {
		for _, name := range example.Models() {
			e.Options.sources = append(e.Options.sources, source{kind: "example", name: name})
		}
	}
	if err := e.Options.expandWeights(); err != nil {
		return nil, nil, err
	}
	for _, s := range e.Options.sources {
		switch s.kind {
		case "example":
			if s.path, err = e.exampleEncoder(s.name); err != nil {
				e.close()
				return nil, nil, err
			}
		case "model":
		default:
			continue
		}
		files = append(files, EncoderFile{s.name, s.path, e.Options.open(s.name)})
	}
	return files, e.close, nil
}

// readLatents reads an array of latents [N, D], [N, T, D] or [N, K, D] and pools
// it to one vector per row. float64 and wide integers stay float64.
func readLatents(a *dataset.Array, pool latent.Pool) (points.Points, error) {
	shape := a.Shape()
	if len(shape) < 1 || a.RowLen() == 0 || a.Len() == 0 {
		return points.Points{}, fmt.Errorf("%s: shape %v holds no latents, want [N, D]", a.Name(), shape)
	}
	var dim int
	var err error
	if len(shape) == 1 { // one number per state
		shape = []int{shape[0], 1}
	}
	pool, dim, err = pool.Resolve(shape, latent.PoolNone)
	if err != nil {
		return points.Points{}, Hint(fmt.Errorf("%s: %w", a.Name(), err), "choose with --pool NAME=MODE")
	}
	switch a.DType() {
	case dataset.Float64, dataset.Int32, dataset.Int64, dataset.Uint32, dataset.Uint64:
		data, err := poolRows(a.Len(), a.RowLen(), dim, pool, a.ReadFloat64)
		return points.Points{N: a.Len(), Dim: dim, F64: data}, err
	}
	data, err := poolRows(a.Len(), a.RowLen(), dim, pool, a.ReadFloat32)
	return points.Points{N: a.Len(), Dim: dim, F32: data}, err
}

// poolRows reads n rows of the given length in pieces and pools each to dim
// values. The pooling has been resolved against the shape.
func poolRows[T float32 | float64](n, length, dim int, pool latent.Pool, read func([]T, int, int) error) ([]T, error) {
	out := make([]T, n*dim)
	if length == dim {
		return out, read(out, 0, n)
	}
	piece := max(1, (1<<20)/length)
	buffer := make([]T, min(piece, n)*length)
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		if err := read(buffer[:(hi-lo)*length], lo, hi); err != nil {
			return nil, err
		}
		for i := lo; i < hi; i++ {
			latent.ApplyPool(pool, out[i*dim:(i+1)*dim], buffer[(i-lo)*length:(i-lo+1)*length])
		}
	}
	return out, nil
}

// badRows returns the points that hold NaN or Inf, and the column of the first
// such value.
func badRows(p points.Points) (rows []int, column int) {
	for i := range p.N {
		bad := -1
		if p.F32 != nil {
			bad = firstBad(p.F32[i*p.Dim : (i+1)*p.Dim])
		} else {
			bad = firstBad(p.F64[i*p.Dim : (i+1)*p.Dim])
		}
		if bad < 0 {
			continue
		}
		if len(rows) == 0 {
			column = bad
		}
		rows = append(rows, i)
	}
	return rows, column
}

func firstBad[T float32 | float64](row []T) int {
	for k, v := range row {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return k
		}
	}
	return -1
}
