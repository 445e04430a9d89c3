// The sample of the package, run.

package object_test

import (
	"fmt"

	"repscope/measure/image"
	"repscope/measure/object"
)

// A frame of 4 × 6 pixels has two objects; one pixel alone is too small.
func ExampleFinder_Find() {
	frame := []float64{
		0, 9, 9, 0, 0, 0,
		0, 9, 9, 0, 0, 0,
		0, 0, 0, 0, 7, 7,
		5, 0, 0, 0, 0, 0,
	}
	finder := object.NewFinder(image.Shape{Channels: 1, Height: 4, Width: 6}, 1, 2)
	found, err := finder.Find(frame, make([]float64, len(frame)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range found.Objects {
		fmt.Printf("%d pixels about column %.1f, row %.1f\n", o.Area, o.X, o.Y)
	}
	// Output:
	// 4 pixels about column 1.5, row 0.5
	// 2 pixels about column 4.5, row 2.0
}
