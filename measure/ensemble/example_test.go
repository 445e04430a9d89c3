// Scores of a small ensemble.

package ensemble_test

import (
	"fmt"

	"repscope/measure/ensemble"
)

// Three members forecast two cells; the truth is 1 in the first and 5 in the second, where all members are too low.
func ExampleCRPS() {
	truth := []float64{1, 5}               // [cells]
	members := []float64{0, 2, 1, 3, 2, 4} // [members, cells]
	sample, err := ensemble.NewSample(truth, members)
	if err != nil {
		fmt.Println(err)
		return
	}
	crps := ensemble.CRPS(sample)
	fmt.Printf("CRPS %.4f = error %.4f − half of the spread %.4f\n", crps.Score(ensemble.Fair), crps.Skill(), crps.Spread(ensemble.Fair)/2)
	m := ensemble.MomentsOf(sample)
	fmt.Printf("MSE of the mean %.2f\n", m.MSE())
	// Output:
	// CRPS 0.6667 = error 1.3333 − half of the spread 0.6667
	// MSE of the mean 2.00
}

// Two equal members, each at the distance 5 from the truth: no spread makes up for the error.
func ExampleEnergy() {
	sample, err := ensemble.NewSample([]float32{0, 0}, []float32{3, 4, 3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := ensemble.Energy(sample)
	fmt.Println(e.Score(ensemble.Fair), e.Spread(ensemble.Fair))
	// Output:
	// 5 0
}
