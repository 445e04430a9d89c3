// The worked example of the package comment.

package sphere_test

import (
	"context"
	"fmt"

	"repscope/measure/sphere"
	"repscope/points"
	"repscope/stat"
)

// Four directions at right angles; lengths do not matter.
func Example() {
	u, err := sphere.NewDirections(points.Float64([]float64{1, 0, 0, 2, -3, 0, 0, -4}, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	uniformity, _, err := u.Uniformity(context.Background(), nil, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	alignment := stat.Mean(u.Alignment([]points.Pair{{Now: 0, Next: 1}, {Now: 1, Next: 2}}))
	fmt.Printf("uniformity %.3f, alignment %.3f\n", uniformity, alignment)
	// Output:
	// uniformity -4.396, alignment 2.000
}
