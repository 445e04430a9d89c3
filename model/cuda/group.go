//go:build cuda

// Several GPUs: batches go round.

package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	device "repscope/internal/cuda"
	"repscope/model/graph"
	"repscope/model/pixels"
)

// Group runs one graph on several GPUs: batch by batch, each on the next GPU. A
// batch has the same bits on all of them. It is not safe for concurrent use.
type Group struct {
	executors []*Executor
	next      int   // the executor of the next batch
	order     []int // executors of the batches under way, oldest first
	collected int   // the executor of the batch collected last
}

// NewGroup returns an executor on every context; see New.
func NewGroup(g *graph.Graph, contexts []*device.Context, o Options) (*Group, error) {
	if len(contexts) == 0 {
		return nil, errors.New("no device")
	}
	all := &Group{}
	for _, c := range contexts {
		x, err := New(g, c, o)
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all.executors = append(all.executors, x)
	}
	return all, nil
}

// Depth is the number of batches that may be under way.
func (g *Group) Depth() int { return depth * len(g.executors) }

// Submit begins a batch on the next GPU; see Executor.Submit.
func (g *Group) Submit(ctx context.Context, inputs []*graph.Tensor) error {
	return g.begin(func(x *Executor) error { return x.Submit(ctx, inputs) })
}

// SubmitBytes begins a batch of bytes on the next GPU; see Executor.SubmitBytes.
func (g *Group) SubmitBytes(ctx context.Context, frames []uint8, shape []int, levels pixels.Levels) error {
	return g.begin(func(x *Executor) error { return x.SubmitBytes(ctx, frames, shape, levels) })
}

// SubmitNoisy begins a batch of states that noise changes on the next GPU; see Executor.SubmitNoisy.
func (g *Group) SubmitNoisy(ctx context.Context, batch pixels.Noisy, shape []int) error {
	return g.begin(func(x *Executor) error { return x.SubmitNoisy(ctx, batch, shape) })
}

func (g *Group) begin(submit func(*Executor) error) error {
	if err := submit(g.executors[g.next]); err != nil {
		return err
	}
	g.order = append(g.order, g.next)
	g.next = (g.next + 1) % len(g.executors)
	return nil
}

// Collect waits for the oldest batch; see Executor.Collect.
func (g *Group) Collect(ctx context.Context) ([]*graph.Tensor, error) {
	if len(g.order) == 0 {
		return nil, errors.New("no batch is under way")
	}
	g.collected = g.order[0]
	g.order = slices.Delete(g.order, 0, 1)
	return g.executors[g.collected].Collect(ctx)
}

// Displacements returns the displacements of the last collected batch; see Executor.Displacements.
func (g *Group) Displacements() []float64 { return g.executors[g.collected].Displacements() }

// Run computes the outputs of one batch while none is under way.
func (g *Group) Run(ctx context.Context, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	if err := g.Submit(ctx, inputs); err != nil {
		return nil, err
	}
	return g.Collect(ctx)
}

// Compile is Executor.Compile.
func (g *Group) Compile(inputs []graph.Operand) ([]graph.Type, error) {
	return g.executors[0].Compile(inputs)
}

// SetThreads is for processors.
func (g *Group) SetThreads(int) {}

// Describe names the GPUs, the driver's version and the precision, for the result file.
func (g *Group) Describe() string {
	var names []string
	for _, x := range g.executors {
		names = append(names, fmt.Sprintf("cuda:%d %s", x.device.Device.Ordinal, x.device.Device.Name))
	}
	return fmt.Sprintf("%s, driver of CUDA %s, %v", strings.Join(names, ", "), device.DriverVersion(), g.executors[0].options.Precision)
}

// Close ends all executors.
func (g *Group) Close() error {
	var all error
	for _, x := range g.executors {
		all = errors.Join(all, x.Close())
	}
	return all
}
