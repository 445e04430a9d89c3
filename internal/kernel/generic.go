// The pure-Go twins of the assembly micro-kernels.

package kernel

import (
	"math"
	"unsafe"
)

const (
	genericMR = 4
	genericNR = 4
)

var (
	genericFloat32 = newTiling(genericMR, genericNR, microFloat32Generic, packRowsGeneric[float32])
	genericFloat64 = newTiling(genericMR, genericNR, microFloat64Generic, packRowsGeneric[float64])
	genericUint8   = newTiling(genericMR, genericNR, microUint8Generic, packRowsGeneric[uint32])
	genericInt16   = newTiling(genericMR, genericNR, microInt16Generic, packRowsGeneric[uint32])
)

// tileOf views the 4×4 tile of a row-major matrix, row by row.
func tileOf[T any](c *T, stride int) (rows [genericMR][]T) {
	full := unsafe.Slice(c, (genericMR-1)*stride+genericNR)
	for r := range rows {
		rows[r] = full[r*stride : r*stride+genericNR]
	}
	return rows
}

func microFloat32Generic(depth int, a, b, c *float32, stride int, _ uintptr, add bool) {
	pa, pb := unsafe.Slice(a, depth*genericMR), unsafe.Slice(b, depth*genericNR)
	for r, row := range tileOf(c, stride) {
		var s0, s1, s2, s3 float32
		for k := range depth {
			v, w := pa[k*genericMR+r], pb[k*genericNR:k*genericNR+genericNR]
			s0 = fma32(v, w[0], s0)
			s1 = fma32(v, w[1], s1)
			s2 = fma32(v, w[2], s2)
			s3 = fma32(v, w[3], s3)
		}
		storeTile(row, add, s0, s1, s2, s3)
	}
}

func microFloat64Generic(depth int, a, b, c *float64, stride int, _ uintptr, add bool) {
	pa, pb := unsafe.Slice(a, depth*genericMR), unsafe.Slice(b, depth*genericNR)
	for r, row := range tileOf(c, stride) {
		var s0, s1, s2, s3 float64
		for k := range depth {
			v, w := pa[k*genericMR+r], pb[k*genericNR:k*genericNR+genericNR]
			s0 = math.FMA(v, w[0], s0)
			s1 = math.FMA(v, w[1], s1)
			s2 = math.FMA(v, w[2], s2)
			s3 = math.FMA(v, w[3], s3)
		}
		storeTile(row, add, s0, s1, s2, s3)
	}
}

func storeTile[T float32 | float64 | int32](row []T, add bool, s0, s1, s2, s3 T) {
	if add {
		s0, s1, s2, s3 = row[0]+s0, row[1]+s1, row[2]+s2, row[3]+s3
	}
	row[0], row[1], row[2], row[3] = s0, s1, s2, s3
}

// microUint8Generic multiplies panels of pairs of 16-bit numbers, the form that
// VPMADDWD takes: a 32-bit element holds depths 2k (low half) and 2k+1.
func microUint8Generic(depth int, a, b *uint32, c *int32, stride int, _ uintptr, add bool) {
	pa, pb := unsafe.Slice(a, depth*genericMR), unsafe.Slice(b, depth*genericNR)
	for r, row := range tileOf(c, stride) {
		var s0, s1, s2, s3 int32
		for k := range depth {
			v, w := pa[k*genericMR+r], pb[k*genericNR:k*genericNR+genericNR]
			s0 += pairProduct(v, w[0])
			s1 += pairProduct(v, w[1])
			s2 += pairProduct(v, w[2])
			s3 += pairProduct(v, w[3])
		}
		storeTile(row, add, s0, s1, s2, s3)
	}
}

func pairProduct(a, b uint32) int32 {
	return int32((a&0xffff)*(b&0xffff) + (a>>16)*(b>>16))
}

// microInt16Generic multiplies panels of pairs of signed 16-bit numbers and rounds the sums to float32.
func microInt16Generic(depth int, a, b *uint32, c *float32, stride int, _ uintptr, add bool) {
	pa, pb := unsafe.Slice(a, depth*genericMR), unsafe.Slice(b, depth*genericNR)
	for r, row := range tileOf(c, stride) {
		for from := 0; from == 0 || from < depth; from += Int16Depth / 2 {
			var s0, s1, s2, s3 int32
			for k := from; k < min(depth, from+Int16Depth/2); k++ {
				v, w := pa[k*genericMR+r], pb[k*genericNR:k*genericNR+genericNR]
				s0 += signedProduct(v, w[0])
				s1 += signedProduct(v, w[1])
				s2 += signedProduct(v, w[2])
				s3 += signedProduct(v, w[3])
			}
			storeTile(row, add || from > 0, float32(s0), float32(s1), float32(s2), float32(s3))
		}
	}
}

func signedProduct(a, b uint32) int32 {
	return int32(int16(a))*int32(int16(b)) + int32(int16(a>>16))*int32(int16(b>>16))
}
