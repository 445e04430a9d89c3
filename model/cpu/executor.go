// Package cpu executes a graph on the processor's cores.
//
//	x := cpu.New(g, 0)                     // g prepared with fuse.Rules(cpu.Evaluate)
//	defer x.Close()
//	out, err := x.Run(ctx, []*graph.Tensor{graph.Floats(frames, 64, 1, 64, 64)})
//
// A run binds the graph to the inputs' shapes (once per shape), lays out all
// intermediate values in one arena that is kept, and then allocates nothing.
// Every output element is computed in an order that depends on neither the
// number of threads nor the batch it is part of.
package cpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"repscope/internal/kernel"
	hardware "repscope/internal/memory"
	"repscope/model/graph"
	"repscope/model/operator"
)

// Executor runs one graph. It is not safe for concurrent use.
type Executor struct {
	graph   *graph.Graph
	pool    *pool
	weights *weights
	bound   []*program // most recently used first
	arena   arena

	portions []portion

	profiling bool
	profiles  []*profile // of the programs that ran since
}

// New returns an executor for a prepared graph on this number of threads (0: GOMAXPROCS).
func New(g *graph.Graph, threads int) *Executor {
	p := newPool(threads)
	return &Executor{graph: g, pool: p, weights: newWeights(p.threads)}
}

// SetThreads changes the number of threads.
func (x *Executor) SetThreads(threads int) {
	if x.pool == nil || threads == x.pool.threads {
		return
	}
	x.pool.close()
	x.pool = newPool(threads)
	x.weights.setThreads(x.pool.threads)
	for _, p := range x.bound {
		p.pool = x.pool
	}
}

// errClosed is the error of a closed executor.
var errClosed = errors.New("the executor is closed")

// Close ends the executor's goroutines.
func (x *Executor) Close() error {
	if x.pool != nil {
		x.pool.close()
		x.pool = nil
	}
	return nil
}

// memory holds the elements of a program's values, by value.
type memory struct {
	f32  [][]float32
	i64  [][]int64
	bits [][]bool
	u8   [][]uint8 // of values kept as bytes, instead of f32, with readable slack behind them
}

func newMemory(n int) memory {
	return memory{f32: make([][]float32, n), i64: make([][]int64, n), bits: make([][]bool, n), u8: make([][]uint8, n)}
}

func (m *memory) set(id int, t *graph.Tensor) {
	m.f32[id], m.i64[id], m.bits[id] = t.F32, t.I64, t.Bool
}

type arena struct {
	f32  []float32
	i64  []int64
	bits []bool
}

// program is a graph bound to input shapes, ready to run.
type program struct {
	*graph.Program
	memory
	pool   *pool
	shapes [][]int
	layout graph.Layout
	run    []func() error
	out    []*graph.Tensor
}

// kept bounds the programs an executor remembers: a full and a last batch, and two more.
const kept = 4

// maxArena bounds the memory for intermediate values, in bytes.
const maxArena = 16 << 30

// arenaLimit is maxArena, or the memory that there is where that is less: a file of few bytes can ask for more than a
// machine has.
func arenaLimit() int {
	if most := hardware.Physical(); most > 0 {
		return int(min(most, maxArena))
	}
	return maxArena
}

// shapesOf lists the inputs' shapes for a message.
func shapesOf(inputs []graph.Operand) (list string) {
	for _, in := range inputs[:min(len(inputs), 4)] {
		list += fmt.Sprint(" ", in.Shape)
	}
	return list
}

// Run computes the outputs. Their memory belongs to the executor and is
// overwritten by the next run. Inputs of shapes that were seen before cost no
// preparation.
func (x *Executor) Run(ctx context.Context, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	if x.pool == nil {
		return nil, errClosed
	}
	p, err := x.bind(inputs)
	if err != nil {
		return nil, err
	}
	for i, id := range p.Inputs {
		p.set(id, inputs[i])
	}
	// Views of inputs follow them.
	for _, s := range p.Steps {
		if s.Op.View {
			p.alias(s.Out[0], s.In[0])
		}
	}
	profile := x.profileOf(p)
	for i, step := range p.run {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if step == nil {
			continue
		}
		var begin time.Time
		if profile != nil {
			begin = time.Now()
		}
		if err := step(); err != nil {
			return nil, fmt.Errorf("%v: %w", p.Steps[i].Node, err)
		}
		if profile != nil {
			profile.add(i, begin)
		}
	}
	for i, id := range p.Outputs {
		p.out[i].F32, p.out[i].I64, p.out[i].Bool = p.f32[id], p.i64[id], p.bits[id]
	}
	return p.out, nil
}

