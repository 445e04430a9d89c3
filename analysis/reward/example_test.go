// A reward that is read from latents.

package reward_test

import (
	"context"
	"fmt"

	"repscope/analysis/reward"
	"repscope/points"
)

// Twenty episodes of ten states. The reward is a linear function of the latents of "linear"; the latents of "other" say
// nothing about it.
func ExampleAnalyze() {
	var linear, other, rewards []float64
	var episode []int
	for i := range 200 {
		a, b := float64(i*7%11), float64(i*5%13)
		linear = append(linear, a, b) // [200, 2]
		other = append(other, float64(i*3%17), float64(i*3%19))
		rewards = append(rewards, a-b)
		episode = append(episode, i/10)
	}
	result, err := reward.Analyze(context.Background(), reward.Input{
		Episode: episode,
		Targets: []reward.Target{{Name: "reward", Values: rewards}},
		Models: []reward.Model{
			{Name: "linear", Latents: points.Float64(linear, 2)},
			{Name: "other", Latents: points.Float64(other, 2)},
		},
	}, reward.Options{Probes: []string{reward.Ridge}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Models {
		fmt.Printf("%s: R² %.2f\n", m.Name, m.Probes[0].Score("r2").Float())
	}
	// Output:
	// linear: R² 1.00
	// other: R² -0.00
	// mean: R² -0.00
}
