// The epilogue of a product.

package vector

// FinishRows adds bias to rows of cols elements that begin stride apart in c, and, unless it is nil, the same part of
// other; with relu, negative results become 0. A NaN stays.
func FinishRows(c, bias, other []float32, stride, cols, rows int, relu bool) {
	finishRows(c, bias, other, stride, cols, rows, relu)
}

// finishRowsGeneric adds bias and, if it is not nil, other to rows of a matrix.
func finishRowsGeneric(c, bias, other []float32, stride, cols, rows int, relu bool) {
	for i := range rows {
		row := c[i*stride : i*stride+cols]
		for j, b := range bias[:cols] {
			v := row[j] + b
			if other != nil {
				v += other[i*stride+j]
			}
			if relu && v < 0 {
				v = 0
			}
			row[j] = v
		}
	}
}
