// A scale of points that few of them cannot move.

package spectrum

import (
	"math"
	"slices"

	"repscope/points"
)

// typicalSample is the number of points that a typical distance is taken from at most.
const typicalSample = 1000

// TypicalDistance returns √2 times the distance from the median by coordinate that nine of
// ten points are within: about [RMSDistance] for points of one scale, whatever the tenth
// is. It is taken from at most 1,000 points at equal steps; 0 where nine of ten are equal,
// or there are none.
func TypicalDistance(pts points.Points) float64 {
	n := min(pts.N, typicalSample)
	if n == 0 {
		return 0
	}
	index := make([]int, n)
	for i := range index {
		index[i] = i * pts.N / n
	}
	sample := pts.Select(index)
	values, distance := make([]float64, n), make([]float64, n)
	row := make([]float64, pts.Dim)
	columns := make([]float64, n*pts.Dim)
	for i := range n {
		for k, v := range sample.Row(i, row) {
			columns[k*n+i] = v
		}
	}
	for k := range pts.Dim {
		column := columns[k*n : (k+1)*n]
		copy(values, column)
		slices.Sort(values)
		middle := (values[(n-1)/2] + values[n/2]) / 2
		for i, v := range column {
			d := v - middle
			distance[i] += float64(d * d)
		}
	}
	slices.Sort(distance)
	return math.Sqrt(2 * distance[n*9/10])
}
