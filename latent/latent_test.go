// Helpers of the tests of this package, and tests of encoding and opening.

package latent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/model/graph"
)

var _ Source = (*dataset.States)(nil)

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q lacks %q", err, p)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		state, input, want []int
	}{
		{[]int{64, 64}, []int{-1, 1, -1, 64, 64}, []int{1, 1, 64, 64}},
		{[]int{6, 64, 64}, []int{-1, 1, -1, 64, 64}, []int{1, 6, 64, 64}},
		{[]int{1, 64, 64}, []int{-1, 1, -1, 64, 64}, []int{1, 1, 64, 64}},
		{[]int{3, 64, 64}, []int{-1, 3, -1, 64, 64}, []int{3, 1, 64, 64}},
		{[]int{64, 64}, []int{-1, 1, -1, -1, -1}, []int{1, 1, 64, 64}},
		{[]int{4, 84, 84}, []int{-1, 4, 84, 84}, []int{4, 84, 84}},
		{[]int{1, 4, 84, 84}, []int{-1, 4, 84, 84}, []int{4, 84, 84}},
		{[]int{84, 84}, []int{-1, 1, 84, 84}, []int{1, 84, 84}},
		{[]int{7}, []int{-1, 7}, []int{7}},
		{[]int{2, 3, 4}, []int{-1, 24}, []int{24}},
		{[]int{84, 84}, []int{-1, 4, 84, 84}, nil},
		{[]int{4, 80, 84}, []int{-1, 4, 84, 84}, nil},
		{[]int{8}, []int{-1, 7}, nil},
		{[]int{5, 2}, nil, []int{5, 2}},
	} {
		port := graph.Port{Name: "x"}
		for _, d := range c.input {
			port.Dims = append(port.Dims, graph.Dim{Size: d})
		}
		got, err := fitPort(c.state, port)
		var dims []int
		if c.input != nil {
			dims = c.input[1:]
		}
		var wrong *ShapeError
		if err != nil && (!errors.As(err, &wrong) || !slices.Equal(wrong.State, c.state) || !slices.Equal(wrong.Input, dims)) || Fits(c.state, dims) != (err == nil) {
			t.Errorf("states %v into %v: error %v, fits %v", c.state, c.input, err, Fits(c.state, dims))
		}
		ok := err == nil
		if ok != (c.want != nil) || !slices.Equal(got, c.want) {
			t.Errorf("states %v into %v: got %v, %t, want %v", c.state, c.input, got, ok, c.want)
		}
	}
}

