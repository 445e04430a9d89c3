// Overlaps and novelty of binary grids.

package set_test

import (
	"context"
	"fmt"

	"repscope/measure/set"
	"repscope/points"
	"repscope/stat"
)

// Four grids of six cells, two of which are equal; one of them stands in the training data too.
func ExampleSets_Nearest() {
	grids, err := set.FromPoints(points.Uint8([]uint8{
		1, 1, 0, 0, 0, 0,
		1, 1, 0, 0, 0, 0,
		1, 0, 1, 0, 0, 0,
		0, 0, 0, 1, 1, 1,
	}, 6), 0.5) // a cell is in the set if its value exceeds 0.5
	if err != nil {
		fmt.Println(err)
		return
	}
	training, err := set.FromPoints(points.Uint8([]uint8{1, 0, 1, 0, 0, 0}, 6), 0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	nearest, err := grids.Nearest(context.Background(), training, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(grids.Distinct().Unique(), "of", grids.N, "grids are distinct")
	fmt.Printf("Jaccard similarity to the nearest of training: %.3f, mean %.3f\n", nearest.Jaccard, stat.Mean(nearest.Jaccard))
	fmt.Println("new:", nearest.Novel())
	// Output:
	// 3 of 4 grids are distinct
	// Jaccard similarity to the nearest of training: [0.333 0.333 1.000 0.000], mean 0.417
	// new: [true true false true]
}
