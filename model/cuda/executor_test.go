//go:build cuda

// Batches on one and several fake GPUs: order, memory, errors.

package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/model/graph"
	"repscope/model/pixels"
)

const inputs, hidden, outputs = 48, 96, 20

// perceptron is two linear layers [batch, 48] → [batch, 20], prepared.
func perceptron(t testing.TB) *graph.Graph {
	t.Helper()
	return prepare(t, &graph.Graph{Opset: 20,
		Constants: map[string]*graph.Tensor{"w1": random(1, inputs, hidden), "b1": random(2, hidden), "w2": random(3, hidden, outputs), "b2": random(4, outputs)},
		Inputs:    []graph.Port{{Name: "x", DType: graph.Float32, Dims: []graph.Dim{{Name: "batch", Size: -1}, {Size: inputs}}}},
		Outputs:   []graph.Port{{Name: "y", DType: graph.Float32}},
		Nodes: []*graph.Node{
			{Op: "Gemm", Inputs: []string{"x", "w1", "b1"}, Outputs: []string{"h"}},
			{Op: "Relu", Inputs: []string{"h"}, Outputs: []string{"r"}},
			{Op: "Gemm", Inputs: []string{"r", "w2", "b2"}, Outputs: []string{"y"}},
		}})
}

// executor is what Executor and Group have in common.
type executor interface {
	Submit(context.Context, []*graph.Tensor) error
	SubmitBytes(context.Context, []uint8, []int, pixels.Levels) error
	Collect(context.Context) ([]*graph.Tensor, error)
	Depth() int
	Close() error
}

