// A worked example of the package.

package vector_test

import (
	"fmt"
	"math"

	"repscope/internal/kernel/vector"
)

// The softmax of three scores, whose row is filled up with −Inf.
func Example() {
	row := make([]float32, vector.Lanes)
	for i := range row {
		row[i] = float32(math.Inf(-1))
	}
	copy(row, []float32{1, 2, 3})
	sum := vector.SoftmaxRow(row, 1)
	for _, e := range row[:3] {
		fmt.Printf("%.4f ", e/sum)
	}
	fmt.Println()
	// Output: 0.0900 0.2447 0.6652
}
