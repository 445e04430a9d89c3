// Inputs whose values are fixed, such as the first state of a recurrent layer: they become part of the graph, so that
// one input, the batch, is left.

package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/model/graph"
)

// FixedInput is the value of an input for all runs: an array or, without one, a number that all elements have.
type FixedInput struct {
	Name   string
	Number float64
	Array  *Tensor // nil: Number
}

// Fix gives inputs of the file's graph fixed values. All others but one must be among them. Axes of a free size that
// have the name of an axis of the one that is left have its size; one that is the only free axis without such a name
// has the size of the batch, the first axis of the input that is left. An array has one element along such axes, and
// repeats it; along other free axes it decides the size.
func (f *File) Fix(values []FixedInput) error {
	g := f.graph
	var states []Port
	for _, p := range g.Inputs {
		if !slices.ContainsFunc(values, func(v FixedInput) bool { return v.Name == p.Name }) {
			states = append(states, p)
		}
	}
	for _, v := range values {
		if !slices.ContainsFunc(g.Inputs, func(p Port) bool { return p.Name == v.Name }) {
			return fmt.Errorf("has no input %q%s; its inputs are %s", v.Name, meant(v.Name, portNames(g.Inputs)),
				describe(g.Inputs))
		}
	}
	if len(states) != 1 {
		return fmt.Errorf("%d inputs have no value, want one, the states; the inputs are %s", len(states), describe(g.Inputs))
	}
	for _, v := range values {
		p := g.Inputs[slices.IndexFunc(g.Inputs, func(p Port) bool { return p.Name == v.Name })]
		x := &fixer{graph: g, port: p, states: states[0], prefix: "\x00input\x00" + p.Name + "\x00"}
		if err := x.fix(v); err != nil {
			return fmt.Errorf("input %q: %w; want %s", p.Name, err, wanted(p))
		}
	}
	g.Inputs = states
	return nil
}

// fixer gives one input its value.
type fixer struct {
	graph        *graph.Graph
	port, states Port
	prefix       string // of names that no file has
	serial       int
}

// axis is the size of an axis: a number, or the size of an axis of the states (−1: of none).
type axis struct{ size, states int }

func (x *fixer) fix(v FixedInput) error {
	value, err := x.value(v)
	if err != nil {
		return err
	}
	axes, err := x.axes(v.Array)
	if err != nil {
		return err
	}
	name := x.constant(value)
	if x.port.Dims == nil {
		x.node("Identity", x.port.Name, nil, name)
		return nil
	}
	x.node("Expand", x.port.Name, nil, name, x.shape(axes))
	return nil
}

// value is the array, or the number without axes, in the input's type.
func (x *fixer) value(v FixedInput) (*Tensor, error) {
	t := v.Array
	if t == nil {
		t = &Tensor{DType: Float32, Shape: []int{}, F32: []float32{float32(v.Number)}}
		if x.port.DType != Float32 {
			t = &Tensor{DType: Int64, Shape: []int{}, I64: []int64{int64(v.Number)}}
			if v.Number != math.Trunc(v.Number) || math.Abs(v.Number) >= 1<<53 {
				return nil, fmt.Errorf("%g is no whole number", v.Number)
			}
		}
	}
	m := &Model{inputs: []Port{x.port}}
	m.bound.converted = make([]*Tensor, 1)
	t, err := m.convert(0, t)
	if err != nil {
		return nil, err
	}
	held := *t
	held.Bits = x.port.Bits
	held.F32, held.I64, held.Bool = slices.Clone(t.F32), slices.Clone(t.I64), slices.Clone(t.Bool)
	return &held, nil
}

// axes are the sizes of the input's axes; array is nil for a number.
func (x *fixer) axes(array *Tensor) ([]axis, error) {
	dims := x.port.Dims
	if dims == nil {
		if array == nil {
			return nil, fmt.Errorf("a number for an input without a shape in the file: give an array")
		}
		return nil, nil
	}
	if array != nil && len(array.Shape) != len(dims) {
		return nil, fmt.Errorf("an array of shape %v", array.Shape)
	}
	axes := make([]axis, len(dims))
	var free []int
	for i, d := range dims {
		axes[i] = axis{d.Size, -1}
		if d.Size < 0 {
			axes[i].states = slices.IndexFunc(x.states.Dims, func(s graph.Dim) bool { return d.Name != "" && s.Name == d.Name })
			if axes[i].states < 0 {
				free = append(free, i)
			}
		}
	}
	batched := slices.ContainsFunc(axes, func(a axis) bool { return a.states == 0 })
	if len(free) == 1 && !batched && (len(x.states.Dims) == 0 || x.states.Dims[0].Size < 0) {
		if i := free[0]; array == nil || array.Shape[i] == 1 {
			axes[i].states, free = 0, nil
		}
	}
	for _, i := range free {
		if array == nil {
			return nil, fmt.Errorf("a number, and axis %d is of any size: give an array", i)
		}
		axes[i].size = array.Shape[i]
	}
	for i, a := range axes {
		if array == nil {
			break
		}
		if n := array.Shape[i]; n != 1 && a.states >= 0 {
			return nil, fmt.Errorf("an array of shape %v, and axis %d has the size of axis %d of the states: "+
				"want 1 element, which repeats", array.Shape, i, a.states)
		} else if a.states < 0 && n != a.size {
			return nil, fmt.Errorf("an array of shape %v", array.Shape)
		}
	}
	return axes, nil
}

// shape is the name of a vector of these sizes.
func (x *fixer) shape(axes []axis) string {
	whole := ""
	parts := make([]string, len(axes))
	for i, a := range axes {
		if a.states < 0 {
			parts[i] = x.constant(graph.Ints(int64(a.size)))
			continue
		}
		if whole == "" {
			whole = x.name()
			x.node("Shape", whole, nil, x.states.Name)
		}
		parts[i] = x.name()
		x.node("Gather", parts[i], nil, whole, x.constant(graph.Ints(int64(a.states))))
	}
	if len(axes) == 0 {
		return x.constant(graph.Ints())
	}
	joined := x.name()
	x.node("Concat", joined, map[string]graph.Attribute{"axis": graph.IntAttribute(0)}, parts...)
	return joined
}

func (x *fixer) name() string {
	x.serial++
	return fmt.Sprint(x.prefix, x.serial)
}

func (x *fixer) constant(t *Tensor) string {
	name := x.name()
	x.graph.Constants[name] = t
	return name
}

func (x *fixer) node(op, output string, attributes map[string]graph.Attribute, inputs ...string) {
	name := "input " + strings.TrimPrefix(x.port.Name, "/")
	x.graph.Nodes = append(x.graph.Nodes, &graph.Node{Name: name, Op: op, Inputs: inputs, Outputs: []string{output},
		Attributes: attributes})
}
