//go:build cuda

// Constants on the device, in the forms that kernels want.

package cuda

import "repscope/latent/graph"

// weightKey names a constant in one form; the empty form is the constant itself.
type weightKey struct {
	tensor *graph.Tensor
	form   string
}
