// Functions of one element that the processor has an instruction for.

package vector

import "math"

// Sqrt sets dst[i] = √src[i], rounded once.
func Sqrt(dst, src []float32) { sqrt(dst, src) }

// Negate sets dst[i] = −src[i].
func Negate(dst, src []float32) { negate(dst, src) }

// Absolutes sets dst[i] = |src[i]|.
func Absolutes(dst, src []float32) { absolutes(dst, src) }

// Floor sets dst[i] to the greatest integer that is not greater than src[i].
func Floor(dst, src []float32) { floor(dst, src) }

// Ceil sets dst[i] to the least integer that is not less than src[i].
func Ceil(dst, src []float32) { ceil(dst, src) }

// Round sets dst[i] to the nearest integer, the even one of two.
func Round(dst, src []float32) { round(dst, src) }

func inFloat64(dst, src []float32, f func(float64) float64) {
	for i, x := range src {
		dst[i] = float32(f(float64(x)))
	}
}

func sqrtGeneric(dst, src []float32)      { inFloat64(dst, src, math.Sqrt) }
func absolutesGeneric(dst, src []float32) { inFloat64(dst, src, math.Abs) }
func floorGeneric(dst, src []float32)     { inFloat64(dst, src, math.Floor) }
func ceilGeneric(dst, src []float32)      { inFloat64(dst, src, math.Ceil) }
func roundGeneric(dst, src []float32)     { inFloat64(dst, src, math.RoundToEven) }

func negateGeneric(dst, src []float32) {
	for i, x := range src {
		dst[i] = -x
	}
}
