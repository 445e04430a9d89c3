// The values of a model's graph: outputs and intermediate values.

package model

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"repscope/model/graph"
)

// Value is one value that a model computes.
type Value struct {
	Name     string
	Node     string // name of the node that makes it; may be empty
	Operator string // of that node
	Scope    string // path of the module of that node; may be empty
	Output   bool   // it is an output of the model
	// Channels is the axis of the channels of a map, as its operators have it; −1: the last one, 0: unknown.
	Channels int
}

// Bound is the known type of a value once the inputs' shapes are known.
type Bound = graph.Value

// Values are the values of a file's graph, in the order in which they are computed,
// without weights and other constants.
type Values struct {
	List  []Value
	graph graph.Graph
}

// Values lists the values of the file's graph, which stays as it is. Any of them can be
// an output of a Model; see Options.Outputs.
func (f *File) Values() (*Values, error) {
	v := &Values{graph: *f.graph}
	g := &v.graph
	g.Nodes = make([]*graph.Node, len(g.Nodes))
	for i, n := range f.graph.Nodes { // which are rewritten where their weights are constant
		node := *n
		g.Nodes[i] = &node
	}
	g.Constants = maps.Clone(g.Constants)
	g.Outputs = nil
	output, scope := map[string]bool{}, map[string]string{}
	for _, p := range f.graph.Outputs {
		output[p.Name] = true
	}
	for _, n := range f.graph.Nodes {
		for _, name := range n.Outputs {
			scope[name] = n.Scope
		}
	}
	for _, n := range g.Nodes {
		for _, name := range n.Outputs {
			if name != "" {
				g.Outputs = append(g.Outputs, Port{Name: name})
			}
		}
	}
	if len(g.Outputs) == 0 {
		return nil, errors.New("the graph computes nothing")
	}
	if err := prepare(g); err != nil {
		return nil, err
	}
	seen, channels := map[string]bool{}, channelAxes(g)
	for _, n := range g.Nodes {
		for _, name := range n.Outputs {
			if name == "" || seen[name] || g.Constants[name] != nil {
				continue
			}
			seen[name] = true
			v.List = append(v.List, Value{Name: name, Node: n.Name, Operator: n.Op, Scope: scope[name],
				Output: output[name], Channels: channels[name]})
		}
	}
	return v, nil
}

// Scope is the path of the module that makes a value of the file's graph; empty where it is unknown.
func (f *File) Scope(value string) string {
	for _, n := range f.graph.Nodes {
		if slices.Contains(n.Outputs, value) {
			return n.Scope
		}
	}
	return ""
}

// Bind finds the values' types for inputs of these types, in the order of File.Inputs. Bound.Const is not nil if a
// value does not depend on the inputs' elements.
func (v *Values) Bind(inputs ...Type) (map[string]Bound, error) {
	p, err := v.graph.Specialize(operands(inputs))
	if err != nil {
		return nil, err
	}
	bound := map[string]Bound{}
	for _, value := range p.Values {
		if value.Name != "" {
			bound[value.Name] = value
		}
	}
	return bound, nil
}

func operands(types []Type) []graph.Operand {
	list := make([]graph.Operand, len(types))
	for i, t := range types {
		list[i].Type = t
	}
	return list
}

// channelAxes finds the axis of the channels of values by the operators that make them; see [Value].
func channelAxes(g *graph.Graph) map[string]int {
	axes := map[string]int{}
	for _, n := range g.Nodes {
		axis := 0
		switch n.Op {
		case "Conv", "ConvTranspose", "BatchNormalization", "InstanceNormalization", "GroupNormalization", "MaxPool",
			"AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool", "LRN", "DepthToSpace", "SpaceToDepth":
			axis = 1
		case "Linear", "Gemm", "LayerNormalization", "SkipLayerNormalization":
			axis = -1
		case "MatMul":
			if len(n.Inputs) > 1 && g.Constants[n.Inputs[1]] != nil {
				axis = -1
			}
		case "Transpose":
			axis = axisAfter(axes[n.Inputs[0]], n.Attributes["perm"].Ints)
		case "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Shape", "Size", "Gather", "Expand", "Einsum":
		default:
			if !strings.HasPrefix(n.Op, "Reduce") {
				axis = agreed(axes, n.Inputs)
			}
		}
		if axis != 0 && len(n.Outputs) > 0 {
			axes[n.Outputs[0]] = axis
		}
	}
	return axes
}

// agreed is the axis of all inputs whose axis is known; 0 where they differ, or none is known.
func agreed(axes map[string]int, inputs []string) int {
	axis := 0
	for _, name := range inputs {
		other := axes[name]
		if other != 0 && axis != 0 && other != axis {
			return 0
		}
		axis = cmp.Or(axis, other)
	}
	return axis
}

// axisAfter is where a permutation moves an axis of channels; 0 if that is neither the second nor the last one.
func axisAfter(axis int, permutation []int64) int {
	last := len(permutation) - 1
	if axis < 0 {
		axis = last
	}
	if axis == 0 || last < 1 {
		return 0
	}
	switch slices.Index(permutation, int64(axis)) {
	case 1:
		return 1
	case last:
		return -1
	}
	return 0
}
