//go:build cuda

// The executor: batches under way on one GPU.

package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"

	device "repscope/internal/cuda"
	"repscope/model/graph"
	"repscope/model/pixels"
)

// depth is the number of batches under way: one is uploaded, one computed, one downloaded.
const depth = 3

// kept bounds the programs an executor remembers: a full and a last batch, and two more.
const kept = 4

// Executor runs one graph on one GPU. It is not safe for concurrent use.
type Executor struct {
	graph                           *graph.Graph
	device                          *device.Context
	options                         Options
	uploading, computing, returning *device.Stream
	weights                         weights
	programs                        []*program // most recently used first
	arena                           buffer
	slots                           [depth]slot
	batches                         []*batch // under way, oldest first
	parts                           []*part  // under way, oldest first
	limits                          []limit
	displaced                       []float64 // of the batch collected last
	lost                            error     // why nothing works any more
	profiling                       bool
	profiles                        []*profile // of the programs that ran since
}

// batch is the state of a batch between Submit and Collect.
type batch struct {
	outputs   []*graph.Tensor // in memory of their own, if the batch is in several parts
	displaced []float64       // how far noise moved each state
	err       error
}

// part is a run of a program: a whole batch, or some rows of one.
type part struct {
	batch   *batch
	program *program
	slot    *slot
	lo, n   int // rows; n 0: the whole batch
	rows    int // of the whole batch
}

// limit is the most rows that fit for states of one shape.
type limit struct {
	shapes shapes // of one row
	rows   int
	first  int   // rows of the batch that did not fit
	why    error // it did not
	told   bool
}

