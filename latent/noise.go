// Noise on the states, made by the GPUs that encode them.

package latent

import (
	"context"
	"errors"
	"fmt"

	"repscope/model/pixels"
	"repscope/points"
	"repscope/stat"
)

// Noise changes states before they are preprocessed and encoded.
type Noise struct {
	pixels.Noise
	// Key names the random numbers of state i of the source.
	Key func(i int) stat.Key
}

// ErrNoNoise reports that an encoder cannot change states on its device.
var ErrNoNoise = errors.New("the encoder cannot add noise where it runs")

// EncodeNoisy is Latents for states x that noise changes to x' on the GPUs that run the encoder; it also returns ‖x' −
// x‖₂ of every state, in pixel values. Both have the same bits as states changed on a CPU, in the arithmetic of
// pixels.Noise, and encoded on the same GPUs; the squares are added in float64 in the order of the elements. Nothing is
// cached. The error wraps ErrNoNoise, and nothing has been read, if the encoder runs on a CPU, takes integers or
// batches of another size only, or if frames are resized or expanded to channels.
func EncodeNoisy(
	ctx context.Context, enc Encoder, src Source, n Noise, o EncodeOptions,
) (points.Points, []float64, error) {
	info := enc.Info()
	z, moved, err := encodeNoisy(ctx, enc, info, src, n, o)
	if err != nil {
		if ctx.Err() != nil {
			return points.Points{}, nil, ctx.Err()
		}
		return points.Points{}, nil, fmt.Errorf("encoder %s: %w", info.Name, err)
	}
	return z, moved, nil
}

func encodeNoisy(ctx context.Context, enc Encoder, info Info, src Source, n Noise,
	o EncodeOptions) (points.Points, []float64, error) {
	if _, err := ParsePool(string(o.Pool)); err != nil {
		return points.Points{}, nil, err
	}
	s, err := newStream(enc, info, src, o)
	if err != nil {
		return points.Points{}, nil, err
	}
	s.noise = &n
	raw, ok := s.noisyPipeline()
	if !ok {
		return points.Points{}, nil, ErrNoNoise
	}
	if err := s.check(ctx); err != nil {
		return points.Points{}, nil, err
	}
	moved := make([]float64, src.Len())
	latents, dim, err := s.all(ctx, func(lo, hi int) { copy(moved[lo:hi], raw.displacements()) })
	if err != nil {
		return points.Points{}, nil, err
	}
	return points.Float32(latents, dim), moved, nil
}

// noisyPipeline is the pipeline that changes and encodes every batch of the source, including the last one; false if
// there is none.
func (s *Stream) noisyPipeline() (pipeline, bool) {
	enc, ok := s.enc.(pipeline)
	if !ok || s.pre.reshapes() {
		return nil, false
	}
	total := s.src.Len()
	rest := total % s.o.Batch
	return enc, enc.takesPixels(min(s.o.Batch, total)) && (rest == 0 || enc.takesPixels(rest))
}

// submitNoisy submits the states of a pass with the noise.
func (s *Stream) submitNoisy(ctx context.Context, enc pipeline, p *pass, batch pixels.Noisy) error {
	batch.Noise, batch.Scaling = s.noise.Noise, s.pre.scaling()
	for i := p.lo; i < p.hi; i++ {
		batch.Keys = append(batch.Keys, s.noise.Key(i))
	}
	return enc.submitNoisy(ctx, batch, p.hi-p.lo, s.pre.out)
}
