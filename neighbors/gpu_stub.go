//go:build !cuda

package neighbors

// This file holds what a build without CUDA says of GPUs.

import (
	"context"

	"repscope/points"
)

func (p *Pass) onGPU() bool { return false }

func (p *Pass) compareOnGPUs(context.Context) ([]*Partial, error) { return nil, nil }

func searchOnGPU(context.Context, points.Points, points.Points, int, bool, *Options, *Nearest) (bool, error) {
	return false, nil
}
