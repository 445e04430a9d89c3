//go:build cuda && fakecuda

// The kernels on the fake driver against the CPU executor, and the fake's own checks.

package cuda

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"repscope/internal/cuda/fakecuda"
	"repscope/latent/cpu"
	"repscope/latent/graph"
)

func open(t *testing.T, devices int, memory int64) *Context {
	t.Helper()
	fakecuda.Reset(devices, memory)
	list, err := Devices()
	if err != nil || len(list) != devices {
		t.Fatalf("%v, %v", list, err)
	}
	c, err := Open(list[devices-1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// values are spread over [−1, 1) without pattern.
func values(n int, seed uint32) []float32 {
	v := make([]float32, n)
	for i := range v {
		seed = seed*1664525 + 1013904223
		v[i] = float32(int32(seed)>>8) / (1 << 23)
	}
	return v
}

func onCPU(t *testing.T, a, b, bias []float32, m, n, k int, activation Activation) []float32 {
	t.Helper()
	g := &graph.Graph{Opset: 20, Constants: map[string]*graph.Tensor{"b": graph.Floats(b, k, n), "bias": graph.Floats(bias, n)},
		Inputs:  []graph.Port{{Name: "a", DType: graph.Float32, Dims: []graph.Dim{{Size: m}, {Size: k}}}},
		Outputs: []graph.Port{{Name: "y", DType: graph.Float32}},
		Nodes:   []*graph.Node{{Op: "Gemm", Inputs: []string{"a", "b", "bias"}, Outputs: []string{"s"}}},
	}
	add := func(n *graph.Node) { g.Nodes = append(g.Nodes, n) }
	switch activation {
	case None:
		g.Nodes[0].Outputs[0] = "y"
	case ReLU:
		add(&graph.Node{Op: "Relu", Inputs: []string{"s"}, Outputs: []string{"y"}})
	case SiLU:
		add(&graph.Node{Op: "Sigmoid", Inputs: []string{"s"}, Outputs: []string{"g"}})
		add(&graph.Node{Op: "Mul", Inputs: []string{"s", "g"}, Outputs: []string{"y"}})
	case GELU:
		add(&graph.Node{Op: "Gelu", Inputs: []string{"s"}, Outputs: []string{"y"}})
	case GELUTanh:
		add(&graph.Node{Op: "Gelu", Inputs: []string{"s"}, Outputs: []string{"y"}, Attributes: map[string]graph.Attribute{
			"approximate": {Kind: graph.AttributeString, String: "tanh"}}})
	case Tanh:
		add(&graph.Node{Op: "Tanh", Inputs: []string{"s"}, Outputs: []string{"y"}})
	}
	if err := g.Prepare(cpu.Evaluate); err != nil {
		t.Fatal(err)
	}
	x := cpu.New(g, 1)
	defer x.Close()
	out, err := x.Run(context.Background(), []*graph.Tensor{graph.Floats(a, m, k)})
	if err != nil {
		t.Fatal(err)
	}
	return append([]float32(nil), out[0].F32...)
}

// difference is the largest |a − b| in units of max(1, |b|).
func difference(a, b []float32) float64 {
	worst := 0.0
	for i := range a {
		d := math.Abs(float64(a[i])-float64(b[i])) / max(1, math.Abs(float64(b[i])))
		if !(d <= worst) {
			worst = d
		}
		if math.IsNaN(d) {
			return math.Inf(1)
		}
	}
	return worst
}

func TestProductAgainstCPU(t *testing.T) {
	c := open(t, 1, 1<<30)
	for _, s := range [][3]int{{1, 1, 1}, {1, 64, 7}, {65, 3, 16}, {70, 130, 33}, {64, 64, 256}} {
		m, n, k := s[0], s[1], s[2]
		a, b, bias := values(m*k, 1), values(k*n, 2), values(n, 3)
		for activation := None; activation <= Tanh; activation++ {
			got, err := c.Product(a, b, bias, m, n, k, activation)
			if err != nil {
				t.Fatal(err, fakecuda.Message())
			}
			if d := difference(got, onCPU(t, a, b, bias, m, n, k, activation)); d > 1e-5 {
				t.Errorf("%v activation %d: differs by %g", s, activation, d)
			}
		}
		got, err := c.Product(a, b, nil, m, n, k, None)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, onCPU(t, a, b, make([]float32, n), m, n, k, None)); d > 1e-5 {
			t.Errorf("%v without bias: differs by %g", s, d)
		}
	}
	if n := fakecuda.Used(0); n != 0 {
		t.Errorf("%d bytes were not freed", n)
	}
}

func TestNormalize(t *testing.T) {
	c := open(t, 1, 1<<30)
	x := make([]uint8, 2*3*35)
	for i := range x {
		x[i] = uint8(i * 7)
	}
	scale, shift := []float32{1.0 / 255, 0.5, 2}, []float32{0, -1, 0.25}
	got, err := c.Normalize(x, 35, scale, shift)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		k := i / 35 % 3
		want := float32(math.FMA(float64(x[i]), float64(scale[k]), float64(shift[k])))
		if v != want {
			t.Fatalf("pixel %d: %g, want %g", i, v, want)
		}
	}
}

// Removing either barrier of the product changes its result, in one order of the threads or the other.
func TestFakeNoticesMissingBarriers(t *testing.T) {
	c := open(t, 1, 1<<30)
	a, b := values(64*64, 1), values(64*64, 2)
	run := func(skip int, reverse bool) []float32 {
		fakecuda.SkipBarrier(skip)
		fakecuda.Reverse(reverse)
		y, err := c.Product(a, b, nil, 64, 64, 64, None)
		if err != nil {
			t.Fatal(err, fakecuda.Message())
		}
		return y
	}
	want := run(-1, false)
	if d := difference(run(-1, true), want); d != 0 {
		t.Fatalf("the order of the threads changes the result by %g", d)
	}
	if n := fakecuda.Barriers(); n != 2 {
		t.Fatalf("%d barriers, want 2", n)
	}
	for skip := range 2 {
		if difference(run(skip, false), want) == 0 && difference(run(skip, true), want) == 0 {
			t.Errorf("nobody notices that barrier %d is missing", skip)
		}
	}
}

// A kernel that is told of more elements than there are faults, and the context is lost.
func TestFakeNoticesOutOfBounds(t *testing.T) {
	for _, extra := range []int{1, 300, 5000} {
		t.Run(fmt.Sprint(extra), func(t *testing.T) {
			c := open(t, 1, 1<<30)
			err := c.do(func() error {
				var s scratch
				x, err := upload(&s, make([]uint8, 1000+extra))
				if err != nil {
					return err
				}
				one, err := upload(&s, []float32{1})
				if err != nil {
					return err
				}
				y, err := s.take(4 * 1000)
				if err != nil {
					return err
				}
				n := 1000 + extra
				return c.launch("normalize_u8", [3]int{(n + 255) / 256, 1, 1}, [3]int{256, 1, 1},
					uint64(x), uint64(one), uint64(one), uint64(y), uint64(n), uint64(n), 1)
			})
			if err == nil || !strings.Contains(fakecuda.Message(), "normalize_u8") {
				t.Fatalf("%v: %s", err, fakecuda.Message())
			}
			t.Log(fakecuda.Message())
			if _, _, err := c.Memory(); err == nil {
				t.Error("the context still works")
			}
		})
	}
}

func TestFakeNoticesWrongContext(t *testing.T) {
	c := open(t, 2, 1<<30)
	// Nobody made a context current on another thread.
	failed := make(chan error)
	go func() {
		_, err := cu.MemAlloc(16)
		failed <- err
	}()
	if err := <-failed; err == nil {
		t.Error("memory without a context")
	}
	list, _ := Devices()
	other, err := Open(list[0])
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var p cu.DevicePtr
	if err := c.do(func() (err error) { p, err = cu.MemAlloc(16); return err }); err != nil {
		t.Fatal(err)
	}
	if err := other.do(func() error { return cu.MemFree(p) }); err == nil {
		t.Error("memory of another device was freed")
	}
	if err := other.do(func() error { return c.launch("normalize_u8", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, 0, 0, 0, 0, 1, 1) }); err == nil {
		t.Error("a kernel of another context was launched")
	}
}

func TestOutOfMemoryAndLostDevice(t *testing.T) {
	c := open(t, 1, 40<<10)
	a := values(64*64, 1)
	_, err := c.Product(a, a, nil, 64, 64, 64, None)
	if err == nil || !strings.Contains(err.Error(), "bytes of device memory") {
		t.Fatalf("48 kB in 40: %v", err)
	}
	if n := fakecuda.Used(0); n != 0 {
		t.Errorf("%d bytes were not freed", n)
	}
	if _, err := c.Product(a[:4], a[:4], nil, 2, 2, 2, None); err != nil {
		t.Errorf("after it: %v", err)
	}
	fakecuda.Fail("cuStreamSynchronize", 1, 719)
	if _, err := c.Product(a[:4], a[:4], nil, 2, 2, 2, None); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the failure stays
		if _, err := c.Product(a[:4], a[:4], nil, 2, 2, 2, None); err == nil {
			t.Error("no error on a lost device")
		}
	}
}

func TestKernelsRefused(t *testing.T) {
	text, err := ptxFiles.ReadFile("kernels/encode.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{".param .u32 normalize_u8_param_6", ".param .u64 normalize_u8_param_6", "other parameters"},
		{".entry normalize_u8(", ".entry normalize_f64(", "not compiled"},
	} {
		x := open(t, 1, 1<<30)
		x.library = &library{ptx: map[string]string{}, family: map[string]string{"normalize_u8": "changed"}}
		x.library.ptx["changed"] = strings.Replace(string(text), c[0], c[1], 1)
		if _, err := x.Normalize([]uint8{1}, 1, []float32{1}, []float32{1}); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", c[1], err)
		}
	}
	fakecuda.Reset(0, 0)
	if _, err := Devices(); err == nil {
		t.Error("devices without devices")
	}
}
