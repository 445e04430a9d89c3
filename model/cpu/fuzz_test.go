// Random and altered small graphs, executed.

package cpu_test

import (
	"context"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/graphtest"
	"repscope/model/onnx"
)

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
		s := &graphtest.Source{Data: data}
		g, inputs := s.Graph()
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
		s := &graphtest.Source{Data: data}
		g, inputs, err := s.Case(cases, models[(s.Next(256)*256+s.Next(256))%len(models)])
		if err != nil {
			t.Fatal(err)
		}
		execute(t, g, inputs)
	})
}

// execute runs a graph. It ends with an error that is not the kernels'
// fault, or with the same bits on one and on three threads, in the shape that was inferred.
func execute(t *testing.T, g *graph.Graph, inputs []*graph.Tensor) {
	fault := func(err error) {
		if strings.Contains(err.Error(), "internal error") || strings.Contains(err.Error(), "no kernel") {
			t.Fatalf("%v\n%s", err, graphtest.Describe(g, inputs))
		}
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		fault(err)
		return
	}
	operands := make([]graph.Operand, len(inputs))
	for i, x := range inputs {
		operands[i].Type = graph.Type{DType: x.DType, Shape: x.Shape}
	}
	p, err := g.Specialize(operands)
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
			t.Fatalf("output %v %v of %d elements, inferred %v %v\n%s", y.DType, y.Shape, len(y.F32)+len(y.I64)+len(y.Bool), want.DType, want.Shape, graphtest.Describe(g, inputs))
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
				t.Fatalf("element %d is %g on one thread, %g on three\n%s", i, a, b, graphtest.Describe(g, inputs))
			}
		}
		if !slices.Equal(first.I64, y.I64) || !slices.Equal(first.Bool, y.Bool) {
			t.Fatalf("other numbers on three threads\n%s", graphtest.Describe(g, inputs))
		}
	}
}

// Every operator with an axis of its first input emptied, axis by axis: an
// error or an empty result, but no fault.
func TestEmptyAxes(t *testing.T) {
	t.Parallel()
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
			model, err := onnx.Decode(file, "", onnx.Options{MinOpset: 1})
			if err != nil {
				t.Fatal(err)
			}
			var inputs []*graph.Tensor
			for i := range model.Graph.Inputs {
				x, err := graphtest.ReadTensor(cases, path.Join(path.Dir(name), "test_data_set_0"), "input", i)
				if err != nil {
					t.Fatal(err)
				}
				model.Graph.Inputs[i].Dims = nil
				inputs = append(inputs, x)
			}
			if len(inputs) == 0 || axis >= len(inputs[0].Shape) {
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
