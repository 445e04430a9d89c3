// Means that are compared with each other.

package stat

import "math"

// RankMean returns the mean of values for ranking: means that differ only by rounding of their sums
// are equal, for any order of the values. It is exact if all values are decimals of up to 12 digits
// after the point, as ratings and rounded scores are, and otherwise rounded to 36 bits of their
// largest magnitude. NaN for no values, and if any value is NaN.
func RankMean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	const exact = 1 << 53
	for digits, unit := 0, 1.; digits <= 12; digits, unit = digits+1, unit*10 {
		sum, whole := 0., true
		for _, v := range values {
			n := math.Round(v * unit)
			if whole = n/unit == v && math.Abs(n) < exact; !whole {
				break
			}
			if sum += n; math.Abs(sum) >= exact {
				whole = false
				break
			}
		}
		if count := unit * float64(len(values)); whole && count < exact {
			return sum / count
		}
	}
	mean, largest := Mean(values), 0.
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	if !isFinite(mean) || largest == 0 {
		return mean
	}
	_, exponent := math.Frexp(largest)
	unit := math.Ldexp(1, exponent-36)
	if unit == 0 {
		return mean
	}
	return math.Round(mean/unit) * unit
}
