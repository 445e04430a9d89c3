// A graph run on the processor.

package cpu_test

import (
	"context"
	"fmt"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// Two states [2, 2] go through a layer: relu(x·w + b).
func ExampleExecutor_Run() {
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
	if err := g.Prepare(fuse.ProcessorRules(cpu.Evaluate)); err != nil {
		fmt.Println(err)
		return
	}
	x := cpu.New(g, 1)
	defer x.Close()
	out, err := x.Run(context.Background(), []*graph.Tensor{graph.Floats([]float32{1, 2, 0, -3}, 2, 2)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0].Shape, out[0].F32)
	// Output:
	// [2 2] [3.5 1 0 0]
}
