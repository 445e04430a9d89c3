// Baselines that stand beside trained encoders: random weights and pixel PCA.

package latent

import (
	"context"
	"errors"
)

// RandomOptions describes a random-weights encoder.
type RandomOptions struct {
	Dim     int    // latent dimension; 0 means 64
	Seed    uint64 // equal seeds give equal weights on every machine
	Threads int
}

// RandomEncoder is an untrained ConvEncoder for states of the given shape
// ([H W], [C H W] or [C T H W]; square frames with a side that is a multiple
// of 16), initialised as PyTorch initialises it by default: weights and biases uniform in
// ±1/√fan_in, layer norms 1 and 0. It shows what the architecture alone
// preserves.
func RandomEncoder(state []int, o RandomOptions) (Encoder, error) {
	return nil, errors.New("latent: not written yet")
}

// PCAOptions describes a pixel-PCA encoder.
type PCAOptions struct {
	Dim int // latent dimension; 0 means 64
	Fit int // states the components are fitted on, evenly spaced; 0 or more than 2,000 means 2,000
}

// PCAEncoder projects centred states on their leading principal components,
// fitted on states of src by the eigendecomposition of their Gram matrix.
func PCAEncoder(ctx context.Context, src Source, o PCAOptions) (Encoder, error) {
	return nil, errors.New("latent: not written yet")
}
