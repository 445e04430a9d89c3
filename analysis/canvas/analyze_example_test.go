// Two designs against a reference.

package canvas_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"repscope/analysis/canvas"
)

// screen is a PNG of a white screen with a button of some width.
func screen(width int) []byte {
	m := image.NewGray(image.Rect(0, 0, 64, 48))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(8, 8, 8+width, 24), image.NewUniform(color.Gray{Y: 40}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// The design of "close" has a button that is a little narrower than the reference's, that of "far" a small one.
func ExampleAnalyze() {
	files := map[string][]byte{"reference.png": screen(40), "close.png": screen(36), "far.png": screen(8)}
	var cases []canvas.Case
	for _, model := range []string{"close", "far"} {
		cases = append(cases, canvas.Case{ID: "login-" + model, Sample: "login", Model: model, Snapshot: -1,
			Reference: canvas.Side{Image: "reference.png"}, Generated: canvas.Side{Image: model + ".png"}})
	}
	var kinds []canvas.Kind
	for _, k := range canvas.Kinds() {
		if k.Name == "image" {
			kinds = append(kinds, k)
		}
	}
	result, err := canvas.Analyze(context.Background(), canvas.Input{
		Cases: cases,
		Read:  func(name string) ([]byte, error) { return files[name], nil },
	}, canvas.Options{Setting: &canvas.Setting{}, Kinds: kinds})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Models {
		fmt.Printf("%s: SSIM %.2f, RMSE %.2f\n", m.Name, m.Number("ssim").Float(), m.Number("rmse").Float())
	}
	// Output:
	// close: SSIM 0.93, RMSE 31.03
	// far: SSIM 0.71, RMSE 87.77
}
