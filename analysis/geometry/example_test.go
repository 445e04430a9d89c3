// The sample of the package, run.

package geometry_test

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis"
	"repscope/analysis/geometry"
	"repscope/points"
)

// A point that goes round a circle in steps of 30 degrees, and the same path seen by
// another encoder: turned, twice as large, and elsewhere.
func ExampleAnalyze() {
	var circle, other []float64
	for t := range 48 {
		angle := float64(t) * math.Pi / 6
		circle = append(circle, math.Cos(angle), math.Sin(angle))
		other = append(other, 5-2*math.Sin(angle), 2*math.Cos(angle))
	}
	result, err := geometry.Analyze(context.Background(), geometry.Input{
		Models: []geometry.Encoded{
			{Name: "circle", Latents: points.Float64(circle, 2)},
			{Name: "other", Latents: points.Float64(other, 2)},
		},
	}, geometry.Options{Clusters: []int{3}, Settings: analysis.Settings{Seed: 42}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := result.Models[0]
	same, _ := m.Similarity.Get("other")
	fmt.Printf("curvature %.1f°, alignment %.3f\n", m.Temporal.Straightness.Curvature.Float(), m.Alignment.Float())
	fmt.Printf("CKA %.3f\n", same.(geometry.SimilarityRow).CKA.Float())
	// Output:
	// curvature 30.0°, alignment 0.268
	// CKA 1.000
}
