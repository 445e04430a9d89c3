// What is written as other operators: the forms that are refused, and that weights stay one tensor.

package operator_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
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
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: x.DType}}, Outputs: []graph.Port{{Name: "y"}}, Constants: map[string]*graph.Tensor{}, Nodes: []*graph.Node{n}}
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

// An error names the node, its operator, what was found and what is wanted.
func TestRecurrentErrors(t *testing.T) {
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
		{"a number for no activation", x, attributes{"activation_alpha": {Kind: graph.AttributeFloats, Floats: []float32{1}}}, []*graph.Tensor{w, r}, "activation_alpha or activation_beta has 1 more"},
		{"an unknown attribute", x, attributes{"output_sequence": integer(1)}, []*graph.Tensor{w, r}, `attribute "output_sequence" is not supported`},
		{"too many steps", floats(100_000, 2, 3), nil, []*graph.Tensor{w, r}, "100000 steps, want at most"},
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

func TestIntegerProductErrors(t *testing.T) {
	scale, zero := floats(), integers()
	for _, c := range []struct {
		op        string
		x         *graph.Tensor
		constants []*graph.Tensor
		want      string
	}{
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), zero, integers(4)}, ""},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(4, 4)}, "the inner axes of [2 3] and [4 4] differ"},
		{"MatMulInteger", floats(2, 3), []*graph.Tensor{integers(3, 4)}, "input 0 has type float32, want int64"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{floats(3, 4)}, "input 1 has type float32, want int64"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), integers(3)}, "input 2 has shape [3], want one element or [2], axis 0 of [2 3]"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), zero, integers(3)}, "input 3 has shape [3], want one element or [4], axis 1 of [3 4]"},
		{"MatMulInteger", integers(2, 3), []*graph.Tensor{integers(3, 4), zero, floats()}, "input 3 has type float32, want int64"},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 2, 3, 3), zero, integers(3)}, ""},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 4, 3, 3)}, "input [1 2 5 5] has 2 channels, weights [3 4 3 3] in 1 groups want 4"},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 2, 3, 3), integers(2)}, "input 2 has shape [2], want one element"},
		{"ConvInteger", integers(1, 2, 5, 5), []*graph.Tensor{integers(3, 2, 3, 3), zero, integers(2)}, "input 3 has shape [2], want one element or [3], axis 0 of [3 2 3 3]"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), floats(3), integers(3), scale, zero, integers(3)}, "a zero point whose type is not known"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), floats(2), zero, scale, zero}, "input 4 has shape [2], want one element or [3], axis 1 of [1 3 3 3]"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), scale, zero, scale, zero, integers(4)}, "input 8 (bias) has shape [4], want [3]"},
		{"QLinearConv", integers(1, 2, 5, 5), []*graph.Tensor{scale, zero, integers(3, 2, 3, 3), scale, zero, scale}, "has 7 inputs, want 8 to 9"},
		{"QLinearMatMul", integers(2, 3), []*graph.Tensor{integers(), zero, integers(3, 4), scale, zero, scale, zero}, "input 1 has type int64, want float32"},
	} {
		_, err := bind(c.op, "", c.x, nil, c.constants...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node "layer" (`)) {
			t.Errorf("%s: error %v, want %q", c.op, err, c.want)
		}
	}
}

func TestLoopErrors(t *testing.T) {
	port := func(names ...string) (ports []graph.Port) {
		for _, name := range names {
			ports = append(ports, graph.Port{Name: name, DType: graph.Float32})
		}
		return ports
	}
	body := func(inputs, outputs []graph.Port, nodes ...*graph.Node) graph.Attribute {
		return graph.Attribute{Kind: graph.AttributeGraph, Graph: &graph.Graph{Inputs: inputs, Outputs: outputs, Nodes: nodes}}
	}
	negate := &graph.Node{Op: "Neg", Inputs: []string{"v"}, Outputs: []string{"o"}}
	positive := &graph.Node{Op: "Greater", Inputs: []string{"v", "o"}, Outputs: []string{"more"}}
	good := body(port("i", "c", "v"), port("c", "o"), negate)
	for _, c := range []struct {
		what   string
		inputs []string
		body   graph.Attribute
		want   string
	}{
		{"nothing wrong", []string{"three", "", "x"}, good, ""},
		{"no body", []string{"three", "", "x"}, integer(1), "wrong type"},
		{"a trip count of the run", []string{"n", "", "x"}, good, "input 0 (the trip count) must be a constant"},
		{"no trip count", []string{"", "", "x"}, good, "a loop without a trip count"},
		{"a trip count of two", []string{"two", "", "x"}, good, "input 0 (the trip count) has shape [2], want one element"},
		{"a trip count that is no integer", []string{"x", "", "x"}, good, "input 0 has type float32, want int64"},
		{"a computed condition", []string{"three", "", "x"}, body(port("i", "c", "v"), port("more", "o"), negate, positive), "a loop whose condition is computed"},
		{"a value too many", []string{"three", "", "x", "x"}, body(port("i", "c", "v", "u"), port("c", "o"), negate), "a body of 4 inputs and 2 outputs"},
		{"too few values", []string{"three", ""}, good, "has 2 inputs, the body takes 3"},
	} {
		g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}, {Name: "n", DType: graph.Int64}}, Outputs: port("y"),
			Constants: map[string]*graph.Tensor{"three": graph.Ints(3), "two": graph.Ints(1, 2)},
			Nodes:     []*graph.Node{{Name: "layer", Op: "Loop", Inputs: c.inputs, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{"body": c.body}}}}
		err := g.Prepare(fuse.Rules(cpu.Evaluate))
		if err == nil {
			_, err = g.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{1}}}, {Type: graph.Type{DType: graph.Int64, Shape: []int{1}}}})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node "layer" (Loop)`)) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

// Products with large constant weights, which are deferred, and with weights of the run are those of integers.
func TestIntegerProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	bytes := func(shape ...int) *graph.Tensor {
		x := integers(shape...)
		for i := range x.I64 {
			x.I64[i] = int64(random.IntN(256))
		}
		return x
	}
	x, w, columns := bytes(3, 200), bytes(200, 100), bytes(100)
	product := integers(3, 100)
	for i := range product.I64 {
		for k := range 200 {
			product.I64[i] += (x.I64[i/100*200+k] - 9) * (w.I64[k*100+i%100] - columns.I64[i%100])
		}
	}
	image, kernels, filters := bytes(1, 32, 4, 4), bytes(64, 32, 3, 3), bytes(64)
	convolution := integers(1, 64, 2, 2)
	for i := range convolution.I64 {
		f, row, column := i/4, i/2%2, i%2
		for k := range 32 * 9 {
			at := k/9*16 + (row+k/3%3)*4 + column + k%3
			convolution.I64[i] += (image.I64[at] - 9) * (kernels.I64[f*288+k] - filters.I64[f])
		}
	}
	for _, c := range []struct {
		op                 string
		x, w, zeros, wants *graph.Tensor
	}{{"MatMulInteger", x, w, columns, product}, {"ConvInteger", image, kernels, filters, convolution}} {
		for _, constant := range []bool{true, false} {
			g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Int64}}, Outputs: []graph.Port{{Name: "y"}},
				Constants: map[string]*graph.Tensor{"nine": graph.Ints(9), "zeros": c.zeros},
				Nodes:     []*graph.Node{{Op: c.op, Inputs: []string{"x", "w", "nine", "zeros"}, Outputs: []string{"y"}}}}
			inputs := []*graph.Tensor{c.x}
			if constant {
				g.Constants["w"] = c.w
			} else {
				g.Inputs = append(g.Inputs, graph.Port{Name: "w", DType: graph.Int64})
				inputs = append(inputs, c.w)
			}
			if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
				t.Fatal(err)
			}
			if g.Constants["w"] != nil {
				t.Errorf("%s: the integers are kept", c.op)
			}
			e := cpu.New(g, 1)
			out, err := e.Run(context.Background(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out[0].Shape, c.wants.Shape) || !slices.Equal(out[0].I64, c.wants.I64) {
				t.Errorf("%s, constant weights %t: other numbers", c.op, constant)
			}
			e.Close()
		}
	}
}
