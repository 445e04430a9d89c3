// Encode: a source of states in, pooled latents out.

package latent

import (
	"context"
	"errors"

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

// EncodeOptions says how Encode runs. The zero value is valid.
type EncodeOptions struct {
	Batch int        // states per batch; 0 means 64
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
}

// Encode maps every state of src through enc, pools each output to a vector,
// and returns float32 latents [N, D]. NaN or Inf in an output is an error
// naming the encoder and the state; so is an output of more than one vector
// per state without a Pool.
func Encode(ctx context.Context, enc Encoder, src Source, o EncodeOptions) (*tensor.Dense, error) {
	return nil, errors.New("latent: not written yet")
}

// Open opens an encoder file by its content: ONNX, PyTorch (.pth, .pt, .bin)
// or safetensors.
func Open(path string, o OpenOptions) (Encoder, error) {
	return nil, errors.New("latent: not written yet")
}
