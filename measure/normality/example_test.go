// The worked example of the package comment.

package normality_test

import (
	"context"
	"fmt"

	"repscope/measure/normality"
	"repscope/points"
)

// Points on a line are no isotropic Gaussian of two dimensions.
func Example() {
	var data []float64
	for i := range 40 {
		data = append(data, float64(i), float64(i))
	}
	z := points.Float64(data, 2)
	x, err := normality.Standardize(z, normality.Isotropic)
	if err != nil {
		fmt.Println(err)
		return
	}
	sliced := normality.Sliced(x, z.Dim, normality.Directions(z.Dim, 64, 42))
	null, err := normality.Null(context.Background(), normality.Shape{N: z.N, Dim: z.Dim, Slices: 64}, normality.Isotropic, false, 99, 42, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p %.2f\n", normality.P(sliced, null.Sliced))
	// Output:
	// p 0.01
}
