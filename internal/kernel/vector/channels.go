// Rows of channels, scaled and shifted channel by channel.

package vector

// ScaleRows sets dst[i·n+c] = src[i·n+c]·factors[c] for rows of n = len(factors) elements that follow each other; dst
// may be src.
func ScaleRows(dst, src, factors []float32, rows int) { scaleRows(dst, src, factors, rows) }

// ShiftRows sets dst[i·cols+c] = src[i·cols+c]·factors[c] + shifts[c], in float64 and rounded once, for rows that
// follow each other; with relu, negative results become 0. A NaN stays. factors and shifts have at least as many
// elements as cols rounded up to a multiple of [Lanes]; dst may be src.
func ShiftRows(dst, src []float32, factors, shifts []float64, cols, rows int, relu bool) {
	shiftRows(dst, src, factors, shifts, cols, rows, relu)
}

func scaleRowsGeneric(dst, src, factors []float32, rows int) {
	n := len(factors)
	for i := range rows {
		for c, f := range factors {
			dst[i*n+c] = src[i*n+c] * f
		}
	}
}

func shiftRowsGeneric(dst, src []float32, factors, shifts []float64, cols, rows int, relu bool) {
	for i := range rows {
		for c := range cols {
			v := float32(float64(float64(src[i*cols+c])*factors[c]) + shifts[c])
			if relu && v < 0 {
				v = 0
			}
			dst[i*cols+c] = v
		}
	}
}
