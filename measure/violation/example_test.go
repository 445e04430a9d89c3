// The sample of the package, run.

package violation_test

import (
	"context"
	"fmt"

	"repscope/measure/image"
	"repscope/measure/violation"
	"repscope/stat"
)

// An episode of six frames freezes at its third frame for two frames.
func ExampleMaker_Frames() {
	scene := violation.Scene{
		Shape: image.Shape{Channels: 1, Height: 1, Width: 1}, High: 255,
		Read: func(_ context.Context, dst []float64, index []int) error {
			for i, k := range index {
				dst[i] = float64(10 * k)
			}
			return nil
		},
	}
	episode := violation.Episode{Before: []int{0, 1}, After: []int{2, 3, 4, 5}}
	frames, err := violation.New(scene).Frames(context.Background(), violation.Freeze, episode, 2, 4, stat.Key{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range frames {
		fmt.Print(f.Source, " ")
	}
	fmt.Println()
	// Output:
	// 1 1 2 3
}
