// Sums in float64 and the normalization of rows by them.

package vector

import "math"

// Sum is Σ x in float64 over sixteen interleaved partial sums: see [Reduction.Rows].
func Sum(x []float32) float64 {
	var sum [1]float64
	ReduceSum.Rows(sum[:], x, len(x), 1, 0)
	return sum[0]
}

// deviation is Σ (x − mean)² in sixteen interleaved partial sums, then the rest in order.
func deviation(x []float32, mean float64) float64 {
	total, n := wholeDeviation(x, mean)
	if n == 0 {
		total, n = deviationGeneric(x, mean)
	}
	for _, v := range x[n:] {
		d := float64(v) - mean
		total += float64(d * d)
	}
	return total
}

// deviationGeneric is wholeDeviation.
func deviationGeneric(x []float32, mean float64) (float64, int) {
	var sums [Lanes]float64
	n := len(x) &^ (Lanes - 1)
	for i := 0; i < n; i += Lanes {
		for k, v := range x[i : i+Lanes] {
			d := float64(v) - mean
			sums[k] += float64(d * d)
		}
	}
	return foldLanes(&sums), n
}

// Normalize writes (x − mean)/√(variance + ε), times scale plus bias if these are not nil; dst may be x. It returns the
// mean and the inverse standard deviation. Mean and variance (over n) are taken in float64.
func Normalize(dst, x, scale, bias []float32, epsilon float32) (center, inverse float32) {
	if len(x) == 0 {
		return 0, 0
	}
	mean := Sum(x) / float64(len(x))
	variance := deviation(x, mean) / float64(len(x))
	inverse = float32(1 / math.Sqrt(variance+float64(epsilon)))
	center = float32(mean)
	dst = dst[:len(x)]
	SubRows(dst, x, []float32{center}, 1, 0)
	MulRows(dst, dst, []float32{inverse}, 1, 0)
	if scale != nil {
		MulRows(dst, dst, scale, 1, 1)
	}
	if bias != nil {
		AddRows(dst, dst, bias, 1, 1)
	}
	return center, inverse
}

// NormalizeRows is [Normalize] for rows of n elements that follow each other.
func NormalizeRows(dst, x, scale, bias []float32, n, rows int, epsilon float32) {
	if !normalizeRows(dst, x, scale, bias, n, rows, epsilon) {
		normalizeRowsGeneric(dst, x, scale, bias, n, rows, epsilon)
	}
}

func normalizeRowsGeneric(dst, x, scale, bias []float32, n, rows int, epsilon float32) {
	for i := range rows {
		Normalize(dst[i*n:(i+1)*n], x[i*n:(i+1)*n], scale, bias, epsilon)
	}
}

// RootRows writes x/√(mean of x² + ε), times scale if it is not nil, for rows of n elements that follow each other; dst
// may be x. The mean is taken in float64.
func RootRows(dst, x, scale []float32, n, rows int, epsilon float32) {
	if !rootRows(dst, x, scale, n, rows, epsilon) {
		rootRowsGeneric(dst, x, scale, n, rows, epsilon)
	}
}

func rootRowsGeneric(dst, x, scale []float32, n, rows int, epsilon float32) {
	for i := range rows {
		row, to := x[i*n:(i+1)*n], dst[i*n:(i+1)*n]
		f := float32(1 / math.Sqrt(deviation(row, 0)/float64(n)+float64(epsilon)))
		if scale == nil {
			for k, v := range row {
				to[k] = v * f
			}
			continue
		}
		for k, v := range row {
			to[k] = float32(v*f) * scale[k]
		}
	}
}

// foldLanes adds sixteen partial sums, halves onto halves.
func foldLanes[T float32 | float64](s *[Lanes]T) T {
	for n := Lanes / 2; n > 0; n /= 2 {
		for i := range n {
			s[i] += s[i+n]
		}
	}
	return s[0]
}
