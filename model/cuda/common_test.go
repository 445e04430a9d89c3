//go:build cuda

// Helpers of the tests of this package: executors compared with model/cpu, on the fake driver or on a GPU.

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/operator"
)

// open returns contexts on new fake GPUs with this many bytes of memory each, or on the machine's GPUs; without enough
// of them the test is skipped.
func open(t testing.TB, devices int, memory int64) []*device.Context {
	t.Helper()
	fakecuda.Reset(devices, memory)
	list, err := device.Devices()
	if errors.Is(err, device.ErrNoDevice) || err == nil && len(list) < devices {
		t.Skipf("%d GPUs are needed: %v, %v", devices, list, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	list = list[:devices]
	if !fakecuda.Linked {
		for _, d := range list[min(len(inUse), devices):] {
			c, err := device.Open(d)
			if err != nil {
				t.Fatal(err)
			}
			inUse = append(inUse, c)
		}
		return inUse[:devices]
	}
	var contexts []*device.Context
	for _, d := range list {
		c, err := device.Open(d)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		contexts = append(contexts, c)
	}
	return contexts
}

// inUse are contexts on the machine's GPUs, which all tests share: to open one and to load its kernels takes a third
// of a second.
var inUse []*device.Context

// clone copies what an executor hands out.
func clone(tensors []*graph.Tensor) []*graph.Tensor {
	var out []*graph.Tensor
	for _, t := range tensors {
		out = append(out, &graph.Tensor{DType: t.DType, Shape: slices.Clone(t.Shape),
			F32: slices.Clone(t.F32), I64: slices.Clone(t.I64), Bool: slices.Clone(t.Bool)})
	}
	return out
}

// onCPU computes a prepared graph with model/cpu.
func onCPU(t testing.TB, g *graph.Graph, inputs []*graph.Tensor) []*graph.Tensor {
	t.Helper()
	x := cpu.New(g, 1)
	defer x.Close()
	out, err := x.Run(context.Background(), inputs)
	if err != nil {
		t.Fatalf("model/cpu: %v", err)
	}
	return clone(out)
}

// prepare makes a graph ready to run.
func prepare(t testing.TB, g *graph.Graph) *graph.Graph {
	t.Helper()
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	return g
}

// compare runs a graph, which it prepares, in float32 here and with model/cpu; see compareAt.
func compare(t testing.TB, g *graph.Graph, inputs []*graph.Tensor, tolerance float64) {
	t.Helper()
	compareAt(t, FP32, g, inputs, tolerance)
}

// compareAt runs a graph in both orders of threads, one by one and as a CUDA graph, all with
// the same bytes. Numbers may differ from model/cpu's by the tolerance times max(1, |number|).
func compareAt(t testing.TB, p Precision, g *graph.Graph, inputs []*graph.Tensor, tolerance float64) {
	t.Helper()
	prepare(t, g)
	want := onCPU(t, g, inputs)
	var first []*graph.Tensor
	for _, reverse := range []bool{false, true} {
		c := open(t, 1, 1<<30)[0]
		fakecuda.Reverse(reverse)
		x, err := New(g, c, Options{Precision: p})
		if err != nil {
			t.Fatal(err)
		}
		for run := range 3 {
			out, err := x.Run(context.Background(), inputs)
			if err != nil {
				t.Fatalf("reversed %v, run %d: %v (%s)", reverse, run, err, fakecuda.Message())
			}
			if first == nil {
				first = clone(out)
				near(t, first, want, tolerance)
			}
			same(t, out, first, fmt.Sprintf("reversed %v, run %d", reverse, run))
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if n := fakecuda.Used(0); n != 0 {
			t.Fatalf("%d bytes of device memory are left", n)
		}
	}
}

// near fails unless all elements agree to the tolerance.
func near(t testing.TB, got, want []*graph.Tensor, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d outputs, want %d", len(got), len(want))
	}
	for k, g := range got {
		w := want[k]
		if g.DType != w.DType || !slices.Equal(g.Shape, w.Shape) || len(g.F32) != len(w.F32) {
			t.Fatalf("output %d is %v %v of %d, want %v %v of %d", k, g.DType, g.Shape, len(g.F32), w.DType, w.Shape, len(w.F32))
		}
		for i, v := range w.F32 {
			a, b := float64(g.F32[i]), float64(v)
			if a == b || a != a && b != b {
				continue
			}
			if !(math.Abs(a-b) <= tolerance*max(1, math.Abs(b))) || math.IsInf(b, 0) {
				t.Fatalf("output %d, element %d of %v is %v, want %v", k, i, g.Shape, g.F32[i], v)
			}
		}
		if !slices.Equal(g.I64, w.I64) || !slices.Equal(g.Bool, w.Bool) {
			t.Fatalf("output %d is %v%v, want %v%v", k, g.I64, g.Bool, w.I64, w.Bool)
		}
	}
}

// same fails unless all elements have the same bits.
func same(t testing.TB, got, want []*graph.Tensor, what string) {
	t.Helper()
	for k, w := range want {
		if !slices.Equal(got[k].Shape, w.Shape) || len(raw(got[k])) != len(raw(w)) {
			t.Fatalf("%s: output %d has shape %v, want %v", what, k, got[k].Shape, w.Shape)
		}
		for i, b := range raw(w) {
			if v := raw(got[k])[i]; v != b {
				t.Fatalf("%s: output %d of %v differs at element %d", what, k, w.Shape, i/w.DType.Size())
			}
		}
	}
}

// known marks an operand of single that is a constant of the graph.
type known struct{ *graph.Tensor }

// single is a graph of one node, and its inputs. An operand is a *graph.Tensor, which
// becomes an input, known, or nil where it is absent.
func single(op string, attributes map[string]graph.Attribute, outputs int, operands ...any) (*graph.Graph, []*graph.Tensor) {
	n := &graph.Node{Op: op, Attributes: attributes}
	g := &graph.Graph{Opset: operator.MaxOpset, Nodes: []*graph.Node{n}, Constants: map[string]*graph.Tensor{}}
	var inputs []*graph.Tensor
	for i, o := range operands {
		name := fmt.Sprintf("x%d", i)
		switch v := o.(type) {
		case nil:
			name = ""
		case known:
			g.Constants[name] = v.Tensor
		case *graph.Tensor:
			g.Inputs = append(g.Inputs, graph.Port{Name: name, DType: v.DType, Bits: v.Bits})
			inputs = append(inputs, v)
		}
		n.Inputs = append(n.Inputs, name)
	}
	for i := range outputs {
		name := fmt.Sprintf("y%d", i)
		n.Outputs = append(n.Outputs, name)
		g.Outputs = append(g.Outputs, graph.Port{Name: name})
	}
	return g, inputs
}

// random is a tensor of numbers spread over [−1, 1) without pattern.
func random(seed uint32, shape ...int) *graph.Tensor {
	v := make([]float32, graph.Count(shape))
	for i := range v {
		seed = seed*1664525 + 1013904223
		v[i] = float32(int32(seed)>>8) / (1 << 23)
	}
	return graph.Floats(v, shape...)
}
