// Differences of rows and sorted columns, of float32 or float64 and with sums in float64, as scores of ensembles take
// them.

package vector

import "math"

// Float is the type of an element.
type Float interface{ float32 | float64 }

// Columns is the number of columns of the blocks of rows that [SortColumns] and [WeightedColumns] take.
const Columns = 64

// RootSums sets dst[i] = Σ_k √|a[k·strideA+i] − b[k·strideB+i]| over k < rows: difference and root rounded to the type
// of the elements, the sum in float64, in order. A stride of 0 is one row for all. Up to [Lanes] − 1 elements after the
// last one are read: a and b have strideA·(rows−1) + n elements, n = len(dst) rounded up to a multiple of Lanes, and
// dst has capacity n.
func RootSums[T Float](dst []float64, a, b []T, rows, strideA, strideB int) {
	differenceSums(dst, a, b, rows, strideA, strideB, true)
}

// AbsoluteSums sets dst[i] = Σ_k |a[k·strideA+i] − b[k·strideB+i]|, all of it in float64, else as [RootSums].
func AbsoluteSums[T Float](dst []float64, a, b []T, rows, strideA, strideB int) {
	differenceSums(dst, a, b, rows, strideA, strideB, false)
}

func differenceSums[T Float](dst []float64, a, b []T, rows, strideA, strideB int, roots bool) {
	n := (len(dst) + Lanes - 1) &^ (Lanes - 1)
	if n == 0 || rows == 0 {
		clear(dst)
		return
	}
	// The last elements that are read and written.
	dst = dst[:n]
	_, _ = a[(rows-1)*strideA+n-1], b[(rows-1)*strideB+n-1]
	switch a := any(a).(type) {
	case []float32:
		differenceSums32(dst, a, any(b).([]float32), rows, strideA, strideB, roots)
	case []float64:
		differenceSums64(dst, a, any(b).([]float64), rows, strideA, strideB, roots)
	}
}

func differenceSumsGeneric[T Float](dst []float64, a, b []T, rows, strideA, strideB int, roots bool) {
	if roots {
		rootSumsGeneric(dst, a, b, rows, strideA, strideB)
	} else {
		absoluteSumsGeneric(dst, a, b, rows, strideA, strideB)
	}
}

func rootSumsGeneric[T Float](dst []float64, a, b []T, rows, strideA, strideB int) {
	clear(dst)
	for k := range rows {
		a, b := a[k*strideA:][:len(dst)], b[k*strideB:][:len(dst)]
		for i, v := range a {
			dst[i] += float64(T(math.Sqrt(math.Abs(float64(v - b[i])))))
		}
	}
}

func absoluteSumsGeneric[T Float](dst []float64, a, b []T, rows, strideA, strideB int) {
	clear(dst)
	for k := range rows {
		a, b := a[k*strideA:][:len(dst)], b[k*strideB:][:len(dst)]
		for i, v := range a {
			dst[i] += math.Abs(float64(v) - float64(b[i]))
		}
	}
}

// SortColumns orders rows pairs[0] and pairs[1], then pairs[2] and pairs[3], … of a block x of rows of [Columns]
// elements in every column, so that the first is not greater: with the pairs of a sorting network it sorts all
// columns. Of elements that cannot be compared, as with NaN, the second is taken twice.
func SortColumns[T Float](x []T, pairs []int32) {
	if len(pairs) < 2 {
		return
	}
	last := int32(0)
	for _, row := range pairs {
		last = max(last, row)
	}
	_ = x[int(last)*Columns+Columns-1]
	switch x := any(x).(type) {
	case []float32:
		sortColumns32(x, pairs)
	case []float64:
		sortColumns64(x, pairs)
	}
}

func sortColumnsGeneric[T Float](x []T, pairs []int32) {
	for p := 0; p+1 < len(pairs); p += 2 {
		a, b := x[int(pairs[p])*Columns:][:Columns], x[int(pairs[p+1])*Columns:][:Columns]
		for i, v := range a {
			w := b[i]
			low, high := w, w
			if v < w {
				low = v
			}
			if v > w {
				high = v
			}
			a[i], b[i] = low, high
		}
	}
}

// WeightedColumns sets dst[i] = Σ_k weights[k]·(x[k·Columns+i] − y[i]) for i < [Columns] in float64, with fused
// multiply-adds, in order.
func WeightedColumns[T Float](dst []float64, x, y []T, weights []float64) {
	dst, y = dst[:Columns], y[:Columns]
	if len(weights) == 0 {
		clear(dst)
		return
	}
	_ = x[len(weights)*Columns-1]
	switch x := any(x).(type) {
	case []float32:
		weightedColumns32(dst, x, any(y).([]float32), weights)
	case []float64:
		weightedColumns64(dst, x, any(y).([]float64), weights)
	}
}

func weightedColumnsGeneric[T Float](dst []float64, x, y []T, weights []float64) {
	clear(dst)
	for k, w := range weights {
		for i, v := range x[k*Columns:][:Columns] {
			dst[i] = math.FMA(w, float64(v)-float64(y[i]), dst[i])
		}
	}
}

// AddSquares adds (x[i] − y[i])² to dst[i] in float64, with a fused multiply-add. x and y are as long as dst.
func AddSquares[T Float](dst []float64, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := 0
	switch x := any(x).(type) {
	case []float32:
		n = addSquares32(dst, x, any(y).([]float32))
	case []float64:
		n = addSquares64(dst, x, any(y).([]float64))
	}
	addSquaresGeneric(dst[n:], x[n:], y[n:])
}

func addSquaresGeneric[T Float](dst []float64, x, y []T) {
	for i, v := range x {
		d := float64(v) - float64(y[i])
		dst[i] = math.FMA(d, d, dst[i])
	}
}

// AddRoots adds √(x[i] + y[i]) to dst[i]. x and y are as long as dst.
func AddRoots(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := addRoots(dst, x, y)
	addRootsGeneric(dst[n:], x[n:], y[n:])
}

func addRootsGeneric(dst, x, y []float64) {
	for i, v := range x {
		dst[i] += math.Sqrt(v + y[i])
	}
}

// TileDistances adds the squared distance of row r of x from row c of y to sums[4r+c], for four rows each, row r at
// x[r·stride:]. Eight running sums take the first n elements, a multiple of 8, with fused multiply-adds; they are added
// as l0+l4, l2+l6, their sum, then the sum of the odd ones.
func TileDistances(sums *[16]float64, x, y []float64, n, stride int) {
	if n == 0 {
		return
	}
	_, _ = x[3*stride+n-1], y[3*stride+n-1]
	tileDistances(sums, x, y, n, stride)
}

func tileDistancesGeneric(sums *[16]float64, x, y []float64, n, stride int) {
	for r := range 4 {
		for c := range 4 {
			var l [8]float64
			x, y := x[r*stride:][:n], y[c*stride:][:n]
			for k, v := range x {
				d := v - y[k]
				l[k&7] = math.FMA(d, d, l[k&7])
			}
			sums[4*r+c] += ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
		}
	}
}
