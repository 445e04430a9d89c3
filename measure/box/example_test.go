// The worked example of the package comment.

package box_test

import (
	"fmt"

	"repscope/measure/box"
)

// Two objects of a frame, the second of which another frame has moved.
func Example() {
	mask := make([]bool, 6*8)
	for _, pixel := range []int{0, 1, 8, 9, 30, 31, 38, 39} {
		mask[pixel] = true
	}
	_, found, err := box.Components(mask, 6, 8, box.Eight)
	if err != nil {
		fmt.Println(err)
		return
	}
	other := []box.Box{{X0: 5, Y0: 3, X1: 7, Y1: 5}, {X0: 0, Y0: 0, X1: 2, Y1: 2}}
	var cost []float64
	for _, object := range found {
		for _, b := range other {
			cost = append(cost, 1-box.IoU(object.Box, b))
		}
	}
	match, total, err := box.Assign(cost, len(found), len(other))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, object := range found {
		fmt.Printf("%d pixels around (%g, %g): box %d\n", object.Area, object.X, object.Y, match[i])
	}
	fmt.Printf("cost %.3f\n", total)
	// Output:
	// 4 pixels around (0.5, 0.5): box 1
	// 4 pixels around (6.5, 3.5): box 0
	// cost 0.667
}
