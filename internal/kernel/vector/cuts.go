// Cuts of single elements, and functions that are another one below zero.

package vector

import "repscope/internal/kernel"

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

// Elu sets dst[i] to low·(exp(src[i]) − 1) if src[i] is negative, else to high·src[i], before the factors within three units in the last
// place. A NaN stays.
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
