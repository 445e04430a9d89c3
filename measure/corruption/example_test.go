// The worked example of the package comment.

package corruption_test

import (
	"fmt"

	"repscope/measure/corruption"
)

// A frame of four pixels, darkened or brightened by a tenth of the pixel range.
func Example() {
	c, err := corruption.New(corruption.Brightness, corruption.ClipRange, 0, 255, []int{2, 2}, 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	state := []float32{0, 100, 200, 255}
	changed := make([]float32, len(state))
	if err := c.Apply(changed, state, 7, 0.1, 0); err != nil { // state number 7, level 0.1, draw 0
		fmt.Println(err)
		return
	}
	fmt.Println(changed)
	// Output: [25.5 125.5 225.5 255]
}
