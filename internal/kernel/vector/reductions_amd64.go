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
