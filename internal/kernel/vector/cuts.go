// Cuts of single elements, and functions that are another one below zero.

package vector

import (
	"math"

	"repscope/internal/kernel"
)

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

// LeakyRelu sets dst[i] to src[i], times slope if it is negative. A NaN stays.
func LeakyRelu(dst, src []float32, slope float32) { leaky(dst, src, slope, 1) }

// Elu sets dst[i] to low·(exp(src[i]) − 1) if src[i] is negative, else to high·src[i]; before the factors within three
// units in the last place. A NaN stays.
func Elu(dst, src []float32, low, high float32) { elu(dst, src, low, high) }

func leakyGeneric(dst, src []float32, slope, one float32) {
	for i, x := range src {
		if x < 0 {
			dst[i] = x * slope
			continue
		}
		dst[i] = x * one
	}
}

func eluGeneric(dst, src []float32, low, high float32) {
	for i, x := range src {
		switch {
		case x < -0.34:
			dst[i] = (exponential(x) - 1) * low
		case x < 0:
			dst[i] = kernel.FMA(seriesRest(x), float32(x*x), x) * low
		default:
			dst[i] = x * high
		}
	}
}

// Thresholded sets dst[i] to src[i] where it is greater than bound, else to 0.
func Thresholded(dst, src []float32, bound float32) { thresholded(dst, src, bound, 0) }

// Shrink sets dst[i] to src[i] + shift below −bound, to src[i] − shift above bound, and to 0 between.
func Shrink(dst, src []float32, bound, shift float32) { shrink(dst, src, bound, shift) }

// Softsign sets dst[i] = src[i]/(1 + |src[i]|), rounded twice.
func Softsign(dst, src []float32) { softsign(dst, src) }

// Signs sets dst[i] to 1 or −1 with the sign of src[i]; zeros and NaN stay.
func Signs(dst, src []float32) { signs(dst, src) }

func thresholdedGeneric(dst, src []float32, bound, other float32) {
	for i, x := range src {
		if !(x > bound) {
			x = other
		}
		dst[i] = x
	}
}

func shrinkGeneric(dst, src []float32, bound, shift float32) {
	for i, x := range src {
		switch {
		case x < -bound:
			dst[i] = x + shift
		case x > bound:
			dst[i] = x - shift
		default:
			dst[i] = 0
		}
	}
}

func softsignGeneric(dst, src []float32) {
	for i, x := range src {
		dst[i] = x / (1 + float32(math.Abs(float64(x))))
	}
}

func signsGeneric(dst, src []float32) {
	for i, x := range src {
		switch {
		case x > 0:
			x = 1
		case x < 0:
			x = -1
		}
		dst[i] = x
	}
}
