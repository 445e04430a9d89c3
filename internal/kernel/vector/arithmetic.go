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
