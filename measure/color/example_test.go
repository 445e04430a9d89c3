// The example of the package.

package color_test

import (
	"fmt"

	"repscope/measure/color"
)

// Grays on white at the levels of WCAG 2.
func ExampleFromBytes() {
	page := color.FromBytes(255, 255, 255)
	for _, gray := range []uint8{89, 118, 119} {
		text := color.FromBytes(gray, gray, gray)
		c := color.Contrast(text, page)
		fmt.Printf("%d: contrast %.2f, AA %v, AAA %v, AAA of large text %v\n", gray, c,
			c >= color.ContrastAA, c >= color.ContrastAAA, c >= color.ContrastAAALarge)
	}
	// Output:
	// 89: contrast 7.00, AA true, AAA true, AAA of large text true
	// 118: contrast 4.54, AA true, AAA false, AAA of large text true
	// 119: contrast 4.48, AA false, AAA false, AAA of large text false
}
