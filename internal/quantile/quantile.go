// Package quantile holds the one rule by which tables, intervals and figures
// take quantiles, so that they agree to the last digit.
package quantile

import "math"

// Sorted returns the quantile of values in ascending order and free of NaN at
// the probability q in [0, 1], by NumPy's default rule: linear interpolation at
// rank (n−1)·q, from the nearer end. It returns NaN for no values or q outside
// [0, 1].
func Sorted(sorted []float64, q float64) float64 {
	if len(sorted) == 0 || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	rank := float64(float64(len(sorted)-1) * q) // rounded, as NumPy's, before the fraction is taken
	below := int(rank)
	if below >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	t := rank - float64(below)
	a, b := sorted[below], sorted[below+1]
	step := b - a
	if t >= 0.5 {
		return b - float64(step*(1-t))
	}
	return a + float64(step*t)
}
