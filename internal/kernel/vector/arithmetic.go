// Arithmetic on rows that are broadcast against each other.

package vector

// AddRows sets dst[i] = x[i·stepX] + y[i·stepY]. Of this and the following functions, a step is 1, or 0 for one number
// that serves all; dst may be x or y.
func AddRows(dst, x, y []float32, stepX, stepY int) { addRows(dst, x, y, stepX, stepY) }

// SubRows sets dst[i] = x[i·stepX] − y[i·stepY].
func SubRows(dst, x, y []float32, stepX, stepY int) { subRows(dst, x, y, stepX, stepY) }

// MulRows sets dst[i] = x[i·stepX] · y[i·stepY].
func MulRows(dst, x, y []float32, stepX, stepY int) { mulRows(dst, x, y, stepX, stepY) }

// DivRows sets dst[i] = x[i·stepX] / y[i·stepY].
func DivRows(dst, x, y []float32, stepX, stepY int) { divRows(dst, x, y, stepX, stepY) }

// MaxRows sets dst[i] to the larger of x[i·stepX] and y[i·stepY]; NaN if one is, and of equals the second.
func MaxRows(dst, x, y []float32, stepX, stepY int) { maxRows(dst, x, y, stepX, stepY) }

// MinRows sets dst[i] to the smaller of x[i·stepX] and y[i·stepY]; NaN if one is, and of equals the second.
func MinRows(dst, x, y []float32, stepX, stepY int) { minRows(dst, x, y, stepX, stepY) }

// PReluRows sets dst[i] to x[i·stepX], times y[i·stepY] if it is negative.
func PReluRows(dst, x, y []float32, stepX, stepY int) { preluRows(dst, x, y, stepX, stepY) }

// GateRows sets dst[i] to x[i·stepX], or 0 if y[i·stepY] ≤ 0: the gradient of a rectified linear unit. If y is NaN x
// stays.
func GateRows(dst, x, y []float32, stepX, stepY int) { gateRows(dst, x, y, stepX, stepY) }

func addRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		dst[i] = x[i*stepX] + y[i*stepY]
	}
}

func subRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		dst[i] = x[i*stepX] - y[i*stepY]
	}
}

func mulRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		dst[i] = x[i*stepX] * y[i*stepY]
	}
}

func divRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		dst[i] = x[i*stepX] / y[i*stepY]
	}
}

// Sum64 is Σ x in four sums that are added at the end.
func Sum64(x []float64) float64 {
	var s [4]float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s[0] += x[i]
		s[1] += x[i+1]
		s[2] += x[i+2]
		s[3] += x[i+3]
	}
	for ; i < len(x); i++ {
		s[0] += x[i]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

func maxRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		v, w := x[i*stepX], y[i*stepY]
		if v > w || v != v {
			w = v
		}
		dst[i] = w
	}
}

func minRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		v, w := x[i*stepX], y[i*stepY]
		if v < w || v != v {
			w = v
		}
		dst[i] = w
	}
}

func preluRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		v := x[i*stepX]
		if v < 0 {
			v *= y[i*stepY]
		}
		dst[i] = v
	}
}

func gateRowsGeneric(dst, x, y []float32, stepX, stepY int) {
	for i := range dst {
		v := x[i*stepX]
		if y[i*stepY] <= 0 {
			v = 0
		}
		dst[i] = v
	}
}
