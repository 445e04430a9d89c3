// Models of captions and screens, and what they answer.

package casetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"repscope/analysis/canvas/internal/semantic"
	"repscope/internal/runtest"
)

// semanticGolden are the answers of the models of latent/testdata, by ONNX Runtime and PyTorch.
type semanticGolden struct {
	Sizes     [][2]int
	Sentences []struct {
		Text     string
		Sentence []float64
	}
	Pictures []struct{ Clip []float64 }
	Captions map[string][]struct{ Text string }
}

// SemanticModels are those models, and screens: picture k is k.png.
func SemanticModels(t *testing.T) (string, *semanticGolden) {
	t.Helper()
	root, err := runtest.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := runtest.Unpack(t, filepath.Join(root, "latent", "testdata", "meaning.tar.gz"))
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	g := &semanticGolden{}
	if err == nil {
		err = json.Unmarshal(data, g)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, size := range g.Sizes {
		m := image.NewNRGBA(image.Rect(0, 0, size[1], size[0]))
		for y := range size[0] {
			for x := range size[1] {
				v := func(c int) uint8 {
					return uint8((x*(3+k) + y*(7+2*k) + c*29 + (x*y)/(5+k) + 40*((x/6+y/9+c)%2)*(k%3)) % 256)
				}
				m.SetNRGBA(x, y, color.NRGBA{v(0), v(1), v(2), 255})
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.png", k)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, g
}

// ModelSettings are the settings of all models in a folder.
func ModelSettings(dir string) semantic.Options {
	captioner := filepath.Join(dir, "captioner_blip")
	return semantic.Options{Sentence: filepath.Join(dir, "sentence.onnx"), Tokenizer: filepath.Join(captioner, "tokenizer.json"),
		Captioner: captioner, CaptionTokens: 50,
		Vision: semantic.VisionOptions{Path: filepath.Join(dir, "vision_clip.onnx"), Preset: "clip"}}
}
