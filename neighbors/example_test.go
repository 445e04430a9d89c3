// The example of the package.

package neighbors_test

import (
	"context"
	"fmt"

	"repscope/neighbors"
	"repscope/points"
)

// Five points on a line, embedded with the two ends exchanged.
func ExampleCompare() {
	line := points.Float64([]float64{0, 1, 2.1, 3.3, 4.6}, 1)
	swapped := points.Float64([]float64{4.6, 1, 2.1, 3.3, 0}, 1)
	result, err := neighbors.Compare(context.Background(), line, []points.Points{line, swapped}, neighbors.Options{Ks: []int{1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range result {
		for _, k := range r.ByK {
			fmt.Printf("k=%d T=%.3f C=%.3f\n", k.K, k.Trustworthiness, k.Continuity)
		}
	}
	// Output:
	// k=1 T=1.000 C=1.000
	// k=2 T=1.000 C=1.000
	// k=1 T=0.533 C=0.533
	// k=2 T=0.600 C=0.600
}

// A comparison in two parts, as on two machines, which merge to the scores of the whole.
func ExampleNewPass() {
	line := points.Float64([]float64{0, 1, 2.1, 3.3, 4.6}, 1)
	swapped := points.Float64([]float64{4.6, 1, 2.1, 3.3, 0}, 1)
	pass, err := neighbors.NewPass(line, []points.Points{swapped}, neighbors.Options{Ks: []int{2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	first, err := pass.Map(context.Background(), 0, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := pass.Map(context.Background(), 3, pass.Points())
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := pass.Merge(first, second)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("T=%.3f C=%.3f\n", result[0].ByK[0].Trustworthiness, result[0].ByK[0].Continuity)
	// Output: T=0.600 C=0.600
}
