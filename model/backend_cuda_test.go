//go:build cuda

// The GPUs that the tests of this package run on too, real or of the fake driver.

package model

import (
	"errors"
	"slices"
	"testing"

	"repscope/internal/device"
	"repscope/model/internal/onnxtest"
	"repscope/model/pixels"
	"repscope/stat"
)

func init() {
	for precision, tolerance := range map[string]float64{"fp32": 1e-5, "tf32": 5e-3} {
		backends = append(backends, backend{"GPU in " + precision, func(t testing.TB) *Backend { return openGPU(t, precision) }, tolerance})
	}
}

func openGPU(t testing.TB, precision string) *Backend {
	t.Helper()
	d, _, err := device.Open("cuda")
	if errors.Is(err, device.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Backend{Device: d, Precision: precision}
}

func TestPixelsCUDA(t *testing.T) {
	t.Parallel()
	g := onnxtest.Message{}.Text(2, "half").Bytes(5, onnxtest.Floats("half", []float32{0.5}, 1)).
		Bytes(1, onnxtest.Node("Mul", []string{"x", "half"}, []string{"y"})).
		Bytes(11, onnxtest.Port("x", onnxtest.Float, "batch", 4)).Bytes(12, onnxtest.Port("y", onnxtest.Float, "batch", 4))
	m := openModel(t, onnxtest.Model(17, g), Options{Backend: openGPU(t, "fp32"), Batched: true})
	if !m.TakesPixels(3) {
		t.Fatal("it takes no stored states")
	}
	levels := pixels.Levels{Plane: 4}
	for i := range 256 {
		levels.Values = append(levels.Values, float32(2*i))
	}
	states := []uint8{0, 1, 2, 3, 4, 5, 6, 255}
	if err := m.SubmitBytes(t.Context(), states, []int{2, 4}, levels); err != nil {
		t.Fatal(err)
	}
	out, err := m.Collect(t.Context())
	if err != nil || !slices.Equal(out[0].F32, []float32{0, 1, 2, 3, 4, 5, 6, 255}) {
		t.Errorf("got %v, error %v", out, err)
	}
	noise := pixels.Noise{Kind: pixels.SaltPepper, High: 10, Level: 1}
	keys := []stat.Key{stat.NewKey(1, 0), stat.NewKey(1, 1)}
	if err := m.SubmitNoisy(t.Context(), pixels.Noisy{Bytes: states, Keys: keys, Noise: noise}, []int{2, 4}); err != nil {
		t.Fatal(err)
	}
	if out, err = m.Collect(t.Context()); err != nil || len(m.Displacements()) != 2 {
		t.Fatal(err, m.Displacements())
	}
	for i, y := range out[0].F32 {
		if y != 0 && y != 5 {
			t.Errorf("element %d is %g, want half of 0 or of 10", i, y)
		}
	}
}
