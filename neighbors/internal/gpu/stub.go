//go:build !cuda

// What a build without CUDA says of GPUs: there are none.

package gpu

import (
	"context"

	"repscope/internal/device"
	"repscope/neighbors/internal/rows"
	"repscope/points"
)

func Possible(*device.Device, int, int) bool { return false }

func Devices(*device.Device, int) int { return 0 }

func Run(context.Context, *device.Device, Task, int, int, []Counter, func(int)) error {
	return nil
}

func Method(points.Points) string { return "" }

func Search(context.Context, *device.Device, points.Points, points.Points, int, bool, *rows.Options) (*rows.Nearest, bool, error) {
	return nil, false, nil
}
