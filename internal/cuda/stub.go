//go:build !cuda

// The package in a build without the tag cuda.

package cuda

import "fmt"

// Devices lists the GPUs. Without one the error wraps ErrNoDevice and says why.
func Devices() ([]Device, error) {
	return nil, fmt.Errorf("%w: this binary was built without CUDA (make cuda)", ErrNoDevice)
}
