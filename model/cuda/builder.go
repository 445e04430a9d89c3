//go:build cuda

// The view of operators: the step, its values, and the recorded launches.

package cuda

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unsafe"

	"repscope/model/graph"
)

// constructor records the launches of a step. It depends on shapes, parameters and constants
// alone; memory is assigned afterwards.
type constructor = func(*builder) error

// operators has one constructor per operator; the keys are as in model/cpu: domain, ".", name.
var operators = union(attentionOperators, convOperators, elementwiseOperators(), indexOperators, movementOperators, normalizeOperators, poolOperators,
	productOperators, reduceOperators, resizeOperators)

func union(families ...map[string]constructor) map[string]constructor {
	all := map[string]constructor{}
	for _, family := range families {
		maps.Copy(all, family)
	}
	return all
}

// region is a kind of device memory.
type region uint8

const (
	nowhere       region = iota // the null pointer: an absent input
	valueRegion                 // the memory of value index
	weightRegion                // prepared constant index of the program
	tableRegion                 // the program's tables
	scratchRegion               // the part of the arena that belongs to one step
	faultRegion                 // one cell of 8 bytes per checked step
	inputRegion                 // the uploaded input of a batch
	movedRegion                 // one cell of 8 bytes per state that noise moves
)

// operand is device memory passed to a launch.
type operand struct {
	region region
	index  int
	offset int
}

// at is the operand that begins this many bytes further.
func (o operand) at(bytes int) operand {
	o.offset += bytes
	return o
}

// command is one thing that a run enqueues: a launch, a copy or zeros.
type command struct {
	step          int
	kernel        string // empty: a copy of bytes from the second operand or, without one, zeros
	grid, block   [3]int
	shared, bytes int
	cells         []uint64  // of 8 bytes, one per argument
	operands      []operand // by cell; nowhere: the cell holds a constant
}

// recording is the commands of a program and the memory they ask for.
type recording struct {
	commands []command
	weights  []weightKey
	prepare  map[weightKey]func(elements []float32) ([]byte, error)
	tables   []byte
	scratch  int
	faults   []fault
}

// fault is the meaning of a non-zero cell of a step.
type fault struct {
	step  int
	about func(value int64) error
}

// builder is the view of an operator's constructor.
type builder struct {
	*recording
	graph.Site
	number int // of the step
	mode   Precision
	taken  int // bytes of scratch
}

func (b *builder) precision() Precision { return b.mode }

// in is the memory of an input, row-major in its own type; the null pointer for an absent one.
func (b *builder) in(i int) operand {
	if !b.Has(i) {
		return operand{}
	}
	return operand{region: valueRegion, index: b.Step.In[i]}
}

// out is the memory of an output; the null pointer for an unused one, and possibly the memory of input 0 if the
// operator is graph.Operator.InPlace.
func (b *builder) out(i int) operand {
	if !b.HasOut(i) {
		return operand{}
	}
	return operand{region: valueRegion, index: b.Step.Out[i]}
}

// weight is a float32 constant in another form, which is made once per executor for
// each tensor and name of the form. The result of prepare must depend on nothing else.
func (b *builder) weight(form string, t *graph.Tensor, prepare func(elements []float32) []float32) operand {
	return preparedWeight(b, form, t, func(elements []float32) ([]float32, error) { return prepare(elements), nil })
}

// preparedWeight is weight for forms of other element types, such as pairs of bfloat16.
func preparedWeight[T any](
	b *builder, form string, t *graph.Tensor, prepare func(elements []float32) ([]T, error),
) operand {
	return b.addWeight(weightKey{t, form}, func(elements []float32) ([]byte, error) {
		values, err := prepare(elements)
		return bytesOf(values), err
	})
}

// addWeight enters a constant in a form; without prepare it is the constant itself.
func (r *recording) addWeight(key weightKey, prepare func(elements []float32) ([]byte, error)) operand {
	i := slices.Index(r.weights, key)
	if i < 0 {
		i = len(r.weights)
		r.weights = append(r.weights, key)
		r.prepare[key] = prepare
	}
	return operand{region: weightRegion, index: i}
}

// tableAlign is the alignment of tables and scratch memory.
const tableAlign = 256

