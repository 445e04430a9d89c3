// Models: encoders, baselines, and latents computed elsewhere.

package input

import (
	"context"
	"fmt"

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

	data  *Data
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
	states := m.data.States
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

// Encode returns the pooled latents of other inputs than the states, such as
// noisy ones, with the settings of this model. They are not cached. label names
// the work in the progress bar. It is an error for latents computed elsewhere.
func (m *Model) Encode(ctx context.Context, source latent.Source, label string) (points.Points, error) {
	if m.Encoder == nil {
		return points.Points{}, run.Usage("model %s: latents computed elsewhere cannot encode anything new", m.Name)
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
		Batch:         m.data.Options.Batch,
		Pool:          m.Pool,
		Preprocessing: m.pre,
		Threads:       m.data.env.Options.Threads,
		Progress:      m.data.env.Progress(label),
	}
}

func (m *Model) encode(ctx context.Context, source latent.Source, keep bool, label string) (points.Points, error) {
	o := m.EncodeOptions(label)
	if keep {
		o.Cache, o.Warn = m.data.cache, m.data.cacheFailed
	}
	z, err := latent.Latents(ctx, m.Encoder, source, o)
	if err != nil {
		return points.Points{}, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return z, nil
}
