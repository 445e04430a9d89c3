// Tests of the encoders that ship with the example.

package example_test

// Tests of the shipped encoders: what Go computes from them is what PyTorch
// computed, from the state dict and from the ONNX file alike.

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/latent"
)

// goldenFrames returns the frames of the evaluation set that PyTorch encoded, as a batch [n,64,64].
func goldenFrames(t *testing.T) latent.Array {
	t.Helper()
	array, err := dataset.Open("testdata/golden_latents.npz:index")
	if err != nil {
		t.Fatal(err)
	}
	defer array.Close()
	index := make([]int64, array.Len())
	if err := array.ReadInt64(index, 0, len(index)); err != nil {
		t.Fatal(err)
	}
	set := example.Example()
	var pixels []float32
	for _, i := range index {
		for _, p := range set.Frame(int(i)) {
			pixels = append(pixels, float32(p))
		}
	}
	return framesOf(pixels, len(index))
}

// framesOf is a batch of n frames.
func framesOf(pixels []float32, n int) latent.Array {
	return latent.Array{Shape: []int{n, example.Height, example.Width}, Values: pixels}
}

func goldenLatents(t *testing.T, model string) []float32 {
	t.Helper()
	array, err := dataset.Open("testdata/golden_latents.npz:" + model)
	if err != nil {
		t.Fatal(err)
	}
	defer array.Close()
	latents := make([]float32, array.Len()*array.RowLen())
	if err := array.ReadFloat32(latents, 0, array.Len()); err != nil {
		t.Fatal(err)
	}
	return latents
}

func encode(t *testing.T, path string, batch latent.Array) []float32 {
	t.Helper()
	encoder, err := latent.Open(path, latent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	if got := encoder.Info().Parameters; got != 960_480 {
		t.Errorf("%s: %d parameters, want 960480", path, got)
	}
	out, err := encoder.Encode(context.Background(), batch)
	if err != nil {
		t.Fatal(err)
	}
	return out.Values
}

// relativeError is ‖got − want‖ / ‖want‖ over all latents.
func relativeError(t *testing.T, got, want []float32) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	var difference, norm float64
	for i := range want {
		d := float64(got[i]) - float64(want[i])
		difference += d * d
		norm += float64(want[i]) * float64(want[i])
	}
	return math.Sqrt(difference / norm)
}

func TestEncodersMatchPyTorch(t *testing.T) {
	batch := goldenFrames(t)
	for _, model := range example.Models() {
		want := goldenLatents(t, model)
		for _, file := range []string{"best_encoder.pth", "best_encoder.onnx"} {
			got := encode(t, filepath.Join("weights", model, file), batch)
			e := relativeError(t, got, want)
			t.Logf("%s/%s: relative error %.2g", model, file, e)
			if !(e <= 1e-5) {
				t.Errorf("%s/%s: relative error %g, want at most 1e-5", model, file, e)
			}
		}
	}
}

// Both files of a model hold the same numbers, and clips give what their frames give.
func TestONNXMatchesStateDict(t *testing.T) {
	const frames = 48
	set := example.Example()
	pixels := make([]float32, frames*example.Height*example.Width)
	for i := range frames {
		for j, p := range set.Frame(i * set.Len() / frames) {
			pixels[i*example.Height*example.Width+j] = float32(p)
		}
	}
	batch := func(shape ...int) latent.Array {
		return latent.Array{Shape: append(shape, example.Height, example.Width), Values: slices.Clone(pixels)}
	}
	for _, model := range example.Models() {
		stateDict := filepath.Join("weights", model, "best_encoder.pth")
		graph := filepath.Join("weights", model, "best_encoder.onnx")
		want := encode(t, stateDict, batch(frames))
		for _, c := range []struct {
			path  string
			shape []int
		}{
			{graph, []int{frames}},
			{graph, []int{frames / 6, 1, 6}},
			{stateDict, []int{frames / 6, 1, 6}},
		} {
			if e := relativeError(t, encode(t, c.path, batch(c.shape...)), want); !(e <= 1e-6) {
				t.Errorf("%s, batch %v: relative error %g to single frames of the state dict, want at most 1e-6", c.path, c.shape, e)
			}
		}
	}
}

func TestEmbeddedEncoders(t *testing.T) {
	for _, model := range example.Models() {
		got, err := example.Encoder(model)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("weights", model, "best_encoder.pth"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the embedded encoder is not the file", model)
		}
	}
	for what, content := range map[string]func(string) ([]byte, error){"encoder": example.Encoder, "predictor": example.Predictor, "decoder": example.Decoder} {
		if _, err := content("nosuch"); err == nil || !strings.Contains(err.Error(), `no `+what+` "nosuch": want one of jepa, encoder_decoder`) {
			t.Errorf("a %s that does not ship: %v", what, err)
		}
	}
}
