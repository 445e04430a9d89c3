// Backends of models: the CPU or GPUs, and the common interface of their executors.

package model

import (
	"context"

	"repscope/internal/device"
	"repscope/model/cpu"
	"repscope/model/cuda"
	"repscope/model/graph"
	"repscope/model/pixels"
)

// Backend is the device that models run on; nil is the CPU. It must outlive them.
type Backend struct {
	*device.Device
	// Precision of matrix products on GPUs: "tf32" (the default), "fp32" or
	// "bf16"; sums are float32 with all of them. The processor computes in float32.
	Precision string
	// Note, if not nil, receives changes of the run that do not affect its results, such as batches halved to fit a GPU's
	// memory.
	Note func(string)
}

// Precisions lists the precisions of matrix products on GPUs, the default first.
func Precisions() []string { return cuda.Precisions() }

// gpu reports whether models run on GPUs.
func (b *Backend) gpu() bool { return b != nil && len(b.Contexts()) > 0 }

// Identity describes the settings of the backend that change the bits of outputs; empty for the processor.
func (b *Backend) Identity() string {
	if !b.gpu() {
		return ""
	}
	return "cuda " + b.Precision
}

// executor runs a prepared graph; model/cpu and model/cuda have one.
type executor interface {
	// Submit begins a run; the inputs may be changed when it returns, unless
	// Depth is 1. Up to Depth runs may be under way.
	Submit(ctx context.Context, inputs []*graph.Tensor) error
	// Collect waits for the oldest run. Its outputs are valid until the next call.
	Collect(ctx context.Context) ([]*graph.Tensor, error)
	Depth() int
	// Compile returns the outputs' types for inputs of these types.
	Compile(inputs []graph.Operand) ([]graph.Type, error)
	SetThreads(n int)
	SetProfile(on bool)
	Profile() []StepTime
	Close() error
}

// pixelExecutor is an executor that can make a graph's only input from stored states itself.
type pixelExecutor interface {
	executor
	// SubmitBytes begins a run with states of uint8, each an index into the levels.
	SubmitBytes(ctx context.Context, states []uint8, shape []int, levels pixels.Levels) error
	// SubmitNoisy begins a run with states that noise changes first.
	SubmitNoisy(ctx context.Context, batch pixels.Noisy, shape []int) error
	// Displacements are how far noise moved the states of the run collected last.
	Displacements() []float64
}

// portioner is an executor that knows how many rows of a batch it had better take at a time.
type portioner interface {
	Portion(inputs []*graph.Tensor, rows int) int
}

func newExecutor(g *graph.Graph, threads int, b *Backend) (executor, error) {
	if !b.gpu() {
		return &processor{Executor: cpu.New(g, threads)}, nil
	}
	precision, err := cuda.ParsePrecision(b.Precision)
	if err != nil {
		return nil, err
	}
	return cuda.NewGroup(g, b.Contexts(), cuda.Options{Precision: precision, Note: b.Note})
}

// processor runs a graph when the result is collected.
type processor struct {
	*cpu.Executor
	inputs []*graph.Tensor
}

func (p *processor) Depth() int { return 1 }

func (p *processor) Submit(_ context.Context, inputs []*graph.Tensor) error {
	p.inputs = inputs
	return nil
}

func (p *processor) Collect(ctx context.Context) ([]*graph.Tensor, error) {
	return p.Run(ctx, p.inputs)
}
