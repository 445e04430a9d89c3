//go:build amd64 && !noasm

// The Go side of the assembly that copies into panels and transposes.

package kernel

import "unsafe"

// packer is one of the transposing copies of four or two rows.
type packer func(panel *uint32, source *byte, sourceStep, panelStep, blocks int, mask uint32)

// packPanels runs the assembly over whole panels and element by element over the
// rest: count rows of depth elements; size bytes of source make one element,
// value makes the element that starts at a byte of a row.
func packPanels(four, two packer, dst []uint32, width int, src []byte, step, count, depth, blocks, blockDepth int, mask uint32,
	rest func(panel []uint32, width, r int, row []byte, from, depth int)) {
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		panel := dst[q*depth : q*depth+width*depth]
		if n < width {
			clear(panel)
		}
		for r := 0; r < n; {
			rows, f := 1, packer(nil)
			switch {
			case n-r >= 4:
				rows, f = 4, four
			case n-r >= 2:
				rows, f = 2, two
			}
			done := 0
			if f != nil && blocks > 0 {
				f(&panel[r], &src[(q+r)*step], step, 4*width, blocks, mask)
				done = blocks * blockDepth
			}
			if done < depth {
				for i := r; i < r+rows; i++ {
					rest(panel, width, i, src[(q+i)*step:], done, depth)
				}
			}
			r += rows
		}
	}
}

func packFloat32AVX2(dst []float32, width int, src []float32, stride, count, depth int) {
	if count == 0 || depth == 0 {
		return
	}
	// The assembly does not check bounds.
	src = src[:(count-1)*stride+depth]
	dst = dst[:roundUp(count, width)*depth]
	if width == 3 && count == 3 && depth >= 8 {
		interleave3AVX2(&dst[0], &src[0], 4*stride, depth/8)
		for d := depth &^ 7; d < depth; d++ {
			dst[3*d], dst[3*d+1], dst[3*d+2] = src[d], src[stride+d], src[2*stride+d]
		}
		return
	}
	to := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), len(dst))
	from := unsafe.Slice((*byte)(unsafe.Pointer(&src[0])), 4*len(src))
	packPanels(packRows4AVX2, packRows2AVX2, to, width, from, 4*stride, count, depth, depth/8, 8, 0, restFloat32)
}

// packPairs packs pairs of 16-bit numbers.
func packPairs(dst []uint32, width int, src []uint32, stride, count, depth int) {
	if count == 0 || depth == 0 {
		return
	}
	// The assembly does not check bounds.
	src, dst = src[:(count-1)*stride+depth], dst[:roundUp(count, width)*depth]
	from := unsafe.Slice((*byte)(unsafe.Pointer(&src[0])), 4*len(src))
	packPanels(packRows4AVX2, packRows2AVX2, dst, width, from, 4*stride, count, depth, depth/8, 8, 0, restFloat32)
}

func restFloat32(panel []uint32, width, r int, row []byte, from, depth int) {
	values := unsafe.Slice((*uint32)(unsafe.Pointer(&row[0])), depth)
	for d := from; d < depth; d++ {
		panel[d*width+r] = values[d]
	}
}

func packFloat64AVX2(dst []float64, width int, src []float64, stride, count, depth int) {
	if count == 0 || depth == 0 {
		return
	}
	// The assembly does not check bounds.
	src = src[:(count-1)*stride+depth]
	dst = dst[:roundUp(count, width)*depth]
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		panel := dst[q*depth : q*depth+width*depth]
		if n < width {
			clear(panel)
		}
		for r := 0; r < n; {
			rows, done := 1, 0
			from := &src[(q+r)*stride]
			switch {
			case n-r >= 4:
				if rows, done = 4, depth/4*4; done > 0 {
					packDoubles4AVX2(&panel[r], from, 8*stride, 8*width, done/4)
				}
			case n-r >= 2:
				if rows, done = 2, depth/2*2; done > 0 {
					packDoubles2AVX2(&panel[r], from, 8*stride, 8*width, done/2)
				}
			}
			for d := done; d < depth; d++ {
				for i := range rows {
					panel[d*width+r+i] = src[(q+r+i)*stride+d]
				}
			}
			r += rows
		}
	}
}

// packShiftedAsm does four rows at a time and the remaining rows and depths one by one.
func packShiftedAsm(dst []float32, width int, src []float32, stride, count, depth int, scales, shift []float32) {
	blocks := depth / 8
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		panel := dst[q*depth : q*depth+width*depth]
		if n < width {
			clear(panel)
		}
		for r := 0; r < n; {
			rows, done := 1, 0
			if n-r >= 4 {
				if rows = 4; blocks > 0 {
					packShifted4AVX2(&panel[r], &src[(q+r)*stride], &shift[0], &scales[q+r], 4*stride, 4*width, blocks)
					done = 8 * blocks
				}
			}
			for i := r; i < r+rows; i++ {
				packShiftedRow(panel[i:], width, src[(q+i)*stride:][:depth], scales[q+i], shift, done)
			}
			r += rows
		}
	}
}

// transposeAsm copies four rows of a strip at a time, so that the lines written to stay in the cache.
func transposeAsm(dst []uint32, dstStride int, src []uint32, srcStride, rows, cols int) {
	const strip = 64
	height := rows / 4 * 4
	for c := 0; c < cols; c += strip {
		width := min(strip, cols-c)
		blocks := width / 8
		if blocks > 0 {
			for r := 0; r < height; r += 4 {
				from := (*byte)(unsafe.Pointer(&src[r*srcStride+c]))
				packRows4AVX2(&dst[c*dstStride+r], from, 4*srcStride, 4*dstStride, blocks, 0)
			}
		}
		if done := 8 * blocks; done < width {
			transposeGeneric(dst[(c+done)*dstStride:], dstStride, src[c+done:], srcStride, height, width-done)
		}
	}
	if height < rows {
		transposeGeneric(dst[height:], dstStride, src[height*srcStride:], srcStride, rows-height, cols)
	}
}

// packUint8Pairs packs pairs of depths as 16-bit halves.
func packUint8Pairs(dst []uint32, width int, src []uint8, stride, count, length int, _ bool) {
	if count == 0 || length == 0 {
		return
	}
	packPanels(packBytes4AVX2, packBytes2AVX2, dst, width, src, stride, count, (length+1)/2, length/16, 8, 0,
		func(panel []uint32, width, r int, row []byte, from, depth int) {
			for d := from; d < depth; d++ {
				v := uint32(row[2*d])
				if 2*d+1 < length {
					v |= uint32(row[2*d+1]) << 16
				}
				panel[d*width+r] = v
			}
		})
}

// packUint8Quads packs four depths as bytes; the right operand's are lowered by 128.
func packUint8Quads(dst []uint32, width int, src []uint8, stride, count, length int, right bool) {
	if count == 0 || length == 0 {
		return
	}
	var mask uint32
	if right {
		mask = 0x80808080
	}
	packQuads(dst, width, src, stride, count, length, (length+3)/4, mask)
}

// packQuads packs length bytes of each row into depth groups of four, each XORed with mask; zeros fill the last ones.
func packQuads(dst []uint32, width int, src []uint8, stride, count, length, depth int, mask uint32) {
	packPanels(packRows4AVX2, packRows2AVX2, dst, width, src, stride, count, depth, length/32, 8, mask,
		func(panel []uint32, width, r int, row []byte, from, depth int) {
			for d := from; d < depth; d++ {
				var v uint32
				for b := range min(4, length-4*d) {
					v |= uint32(row[4*d+b]) << (8 * b)
				}
				panel[d*width+r] = v ^ mask
			}
		})
}
