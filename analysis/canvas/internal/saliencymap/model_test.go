// Models of saliency: what a file must be, and that one run serves all who ask; numbers are in
// saliency_golden_test.go.

package saliencymap

import (
	"context"
	"errors"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
)

func TestSaliencyModelFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path          string
		height, width int
		want          string
	}{
		"no file":    {"gone.onnx", 8, 8, "gone.onnx: no such file or directory"},
		"no model":   {"../../testdata/saliency.json", 8, 8, "saliency.json"},
		"two inputs": {"../../../../latent/testdata/head_predictor.onnx", 8, 8, "has 2 inputs"},
		"no screen":  {"../../../../latent/testdata/head_decoder.onnx", 8, 8, "want [1, 3, H, W] or [1, H, W, 3]"},
		"two maps":   {"../../testdata/saliency_two.onnx", 8, 8, "the output has shape [2 4 4] for one screen, want one map [1, h, w]"},
		"no size":    {"../../testdata/saliency.onnx", 0, 0, "the file does not fix the height of screens"},
		"other size": {"../../testdata/saliency_last.onnx", 16, 16,
			"needs screens of width 12, but --saliency-size has 16"},
		"too small":       {"../../testdata/saliency.onnx", 1, 1, "saliency.onnx"},
		"as the file has": {"../../testdata/saliency_last.onnx", 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Model: Model{Path: filepath.FromSlash(c.path), Height: c.height, Width: c.width}}
			opened, err := o.Open(nil, casetest.Files{}.Read, 0, 0)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "--saliency-model") {
					t.Errorf("%v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			if text := o.Shared.model.describe(); !strings.Contains(text, "screens of 16×12, maps of 8×6") {
				t.Error(text)
			}
		})
	}
}

// TestSaliencyModelOnce: the screen of a reference goes through the model once for all its cases; a
// file goes before the model; the end of the context ends the run.
func TestSaliencyModelOnce(t *testing.T) {
	t.Parallel()
	o := &Options{Model: Model{Path: "../../testdata/saliency.onnx", Height: 12, Width: 10}}
	screen := image.NewNRGBA(image.Rect(0, 0, 9, 14))
	for i := range screen.Pix {
		screen.Pix[i] = uint8(i * i)
	}
	files := casetest.Files{"r": casetest.PNG(t, screen), "g": casetest.PNG(t, screen), "m": casetest.NPY(t, []int{2, 2}, 1., 2, 3, 4)}
	opened, err := o.Open(nil, files.Read, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	shared := o.Shared
	defer opened.Close()
	maps := func(c source.Case) (*Maps, error) {
		return o.MapsOf(&design.Screens{Context: t.Context(), Case: &c, Reference: design.NewView(c.Reference, "reference", files.Read),
			Generated: design.NewView(c.Generated, "generated design", files.Read), Read: files.Read}, false)
	}
	both := source.Case{Sample: "a", Snapshot: -1, Reference: source.Side{Image: "r"}, Generated: source.Side{Image: "g"}}
	first, err := maps(both)
	if err != nil {
		t.Fatal(err)
	}
	again, err := maps(both)
	if err != nil || again == first {
		t.Fatal(err)
	}
	if again.Reference != first.Reference || first.Reference.Width != 9 || first.Reference.Height != 14 {
		t.Errorf("kept %v, %d×%d", again.Reference == first.Reference, first.Reference.Width, first.Reference.Height)
	}
	a, b := make([]float64, 0, 126), make([]float64, 0, 126)
	for i := range 126 {
		a, b = append(a, first.Reference.At(i%9, i/9)), append(b, again.Generated.At(i%9, i/9))
	}
	if !slices.Equal(a, b) {
		t.Error("equal screens have maps that differ")
	}
	given := both
	given.ReferenceSaliency = "m"
	if m, err := maps(given); err != nil || m.Reference.Width != 2 || m.Reference.At(1, 1) != 4 || m.Generated.Width != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	none := both
	none.Generated = source.Side{}
	if _, err := maps(none); !errors.As(err, new(source.Absent)) || !strings.Contains(err.Error(), "needs an image of the generated design") {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	dot := &dataset.Screen{Width: 1, Height: 1, Pixels: make([]byte, 4)}
	if _, err := shared.model.run(ended, "g", dot, false); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
