//go:build cuda

// Which GPUs there are.

package cuda

import (
	"fmt"

	"gorgonia.org/cu"
)

// Built reports whether this binary was built with CUDA.
const Built = true

// minimumMajor is the compute capability that the embedded PTX is made for.
const minimumMajor = 8

// Devices lists the GPUs that the kernels run on. Without one the error wraps ErrNoDevice and gives the reason, with
// the driver's text.
func Devices() ([]Device, error) {
	if why := noDriver(); why != "" {
		return nil, fmt.Errorf("%w: %s", ErrNoDevice, why)
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, fmt.Errorf("%w: the driver cannot count its devices: %w", ErrNoDevice, explain(err))
	}
	var devices []Device
	var old error
	for i := range n {
		d, err := describe(i)
		if err != nil {
			return nil, fmt.Errorf("device cuda:%d: %w", i, explain(err))
		}
		if d.Major < minimumMajor {
			old = fmt.Errorf("%w: %v is too old; want compute capability %d.0", ErrNoDevice, d, minimumMajor)
			continue
		}
		devices = append(devices, d)
	}
	switch {
	case len(devices) > 0:
		return devices, nil
	case old != nil:
		return nil, old
	}
	return nil, fmt.Errorf("%w: the driver finds no device", ErrNoDevice)
}

// DriverVersion is the newest version of CUDA that the driver knows, such as "12.8".
func DriverVersion() string {
	v := cu.Version()
	if v < 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}

func describe(ordinal int) (Device, error) {
	d := Device{Ordinal: ordinal}
	handle, err := cu.GetDevice(ordinal)
	if err != nil {
		return d, err
	}
	if d.Name, err = handle.Name(); err != nil {
		return d, err
	}
	if d.Memory, err = handle.TotalMem(); err != nil {
		return d, err
	}
	if d.Major, err = handle.Attribute(cu.ComputeCapabilityMajor); err != nil {
		return d, err
	}
	if d.Minor, err = handle.Attribute(cu.ComputeCapabilityMinor); err != nil {
		return d, err
	}
	if d.Processors, err = handle.Attribute(cu.MultiprocessorCount); err != nil {
		return d, err
	}
	d.Shared, err = handle.Attribute(sharedOptIn)
	return d, err
}