// New returns an executor for a graph prepared with fuse.Rules(cpu.Evaluate). The context is
// the caller's and must stay open until the executor is closed.
func New(g *graph.Graph, c *device.Context, o Options) (*Executor, error) {
	x := &Executor{graph: g, device: c, options: o, weights: weights{}}
	err := c.Do(x.open)
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func (x *Executor) open() error {
	for _, s := range []**device.Stream{&x.uploading, &x.computing, &x.returning} {
		var err error
		if *s, err = x.device.NewStream(); err != nil {
			return err
		}
	}
	for i := range x.slots {
		x.slots[i].index = i
		if err := x.slots[i].open(x.device); err != nil {
			return err
		}
	}
	return nil
}

// Close frees all that the executor has on the device, and pinned memory. Batches
// under way are lost.
func (x *Executor) Close() error {
	if x.device == nil {
		return nil
	}
	err := x.device.Do(x.close)
	x.device = nil
	if x.lost != nil {
		return nil // there is nothing left to free
	}
	return err
}

func (x *Executor) close() error {
	var all error
	for _, s := range []*device.Stream{x.uploading, x.computing, x.returning} {
		if s != nil {
			all = errors.Join(all, s.Synchronize())
		}
	}
	for _, p := range x.programs {
		all = errors.Join(all, p.close(x.device))
	}
	all = errors.Join(all, x.weights.trim(x.device, nil), x.arena.free(x.device))
	for i := range x.slots {
		all = errors.Join(all, x.slots[i].close(x.device))
	}
	for _, s := range []*device.Stream{x.uploading, x.computing, x.returning} {
		if s != nil {
			all = errors.Join(all, s.Close())
		}
	}
	return all
}

// Depth is the number of batches that may be under way.
func (x *Executor) Depth() int { return depth }

// SetThreads is for processors.
func (x *Executor) SetThreads(int) {}

// Run computes the outputs of one batch while none is under way; see Collect.
func (x *Executor) Run(ctx context.Context, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	if err := x.Submit(ctx, inputs); err != nil {
		return nil, err
	}
	return x.Collect(ctx)
}

// Submit begins a batch. The inputs may be changed when it returns. Up to Depth
// batches may be under way. A batch that does not fit into the device's free memory is
// computed in halves, along the first axis, which all inputs and outputs then must share.
func (x *Executor) Submit(ctx context.Context, inputs []*graph.Tensor) error {
	r := request{rows: -1}
	for _, t := range inputs {
		r.types = append(r.types, graph.Type{DType: t.DType, Shape: slices.Clone(t.Shape)})
		r.memory = append(r.memory, raw(t))
		rows := 0
		if len(t.Shape) > 0 {
			rows = t.Shape[0]
		}
		if r.rows < 0 {
			r.rows = rows
		}
		if rows != r.rows {
			r.rows = 0
		}
	}
	return x.submit(ctx, &r)
}

// SubmitBytes starts a batch whose only input, of this shape, comes as bytes; levels maps each byte to a float32.
// Otherwise it is the same as Submit.
func (x *Executor) SubmitBytes(ctx context.Context, frames []uint8, shape []int, levels pixels.Levels) error {
	if err := x.fits(len(frames), shape); err != nil {
		return err
	}
	if err := levels.Check(graph.Count(shape[1:])); err != nil {
		return err
	}
	return x.submit(ctx, &request{
		types: []graph.Type{{DType: graph.Float32, Shape: slices.Clone(shape)}}, rows: shape[0],
		form: levelBytes, channels: len(levels.Values) / 256, plane: levels.Plane,
		common: bytesOf(levels.Values), memory: [][]byte{frames}})
}

// SubmitNoisy starts a batch whose only input, of this shape, is computed from states on the device: noise is added,
// then they are scaled. Otherwise it is the same as Submit.
func (x *Executor) SubmitNoisy(ctx context.Context, batch pixels.Noisy, shape []int) error {
	f, states, n := noisyFloats, bytesOf(batch.Floats), len(batch.Floats)
	if batch.Bytes != nil {
		f, states, n = noisyBytes, batch.Bytes, len(batch.Bytes)
	}
	if err := x.fits(n, shape); err != nil {
		return err
	}
	if len(batch.Keys) != shape[0] {
		return fmt.Errorf("%d keys for %d states", len(batch.Keys), shape[0])
	}
	how, err := newChange(batch.Noise)
	if err != nil {
		return err
	}
	scaling, err := scalingParameters(batch.Scaling, graph.Count(shape[1:]))
	if err != nil {
		return err
	}
	return x.submit(ctx, &request{
		types: []graph.Type{{DType: graph.Float32, Shape: slices.Clone(shape)}}, rows: shape[0],
		form: f, channels: len(batch.Scaling.Mean), plane: batch.Scaling.Plane,
		common: slices.Concat(bytesOf([]change{how}), bytesOf(scaling)), memory: [][]byte{bytesOf(batch.Keys), states}})
}

// fits checks states of n elements that are to become the graph's only input.
func (x *Executor) fits(n int, shape []int) error {
	if len(x.graph.Inputs) != 1 || x.graph.Inputs[0].DType != graph.Float32 || len(shape) == 0 || graph.Count(shape) != n {
		return fmt.Errorf("%d elements of shape %v for a graph of %d inputs, want one of type float32", n, shape, len(x.graph.Inputs))
	}
	return nil
}

// request is the inputs of a batch.
type request struct {
	types           []graph.Type
	form            form
	channels, plane int
	common          []byte   // shared by the whole batch: levels, or noise and scaling
	memory          [][]byte // of each row
	rows            int      // of all inputs; 0: the batch cannot be split
}

// part is the shapes of some rows; 0 rows are the whole batch.
func (r *request) part(rows int) shapes {
	s := shapes{inputs: slices.Clone(r.types), form: r.form, channels: r.channels, plane: r.plane}
	if rows > 0 {
		for i := range s.inputs {
			s.inputs[i].Shape = slices.Clone(s.inputs[i].Shape)
			s.inputs[i].Shape[0] = rows
		}
	}
	return s
}

func (x *Executor) submit(ctx context.Context, r *request) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	if len(x.batches) == depth {
		return fmt.Errorf("%d batches are under way already", depth)
	}
	b := &batch{}
	if r.form.noisy() {
		b.displaced = make([]float64, r.rows)
	}
	err := x.do(func() error {
		err := x.begin(b, r, 0, r.rows)
		if err != nil {
			x.abandon(b)
		}
		return err
	})
	if err == nil {
		x.batches = append(x.batches, b)
		x.note(r)
	}
	return err
}

