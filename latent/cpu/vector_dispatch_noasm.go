//go:build !amd64 || noasm

package cpu

var useAVX512 bool

// softmaxRow is softmaxRowGeneric.
func softmaxRow(x []float32, scale float32) float32 { return softmaxRowGeneric(x, scale) }

// geluVector is geluGeneric for a multiple of sixteen elements.
func geluVector(dst, src []float32) { geluGeneric(dst, src) }

// normalizeRowsVector reports that there is no vector form.
func normalizeRowsVector(dst, x, scale, bias []float32, n, rows int, epsilon float32) bool {
	return false
}

// finishRows is finishRowsGeneric.
func finishRows(c, bias, other []float32, stride, cols, rows int, relu bool) {
	finishRowsGeneric(c, bias, other, stride, cols, rows, relu)
}