// pipeline encodes x in batches, with as many under way as may be.
func pipeline(x executor, all *graph.Tensor, batch int) ([]float32, error) {
	row := all.Len() / all.Shape[0]
	var out []float32
	under := 0
	collect := func() error {
		y, err := x.Collect(context.Background())
		if err == nil {
			out = append(out, y[0].F32...)
		}
		under--
		return err
	}
	// The caller's memory is its own again after each Submit.
	memory := make([]float32, batch*row)
	for lo := 0; lo < all.Shape[0]; lo += batch {
		if under == x.Depth() {
			if err := collect(); err != nil {
				return nil, err
			}
		}
		hi := min(lo+batch, all.Shape[0])
		states := memory[:copy(memory, all.F32[lo*row:hi*row])]
		if err := x.Submit(context.Background(), []*graph.Tensor{graph.Floats(states, append([]int{hi - lo}, all.Shape[1:]...)...)}); err != nil {
			return nil, err
		}
		clear(states)
		under++
	}
	for under > 0 {
		if err := collect(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func TestPipeline(t *testing.T) {
	g := perceptron(t)
	all := random(5, 150, inputs)
	want := onCPU(t, g, []*graph.Tensor{all})
	for _, p := range []Precision{FP32, TF32, BF16} {
		var first []*graph.Tensor
		for _, devices := range []int{1, 2, 3} {
			for _, batch := range []int{1, 7, 64, 150, 200} {
				contexts := open(t, devices, 1<<30)
				x, err := NewGroup(g, contexts, Options{Precision: p, Note: func(s string) { t.Error(s) }})
				if err != nil {
					t.Fatal(err)
				}
				out, err := pipeline(x, all, batch)
				if err != nil {
					t.Fatalf("%d devices, batch %d: %v", devices, batch, err)
				}
				y := []*graph.Tensor{graph.Floats(out, 150, outputs)}
				if first == nil {
					first = y
					if r := relative(out, want[0].F32); !(r <= closeness[p]) {
						t.Errorf("%v: relative error %.1e", p, r)
					}
				}
				same(t, y, first, fmt.Sprintf("%v, %d devices, batch %d", p, devices, batch))
				closed(t, x, devices)
			}
		}
	}
}

// closed closes an executor and fails if anything of it is left.
func closed(t testing.TB, x interface{ Close() error }, devices int) {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for d := range devices {
		if n := fakecuda.Used(d); n != 0 {
			t.Fatalf("%d bytes of device %d are left", n, d)
		}
	}
}

// Outputs that no kernel computes: inputs, constants, views of both.
func TestViews(t *testing.T) {
	g := prepare(t, &graph.Graph{Opset: 20,
		Constants: map[string]*graph.Tensor{"shape": graph.Ints(-1), "c": random(1, 3, 2)},
		Inputs:    []graph.Port{{Name: "x", DType: graph.Float32}, {Name: "i", DType: graph.Int64}, {Name: "b", DType: graph.Bool}},
		Outputs:   []graph.Port{{Name: "flat"}, {Name: "x"}, {Name: "i"}, {Name: "b"}, {Name: "c"}, {Name: "known"}},
		Nodes: []*graph.Node{
			{Op: "Reshape", Inputs: []string{"x", "shape"}, Outputs: []string{"flat"}},
			{Op: "Reshape", Inputs: []string{"c", "shape"}, Outputs: []string{"known"}},
		}})
	in := []*graph.Tensor{random(2, 4, 5), {DType: graph.Int64, Shape: []int{2}, I64: []int64{-1, 1 << 40}}, {DType: graph.Bool, Shape: []int{3}, Bool: []bool{true, false, true}}}
	x, err := New(g, open(t, 1, 1<<20)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := onCPU(t, g, in)
	for range 3 {
		out, err := x.Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		near(t, out, want, 0)
	}
	closed(t, x, 1)
}

// levels of two channels, by the formula of latent's preprocessing.
func testLevels(plane int) pixels.Levels {
	l := pixels.Levels{Plane: plane}
	for _, m := range []float32{0.25, 0.4} {
		for v := range 256 {
			l.Values = append(l.Values, (float32(v)/255-m)/0.3)
		}
	}
	return l
}

func TestBytes(t *testing.T) {
	g := perceptron(t)
	for _, plane := range []int{24, 1, 8} {
		levels := testLevels(plane)
		frames := make([]uint8, 70*inputs)
		all := random(0, 70, inputs)
		for i := range frames {
			frames[i] = uint8(i*i*7 + i>>3)
			all.F32[i] = levels.Values[i/plane%2*256+int(frames[i])]
		}
		for _, memory := range []int64{1 << 30, 80 << 10} {
			contexts := open(t, 1, memory)
			x, err := New(g, contexts[0], Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := x.Run(context.Background(), []*graph.Tensor{all})
			if err != nil {
				t.Fatal(err)
			}
			want := clone(out)
			for range 3 {
				if err := x.SubmitBytes(context.Background(), frames, []int{70, inputs}, levels); err != nil {
					t.Fatal(err)
				}
				if out, err = x.Collect(context.Background()); err != nil {
					t.Fatal(err)
				}
				same(t, out, want, "bytes")
			}
			for _, wrong := range []func() error{
				func() error { return x.SubmitBytes(context.Background(), frames[1:], []int{70, inputs}, levels) },
				func() error { return x.SubmitBytes(context.Background(), frames, []int{70, inputs}, pixels.Levels{}) },
				func() error { return x.SubmitBytes(context.Background(), frames, []int{70, inputs}, testLevels(5)) },
			} {
				if wrong() == nil {
					t.Error("wrong bytes are accepted")
				}
			}
			closed(t, x, 1)
		}
	}
}

// levels_u8 alone, for numbers of elements and planes around the kernel's blocks.
func TestLevels(t *testing.T) {
	g := prepare(t, &graph.Graph{Opset: 20, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "x"}}})
	for _, c := range [][]int{{3, 2, 5}, {1, 2, 4096}, {1, 2, 4097}, {9, 2, 700}, {5, 2, 1023}, {1, 2, 1}, {4000, 2, 1}} {
		levels := testLevels(c[2])
		frames := make([]uint8, graph.Count(c))
		want := graph.Floats(make([]float32, len(frames)), c...)
		for i := range frames {
			frames[i] = uint8(i*31 + i>>5)
			want.F32[i] = levels.Values[i/c[2]%2*256+int(frames[i])]
		}
		for _, reverse := range []bool{false, true} {
			contexts := open(t, 1, 1<<24)
			fakecuda.Reverse(reverse)
			x, err := New(g, contexts[0], Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := x.SubmitBytes(context.Background(), frames, c, levels); err != nil {
				t.Fatal(err)
			}
			out, err := x.Collect(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			same(t, out, []*graph.Tensor{want}, fmt.Sprint(c))
			closed(t, x, 1)
		}
	}
}

func TestHalving(t *testing.T) {
	if !fakecuda.Linked {
		t.Skip("errors are made by the fake driver")
	}
	g := perceptron(t)
	all := random(5, 300, inputs)
	var want []float32
	for _, memory := range []int64{1 << 30, 200 << 10, 70 << 10, 50 << 10} {
		var notes []string
		contexts := open(t, 1, memory)
		x, err := New(g, contexts[0], Options{Note: func(s string) { notes = append(notes, s) }})
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range []int{300, 299, 130, 300} {
			out, err := pipeline(x, all, batch)
			if err != nil {
				t.Fatalf("%d bytes, batch %d: %v", memory, batch, err)
			}
			if want == nil {
				want = slices.Clone(out)
			}
			if !slices.Equal(out, want) {
				t.Fatalf("%d bytes, batch %d: other numbers", memory, batch)
			}
		}
		t.Log(memory, notes)
		if halved := memory < 1<<30; len(notes) != map[bool]int{true: 1}[halved] || halved && !strings.Contains(notes[0], "cuda:0") {
			t.Errorf("%d bytes: notes %q", memory, notes)
		}
		closed(t, x, 1)
	}
	// Not even one state, or not even the weights.
	for _, memory := range []int64{27 << 10, 8 << 10} {
		x, err := New(g, open(t, 1, memory)[0], Options{Note: func(s string) { t.Error(s) }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = pipeline(x, all, 300)
		if !errors.Is(err, device.ErrOutOfMemory) || !strings.Contains(err.Error(), "cuda:0") {
			t.Errorf("%d bytes: %v", memory, err)
		}
		closed(t, x, 1)
	}
}

// Every driver function fails once at each of its calls: an error that names the
// device, or the right numbers in smaller batches; nothing is left behind.
func TestFailures(t *testing.T) {
	if !fakecuda.Linked {
		t.Skip("errors are made by the fake driver")
	}
	g := perceptron(t)
	all := random(5, 40, inputs)
	want := onCPU(t, g, []*graph.Tensor{all})
	const outOfMemory, invalid, lost = 2, 1, 719
	for _, c := range []struct {
		code      int
		functions string
	}{
		{outOfMemory, "cuMemAlloc cuMemHostAlloc cuGraphInstantiateWithFlags cuGraphLaunch cuLaunchKernel cuModuleLoadDataEx"},
		{invalid, "cuMemAlloc cuMemHostAlloc cuMemGetInfo cuMemcpyHtoD cuMemcpyHtoDAsync cuMemcpyDtoHAsync cuStreamCreate cuEventCreate cuEventRecord " +
			"cuStreamWaitEvent cuEventSynchronize cuStreamSynchronize cuLaunchKernel cuStreamBeginCapture cuGraphInstantiateWithFlags cuGraphLaunch"},
		{lost, "cuMemAlloc cuMemcpyHtoDAsync cuLaunchKernel cuEventSynchronize cuGraphLaunch cuMemcpyDtoHAsync"},
	} {
		for _, function := range strings.Fields(c.functions) {
			failures := 0
			for after := range 200 {
				contexts := open(t, 1, 1<<30)
				fakecuda.Fail(function, after, c.code)
				halved := 0
				x, err := New(g, contexts[0], Options{Precision: FP32, Note: func(string) { halved++ }})
				var out []float32
				if err == nil {
					out, err = pipeline(x, all, 8)
				}
				what := fmt.Sprintf("%s fails with %d after %d calls", function, c.code, after)
				switch {
				case err != nil:
					failures++
					if !strings.Contains(err.Error(), "cuda:0") {
						t.Fatalf("%s: %v", what, err)
					}
					if c.code == lost && !errors.Is(err, device.ErrDeviceLost) {
						t.Fatalf("%s: %v", what, err)
					}
					if x != nil && c.code == lost {
						if _, again := pipeline(x, all, 8); again == nil || again.Error() != err.Error() {
							t.Fatalf("%s: %v, then %v", what, err, again)
						}
					}
				default:
					near(t, []*graph.Tensor{graph.Floats(out, 40, outputs)}, want, 1e-5)
				}
				if x != nil {
					if err := x.Close(); err != nil && !strings.Contains(err.Error(), "injected") {
						t.Fatalf("%s: %v", what, err)
					}
				}
				if n := fakecuda.Used(0); n != 0 && c.code != lost {
					t.Fatalf("%s: %d bytes are left", what, n)
				}
				if err == nil && halved == 0 {
					break
				}
			}
			if failures == 0 && c.code != outOfMemory {
				t.Errorf("%s is never called", function)
			}
		}
	}
}

func TestShapes(t *testing.T) {
	g := perceptron(t)
	x, err := New(g, open(t, 1, 1<<30)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := random(5, 20, inputs)
	run := func(n int) []*graph.Tensor {
		out, err := x.Run(context.Background(), []*graph.Tensor{graph.Floats(all.F32[:n*inputs], n, inputs)})
		if err != nil {
			t.Fatal(err)
		}
		return clone(out)
	}
	want := run(20)
	// Memory that captured graphs know moves.
	y, err := New(g, x.device, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, lo := range []int{18, 18, 18, 11, 18, 0, 18, 11, 18} {
		out, err := y.Run(context.Background(), []*graph.Tensor{graph.Floats(all.F32[lo*inputs:], 20-lo, inputs)})
		if err != nil {
			t.Fatal(err)
		}
		same(t, out, []*graph.Tensor{graph.Floats(want[0].F32[lo*outputs:], 20-lo, outputs)}, fmt.Sprint("from ", lo))
	}
	if err := y.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for n := range 20 {
			got := run(n)
			same(t, got, []*graph.Tensor{graph.Floats(want[0].F32[:n*outputs], n, outputs)}, fmt.Sprint(n))
		}
	}
	// Programs are forgotten while they are under way.
	var used int64
	for round := range 20 {
		if round == 1 {
			used = fakecuda.Used(0)
		}
		fakecuda.Seed(round)
		for n := 1; n <= 12+x.Depth(); n++ {
			if n <= 12 {
				if err := x.Submit(context.Background(), []*graph.Tensor{graph.Floats(all.F32[:n*inputs], n, inputs)}); err != nil {
					t.Fatal(err)
				}
			}
			if done := n + 1 - x.Depth(); done >= 1 && done <= 12 {
				out, err := x.Collect(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				same(t, out, []*graph.Tensor{graph.Floats(want[0].F32[:done*outputs], done, outputs)}, fmt.Sprint(done, " under way"))
			}
		}
	}
	if len(x.programs) != kept {
		t.Errorf("%d programs are kept", len(x.programs))
	}
	if now := fakecuda.Used(0); now > used {
		t.Errorf("%d bytes in use after all shapes 20 times, %d after once", now, used)
	}
	closed(t, x, 1)
}

func TestMisuse(t *testing.T) {
	g := perceptron(t)
	x, err := New(g, open(t, 1, 1<<30)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	background := context.Background()
	in := []*graph.Tensor{random(1, 2, inputs)}
	if _, err := x.Collect(background); err == nil {
		t.Error("a batch is collected that was not begun")
	}
	for range x.Depth() {
		if err := x.Submit(background, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Submit(background, in); err == nil {
		t.Error("more batches than Depth are under way")
	}
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if _, err := x.Collect(cancelled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := x.Submit(cancelled, in); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for range x.Depth() - 1 {
		if _, err := x.Collect(background); err != nil {
			t.Error(err)
		}
	}
	if err := x.Submit(background, []*graph.Tensor{random(1, 2, inputs+1)}); err == nil {
		t.Error("a wrong shape is accepted")
	}
	if _, err := x.Run(background, in); err != nil {
		t.Errorf("after errors: %v", err)
	}
	if err := x.Submit(background, in); err != nil {
		t.Fatal(err)
	}
	closed(t, x, 1) // with a batch under way
	if err := x.Submit(background, in); err == nil {
		t.Error("a closed executor takes a batch")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

func TestDescribe(t *testing.T) {
	g, err := NewGroup(perceptron(t), open(t, 2, 1<<30), Options{Precision: BF16})
	if err != nil {
		t.Fatal(err)
	}
	if d := g.Describe(); d != "cuda:0 Fake GPU 0, cuda:1 Fake GPU 1, driver of CUDA 12.0, bf16" {
		t.Error(d)
	}
	closed(t, g, 2)
}

func TestPrecisions(t *testing.T) {
	for text, want := range map[string]Precision{"": TF32, "tf32": TF32, "fp32": FP32, "bf16": BF16} {
		if p, err := ParsePrecision(text); p != want || err != nil || text != "" && p.String() != text {
			t.Error(text, p, err)
		}
	}
	if _, err := ParsePrecision("fp16"); err == nil {
		t.Error("fp16 is accepted")
	}
}

// A launch with too few arguments would read beyond them.
func TestArguments(t *testing.T) {
	c := open(t, 1, 1<<20)[0]
	err := c.Do(func() error {
		s, err := c.NewStream()
		if err != nil {
			return err
		}
		return errors.Join(s.Launch("levels_u8", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, 1, 2), s.Close())
	})
	if err == nil || !strings.Contains(err.Error(), "2 arguments for 6 parameters") {
		t.Error(err)
	}
}

func TestMissingOperator(t *testing.T) {
	gemm := operators["repscope.Linear"]
	delete(operators, "repscope.Linear")
	defer func() { operators["repscope.Linear"] = gemm }()
	x, err := New(perceptron(t), open(t, 1, 1<<30)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.Run(context.Background(), []*graph.Tensor{random(1, 2, inputs)})
	if err == nil || !strings.Contains(err.Error(), "operator Linear has no CUDA kernel") || !strings.Contains(err.Error(), `"h"`) && !strings.Contains(err.Error(), "node") {
		t.Error(err)
	}
	closed(t, x, 1)
}