// ready is the error for which nothing can be begun.
func (x *Executor) ready(ctx context.Context) error {
	if x.device == nil {
		return errors.New("the executor is closed")
	}
	if x.lost != nil {
		return x.lost
	}
	return ctx.Err()
}

// do runs work on the device's goroutine and remembers when the device is lost.
func (x *Executor) do(work func() error) error {
	err := x.device.Do(work)
	if errors.Is(err, device.ErrDeviceLost) {
		x.lost = err
	}
	return err
}

// begin enqueues rows lo to hi of a batch, in parts if they do not fit at once.
func (x *Executor) begin(b *batch, r *request, lo, hi int) error {
	rows := hi - lo
	if l := x.limit(r); l != nil && rows > l.rows {
		for step := l.rows; lo < hi; lo += step { // the limit may sink on the way
			if err := x.begin(b, r, lo, min(lo+step, hi)); err != nil {
				return err
			}
		}
		return nil
	}
	whole := rows == r.rows
	n := rows
	if whole {
		n = 0
	} else if b.outputs == nil {
		if err := x.join(b, r); err != nil {
			return err
		}
	}
	err := x.beginPart(b, r, lo, n)
	if rows > 1 && errors.Is(err, device.ErrOutOfMemory) && !errors.Is(err, errWeights) {
		x.halve(r, rows, err)
		return x.begin(b, r, lo, hi)
	}
	return err
}

// limit finds the most rows that fit for states of this shape, nil if all did so far.
func (x *Executor) limit(r *request) *limit {
	one := r.part(min(r.rows, 1))
	for i := range x.limits {
		if x.limits[i].shapes.equal(one) {
			return &x.limits[i]
		}
	}
	return nil
}

// halve makes later parts of this shape of state at most half as many rows.
func (x *Executor) halve(r *request, rows int, why error) {
	l := x.limit(r)
	if l == nil {
		x.limits = append(x.limits, limit{shapes: r.part(1)})
		l = &x.limits[len(x.limits)-1]
		l.first = rows
	}
	l.rows = (rows + 1) / 2
	l.why = why
}

// note reports once that batches are computed in parts.
func (x *Executor) note(r *request) {
	l := x.limit(r)
	if l == nil || l.told || x.options.Note == nil {
		return
	}
	l.told = true
	x.options.Note(fmt.Sprintf("%v: a batch of %d does not fit into free memory (%v); it is computed in parts of at most %d",
		x.device.Device, l.first, l.why, l.rows))
}

// join makes the memory in which the outputs of a batch's parts come together.
func (x *Executor) join(b *batch, r *request) error {
	var operands []graph.Operand
	for _, t := range r.types {
		operands = append(operands, graph.Operand{Type: t})
	}
	types, err := x.Compile(operands)
	if err != nil {
		return err
	}
	for i, t := range types {
		if len(t.Shape) == 0 || t.Shape[0]%r.rows != 0 {
			return fmt.Errorf("a batch of %d cannot be computed in parts: output %d has shape %v", r.rows, i, t.Shape)
		}
		out, err := graph.NewTensor(t.DType, t.Shape...)
		if err != nil {
			return err
		}
		b.outputs = append(b.outputs, out)
	}
	return nil
}

// beginPart enqueues n rows from row lo, or all if n is 0.
func (x *Executor) beginPart(b *batch, r *request, lo, n int) error {
	p, err := x.bind(r.part(n))
	if err != nil {
		return err
	}
	s, err := x.takeSlot()
	if err != nil {
		return err
	}
	if err := x.room(p, s); err != nil {
		return err
	}
	alone := len(x.parts) == 0
	part := &part{batch: b, program: p, slot: s, lo: lo, n: n, rows: r.rows}
	x.fill(r, part)
	if err := x.start(part, alone); err != nil {
		// Enqueued work may still use the slot.
		return errors.Join(err, x.settle())
	}
	s.busy = true
	x.parts = append(x.parts, part)
	return nil
}