func aligned(bytes int) int { return (bytes + tableAlign - 1) / tableAlign * tableAlign }

// table is small read-only data of this program, such as strides.
func table[T any](b *builder, values []T) operand {
	start := aligned(len(b.tables))
	b.tables = append(b.tables, make([]byte, start-len(b.tables))...)
	b.tables = append(b.tables, bytesOf(values)...)
	return operand{region: tableRegion, offset: start}
}

// scratch is memory that this step alone uses, with any content at first.
func (b *builder) scratch(bytes int) operand {
	start := b.taken
	b.taken += aligned(bytes)
	b.recording.scratch = max(b.recording.scratch, b.taken)
	return operand{region: scratchRegion, offset: start}
}

// fault is a cell of 8 bytes that is zero when a run begins. A kernel that meets
// wrong data stores a number other than zero; the run then fails with the error that about makes of it.
func (b *builder) fault(about func(value int64) error) operand {
	b.faults = append(b.faults, fault{b.number, about})
	return operand{region: faultRegion, offset: 8 * (len(b.faults) - 1)}
}

// launch records a launch. An argument is an operand, int, uint32, int32, uint64, float32 or bool, each in its own cell
// of 8 bytes; the kernel reads as many as its parameter has. A launch of no blocks is omitted.
func (b *builder) launch(kernel string, grid, block [3]int, shared int, arguments ...any) {
	for i := range 3 {
		if grid[i] < 0 || block[i] < 1 || i > 0 && grid[i] > 65535 || grid[i] > math.MaxInt32 {
			panic(fmt.Sprintf("kernel %s: grid %v, block %v", kernel, grid, block))
		}
		if grid[i] == 0 {
			return
		}
	}
	c := command{step: b.number, kernel: kernel, grid: grid, block: block, shared: shared}
	for _, a := range arguments {
		o, v := cell(a)
		c.cells, c.operands = append(c.cells, v), append(c.operands, o)
	}
	b.commands = append(b.commands, c)
}

func cell(a any) (operand, uint64) {
	switch v := a.(type) {
	case operand:
		return v, 0
	case int:
		return operand{}, uint64(v)
	case uint32:
		return operand{}, uint64(v)
	case int32:
		return operand{}, uint64(uint32(v))
	case uint64:
		return operand{}, v
	case float32:
		return operand{}, uint64(math.Float32bits(v))
	case bool:
		if v {
			return operand{}, 1
		}
		return operand{}, 0
	}
	panic(fmt.Sprintf("a kernel takes no %T", a))
}

// copy records a copy between two operands that do not overlap.
func (b *builder) copy(to, from operand, bytes int) {
	if bytes > 0 {
		b.commands = append(b.commands, command{step: b.number, bytes: bytes, operands: []operand{to, from}})
	}
}

// zero records that bytes become zero; their number must be a multiple of 4.
func (b *builder) zero(o operand, bytes int) {
	if bytes > 0 {
		b.commands = append(b.commands, command{step: b.number, bytes: bytes, operands: []operand{o}})
	}
}

// record lets the operator of a step record its launches.
func (r *recording) record(number int, s *graph.Step, values []graph.Value, mode Precision) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	domain := s.Node.Domain
	if domain == "ai.onnx" {
		domain = ""
	}
	construct := operators[domain+"."+s.Op.Name]
	if construct == nil {
		return fmt.Errorf("operator %s has no CUDA kernel", s.Op.Name)
	}
	b := &builder{recording: r, Site: graph.Site{Step: s, Values: values}, number: number, mode: mode}
	if err := construct(b); err != nil {
		return err
	}
	b.wrap()
	return nil
}

// wrap brings integers that left the width of output 0 back to it.
func (b *builder) wrap() {
	if !b.Wraps() {
		return
	}
	n, bits := graph.Count(b.OutShape(0)), int32(b.Values[b.Step.Out[0]].Bits)
	b.launch("convert", blocks(n), line, 0, b.out(0), b.out(0), n, conversionCodes["int64 int64"], bits)
}

// bytesOf is the memory of values.
func bytesOf[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

// valuesOf is the same memory as values of another type.
func valuesOf[T any](memory []byte, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), n)
}
