// The median of many values, without sorting them.

package image

import "slices"

// median is the middle value, or the mean of both in the middle, of values that it reorders; NaN if one is.
func median(values []float64) float64 {
	n := len(values)
	for _, v := range values {
		if v != v {
			return v
		}
	}
	upper := selected(values, n/2)
	if n%2 == 1 {
		return upper
	}
	// No value before the middle is above it.
	return (slices.Max(values[:n/2]) + upper) / 2
}

// selected reorders values so that the k-th of them, from 0, is in its place, and returns it (Hoare 1961).
func selected(values []float64, k int) float64 {
	low, high := 0, len(values)-1
	for low < high {
		a, b, c := values[low], values[low+(high-low)/2], values[high]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return values[k]
		}
	}
	return values[k]
}
