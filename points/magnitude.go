// Magnitudes that can be computed with.

package points

import (
	"fmt"
	"math"
)

// The least and the largest magnitude of points, 2⁻²⁵⁰ and 2²⁵⁰: fourth powers of
// values, which spectra and their ratios take, and squares of their differences down to the last
// digit, are normal numbers of float64. All of float32 lies between them.
const leastMagnitude, largestMagnitude = 0x1p-250, 0x1p250

// Magnitude is the largest absolute value of points, without NaN and Inf; 0 for none.
func (p Points) Magnitude() float64 {
	largest := 0.0
	for _, v := range p.U8 {
		largest = max(largest, float64(v))
	}
	for _, v := range p.F32 {
		if a := math.Abs(float64(v)); a <= math.MaxFloat32 {
			largest = max(largest, a)
		}
	}
	for _, v := range p.F64 {
		if a := math.Abs(v); a <= math.MaxFloat64 {
			largest = max(largest, a)
		}
	}
	return largest
}

// CheckMagnitude is an error where the largest absolute value of points, 0 for none, is so
// small or so large that powers of it leave the range of float64. Scaling all points by one
// factor changes no ratio, rank or share.
func CheckMagnitude(largest float64) error {
	switch {
	case largest > largestMagnitude:
		return fmt.Errorf("values up to %.3g: their powers overflow above %.2g; divide all values by a "+
			"constant", largest, largestMagnitude)
	case largest > 0 && largest < leastMagnitude:
		return fmt.Errorf("all values are at most %.3g: their powers underflow below %.2g; multiply all values by "+
			"a constant", largest, leastMagnitude)
	}
	return nil
}
