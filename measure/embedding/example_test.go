// Principal components of points in a plane.

package embedding_test

import (
	"fmt"

	"repscope/measure/embedding"
	"repscope/points"
)

// Four points [n, 2] that vary three times as much along the diagonal as across it.
func ExamplePCA() {
	x := points.Float64([]float64{3, 3, -3, -3, 1, -1, -1, 1}, 2)
	c, err := embedding.PCA(x, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("directions %.3f\n", c.Directions)
	fmt.Printf("share of the variance %.2f\n", c.Explained)
	fmt.Printf("scores of the first point %.3f\n", c.Scores[:2])
	// Output:
	// directions [0.707 0.707 0.707 -0.707]
	// share of the variance [0.90 0.10]
	// scores of the first point [4.243 0.000]
}