// fill copies the part's inputs into pinned memory.
func (x *Executor) fill(r *request, p *part) {
	host := p.slot.hostIn
	copy(host, r.common)
	for i, memory := range r.memory {
		if p.n > 0 {
			row := len(memory) / r.rows
			memory = memory[p.lo*row : (p.lo+p.n)*row]
		}
		copyBytes(host[p.program.inAt[i]:], memory)
	}
}

// start enqueues a part. If other parts are running, copies have streams of their own, so that they overlap with
// computing; alone, one stream has less to wait for.
func (x *Executor) start(p *part, alone bool) error {
	s := p.slot
	up, down := x.uploading, x.returning
	if alone {
		up, down = x.computing, x.computing
	}
	if p.program.in > 0 {
		if err := up.Upload(s.in.at, s.hostIn[:p.program.in]); err != nil {
			return err
		}
	}
	if err := follow(up, x.computing, s.uploaded); err != nil {
		return err
	}
	if err := x.compute(p.program, s); err != nil {
		return err
	}
	if err := follow(x.computing, down, s.computed); err != nil {
		return err
	}
	if p.program.out > 0 {
		if err := down.Download(s.hostOut[:p.program.out], s.out.at); err != nil {
			return err
		}
	}
	return down.Record(s.landed)
}

// follow makes later work on one stream wait for the work enqueued on another.
func follow(first, second *device.Stream, e *device.Event) error {
	if first == second {
		return nil
	}
	if err := first.Record(e); err != nil {
		return err
	}
	return second.Wait(e)
}

// settle waits for everything that is enqueued.
func (x *Executor) settle() error {
	return errors.Join(x.uploading.Synchronize(), x.computing.Synchronize(), x.returning.Synchronize())
}

// bind finds or makes the program for shapes.
func (x *Executor) bind(s shapes) (*program, error) {
	for i, p := range x.programs {
		if p.shapes.equal(s) {
			copy(x.programs[1:i+1], x.programs[:i])
			x.programs[0] = p
			return p, nil
		}
	}
	p, err := compile(x.graph, s, x.options.Precision)
	if err != nil {
		return nil, err
	}
	if len(x.programs) == kept {
		if err := x.drop(x.programs[kept-1]); err != nil {
			return nil, err
		}
	}
	x.programs = slices.Insert(x.programs, 0, p)
	if err := x.load(p); err != nil {
		return nil, errors.Join(err, x.drop(p))
	}
	return p, nil
}

// load puts a program's constants on the device.
func (x *Executor) load(p *program) error {
	if err := x.weights.keep(x.device, &p.recording); err != nil {
		return err
	}
	if len(p.tables) == 0 {
		return nil
	}
	address, err := x.device.Alloc(len(p.tables))
	if err != nil {
		return err
	}
	p.tablesAt = address
	return device.Upload(x.device, address, p.tables)
}

// drop forgets a program and the constants that no other needs.
func (x *Executor) drop(p *program) error {
	x.programs = slices.DeleteFunc(x.programs, func(other *program) bool { return other == p })
	return errors.Join(x.settle(), p.close(x.device), x.weights.trim(x.device, x.programs))
}

// takeSlot finds a slot that no batch uses.
func (x *Executor) takeSlot() (*slot, error) {
	for i := range x.slots {
		if !x.slots[i].busy {
			return &x.slots[i], nil
		}
	}
	// Fewer batches than slots are pending before this one, so one of them has several parts, which need their slot only
	// until they are done.
	for _, p := range x.parts {
		if p.n > 0 {
			return p.slot, x.finish(p)
		}
	}
	return nil, errors.New("internal error: every slot has a batch")
}

// memoryShare is the inverse of the share of the device's memory that is left free.
const memoryShare = 64

