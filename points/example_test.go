// Points in the type of their file.

package points_test

import (
	"fmt"

	"repscope/points"
)

// Three frames of two pixels [3, 2] stay bytes; rows are read as float64.
func ExamplePoints() {
	frames := points.Uint8([]uint8{0, 255, 10, 20, 30, 40}, 2)
	fmt.Println(frames.N, frames.Dim, frames.Type(), frames.Row(1, nil))
	some := frames.Select([]int{2, 0})
	fmt.Println(some.U8)
	// Output:
	// 3 2 uint8 [10 20]
	// [30 40 0 255]
}

// States of two episodes; in the first, four frames are missing between its second and third state.
func ExampleWindowLabels() {
	labels, widest := points.WindowLabels([]int{0, 0, 0, 1, 1}, []int{0, 1, 6, 0, 1}, 2)
	fmt.Println(labels, widest)
	// Output:
	// [0 0 1 2 2] 2
}
