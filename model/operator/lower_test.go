// What the tests of operators that are written as others share.

package operator_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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
	g := &graph.Graph{Opset: 21, Inputs: []graph.Port{{Name: "x", DType: x.DType}}, Outputs: []graph.Port{{Name: "y"}}, Constants: map[string]*graph.Tensor{}, Nodes: []*graph.Node{n}}
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

// compute is the outputs of a graph of one node; inputs that are nil are absent, and those listed as constant
// constants of the graph.
func compute(t testing.TB, opset int, op string, attributes map[string]graph.Attribute, outputs int, inputs []*graph.Tensor,
	constant ...int) []*graph.Tensor {
	t.Helper()
	out, err := attempt(opset, op, attributes, outputs, inputs, constant...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// attempt is compute that may fail.
func attempt(opset int, op string, attributes map[string]graph.Attribute, outputs int, inputs []*graph.Tensor,
	constant ...int) ([]*graph.Tensor, error) {
	n := &graph.Node{Name: "layer", Op: op, Attributes: attributes}
	g := &graph.Graph{Opset: opset, Constants: map[string]*graph.Tensor{}, Nodes: []*graph.Node{n}}
	var tensors []*graph.Tensor
	for i, x := range inputs {
		name := fmt.Sprint("x", i)
		switch {
		case x == nil:
			name = ""
		case slices.Contains(constant, i):
			g.Constants[name] = x
		default:
			g.Inputs, tensors = append(g.Inputs, graph.Port{Name: name, DType: x.DType, Bits: x.Bits}), append(tensors, x)
		}
		n.Inputs = append(n.Inputs, name)
	}
	for i := range outputs {
		n.Outputs = append(n.Outputs, fmt.Sprint("y", i))
		g.Outputs = append(g.Outputs, graph.Port{Name: fmt.Sprint("y", i)})
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		return nil, err
	}
	x := cpu.New(g, 2)
	defer x.Close()
	out, err := x.Run(context.Background(), tensors)
	return slices.Clone(out), err
}

// random is floats between −1 and 1.
func random(r *rand.Rand, shape ...int) *graph.Tensor {
	t := floats(shape...)
	for i := range t.F32 {
		t.F32[i] = 2*r.Float32() - 1
	}
	return t
}

// near fails unless the elements are the wanted ones to a tolerance times max(1, |element|).
func near(t testing.TB, what string, got *graph.Tensor, want []float64, tolerance float64, shape ...int) {
	t.Helper()
	if !slices.Equal(got.Shape, shape) {
		t.Fatalf("%s: shape %v, want %v", what, got.Shape, shape)
	}
	for i, w := range want {
		if g := float64(got.F32[i]); !(math.Abs(g-w) <= tolerance*max(1, math.Abs(w))) {
			t.Fatalf("%s: element %v is %g, want %g", what, graph.Position(shape, i), g, w)
		}
	}
}

// scalarInt is one integer without axes.
func scalarInt(v int) *graph.Tensor {
	return &graph.Tensor{DType: graph.Int64, Shape: []int{}, I64: []int64{int64(v)}}
}

// list is a vector of integers.
func list(values ...int) *graph.Tensor {
	t := integers(len(values))
	for i, v := range values {
		t.I64[i] = int64(v)
	}
	return t
}

// text is an attribute of text.
func text(v string) graph.Attribute { return graph.Attribute{Kind: graph.AttributeString, String: v} }
