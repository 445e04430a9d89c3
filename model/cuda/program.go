//go:build cuda

// A graph bound to input shapes: the memory of its values, and the operations of a run.

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	device "repscope/internal/cuda"
	"repscope/model/graph"
	"repscope/stat"
)

// shapes are the shapes that a program is bound to.
type shapes struct {
	inputs          []graph.Type
	form            form
	channels, plane int // of levels or scaling
}

// form is the form in which a batch is uploaded.
type form uint8

const (
	inputValues form = iota // the graph's inputs
	levelBytes              // bytes that index levels
	noisyBytes              // bytes that noise changes
	noisyFloats             // float32 that noise changes
)

func (f form) noisy() bool { return f == noisyBytes || f == noisyFloats }

func (s shapes) equal(o shapes) bool {
	return s.form == o.form && s.channels == o.channels && s.plane == o.plane && slices.EqualFunc(s.inputs, o.inputs, func(a, b graph.Type) bool {
		return a.DType == b.DType && slices.Equal(a.Shape, b.Shape)
	})
}

// place is the location of a value. Values of one root share it.
type place struct {
	kind   placeKind
	offset int
}

type placeKind uint8

const (
	inArena placeKind = iota
	inInputs
	inOutputs
	inWeights // offset is the index of the program's weight
)

// program is a graph bound to shapes, ready to run.
type program struct {
	*graph.Program
	recording
	shapes    shapes
	places    []place // by value
	arena     int     // bytes, scratch included
	scratchAt int
	inAt      []int // offsets of the inputs uploaded by row in a slot's input memory
	in, out   int   // bytes of a slot's memory
	movedAt   int   // of displacements in a slot's output memory
	tablesAt  device.Pointer
	known     []*graph.Tensor // by output: its value, if that is known already
	bound     [depth]bound    // by slot
	ran       bool
}

// bound is a program with the addresses of one slot.
type bound struct {
	valid          bool
	arena, in, out int // moves of the memory when the addresses were taken
	cells          [][]uint64
	graph          *device.Graph
}

// compile binds the graph to shapes. It touches no device.
func compile(g *graph.Graph, s shapes, mode Precision) (*program, error) {
	operands := make([]graph.Operand, len(s.inputs))
	for i, t := range s.inputs {
		operands[i].Type = t
	}
	bound, err := g.Specialize(operands)
	if err != nil {
		return nil, err
	}
	p := &program{Program: bound, shapes: s}
	p.prepare = map[weightKey]func([]float32) ([]byte, error){}
	switch {
	case s.form == levelBytes:
		p.readBytes()
	case s.form.noisy():
		p.readNoisy()
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		if step.Op.View {
			continue
		}
		if err := p.record(i, step, p.Values, mode); err != nil {
			return nil, fmt.Errorf("%v: %w", step.Node, err)
		}
	}
	p.lay()
	return p, p.hold()
}

// readBytes lets the run begin by turning bytes into the input's float32 values.
func (p *program) readBytes() {
	n := graph.Count(p.shapes.inputs[0].Shape)
	levels := p.upload(4 * 256 * p.shapes.channels)
	bytes := p.uploadRows(n)
	b := &builder{recording: &p.recording, number: -1}
	const perBlock = 256 * 16
	b.launch("levels_u8", [3]int{(n + perBlock - 1) / perBlock, 1, 1}, [3]int{256, 1, 1}, 0,
		bytes, levels, operand{region: valueRegion, index: p.Inputs[0]}, n, p.shapes.plane, p.shapes.channels)
}

// readNoisy lets the run begin with noise on the states, how far it moves them, and their scaling.
func (p *program) readNoisy() {
	shape := p.shapes.inputs[0].Shape
	n, rows, width := graph.Count(shape), shape[0], graph.Count(shape[1:])
	kind, pixel := "f32", 4
	if p.shapes.form == noisyBytes {
		kind, pixel = "u8", 1
	}
	how := p.upload(changeBytes + 4*(2+2*p.shapes.channels))
	keys := p.uploadRows(int(unsafe.Sizeof(stat.Key{})) * rows)
	x := p.uploadRows(pixel * n)
	y := operand{region: valueRegion, index: p.Inputs[0]}
	b := &builder{recording: &p.recording, number: -1}
	b.launch("noise_"+kind, blocks(rows*((width+3)/4)), line, 0, x, y, rows, width, how, keys)
	b.launch("displacement_"+kind, [3]int{rows, 1, 1}, line, 0, x, y, operand{region: movedRegion}, width)
	if p.shapes.channels > 0 {
		b.launch("scale_f32", blocks(n), line, 0, y, how.at(changeBytes), n, p.shapes.plane, fixedReciprocal(p.shapes.plane), p.shapes.channels, fixedReciprocal(p.shapes.channels))
	}
}

