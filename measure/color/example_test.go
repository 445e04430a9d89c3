// The example of the package.

package color_test

import (
	"fmt"

	"repscope/measure/color"
)

// The lightest gray that is readable on white at the size of running text.
func ExampleFromBytes() {
	page := color.FromBytes(255, 255, 255)
	for _, gray := range []uint8{118, 119} {
		text := color.FromBytes(gray, gray, gray)
		fmt.Printf("%d: contrast %.2f, readable %v\n", gray, color.Contrast(text, page), color.Contrast(text, page) >= color.ContrastAA)
	}
	// Output:
	// 118: contrast 4.54, readable true
	// 119: contrast 4.48, readable false
}
