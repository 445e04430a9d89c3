// Package executortest tests the contract of executors on any device.
//
//	func TestContract(t *testing.T) {
//		executortest.Test(t, cpu.Evaluate, "testdata/*.tar.gz", 1e-4, func(t testing.TB, g *graph.Graph) executortest.Executor {
//			return cpu.New(g, 2)
//		})
//	}
package executortest

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/graphtest"
	"repscope/model/onnx"
)

// Executor is the interface under test.
type Executor interface {
	// Run computes the outputs, which are overwritten by the next run.
	Run(ctx context.Context, inputs []*graph.Tensor) ([]*graph.Tensor, error)
	Compile(inputs []graph.Operand) ([]graph.Type, error)
	SetThreads(threads int)
	Close() error
}

// Factory makes an executor of a prepared graph.
type Factory func(t testing.TB, g *graph.Graph) Executor

// Test checks an executor against the contract: cases of operators, of an archive, within a relative
// tolerance; the same bytes for any number of threads and in any batch; errors for wrong inputs, a
// cancelled context and after closing. eval computes constants.
func Test(t *testing.T, eval graph.Evaluator, archive string, tolerance float64, factory Factory) {
	c := contract{eval, factory}
	t.Run("operators", func(t *testing.T) { c.operators(t, archive, tolerance) })
	t.Run("bytes", c.bytes)
	t.Run("inputs", c.inputs)
	t.Run("cancelling", c.cancelling)
	t.Run("closing", c.closing)
}

type contract struct {
	eval    graph.Evaluator
	factory Factory
}

// open prepares a graph and makes its executor, which is closed at the end.
func (c contract) open(t testing.TB, g *graph.Graph) Executor {
	t.Helper()
	if err := g.Prepare(fuse.Rules(c.eval)); err != nil {
		t.Fatal(err)
	}
	x := c.factory(t, g)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// operators runs the first two cases of every name, whose outputs another implementation computed, and all of a folder.
func (c contract) operators(t *testing.T, archive string, tolerance float64) {
	files := graphtest.Cases(t, archive)
	models, err := fs.Glob(files, "*/model.onnx")
	if more, err := fs.Glob(files, "*/*/model.onnx"); err == nil {
		models = append(models, more...)
	}
	if err != nil || len(models) == 0 {
		t.Fatalf("%d cases, %v", len(models), err)
	}
	word := regexp.MustCompile(`^[A-Za-z]+`)
	seen := map[string]int{}
	for _, name := range models {
		kind := word.FindString(path.Base(path.Dir(name)))
		if seen[kind]++; seen[kind] > 2 && strings.Count(name, "/") == 1 {
			continue
		}
		t.Run(path.Dir(name), func(t *testing.T) { c.operator(t, files, name, tolerance) })
	}
}

func (c contract) operator(t *testing.T, files fs.FS, name string, tolerance float64) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	set := path.Join(path.Dir(name), "test_data_set_0")
	var out []*graph.Tensor
	// Inputs that shapes depend on must be constants: then all after the first are, or all.
	for _, atRun := range []int{math.MaxInt, 1, 0} {
		model, err := onnx.Decode(data, "", onnx.Options{MinOpset: 1, MaxOpset: 30})
		if err != nil {
			t.Fatal(err)
		}
		g := model.Graph
		var inputs []*graph.Tensor
		for i, p := range g.Inputs {
			x, err := graphtest.ReadTensor(files, set, "input", i)
			if err != nil {
				t.Fatal(err)
			}
			if i < atRun {
				inputs = append(inputs, x)
			} else {
				g.Constants[p.Name] = x
			}
		}
		g.Inputs = g.Inputs[:len(inputs)]
		if err = g.Prepare(fuse.Rules(c.eval)); err == nil {
			x := c.factory(t, g)
			defer x.Close()
			if out, err = x.Run(context.Background(), inputs); err == nil {
				break
			}
		}
		if atRun == 0 || !strings.Contains(err.Error(), "constant") {
			t.Fatal(err)
		}
	}
	if strings.Contains(name, "half") {
		tolerance = 1e-2 // half-precision models are computed in single precision
	}
	for i, got := range out {
		want, err := graphtest.ReadTensor(files, set, "output", i)
		if err != nil {
			t.Fatal(err)
		}
		if err := graphtest.Compare(got, want, tolerance); err != nil {
			t.Errorf("output %d: %v", i, err)
		}
	}
}