func open(t *testing.T, name string) Encoder {
	t.Helper()
	e, err := Open(filepath.Join("testdata", name), OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// ones is n states of the given shape.
func ones(n int, shape ...int) *memorySource {
	s := &memorySource{shape: append([]int{n}, shape...)}
	s.values = slices.Repeat([]float32{1}, n*graph.Count(shape))
	return s
}

func TestEncodeErrors(t *testing.T) {
	ctx := context.Background()
	conv, mlp := open(t, "conv.pth"), open(t, "mlp_opset17.onnx")
	tokens := open(t, "tokens_opset17.onnx")
	_, err := Latents(ctx, conv, ones(2, 64, 64), EncodeOptions{})
	wantError(t, err, "conv.pth", "64×64", "32×32", "final_norm.weight")
	_, err = Latents(ctx, mlp, ones(2, 25), EncodeOptions{})
	wantError(t, err, "mlp_opset17.onnx", "[25]", "[24]")
	_, err = Latents(ctx, tokens, ones(2, 12, 16), EncodeOptions{})
	wantError(t, err, "[1 13 16]", "choose pooling", "last, mean, cls, flatten or index:K")
	_, err = Latents(ctx, tokens, ones(2, 12, 16), EncodeOptions{Pool: PoolIndex(13)})
	wantError(t, err, "below 13")
	_, err = Latents(ctx, mlp, ones(2, 24), EncodeOptions{Pool: PoolLast})
	wantError(t, err, "leave the pooling out")
	_, err = Latents(ctx, mlp, ones(2, 24), EncodeOptions{Preprocessing: Preprocessing{Scale: "percent"}})
	wantError(t, err, "raw or unit")
	_, err = Latents(ctx, mlp, ones(2, 24), EncodeOptions{Preprocessing: Preprocessing{Scale: ScaleUnit}})
	wantError(t, err, "pixel range")
	_, err = Latents(ctx, mlp, ones(2, 24), EncodeOptions{Batch: -1})
	wantError(t, err, "batch -1")
	_, err = Latents(ctx, mlp, ones(0, 24), EncodeOptions{})
	wantError(t, err, "no states")

	bad := ones(100, 24)
	bad.values[71*24+5] = float32(math.NaN())
	_, err = Latents(ctx, mlp, bad, EncodeOptions{Batch: 16})
	wantError(t, err, "mlp_opset17.onnx", "state 71", "NaN", "element 5 of the state")

	cancelled, cancel := context.WithCancel(ctx)
	calls := 0
	_, err = Latents(cancelled, mlp, ones(100, 24), EncodeOptions{Batch: 10, Progress: func(done, total int) {
		if calls++; done == 30 && total == 100 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("cancelled: %v after %d batches", err, calls)
	}
	for _, shape := range [][]int{nil, {6}, {0, 6}, {2, 4}} {
		if _, err := conv.Encode(ctx, Array{shape, make([]float32, 6)}); err == nil {
			t.Errorf("a batch of 6 values and shape %v is accepted", shape)
		}
	}
}

// Pooled latents and scaling against direct use of the encoder.
func TestEncodePoolsAndScales(t *testing.T) {
	ctx := context.Background()
	conv := open(t, "conv.pth")
	x, shape := array(t, "conv_input.npy")
	src := &memorySource{values: x, shape: append([]int{shape[0]}, shape[2:]...)} // [N, T, H, W]
	z, err := Latents(ctx, conv, src, EncodeOptions{Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := array(t, "conv.npy")
	var last []float32
	for i := range shape[0] {
		last = append(last, all[(i*3+2)*8:(i*3+3)*8]...)
	}
	if r := relative(z.F32, last); !(r < 1e-5) {
		t.Errorf("default pooling is not the last frame: relative error %g", r)
	}
	scaled := &memorySource{shape: src.shape}
	for _, v := range x {
		scaled.values = append(scaled.values, v/255)
	}
	a, err := Latents(ctx, conv, src, EncodeOptions{Preprocessing: Preprocessing{Scale: ScaleUnit, High: 255}, Pool: PoolMean})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Latents(ctx, conv, scaled, EncodeOptions{Pool: PoolMean})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.F32, b.F32) {
		t.Error("unit scale differs from dividing by 255")
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		path string
		o    OpenOptions
		want []string
	}{
		{filepath.Join(dir, "missing.onnx"), OpenOptions{}, []string{"encoder " + dir, "missing.onnx: no such file"}},
		{dir, OpenOptions{}, []string{dir}},
		{write("empty.pth", nil), OpenOptions{}, []string{"empty.pth", "empty"}},
		{write("text.onnx", []byte("this is no model")), OpenOptions{}, []string{"text.onnx", "not an ONNX file"}},
		{write("cut.onnx", read("conv_opset17.onnx")[:9000]), OpenOptions{}, []string{"cut.onnx", "damaged"}},
		{write("cut.pth", read("conv.pth")[:5000]), OpenOptions{}, []string{"cut.pth"}},
		{write("cut.safetensors", read("conv.safetensors")[:3000]), OpenOptions{}, []string{"cut.safetensors"}},
		{write("alone.onnx", read("mlp_external.onnx")), OpenOptions{}, []string{"alone.onnx", "external data", "mlp_external.bin"}},
		{"testdata/mlp.pth", OpenOptions{}, []string{"mlp.pth", "net.0.weight", "ConvEncoder", "DQN CNN", "ONNX"}},
		{"testdata/conv.pth", OpenOptions{State: "target"}, []string{"conv.pth", "target_encoder_state_dict"}},
		{"testdata/conv_checkpoint.pth", OpenOptions{State: "decoder"}, []string{"decoder", `no key "decoder" or "decoder_state_dict"`}},
		{"testdata/conv.pth", OpenOptions{Activation: "swish2"}, []string{"swish2", "silu, relu, gelu, gelu_tanh, quick_gelu, tanh or none"}},
		{"testdata/dqn.pth", OpenOptions{Activation: "silu"}, []string{"DQN CNN", "ReLU"}},
		{"testdata/dqn_opset13.onnx", OpenOptions{State: "target"}, []string{"state", "ONNX"}},
		{"testdata/dqn_opset13.onnx", OpenOptions{Output: "q"}, []string{`no output "q"`, "z"}},
		{"testdata/conv.pth", OpenOptions{Output: "z"}, []string{"output"}},
	} {
		e, err := Open(c.path, c.o)
		if err == nil {
			e.Close()
		}
		wantError(t, err, c.want...)
	}
	// Any truncation is an error, never a panic.
	for _, name := range []string{"conv_opset11.onnx", "conv.pth", "conv.safetensors", "conv_legacy.pt"} {
		data := read(name)
		for i := 1; i < 24; i++ {
			if e, err := Open(write("part-"+name, data[:len(data)*i/24]), OpenOptions{}); err == nil {
				e.Close()
				t.Errorf("%s: %d of %d bytes were accepted", name, len(data)*i/24, len(data))
			}
		}
	}
}

// A running encoder makes no garbage.
func TestSteadyStateAllocations(t *testing.T) {
	for name, input := range map[string]string{"conv.pth": "conv_input.npy", "dqn_opset13.onnx": "dqn_input.npy", "mlp_opset11.onnx": "mlp_input.npy",
		"tokens_opset17.onnx": "tokens_input.npy", "video_opset17.onnx": "video_input.npy", "mae_opset17.onnx": "mae_input.npy"} {
		e := open(t, name).(*modelEncoder)
		x, shape := array(t, input)
		state := shape[1:]
		allocations := testing.AllocsPerRun(20, func() {
			if _, err := e.run(context.Background(), x, shape[0], state); err != nil {
				t.Fatal(err)
			}
		})
		if allocations > 0 {
			t.Errorf("%s: %g allocations per batch", name, allocations)
		}
	}
}

// A graph whose input is integers, and one with several outputs.
func TestUnusualGraphs(t *testing.T) {
	cast := &graph.Graph{Opset: 17,
		Inputs:  []graph.Port{{Name: "x", DType: graph.Int64, Dims: []graph.Dim{{Size: -1}, {Size: 3}}}},
		Outputs: []graph.Port{{Name: "z"}},
		Nodes: []*graph.Node{{Op: "Cast", Inputs: []string{"x"}, Outputs: []string{"z"},
			Attributes: map[string]graph.Attribute{"to": {Kind: graph.AttributeInt, Int: graph.ElementFloat}}}}}
	e, err := graphEncoder(cast, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	z, err := Latents(context.Background(), e, &memorySource{shape: []int{2, 3}, values: []float32{1, 2, 3, 4, 5, 6}}, EncodeOptions{})
	if err != nil || !slices.Equal(z.F32, []float32{1, 2, 3, 4, 5, 6}) {
		t.Errorf("latents %v, error %v", z, err)
	}
	// An output whose first axis is not the batch.
	whole := &graph.Graph{Opset: 17,
		Inputs:    []graph.Port{{Name: "x", DType: graph.Float32, Dims: []graph.Dim{{Size: -1}, {Size: 3}}}},
		Outputs:   []graph.Port{{Name: "z"}},
		Constants: map[string]*graph.Tensor{"shape": graph.Ints(1, -1)},
		Nodes:     []*graph.Node{{Op: "Reshape", Inputs: []string{"x", "shape"}, Outputs: []string{"z"}}}}
	e, err = graphEncoder(whole, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = e.Encode(context.Background(), Array{[]int{2, 3}, make([]float32, 6)})
	wantError(t, err, "[1 6]", "batch of 2")
	_, err = graphEncoder(&graph.Graph{Inputs: []graph.Port{{Name: "a"}, {Name: "b"}}}, 1, nil)
	wantError(t, err, "2 inputs", `"a"`, `"b"`)
}

func ExampleLatents() {
	encoder, err := Open("testdata/mlp_opset17.onnx", OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer encoder.Close()
	states := &memorySource{shape: []int{100, 24}, values: make([]float32, 2400)}
	z, err := Latents(context.Background(), encoder, states, EncodeOptions{Batch: 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(z.N, z.Dim)
	// Output: 100 6
}
