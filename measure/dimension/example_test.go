// The worked example of the package comment.

package dimension_test

import (
	"context"
	"fmt"

	"repscope/measure/dimension"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// A square of random points, bent into three dimensions.
func Example() {
	random := stat.NewRandom(stat.NewKey(42))
	var bent []float64
	for range 2000 {
		u, v := random.Float64(), random.Float64()
		bent = append(bent, u, v, u*u+v*v)
	}
	z, err := neighbors.NewSpace("square", points.Float64(bent, 3), neighbors.Euclidean)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := dimension.NewDistinct(context.Background(), z, 64, dimension.Within(1e-7), dimension.Search{})
	if err != nil {
		fmt.Println(err)
		return
	}
	twoNN, err := dimension.NewTwoNN(d.Ratios(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	gride, err := dimension.Gride(d.Ratios(2, 4), 2, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("Two-NN %.1f, Gride %.1f\n", twoNN.MLE, gride)
	// Output:
	// Two-NN 2.0, Gride 2.0
}
