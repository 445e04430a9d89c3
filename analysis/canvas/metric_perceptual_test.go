// Models of how far apart screens look, beside ONNX Runtime; and what such a file must be.

package canvas

import (
	_ "embed"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/screenshot"
	"repscope/dataset"
)

//go:embed testdata/perceptual.json
var perceptualJSON []byte

// TestPerceptual holds distances of the pairs of testdata/images.json against ONNX Runtime's, for files that fix the
// size of screens and that do not, and all scales.
func TestPerceptual(t *testing.T) {
	t.Parallel()
	var images struct {
		Cases []struct{ Reference, Generated goldenScreen }
	}
	var golden struct {
		Cases []struct {
			Case        int
			File, Scale string
			Distance    float64
		}
	}
	if err := json.Unmarshal(imagesJSON, &images); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(perceptualJSON, &golden); err != nil || len(golden.Cases) < 42 {
		t.Fatal(len(golden.Cases), err)
	}
	open := map[string]screenshot.PerceptualModel{}
	for _, g := range golden.Cases {
		if _, ok := open[g.File]; !ok {
			m := screenshot.PerceptualModel{Path: filepath.Join("testdata", g.File)}
			opened, err := m.Open(0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { opened.Close() })
			open[g.File] = m
		}
		m := open[g.File]
		m.Scale = g.Scale
		c := images.Cases[g.Case]
		row, err := scoreKinds(t.Context(), []Kind{perceptual},
			screensOf(t, screenshot.Options{Alpha: screenshot.AlphaDrop, Perceptual: m}, c.Reference.screen(), c.Generated.screen()))
		if err != nil || row.Failures != nil {
			t.Fatal(g, row, err)
		}
		if got := row.Values["perceptual_distance"]; !got.Defined() || math.Abs(got.V-g.Distance) > 1e-5*g.Distance {
			t.Errorf("case %d, %s, %s: %v, want %v", g.Case, g.File, g.Scale, got, g.Distance)
		}
	}
	if a, b := open["perceptual.onnx"], open["perceptual_fixed.onnx"]; len(a.Identity()) != 1 || a.Identity()[0] == b.Identity()[0] {
		t.Errorf("%v and %v", a.Identity(), b.Identity())
	}
}

// TestPerceptualFiles: files that are no such model, one whose output is no number, and none.
func TestPerceptualFiles(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"gone.onnx":                                 "gone.onnx: no such file or directory",
		"testdata/images.json":                      "images.json",
		"testdata/saliency.onnx":                    "has 1 inputs",
		"../../latent/testdata/head_predictor.onnx": "want [1, 3, H, W]",
	} {
		m := screenshot.PerceptualModel{Path: filepath.FromSlash(path)}
		if _, err := m.Open(0); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--perceptual-model") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	s := &dataset.Screen{Width: 9, Height: 8, Pixels: make([]byte, 9*8*4)}
	m := screenshot.PerceptualModel{Path: "testdata/perceptual_map.onnx"}
	opened, err := m.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	row, err := scoreKinds(t.Context(), []Kind{perceptual}, screensOf(t, screenshot.Options{Perceptual: m}, s, s))
	if err != nil || len(row.Failures) != 1 || !strings.Contains(row.Failures[0], "generated.png: the output has shape [1 8 9] for a pair of screens, want one number") {
		t.Errorf("%v, %v", row, err)
	}
	none := screenshot.PerceptualModel{}
	if _, err := none.Open(0); err != nil || none.Identity() != nil {
		t.Fatal(err)
	}
	row, err = scoreKinds(t.Context(), []Kind{perceptual}, screensOf(t, screenshot.Options{}, s, s))
	if v := row.Values["perceptual_distance"]; err != nil || row.Failures != nil || v.Defined() || !strings.Contains(v.Reason, "needs --perceptual-model") {
		t.Errorf("without a model: %v, %v", row, err)
	}
}
