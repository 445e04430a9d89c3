// The sample of the package, run.

package surprise_test

import (
	"context"
	"fmt"

	"repscope/analysis/surprise"
)

// Errors of four pairs of episodes: the violated one has larger errors from step 0 on.
func Example() {
	in := &surprise.Errors{Names: []string{"mine"}, Values: make([][]float64, 1)}
	for pair := range 4 {
		for episode, kind := range []string{"", "teleport"} {
			for step := -5; step < 5; step++ {
				value := 1 + 0.01*float64((7*step*step+3*pair+episode)%11)
				if kind != "" && step >= 0 {
					value++
				}
				in.Values[0] = append(in.Values[0], value)
				in.Episode, in.Pair, in.Step = append(in.Episode, 2*pair+episode), append(in.Pair, pair), append(in.Step, step)
				in.Violation, in.Size = append(in.Violation, kind), append(in.Size, 0.5*float64(episode))
			}
		}
	}
	result, err := surprise.Analyze(context.Background(), surprise.Input{Errors: in}, surprise.Options{Horizon: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := result.Models[0].Row("teleport", 0.5)
	fmt.Printf("AUROC %.2f over %d episodes\n", row.AUROC.V, row.N)
	// Output:
	// AUROC 1.00 over 4 episodes
}
