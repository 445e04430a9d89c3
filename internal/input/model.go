// Models: encoders, baselines, and latents computed elsewhere.

package input

import (
	"context"
	"fmt"
	"slices"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/points"
)

// Model is one of the models that are compared.
type Model struct {
	Name string
	// Encoder is nil for latents computed elsewhere.
	Encoder latent.Encoder
	// Pool is the pooling of its outputs, empty for the encoder's default.
	Pool latent.Pool

	data   *Data
	window int // frames that it sees; 0: one, or a clip that is a row by itself
	pre    latent.Preprocessing
	seen   givenInput
	given  *givenLatents // computed elsewhere
	all    points.Points // latents of all states, once encoded

	layers   []latent.LayerPoints // of the states layersAt, once encoded for --layers
	layersAt []int

	unfitted int // in a dry run: the dimension of a baseline that would be fitted to the frames
}

// Baseline reports whether the model is one of --baseline: pixel PCA or an untrained
// encoder.
func (m *Model) Baseline() bool {
	return m.unfitted > 0 || m.Encoder != nil && slices.Contains([]string{"pca", "random"}, m.Encoder.Info().Format)
}

// Latents returns the pooled latents of the given states; with --layers, of the last layer. When no --samples are
// asked for, all states are encoded once and kept on disk, so that another
// analysis of the same frames encodes nothing.
func (m *Model) Latents(ctx context.Context, index []int) (points.Points, error) {
	if m.Encoder == nil {
		rows := index
		if m.given.row != nil {
			rows = make([]int, len(index))
			for i, state := range index {
				rows[i] = m.given.row[state]
			}
		}
		if all := m.given.points; inOrder(rows, all.N) { // they are read, and never written
			return all, nil
		}
		return m.given.points.Select(rows), nil
	}
	if m.layered() {
		layers, err := m.LayerLatents(ctx, index)
		if err != nil {
			return points.Points{}, err
		}
		return layers[len(layers)-1].Points, nil
	}
	states := m.data.statesOf(m.Name)
	if m.data.Options.Samples > 0 && len(index) < states.Len() {
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

// LayerLatents is Latents for all layers of --layer or --layers, which are computed in one pass; without any it is the
// output. Of --layers the layers of the last call are kept.
func (m *Model) LayerLatents(ctx context.Context, index []int) ([]latent.LayerPoints, error) {
	if m.Encoder == nil || len(m.data.inputs.layersOf(m.Name)) == 0 || m.Baseline() {
		z, err := m.Latents(ctx, index)
		return []latent.LayerPoints{{Points: z}}, err
	}
	if m.layers != nil && slices.Equal(m.layersAt, index) {
		return m.layers, nil
	}
	layers, err := m.layerLatents(ctx, index)
	if err == nil && m.layered() {
		m.layers, m.layersAt = layers, slices.Clone(index)
	}
	return layers, err
}

func (m *Model) layerLatents(ctx context.Context, index []int) ([]latent.LayerPoints, error) {
	states := m.data.statesOf(m.Name)
	if m.data.Options.Samples > 0 && len(index) < states.Len() {
		return m.encodeLayers(ctx, states.Subset(index))
	}
	layers, err := m.encodeLayers(ctx, states)
	for k := range layers {
		if z := &layers[k].Points; len(index) < z.N { // ascending
			*z = z.Select(index)
		}
	}
	return layers, err
}

// inOrder reports whether the rows are 0 … n−1.
func inOrder(rows []int, n int) bool {
	for i, row := range rows {
		if i != row {
			return false
		}
	}
	return len(rows) == n
}

// Window is the number of frames that the model sees of a state, 0 for one frame, or a
// clip that is a row by itself; at most the window of the states; it sees the last frames.
func (m *Model) Window() int { return m.window }

// Seen returns what the model sees of states of the shape of [Data.States]: the last
// frames, if it has a shorter window than these.
func (m *Model) Seen(source latent.Source) latent.Source {
	if m.window == m.data.window {
		return source
	}
	if states, ok := source.(*dataset.States); ok {
		if narrow, err := states.Narrow(m.window); err == nil {
			return narrow
		}
	}
	return &lastFrames{source, m.data.statesOf(m.Name).Shape()}
}

// lastFrames are the last frames of states, of the given shape.
type lastFrames struct {
	latent.Source
	shape []int
}

// Shape is the shape of one state.
func (l *lastFrames) Shape() []int { return slices.Clone(l.shape) }

// Float32 reads states; see latent.Source.
func (l *lastFrames) Float32(dst []float32, lo, hi int) error {
	whole := 1
	for _, n := range l.Source.Shape() {
		whole *= n
	}
	states := make([]float32, (hi-lo)*whole)
	if err := l.Source.Float32(states, lo, hi); err != nil {
		return err
	}
	size := len(dst) / (hi - lo)
	for i := range hi - lo {
		copy(dst[i*size:(i+1)*size], states[(i+1)*whole-size:])
	}
	return nil
}

// Fingerprint is empty: such states are made on the way.
func (l *lastFrames) Fingerprint() (string, error) { return "", nil }

// Encode returns the pooled latents of other inputs than the states, such as
// noisy ones, with the settings of this model; it sees what [Model.Seen] says. They are not cached. label names
// the work in the progress bar. It is an error for latents computed elsewhere.
func (m *Model) Encode(ctx context.Context, source latent.Source, label string) (points.Points, error) {
	if m.Encoder == nil {
		return points.Points{}, run.Usage("model %s: precomputed latents cannot encode new states", m.Name)
	}
	return m.encode(ctx, m.Seen(source), false, label)
}

// EncodeNoisy is Encode for states that noise changes where the encoder runs; see
// latent.EncodeNoisy. It tells progress, if not nil, how many states are done.
func (m *Model) EncodeNoisy(ctx context.Context, source latent.Source, noise latent.Noise,
	progress func(done, total int)) (points.Points, []float64, error) {
	if m.Encoder == nil || m.window != m.data.window { // noise is the noise of whole states
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

// Content is the identity of the encoder's content and of all settings by which it makes latents of states; empty
// where it is not known.
func (m *Model) Content() string {
	if m.Encoder == nil {
		return ""
	}
	key := latent.ContentKey(m.Encoder.Info(), m.EncodeOptions(""))
	if key == "" {
		return ""
	}
	return fmt.Sprintf("%s window %d of %d", key, m.window, m.data.window)
}

// EncodeOptions are the settings of this model for package latent, without a
// cache. label names the work in the progress bar.
func (m *Model) EncodeOptions(label string) latent.EncodeOptions {
	return latent.EncodeOptions{
		Batch:         m.data.Options.Batch,
		Pool:          m.Pool,
		Preprocessing: m.pre,
		Threads:       m.data.env.Options.Threads,
		Progress:      m.data.env.Progress(label),
	}
}

// encode returns the latents of the states of a source. Memory for them is reserved before the first state is read;
// keep leaves it reserved until the run ends, and uses the cache.
func (m *Model) encode(ctx context.Context, source latent.Source, keep bool, label string) (points.Points, error) {
	o := m.EncodeOptions(label)
	if o.Changed = !keep; keep {
		m.keep(&o)
	}
	var reserved int64
	o.Room = m.room(source.Len(), &reserved)
	z, err := latent.Latents(ctx, m.Encoder, source, o)
	if err != nil || !keep {
		m.data.held.Add(-reserved)
	}
	if err != nil {
		return points.Points{}, m.data.fitHint(m.Name, m.pre, fmt.Errorf("model %s: %w", m.Name, err))
	}
	return z, nil
}

// encodeLayers returns the latents of all layers, whose memory stays reserved.
func (m *Model) encodeLayers(ctx context.Context, source latent.Source) ([]latent.LayerPoints, error) {
	o := m.EncodeOptions("encoding " + m.Name)
	m.keep(&o)
	var reserved int64
	o.Room = m.room(source.Len(), &reserved)
	layers, err := latent.LayerLatents(ctx, m.Encoder, source, o)
	if err != nil {
		m.data.held.Add(-reserved)
		return nil, m.data.fitHint(m.Name, m.pre, fmt.Errorf("model %s: %w", m.Name, err))
	}
	return layers, nil
}

// keep makes the cache keep the latents.
func (m *Model) keep(o *latent.EncodeOptions) {
	o.Cache, o.Warn, o.Kept = m.data.cache, m.data.cacheFailed, func() { m.data.env.Result.FromCache(m.Name) }
}

// room reserves memory for the latents of n states.
func (m *Model) room(n int, reserved *int64) func(bytes int64) error {
	return func(bytes int64) error {
		if err := m.data.hold(bytes, fmt.Sprintf("latents of %d states", n)); err != nil {
			return err
		}
		*reserved = bytes
		return nil
	}
}
