// Package cuda reaches NVIDIA GPUs through the driver. It needs the build tag cuda
// (make cuda); without the tag it has the same functions and reports no device.
//
//	devices, err := cuda.Devices()
//	if errors.Is(err, cuda.ErrNoDevice) {
//		// encode on the CPU; err says why
//	}
//
// docs/cuda.md says what exists and what has been run where.
package cuda

import (
	"errors"
	"fmt"
)

// ErrNoDevice is the cause of errors that say why there is no GPU to use.
var ErrNoDevice = errors.New("no CUDA device")

// Device describes one GPU.
type Device struct {
	Ordinal      int    // as in --device cuda:ORDINAL
	Name         string // e.g. "NVIDIA H200"
	Memory       int64  // bytes in all
	Major, Minor int    // compute capability
}

// String is the device for messages: its ordinal, name, memory and capability.
func (d Device) String() string {
	return fmt.Sprintf("cuda:%d %s (%.1f GB, compute capability %d.%d)", d.Ordinal, d.Name, float64(d.Memory)/1e9, d.Major, d.Minor)
}
