// Encoders of integers: what they are given, and the width of their arithmetic.

package latent

import (
	"slices"
	"testing"

	"repscope/model/graph"
)

// minus200 is (x − 200).float() of uint8 frames of three pixels, as PyTorch exports it.
func minus200(t *testing.T) Encoder {
	t.Helper()
	g := &graph.Graph{Opset: 17,
		Inputs: []graph.Port{{Name: "x", DType: graph.Int64, Bits: -8, Element: "uint8",
			Dims: []graph.Dim{{Size: -1}, {Size: 3}}}},
		Outputs:   []graph.Port{{Name: "z"}},
		Constants: map[string]*graph.Tensor{"c": {DType: graph.Int64, Bits: -8, Shape: []int{}, I64: []int64{200}}},
		Nodes: []*graph.Node{{Op: "Sub", Inputs: []string{"x", "c"}, Outputs: []string{"d"}},
			{Op: "Cast", Inputs: []string{"d"}, Outputs: []string{"z"},
				Attributes: map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}}}}
	e, err := graphEncoder(g, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// torch.tensor([149, 200, 255], dtype=torch.uint8) - 200 is [205, 0, 55].
func TestIntegersWrap(t *testing.T) {
	t.Parallel()
	src := &memorySource{shape: []int{2, 3}, values: []float32{149, 200, 255, 0, 1, 199}}
	z, err := Latents(t.Context(), minus200(t), src, EncodeOptions{})
	if want := []float32{205, 0, 55, 56, 57, 255}; err != nil || !slices.Equal(z.F32, want) {
		t.Errorf("latents %v, want %v, error %v", z.F32, want, err)
	}
}

// States that an encoder of integers does not take are refused; noisy ones are rounded to what it takes.
func TestIntegersGiven(t *testing.T) {
	t.Parallel()
	e := minus200(t)
	for _, values := range [][]float32{{0.5, 1, 2}, {0, 256, 1}, {0, -1, 1}} {
		_, err := Latents(t.Context(), e, &memorySource{shape: []int{1, 3}, values: values}, EncodeOptions{})
		wantError(t, err, "states 0 to 0", `input "x" takes integers of type uint8, 0 to 255`)
	}
	noisy := &memorySource{shape: []int{1, 3}, values: []float32{200.6, -3.2, 258}}
	z, err := Latents(t.Context(), e, noisy, EncodeOptions{Changed: true})
	if want := []float32{1, 56, 55}; err != nil || !slices.Equal(z.F32, want) {
		t.Errorf("latents of noisy states %v, want %v, error %v", z.F32, want, err)
	}
}
