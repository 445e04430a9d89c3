// A ridge regression by grouped folds.

package probe_test

import (
	"context"
	"fmt"

	"repscope/measure/probe"
	"repscope/measure/score"
	"repscope/points"
)

// Ten episodes of four states: the reward is a linear function of the latents, so that heads predict unseen episodes.
func ExampleCrossFitRidge() {
	var latents, rewards []float64
	var episodes []int
	for i := range 40 {
		a, b := float64(i%7), float64(i%5)
		latents = append(latents, a, b) // [40, 2]
		rewards = append(rewards, 2*a-b+1)
		episodes = append(episodes, i/4)
	}
	folds, err := probe.GroupFolds(episodes, 5) // whole episodes
	if err != nil {
		fmt.Println(err)
		return
	}
	data := probe.Data{X: points.Float64(latents, 2), Groups: episodes, Folds: folds}
	fit, err := probe.CrossFitRidge(context.Background(), data, points.Float64(rewards, 1), probe.RidgeOptions{Alphas: []float64{1e-6}})
	if err != nil {
		fmt.Println(err)
		return
	}
	r2, err := score.R2(rewards, fit.Predicted[0])
	fmt.Printf("%d heads, R² of unseen episodes %.4f %v\n", len(fit.Heads), r2, err)
	// Output:
	// 5 heads, R² of unseen episodes 1.0000 <nil>
}
