// Tests of the predictors and decoders that ship with the example.

package example_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/latent"
	"repscope/points"
)

func readGolden(t *testing.T, spec string) *dataset.Array {
	t.Helper()
	array, err := dataset.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { array.Close() })
	return array
}

func goldenFloats(t *testing.T, spec string) []float32 {
	t.Helper()
	array := readGolden(t, spec)
	values := make([]float32, array.Len()*array.RowLen())
	if err := array.ReadFloat32(values, 0, array.Len()); err != nil {
		t.Fatal(err)
	}
	return values
}

// runHead runs the shipped head of a model on latents, and actions if it takes them.
func runHead(t *testing.T, model, name string, want []int, latents []float32, actions []int64) []float32 {
	t.Helper()
	head, err := latent.OpenHead(filepath.Join("weights", model, name), latent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer head.Close()
	inputs := []latent.HeadInput{{Name: latent.HeadLatent, Rows: points.Float32(latents, 64)}}
	if actions != nil {
		inputs = append(inputs, latent.HeadInput{Name: latent.HeadAction, Ints: actions})
	}
	out, _, err := head.Run(context.Background(), inputs, want, latent.EncodeOptions{Batch: 3})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What Go computes from predictors and decoders is what PyTorch computed.
func TestHeadsMatchPyTorch(t *testing.T) {
	for _, model := range example.Models() {
		latents, golden := goldenLatents(t, model), "testdata/golden_"+model+".npz"
		array := readGolden(t, golden+":action")
		actions := make([]int64, array.Len())
		if err := array.ReadInt64(actions, 0, len(actions)); err != nil {
			t.Fatal(err)
		}
		next := runHead(t, model, "predictor.onnx", []int{64}, latents, actions)
		if e := relativeError(t, next, goldenFloats(t, golden+":next")); !(e <= 1e-5) {
			t.Errorf("%s: the predicted latents have a relative error of %g, want at most 1e-5", model, e)
		}
		frames := runHead(t, model, "decoder.onnx", []int{64, 64}, slices.Concat(latents[:128], next[:128]), nil)
		want := goldenFloats(t, golden+":frame")
		worst := 0.0
		for i, v := range frames {
			worst = max(worst, math.Abs(float64(v)-float64(want[i])))
			if v < 0 || v > 255 {
				t.Fatalf("%s: a pixel of %v", model, v)
			}
		}
		if len(frames) != len(want) || !(worst <= 0.01) {
			t.Errorf("%s: pixels differ by up to %g of 255, want at most 0.01", model, worst)
		}
	}
}

// Each predictor is better than the latent as it was, each decoder than the mean frame.
func TestHeadsAreTrained(t *testing.T) {
	set := example.Example()
	const n = 200 // of the first episodes
	pixels, mean := make([]float32, 0, n*64*64), make([]float64, 64*64)
	var actions []int64
	for i := range n {
		for k, p := range set.Frame(i) {
			pixels, mean[k] = append(pixels, float32(p)), mean[k]+float64(p)/n
		}
		actions = append(actions, int64(set.Action[i]))
	}
	for _, model := range example.Models() {
		latents := encode(t, filepath.Join("weights", model, "best_encoder.pth"), framesOf(pixels, n))
		next := runHead(t, model, "predictor.onnx", []int{64}, latents, actions)
		var predicted, copied float64
		for i := range n - 1 {
			if set.Episode[i] != set.Episode[i+1] {
				continue
			}
			for k := range 64 {
				y := float64(latents[(i+1)*64+k])
				predicted += math.Pow(float64(next[i*64+k])-y, 2)
				copied += math.Pow(float64(latents[i*64+k])-y, 2)
			}
		}
		if !(predicted < 0.97*copied) {
			t.Errorf("%s: the predictor has an error of %g, copying of %g", model, predicted, copied)
		}
		var drawn, plain float64
		for i, v := range runHead(t, model, "decoder.onnx", []int{64, 64}, latents, nil) {
			drawn += math.Pow(float64(v)-float64(pixels[i]), 2)
			plain += math.Pow(mean[i%(64*64)]-float64(pixels[i]), 2)
		}
		t.Logf("%s: predictor %.3g of copying, decoder %.3g of the mean frame", model, predicted/copied, drawn/plain)
		if !(drawn < 0.8*plain) {
			t.Errorf("%s: the decoder has an error of %g, the mean frame of %g", model, drawn, plain)
		}
	}
}
