// Fewer steps for the same numbers.

package fuse_test

import (
	"fmt"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// A product, a bias and an activation become one step.
func ExampleRules() {
	g := &graph.Graph{
		Opset:   17,
		Inputs:  []graph.Port{{Name: "x", DType: graph.Float32, Dims: []graph.Dim{{Name: "N", Size: -1}, {Size: 2}}}},
		Outputs: []graph.Port{{Name: "y"}},
		Nodes: []*graph.Node{
			{Op: "MatMul", Inputs: []string{"x", "w"}, Outputs: []string{"xw"}},
			{Op: "Add", Inputs: []string{"xw", "b"}, Outputs: []string{"sum"}},
			{Op: "Relu", Inputs: []string{"sum"}, Outputs: []string{"y"}},
		},
		Constants: map[string]*graph.Tensor{"w": graph.Floats([]float32{1, -1, 1, 1}, 2, 2), "b": graph.Floats([]float32{0.5, 0}, 2)},
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		fmt.Println(err)
		return
	}
	program, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{3, 2}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(g.Nodes), "nodes,", len(program.Steps), "step:", program.Steps[0].Node.Op)
	// Output:
	// 3 nodes, 1 step: Linear
}