// network is a convolution, a normalization, an attention-like product and two outputs, for batches of any size.
func network() *graph.Graph {
	numbers := func(shape ...int) *graph.Tensor {
		v := make([]float32, graph.Count(shape))
		seed := uint32(len(v))
		for i := range v {
			seed = seed*1664525 + 1013904223
			v[i] = float32(int32(seed)>>8) / (1 << 24)
		}
		return graph.Floats(v, shape...)
	}
	return &graph.Graph{Opset: 17,
		Inputs:  []graph.Port{{Name: "x", DType: graph.Float32, Dims: []graph.Dim{{Name: "batch", Size: -1}, {Size: 2}, {Size: 9}, {Size: 7}}}},
		Outputs: []graph.Port{{Name: "y"}, {Name: "s"}},
		Constants: map[string]*graph.Tensor{"w": numbers(8, 2, 3, 3), "b": numbers(8), "shape": graph.Ints(0, 8, -1), "scale": numbers(35), "shift": numbers(35),
			"v": numbers(280, 11), "flat": graph.Ints(0, -1)},
		Nodes: []*graph.Node{
			{Op: "Conv", Inputs: []string{"x", "w", "b"}, Outputs: []string{"c"}},
			{Op: "Sigmoid", Inputs: []string{"c"}, Outputs: []string{"g"}},
			{Op: "Reshape", Inputs: []string{"g", "shape"}, Outputs: []string{"r"}},
			{Op: "LayerNormalization", Inputs: []string{"r", "scale", "shift"}, Outputs: []string{"n"}},
			{Op: "Transpose", Inputs: []string{"n"}, Outputs: []string{"t"},
				Attributes: map[string]graph.Attribute{"perm": graph.IntsAttribute(0, 2, 1)}},
			{Op: "MatMul", Inputs: []string{"n", "t"}, Outputs: []string{"m"}},
			{Op: "Softmax", Inputs: []string{"m"}, Outputs: []string{"s"}},
			{Op: "Reshape", Inputs: []string{"n", "flat"}, Outputs: []string{"f"}},
			{Op: "MatMul", Inputs: []string{"f", "v"}, Outputs: []string{"y"}},
		}}
}

// images are inputs of the network.
func images(n int) *graph.Tensor {
	v := make([]float32, n*2*9*7)
	for i := range v {
		v[i] = float32(math.Sin(float64(i) * 1.7))
	}
	return graph.Floats(v, n, 2, 9, 7)
}

// floats runs the network and joins its outputs.
func floats(t *testing.T, x Executor, in *graph.Tensor) [][]float32 {
	t.Helper()
	out, err := x.Run(context.Background(), []*graph.Tensor{in})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != 2 {
		t.Fatalf("%d outputs, want 2", len(out))
	}
	n := in.Shape[0]
	if !slices.Equal(out[0].Shape, []int{n, 11}) || !slices.Equal(out[1].Shape, []int{n, 8, 8}) {
		t.Fatalf("outputs %v and %v", out[0].Shape, out[1].Shape)
	}
	return [][]float32{slices.Clone(out[0].F32), slices.Clone(out[1].F32)}
}

// bytes: threads and batches change nothing.
func (c contract) bytes(t *testing.T) {
	const n = 9
	x := c.open(t, network())
	all := images(n)
	want := floats(t, x, all)
	check := func(what string, got [][]float32) {
		t.Helper()
		for k := range want {
			for i, v := range want[k] {
				if math.Float32bits(got[k][i]) != math.Float32bits(v) {
					t.Fatalf("%s: element %d of output %d is %v, want %v", what, i, k, got[k][i], v)
				}
			}
		}
	}
	check("again", floats(t, x, all))
	for _, threads := range []int{1, 3, 2} {
		x.SetThreads(threads)
		check("other threads", floats(t, x, all))
	}
	width := all.Len() / n
	for _, batch := range []int{1, 2, 4, 7} {
		joined := make([][]float32, len(want))
		for start := 0; start < n; start += batch {
			rows := min(batch, n-start)
			for k, part := range floats(t, x, graph.Floats(all.F32[start*width:(start+rows)*width], rows, 2, 9, 7)) {
				joined[k] = append(joined[k], part...)
			}
		}
		check("other batches", joined)
	}
}

// inputs: wrong ones are refused, by Compile as by Run, and the next right ones are computed.
func (c contract) inputs(t *testing.T) {
	x := c.open(t, network())
	good := images(2)
	want := floats(t, x, good)
	for what, inputs := range map[string][]*graph.Tensor{
		"none":         {},
		"two":          {good, good},
		"another rank": {graph.Floats(good.F32, 4, 63)},
		"another size": {graph.Floats(good.F32, 2, 2, 7, 9)},
		"another type": {{DType: graph.Int64, Shape: good.Shape, I64: make([]int64, good.Len())}},
	} {
		if _, err := x.Run(context.Background(), inputs); err == nil {
			t.Errorf("%s: no error", what)
		}
		var operands []graph.Operand
		for _, in := range inputs {
			operands = append(operands, graph.Operand{Type: graph.Type{DType: in.DType, Shape: in.Shape}})
		}
		if _, err := x.Compile(operands); err == nil {
			t.Errorf("%s: compiled", what)
		}
	}
	types, err := x.Compile([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: good.Shape}}})
	if err != nil || len(types) != 2 || !slices.Equal(types[0].Shape, []int{2, 11}) || types[1].DType != graph.Float32 {
		t.Errorf("compiled to %v, %v", types, err)
	}
	if got := floats(t, x, good); !slices.Equal(got[0], want[0]) {
		t.Error("other numbers after wrong inputs")
	}
}

// cancelling: a run in a cancelled context fails with its error, and the next run does not.
func (c contract) cancelling(t *testing.T) {
	x := c.open(t, network())
	want := floats(t, x, images(3))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Run(ctx, []*graph.Tensor{images(3)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if got := floats(t, x, images(3)); !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
		t.Error("other numbers after a cancelled run")
	}
}

// closing: a closed executor may be closed again and runs nothing.
func (c contract) closing(t *testing.T) {
	x := c.open(t, network())
	floats(t, x, images(2))
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := x.Run(context.Background(), []*graph.Tensor{images(2)}); err == nil {
		t.Error("a closed executor runs")
	}
}
