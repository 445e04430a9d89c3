//go:build !cuda

// The package in a build without the tag cuda.

package cuda

import (
	"context"
	"fmt"

	device "repscope/internal/cuda"
	"repscope/model/graph"
	"repscope/model/operator"
	"repscope/model/pixels"
)

// Executor runs one graph on one GPU; in this build there is none.
type Executor struct{ none }

// Group runs one graph on several GPUs; in this build there is none.
type Group struct{ none }

// New returns an error that wraps cuda.ErrNoDevice.
func New(*graph.Graph, *device.Context, Options) (*Executor, error) { return nil, errNone }

// NewGroup returns an error that wraps cuda.ErrNoDevice.
func NewGroup(*graph.Graph, []*device.Context, Options) (*Group, error) { return nil, errNone }

var errNone = fmt.Errorf("%w: this binary was built without CUDA (make cuda)", device.ErrNoDevice)

// none has the executors' methods.
type none struct{}

func (none) Submit(context.Context, []*graph.Tensor) error                    { return errNone }
func (none) SubmitBytes(context.Context, []uint8, []int, pixels.Levels) error { return errNone }
func (none) SubmitNoisy(context.Context, pixels.Noisy, []int) error           { return errNone }
func (none) Displacements() []float64                                         { return nil }
func (none) Collect(context.Context) ([]*graph.Tensor, error)                 { return nil, errNone }
func (none) Run(context.Context, []*graph.Tensor) ([]*graph.Tensor, error)    { return nil, errNone }
func (none) Compile([]graph.Operand) ([]graph.Type, error)                    { return nil, errNone }
func (none) Depth() int                                                       { return 1 }
func (none) SetThreads(int)                                                   {}
func (none) Describe() string                                                 { return "" }
func (none) SetProfile(bool)                                                  {}
func (none) Profile() []operator.StepTime                                     { return nil }
func (none) Close() error                                                     { return nil }
