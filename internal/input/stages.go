// Layers before pooling, with what follows them: --stitch.

package input

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/latent"
	"repscope/points"
)

// Stage is a layer of a model with its values before pooling, and what follows it.
type Stage struct {
	Values points.Points // float32
	// Shape is the shape of the values of one state, and Channels the axis of it that has the channels; −1: unknown.
	Shape    []int
	Channels int
	// Identity is the content of what follows the layer. Open opens it; its error says why it cannot be had.
	Identity string
	Open     func() (*latent.Rest, error)
}

// Stages are the layers that [Data.Layered] returns, at the same states. Latents of a file are layers that nothing
// follows.
func (d *Data) Stages(ctx context.Context, layers []Layers, s *points.Selection) ([][]Stage, error) {
	var out [][]Stage
	for _, model := range layers {
		k := slices.IndexFunc(d.Models, func(m *Model) bool { return m.Name == model.Name && m.layered() })
		if k >= 0 {
			stages, err := d.Models[k].stages(ctx, s.Index)
			if err != nil {
				return nil, err
			}
			out = append(out, stages)
			continue
		}
		var stages []Stage
		for _, layer := range model.Layers {
			stages = append(stages, Stage{Values: layer.Latents.Narrowed(), Shape: []int{layer.Latents.Dim}, Channels: 0,
				Open: func() (*latent.Rest, error) {
					return nil, fmt.Errorf("%s is a file of latents: nothing can be stitched to it; give a model (--model) and "+
						"frames", model.Name)
				}})
		}
		out = append(out, stages)
	}
	return out, nil
}

// stages are the layers of an encoder.
func (m *Model) stages(ctx context.Context, index []int) ([]Stage, error) {
	restore := m.poolForHeads(latent.PoolNone)
	layers, err := m.layerLatents(ctx, index)
	restore()
	if err != nil {
		return nil, err
	}
	o := m.data.inputs.open(m.Name, m.data.env.Options.Threads)
	o.StateShape = m.seen.shape
	if o.Backend, err = m.data.Device(); err != nil {
		return nil, err
	}
	info := m.Encoder.Info()
	var out []Stage
	for _, l := range layers {
		name := fmt.Sprintf("%s after layer %s", m.Name, l.Layer.Label())
		out = append(out, Stage{
			Values: l.Points, Shape: l.Layer.Shape[1:], Channels: l.Layer.Channels() - 1,
			Identity: info.Identity + " " + l.Layer.Name,
			Open: func() (*latent.Rest, error) {
				rest, err := latent.OpenRest(info.Name, o, l.Layer)
				if err != nil { // without the path, which may be temporary
					if inner := errors.Unwrap(err); inner != nil {
						err = inner
					}
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				rest.Path = name
				return rest, nil
			},
		})
	}
	return out, nil
}
