//go:build cuda

// Whole encoders against model/cpu, which is tested against PyTorch: the files of latent/testdata.

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset"
	device "repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/model/checkpoint"
	"repscope/model/graph"
	"repscope/model/onnx"
)

// encoders are one of each form. Heavy ones are run less often; narrow ones normalize
// over 4 channels, whose variance may be so small that rounding becomes large.
var encoders = []struct {
	file, input   string
	options       checkpoint.Options
	heavy, narrow bool
}{
	{file: "mlp_opset17.onnx", input: "mlp_input.npy"},
	{file: "dqn.pth", input: "dqn_input.npy", heavy: true},
	{file: "dqn_opset17.onnx", input: "dqn_input.npy", heavy: true},
	{file: "conv.pth", input: "conv_input.npy", narrow: true},
	{file: "conv.pth", input: "conv_input.npy", narrow: true, options: checkpoint.Options{Activation: "relu"}},
	{file: "conv.pth", input: "conv_input.npy", narrow: true, options: checkpoint.Options{Activation: "gelu"}},
	{file: "conv.pth", input: "conv_input.npy", narrow: true, options: checkpoint.Options{Activation: "tanh"}},
	{file: "conv_opset17.onnx", input: "conv_input.npy", narrow: true},
	{file: "conv64.pth", input: "conv64_input.npy", heavy: true},
	{file: "video.pth", input: "video_input.npy"},
	{file: "video_opset13.onnx", input: "video_input.npy"},
	{file: "video_opset17.onnx", input: "video_input.npy"},
	{file: "video_tied.pth", input: "video_tied_input.npy"},
	{file: "mae.pth", input: "mae_input.npy"},
	{file: "mae.pth", input: "mae_input.npy", options: checkpoint.Options{Heads: 4}},
	{file: "mae_opset17.onnx", input: "mae_input.npy"},
	{file: "mae_no_bias.safetensors", input: "mae_input.npy"},
	{file: "residual_opset17.onnx", input: "residual_input.npy", heavy: true},
	{file: "tokens_opset17.onnx", input: "tokens_input.npy"},
	{file: "new_opset18.onnx", input: "new_input.npy"},
	{file: "new_opset20.onnx", input: "new_input.npy"},
	{file: "new_opset21.onnx", input: "new_input.npy"},
}