func (m *memory) alias(to, from int) {
	m.f32[to], m.i64[to], m.bits[to] = m.f32[from], m.i64[from], m.bits[from]
}

// bind finds or makes the program for the inputs' shapes.
func (x *Executor) bind(inputs []*graph.Tensor) (*program, error) {
	for i, p := range x.bound {
		if p.fits(inputs) {
			copy(x.bound[1:i+1], x.bound[:i])
			x.bound[0] = p
			return p, nil
		}
	}
	operands := make([]graph.Operand, len(inputs))
	for i, t := range inputs {
		operands[i].Type = graph.Type{DType: t.DType, Shape: slices.Clone(t.Shape)}
	}
	p, err := x.compile(operands)
	if err != nil {
		return nil, err
	}
	if len(x.bound) == kept {
		x.bound = slices.Delete(x.bound, kept-1, kept)
		x.forget()
	}
	x.bound = slices.Insert(x.bound, 0, p)
	return p, nil
}

// forget drops the packed forms of constants that were folded for programs which
// are no longer there.
func (x *Executor) forget() {
	used := map[*graph.Tensor]bool{}
	for _, t := range x.graph.Constants {
		used[t] = true
	}
	for _, p := range x.bound {
		for _, v := range p.Values {
			used[v.Const] = true
		}
	}
	maps.DeleteFunc(x.weights.packed, func(k packKey, _ *kernel.Packed[float32]) bool { return !used[k.tensor] })
	maps.DeleteFunc(x.weights.held, func(t *graph.Tensor, _ []float32) bool { return !used[t] })
}

func (p *program) fits(inputs []*graph.Tensor) bool {
	if len(inputs) != len(p.shapes) {
		return false
	}
	for i, t := range inputs {
		if t.DType != p.Values[p.Inputs[i]].DType || !slices.Equal(t.Shape, p.shapes[i]) {
			return false
		}
	}
	return true
}

func (x *Executor) compile(operands []graph.Operand) (*program, error) {
	bound, err := x.graph.Specialize(operands)
	if err != nil {
		return nil, err
	}
	p := &program{Program: bound, memory: newMemory(len(bound.Values)), pool: x.pool, layout: layoutOf(bound)}
	bytes := 0
	for t, n := range p.layout.Size {
		bytes += n * graph.DType(t).Size()
	}
	if most := arenaLimit(); bytes > most {
		return nil, fmt.Errorf("a batch of inputs%s needs %d MB for intermediate values, the limit is %d MB; choose a smaller batch", shapesOf(operands), bytes>>20, most>>20)
	}
	for _, o := range operands {
		p.shapes = append(p.shapes, o.Shape)
	}
	if err := x.build(p); err != nil {
		return nil, err
	}
	for _, id := range p.Outputs {
		v := p.Values[id]
		p.out = append(p.out, &graph.Tensor{DType: v.DType, Bits: v.Bits, Shape: v.Shape})
	}
	return p, nil
}

