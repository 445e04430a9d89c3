// Running graphs: what executors have in common, and batches under way.

package latent

import (
	"context"

	"repscope/internal/device"
	"repscope/model/cpu"
	"repscope/model/cuda"
	"repscope/model/graph"
	"repscope/model/pixels"
)

// Device is what encoders run on; nil is the processor.
type Device struct {
	*device.Device
	// Precision of matrix products on GPUs: "tf32" (the default), "fp32" or
	// "bf16"; sums are float32 with all of them. The processor computes in float32.
	Precision string
	// Note, if not nil, is told what changes the run but not its results, such
	// as batches halved to fit a GPU's memory.
	Note func(string)
}

// Precisions lists the precisions of matrix products on GPUs.
func Precisions() []string { return cuda.Precisions() }

// identity is what of the device changes the bits of latents; empty for the processor.
func (d *Device) identity() string {
	if d == nil || len(d.Contexts()) == 0 {
		return ""
	}
	return "cuda " + d.Precision
}

// executor runs a prepared graph; model/cpu and model/cuda have one.
type executor interface {
	// Submit begins a run; the inputs may be changed when it returns, unless
	// Depth is 1. Up to Depth runs may be under way.
	Submit(ctx context.Context, inputs []*graph.Tensor) error
	// Collect waits for the oldest run. Its outputs are valid until the next call.
	Collect(ctx context.Context) ([]*graph.Tensor, error)
	Depth() int
	// Compile is the outputs' types for inputs of the given types.
	Compile(inputs []graph.Operand) ([]graph.Type, error)
	SetThreads(n int)
	Close() error
}

// rawExecutor is an executor that can prepare states itself.
type rawExecutor interface {
	executor
	// SubmitBytes begins a run with states of uint8, each of which stands for one of the levels.
	SubmitBytes(ctx context.Context, states []uint8, shape []int, levels pixels.Levels) error
	// SubmitNoisy begins a run with states that noise changes first.
	SubmitNoisy(ctx context.Context, batch pixels.Noisy, shape []int) error
	// Displacements are how far noise moved the states of the run collected last.
	Displacements() []float64
}

func newExecutor(g *graph.Graph, threads int, d *Device) (executor, error) {
	if d == nil || len(d.Contexts()) == 0 {
		return &processor{Executor: cpu.New(g, threads)}, nil
	}
	precision, err := cuda.ParsePrecision(d.Precision)
	if err != nil {
		return nil, err
	}
	return cuda.NewGroup(g, d.Contexts(), cuda.Options{Precision: precision, Note: d.Note})
}

// processor runs a graph when the result is asked for.
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

// submitted is a batch under way. Where the file fixes another batch size, it
// keeps the states, which go through the executor in pieces when they are collected.
type submitted struct {
	n      int
	pieces []float32
}

// run encodes n states and returns all outputs; the memory is the executor's.
func (e *modelEncoder) run(ctx context.Context, batch []float32, n int, state []int) ([]result, error) {
	if err := e.submit(ctx, batch, n, state); err != nil {
		return nil, err
	}
	return e.collect(ctx)
}

// depth is the number of batches that may be under way.
func (e *modelEncoder) depth() int { return e.exec.Depth() }

// submit begins to encode n states, which must stay as they are until they are collected.
func (e *modelEncoder) submit(ctx context.Context, batch []float32, n int, state []int) error {
	if err := e.bind(state); err != nil {
		return err
	}
	if e.rows != 0 && e.rows != n {
		e.queue = append(e.queue, submitted{n, batch})
		return nil
	}
	if err := e.begin(ctx, batch, n); err != nil {
		return err
	}
	e.queue = append(e.queue, submitted{n: n})
	return nil
}

// raw is the executor if it can prepare batches of n states itself, else nil.
func (e *modelEncoder) raw(n int) rawExecutor {
	x, ok := e.exec.(rawExecutor)
	if !ok || e.input.DType != graph.Float32 || e.rows != 0 && e.rows != n {
		return nil
	}
	return x
}

// submitRaw lets submit give n states to the executor that prepares them; see raw.
func (e *modelEncoder) submitRaw(n int, state []int, submit func(x rawExecutor, shape []int) error) error {
	if err := e.bind(state); err != nil {
		return err
	}
	e.shape[0] = n
	if err := submit(e.raw(n), e.shape); err != nil {
		return err
	}
	e.queue = append(e.queue, submitted{n: n})
	return nil
}

// collect returns all outputs of the oldest batch under way; the memory is the executor's.
func (e *modelEncoder) collect(ctx context.Context) ([]result, error) {
	s := e.queue[0]
	e.queue = append(e.queue[:0], e.queue[1:]...)
	if s.pieces == nil {
		return e.finish(ctx, s.n)
	}
	return e.inPieces(ctx, s.pieces, s.n)
}

// drain ends what is under way after an error.
func (e *modelEncoder) drain() {
	for _, s := range e.queue {
		if s.pieces == nil {
			_, _ = e.exec.Collect(context.Background()) // only its end matters
		}
	}
	e.queue = e.queue[:0]
}

// inPieces encodes n states in batches of the size that the file fixes, the last one padded.
func (e *modelEncoder) inPieces(ctx context.Context, batch []float32, n int) ([]result, error) {
	width := len(batch) / n
	for k := range e.all {
		e.all[k].values = e.all[k].values[:0]
	}
	for lo := 0; lo < n; lo += e.rows {
		hi := min(lo+e.rows, n)
		piece := batch[lo*width : hi*width]
		if hi-lo < e.rows {
			e.padded = append(e.padded[:0], piece...)
			for range e.rows - (hi - lo) {
				e.padded = append(e.padded, piece[len(piece)-width:]...)
			}
			piece = e.padded
		}
		if err := e.begin(ctx, piece, e.rows); err != nil {
			return nil, err
		}
		out, err := e.finish(ctx, e.rows)
		if err != nil {
			return nil, err
		}
		if e.all == nil {
			e.all = make([]result, len(out))
		}
		for k, r := range out {
			a := &e.all[k]
			a.values = append(a.values, r.values[:len(r.values)/e.rows*(hi-lo)]...)
			a.shape = append(a.shape[:0], r.shape...)
			a.shape[0] = n
		}
	}
	return e.all, nil
}

// begin submits n states in the shape of the graph's input.
func (e *modelEncoder) begin(ctx context.Context, batch []float32, n int) error {
	e.shape[0] = n
	e.values.Shape = e.shape
	if e.values.DType == graph.Float32 {
		e.values.F32 = batch
	} else {
		e.values.I64 = e.values.I64[:0]
		for _, v := range batch {
			e.values.I64 = append(e.values.I64, int64(v))
		}
	}
	return e.exec.Submit(ctx, e.inputs)
}

// finish collects the outputs of a run of n states.
func (e *modelEncoder) finish(ctx context.Context, n int) ([]result, error) {
	out, err := e.exec.Collect(ctx)
	if err != nil {
		return nil, err
	}
	if e.out == nil {
		e.out = make([]result, len(out))
	}
	for k, t := range out {
		if err := e.checkOutput(k, graph.Type{DType: t.DType, Shape: t.Shape}, n); err != nil {
			return nil, err
		}
		r := &e.out[k]
		r.values = t.F32
		r.shape = append(r.shape[:0], n)
		if t.Shape[0] != n {
			r.shape = append(r.shape, t.Shape[0]/n)
		}
		r.shape = append(r.shape, t.Shape[1:]...)
	}
	return e.out, nil
}
