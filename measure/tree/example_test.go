// The edit distance of two designs.

package tree_test

import (
	"context"
	"fmt"

	"repscope/measure/tree"
)

// A frame with a text and a group around another text, and the same without the group: one node is deleted.
func ExampleDistance() {
	frame, err := tree.New([]string{"FRAME", "TEXT", "GROUP", "TEXT"}, []int{-1, 0, 0, 2}) // labels and parents of nodes
	if err != nil {
		fmt.Println(err)
		return
	}
	flat, err := tree.New([]string{"FRAME", "TEXT", "TEXT"}, []int{-1, 0, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := tree.Distance(context.Background(), frame, flat, tree.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%g edits of at most %g, normalized %.2f\n", d.Distance, d.Bound, d.Normalized())
	// Output:
	// 1 edits of at most 7, normalized 0.25
}
