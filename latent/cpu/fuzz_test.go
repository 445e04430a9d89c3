package cpu_test

// Random and altered small graphs, executed.

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"repscope/latent/cpu"
	"repscope/latent/graph"
	"repscope/latent/onnx"
)

// source turns fuzzed bytes into choices; past their end all choices are 0.
type source struct{ data []byte }

func (s *source) next(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

func (s *source) shape() []int {
	shape := make([]int, s.next(6))
	for i := range shape {
		shape[i] = []int{1, 2, 3, 4, 1, 2, 8, 0}[s.next(8)]
	}
	return shape
}

func (s *source) tensor() *graph.Tensor {
	t := []graph.DType{graph.Float32, graph.Float32, graph.Int64, graph.Bool}[s.next(4)]
	x, err := graph.NewTensor(t, s.shape()...)
	if err != nil {
		panic(err)
	}
	special := []float32{0, 1, -1, 0.5, -2.25, 3, 100, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for i := range x.F32 {
		x.F32[i] = special[s.next(len(special))]
	}
	for i := range x.I64 {
		x.I64[i] = []int64{0, 1, 2, 3, -1, -2, 5, math.MaxInt64}[s.next(8)]
	}
	for i := range x.Bool {
		x.Bool[i] = s.next(2) == 1
	}
	return x
}

func (s *source) ints() []int64 {
	v := make([]int64, s.next(5))
	for i := range v {
		v[i] = int64(s.next(6)) - 1
	}
	return v
}

// words are values of text attributes.
var words = []string{"", "constant", "edge", "reflect", "wrap", "nearest", "linear", "cubic", "SAME_UPPER", "SAME_LOWER", "VALID", "tanh", "none", "DCR", "CRD", "add", "max",
	"half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "floor", "ceil", "ij,jk->ik", "bij,bjk->bik", "...i,i->...", "ii->i", "i,j->ij", "ab->ba", "abc->", "bhwc,hkc->bhwk"}

func (s *source) attribute(name string) graph.Attribute {
	switch name {
	case "alpha", "beta", "gamma", "epsilon", "cubic_coeff_a", "extrapolation_value":
		return graph.Attribute{Kind: graph.AttributeFloat, Float: float32(s.next(5)) - 1}
	case "value":
		return graph.Attribute{Kind: graph.AttributeTensor, Tensor: s.tensor()}
	case "mode", "auto_pad", "approximate", "nearest_mode", "coordinate_transformation_mode", "reduction", "equation", "keep_aspect_ratio_policy":
		return graph.Attribute{Kind: graph.AttributeString, String: words[s.next(len(words))]}
	case "kernel_shape", "pads", "strides", "dilations", "axes", "perm", "output_padding", "output_shape", "split", "value_ints":
		return graph.Attribute{Kind: graph.AttributeInts, Ints: s.ints()}
	}
	return graph.Attribute{Kind: graph.AttributeInt, Int: int64(s.next(8)) - 2}
}

// graph makes a graph of a few nodes and the values of its inputs.
func (s *source) graph() (*graph.Graph, []*graph.Tensor) {
	operators := graph.Supported()
	g := &graph.Graph{Opset: []int{11, 13, 17, 18, 20, 21}[s.next(6)], Constants: map[string]*graph.Tensor{}}
	var inputs []*graph.Tensor
	var names []string
	for i := range 1 + s.next(2) {
		x := s.tensor()
		name := fmt.Sprintf("x%d", i)
		g.Inputs = append(g.Inputs, graph.Port{Name: name, DType: x.DType})
		inputs, names = append(inputs, x), append(names, name)
	}
	for i := range 1 + s.next(5) {
		op := operators[s.next(len(operators))]
		n := &graph.Node{Op: op.Name, Attributes: map[string]graph.Attribute{}}
		for k := range s.next(5) {
			switch s.next(4) {
			case 0:
				name := fmt.Sprintf("c%d_%d", i, k)
				g.Constants[name] = s.tensor()
				n.Inputs = append(n.Inputs, name)
			case 1:
				if s.next(4) == 0 {
					n.Inputs = append(n.Inputs, "")
					break
				}
				name := fmt.Sprintf("i%d_%d", i, k)
				g.Constants[name] = graph.Ints(s.ints()...)
				n.Inputs = append(n.Inputs, name)
			default:
				n.Inputs = append(n.Inputs, names[len(names)-1-s.next(min(len(names), 4))])
			}
		}
		for _, name := range op.Attributes {
			if s.next(3) == 1 {
				n.Attributes[name] = s.attribute(name)
			}
		}
		for k := range 1 + s.next(12)/10 {
			name := fmt.Sprintf("y%d_%d", i, k)
			n.Outputs = append(n.Outputs, name)
			names = append(names, name)
		}
		g.Nodes = append(g.Nodes, n)
	}
	g.Outputs = []graph.Port{{Name: names[len(names)-1]}}
	return g, inputs
}

// FuzzGraph runs random graphs; see execute.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{0})
	for i := range 64 {
		seed := make([]byte, 96)
		for k := range seed {
			seed[k] = byte((i*131 + k*k*17 + k*i*7) >> (i % 3))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		g, inputs := s.graph()
		execute(t, g, inputs)
	})
}

// FuzzOperators runs the cases of TestOperators with altered shapes, attributes and
// constants, which more often are valid than random graphs are; see execute.
func FuzzOperators(f *testing.F) {
	cases := operatorCases(f)
	models, err := fs.Glob(cases, "*/model.onnx")
	if err != nil {
		f.Fatal(err)
	}
	for i := range models {
		f.Add([]byte{byte(i >> 8), byte(i), 0})
		f.Add([]byte{byte(i >> 8), byte(i), 1, byte(i * 7), byte(i * 11), byte(i * 13), byte(i * 3)})
		f.Add([]byte{byte(i >> 8), byte(i), 2, byte(i * 3), byte(i * 5), byte(i * 17), byte(i * 29), byte(i * 31), byte(i * 37), byte(i * 41)})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		at := (s.next(256)*256 + s.next(256)) % len(models)
		dir := path.Dir(models[at])
		file, err := fs.ReadFile(cases, models[at])
		if err != nil {
			t.Fatal(err)
		}
		model, err := onnx.Decode(file, "", onnx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := model.Graph
		var inputs []*graph.Tensor
		for i := range g.Inputs {
			x, err := readTensor(cases, path.Join(dir, "test_data_set_0"), "input", i)
			if err != nil {
				t.Fatal(err)
			}
			g.Inputs[i].Dims = nil
			inputs = append(inputs, x)
		}
		for range s.next(4) {
			s.alter(g, inputs)
		}
		execute(t, g, inputs)
	})
}

// alter changes one thing about a graph or its inputs.
func (s *source) alter(g *graph.Graph, inputs []*graph.Tensor) {
	tensors := slices.Clone(inputs)
	for _, name := range slices.Sorted(maps.Keys(g.Constants)) {
		tensors = append(tensors, g.Constants[name])
	}
	n := g.Nodes[s.next(len(g.Nodes))]
	what := s.next(8)
	switch {
	case what < 4 && len(tensors) > 0:
		// Another shape; elements are repeated.
		x := tensors[s.next(len(tensors))]
		shape := slices.Clone(x.Shape)
		switch k := s.next(4); {
		case k == 0:
			shape = append(shape, 1+s.next(2))
		case k == 1 && len(shape) > 0:
			shape = shape[1:]
		case len(shape) > 0:
			shape[s.next(len(shape))] = s.next(6)
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
		x := tensors[s.next(len(tensors))]
		if len(x.I64) > 0 {
			x.I64[s.next(len(x.I64))] = int64(s.next(12)) - 4
		}
		if len(x.F32) > 0 {
			x.F32[s.next(len(x.F32))] = float32(s.next(12))/2 - 1
		}
	case what < 7 && len(n.Attributes) > 0:
		names := slices.Sorted(maps.Keys(n.Attributes))
		name := names[s.next(len(names))]
		a := n.Attributes[name]
		if a.Kind == graph.AttributeInts && len(a.Ints) > 0 {
			a.Ints = slices.Clone(a.Ints)
			a.Ints[s.next(len(a.Ints))] = int64(s.next(7)) - 1
			n.Attributes[name] = a
			return
		}
		n.Attributes[name] = s.attribute(name)
	case len(n.Inputs) > 0:
		n.Inputs[s.next(len(n.Inputs))] = ""
	}
}

// execute runs a graph. It ends with an error that is not the kernels'
// fault, or with the same bits on one and on three threads, in the shape that was inferred.
func execute(t *testing.T, g *graph.Graph, inputs []*graph.Tensor) {
	fault := func(err error) {
		if strings.Contains(err.Error(), "internal error") || strings.Contains(err.Error(), "no kernel") {
			t.Fatalf("%v\n%s", err, describe(g, inputs))
		}
	}
	if err := g.Prepare(cpu.Evaluate); err != nil {
		fault(err)
		return
	}
	operands := make([]graph.Operand, len(inputs))
	for i, x := range inputs {
		operands[i].Type = graph.Type{DType: x.DType, Shape: x.Shape}
	}
	p, err := g.Specialize(operands, cpu.Evaluate)
	if err != nil {
		fault(err)
		return
	}
	for _, v := range p.Values {
		if n, err := graph.Elements(v.Shape); err != nil || n > 1<<16 {
			return
		}
	}
	var first *graph.Tensor
	for _, threads := range []int{1, 3} {
		x := cpu.New(g, threads)
		out, err := x.Run(context.Background(), inputs)
		if err != nil {
			fault(err)
			x.Close()
			return
		}
		y := *out[0]
		if want := p.Values[p.Outputs[0]]; y.DType != want.DType || !slices.Equal(y.Shape, want.Shape) || len(y.F32)+len(y.I64)+len(y.Bool) != y.Len() {
			t.Fatalf("output %v %v of %d elements, inferred %v %v\n%s", y.DType, y.Shape, len(y.F32)+len(y.I64)+len(y.Bool), want.DType, want.Shape, describe(g, inputs))
		}
		y.F32, y.I64, y.Bool = slices.Clone(y.F32), slices.Clone(y.I64), slices.Clone(y.Bool)
		x.Close()
		if first == nil {
			first = &y
			continue
		}
		for i := range y.F32 {
			a, b := first.F32[i], y.F32[i]
			if math.Float32bits(a) != math.Float32bits(b) && (a == a || b == b) {
				t.Fatalf("element %d is %g on one thread, %g on three\n%s", i, a, b, describe(g, inputs))
			}
		}
		if !slices.Equal(first.I64, y.I64) || !slices.Equal(first.Bool, y.Bool) {
			t.Fatalf("other numbers on three threads\n%s", describe(g, inputs))
		}
	}
}

func describe(g *graph.Graph, inputs []*graph.Tensor) string {
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

// Every operator with an axis of its first input emptied, axis by axis: an
// error or an empty result, but no fault.
func TestEmptyAxes(t *testing.T) {
	cases := operatorCases(t)
	models, err := fs.Glob(cases, "*/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range models {
		file, err := fs.ReadFile(cases, name)
		if err != nil {
			t.Fatal(err)
		}
		for axis := range 4 {
			model, err := onnx.Decode(file, "", onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var inputs []*graph.Tensor
			for i := range model.Graph.Inputs {
				x, err := readTensor(cases, path.Join(path.Dir(name), "test_data_set_0"), "input", i)
				if err != nil {
					t.Fatal(err)
				}
				model.Graph.Inputs[i].Dims = nil
				inputs = append(inputs, x)
			}
			if axis >= len(inputs[0].Shape) {
				break
			}
			shape := slices.Clone(inputs[0].Shape)
			shape[axis] = 0
			if inputs[0], err = graph.NewTensor(inputs[0].DType, shape...); err != nil {
				t.Fatal(err)
			}
			execute(t, model.Graph, inputs)
		}
	}
}
