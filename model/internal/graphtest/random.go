// Package graphtest is shared by the tests of the executors: random and altered small graphs, and the cases of
// operators in the format of the ONNX node tests.
package graphtest

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"repscope/model/graph"
	"repscope/model/onnx"
	"repscope/model/operator"
)

// Source turns bytes into choices; past their end all choices are 0.
type Source struct{ Data []byte }

// Next chooses a number below n ≤ 256.
func (s *Source) Next(n int) int {
	if len(s.Data) == 0 {
		return 0
	}
	b := s.Data[0]
	s.Data = s.Data[1:]
	return int(b) % n
}

func (s *Source) shape() []int {
	shape := make([]int, s.Next(6))
	for i := range shape {
		shape[i] = []int{1, 2, 3, 4, 1, 2, 8, 0}[s.Next(8)]
	}
	return shape
}

func (s *Source) tensor() *graph.Tensor {
	t := []graph.DType{graph.Float32, graph.Float32, graph.Int64, graph.Bool}[s.Next(4)]
	x, err := graph.NewTensor(t, s.shape()...)
	if err != nil {
		panic(err)
	}
	special := []float32{0, 1, -1, 0.5, -2.25, 3, 100, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for i := range x.F32 {
		x.F32[i] = special[s.Next(len(special))]
	}
	for i := range x.I64 {
		x.I64[i] = []int64{0, 1, 2, 3, -1, -2, 5, math.MaxInt64}[s.Next(8)]
	}
	for i := range x.Bool {
		x.Bool[i] = s.Next(2) == 1
	}
	return x
}

func (s *Source) ints() []int64 {
	v := make([]int64, s.Next(5))
	for i := range v {
		v[i] = int64(s.Next(6)) - 1
	}
	return v
}

// words are values of text attributes.
var words = []string{"", "constant", "edge", "reflect", "wrap", "nearest", "linear", "cubic", "SAME_UPPER", "SAME_LOWER", "VALID", "tanh", "none", "DCR", "CRD", "add", "max",
	"half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "floor", "ceil", "ij,jk->ik", "bij,bjk->bik", "...i,i->...", "ii->i", "i,j->ij", "ab->ba", "abc->", "bhwc,hkc->bhwk",
	"forward", "reverse", "bidirectional", "sum", "mean", "avg", "up", "nearest", "output_half_pixel"}

func (s *Source) attribute(name string) graph.Attribute {
	switch name {
	case "alpha", "beta", "gamma", "epsilon", "cubic_coeff_a", "extrapolation_value", "clip":
		return graph.Attribute{Kind: graph.AttributeFloat, Float: float32(s.Next(5)) - 1}
	case "value":
		return graph.Attribute{Kind: graph.AttributeTensor, Tensor: s.tensor()}
	case "mode", "auto_pad", "approximate", "nearest_mode", "coordinate_transformation_mode", "reduction", "equation", "keep_aspect_ratio_policy", "direction", "round_mode":
		return graph.Attribute{Kind: graph.AttributeString, String: words[s.Next(len(words))]}
	case "kernel_shape", "pads", "strides", "dilations", "axes", "perm", "output_padding", "output_shape", "split", "value_ints",
		"scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions":
		return graph.Attribute{Kind: graph.AttributeInts, Ints: s.ints()}
	case "activation_alpha", "activation_beta":
		return graph.Attribute{Kind: graph.AttributeFloats, Floats: []float32{0.5, 1.5, -1}[:s.Next(4)]}
	case "activations":
		a := graph.Attribute{Kind: graph.AttributeStrings}
		for range s.Next(7) {
			a.Strings = append(a.Strings, []string{"Tanh", "Sigmoid", "relu", "Affine", "HardSigmoid", "", "Elu"}[s.Next(7)])
		}
		return a
	}
	return graph.Attribute{Kind: graph.AttributeInt, Int: int64(s.Next(8)) - 2}
}

// supported is the list of operators, made once: making it takes longer than a graph.
var supported = sync.OnceValue(func() []operator.Support {
	return slices.DeleteFunc(operator.Supported(), func(s operator.Support) bool { return strings.Contains(s.Name, ".") })
})

// Graph makes a graph of a few nodes and the values of its inputs.
func (s *Source) Graph() (*graph.Graph, []*graph.Tensor) {
	operators := supported()
	g := &graph.Graph{Opset: []int{11, 13, 17, 18, 20, 21}[s.Next(6)], Constants: map[string]*graph.Tensor{}}
	var inputs []*graph.Tensor
	var names []string
	for i := range 1 + s.Next(2) {
		x := s.tensor()
		name := fmt.Sprintf("x%d", i)
		g.Inputs = append(g.Inputs, graph.Port{Name: name, DType: x.DType})
		inputs, names = append(inputs, x), append(names, name)
	}
	for i := range 1 + s.Next(5) {
		op := operators[s.Next(len(operators))]
		n := &graph.Node{Op: op.Name, Attributes: map[string]graph.Attribute{}}
		for k := range s.Next(5) {
			switch s.Next(4) {
			case 0:
				name := fmt.Sprintf("c%d_%d", i, k)
				g.Constants[name] = s.tensor()
				n.Inputs = append(n.Inputs, name)
			case 1:
				if s.Next(4) == 0 {
					n.Inputs = append(n.Inputs, "")
					break
				}
				name := fmt.Sprintf("i%d_%d", i, k)
				g.Constants[name] = graph.Ints(s.ints()...)
				n.Inputs = append(n.Inputs, name)
			default:
				n.Inputs = append(n.Inputs, names[len(names)-1-s.Next(min(len(names), 4))])
			}
		}
		for _, name := range op.Attributes {
			if s.Next(3) == 1 {
				n.Attributes[name] = s.attribute(name)
			}
		}
		for k := range 1 + s.Next(12)/10 {
			name := fmt.Sprintf("y%d_%d", i, k)
			n.Outputs = append(n.Outputs, name)
			names = append(names, name)
		}
		g.Nodes = append(g.Nodes, n)
	}
	g.Outputs = []graph.Port{{Name: names[len(names)-1]}}
	return g, inputs
}

// Alter changes one thing about a graph or its inputs.
func (s *Source) Alter(g *graph.Graph, inputs []*graph.Tensor) {
	tensors := slices.Clone(inputs)
	for _, name := range slices.Sorted(maps.Keys(g.Constants)) {
		tensors = append(tensors, g.Constants[name])
	}
	n := g.Nodes[s.Next(len(g.Nodes))]
	what := s.Next(8)
	switch {
	case what < 4 && len(tensors) > 0:
		// Another shape; elements are repeated.
		x := tensors[s.Next(len(tensors))]
		shape := slices.Clone(x.Shape)
		switch k := s.Next(4); {
		case k == 0:
			shape = append(shape, 1+s.Next(2))
		case k == 1 && len(shape) > 0:
			shape = shape[1:]
		case len(shape) > 0:
			shape[s.Next(len(shape))] = s.Next(6)
		}
		y, err := graph.NewTensor(x.DType, shape...)
		if err != nil || x.Len() == 0 {
			return
		}
		for i := range y.F32 {
			y.F32[i] = x.F32[i%len(x.F32)]
		}
		for i := range y.I64 {
			y.I64[i] = x.I64[i%len(x.I64)]
		}
		for i := range y.Bool {
			y.Bool[i] = x.Bool[i%len(x.Bool)]
		}
		*x = *y
	case what < 5 && len(tensors) > 0:
		x := tensors[s.Next(len(tensors))]
		if len(x.I64) > 0 {
			x.I64[s.Next(len(x.I64))] = int64(s.Next(12)) - 4
		}
		if len(x.F32) > 0 {
			x.F32[s.Next(len(x.F32))] = float32(s.Next(12))/2 - 1
		}
	case what < 7 && len(n.Attributes) > 0:
		names := slices.Sorted(maps.Keys(n.Attributes))
		name := names[s.Next(len(names))]
		a := n.Attributes[name]
		if a.Kind == graph.AttributeInts && len(a.Ints) > 0 {
			a.Ints = slices.Clone(a.Ints)
			a.Ints[s.Next(len(a.Ints))] = int64(s.Next(7)) - 1
			n.Attributes[name] = a
			return
		}
		n.Attributes[name] = s.attribute(name)
	case len(n.Inputs) > 0:
		n.Inputs[s.Next(len(n.Inputs))] = ""
	}
}

// Describe writes a graph down.
func Describe(g *graph.Graph, inputs []*graph.Tensor) string {
	var b strings.Builder
	fmt.Fprintf(&b, "opset %d\n", g.Opset)
	for i, x := range inputs {
		fmt.Fprintf(&b, "x%d: %v %v\n", i, x.DType, x.Shape)
	}
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%v = %s(%v)", n.Outputs, n.Op, n.Inputs)
		for name, a := range n.Attributes {
			fmt.Fprintf(&b, " %s=%v%v%v%v", name, a.Int, a.Ints, a.String, a.Float)
		}
		for _, in := range n.Inputs {
			if c := g.Constants[in]; c != nil {
				fmt.Fprintf(&b, " %s: %v %v %v%v", in, c.DType, c.Shape, c.I64, c.F32)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Case is the graph and the inputs of a case, altered up to three times; model is the path of its model.
func (s *Source) Case(cases fs.FS, model string) (*graph.Graph, []*graph.Tensor, error) {
	file, err := fs.ReadFile(cases, model)
	if err != nil {
		return nil, nil, err
	}
	decoded, err := onnx.Decode(file, "", onnx.Options{MinOpset: 1})
	if err != nil {
		return nil, nil, err
	}
	g := decoded.Graph
	var inputs []*graph.Tensor
	for i := range g.Inputs {
		x, err := ReadTensor(cases, path.Join(path.Dir(model), "test_data_set_0"), "input", i)
		if err != nil {
			return nil, nil, err
		}
		g.Inputs[i].Dims = nil
		inputs = append(inputs, x)
	}
	for range s.Next(4) {
		s.Alter(g, inputs)
	}
	return g, inputs, nil
}
