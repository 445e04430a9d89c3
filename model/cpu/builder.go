// The translation of steps to functions: the table of kernels' constructors, and their view of a step.

package cpu

import (
	"fmt"
	"maps"
	"slices"

	"repscope/model/graph"
)

// constructor computes everything that follows from shapes and parameters and returns the function that a run calls;
// memory is looked up at each call, since it may have moved.
type constructor = func(*builder) (func() error, error)

// kernels has one constructor per operator, by its domain, ".", its name.
var kernels = union(attentionKernels, convKernels, elementwiseKernels(), indexKernels, movementKernels, normalizeKernels, poolKernels, productKernels,
	reduceKernels, resizeKernels)

func union(families ...map[string]constructor) map[string]constructor {
	all := map[string]constructor{}
	for _, family := range families {
		maps.Copy(all, family)
	}
	return all
}

// Operators lists the operators that have a kernel, each as its domain, ".", its name.
func Operators() []string { return slices.Sorted(maps.Keys(kernels)) }

// builder is the view of a kernel's constructor: the step, its values, their memory, and the workers.
type builder struct {
	graph.Site
	memory  *memory
	pool    **pool
	weights *weights
}

func build(s *graph.Step, values []graph.Value, m *memory, p **pool, w *weights) (run func() error, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	construct := kernels[s.Node.Domain+"."+s.Op.Name]
	if s.Node.Domain == "ai.onnx" {
		construct = kernels["."+s.Op.Name]
	}
	if construct == nil {
		return nil, fmt.Errorf("operator %s has no kernel", s.Op.Name)
	}
	b := &builder{Site: graph.Site{Step: s, Values: values}, memory: m, pool: p, weights: w}
	if run, err = construct(b); err == nil && b.Wraps() {
		run = b.wrapped(run)
	}
	return run, err
}

// wrapped brings the integers of output 0 back to their width after a run.
func (b *builder) wrapped(run func() error) func() error {
	m, y, bits := b.memory, b.Step.Out[0], b.Values[b.Step.Out[0]].Bits
	wrap := b.span(graph.Count(b.OutShape(0)), grain, func(_, lo, hi int) {
		values := m.i64[y][lo:hi]
		for i, v := range values {
			values[i] = graph.Wrap(v, bits)
		}
	})
	return func() error {
		if err := run(); err != nil {
			return err
		}
		return wrap()
	}
}

// scalar records that a step's floats are computed without vectors on any CPU; a test lists these steps.
func (b *builder) scalar(what string) {
	if b.weights.scalar != nil {
		b.weights.scalar(what)
	}
}

// in and out return accessors of float32 operands; an absent input reads as nil.
func (b *builder) in(i int) func() []float32 {
	if !b.Has(i) {
		return func() []float32 { return nil }
	}
	m, id := b.memory, b.Step.In[i]
	return func() []float32 { return m.f32[id] }
}

func (b *builder) out(i int) func() []float32 {
	if i >= len(b.Step.Out) || b.Step.Out[i] < 0 {
		return func() []float32 { return nil }
	}
	m, id := b.memory, b.Step.Out[i]
	return func() []float32 { return m.f32[id] }
}

// span returns a run function that loops over total indices.
func (b *builder) span(total, grain int, f body) func() error {
	pool := b.pool
	return func() error { return (*pool).span(total, grain, f) }
}

// each returns a run function that loops over total indices one by one.
func (b *builder) each(total int, f body) func() error {
	pool := b.pool
	return func() error { return (*pool).each(total, f) }
}

// element is any type of a value.
type element interface{ float32 | int64 | bool }

// slots are the elements of all values of one type.
func slots[T element](m *memory) [][]T {
	var zero T
	switch any(zero).(type) {
	case float32:
		return *any(&m.f32).(*[][]T)
	case int64:
		return *any(&m.i64).(*[][]T)
	}
	return *any(&m.bits).(*[][]T)
}

// forType uses a constructor for the type of input i.
func forType(b *builder, i int, floats, integers, bits constructor) (func() error, error) {
	switch b.DType(i) {
	case graph.Float32:
		return floats(b)
	case graph.Int64:
		return integers(b)
	}
	return bits(b)
}

type number interface{ float32 | int64 }
