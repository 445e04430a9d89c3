// The worked example of the package comment.

package conformal_test

import (
	"fmt"

	"repscope/measure/conformal"
)

// Five untouched episodes, and one of them with a violation at its third transition.
func Example() {
	untouched := conformal.Transitions{
		Errors:   []float64{1, 2, 3, 2, 2, 1, 3, 1, 2, 4, 1, 2, 2, 3, 1},
		Episodes: []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4},
	}
	reference, err := conformal.NewReference(untouched, conformal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := reference.P(conformal.Transitions{Errors: []float64{1, 2, 9}, Episodes: []int{0, 0, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", p)
	_, err = reference.EpisodeAlarms(untouched, 0.01)
	fmt.Println(err)
	// Output:
	// [1.000 0.667 0.067]
	// alarm: 1 % needs at least 100 episodes, found 5
}
