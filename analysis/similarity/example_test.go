// The sample of the package, run.

package similarity_test

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis"
	"repscope/analysis/similarity"
	"repscope/points"
)

// Two encoders of the same path, one turned and twice as large, and one of another path. Eight episodes of six states.
func ExampleAnalyze() {
	var path, turned, other []float64
	var episode []int
	for t := range 48 {
		angle := float64(t*t) / 7
		path = append(path, math.Cos(angle), 2*math.Sin(angle))
		turned = append(turned, 5-4*math.Sin(angle), 2*math.Cos(angle))
		other = append(other, math.Cos(float64(t*t*t)), math.Sin(float64(t*t*t)))
		episode = append(episode, t/6)
	}
	result, err := similarity.Analyze(context.Background(), similarity.Input{
		Episode: episode,
		Models: []similarity.Encoded{
			{Name: "path", Latents: points.Float64(path, 2)},
			{Name: "turned", Latents: points.Float64(turned, 2)},
			{Name: "other", Latents: points.Float64(other, 2)},
		},
	}, similarity.Options{Measures: []string{"cka_debiased"}, Permutations: 199, Settings: analysis.Settings{Seed: 42}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range result.Pairs {
		s := p.Score("cka_debiased")
		fmt.Printf("%s, %s: %.2f, p ≤ 0.05: %v\n", p.A, p.B, s.Value.V, s.Null.P.V <= 0.05)
	}
	// Output:
	// path, turned: 1.00, p ≤ 0.05: true
	// path, other: 0.03, p ≤ 0.05: false
	// turned, other: 0.03, p ≤ 0.05: false
}
