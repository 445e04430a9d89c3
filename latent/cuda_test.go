//go:build cuda

// Encoders on a GPU, or on the fake driver, against the processor.

package latent

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"repscope/dataset"
	"repscope/internal/device"
	"repscope/model"
)

func openCUDA(t *testing.T, precision string) *model.Backend {
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
	return &model.Backend{Device: d, Precision: precision, Note: func(text string) { t.Log(text) }}
}

// relativeError is ‖got − want‖/‖want‖.
func relativeError(got, want []float32) float64 {
	var error2, norm2 float64
	for i, w := range want {
		d := float64(got[i]) - float64(w)
		error2 += d * d
		norm2 += float64(w) * float64(w)
	}
	return math.Sqrt(error2 / norm2)
}

func TestEncodersOnCUDA(t *testing.T) {
	for precision, tolerance := range map[string]float64{"fp32": 1e-5, "tf32": 1e-3} {
		for _, c := range [][2]string{{"conv.pth", "conv_input.npy"}, {"dqn_opset13.onnx", "dqn_input.npy"}, {"dqn_fixed_batch.onnx", "dqn_input.npy"},
			{"mlp_opset11.onnx", "mlp_input.npy"}, {"tokens_opset17.onnx", "tokens_input.npy"}} {
			t.Run(precision+" "+c[0], func(t *testing.T) {
				d := openCUDA(t, precision)
				x, shape := array(t, c[1])
				src := &memorySource{shape: shape, values: x}
				run := func(backend *model.Backend, batch int) []float32 {
					e, err := Open("testdata/"+c[0], OpenOptions{Backend: backend})
					if err != nil {
						t.Fatal(err)
					}
					defer e.Close()
					o := EncodeOptions{Batch: batch}
					if len(e.Info().Output) > 2 {
						o.Pool = PoolLast
					}
					z, err := Latents(context.Background(), e, src, o)
					if err != nil {
						t.Fatal(err)
					}
					return z.F32
				}
				want, got := run(nil, 0), run(d, 0)
				w := relativeError(got, want)
				t.Logf("relative error %.2g", w)
				if !(w <= tolerance) {
					t.Errorf("differs by %g, want at most %g", w, tolerance)
				}
				if !slices.Equal(run(d, 1), got) {
					t.Error("the batch changes the latents")
				}
			})
		}
	}
}

// Frames of uint8 go to the device as they are, with the same result.
func TestBytesOnCUDA(t *testing.T) {
	d := openCUDA(t, "fp32")
	raw := make([]uint8, 5*32*32)
	for i := range raw {
		raw[i] = uint8(i * 37)
	}
	array, err := dataset.NewArray("frames", []int{5, 32, 32}, raw)
	if err != nil {
		t.Fatal(err)
	}
	states, err := dataset.NewStates(array, dataset.StateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := RandomEncoder([]int{32, 32}, RandomOptions{Dim: 8, Backend: d})
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	for _, p := range []Preprocessing{{}, {Scale: ScaleUnit, Low: 0, High: 255}, {Scale: ScaleUnit, High: 255, Mean: []float64{0.4}, Std: []float64{0.2}}} {
		o := EncodeOptions{Batch: 2, Preprocessing: p}
		want, err := Latents(context.Background(), encoder, struct{ Source }{states}, o) // hides Uint8
		if err != nil {
			t.Fatal(err)
		}
		got, err := Latents(context.Background(), encoder, states, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.F32, want.F32) {
			t.Errorf("%+v: bytes give other latents", p)
		}
	}

	// One channel repeated to three.
	color, err := RandomEncoder([]int{3, 32, 32}, RandomOptions{Dim: 8, Backend: d})
	if err != nil {
		t.Fatal(err)
	}
	defer color.Close()
	o := EncodeOptions{Batch: 2, Preprocessing: Preprocessing{Channels: 3, Scale: ScaleUnit, High: 255, Mean: []float64{0.4, 0.5, 0.6}}}
	want, err := Latents(context.Background(), color, struct{ Source }{states}, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Latents(context.Background(), color, states, o)
	if err != nil || !slices.Equal(got.F32, want.F32) {
		t.Errorf("bytes of one channel for three give other latents (%v)", err)
	}
}

// Heads with inputs of several types are the processor's, whatever the batch size.
func TestHeadsOnCUDA(t *testing.T) {
	g := goldenHeads(t)
	d := openCUDA(t, "fp32")
	inputs := []HeadInput{{Name: HeadLatent, Rows: rows32(g.Latent)}, {Name: HeadAction, Ints: g.Action}}
	for _, name := range []string{"head_predictor", "head_fixed", "head_onehot"} {
		for _, batch := range []int{2, 100} {
			h := openHead(t, name, OpenOptions{Backend: d})
			got, _, err := h.Run(context.Background(), inputs, []int{6}, EncodeOptions{Batch: batch})
			if err != nil {
				t.Fatal(name, err)
			}
			if e := relativeError(got, rows32(g.Predicted).F32); !(e <= 1e-6) {
				t.Errorf("%s, batch %d: relative error %g", name, batch, e)
			}
		}
	}
}
