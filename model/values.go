// The values of a model's graph: outputs and intermediate values.

package model

import (
	"errors"
	"maps"
	"slices"

	"repscope/model/graph"
)

// Value is one value that a model computes.
type Value struct {
	Name     string
	Node     string // name of the node that makes it; may be empty
	Operator string // of that node
	Output   bool   // it is an output of the model
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
	g.Nodes = slices.Clone(g.Nodes)
	g.Constants = maps.Clone(g.Constants)
	g.Outputs = nil
	output := map[string]bool{}
	for _, p := range f.graph.Outputs {
		output[p.Name] = true
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
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		for _, name := range n.Outputs {
			if name == "" || seen[name] || g.Constants[name] != nil {
				continue
			}
			seen[name] = true
			v.List = append(v.List, Value{Name: name, Node: n.Name, Operator: n.Op, Output: output[name]})
		}
	}
	return v, nil
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
