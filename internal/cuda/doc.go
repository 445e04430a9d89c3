// Package cuda uses NVIDIA GPUs through the driver. It needs the build tag cuda (make cuda); without the tag it has the
// same functions and reports no device.
//
//	devices, err := cuda.Devices()
//	if errors.Is(err, cuda.ErrNoDevice) {
//		// encode on the CPU; err gives the reason
//	}
//
//	c, err := cuda.Open(devices[0])
//	err = c.Do(func() error {
//		x, err := c.Alloc(4 * n)
//		…
//		s, err := c.NewStream()
//		…
//		err = s.Launch("selftest_scale", [3]int{(n + 255) / 256, 1, 1}, [3]int{256, 1, 1}, 0, uint64(x), …)
//		…
//		return s.Synchronize()
//	})
//
// docs/develop/kernels-and-ptx.md lists the parts, and which checks have run on which GPU.
package cuda

import (
	"errors"
	"fmt"
)

// Causes of errors, for errors.Is.
var (
	ErrNoDevice    = errors.New("no CUDA device")          // the error gives the reason why there is no usable GPU
	ErrOutOfMemory = errors.New("out of device memory")    // less would work
	ErrDeviceLost  = errors.New("the CUDA device is lost") // nothing works any more in this context
)

// Device describes one GPU.
type Device struct {
	Ordinal      int    // as in --device cuda:ORDINAL
	Name         string // e.g. "NVIDIA H200"
	Memory       int64  // bytes in all
	Major, Minor int    // compute capability
	Processors   int    // multiprocessors
	Shared       int    // bytes of shared memory that a block may have at most
}

// String is the device for messages: its ordinal, name, memory and capability.
func (d Device) String() string {
	return fmt.Sprintf("cuda:%d %s (%.1f GB, compute capability %d.%d)",
		d.Ordinal, d.Name, float64(d.Memory)/1e9, d.Major, d.Minor)
}
