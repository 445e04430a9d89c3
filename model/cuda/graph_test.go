//go:build cuda

// Random and altered graphs against model/cpu.

package cuda

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"testing"

	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/graphtest"
)

func TestOperatorsAreComplete(t *testing.T) {
	for _, key := range cpu.Operators() {
		if operators[key] == nil && key != "repscope.Chain" { // which fuse.ProcessorRules alone make
			t.Errorf("%s has a kernel for the processor and none for CUDA", key)
		}
	}
}

// beside is a device whose results are compared with model/cpu.
type beside struct{ context *device.Context }

func newBeside(t testing.TB) beside { return beside{open(t, 1, 1<<30)[0]} }

// check runs a graph with both executors: the same numbers except for rounding, or
// errors of both. It reports whether there was anything to compare.
func (b beside) check(t testing.TB, g *graph.Graph, inputs []*graph.Tensor) bool {
	t.Helper()
	if g.Prepare(fuse.Rules(cpu.Evaluate)) != nil {
		return false
	}
	operands := make([]graph.Operand, len(inputs))
	for i, x := range inputs {
		operands[i].Type = graph.Type{DType: x.DType, Shape: x.Shape}
	}
	p, err := g.Specialize(operands)
	if err != nil {
		return false
	}
	for _, v := range p.Values {
		if n, err := graph.Elements(v.Shape); err != nil || n > 1<<12 {
			return false
		}
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf(format+"\n%s\n%s", append(args, fakecuda.Message(), graphtest.Describe(g, inputs))...)
	}
	reference := cpu.New(g, 1)
	defer reference.Close()
	want, wrong := reference.Run(context.Background(), inputs)
	x, err := New(g, b.context, Options{Precision: FP32})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := x.Run(context.Background(), inputs)
		switch {
		case wrong != nil && err == nil:
			fail("model/cpu says %v, here there is no error", wrong)
		case wrong == nil && err != nil:
			fail("%v", err)
		case wrong != nil:
			continue
		}
		for k := range want {
			if err := graphtest.Compare(got[k], want[k], 1e-5); err != nil {
				fail("output %d: %v", k, err)
			}
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if n := fakecuda.Used(0); n != 0 {
		fail("%d bytes are left", n)
	}
	return wrong == nil
}

// operatorCases are the cases of model/cpu and the paths of their models.
func operatorCases(t testing.TB) (fs.FS, []string) {
	t.Helper()
	cases := graphtest.Cases(t, "../cpu/testdata/*.tar.gz")
	models, err := fs.Glob(cases, "*/model.onnx")
	if err != nil || len(models) == 0 {
		t.Fatal(models, err)
	}
	return cases, models
}

// The cases with other shapes, attributes and constants.
func TestAlteredCases(t *testing.T) {
	cases, models := operatorCases(t)
	b := newBeside(t)
	compared := 0
	const graphs = 3000
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := &graphtest.Source{Data: make([]byte, 24)}
		for i := range s.Data {
			s.Data[i] = byte(r.Uint32())
		}
		g, inputs, err := s.Case(cases, models[r.IntN(len(models))])
		if err != nil {
			t.Fatal(err)
		}
		if b.check(t, g, inputs) {
			compared++
		}
	}
	t.Logf("%d of %d graphs compared", compared, graphs)
}

func TestRandomGraphs(t *testing.T) {
	b := newBeside(t)
	compared := 0
	const graphs = 30000
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := &graphtest.Source{Data: make([]byte, 128)}
		for i := range s.Data {
			s.Data[i] = byte(r.Uint32())
		}
		g, inputs := s.Graph()
		if b.check(t, g, inputs) {
			compared++
		}
	}
	t.Logf("%d of %d graphs compared", compared, graphs)
}
