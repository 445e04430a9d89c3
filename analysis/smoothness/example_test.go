// How evenly two encoders map the steps of a walk.

package smoothness_test

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/smoothness"
	"repscope/dataset"
	"repscope/points"
)

// A pixel walks in steps of different sizes. The first encoder doubles it; the second one squares it, so that equal
// steps of the frame are steps of very different sizes in its latents.
func ExampleAnalyze() {
	var frames, doubled, squared []float64
	x := 0.0
	for t := range 60 {
		x += math.Mod(float64(t)*0.37, 1)
		frames = append(frames, x) // [60, 1]
		doubled = append(doubled, 2*x)
		squared = append(squared, x*x)
	}
	var pairs []points.Pair
	for t := range 59 {
		pairs = append(pairs, points.Pair{Now: t, Next: t + 1})
	}
	result, err := smoothness.Analyze(context.Background(), smoothness.Input{
		Frames:     points.Float64(frames, 1),
		PixelRange: dataset.PixelRange{High: 30},
		Pairs:      map[int][]points.Pair{1: pairs},
		Models: []smoothness.Encoded{
			{Name: "doubled", Latents: points.Float64(doubled, 1)},
			{Name: "squared", Latents: points.Float64(squared, 1)},
		},
	}, smoothness.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Models {
		fmt.Printf("%s: R² %.3f, raw slope %.2f\n", m.Name, m.RSquared.Float(), m.Raw.Slope.Float())
	}
	// Output:
	// doubled: R² 1.000, raw slope 2.00
	// squared: R² 0.439, raw slope 30.94
}