// upload reserves bytes in a slot's input memory; data shared by a batch come first.
func (p *program) upload(bytes int) operand {
	o := operand{region: inputRegion, offset: p.in}
	p.in += aligned(bytes)
	return o
}

// uploadRows reserves memory for data of a batch by row.
func (p *program) uploadRows(bytes int) operand {
	o := p.upload(bytes)
	p.inAt = append(p.inAt, o.offset)
	return o
}

// lay decides where every value lies.
func (p *program) lay() {
	layout := p.Plan()
	var base [4]int
	for _, t := range []graph.DType{graph.Float32, graph.Int64, graph.Bool} {
		base[t] = p.arena
		p.arena += aligned(layout.Size[t] * t.Size())
	}
	p.places = make([]place, len(p.Values))
	for i, offset := range layout.Offset {
		if t := p.Values[i].DType; offset >= 0 {
			p.places[i] = place{inArena, base[t] + offset*t.Size()}
		}
	}
	bytes := func(id int) int { return aligned(graph.Count(p.Values[id].Shape) * p.Values[id].DType.Size()) }
	outputs := make([]bool, len(p.Values))
	for _, id := range p.Outputs {
		outputs[p.Values[id].Root] = true
	}
	for _, id := range p.Inputs {
		switch {
		case p.shapes.form == inputValues:
			p.places[id] = place{inInputs, p.uploadRows(bytes(id)).offset}
		case !outputs[id]:
			p.places[id] = place{inArena, p.arena}
			p.arena += bytes(id)
		}
	}
	p.out = aligned(8 * len(p.faults))
	if p.shapes.form.noisy() {
		p.movedAt = p.out
		p.out += aligned(8 * p.shapes.inputs[0].Shape[0])
	}
	for id, is := range outputs {
		if is && p.Values[id].Const == nil && p.places[id].kind != inInputs {
			p.places[id] = place{inOutputs, p.out}
			p.out += bytes(id)
		}
	}
	p.scratchAt = p.arena
	p.arena += p.scratch
	p.layConstants()
	for i, v := range p.Values {
		p.places[i] = p.places[v.Root]
	}
}

// layConstants enters the constants that some command reads as they are.
func (p *program) layConstants() {
	for _, c := range p.commands {
		for _, o := range c.operands {
			if o.region != valueRegion {
				continue
			}
			root := p.Values[o.index].Root
			if t := p.Values[root].Const; t != nil {
				p.places[root] = place{inWeights, p.addWeight(weightKey{t, ""}, nil).index}
			}
		}
	}
}

// address is the device address of an operand when the program runs in a slot.
func (x *Executor) address(p *program, s *slot, o operand) uint64 {
	var base device.Pointer
	bytes := o.offset
	switch o.region {
	case nowhere:
		return 0
	case valueRegion:
		place := p.places[o.index]
		switch place.kind {
		case inArena:
			base, bytes = x.arena.at, bytes+place.offset
		case inInputs:
			base, bytes = s.in.at, bytes+place.offset
		case inOutputs:
			base, bytes = s.out.at, bytes+place.offset
		case inWeights:
			base = x.weights[p.weights[place.offset]]
		}
	case weightRegion:
		base = x.weights[p.weights[o.index]]
	case tableRegion:
		base = p.tablesAt
	case scratchRegion:
		base, bytes = x.arena.at, bytes+p.scratchAt
	case faultRegion:
		base = s.out.at
	case inputRegion:
		base = s.in.at
	case movedRegion:
		base, bytes = s.out.at, bytes+p.movedAt
	}
	return uint64(base) + uint64(bytes)
}

// resolve computes the addresses for a slot, again if memory has moved.
func (x *Executor) resolve(p *program, s *slot) (*bound, error) {
	b := &p.bound[s.index]
	if b.valid && b.arena == x.arena.moves && b.in == s.in.moves && b.out == s.out.moves {
		return b, nil
	}
	if err := b.close(); err != nil {
		return nil, err
	}
	*b = bound{valid: true, arena: x.arena.moves, in: s.in.moves, out: s.out.moves}
	for _, c := range p.commands {
		cells := slices.Clone(c.cells)
		if c.kernel == "" {
			cells = make([]uint64, len(c.operands))
		}
		for i, o := range c.operands {
			if o.region != nowhere {
				cells[i] = x.address(p, s, o)
			}
		}
		b.cells = append(b.cells, cells)
	}
	return b, nil
}

