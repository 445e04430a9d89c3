// Tests of the figure of stitched models: readable with two models and with twenty, and right in both directions.

package command

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"testing"

	"repscope/analysis/similarity"
	"repscope/report"
)

// stitchedResult has an error of 1/100 × (10·from + to) for models, plus layers in thousandths.
func stitchedResult(models, layers int) *similarity.Result {
	return stitchedWith(models, func(int) int { return layers })
}

// stitchedWith is the same with a number of layers for each model.
func stitchedWith(models int, layers func(m int) int) *similarity.Result {
	r := &similarity.Result{}
	value := func(v float64) report.Value { return report.Number(v) }
	name := func(m int) string { return fmt.Sprintf("run_α_with_a_long_name_%02d", m) }
	layer := func(k int) string { return fmt.Sprintf("encoder.blocks.%d.mlp", k) }
	for from := range models {
		for to := range models {
			if from == to {
				continue
			}
			for b := range layers(to) {
				for f := range layers(from) {
					e := float64(10*from+to)/100 + float64(10*f+b)/1000
					r.Stitches = append(r.Stitches, similarity.Stitch{
						From: name(from), To: name(to), LayerFrom: layer(f), LayerTo: layer(b), SelfError: value(0.01),
						Error: similarity.PairScore{Value: report.WithInterval(value(e), report.NoInterval("none"))},
					})
				}
			}
			if from > to {
				continue
			}
			p := similarity.LayerPair{A: name(from), B: name(to), Score: "cka"}
			for b := range layers(to) {
				p.LayersB = append(p.LayersB, layer(b))
			}
			for f := range layers(from) {
				p.LayersA = append(p.LayersA, layer(f))
				for b := range layers(to) {
					p.Map = append(p.Map, similarity.LayerScore{LayerA: layer(f), LayerB: layer(b), Value: value(float64(f) / 30)})
				}
			}
			p.Best = p.Map[len(p.Map)-1]
			r.Layers = append(r.Layers, p)
		}
	}
	return r
}

func TestStitchFigure(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{2, 1}, {2, 4}, {2, 24}, {6, 1}, {6, 3}, {20, 1}} {
		figure := StitchFigure(stitchedResult(c[0], c[1]))
		if warnings, err := figure.Warnings(); err != nil || len(warnings) > 0 {
			t.Errorf("%d models, %d layers: warnings %q, %v", c[0], c[1], warnings, err)
		}
		if dir := os.Getenv("FIGURES"); dir != "" {
			var out bytes.Buffer
			if err := figure.Render(&out, "png"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(fmt.Sprintf("%s/stitch%d-%d.png", dir, c[0], c[1]), out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Few layers of one model beside many of the other leave no empty space: the tallest band without any mark is lower
// than a cell.
func TestStitchFigure_FewLayers(t *testing.T) {
	t.Parallel()
	for _, layers := range [][]int{{1, 2}, {1, 24}, {2, 3}, {2, 12}} {
		figure := StitchFigure(stitchedWith(2, func(m int) int { return layers[m] }))
		if warnings, err := figure.Warnings(); err != nil || len(warnings) > 0 {
			t.Errorf("layers %v: warnings %q, %v", layers, warnings, err)
		}
		var out bytes.Buffer
		if err := figure.Render(&out, "png"); err != nil {
			t.Fatal(err)
		}
		if dir := os.Getenv("FIGURES"); dir != "" {
			name := fmt.Sprintf("%s/few%d-%d.png", dir, layers[0], layers[1])
			if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		page, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		if blank := tallestBlankMM(page, figure.HeightMM); blank > 10 {
			t.Errorf("layers %v: %.0f of %.0f mm are empty", layers, blank, figure.HeightMM)
		}
	}
}

// tallestBlankMM is the height of the tallest band of an image that has one color from side to side.
func tallestBlankMM(page image.Image, heightMM float64) float64 {
	b := page.Bounds()
	tallest, blank := 0, 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		blank++
		for x := b.Min.X; x < b.Max.X; x++ {
			if page.At(x, y) != page.At(b.Min.X, b.Min.Y) {
				blank = 0
				break
			}
		}
		tallest = max(tallest, blank)
	}
	return float64(tallest) / float64(b.Dy()) * heightMM
}

// Rows are fronts and columns what follows, in both directions; the map of models has the least errors of their layers.
func TestStitchFigure_Cells(t *testing.T) {
	t.Parallel()
	r := stitchedResult(2, 3)
	names, layered := stitchedModels(r)
	forward, back := stitchedLayers(r, names[0], names[1]), stitchedLayers(r, names[1], names[0])
	for what, c := range map[string][2]float64{
		"first before second": {forward.errors[2][1], 0.01 + 0.021}, "its score": {forward.scores[2][1], 2.0 / 30},
		"second before first": {back.errors[2][1], 0.1 + 0.021}, "the score": {back.scores[2][1], 1.0 / 30},
		"of all layers": {stitchedPairs(r, names).errors[1][0], 0.1}, "to itself": {stitchedPairs(r, names).errors[0][0], 0.01},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 || !layered {
			t.Errorf("%s: %g, want %g", what, c[0], c[1])
		}
	}
}
