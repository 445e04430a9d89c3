//go:build amd64 && !noasm

// The choice between the generated functions of differences.

package vector

func differenceSums32(dst []float64, a, b []float32, rows, strideA, strideB int, roots bool) {
	switch {
	case !useAVX2:
		differenceSumsGeneric(dst, a, b, rows, strideA, strideB, roots)
	case useAVX512 && roots:
		rootSums32AVX512(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	case useAVX512:
		absoluteSums32AVX512(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	case roots:
		rootSums32AVX2(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	default:
		absoluteSums32AVX2(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	}
}

func differenceSums64(dst, a, b []float64, rows, strideA, strideB int, roots bool) {
	switch {
	case !useAVX2:
		differenceSumsGeneric(dst, a, b, rows, strideA, strideB, roots)
	case useAVX512 && roots:
		rootSums64AVX512(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	case useAVX512:
		absoluteSums64AVX512(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	case roots:
		rootSums64AVX2(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	default:
		absoluteSums64AVX2(&dst[0], &a[0], &b[0], len(dst), rows, strideA, strideB)
	}
}

func sortColumns32(x []float32, pairs []int32) {
	switch {
	case !useAVX2:
		sortColumnsGeneric(x, pairs)
	case useAVX512:
		sortColumns32AVX512(&x[0], &pairs[0], len(pairs)/2)
	default:
		sortColumns32AVX2(&x[0], &pairs[0], len(pairs)/2)
	}
}

func sortColumns64(x []float64, pairs []int32) {
	switch {
	case !useAVX2:
		sortColumnsGeneric(x, pairs)
	case useAVX512:
		sortColumns64AVX512(&x[0], &pairs[0], len(pairs)/2)
	default:
		sortColumns64AVX2(&x[0], &pairs[0], len(pairs)/2)
	}
}

func weightedColumns32(dst []float64, x, y []float32, weights []float64) {
	switch {
	case !useAVX2:
		weightedColumnsGeneric(dst, x, y, weights)
	case useAVX512:
		weightedColumns32AVX512(&dst[0], &x[0], &y[0], &weights[0], len(weights))
	default:
		weightedColumns32AVX2(&dst[0], &x[0], &y[0], &weights[0], len(weights))
	}
}

func weightedColumns64(dst, x, y, weights []float64) {
	switch {
	case !useAVX2:
		weightedColumnsGeneric(dst, x, y, weights)
	case useAVX512:
		weightedColumns64AVX512(&dst[0], &x[0], &y[0], &weights[0], len(weights))
	default:
		weightedColumns64AVX2(&dst[0], &x[0], &y[0], &weights[0], len(weights))
	}
}

// addSquares32 does the first elements and returns how many.
func addSquares32(dst []float64, x, y []float32) int {
	n := len(dst) &^ (Lanes - 1)
	switch {
	case !useAVX2 || n == 0:
		return 0
	case useAVX512:
		addSquares32AVX512(&dst[0], &x[0], &y[0], n)
	default:
		addSquares32AVX2(&dst[0], &x[0], &y[0], n)
	}
	return n
}

// addSquares64 does the first elements and returns how many.
func addSquares64(dst, x, y []float64) int {
	n := len(dst) &^ (Lanes - 1)
	switch {
	case !useAVX2 || n == 0:
		return 0
	case useAVX512:
		addSquares64AVX512(&dst[0], &x[0], &y[0], n)
	default:
		addSquares64AVX2(&dst[0], &x[0], &y[0], n)
	}
	return n
}

// addRoots does the first elements and returns how many.
func addRoots(dst, x, y []float64) int {
	n := len(dst) &^ (Lanes - 1)
	switch {
	case !useAVX2 || n == 0:
		return 0
	case useAVX512:
		addRootsAVX512(&dst[0], &x[0], &y[0], n)
	default:
		addRootsAVX2(&dst[0], &x[0], &y[0], n)
	}
	return n
}

func tileDistances(sums *[16]float64, x, y []float64, n, stride int) {
	switch {
	case !useAVX2:
		tileDistancesGeneric(sums, x, y, n, stride)
	case useAVX512:
		tileDistancesAVX512(sums, &x[0], &y[0], n, stride)
	default:
		tileDistancesAVX2(sums, &x[0], &y[0], n, stride)
	}
}
