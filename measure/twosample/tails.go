// Heavy tails: whether the moments exist from which errors of distances are estimated.

package twosample

import (
	"math"

	"repscope/points"
)

// LargestShare returns the largest share that the points of one group have in the sum of the p-th powers of the
// distances from the mean, 0 where all points are equal; nil groups have one point each. It tends to 0 with the
// number of groups where the p-th moment is finite, and not where it is infinite (the ratio of maximum and sum:
// Embrechts, Klüppelberg and Mikosch 1997, section 6.2.6).
func LargestShare(p float64, x points.Points, groups []int) float64 {
	mean, row := make([]float64, x.Dim), make([]float64, x.Dim)
	for i := range x.N {
		for k, v := range x.Row(i, row) {
			mean[k] += v / float64(x.N)
		}
	}
	squares, largest := make([]float64, x.N), 0.0
	for i := range squares {
		for k, v := range x.Row(i, row) {
			squares[i] += float64((v - mean[k]) * (v - mean[k]))
		}
		largest = max(largest, squares[i])
	}
	if !(largest > 0) {
		return 0
	}
	sum, ofGroup := 0.0, map[int]float64{}
	greatest := 0.0
	for i, s := range squares {
		group := i
		if groups != nil {
			group = groups[i]
		}
		power := math.Pow(s/largest, p/2)
		sum += power
		ofGroup[group] += power
		greatest = max(greatest, ofGroup[group])
	}
	return greatest / sum
}