// room makes the arena and a slot large enough for a program. If the free memory is too small for every slot, the error
// wraps ErrOutOfMemory.
func (x *Executor) room(p *program, s *slot) error {
	if p.arena <= x.arena.bytes && p.in <= min(s.in.bytes, len(s.hostIn)) && p.out <= min(s.out.bytes, len(s.hostOut)) {
		return nil
	}
	need := max(0, p.arena-x.arena.bytes)
	for i := range x.slots {
		need += max(0, p.in-x.slots[i].in.bytes) + max(0, p.out-x.slots[i].out.bytes)
	}
	free, total, err := x.device.Memory()
	if err != nil {
		return err
	}
	if int64(need) > free-total/memoryShare {
		return fmt.Errorf("%w: %.1f MB more are needed, %.1f MB are free", device.ErrOutOfMemory, float64(need)/1e6, float64(free)/1e6)
	}
	if p.arena > x.arena.bytes {
		if err := x.computing.Synchronize(); err != nil {
			return err
		}
		if err := x.arena.grow(x.device, p.arena); err != nil {
			return err
		}
	}
	return s.grow(x.device, p.in, p.out)
}

// Collect waits for the oldest batch. Its outputs are valid until the next call of
// any method. A batch that fails is under way no longer.
func (x *Executor) Collect(ctx context.Context) ([]*graph.Tensor, error) {
	if len(x.batches) == 0 {
		return nil, errors.New("no batch is under way")
	}
	b := x.batches[0]
	x.batches = slices.Delete(x.batches, 0, 1)
	if x.device == nil || x.lost != nil {
		return nil, x.ready(ctx)
	}
	err := x.do(func() error {
		for _, p := range x.of(b) {
			if err := x.finish(p); err != nil {
				return err
			}
		}
		return b.err
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	x.displaced = b.displaced
	return b.outputs, nil
}

// Displacements are ‖x' − x‖₂ of the states x of the batch collected last, if
// noise made x' of them: the squares in float64, added in the order of the elements.
func (x *Executor) Displacements() []float64 { return x.displaced }

// of lists the parts of a batch that are under way.
func (x *Executor) of(b *batch) []*part {
	var parts []*part
	for _, p := range x.parts {
		if p.batch == b {
			parts = append(parts, p)
		}
	}
	return parts
}

// finish waits for a part and frees its slot; errors of its data are the batch's error.
func (x *Executor) finish(p *part) error {
	x.parts = slices.DeleteFunc(x.parts, func(other *part) bool { return other == p })
	p.slot.busy = false
	if err := p.slot.landed.Synchronize(); err != nil {
		return err
	}
	if err := x.read(p.program, &p.slot.clock); err != nil {
		return err
	}
	if err := p.program.faulty(valuesOf[int64](p.slot.hostOut, len(p.program.faults))); err != nil {
		if p.batch.err == nil {
			p.batch.err = err
		}
		return nil
	}
	if moved := p.program.displacements(p.slot); moved != nil {
		copy(p.batch.displaced[p.lo:], moved)
	}
	outputs := p.program.outputs(p.slot)
	if p.n == 0 {
		p.batch.outputs = outputs
		return nil
	}
	for i, t := range outputs {
		to := raw(p.batch.outputs[i])
		row := len(to) / p.rows
		copyBytes(to[p.lo*row:(p.lo+p.n)*row], raw(t))
	}
	return nil
}

// abandon drops the pending parts of a failed batch.
func (x *Executor) abandon(b *batch) {
	_ = x.settle() // the first error suffices
	for _, p := range x.of(b) {
		p.slot.busy = false
	}
	x.parts = slices.DeleteFunc(x.parts, func(p *part) bool { return p.batch == b })
}

// Compile binds the graph to inputs of these types without running it and returns the outputs' types; it serves to
// check a model when it is opened.
func (x *Executor) Compile(inputs []graph.Operand) ([]graph.Type, error) {
	return x.graph.OutputTypes(inputs)
}
