// Tests of what follows products and convolutions.

package fuse_test

import (
	"math"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// TestFollowUps: constants and functions after a product or a convolution become part of it and give the bits of
// steps of their own; what another reader needs stays.
func TestFollowUps(t *testing.T) {
	t.Parallel()
	spread := func(from, step float32, shape ...int) *graph.Tensor {
		x := graph.Floats(make([]float32, graph.Count(shape)), shape...)
		for i := range x.F32 {
			x.F32[i] = from + step*float32(i*7919%1009)
		}
		return x
	}
	node := func(op, out string, in ...string) *graph.Node {
		return &graph.Node{Op: op, Inputs: in, Outputs: []string{out}}
	}
	for name, c := range map[string]struct {
		nodes []*graph.Node
		x     []int
		steps int
	}{
		"linear": {[]*graph.Node{node("MatMul", "m", "x", "w"), node("Mul", "a", "m", "row"), node("Sub", "b", "a", "number"), node("Round", "c", "b"),
			node("Div", "d", "c", "row"), node("Sub", "e", "d", "row"), node("Softplus", "y", "e")}, []int{211, 40}, 1},
		"convolution": {[]*graph.Node{node("Conv", "m", "x", "f"), node("Add", "a", "m", "channels"), node("Relu", "b", "a"), node("Mul", "c", "channels", "b"),
			node("Div", "d", "c", "number"), node("Round", "e", "d"), node("Clip", "y", "e", "low", "high")}, []int{3, 8, 9, 9}, 2},
		"two readers":         {[]*graph.Node{node("MatMul", "m", "x", "w"), node("Mul", "a", "m", "row"), node("Round", "b", "a"), node("Add", "y", "a", "b")}, []int{5, 40}, 2},
		"a constant in front": {[]*graph.Node{node("MatMul", "m", "x", "w"), node("Sub", "y", "row", "m")}, []int{5, 40}, 2},
	} {
		build := func() *graph.Graph {
			return &graph.Graph{Opset: 19, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}}, Nodes: c.nodes,
				Constants: map[string]*graph.Tensor{"w": spread(-0.5, 0.001, 40, 37), "f": spread(-0.5, 0.001, 20, 8, 3, 3), "row": spread(0.3, 0.01, 37),
					"channels": spread(0.3, 0.01, 1, 20, 1, 1), "number": graph.Floats([]float32{0.37}), "low": graph.Floats([]float32{-20}), "high": graph.Floats([]float32{90})}}
		}
		x := spread(-1, 0.002, c.x...)
		_, want := computed(t, build(), fuse.Rules(cpu.Evaluate), x)
		p, got := computed(t, build(), fuse.ProcessorRules(cpu.Evaluate), x)
		if len(p.Steps) != c.steps {
			var steps []string
			for _, s := range p.Steps {
				steps = append(steps, s.Op.Name)
			}
			t.Errorf("%s: steps %v, want %d", name, steps, c.steps)
		}
		for i, v := range want {
			if math.Float32bits(got[i]) != math.Float32bits(v) {
				t.Fatalf("%s: element %d is %g, want %g", name, i, got[i], v)
			}
		}
	}
}
