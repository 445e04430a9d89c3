//go:build !cuda

// The package in a build without the tag cuda.

package cuda

import "fmt"

// Built reports whether this binary was built with CUDA.
const Built = false

// Context is a device in use; in this build there is none.
type Context struct{}

// Close gives the device back.
func (*Context) Close() error { return nil }

// Devices lists the GPUs. Without one the error wraps ErrNoDevice and gives the reason.
func Devices() ([]Device, error) {
	return nil, fmt.Errorf("%w: this binary was built without CUDA (make cuda)", ErrNoDevice)
}

// Open takes a device into use.
func Open(Device) (*Context, error) {
	_, err := Devices()
	return nil, err
}
