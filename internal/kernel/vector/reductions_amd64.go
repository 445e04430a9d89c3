//go:build amd64 && !noasm

// Reductions with vectors.

package vector

func (r Reduction) rows(dst []float64, x []float32, n, rows, stride int) {
	if !useAVX2 {
		r.rowsGeneric(dst, x, n, rows, stride)
		return
	}
	r.reduceRowsAssembly(&dst[0], &x[0], n, rows, stride)
}

func (r Reduction) columns(dst []float64, src []float32, offsets []int, width int) {
	if !useAVX2 {
		r.columnsGeneric(dst, src, offsets, width)
		return
	}
	r.reduceColumnsAssembly(&dst[0], &src[0], &offsets[0], len(offsets), width)
}

// overtake returns how many elements it has done.
func (o Order) overtake(top, x []float32, index []int32, value int32) int {
	n := len(top) &^ (Lanes - 1)
	if !useAVX2 || n == 0 {
		return 0
	}
	t, v, i := &top[0], &x[0], &index[0]
	switch {
	case o == Greater && useAVX512:
		greaterAVX512(t, v, i, n, value)
	case o == Greater:
		greaterAVX2(t, v, i, n, value)
	case o == GreaterOrEqual && useAVX512:
		greaterOrEqualAVX512(t, v, i, n, value)
	case o == GreaterOrEqual:
		greaterOrEqualAVX2(t, v, i, n, value)
	case o == Less && useAVX512:
		lessAVX512(t, v, i, n, value)
	case o == Less:
		lessAVX2(t, v, i, n, value)
	case useAVX512:
		lessOrEqualAVX512(t, v, i, n, value)
	default:
		lessOrEqualAVX2(t, v, i, n, value)
	}
	return n
}

// wholeDeviation is the part of deviation that vectors give, and of how many elements it is.
func wholeDeviation(x []float32, mean float64) (sum float64, n int) {
	n = len(x) &^ (Lanes - 1)
	switch {
	case !useAVX2 || n == 0:
		return 0, 0
	case useAVX512:
		return deviationAVX512(&x[0], n, mean), n
	}
	return deviationAVX2(&x[0], n, mean), n
}
