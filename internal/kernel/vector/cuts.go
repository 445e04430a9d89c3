// Cuts of single elements.

package vector

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
