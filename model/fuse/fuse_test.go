// What a program is fused into.

package fuse_test

import (
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// Convolutions, activations and transpositions survive the fusion: the fused
// program has the steps that are expected and no more.
func TestFusion(t *testing.T) {
	weights := func(shape ...int) *graph.Tensor {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return graph.Floats(make([]float32, n), shape...)
	}
	g := &graph.Graph{
		Opset:   17,
		Inputs:  []graph.Port{{Name: "x", DType: graph.Float32}},
		Outputs: []graph.Port{{Name: "z"}},
		Constants: map[string]*graph.Tensor{"w1": weights(4, 1, 3, 3), "b1": weights(4), "s": weights(4), "t": weights(4), "w2": weights(5, 4, 3, 3),
			"shape": graph.Ints(0, -1), "w3": weights(20, 6), "b3": weights(6)},
		Nodes: []*graph.Node{
			{Op: "Conv", Inputs: []string{"x", "w1", "b1"}, Outputs: []string{"c1"}},
			{Op: "Sigmoid", Inputs: []string{"c1"}, Outputs: []string{"g1"}},
			{Op: "Mul", Inputs: []string{"g1", "c1"}, Outputs: []string{"a1"}},
			{Op: "Transpose", Inputs: []string{"a1"}, Outputs: []string{"p1"}, Attributes: map[string]graph.Attribute{"perm": {Kind: graph.AttributeInts, Ints: []int64{0, 2, 3, 1}}}},
			{Op: "LayerNormalization", Inputs: []string{"p1", "s", "t"}, Outputs: []string{"n1"}},
			{Op: "Transpose", Inputs: []string{"n1"}, Outputs: []string{"q1"}, Attributes: map[string]graph.Attribute{"perm": {Kind: graph.AttributeInts, Ints: []int64{0, 3, 1, 2}}}},
			{Op: "Conv", Inputs: []string{"q1", "w2"}, Outputs: []string{"c2"}},
			{Op: "Relu", Inputs: []string{"c2"}, Outputs: []string{"a2"}},
			{Op: "Reshape", Inputs: []string{"a2", "shape"}, Outputs: []string{"f"}},
			{Op: "MatMul", Inputs: []string{"f", "w3"}, Outputs: []string{"m"}},
			{Op: "Add", Inputs: []string{"b3", "m"}, Outputs: []string{"l"}},
			{Op: "Tanh", Inputs: []string{"l"}, Outputs: []string{"z"}},
		},
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{2, 1, 6, 6}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Steps {
		got = append(got, s.Op.Name)
	}
	if want := "Reshape Conv Conv Reshape Linear"; strings.Join(got, " ") != want {
		t.Errorf("steps %v, want %s", got, want)
	}
}

// A conversion to the type that a value is computed in stands in the way of nothing; others, and
// those that are outputs, stay.
func TestCast(t *testing.T) {
	cast := func(to int64) map[string]graph.Attribute {
		return map[string]graph.Attribute{"to": {Kind: graph.AttributeInt, Int: to}}
	}
	g := &graph.Graph{
		Opset:     17,
		Inputs:    []graph.Port{{Name: "x", DType: graph.Float32}},
		Outputs:   []graph.Port{{Name: "z"}, {Name: "c"}},
		Constants: map[string]*graph.Tensor{"w": graph.Floats(make([]float32, 12), 3, 4), "b": graph.Floats(make([]float32, 4), 4)},
		Nodes: []*graph.Node{
			{Op: "MatMul", Inputs: []string{"x", "w"}, Outputs: []string{"m"}},
			{Op: "Cast", Inputs: []string{"m"}, Outputs: []string{"d"}, Attributes: cast(graph.ElementDouble)},
			{Op: "Cast", Inputs: []string{"d"}, Outputs: []string{"f"}, Attributes: cast(graph.ElementFloat)},
			{Op: "Add", Inputs: []string{"f", "b"}, Outputs: []string{"l"}},
			{Op: "Cast", Inputs: []string{"l"}, Outputs: []string{"h"}, Attributes: cast(graph.ElementFloat16)},
			{Op: "Relu", Inputs: []string{"h"}, Outputs: []string{"z"}},
			{Op: "Cast", Inputs: []string{"z"}, Outputs: []string{"c"}, Attributes: cast(graph.ElementFloat)},
		},
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{2, 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Steps {
		got = append(got, s.Op.Name)
	}
	if want := "Linear Cast Relu Cast"; strings.Join(got, " ") != want {
		t.Errorf("steps %v, want %s", got, want)
	}
}
