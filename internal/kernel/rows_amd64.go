//go:build amd64 && !noasm

// The Go side of the row operations in assembly: whole groups there, the rest of a row in Go.

package kernel

import (
	"math"
	"unsafe"
)

func sumUint8AVX2(x []uint8) int64 {
	blocks := len(x) / 32
	if blocks == 0 {
		return sumUint8Generic(x)
	}
	return int64(sumBytesAVX2(&x[0], blocks)) + sumUint8Generic(x[32*blocks:])
}

func sumSquaresUint8AVX2(x []uint8) int64 {
	var s int64
	for len(x) >= 32 {
		blocks := min(len(x), MaxUint8Depth) / 32 // the sum of these fits into 32 bits
		s += int64(sumSquareBytesAVX2(&x[0], blocks))
		x = x[32*blocks:]
	}
	return s + sumSquaresUint8Generic(x)
}

func finishRowAsm(c, squares []int32, term int32) {
	n := len(squares) / 8
	if n > 0 {
		finishRowAVX2(&c[0], &squares[0], n, term)
	}
	finishRowGeneric(c[8*n:], squares[8*n:], term)
}

func scaleShiftAsm(dst, x, shift []float32, scale float32) {
	n := len(x) / 8
	if n > 0 {
		scaleShiftFloat32AVX2(&dst[0], &x[0], &shift[0], n, scale)
	}
	scaleShiftGeneric(dst[8*n:], x[8*n:], shift[8*n:], scale)
}

func narrowShiftedAsm(dst []float32, x, shift []float64, scale float64) {
	n := len(x) / 8
	if n > 0 {
		narrowShiftedAVX2(&dst[0], &x[0], &shift[0], n, scale)
	}
	narrowShiftedGeneric(dst[8*n:], x[8*n:], shift[8*n:], scale)
}

func quantizeShiftedAsm[T Float](
	assembly func(dst *int16, x *T, shift *float64, sums *[16]float64, blocks int, scale, limit float64),
) func(dst []int16, x []T, shift []float64, scale float64, sums *[16]float64) {
	return func(dst []int16, x []T, shift []float64, scale float64, sums *[16]float64) {
		n := len(dst) / 8
		if n > 0 {
			assembly(&dst[0], &x[0], &shift[0], sums, n, scale, math.MaxInt16)
		}
		quantizeShiftedGeneric(dst[8*n:], x[8*n:], shift[8*n:], scale, sums)
	}
}

func finishDistancesAsm(c, norms []float32, norm float32) {
	n := len(norms) / 8
	if n > 0 {
		finishDistancesAVX2(&c[0], &norms[0], n, norm)
	}
	finishDistancesGeneric(c[8*n:], norms[8*n:], norm)
}

func nearDistancesAVX2Asm(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	n, count := len(c)/8, 0
	if n > 0 {
		count = nearDistancesAVX2(&dst[0], &c[0], &norms[0], &limits[0], n, norm, limit)
	}
	return nearDistancesFrom(8*n, count, dst, c, norms, limits, norm, limit)
}

func nearDistancesAVX512Asm(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	n, count := len(c)/16, 0
	if n > 0 {
		count = nearDistancesAVX512(&dst[0], &c[0], &norms[0], &limits[0], n, norm, limit)
	}
	return nearDistancesFrom(16*n, count, dst, c, norms, limits, norm, limit)
}

func leastDistancesAsm(blocks func(least, c, norms *float32, blocks int, norm float32)) func(*[DistanceGroups]float32, []float32, []float32, float32) {
	return func(least *[DistanceGroups]float32, c, norms []float32, norm float32) {
		n := len(c) / DistanceGroups
		if n > 0 {
			blocks(&least[0], &c[0], &norms[0], n, norm)
		}
		leastDistancesGeneric(least, c[n*DistanceGroups:], norms[n*DistanceGroups:], norm)
	}
}

func logAsm(dst, x []float64) {
	for offset := 0; offset < len(x); {
		if blocks := (len(x) - offset) / 4; blocks > 0 {
			offset += 4 * logAVX2(&dst[offset], &x[offset], blocks)
		}
		end := min(len(x), offset+4)
		logGeneric(dst[offset:end], x[offset:end])
		offset = end
	}
}

func groupSquaresAsm(dst, falling []float64, x []float32) {
	n := len(x) / squaresGroup
	if n > 0 {
		groupSquaresAVX2(&dst[0], &falling[0], &x[0], &fallingWeights, n)
	}
	groupSquaresGeneric(dst[n:], falling[n:], x[n*squaresGroup:])
}

// fallingWeights are the weights of the sums of a group in groupSquaresGeneric.
var fallingWeights = [squaresGroup]float64{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}

func countAtMostAVX2Asm(counts []int32, tile []float32, stride, rows int, limits []float32, width int) {
	if blocks := width / 8; blocks > 0 {
		for at := 0; at < len(limits); at += 4 * width {
			countAtMostAVX2(&counts[at], &tile[0], &limits[at], rows, blocks, stride, width)
		}
	}
	if rest := width % 8; rest > 0 {
		countAtMostFrom(width-rest, counts, tile, stride, rows, limits, width)
	}
}

