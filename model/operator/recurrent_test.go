// Recurrent layers: the forms that are refused, and that weights stay one tensor.

package operator_test

import (
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// An error names the node, its operator, and the found and expected values.
func TestRecurrentErrors(t *testing.T) {
	t.Parallel()
	x, w, r, b := floats(5, 2, 3), floats(1, 16, 3), floats(1, 16, 4), floats(1, 32)
	lengths := func(v ...int64) *graph.Tensor { return graph.Ints(v...) }
	type attributes = map[string]graph.Attribute
	for _, c := range []struct {
		what       string
		x          *graph.Tensor
		attributes attributes
		constants  []*graph.Tensor
		want       string
	}{
		{"nothing wrong", x, nil, []*graph.Tensor{w, r, b, lengths(5, 5), floats(1, 2, 4), floats(1, 2, 4), floats(1, 12)}, ""},
		{"X of two axes", floats(5, 3), nil, []*graph.Tensor{w, r}, "input 0 (X) has shape [5 3], want [steps, batch, input]"},
		{"no steps", floats(0, 2, 3), nil, []*graph.Tensor{w, r}, "input 0 (X) has shape [0 2 3]: it is empty"},
		{"X of integers", integers(5, 2, 3), nil, []*graph.Tensor{w, r}, "input 0 has type int64, want float32"},
		{"W for other inputs", x, nil, []*graph.Tensor{floats(1, 16, 2), r}, "input 1 (W) has shape [1 16 2], want [1 16 3]"},
		{"R of another state", x, nil, []*graph.Tensor{w, floats(1, 16, 5)}, "input 1 (W) has shape [1 16 3], want [1 20 3]"},
		{"no R", x, nil, []*graph.Tensor{w, nil, b}, "input 2 is missing"},
		{"another hidden_size", x, attributes{"hidden_size": integer(5)}, []*graph.Tensor{w, r}, "want [1 20 3]"},
		{"B of W alone", x, nil, []*graph.Tensor{w, r, floats(1, 16)}, "input 3 (B) has shape [1 16], want [1 32]"},
		{"a length too many", x, nil, []*graph.Tensor{w, r, b, lengths(5, 5, 5)}, "input 4 (sequence_lens) has shape [3], want [2]"},
		{"a length too large", x, nil, []*graph.Tensor{w, r, b, lengths(5, 6)}, "sequence 1 has length 6, X has 5 steps"},
		{"a state of another batch", x, nil, []*graph.Tensor{w, r, b, nil, floats(1, 3, 4)}, "input 5 (initial_h) has shape [1 3 4], want [1 2 4]"},
		{"a state with the batch first", x, nil, []*graph.Tensor{w, r, b, nil, nil, floats(2, 1, 4)}, "input 6 (initial_c) has shape [2 1 4], want [1 2 4]"},
		{"peepholes of four gates", x, nil, []*graph.Tensor{w, r, b, nil, nil, nil, floats(1, 16)}, "input 7 (P) has shape [1 16], want [1 12]"},
		{"two directions", x, attributes{"direction": {Kind: graph.AttributeString, String: "bidirectional"}}, []*graph.Tensor{w, r}, "want [2 16 3]"},
		{"two activations", x, attributes{"activations": words("Tanh", "Tanh")}, []*graph.Tensor{w, r}, `2 activations ["Tanh" "Tanh"], want 3`},
		{"an unknown activation", x, attributes{"activations": words("Tanh", "Sine", "Tanh")}, []*graph.Tensor{w, r}, `activation "Sine"`},
		{"an activation without its numbers", x, attributes{"activations": words("Tanh", "Affine", "Tanh")}, []*graph.Tensor{w, r}, `"Affine" needs`},
		{"a number for no activation", x, attributes{"activation_alpha": {Kind: graph.AttributeFloats, Floats: []float32{1}}}, []*graph.Tensor{w, r}, "activation_alpha or activation_beta has 1 numbers too many"},
		{"an unknown attribute", x, attributes{"output_sequence": integer(1)}, []*graph.Tensor{w, r}, `attribute "output_sequence" is not supported`},
		{"too many steps", floats(100_000, 2, 3), nil, []*graph.Tensor{w, r}, "100000 unrolled steps, want at most"},
	} {
		_, err := bind("LSTM", "", c.x, c.attributes, c.constants...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node "layer" (LSTM)`)) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

// Executors pack a tensor once: the weights of a layer are the same ones whatever it is bound to, and
// a step multiplies with them once.
func TestRecurrentWeights(t *testing.T) {
	t.Parallel()
	for op, c := range map[string]struct{ gates, matrices int }{"RNN": {1, 1}, "GRU": {3, 2}, "LSTM": {4, 1}} {
		g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
			Constants: map[string]*graph.Tensor{"w": floats(2, 4*c.gates, 3), "r": floats(2, 4*c.gates, 4), "b": floats(2, 8*c.gates)},
			Nodes: []*graph.Node{
				{Op: op, Inputs: []string{"x", "w", "r", "b"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{"direction": {Kind: graph.AttributeString, String: "bidirectional"}}}}}
		if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			t.Fatal(err)
		}
		weights := map[*graph.Tensor]int{}
		products := 0
		for _, steps := range []int{3, 5} {
			p, err := g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{steps, steps, 3}}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Steps {
				switch s.Op.Name {
				case "Linear":
					weights[p.Values[s.In[1]].Const]++
					products++
				case "Gemm", "MatMul":
					t.Errorf("%s: a %s", op, s.Op.Name)
				}
			}
		}
		// The first step of each direction has no state to multiply.
		if want := 2 + 2*c.matrices*(2+4); len(weights) != 1+2*c.matrices || products != want {
			t.Errorf("%s: %d products with %d matrices, want %d with %d", op, products, len(weights), want, 1+2*c.matrices)
		}
	}
}
