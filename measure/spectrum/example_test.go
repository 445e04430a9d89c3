// The worked example of the package comment.

package spectrum_test

import (
	"fmt"

	"repscope/measure/spectrum"
	"repscope/points"
)

// Four points in three dimensions that lie in a plane and spread twice as far along one axis.
func Example() {
	z := points.Float64([]float64{
		-2, 0, 1,
		2, 0, 1,
		0, -1, 1,
		0, 1, 1,
	}, 3)
	s, err := spectrum.New(z)
	if err != nil {
		fmt.Println(err)
		return
	}
	rank, err := spectrum.RankMe(z)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("participation ratio %.3f of %d, dead dimensions %d\n", s.ParticipationRatio, z.Dim, s.DeadDims)
	fmt.Printf("RMS distance %.3f, RankMe %.3f\n", s.RMSDistance(), rank)
	// Output:
	// participation ratio 1.471 of 3, dead dimensions 1
	// RMS distance 2.582, RankMe 2.886
}
