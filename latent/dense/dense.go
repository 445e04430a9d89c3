// Package dense is package latent with tensors of gorgonia.org/tensor at its border:
//
//	z, err := dense.Encode(ctx, encoder, states, latent.EncodeOptions{Batch: 64})
//	if err != nil {
//		return err
//	}
//	fmt.Println(z.Shape()) // (N, D)
//
// The binaries speak [latent.Array] and so do without the library, which weighs a fifth
// of one of them.
package dense

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"repscope/latent"
)

// Encode is [latent.Latents] as a float32 tensor of shape [N, D].
func Encode(ctx context.Context, encoder latent.Encoder, states latent.Source,
	o latent.EncodeOptions) (*tensor.Dense, error) {
	z, err := latent.Latents(ctx, encoder, states, o)
	if err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(z.N, z.Dim), tensor.WithBacking(z.F32)), nil
}

// Encoder is a [latent.Encoder] that maps tensors.
type Encoder interface {
	Info() latent.Info
	// Encode maps a float32 tensor [B, …state] to one [B, …], which the caller owns.
	Encode(ctx context.Context, batch *tensor.Dense) (*tensor.Dense, error)
	Close() error
}

// Wrap makes an encoder of tensors one of package latent.
func Wrap(e Encoder) latent.Encoder { return wrapped{e} }

type wrapped struct{ Encoder }

func (w wrapped) Encode(ctx context.Context, batch latent.Array) (latent.Array, error) {
	t, err := w.Encoder.Encode(ctx, New(batch))
	if err != nil {
		return latent.Array{}, err
	}
	return Array(t)
}

// New returns the tensor of an array, over the same memory.
func New(a latent.Array) *tensor.Dense {
	return tensor.New(tensor.WithShape(a.Shape...), tensor.WithBacking(a.Values))
}

// Array returns the array of a contiguous float32 tensor, over the same memory. Other
// types, and views whose values do not lie one after the other, are errors.
func Array(t *tensor.Dense) (latent.Array, error) {
	if t == nil {
		return latent.Array{}, fmt.Errorf("there is no tensor")
	}
	values, ok := t.Data().([]float32)
	if !ok {
		return latent.Array{}, fmt.Errorf("the tensor is of type %v, want float32", t.Dtype())
	}
	if t.RequiresIterator() || len(values) != t.Shape().TotalSize() || !t.DataOrder().IsRowMajor() {
		return latent.Array{}, fmt.Errorf("the tensor %v is a view, want contiguous values, row-major", t.Shape())
	}
	return latent.Array{Shape: slices.Clone([]int(t.Shape())), Values: values}, nil
}
