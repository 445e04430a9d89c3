package graph_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repscope/model/cpu"
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
	if err := g.Prepare(cpu.Evaluate); err != nil {
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

func TestElements(t *testing.T) {
	for _, shape := range [][]int{{-1}, {3, -2}, {1 << 20, 1 << 20}, {math.MaxInt, 2}, {math.MaxInt, math.MaxInt}} {
		if n, err := graph.Elements(shape); err == nil {
			t.Errorf("%v has %d elements, want an error", shape, n)
		}
	}
	for n, shape := range map[int][]int{1: {}, 0: {5, 0, 1 << 20}, 24: {2, 3, 4}} {
		if got, err := graph.Elements(shape); err != nil || got != n {
			t.Errorf("%v has %d elements, %v, want %d", shape, got, err, n)
		}
	}
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
		if err := g.Prepare(cpu.Evaluate); err != nil {
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
	if err := g.Prepare(cpu.Evaluate); err != nil {
		t.Fatal(err)
	}
	p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{2, 1, 6, 6}}}}, cpu.Evaluate)
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

// A batch normalisation disappears into the convolution before it, unless the
// convolution's own result is wanted; the values stay.
func TestFoldBatchNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	positive := func(shape ...int) *graph.Tensor {
		n := 1
		for _, d := range shape {
			n *= d
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = r.Float32() + 0.1
		}
		return graph.Floats(x, shape...)
	}
	constants := map[string]*graph.Tensor{"w": positive(3, 2, 3, 3), "b": positive(3), "s": positive(3), "t": positive(3), "m": positive(3), "v": positive(3)}
	x := positive(2, 2, 6, 5)
	for _, bias := range []string{"", "b"} {
		var values [2][]float32
		for k, watched := range []bool{false, true} {
			g := &graph.Graph{Opset: 15, Constants: maps.Clone(constants),
				Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
				Nodes: []*graph.Node{
					{Op: "Conv", Inputs: []string{"x", "w", bias}, Outputs: []string{"c"}},
					{Op: "BatchNormalization", Inputs: []string{"c", "s", "t", "m", "v"}, Outputs: []string{"y"}},
				}}
			if watched {
				g.Outputs = append(g.Outputs, graph.Port{Name: "c"})
			}
			if err := g.Prepare(cpu.Evaluate); err != nil {
				t.Fatal(err)
			}
			if want := 1 + k; len(g.Nodes) != want {
				t.Errorf("%d nodes, want %d", len(g.Nodes), want)
			}
			e := cpu.New(g, 1)
			defer e.Close()
			out, err := e.Run(context.Background(), []*graph.Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			values[k] = slices.Clone(out[0].F32)
		}
		for i, want := range values[1] {
			if got := values[0][i]; math.Abs(float64(got-want)) > 1e-5*(1+math.Abs(float64(want))) {
				t.Fatalf("element %d is %g, want %g", i, got, want)
			}
		}
	}
}
