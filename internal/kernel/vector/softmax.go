// The exponentials of a softmax.

package vector

import "math"

// SoftmaxRow replaces x by e^(scale·x − max scale·x) and returns the sum of the results. The length is a
// multiple of [Lanes], which elements −Inf fill up, and the scale positive. If an element is NaN, so is the sum.
func SoftmaxRow(x []float32, scale float32) float32 { return softmaxRow(x, scale) }

func softmaxRowGeneric(x []float32, scale float32) float32 {
	top := float32(math.Inf(-1))
	for i, v := range x {
		v *= scale
		x[i] = v
		if v > top || v != v {
			top = v
		}
	}
	var sums [Lanes]float32
	for i, v := range x {
		e := exponential(v - top)
		x[i] = e
		sums[i%Lanes] += e
	}
	return foldLanes(&sums)
}
