// Errors of pixels, and the scores computed from them.

package image

import "math"

// Number is what a pixel may be.
type Number interface {
	~uint8 | ~float32 | ~float64
}

// MSE returns the mean squared error Σ (aᵢ − bᵢ)²/n of two frames, in squared units of
// the pixels. NaN for no pixels and for frames of different lengths.
func MSE[A, B Number](a []A, b []B) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return math.NaN()
	}
	return squares(a, b) / float64(len(a))
}

// MAE returns the mean absolute error Σ |aᵢ − bᵢ|/n of two frames, in units of the
// pixels. NaN for no pixels and for frames of different lengths.
func MAE[A, B Number](a []A, b []B) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return math.NaN()
	}
	return deviations(a, b) / float64(len(a))
}

// PSNR returns the peak signal-to-noise ratio 10·log₁₀(R²/mse) in decibels, R the
// range of the pixels (255 for bytes): more is better. +Inf for an error of 0, where
// a mean over frames is +Inf too.
func PSNR(mse, dataRange float64) float64 {
	return 10 * math.Log10(dataRange*dataRange/mse)
}

// squares is Σ (aᵢ − bᵢ)², in four sums that are added at the end.
func squares[A, B Number](a []A, b []B) float64 {
	if x, ok := any(a).([]uint8); ok {
		if y, ok := any(b).([]uint8); ok {
			return byteSquares(x, y)
		}
	}
	var s [4]float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		d0, d1 := float64(a[i])-float64(b[i]), float64(a[i+1])-float64(b[i+1])
		d2, d3 := float64(a[i+2])-float64(b[i+2]), float64(a[i+3])-float64(b[i+3])
		s[0] += float64(d0 * d0)
		s[1] += float64(d1 * d1)
		s[2] += float64(d2 * d2)
		s[3] += float64(d3 * d3)
	}
	for ; i < len(a); i++ {
		d := float64(a[i]) - float64(b[i])
		s[0] += float64(d * d)
	}
	return s[0] + s[1] + (s[2] + s[3])
}

func byteSquares(a, b []uint8) float64 {
	var sum uint64
	b = b[:len(a)]
	for i, v := range a {
		d := int(v) - int(b[i])
		sum += uint64(d * d)
	}
	return float64(sum)
}

// deviations is Σ |aᵢ − bᵢ|, in four sums that are added at the end.
func deviations[A, B Number](a []A, b []B) float64 {
	var s [4]float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s[0] += math.Abs(float64(a[i]) - float64(b[i]))
		s[1] += math.Abs(float64(a[i+1]) - float64(b[i+1]))
		s[2] += math.Abs(float64(a[i+2]) - float64(b[i+2]))
		s[3] += math.Abs(float64(a[i+3]) - float64(b[i+3]))
	}
	for ; i < len(a); i++ {
		s[0] += math.Abs(float64(a[i]) - float64(b[i]))
	}
	return s[0] + s[1] + (s[2] + s[3])
}
