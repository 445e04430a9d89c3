// Noise and scaling of states, checked.

package pixels_test

import (
	"fmt"

	"repscope/model/pixels"
)

// Gaussian noise of a tenth of the pixel range, cut at its ends; scaling by the mean and deviation of each channel of
// states [3, 4, 4]. States of another size are refused.
func ExampleScaling_Check() {
	noise := pixels.Noise{Kind: pixels.Gaussian, Clip: pixels.ClipRange, High: 255, Level: 0.1}
	fmt.Println(noise.Check())
	scaling := pixels.Scaling{Span: 255, Mean: []float32{0.5, 0.5, 0.5}, Std: []float32{0.2, 0.2, 0.2}, Plane: 16}
	fmt.Println(scaling.Check(3 * 4 * 4))
	fmt.Println(scaling.Check(2*4*4) != nil)
	// Output:
	// <nil>
	// <nil>
	// true
}