// build loads the program's constants and makes its kernels. Until the next run
// the arena holds nothing, so that constants on their way to being packed go through
// it, unless it is too small.
func (x *Executor) build(p *program) error {
	x.arena.grow(p.layout.Size)
	for _, other := range x.bound {
		other.place(&x.arena)
	}
	p.place(&x.arena)
	w := x.weights
	w.arena = x.arena.f32
	defer func() {
		w.release()
		// Garbage of opening and binding would stay in memory next to the arena for long; for a small model a collection does
		// not pay.
		if p.bytes() > smallProgram {
			debug.FreeOSMemory()
		}
	}()
	for i, v := range p.Values {
		if v.Const != nil {
			p.set(i, v.Const)
		}
	}
	hold := func(id int) error {
		t := p.Values[id].Const
		if t == nil || !t.Deferred() || p.f32[id] != nil {
			return nil
		}
		var err error
		if p.f32[id], err = w.hold(t); err != nil {
			return fmt.Errorf("constant %q: %w", p.Values[id].Name, err)
		}
		return nil
	}
	for _, id := range p.Outputs {
		if err := hold(id); err != nil {
			return err
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		for k, id := range s.In {
			if id < 0 || k == 1 && packsWeights(s) {
				continue
			}
			if err := hold(id); err != nil {
				return fmt.Errorf("%v: %w", s.Node, err)
			}
		}
		if s.Op.View {
			p.run = append(p.run, nil)
			continue
		}
		run, err := build(s, p.Values, &p.memory, &p.pool, w)
		if err != nil {
			return fmt.Errorf("%v: %w", s.Node, err)
		}
		p.run = append(p.run, run)
	}
	return nil
}

// smallProgram is the size in bytes up to which memory is left to the garbage collector.
const smallProgram = 8 << 20

// bytes is the size of the program's constants and intermediate values.
func (p *program) bytes() (size int) {
	for _, v := range p.Values {
		if v.Const != nil {
			size += v.Const.Len() * v.Const.DType.Size()
		}
	}
	for t, n := range p.layout.Size {
		size += n * graph.DType(t).Size()
	}
	return size
}

// packsWeights reports whether the step's kernel takes its second operand, if it
// is constant, from weights.packed alone.
func packsWeights(s *graph.Step) bool {
	if p, ok := s.Params.(*operator.ConvParams); ok && s.Op.Name == "ConvTranspose" {
		return p.ChannelsLast
	}
	return s.Node.Domain == "repscope" && (s.Op.Name == "Linear" || s.Op.Name == "Conv")
}

// grow makes the arena at least as large as the sizes.
func (a *arena) grow(size [4]int) {
	if n := size[graph.Float32]; n > len(a.f32) {
		a.f32 = make([]float32, n)
	}
	if n := size[graph.Int64]; n > len(a.i64) {
		a.i64 = make([]int64, n)
	}
	if n := size[graph.Bool]; n > len(a.bits) {
		a.bits = make([]bool, n)
	}
}

// place assigns the program's values to the arena.
func (p *program) place(a *arena) {
	for i, offset := range p.layout.Offset {
		if offset < 0 {
			continue
		}
		n := graph.Count(p.Values[i].Shape)
		if p.Values[i].Levels != nil {
			p.u8[i] = bytesOf(a.f32[offset:], n+kernel.QuadSlack)
			continue
		}
		switch p.Values[i].DType {
		case graph.Float32:
			p.f32[i] = a.f32[offset : offset+n]
		case graph.Int64:
			p.i64[i] = a.i64[offset : offset+n]
		case graph.Bool:
			p.bits[i] = a.bits[offset : offset+n]
		}
	}
}

// Compile binds the graph to inputs of these types without running it and returns the outputs' types; it serves to
// check a model when it is opened.
func (x *Executor) Compile(inputs []graph.Operand) ([]graph.Type, error) {
	return x.graph.OutputTypes(inputs)
}

// Evaluate computes one step on constants; it is the graph.Evaluator of this package.
func Evaluate(step *graph.Step, values []graph.Value, in, out []*graph.Tensor) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	m := newMemory(len(values))
	k := 0
	for i, id := range step.In {
		if id >= 0 {
			m.set(id, in[i])
			k++
		}
	}
	for i, id := range step.Out {
		if id >= 0 {
			m.set(id, out[i])
		}
	}
	p := &pool{threads: 1}
	run, err := build(step, values, &m, &p, newWeights(1))
	if err != nil {
		return err
	}
	return run()
}

// scratch is the memory of one worker besides the arena.
type scratch struct {
	product   kernel.Product[float32]
	workspace kernel.Workspace[float32]
	gathered  kernel.Gathered
	base      []int
	scores    []float32
	attention attention
	frames    []float32 // images that are copied with padding
	repeated  []float32 // frames whose channels are repeated
	tile      []float32 // of convolutions of few channels: a line, and the bias
	framed    int       // while a convolution runs: one more than the unit whose frames they are
	ranks     []ranked  // of TopK
	sums      []float64 // of AveragePool
	planes    planesBeside
	integers  integerScratch
	chain     []float32 // an operand of a chain
	decoded   []float32 // decoded bytes
	block     []float32 // results before they become bytes
	patches   []uint8   // images of bytes that are copied with padding
	quads     []uint8   // rows of bytes that are brought together
}

func newWeights(threads int) *weights {
	w := &weights{packed: map[packKey]*kernel.Packed[float32]{}, bytes: map[packKey]*integerWeights{}, held: map[*graph.Tensor][]float32{}}
	w.setThreads(threads)
	return w
}

func (w *weights) setThreads(threads int) {
	for len(w.scratch) < threads {
		w.scratch = append(w.scratch, &scratch{})
	}
}
