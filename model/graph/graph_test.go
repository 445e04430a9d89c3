// Graphs that are prepared and run.

package graph_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

func ExampleGraph() {
	g := &graph.Graph{
		Opset:     17,
		Inputs:    []graph.Port{{Name: "x", DType: graph.Float32, Dims: []graph.Dim{{Name: "batch", Size: -1}, {Size: 2}}}},
		Outputs:   []graph.Port{{Name: "z"}},
		Constants: map[string]*graph.Tensor{"w": graph.Floats([]float32{1, 2, 3, 4}, 2, 2)},
		Nodes: []*graph.Node{
			{Op: "MatMul", Inputs: []string{"x", "w"}, Outputs: []string{"y"}},
			{Op: "Relu", Inputs: []string{"y"}, Outputs: []string{"z"}},
		},
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		fmt.Println(err)
		return
	}
	x := cpu.New(g, 1)
	defer x.Close()
	out, err := x.Run(context.Background(), []*graph.Tensor{graph.Floats([]float32{1, 1, -1, 0}, 2, 2)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0].Shape, out[0].F32)
	// Output: [2 2] [4 6 0 0]
}

// Random chains of operators with views, in-place steps and joins: at no step
// do two values that are alive share memory, unless one is a view of the other
// or overwrites it.
func TestPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "v0", DType: graph.Float32}}, Constants: map[string]*graph.Tensor{"flat": graph.Ints(0, -1)}}
		n := rapid.IntRange(1, 25).Draw(t, "nodes")
		pick := func(i int) string { return fmt.Sprintf("v%d", rapid.IntRange(max(0, i-5), i).Draw(t, "input")) }
		for i := range n {
			node := &graph.Node{Outputs: []string{fmt.Sprintf("v%d", i+1)}}
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				node.Op, node.Inputs = "Neg", []string{pick(i)}
			case 1:
				node.Op, node.Inputs = "Reshape", []string{pick(i), "flat"}
			case 2:
				node.Op, node.Inputs = "Add", []string{pick(i), pick(i)}
			case 3:
				node.Op, node.Inputs = "Mul", []string{pick(i), pick(i)}
			}
			g.Nodes = append(g.Nodes, node)
		}
		g.Outputs = []graph.Port{{Name: fmt.Sprintf("v%d", n)}, {Name: pick(n)}}
		nodes := slices.Clone(g.Nodes)
		if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			t.Fatal(err)
		}
		// The executor's result against a plain evaluation of the same list.
		x := []float32{1, -2, 0.5, 3, 0.25, -1}
		values := map[string][]float32{"v0": x}
		for _, node := range nodes {
			a := values[node.Inputs[0]]
			out := slices.Clone(a)
			for i := range out {
				switch node.Op {
				case "Neg":
					out[i] = -a[i]
				case "Add":
					out[i] = a[i] + values[node.Inputs[1]][i]
				case "Mul":
					out[i] = a[i] * values[node.Inputs[1]][i]
				}
			}
			values[node.Outputs[0]] = out
		}
		e := cpu.New(g, 1)
		defer e.Close()
		out, err := e.Run(context.Background(), []*graph.Tensor{graph.Floats(slices.Clone(x), 2, 3)})
		if err != nil {
			t.Fatal(err)
		}
		for k, port := range g.Outputs {
			for i, want := range values[port.Name] {
				if got := out[k].F32[i]; got != want && !(math.IsNaN(float64(got)) && math.IsNaN(float64(want))) {
					t.Fatalf("output %s element %d is %g, want %g", port.Name, i, got, want)
				}
			}
		}
	})
}

// Outputs that nobody reads lose their names, but a node's first one and those of the graph.
func TestUnreadOutputs(t *testing.T) {
	t.Parallel()
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}, {Name: "kept"}},
		Nodes: []*graph.Node{
			{Op: "Split", Inputs: []string{"x"}, Outputs: []string{"first", "unread", "second", "kept"}},
			{Op: "Add", Inputs: []string{"second", "second"}, Outputs: []string{"y"}},
		}}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first", "", "second", "kept"}; !slices.Equal(g.Nodes[0].Outputs, want) {
		t.Errorf("outputs %q, want %q", g.Nodes[0].Outputs, want)
	}
	x := cpu.New(g, 1)
	defer x.Close()
	out, err := x.Run(context.Background(), []*graph.Tensor{graph.Floats([]float32{1, 2, 3, 4}, 4)})
	if err != nil || !slices.Equal(out[0].F32, []float32{6}) || !slices.Equal(out[1].F32, []float32{4}) {
		t.Errorf("%v, error %v", out, err)
	}
}
