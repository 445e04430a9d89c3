// Rotary embeddings.

package vector

// TurnHalves rotates the first 2n elements of rows, with halves a and b, by angles whose cosines and sines are the rows
// of cos and sin, 2n elements each without gaps: dst is a·cos − b·sin and then b·cos + a·sin. Rows of dst and src lie
// stepDst and stepSrc elements apart; dst may be src.
func TurnHalves(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) {
	if !turnHalves(dst, src, cos, sin, n, rows, stepDst, stepSrc) {
		turnHalvesGeneric(dst, src, cos, sin, n, rows, stepDst, stepSrc)
	}
}

// TurnPairs is [TurnHalves] for n elements; a and b are neighbors.
func TurnPairs(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) {
	if !turnPairs(dst, src, cos, sin, n, rows, stepDst, stepSrc) {
		turnPairsGeneric(dst, src, cos, sin, n, rows, stepDst, stepSrc)
	}
}

func turnHalvesGeneric(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) {
	for r := range rows {
		x, to := src[r*stepSrc:][:2*n], dst[r*stepDst:][:2*n]
		c, s := cos[2*r*n:][:2*n], sin[2*r*n:][:2*n]
		for i, a := range x[:n] {
			b := x[n+i]
			to[i] = float32(a*c[i]) - float32(b*s[i])
			to[n+i] = float32(b*c[n+i]) + float32(a*s[n+i])
		}
	}
}

func turnPairsGeneric(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) {
	for r := range rows {
		x, to := src[r*stepSrc:][:n], dst[r*stepDst:][:n]
		c, s := cos[r*n:][:n], sin[r*n:][:n]
		for i := 0; i < n; i += 2 {
			a, b := x[i], x[i+1]
			to[i] = float32(a*c[i]) - float32(b*s[i])
			to[i+1] = float32(b*c[i+1]) + float32(a*s[i+1])
		}
	}
}
