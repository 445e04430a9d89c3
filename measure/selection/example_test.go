// Examples of choices.

package selection_test

import (
	"fmt"

	"repscope/measure/selection"
)

func ExampleChoose() {
	rank := []float64{11, 30, 24}
	success := []float64{0.2, 0.5, 0.7}
	rows := []int{0, 1, 2}
	oracle := selection.Oracle{Outcome: success}
	fmt.Printf("regret %.1f\n", oracle.Of(rows)-selection.Choose(rows, rank, 1).Outcome(success))
	// Output:
	// regret 0.2
}
