// Powers and remainders of two operands, computed in float64 and rounded once.

package vector

import "math"

// PowRows sets dst[i] to x[i·stepX] to the power of y[i·stepY] within 0.501 units in the last place, or 1 if it is
// subnormal; squares are rounded once. Zeros, infinities, NaN and negative numbers give the results of [math.Pow]. A
// step is 1, or 0 for one number that serves all; dst may be x or y.
func PowRows(dst, x, y []float32, stepX, stepY int) { powRows(dst, x, y, stepX, stepY) }

// ModRows sets dst[i] to the remainder of x[i·stepX] by y[i·stepY] with the sign of x, as [math.Mod] does: exactly.
func ModRows(dst, x, y []float32, stepX, stepY int) { modRows(dst, x, y, stepX, stepY) }

func powRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		dst[i] = float32(pow64(float64(x[i*stepX]), float64(y[i*stepY])))
	}
}

// pow64 is e^(y·ln|x|) with the sign of odd powers.
func pow64(x, y float64) float64 {
	a := math.Abs(x)
	l := float64(log64(a) * y)
	r := expDouble(atLeast(atMost(l, 300), -300))
	whole, half := math.RoundToEven(y), float64(y*0.5)
	if x < 0 && a <= most && whole != y {
		r = math.NaN()
	}
	if whole == y && math.RoundToEven(half) != half {
		r = math.Float64frombits(math.Float64bits(r) ^ math.Float64bits(x)&(1<<63))
	}
	if y == 2 {
		r = float64(x * x)
	}
	if x == 1 || y == 0 || a == 1 && math.Abs(y) > most {
		r = 1
	}
	return r
}

func modRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		dst[i] = float32(math.Mod(float64(x[i*stepX]), float64(y[i*stepY])))
	}
}
