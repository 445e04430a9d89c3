// Dividing a file's graph at a value: what follows the value, as a graph whose input it is.

package model

import (
	"fmt"
	"slices"

	"repscope/model/graph"
)

// Division is where a graph is divided.
type Division struct {
	Value string // of the graph
	// Shape is the shape of the value for one row of the input. Joined says that the first axis of the value is the rows
	// times Shape[0], and not the rows.
	Shape  []int
	Joined bool
	// State is the shape of one row of the file's input. Only its sizes go on into what follows.
	State []int
}

// After leaves the part of the file's graph that follows a value, which becomes its input. Errors: no such value,
// a value that is an output, nothing that follows it, and a way from the file's input to an output around the value.
// Sizes of the input that go around it, as exporters write them, are allowed.
func (f *File) After(d Division) error {
	g := f.graph
	if len(g.Inputs) != 1 {
		return fmt.Errorf("has %d inputs (%s), want one", len(g.Inputs), Names(g.Inputs))
	}
	state := g.Inputs[0]
	from := producers(g)
	maker := from[d.Value]
	switch {
	case maker == nil:
		return fmt.Errorf("has no value %q", d.Value)
	case slices.ContainsFunc(g.Outputs, func(p Port) bool { return p.Name == d.Value }):
		return fmt.Errorf("%q is the output of the model: nothing follows it", d.Value)
	}
	used, sizes, around := waysBack(g, from, d.Value)
	switch {
	case around != nil:
		return fmt.Errorf("%v takes the input %q around %q", around, state.Name, d.Value)
	case !used:
		return fmt.Errorf("no output follows from %q", d.Value)
	}
	batch := graph.Dim{Size: -1}
	if len(state.Dims) > 0 {
		batch = state.Dims[0]
	}
	port := Port{Name: d.Value, DType: Float32, Dims: []graph.Dim{batch}}
	for _, size := range d.Shape {
		port.Dims = append(port.Dims, graph.Dim{Size: size})
	}
	maker.Outputs = slices.Clone(maker.Outputs)
	maker.Outputs[slices.Index(maker.Outputs, d.Value)] = ""
	x := &fixer{graph: g, port: state, prefix: "\x00after\x00"}
	if d.Joined {
		port.Name = d.Value + " by rows"
		shape := []int64{-1}
		for _, size := range d.Shape[1:] {
			shape = append(shape, int64(size))
		}
		x.node("Reshape", d.Value, nil, port.Name, x.constant(graph.Ints(shape...)))
	}
	g.Inputs = []Port{port}
	if x.states = port; sizes {
		x.zeros(d.State)
	}
	return nil
}

// zeros makes the input of these rows; only its sizes matter.
func (x *fixer) zeros(shape []int) {
	axes := []axis{{states: 0}}
	for _, size := range shape {
		axes = append(axes, axis{size, -1})
	}
	zero := &Tensor{DType: x.port.DType, Bits: x.port.Bits, Shape: []int{1}}
	switch x.port.DType {
	case Float32:
		zero.F32 = []float32{0}
	case Int64:
		zero.I64 = []int64{0}
	default:
		zero.Bool = []bool{false}
	}
	x.node("ConstantOfShape", x.port.Name,
		map[string]graph.Attribute{"value": {Kind: graph.AttributeTensor, Tensor: zero}}, x.shape(axes))
}

// producers are the nodes by the values that they make.
func producers(g *graph.Graph) map[string]*graph.Node {
	from := map[string]*graph.Node{}
	for _, n := range g.Nodes {
		for _, name := range n.Outputs {
			if name != "" {
				from[name] = n
			}
		}
	}
	return from
}

// waysBack goes from the outputs of a graph back to a value: used says that it was reached, and around is a node that
// the input reaches by other ways. Nodes that take only the sizes of a value end a way; sizes says that there are some.
func waysBack(g *graph.Graph, from map[string]*graph.Node, value string) (used, sizes bool, around *graph.Node) {
	seen := map[*graph.Node]bool{}
	var stack []*graph.Node
	visit := func(n *graph.Node, name string) {
		switch {
		case name == value:
			used = true
		case name == g.Inputs[0].Name:
			around = n
		case from[name] != nil && !seen[from[name]]:
			seen[from[name]] = true
			stack = append(stack, from[name])
		}
	}
	for _, p := range g.Outputs {
		visit(&graph.Node{Name: p.Name, Op: "output"}, p.Name)
	}
	for len(stack) > 0 && around == nil {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.Op == "Shape" || n.Op == "Size" {
			sizes = true
			continue
		}
		for _, name := range reads(n) {
			visit(n, name)
		}
	}
	return used, sizes, around
}

// reads are the values that a node takes, with all that graphs in it take.
func reads(n *graph.Node) []string {
	names := slices.Clone(n.Inputs)
	for _, a := range n.Attributes {
		if a.Graph == nil {
			continue
		}
		for _, inner := range a.Graph.Nodes {
			names = append(names, reads(inner)...)
		}
		for _, p := range a.Graph.Outputs {
			names = append(names, p.Name)
		}
	}
	return names
}