// openModel reads an encoder and prepares it.
func openModel(t testing.TB, file string, o checkpoint.Options) *graph.Graph {
	t.Helper()
	path := filepath.Join("../../latent/testdata", file)
	if strings.HasSuffix(file, ".onnx") {
		m, err := onnx.Open(path, onnx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		return prepare(t, m.Graph)
	}
	m, err := checkpoint.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return prepare(t, m.Graph)
}

// array reads an .npy file of latent/testdata.
func array(t testing.TB, name string) *graph.Tensor {
	t.Helper()
	a, err := dataset.Open(filepath.Join("../../latent/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	values := make([]float32, a.Len()*a.RowLen())
	if err := a.ReadFloat32(values, 0, a.Len()); err != nil {
		t.Fatal(err)
	}
	return graph.Floats(values, a.Shape()...)
}

// relative is ‖got − want‖ / ‖want‖.
func relative(got, want []float32) float64 {
	difference, scale := 0.0, 0.0
	for i, w := range want {
		d := float64(got[i]) - float64(w)
		difference += d * d
		scale += float64(w) * float64(w)
	}
	return math.Sqrt(difference / scale)
}

// closeness of relative.
var closeness = map[Precision]float64{FP32: 1e-5, TF32: 1e-3, BF16: 1e-2}

func TestEncoders(t *testing.T) {
	for _, c := range encoders {
		name := c.file + c.options.Activation
		if c.options.Heads > 0 {
			name += fmt.Sprint(c.options.Heads)
		}
		t.Run(name, func(t *testing.T) {
			g := openModel(t, c.file, c.options)
			x := array(t, c.input)
			want := onCPU(t, g, []*graph.Tensor{x})[0]
			for _, p := range []Precision{FP32, TF32, BF16} {
				first, used := encodeWith(t, g, x, setting{p: p, batch: x.Shape[0], devices: 1})
				if len(first) != want.Len() {
					t.Fatalf("%d numbers, want %d", len(first), want.Len())
				}
				r := relative(first, want.F32)
				t.Logf("%v: relative error %.1e", p, r)
				tolerance := closeness[p]
				if p == BF16 && c.narrow {
					tolerance = 0.1
				}
				if !(r <= tolerance) {
					t.Errorf("%v: relative error %.1e, want at most %g", p, r, tolerance)
				}
				if c.heavy && p != TF32 {
					continue
				}
				settings := []setting{{p: p, batch: 1, devices: 2, seed: 1}, {p: p, batch: 2, devices: 1, reverse: true, seed: 2}}
				for memory := used * 9 / 10; p == TF32 && memory > used/8; memory = memory * 3 / 4 {
					settings = append(settings, setting{p: p, batch: x.Shape[0], devices: 1, memory: memory})
				}
				for _, s := range settings {
					got, _ := encodeWith(t, g, x, s)
					if got == nil {
						break // the weights themselves do not fit
					}
					for i, v := range got {
						if math.Float32bits(v) != math.Float32bits(first[i]) {
							t.Fatalf("%+v: element %d is %g, want %g", s, i, v, first[i])
						}
					}
				}
			}
		})
	}
}

// setting is how an encoder runs.
type setting struct {
	p              Precision
	batch, devices int
	memory         int64 // of each device; 0: plenty
	reverse        bool
	seed           int
}

// encodeWith encodes x in batches; the result is nil if the memory does not do for
// one state. used is the memory of the first device at the end.
func encodeWith(t testing.TB, g *graph.Graph, x *graph.Tensor, s setting) (out []float32, used int64) {
	t.Helper()
	memory, notes := s.memory, 0
	if memory == 0 {
		memory = 1 << 30
	}
	contexts := open(t, s.devices, memory)
	fakecuda.Reverse(s.reverse)
	fakecuda.Seed(s.seed)
	group, err := NewGroup(g, contexts, Options{Precision: s.p, Note: func(string) { notes++ }})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, group, s.devices)
	out, err = pipeline(group, x, s.batch)
	if s.memory > 0 && errors.Is(err, device.ErrOutOfMemory) {
		return nil, 0
	}
	if err != nil {
		t.Fatalf("%+v: %v (%s)", s, err, fakecuda.Message())
	}
	if halved := s.memory > 0; halved != (notes > 0) {
		t.Errorf("%+v: %d notes", s, notes)
	}
	return out, fakecuda.Used(0)
}

// Wrong data stop the batch that has them, with the error of model/cpu, and no other.
func TestWrongData(t *testing.T) {
	g := prepare(t, &graph.Graph{Opset: 20, Constants: map[string]*graph.Tensor{"table": random(1, 5, 3)},
		Inputs:  []graph.Port{{Name: "i", DType: graph.Int64}},
		Outputs: []graph.Port{{Name: "y", DType: graph.Float32}},
		Nodes:   []*graph.Node{{Op: "Gather", Inputs: []string{"table", "i"}, Outputs: []string{"y"}}}})
	x, err := New(g, open(t, 1, 1<<24)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	good := []*graph.Tensor{graph.Ints(4, 0, -5)}
	want := onCPU(t, g, good)
	for range 3 {
		for _, in := range [][]*graph.Tensor{good, {graph.Ints(1, 5, 0)}, good} {
			if err := x.Submit(context.Background(), in); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 3 {
			out, err := x.Collect(context.Background())
			switch {
			case k != 1 && err != nil:
				t.Fatal(err)
			case k != 1:
				same(t, out, want, "gather")
			case err == nil || !strings.Contains(err.Error(), "index 5 is out of range for an axis of 5"):
				t.Error(err)
			}
		}
	}
	closed(t, x, 1)
}
