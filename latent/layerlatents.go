// The latents of all layers of an encoder, in one pass over the states.

package latent

import (
	"context"
	"fmt"
	"strings"

	"repscope/internal/share"
	"repscope/model/graph"
	"repscope/points"
)

// LayerPoints are the latents of one layer.
type LayerPoints struct {
	Layer  Layer
	Pool   Pool // that was applied; PoolNone where there is one vector per state
	Points points.Points
}

// LayerLatents is [Latents] for all layers of an encoder, in the order of [LayerEncoder], which are computed together.
// Of several layers the pooling applies to layers that have several vectors per state. Each layer has an entry of its
// own in the cache, the one that Latents has for this layer alone.
func LayerLatents(ctx context.Context, enc Encoder, src Source, o EncodeOptions) ([]LayerPoints, error) {
	e, ok := enc.(*modelEncoder)
	if !ok || !e.named {
		z, err := Latents(ctx, enc, src, o)
		if err != nil {
			return nil, err
		}
		return []LayerPoints{{Pool: poolOf(enc.Info(), o), Points: z}}, nil
	}
	layers, err := e.latentsOfLayers(ctx, src, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	return layers, nil
}

func (e *modelEncoder) latentsOfLayers(ctx context.Context, src Source, o EncodeOptions) ([]LayerPoints, error) {
	s, err := newStream(e, e.info, src, o)
	if err != nil {
		return nil, err
	}
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	total := 0
	for _, out := range s.outputs {
		dim := graph.Count(out.Shape)
		if total += dim; dim == 0 {
			return nil, fmt.Errorf("layer %s has shape %v: no latent dimensions", out.Layer.Label(), out.Shape)
		}
	}
	size := 4 * int64(src.Len()) * int64(total)
	if o.Room != nil {
		if err := o.Room(size); err != nil {
			return nil, err
		}
	}
	o.Preprocessing = s.pre.Preprocessing
	keys := make([]string, len(s.outputs))
	if o.Cache != nil || share.In(ctx) {
		for k, out := range s.outputs { // as the key of the layer alone
			info, alone := e.info, o
			info.Identity, info.DefaultPool = e.identities[k], e.pools()[k]
			if out.Pool == PoolNone {
				alone.Pool = PoolNone
			}
			if keys[k], err = keyOf(info, src, alone); err != nil {
				return nil, &ReadError{err}
			}
		}
	}
	compute := func() ([]LayerPoints, error) { return s.cachedLayers(ctx, o, keys) }
	return share.Do(ctx, sharedKey("layers", strings.Join(keys, "")), compute, func([]LayerPoints) int64 { return size })
}

// cachedLayers takes all layers from the cache, or encodes the states and puts them there.
func (s *Stream) cachedLayers(ctx context.Context, o EncodeOptions, keys []string) ([]LayerPoints, error) {
	total := s.src.Len()
	layers := make([]LayerPoints, len(keys))
	kept := 0
	for k, out := range s.outputs {
		z, dim, err := o.Cache.load(keys[k], total)
		if err != nil && o.Warn != nil {
			o.Warn(err)
		}
		if z == nil {
			break
		}
		layers[k] = LayerPoints{out.Layer, out.Pool, points.Float32(z, dim)}
		kept++
	}
	if kept == len(keys) {
		if o.Progress != nil {
			o.Progress(total, total)
		}
		if o.Kept != nil {
			o.Kept()
		}
		return layers, nil
	}
	values := make([][]float32, len(keys))
	for k, out := range s.outputs {
		values[k] = make([]float32, total*graph.Count(out.Shape))
	}
	err := s.run(ctx, 0, func(lo, hi int, rows [][]float32) error {
		for k, part := range rows {
			copy(values[k][lo*len(part)/(hi-lo):], part)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, out := range s.outputs {
		dim := len(values[k]) / total
		layers[k] = LayerPoints{out.Layer, out.Pool, points.Float32(values[k], dim)}
		if err := o.Cache.store(keys[k], values[k], total, dim); err != nil && o.Warn != nil {
			o.Warn(fmt.Errorf("latent cache: %w", err))
		}
	}
	return layers, nil
}
