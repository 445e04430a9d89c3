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
