//go:build !cuda

// Builds without CUDA have no GPUs.

package gpu

import (
	"context"

	"repscope/internal/device"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// Possible reports that there is no GPU.
func Possible(*device.Device, int, int) bool { return false }

// Devices is 0.
func Devices(*device.Device, int) int { return 0 }

// Run has nothing to run on; see Possible.
func Run(context.Context, *device.Device, Task, int, int, []Counter, func(int)) error {
	return nil
}

// Method names nothing.
func Method(points.Points) string { return "" }

// Search reports that it is not possible.
func Search(context.Context, *device.Device, points.Points, points.Points, int, bool,
	*rows.Options) (*rows.Nearest, bool, error) {
	return nil, false, nil
}
