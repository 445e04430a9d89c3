// What the tests of operators that are written as others share.

package operator_test

import (
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

func floats(shape ...int) *graph.Tensor {
	t, err := graph.NewTensor(graph.Float32, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func integers(shape ...int) *graph.Tensor {
	t, err := graph.NewTensor(graph.Int64, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func integer(v int64) graph.Attribute { return graph.Attribute{Kind: graph.AttributeInt, Int: v} }

func words(v ...string) graph.Attribute {
	return graph.Attribute{Kind: graph.AttributeStrings, Strings: v}
}

// bind prepares a graph of one node of the inputs x, c1, c2, … (nil: absent) and binds it to the shape of x.
func bind(op, domain string, x *graph.Tensor, attributes map[string]graph.Attribute, constants ...*graph.Tensor) (*graph.Program, error) {
	n := &graph.Node{Name: "layer", Op: op, Domain: domain, Inputs: []string{"x"}, Outputs: []string{"y"}, Attributes: attributes}
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: x.DType}}, Outputs: []graph.Port{{Name: "y"}}, Constants: map[string]*graph.Tensor{}, Nodes: []*graph.Node{n}}
	for i, c := range constants {
		name := ""
		if c != nil {
			name = "c" + string(rune('1'+i))
			g.Constants[name] = c
		}
		n.Inputs = append(n.Inputs, name)
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		return nil, err
	}
	return g.Specialize([]graph.Operand{{Type: graph.Type{DType: x.DType, Shape: x.Shape}}})
}
