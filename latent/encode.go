// Encode: a source of states in, pooled latents out.

package latent

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// InputScale says how pixel values are presented to the encoder.
type InputScale string

const (
	// ScaleRaw presents values as stored (the default): 0..255 for uint8.
	ScaleRaw InputScale = "raw"
	// ScaleUnit maps the pixel range [Low, High] to [0, 1].
	ScaleUnit InputScale = "unit"
)

// DefaultBatch is the number of states per batch if EncodeOptions does not say.
const DefaultBatch = 64

// EncodeOptions says how Encode runs. The zero value is valid.
type EncodeOptions struct {
	Batch int        // states per batch; 0 means DefaultBatch
	Pool  Pool       // how [B, K, D] outputs become [B, D]; empty: the model's default
	Scale InputScale // empty means ScaleRaw
	// Low and High are the pixel range that ScaleUnit maps to [0, 1].
	Low, High float64
	// Threads bounds the goroutines; 0 leaves what OpenOptions said.
	Threads int
	// Cache keeps latents on disk between runs; nil means no cache.
	Cache *Cache
	// Progress, if not nil, is called after each batch from one goroutine.
	// Latents found in the cache are reported at once as (total, total).
	Progress func(done, total int)
	// Warn, if not nil, is told of what does not stop the run, such as a cache
	// that cannot be written.
	Warn func(error)
}

// direct is an encoder that hands out its own memory, which saves a copy of
// every batch; all encoders of this package are. The states come unscaled in
// type but in the shape of the source.
type direct interface {
	run(ctx context.Context, batch []float32, n int, state []int) (out []float32, shape []int, err error)
}

// Encode maps every state of src through enc, pools each output to a vector,
// and returns float32 latents [N, D]. NaN or Inf in a latent is an error
// naming the encoder and the state; so is an output of more than one vector
// per state without a Pool. Cancelling ctx stops it between two operators.
func Encode(ctx context.Context, enc Encoder, src Source, o EncodeOptions) (*tensor.Dense, error) {
	info := enc.Info()
	z, err := encode(ctx, enc, info, src, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("encoder %s: %w", info.Name, err)
	}
	return z, nil
}

func encode(ctx context.Context, enc Encoder, info Info, src Source, o EncodeOptions) (*tensor.Dense, error) {
	total := src.Len()
	state := src.Shape()
	width := 1
	for _, d := range state {
		width *= d
	}
	if total == 0 || width == 0 {
		return nil, fmt.Errorf("no states to encode (%d of shape %v)", total, state)
	}
	if o.Batch < 0 {
		return nil, fmt.Errorf("batch %d, want at least 1", o.Batch)
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if _, err := ParsePool(string(o.Pool)); err != nil {
		return nil, err
	}
	switch o.Scale {
	case "", ScaleRaw:
		o.Scale = ScaleRaw
	case ScaleUnit:
		if !(o.High > o.Low) || math.IsInf(o.High-o.Low, 0) {
			return nil, fmt.Errorf("input scale unit needs a pixel range, got %g to %g", o.Low, o.High)
		}
	default:
		return nil, fmt.Errorf("input scale %q: want raw or unit", o.Scale)
	}
	if s, ok := enc.(interface {
		outputShape(state []int) ([]int, error)
	}); ok {
		// Wrong shapes and poolings show before anything is read.
		shape, err := s.outputShape(state)
		if err != nil {
			return nil, err
		}
		if _, _, err := o.Pool.Resolve(shape, info.DefaultPool); err != nil {
			return nil, err
		}
	}
	if t, ok := enc.(interface{ setThreads(int) }); ok && o.Threads > 0 {
		t.setThreads(o.Threads)
	}

	key, err := o.Cache.key(info, src, o)
	if err != nil {
		return nil, err
	}
	if z, dim := o.Cache.load(key, total); z != nil {
		if o.Progress != nil {
			o.Progress(total, total)
		}
		return tensor.New(tensor.WithShape(total, dim), tensor.WithBacking(z)), nil
	}

	batch := make([]float32, min(o.Batch, total)*width)
	var latents []float32
	var pool Pool
	var dim int
	for lo := 0; lo < total; lo += o.Batch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+o.Batch, total)
		states := batch[:(hi-lo)*width]
		if err := src.Float32(states, lo, hi); err != nil {
			return nil, fmt.Errorf("states %d to %d: %w", lo, hi-1, err)
		}
		if o.Scale == ScaleUnit {
			low, span := float32(o.Low), float32(o.High-o.Low)
			for i, v := range states {
				states[i] = (v - low) / span
			}
		}
		out, shape, err := runBatch(ctx, enc, states, hi-lo, state)
		if err != nil {
			return nil, err
		}
		if latents == nil {
			if pool, dim, err = o.Pool.Resolve(shape, info.DefaultPool); err != nil {
				return nil, err
			}
			if dim == 0 {
				return nil, fmt.Errorf("the output has shape %v: no latent dimensions", shape)
			}
			latents = make([]float32, total*dim)
		}
		row := len(out) / (hi - lo)
		for i := range hi - lo {
			z := latents[(lo+i)*dim : (lo+i+1)*dim]
			pool.apply(z, out[i*row:(i+1)*row])
			if err := finite(z, states[i*width:(i+1)*width]); err != nil {
				return nil, fmt.Errorf("state %d: %w", lo+i, err)
			}
		}
		if o.Progress != nil {
			o.Progress(hi, total)
		}
	}
	if err := o.Cache.store(key, latents, total, dim); err != nil && o.Warn != nil {
		o.Warn(fmt.Errorf("latent cache: %w", err))
	}
	return tensor.New(tensor.WithShape(total, dim), tensor.WithBacking(latents)), nil
}

func runBatch(ctx context.Context, enc Encoder, states []float32, n int, state []int) ([]float32, []int, error) {
	if d, ok := enc.(direct); ok {
		return d.run(ctx, states, n, state)
	}
	in := tensor.New(tensor.WithShape(append([]int{n}, state...)...), tensor.WithBacking(states))
	out, err := enc.Encode(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	values, ok := out.Data().([]float32)
	shape := slices.Clone([]int(out.Shape()))
	if !ok || len(shape) == 0 || shape[0] != n || len(values)%n != 0 {
		return nil, nil, fmt.Errorf("the output is %v %v for a batch of %d, want float32 [B, …]", out.Dtype(), shape, n)
	}
	return values, shape, nil
}

// finite reports the first element that is not a number or infinite, and
// whether the state was to blame.
func finite(z, state []float32) error {
	for j, v := range z {
		if d := v - v; d == 0 {
			continue
		}
		for k, s := range state {
			if s-s != 0 {
				return fmt.Errorf("latent element %d is %g; element %d of the state itself is %g", j, v, k, s)
			}
		}
		return fmt.Errorf("latent element %d is %g", j, v)
	}
	return nil
}
