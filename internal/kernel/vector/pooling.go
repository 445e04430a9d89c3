// Cuts of single elements, and pools over windows of rows of channels.

package vector

import "math"

// Clip sets dst[i] to src[i] cut to low … high; the upper bound wins if they cross, a NaN stays.
func Clip(dst, src []float32, low, high float32) { clip(dst, src, low, high) }

// HardSigmoid sets dst[i] = max(0, min(1, slope·src[i] + shift)).
func HardSigmoid(dst, src []float32, slope, shift float32) { hardSigmoid(dst, src, slope, shift) }

// HardSwish sets dst[i] = src[i]·max(0, min(1, src[i]/6 + ½)).
func HardSwish(dst, src []float32) { hardSwish(dst, src, 6, 0.5) }

func clipGeneric(dst, src []float32, low, high float32) {
	for i, x := range src {
		if x < low {
			x = low
		}
		if x > high {
			x = high
		}
		dst[i] = x
	}
}

func hardSigmoidGeneric(dst, src []float32, slope, shift float32) {
	for i, x := range src {
		dst[i] = unitCut(float32(slope*x) + shift)
	}
}

func hardSwishGeneric(dst, src []float32, six, half float32) {
	for i, x := range src {
		dst[i] = x * unitCut(float32(x/six)+half)
	}
}

// unitCut cuts to 0 … 1; a NaN stays, and so does −0.
func unitCut(x float32) float32 {
	switch {
	case x > 1:
		return 1
	case x < 0:
		return 0
	}
	return x
}

// MaxRows sets dst[c] to the largest of src[offsets[p]+c] over all p, NaN where one is; −∞ without
// offsets. Of zeros the first counts, whatever its sign.
func MaxRows(dst, src []float32, offsets []int) { maxRows(dst, src, offsets) }

func maxRowsGeneric(dst, src []float32, offsets []int) {
	for c := range dst {
		largest := float32(math.Inf(-1))
		for _, at := range offsets {
			if v := src[at+c]; v > largest || v != v {
				largest = v
			}
		}
		dst[c] = largest
	}
}

// MeanRows sets dst[c] to Σ_p src[offsets[p]+c] / count, summed in order in float64 and rounded once.
func MeanRows(dst, src []float32, offsets []int, count float64) { sumRows(dst, src, offsets, count) }

func sumRowsGeneric(dst, src []float32, offsets []int, count float64) {
	for c := range dst {
		sum := 0.0
		for _, at := range offsets {
			sum += float64(src[at+c])
		}
		dst[c] = float32(sum / count)
	}
}
