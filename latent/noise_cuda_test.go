//go:build cuda

// Noise by the GPU, or the fake driver, against noise by the processor; the GPU encodes both.

package latent

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"repscope/dataset"
	"repscope/model/graph"
	"repscope/stat"
)

// noisy are the states of a source changed by anyNoise, and the displacement of each.
func noisy(t *testing.T, src Source, n Noise) (*memorySource, []float64) {
	t.Helper()
	width := graph.Count(src.Shape())
	x := make([]float32, src.Len()*width)
	if err := src.Float32(x, 0, src.Len()); err != nil {
		t.Fatal(err)
	}
	normal, moved := make([]float32, width), make([]float64, src.Len())
	for i := range src.Len() {
		stat.FillNormal32(normal, n.Key(i), 0)
		square := 0.0
		for k, e := range normal {
			v := x[i*width+k]
			if n.Level > 0 {
				x[i*width+k] = min(max(v+float32(float32(n.Level*255)*e), 0), 255)
			}
			d := float64(x[i*width+k]) - float64(v)
			square += float64(d * d)
		}
		moved[i] = math.Sqrt(square)
	}
	return &memorySource{shape: append([]int{src.Len()}, src.Shape()...), values: x}, moved
}

func sameNoise(t *testing.T, what string, enc Encoder, src Source, o EncodeOptions) {
	t.Helper()
	for _, level := range []float64{0.2, 0, 0.5} {
		n := anyNoise(level)
		changed, wantMoved := noisy(t, src, n)
		want, err := Latents(t.Context(), enc, changed, o)
		if err != nil {
			t.Fatal(what, err)
		}
		got, moved, err := EncodeNoisy(t.Context(), enc, src, n, o)
		if err != nil {
			t.Fatal(what, err)
		}
		if !slices.Equal(got.F32, want.F32) || got.N != want.N || got.Dim != want.Dim {
			t.Errorf("%s, level %g: other latents", what, level)
		}
		if !slices.Equal(moved, wantMoved) {
			t.Errorf("%s, level %g: other displacements", what, level)
		}
	}
}

func TestNoiseOnCUDA(t *testing.T) {
	d := openCUDA(t, "tf32")
	const frames, side = 7, 16
	raw := make([]uint8, frames*3*side*side)
	for i := range raw {
		raw[i] = uint8(i*37 + i>>7)
	}
	array, err := dataset.NewArray("frames", []int{frames, 3, side, side}, raw)
	if err != nil {
		t.Fatal(err)
	}
	states, err := dataset.NewStates(array, dataset.StateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := PCAEncoder(t.Context(), states, PCAOptions{Dim: 5, Backend: d})
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	for _, p := range []Preprocessing{
		{},
		{Scale: ScaleUnit, Low: 0, High: 255},
		{Mean: []float64{100}},
		{Scale: ScaleUnit, Low: 16, High: 235, Mean: []float64{0.4, 0.5, 0.6}, Std: []float64{0.2, 0.3, 0.25}, Layout: "CHW"},
	} {
		for _, batch := range []int{1, 3, 64} {
			o := EncodeOptions{Batch: batch, Preprocessing: p}
			what := fmt.Sprintf("%+v, batch %d", p, batch)
			sameNoise(t, what+", bytes", enc, states, o)
			sameNoise(t, what+", floats", enc, struct{ Source }{states}, o) // hides Uint8
		}
	}
	changed, _ := noisy(t, states, anyNoise(0))
	noNoise(t, "resized frames", enc, changed, EncodeOptions{Preprocessing: Preprocessing{Layout: "CHW", Height: 8, Width: 8}})
	gray, err := dataset.NewArray("grey", []int{frames, side, side}, raw[:frames*side*side])
	if err != nil {
		t.Fatal(err)
	}
	single, err := dataset.NewStates(gray, dataset.StateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	changed, _ = noisy(t, single, anyNoise(0))
	noNoise(t, "repeated channels", enc, changed, EncodeOptions{Preprocessing: Preprocessing{Layout: "HW", Channels: 3}})
}

// A graph that fixes the batch takes noise for batches of its size alone, one of integers none.
func TestNoiseThatDoesNotFitOnCUDA(t *testing.T) {
	d := openCUDA(t, "fp32")
	const rows, width = 3, 10
	open := func(dtype graph.DType) Encoder {
		e, err := graphEncoder(&graph.Graph{Opset: 20,
			Inputs:  []graph.Port{{Name: "x", DType: dtype, Dims: []graph.Dim{{Size: rows}, {Size: width}}}},
			Outputs: []graph.Port{{Name: "y"}},
			Nodes: []*graph.Node{{Op: "Cast", Inputs: []string{"x"}, Outputs: []string{"f"}, Attributes: map[string]graph.Attribute{"to": {Kind: graph.AttributeInt, Int: 1}}},
				{Op: "Sqrt", Inputs: []string{"f"}, Outputs: []string{"y"}}},
		}, 1, d)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	src := &memorySource{shape: []int{2 * rows, width}}
	for i := range 2 * rows * width {
		src.values = append(src.values, float32(i*37%256))
	}
	fixed := open(graph.Float32)
	sameNoise(t, "two whole batches", fixed, src, EncodeOptions{Batch: rows})
	noNoise(t, "another batch", fixed, src, EncodeOptions{Batch: rows + 1})
	noNoise(t, "integers", open(graph.Int64), src, EncodeOptions{Batch: rows})
	src.shape[0], src.values = 2*rows-1, src.values[width:]
	noNoise(t, "a part of a batch", fixed, src, EncodeOptions{Batch: rows})
}
