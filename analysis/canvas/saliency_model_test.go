// Models of saliency: what a file must be, and that one run serves all who ask; numbers are in
// saliency_golden_test.go.

package canvas

import (
	"context"
	"errors"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
)

func TestSaliencyModelFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path          string
		height, width int
		want          string
	}{
		"no file":         {"gone.onnx", 8, 8, "gone.onnx: no such file or directory"},
		"no model":        {"testdata/saliency.json", 8, 8, "saliency.json"},
		"two inputs":      {"../../latent/testdata/head_predictor.onnx", 8, 8, "has 2 inputs"},
		"no screen":       {"../../latent/testdata/head_decoder.onnx", 8, 8, "want [1, 3, H, W] or [1, H, W, 3]"},
		"two maps":        {"testdata/saliency_two.onnx", 8, 8, "the output has shape [2 4 4] for one screen, want one map [1, h, w]"},
		"no size":         {"testdata/saliency.onnx", 0, 0, "the file does not fix the height of screens"},
		"other size":      {"testdata/saliency_last.onnx", 16, 16, "takes screens of width 12, --saliency-size says 16"},
		"too small":       {"testdata/saliency.onnx", 1, 1, "saliency.onnx"},
		"as the file has": {"testdata/saliency_last.onnx", 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := SaliencySettings{Model: SaliencyModel{Path: filepath.FromSlash(c.path), Height: c.height, Width: c.width}}
			opened, err := o.Open(nil, memoryReader{}.read, 0, 0)
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
			if text := o.shared.model.describe(); !strings.Contains(text, "screens of 16×12, maps of 8×6") {
				t.Error(text)
			}
		})
	}
}

// TestSaliencyModelOnce: the screen of a reference goes through the model once for all its cases; a
// file goes before the model; the end of the context ends the run.
func TestSaliencyModelOnce(t *testing.T) {
	t.Parallel()
	o := &SaliencySettings{Model: SaliencyModel{Path: "testdata/saliency.onnx", Height: 12, Width: 10}}
	screen := image.NewNRGBA(image.Rect(0, 0, 9, 14))
	for i := range screen.Pix {
		screen.Pix[i] = uint8(i * i)
	}
	files := memoryReader{"r": pngOf(t, screen), "g": pngOf(t, screen), "m": npyOf(t, []int{2, 2}, 1., 2, 3, 4)}
	opened, err := o.Open(nil, files.read, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	shared := o.shared
	defer opened.Close()
	maps := func(c Case) (*saliencyMaps, error) {
		return o.maps(&Screens{Context: t.Context(), Case: &c, Reference: newView(c.Reference, "reference", files.read),
			Generated: newView(c.Generated, "generated design", files.read), Read: files.read}, false)
	}
	both := Case{Sample: "a", Snapshot: -1, Reference: Side{Image: "r"}, Generated: Side{Image: "g"}}
	first, err := maps(both)
	if err != nil {
		t.Fatal(err)
	}
	again, err := maps(both)
	if err != nil || again == first {
		t.Fatal(err)
	}
	if shared.planes.order.Len() != 1 || first.reference.Width != 9 || first.reference.Height != 14 {
		t.Errorf("%d maps kept, %d×%d", shared.planes.order.Len(), first.reference.Width, first.reference.Height)
	}
	a, b := make([]float64, 0, 126), make([]float64, 0, 126)
	for i := range 126 {
		a, b = append(a, first.reference.At(i%9, i/9)), append(b, again.generated.At(i%9, i/9))
	}
	if !slices.Equal(a, b) {
		t.Error("equal screens have maps that differ")
	}
	given := both
	given.ReferenceSaliency = "m"
	if m, err := maps(given); err != nil || m.reference.Width != 2 || m.reference.At(1, 1) != 4 || m.generated.Width != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	none := both
	none.Generated = Side{}
	if _, err := maps(none); !errors.As(err, new(Absent)) || !strings.Contains(err.Error(), "no image of the generated design") {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	dot := &dataset.Screen{Width: 1, Height: 1, Pixels: make([]byte, 4)}
	if _, err := shared.model.run(ended, "g", dot, false); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
