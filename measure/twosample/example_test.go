// Distances of two samples.

package twosample_test

import (
	"context"
	"fmt"

	"repscope/measure/twosample"
	"repscope/points"
)

// The second sample is the first one, moved by 2: both Wasserstein distance and the largest gap of the distributions show it.
func ExampleWasserstein1() {
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{3, 4, 5, 6, 7, 8}
	w, err := twosample.Wasserstein1(x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	ks, err := twosample.KolmogorovSmirnov(x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("Wasserstein %.1f, Kolmogorov–Smirnov %.3f with p = %.3f\n", w, ks.Statistic, ks.P)
	// Output:
	// Wasserstein 2.0, Kolmogorov–Smirnov 0.333 with p = 0.931
}

// Points [n, 2] of two clusters; of 99 random divisions none is as far apart as these.
func ExampleEnergy() {
	x := points.Float64([]float64{0, 0, 1, 0, 0, 1, 1, 1, 0, 2}, 2)
	y := points.Float64([]float64{8, 8, 9, 8, 8, 9, 9, 9, 8, 7}, 2)
	d, err := twosample.Energy(context.Background(), x, y, twosample.Options{Permutations: 99, Seed: 42})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("energy distance %.3f, p = %.2f\n", d.Root().Value, d.P)
	// Output:
	// energy distance 4.440, p = 0.01
}
