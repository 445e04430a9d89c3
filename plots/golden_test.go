package plots

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden images anew")

func goldenFigures() map[string]Figure {
	sigma := []float64{0.01, 0.05, 0.1, 0.2}
	return map[string]Figure{
		"bars": {WidthMM: 42, HeightMM: 34, Tiles: []Tile{{Title: "Bars", Panel: &Bars{Y: Axis{Label: "PR"}, References: []Reference{{Value: 5, Label: "null"}},
			Bars: []Bar{{Name: "jepa", Value: 8, Low: 7, High: 9.5}, {Name: "encoder_decoder", Value: 14, Low: 12, High: 15}, {Name: "pca", Value: math.NaN()}}}}}},
		"curves": {WidthMM: 42, HeightMM: 36, Tiles: []Tile{{Panel: &Curves{X: Axis{Label: "σ"}, Y: Axis{Label: "d_{z}", Log: true}, Series: []CurveSeries{
			{Name: "jepa", X: sigma, Y: []float64{0.01, 0.1, 0.5, 2}, Low: []float64{0.005, 0.06, 0.4, 1.5}, High: []float64{0.02, 0.15, 0.7, 3}},
			{Name: "pca", X: sigma, Y: []float64{0.1, math.NaN(), 1, 8}}}}}}},
		"table": {WidthMM: 42, HeightMM: 22, Tiles: []Tile{{Title: "Table", Panel: &Table{Header: []string{"Model", "R^{2}", "Slope"}, Keys: true,
			Rows: [][]string{{"jepa", "0.93", Number(1.2e-5, 2)}, {"encoder_decoder", "0.81", Number(-3e-4, 2)}}}}}},
	}
}

func TestGolden(t *testing.T) {
	for name, f := range goldenFigures() {
		path := filepath.Join("testdata", name+".png")
		file := rendered(t, &f, "png")
		if *update {
			if err := os.WriteFile(path, file, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		golden, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(bytes.NewReader(golden))
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		mean, far := difference(got, want)
		if mean > 0.5 || far > 0.002 {
			t.Errorf("%s: mean difference %.2f of 255, %.2f %% of the pixels clearly different (look at the image, then run with -update)", name, mean, 100*far)
		}
	}
}

// difference returns the mean absolute difference of the channels and the share
// of pixels that differ by more than 64 in one.
func difference(a, b image.Image) (mean, far float64) {
	if a.Bounds() != b.Bounds() {
		return math.Inf(1), 1
	}
	bounds := a.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			worst := 0.0
			for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
				d := math.Abs(float64(pair[0])-float64(pair[1])) / 257
				mean += d / 3
				worst = max(worst, d)
			}
			if worst > 64 {
				far++
			}
		}
	}
	pixels := float64(bounds.Dx() * bounds.Dy())
	return mean / pixels, far / pixels
}
