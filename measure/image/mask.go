// Errors of pixels that a mask chooses.

package image

import "math"

// Sum is a sum of Count terms. Sums of frames are added to sums of an episode;
// Mean is then the mean over all its pixels.
type Sum struct {
	Total float64
	Count int
}

// Mean returns Total/Count; NaN for no terms.
func (s Sum) Mean() float64 { return s.Total / float64(s.Count) }

// Moving sets mask[i] to whether |nextᵢ − nowᵢ| > threshold, in units of the pixels,
// and returns how many do. Values of several channels move each for itself; a NaN does
// not move. −1, and the mask as it was, if the three are of different lengths.
func Moving[A, B Number](mask []bool, now []A, next []B, threshold float64) int {
	if len(mask) != len(now) || len(mask) != len(next) {
		return -1
	}
	count := 0
	for i := range mask {
		mask[i] = math.Abs(float64(next[i])-float64(now[i])) > threshold
		if mask[i] {
			count++
		}
	}
	return count
}

// SquaresByMask returns the sums of (aᵢ − bᵢ)² over the pixels of the mask, and over
// the others. Their means are NaN where there are none, and both sums are NaN if the
// three are of different lengths.
func SquaresByMask[A, B Number](a []A, b []B, mask []bool) (inside, outside Sum) {
	if len(mask) != len(a) || len(mask) != len(b) {
		return Sum{Total: math.NaN()}, Sum{Total: math.NaN()}
	}
	for i, chosen := range mask {
		d := float64(a[i]) - float64(b[i])
		if chosen {
			inside.Total += float64(d * d)
			inside.Count++
		} else {
			outside.Total += float64(d * d)
			outside.Count++
		}
	}
	return inside, outside
}
