// Softmax of rows, and its parts.

package vector

import "math"

// SoftmaxRow replaces x by e^(scale·x − max scale·x) and returns the sum of the results. The length is a
// multiple of [Lanes], which elements −Inf fill up, and the scale positive. If an element is NaN, so is the sum.
func SoftmaxRow(x []float32, scale float32) float32 { return softmaxRow(x, scale) }

func softmaxRowGeneric(x []float32, scale float32) float32 {
	top := float32(math.Inf(-1))
	for i, v := range x {
		v *= scale
		x[i] = v
		if v > top || v != v {
			top = v
		}
	}
	var sums [Lanes]float32
	for i, v := range x {
		e := exponential(v - top)
		x[i] = e
		sums[i%Lanes] += e
	}
	return foldLanes(&sums)
}

// SoftmaxRows sets each row of n elements of dst to e^x/Σ e^x of the row of src; dst may be src. It is NaN if an
// element is NaN, the greatest is infinite or all are −Inf. The sum is taken as in [SoftmaxRow].
func SoftmaxRows(dst, src []float32, n int) {
	if rows := rowsOf(dst, src, n); rows > 0 {
		softmaxRows(dst, src, n, rows)
	}
}

func softmaxRowsGeneric(dst, src []float32, n, rows int) {
	for r := range rows {
		row := dst[r*n:][:n]
		_, sum := exponentials(row, src[r*n:][:n])
		factor := 1 / sum
		for i := range row {
			row[i] *= factor
		}
	}
}

// exponentials writes e^(x − top) of a row, unless dst is nil, and returns the greatest element and the sum.
func exponentials(dst, x []float32) (top, sum float32) {
	top = float32(math.Inf(-1))
	for _, v := range x {
		if v > top || v != v {
			top = v
		}
	}
	var sums [Lanes]float32
	for i := range (len(x) + Lanes - 1) / Lanes * Lanes {
		v := float32(math.Inf(-1))
		if i < len(x) {
			v = x[i]
		}
		e := exponential(v - top)
		if dst != nil && i < len(x) {
			dst[i] = e
		}
		sums[i%Lanes] += e
	}
	return top, foldLanes(&sums)
}

// LogSoftmaxRows sets each row of n elements of dst to x − ln Σ e^x of the row of src; dst may be src. NaN as in
// [SoftmaxRows].
func LogSoftmaxRows(dst, src []float32, n int) {
	const together = 64
	var tops, sums [together]float32
	for rows := rowsOf(dst, src, n); rows > 0; rows -= together {
		count := min(rows, together)
		exponentialSums(tops[:count], sums[:count], src, n)
		Log(sums[:], sums[:])
		lowerRows(dst, src, tops[:count], sums[:count], n)
		if rows > together {
			dst, src = dst[together*n:], src[together*n:]
		}
	}
}

// rowsOf is the number of rows of n elements of dst, as many as which src must have.
func rowsOf(dst, src []float32, n int) int {
	if n == 0 || len(dst) == 0 {
		return 0
	}
	rows := len(dst) / n
	_ = src[rows*n-1]
	return rows
}

func exponentialSumsGeneric(tops, sums, src []float32, n int) {
	for r := range tops {
		tops[r], sums[r] = exponentials(nil, src[r*n:][:n])
	}
}

// lowerRowsGeneric sets each row to the row of src less two numbers, one after the other.
func lowerRowsGeneric(dst, src, first, second []float32, n int) {
	for r, v := range first {
		row := dst[r*n:][:n]
		for i, x := range src[r*n:][:n] {
			row[i] = (x - v) - second[r]
		}
	}
}
