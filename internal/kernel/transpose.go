// Copies that change the layout: transposes, and panels of shifted rows.

package kernel

import "unsafe"

// PackShifted packs rows like [PackRows], each element scaled and shifted as [ScaleShift] does it:
//
//	element d of vector r is src[r·stride+d]·scales[r] − shift[d]
//
// product and difference each rounded. It panics if a slice is too short.
func PackShifted(dst []float32, width int, src []float32, stride, count, depth int, scales, shift []float32) {
	if count == 0 || depth == 0 {
		return
	}
	dst, src = dst[:roundUp(count, width)*depth], src[:(count-1)*stride+depth]
	active.Load().rows.packShifted(dst, width, src, stride, count, depth, scales[:count], shift[:depth])
}

func packShiftedGeneric(dst []float32, width int, src []float32, stride, count, depth int, scales, shift []float32) {
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		panel := dst[q*depth : q*depth+width*depth]
		if n < width {
			clear(panel)
		}
		for r := range n {
			packShiftedRow(panel[r:], width, src[(q+r)*stride:][:depth], scales[q+r], shift, 0)
		}
	}
}

// packShiftedRow does the depths from from on of one row.
func packShiftedRow(panel []float32, width int, row []float32, scale float32, shift []float32, from int) {
	for d := from; d < len(row); d++ {
		panel[d*width] = float32(row[d]*scale) - shift[d]
	}
}

// Transpose sets dst[c·dstStride+r] = src[r·srcStride+c] for r < rows and c < cols. The two must not
// overlap; it panics if one is too short.
func Transpose[T int32 | int64 | float32 | float64](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	dst, src = dst[:(cols-1)*dstStride+rows], src[:(rows-1)*srcStride+cols]
	if unsafe.Sizeof(dst[0]) != 4 {
		transposeGeneric(dst, dstStride, src, srcStride, rows, cols)
		return
	}
	to := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), len(dst))
	from := unsafe.Slice((*uint32)(unsafe.Pointer(&src[0])), len(src))
	active.Load().rows.transpose(to, dstStride, from, srcStride, rows, cols)
}

func transposeGeneric[T any](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	const tile = 16
	for r0 := 0; r0 < rows; r0 += tile {
		height := min(tile, rows-r0)
		for c0 := 0; c0 < cols; c0 += tile {
			for c := c0; c < min(c0+tile, cols); c++ {
				to := dst[c*dstStride+r0:][:height]
				offset := r0*srcStride + c
				for r := range to {
					to[r] = src[offset]
					offset += srcStride
				}
			}
		}
	}
}
