// What quantized models are fused into.

package fuse_test

import (
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// TestIntegers: between a quantization and a product, and after it, no conversion is left, and the products are
// marked; where a float may be no integer, or beyond the type, conversions stay.
func TestIntegers(t *testing.T) {
	t.Parallel()
	ints := func(n int, shape ...int) *graph.Tensor {
		x := graph.Ints(make([]int64, n)...)
		x.Shape = shape
		return x
	}
	cast := func(to int64) map[string]graph.Attribute {
		return map[string]graph.Attribute{"to": {Kind: graph.AttributeInt, Int: to}}
	}
	window := map[string]graph.Attribute{"kernel_shape": {Kind: graph.AttributeInts, Ints: []int64{2, 2}}}
	quantize := &graph.Node{Op: "QuantizeLinear", Inputs: []string{"x", "scale", "zero"}, Outputs: []string{"q"},
		Attributes: map[string]graph.Attribute{"output_dtype": {Kind: graph.AttributeInt, Int: graph.ElementUint8}}}
	dequantize := func(from, to string) *graph.Node {
		return &graph.Node{Op: "DequantizeLinear", Inputs: []string{from, "scale", "zero"}, Outputs: []string{to}}
	}
	for name, c := range map[string]struct {
		nodes  []*graph.Node
		shape  []int
		want   string
		marked int
	}{
		"product": {[]*graph.Node{quantize,
			{Op: "MatMulInteger", Inputs: []string{"q", "w", "zero"}, Outputs: []string{"m"}},
			{Op: "Cast", Inputs: []string{"m"}, Outputs: []string{"z"}, Attributes: cast(graph.ElementFloat)},
			{Op: "Relu", Inputs: []string{"z"}, Outputs: []string{"y"}}}, []int{3, 40}, "[Div Round Add Clip Sub] Linear", 1},
		"convolution after a pool": {[]*graph.Node{quantize,
			{Op: "MaxPool", Inputs: []string{"q"}, Outputs: []string{"p"}, Attributes: window},
			{Op: "ConvInteger", Inputs: []string{"p", "f", "zero"}, Outputs: []string{"m"}},
			{Op: "Cast", Inputs: []string{"m"}, Outputs: []string{"z"}, Attributes: cast(graph.ElementFloat)},
			{Op: "Relu", Inputs: []string{"z"}, Outputs: []string{"y"}}},
			[]int{3, 8, 6, 6}, "[Div Round Add Clip] Transpose MaxPool Sub Conv Transpose", 1},
		"pool of dequantized numbers": {[]*graph.Node{quantize, dequantize("q", "d"),
			{Op: "MaxPool", Inputs: []string{"d"}, Outputs: []string{"p"}, Attributes: window},
			{Op: "QuantizeLinear", Inputs: []string{"p", "scale", "zero"}, Outputs: []string{"r"}, Attributes: quantize.Attributes},
			{Op: "ConvInteger", Inputs: []string{"r", "f", "zero"}, Outputs: []string{"m"}},
			{Op: "Cast", Inputs: []string{"m"}, Outputs: []string{"z"}, Attributes: cast(graph.ElementFloat)},
			{Op: "Relu", Inputs: []string{"z"}, Outputs: []string{"y"}}},
			[]int{3, 8, 6, 6}, "[Div Round Add Clip Mul] Transpose MaxPool [Div Round Add Clip Sub] Conv Transpose", 1},
		"integers put together": {[]*graph.Node{quantize, dequantize("q", "d"), {Op: "Relu", Inputs: []string{"x"}, Outputs: []string{"z"}},
			{Op: "QuantizeLinear", Inputs: []string{"z", "scale", "zero"}, Outputs: []string{"p"}, Attributes: quantize.Attributes}, dequantize("p", "e"),
			{Op: "Concat", Inputs: []string{"d", "e"}, Outputs: []string{"c"}, Attributes: map[string]graph.Attribute{"axis": {Kind: graph.AttributeInt, Int: 1}}},
			{Op: "QuantizeLinear", Inputs: []string{"c", "scale", "zero"}, Outputs: []string{"r"}, Attributes: quantize.Attributes},
			{Op: "MatMulInteger", Inputs: []string{"r", "w", "zero"}, Outputs: []string{"m"}},
			{Op: "Cast", Inputs: []string{"m"}, Outputs: []string{"y"}, Attributes: cast(graph.ElementFloat)}},
			[]int{3, 20}, "[Div Round Add Clip Table] [Relu Div Round Add Clip Table] Concat Linear Cast Cast", 1},
		"moved integers": {[]*graph.Node{quantize,
			{Op: "Transpose", Inputs: []string{"q"}, Outputs: []string{"t"}},
			{Op: "Split", Inputs: []string{"t"}, Outputs: []string{"a", "b"}},
			dequantize("a", "c"), dequantize("b", "d"), {Op: "Add", Inputs: []string{"c", "d"}, Outputs: []string{"y"}}}, []int{3, 40}, "[Div Round Add Clip] Transpose Split [(Mul) (Mul) Add]", 0},
		"no integers": {[]*graph.Node{
			{Op: "Cast", Inputs: []string{"x"}, Outputs: []string{"q"}, Attributes: cast(graph.ElementUint8)},
			{Op: "Cast", Inputs: []string{"q"}, Outputs: []string{"y"}, Attributes: cast(graph.ElementFloat)}}, []int{3, 40}, "Cast Cast", 0},
		"beyond the type": {[]*graph.Node{
			{Op: "Clip", Inputs: []string{"x", "low", "high"}, Outputs: []string{"c"}},
			{Op: "Round", Inputs: []string{"c"}, Outputs: []string{"r"}},
			{Op: "Cast", Inputs: []string{"r"}, Outputs: []string{"q"}, Attributes: cast(graph.ElementUint8)},
			{Op: "Cast", Inputs: []string{"q"}, Outputs: []string{"y"}, Attributes: cast(graph.ElementFloat)}},
			[]int{3, 40}, "[Clip Round] Cast Cast", 0},
	} {
		g := &graph.Graph{Opset: 19, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}}, Nodes: c.nodes,
			Constants: map[string]*graph.Tensor{"w": ints(40*20, 40, 20), "f": ints(20*8*9, 20, 8, 3, 3), "zero": ints(1),
				"scale": graph.Floats([]float32{0.1}), "low": graph.Floats([]float32{0}), "high": graph.Floats([]float32{256})}}
		if err := g.Prepare(fuse.ProcessorRules(cpu.Evaluate)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: c.shape}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		marked := 0
		for _, s := range p.Steps {
			got = append(got, described(&s))
			switch q := s.Params.(type) {
			case *operator.GemmParams:
				if q.Integers {
					marked++
				}
			case *operator.ConvParams:
				if q.Integers {
					marked++
				}
			}
		}
		if strings.Join(got, " ") != c.want || marked != c.marked {
			t.Errorf("%s: steps %v, %d of them in integers, want %s, %d", name, got, marked, c.want, c.marked)
		}
	}
}

// described is the name of a step's operator, or of a chain what it does: to its first operand, to its second one,
// and to both together.
func described(s *graph.Step) string {
	p, ok := s.Params.(*operator.ChainParams)
	if !ok {
		return s.Op.Name
	}
	names := func(list []operator.FollowUp) (names []string) {
		for _, then := range list {
			if then.Table != nil {
				names = append(names, "Table")
				continue
			}
			names = append(names, then.Op)
		}
		return names
	}
	var parts []string
	for _, before := range p.Before {
		if before != nil {
			parts = append(parts, "("+strings.Join(names(before), " ")+")")
		}
	}
	if p.Op != "" {
		parts = append(parts, p.Op)
	}
	return "[" + strings.Join(append(parts, names(p.FollowUps)...), " ") + "]"
}
