// The example of the package.

package score_test

import (
	"fmt"

	"repscope/measure/score"
	"repscope/stat"
)

// The mean squared error without each of two episodes, by what is left.
func ExampleOutside() {
	truth, predicted := []float64{1, 2, 3, 4}, []float64{1, 2, 3, 6}
	blocks, err := stat.NewBlocks(len(truth), []int{0, 0, 1, 1}, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		fmt.Println(err)
		return
	}
	for j := range blocks.Count() {
		left, err := score.Regress(score.Outside(blocks, j, truth), score.Outside(blocks, j, predicted))
		fmt.Println(left.MSE, err)
	}
	// Output:
	// 2 <nil>
	// 0 <nil>
}