func (b *bound) close() error {
	g := b.graph
	*b = bound{}
	if g == nil {
		return nil
	}
	return g.Close()
}

// compute enqueues a program's commands: one by one at first, then as a CUDA graph.
func (x *Executor) compute(p *program, s *slot) error {
	b, err := x.resolve(p, s)
	if err != nil {
		return err
	}
	if !p.ran { // loads kernels, which is not to be measured
		p.ran = true
		return x.enqueue(p, s, b, nil)
	}
	s.clock.steps = s.clock.steps[:0]
	if x.profiling {
		return x.timed(p, s, b)
	}
	if b.graph == nil {
		if b.graph, err = x.computing.Capture(func() error { return x.enqueue(p, s, b, nil) }); err != nil {
			return err
		}
	}
	return x.computing.Replay(b.graph)
}

// enqueue gives a program's commands to the device; after, if not nil, is called behind the last one of each step.
func (x *Executor) enqueue(p *program, s *slot, b *bound, after func(step int) error) error {
	if len(p.faults) > 0 {
		if err := x.computing.Zero(s.out.at, 8*len(p.faults)); err != nil {
			return err
		}
	}
	for i := range p.commands {
		c, cells := &p.commands[i], b.cells[i]
		var err error
		switch {
		case c.kernel != "":
			err = x.computing.Launch(c.kernel, c.grid, c.block, c.shared, cells...)
		case len(cells) == 2:
			err = x.computing.Copy(device.Pointer(cells[0]), device.Pointer(cells[1]), c.bytes)
		default:
			err = x.computing.Zero(device.Pointer(cells[0]), c.bytes)
		}
		if err != nil {
			if c.step >= 0 {
				err = fmt.Errorf("%v: %w", p.Steps[c.step].Node, err)
			}
			return err
		}
		if after != nil && (i+1 == len(p.commands) || p.commands[i+1].step != c.step) {
			if err := after(c.step); err != nil {
				return err
			}
		}
	}
	return nil
}

// faulty is the error of the first step that met wrong data in a run.
func (p *program) faulty(cells []int64) error {
	for i, f := range p.faults {
		if cells[i] != 0 {
			return fmt.Errorf("%v: %w", p.Steps[f.step].Node, f.about(cells[i]))
		}
	}
	return nil
}

// hold finds the outputs that are constants.
func (p *program) hold() error {
	for _, id := range p.Outputs {
		var constant *graph.Tensor
		if c := p.Values[p.Values[id].Root].Const; c != nil {
			copied := *c
			copied.Shape = p.Values[id].Shape
			if c.Deferred() {
				values, err := c.Load(nil)
				if err != nil {
					return fmt.Errorf("constant %q: %w", p.Values[id].Name, err)
				}
				copied = *graph.Floats(values, copied.Shape...)
			}
			constant = &copied
		}
		p.known = append(p.known, constant)
	}
	return nil
}

// outputs are the outputs of a run in pinned memory.
func (p *program) outputs(s *slot) []*graph.Tensor {
	out := slices.Clone(p.known)
	for i, id := range p.Outputs {
		if out[i] != nil {
			continue
		}
		memory := s.hostOut
		if p.places[id].kind == inInputs {
			memory = s.hostIn
		}
		v := p.Values[id]
		out[i] = &graph.Tensor{DType: v.DType, Bits: v.Bits, Shape: v.Shape}
		view(out[i], memory[p.places[id].offset:])
	}
	return out
}

// displacements are how far noise moved each state of a run, in pinned memory.
func (p *program) displacements(s *slot) []float64 {
	if !p.shapes.form.noisy() {
		return nil
	}
	return valuesOf[float64](s.hostOut[p.movedAt:], p.shapes.inputs[0].Shape[0])
}

// view makes a tensor's elements a view of memory.
func view(t *graph.Tensor, memory []byte) {
	n := t.Len()
	switch t.DType {
	case graph.Float32:
		t.F32 = valuesOf[float32](memory, n)
	case graph.Int64:
		t.I64 = valuesOf[int64](memory, n)
	case graph.Bool:
		t.Bool = valuesOf[bool](memory, n)
	}
}

// close frees the program's own device memory.
func (p *program) close(c *device.Context) error {
	var all error
	for i := range p.bound {
		all = errors.Join(all, p.bound[i].close())
	}
	if p.tablesAt != 0 {
		all = errors.Join(all, c.Free(p.tablesAt))
		p.tablesAt = 0
	}
	return all
}