func countAtMostAVX512Asm(counts []int32, tile []float32, stride, rows int, limits []float32, width int) {
	if blocks := width / 16; blocks > 0 {
		for at := 0; at < len(limits); at += 4 * width {
			countAtMostAVX512(&counts[at], &tile[0], &limits[at], rows, blocks, stride, width)
		}
	}
	if rest := width % 16; rest > 0 {
		countAtMostFrom(width-rest, counts, tile, stride, rows, limits, width)
	}
}

func atMostAsm(dst []int32, x []float32, limit float32) int {
	n, count := len(x)/8, 0
	if n > 0 {
		count = atMostFloat32AVX2(&dst[0], &x[0], n, limit, 0)
	}
	for k := 8 * n; k < len(x); k++ {
		if x[k] <= limit {
			dst[count] = int32(k)
			count++
		}
	}
	return count
}

func belowAsm(dst, x []int32, limit int32) int {
	n, count := len(x)/8, 0
	if n > 0 {
		count = belowInt32AVX2(&dst[0], &x[0], n, limit, 0)
	}
	for k := 8 * n; k < len(x); k++ {
		if x[k] < limit {
			dst[count] = int32(k)
			count++
		}
	}
	return count
}

func stepsFloat32Asm(dst []uint16, x []float32, first, scale, last float32) {
	n := len(x) / 16
	if n > 0 {
		stepsFloat32AVX2(&dst[0], &x[0], n, first, scale, last)
	}
	stepsGeneric(dst[16*n:], x[16*n:], first, scale, last)
}

func stepsInt32Asm(dst []uint16, x []int32, first int32, scale, last float32) {
	n := len(x) / 16
	if n > 0 {
		stepsInt32AVX2(&dst[0], &x[0], n, first, scale, last)
	}
	stepsGeneric(dst[16*n:], x[16*n:], first, scale, last)
}

func squaredDistances32(sums *[8]float64, x []float64, y *[8]*float32) {
	blocks := len(x) / 8
	if blocks == 0 {
		clear(sums[:])
	} else {
		squaredDistances32AVX2(sums, &x[0], y, blocks)
	}
	addSquaredDifferences(sums, x, y, len(y), 8*blocks)
}

func squaredDistances64(sums *[8]float64, x []float64, y *[8]*float64) {
	blocks := len(x) / 4
	if blocks == 0 {
		clear(sums[:])
	} else {
		squaredDistances64AVX2(sums, &x[0], y, blocks)
	}
	addSquaredDifferences(sums, x, y, len(y), 4*blocks)
}

func addDistancesAsm(l *lanes, c, norms, sums []float64, small []int32, norm, share float64) int {
	blocks, count := len(c)/8, 0
	if blocks > 0 {
		count = addDistancesAVX2(l, &c[0], &norms[0], &sums[0], &small[0], blocks, norm, share)
	}
	return addDistancesFrom(8*blocks, count, l, c, norms, sums, small, norm, share)
}

func sumExpAsm(l *lanes, x []float64, scale, shift float64) {
	blocks := len(x) / 8
	if blocks > 0 {
		sumExpAVX2(l, &x[0], &expTable[0][0], blocks, scale, shift)
	}
	sumExpFrom(8*blocks, l, x, scale, shift)
}

func expAsm(dst, x []float64, scale, shift float64) {
	blocks := len(x) / 8
	if blocks > 0 {
		expAVX2(&dst[0], &x[0], &expTable[0][0], blocks, scale, shift)
	}
	expGeneric(dst[8*blocks:], x[8*blocks:], scale, shift)
}

func lowerAsm(best []float64, indices []int64, c []float64, offset float64, index int64) {
	n := len(c) / 4
	if n > 0 {
		lowerAVX2(&best[0], &indices[0], &c[0], n, offset, index)
	}
	lowerGeneric(best[4*n:], indices[4*n:], c[4*n:], offset, index)
}

// addProductsAsm is the Go side of assembly for whole groups of pairLanes depths.
func addProductsAsm(
	assembly func(sums, y *float64, x *float32, stride int, index *int32, count, blocks int, ahead, end uintptr),
) pairKernel {
	return func(sums, y []float64, x []float32, stride int, index []int32, ahead []float32) {
		next := uintptr(unsafe.Pointer(unsafe.SliceData(ahead)))
		assembly(&sums[0], &y[0], &x[0], stride, &index[0], len(index), len(y)/pairLanes, next, next+uintptr(4*len(ahead)))
	}
}

func addChainsAsm(assembly func(sums *float64, y, x *float32, stride int, index *int32, count int, ahead, end uintptr)) chainKernel {
	return func(sums []float64, y, x []float32, stride int, index []int32, ahead []float32) {
		next := uintptr(unsafe.Pointer(unsafe.SliceData(ahead)))
		assembly(&sums[0], &y[0], &x[0], stride, &index[0], len(index), next, next+uintptr(4*len(ahead)))
	}
}

func widenAsm(dst []float64, src []float32) {
	n := len(src) / 16
	if n > 0 {
		widenAVX2(&dst[0], &src[0], n)
	}
	widenGeneric(dst[16*n:], src[16*n:])
}
