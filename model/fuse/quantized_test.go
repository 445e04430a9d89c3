// Tests of products of dequantized numbers as integer products.

package fuse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// computed runs a graph under rules and returns the operators of its steps and its output.
func computed(t *testing.T, g *graph.Graph, rules graph.Rules, x *graph.Tensor) (p *graph.Program, y []float32) {
	t.Helper()
	if err := g.Prepare(rules); err != nil {
		t.Fatal(err)
	}
	p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: x.Shape}}})
	if err != nil {
		t.Fatal(err)
	}
	e := cpu.New(g, 2)
	defer e.Close()
	out, err := e.Run(t.Context(), []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	return p, out[0].F32
}

// TestUnquantize: dequantized operands are multiplied as integers, with the result of the graph as it is written;
// others stay.
func TestUnquantize(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	random := func(low, high int, shape ...int) *graph.Tensor {
		x := graph.Ints(make([]int64, graph.Count(shape))...)
		for i := range x.I64 {
			x.I64[i] = int64(low + r.IntN(high-low+1))
		}
		x.Shape = shape
		return x
	}
	floats := func(scale float64, shape ...int) *graph.Tensor {
		x := graph.Floats(make([]float32, graph.Count(shape)), shape...)
		for i := range x.F32 {
			x.F32[i] = float32((0.5 + r.Float64()) * scale)
		}
		return x
	}
	for _, c := range []struct {
		op         string
		x, w       []int
		axis       int
		attributes map[string]graph.Attribute
		integers   bool
	}{
		{"Conv", []int{2, 12, 7, 7}, []int{70, 12, 3, 3}, 0, map[string]graph.Attribute{"pads": graph.IntsAttribute(1, 1, 1, 1)}, true},
		{"MatMul", []int{5, 9, 64}, []int{64, 70}, 1, nil, true},
		{"Gemm", []int{9, 64}, []int{64, 70}, -1, nil, true},
		{"Gemm", []int{9, 64}, []int{70, 64}, 0, map[string]graph.Attribute{"transB": graph.IntAttribute(1)}, true},
		{"Gemm", []int{9, 64}, []int{64, 70}, 1, map[string]graph.Attribute{"alpha": {Kind: graph.AttributeFloat, Float: 2}}, false},
		{"MatMul", []int{5, 9, 64}, []int{64, 70}, 0, nil, false}, // scales along the depth
	} {
		build := func() *graph.Graph {
			r = rand.New(rand.NewPCG(9, uint64(len(c.x))))
			count := c.w[(c.axis+len(c.w))%len(c.w)]
			g := &graph.Graph{Opset: 19, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
				Constants: map[string]*graph.Tensor{"sx": graph.Floats([]float32{0.02}), "zx": {DType: graph.Int64, I64: []int64{117}},
					"w": random(-128, 127, c.w...), "sw": floats(0.01, count), "zw": random(-3, 3, count), "b": random(-900, 900, 70), "sb": floats(2e-4, 70), "zb": random(0, 0, 70)}}
			zero := map[string]graph.Attribute{"output_dtype": graph.IntAttribute(graph.ElementUint8)}
			axis := map[string]graph.Attribute{"axis": graph.IntAttribute(c.axis)}
			product := &graph.Node{Op: c.op, Inputs: []string{"xd", "wd"}, Outputs: []string{"y"}, Attributes: c.attributes}
			if c.op != "MatMul" {
				product.Inputs = append(product.Inputs, "bd")
			}
			g.Nodes = []*graph.Node{
				{Op: "QuantizeLinear", Inputs: []string{"x", "sx", "zx"}, Outputs: []string{"q"}, Attributes: zero},
				{Op: "DequantizeLinear", Inputs: []string{"q", "sx", "zx"}, Outputs: []string{"xd"}},
				{Op: "DequantizeLinear", Inputs: []string{"w", "sw", "zw"}, Outputs: []string{"wd"}, Attributes: axis},
				{Op: "DequantizeLinear", Inputs: []string{"b", "sb", "zb"}, Outputs: []string{"bd"}, Attributes: map[string]graph.Attribute{"axis": graph.IntAttribute(0)}},
				product,
			}
			return g
		}
		x := floats(1, c.x...)
		_, want := computed(t, build(), fuse.Rules(cpu.Evaluate), x)
		p, got := computed(t, build(), fuse.ProcessorRules(cpu.Evaluate), x)
		marked := slices.ContainsFunc(p.Steps, func(s graph.Step) bool {
			gemm, ok := s.Params.(*operator.GemmParams)
			conv, is := s.Params.(*operator.ConvParams)
			return ok && gemm.Integers || is && conv.Integers
		})
		what := fmt.Sprint(c.op, c.w, c.axis)
		if marked != c.integers {
			t.Errorf("%s: product of integers %v, want %v", what, marked, c.integers)
		}
		largest := float32(0)
		for _, v := range want {
			largest = max(largest, v, -v)
		}
		for i, v := range want {
			if d := got[i] - v; !(d <= 1e-5*largest && -d <= 1e-5*largest) {
				t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], v)
			}
		}
	}
}
