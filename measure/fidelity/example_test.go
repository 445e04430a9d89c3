// Precision and recall of points on a line.

package fidelity_test

import (
	"context"
	"fmt"

	"repscope/measure/fidelity"
	"repscope/points"
)

// Real points lie in two clusters. The generator reaches one of them alone: all it makes is real, half is missing.
func ExamplePRDC() {
	real := points.Float64([]float64{0, 1, 2, 3, 100, 101, 102, 103}, 1) // [n, 1]
	generated := points.Float64([]float64{0.5, 1.5, 2.5, 1.2}, 1)        // [m, 1]
	found, err := fidelity.PRDC(context.Background(), real, generated, fidelity.Options{Ks: []int{2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	at := found.ByK[0]
	fmt.Printf("k = %d: precision %.2f, recall %.2f, density %.2f, coverage %.2f\n", at.K, at.Precision, at.Recall, at.Density, at.Coverage)
	// Output:
	// k = 2: precision 1.00, recall 0.50, density 1.50, coverage 0.50
}
