//go:build amd64 && !noasm

package kernel

// Processors of the amd64 family: assembly chosen by feature.

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run generate.go

var available = detect()

func implementations() []*implementation { return available }

// detect lists what this processor can run, the fastest last.
func detect() []*implementation {
	list := []*implementation{&generic}
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return list
	}
	vector := vectorKernels{
		sumUint8:           sumUint8AVX2,
		sumSquaresUint8:    sumSquaresUint8AVX2,
		finishRow:          finishRowAsm,
		scaleShift:         scaleShiftAsm,
		packShifted:        packShiftedAsm,
		transpose:          transposeAsm,
		finishDistances:    finishDistancesAsm,
		groupSquares:       groupSquaresAsm,
		nearDistances:      nearDistancesAVX2Asm,
		atMost:             atMostAsm,
		below:              belowAsm,
		squaredDistances32: squaredDistances32,
		squaredDistances64: squaredDistances64,
		addDistances:       addDistancesAsm,
		sumExp:             sumExpAsm,
		lower:              lowerAsm,
		addProducts:        addProductsAsm(addProductsAVX2),
		widen:              widenAsm,
	}
	avx2 := &implementation{
		name: "avx2",
		float32: &tiling[float32, float32]{
			mr: 6, nr: 16, rowStep: [3]int{2, 4, 6}, colStep: [2]int{8, 16},
			micro: [3][2]microKernel[float32, float32]{
				{float32AVX2R2V1, float32AVX2R2V2}, {float32AVX2R4V1, float32AVX2R4V2}, {float32AVX2R6V1, float32AVX2R6V2}},
			packRows: packFloat32AVX2,
		},
		float64: &tiling[float64, float64]{
			mr: 6, nr: 8, rowStep: [3]int{2, 4, 6}, colStep: [2]int{4, 8},
			micro: [3][2]microKernel[float64, float64]{
				{float64AVX2R2V1, float64AVX2R2V2}, {float64AVX2R4V1, float64AVX2R4V2}, {float64AVX2R6V1, float64AVX2R6V2}},
			packRows: packRowsGeneric[float64],
		},
		uint8: &uint8Tiling{
			tiling: tiling[uint32, int32]{
				mr: 6, nr: 16, rowStep: [3]int{2, 4, 6}, colStep: [2]int{8, 16},
				micro: [3][2]microKernel[uint32, int32]{
					{uint8AVX2R2V1, uint8AVX2R2V2}, {uint8AVX2R4V1, uint8AVX2R4V2}, {uint8AVX2R6V1, uint8AVX2R6V2}},
			},
			group: 2,
			pack:  packUint8Pairs,
		},
		vector: vector,
		gather: &gatherTiling{
			mr: 6, nr: 16, rowStep: [3]int{2, 4, 6}, colStep: [2]int{8, 16},
			micro: [3][2]gatherKernel{
				{float32AVX2GatherR2V1, float32AVX2GatherR2V2}, {float32AVX2GatherR4V1, float32AVX2GatherR4V2}, {float32AVX2GatherR6V1, float32AVX2GatherR6V2}},
		},
	}
	list = append(list, avx2)
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512VL || !x.HasAVX512DQ {
		return list
	}
	vector.nearDistances = nearDistancesAVX512Asm
	vector.addProducts = addProductsAsm(addProductsAVX512)
	avx512 := &implementation{
		name: "avx512",
		float32: &tiling[float32, float32]{
			mr: 12, nr: 32, rowStep: [3]int{4, 8, 12}, colStep: [2]int{16, 32},
			micro: [3][2]microKernel[float32, float32]{
				{float32AVX512R4V1, float32AVX512R4V2}, {float32AVX512R8V1, float32AVX512R8V2}, {float32AVX512R12V1, float32AVX512R12V2}},
			packRows: packFloat32AVX2,
		},
		float64: &tiling[float64, float64]{
			mr: 12, nr: 16, rowStep: [3]int{4, 8, 12}, colStep: [2]int{8, 16},
			micro: [3][2]microKernel[float64, float64]{
				{float64AVX512R4V1, float64AVX512R4V2}, {float64AVX512R8V1, float64AVX512R8V2}, {float64AVX512R12V1, float64AVX512R12V2}},
			packRows: packRowsGeneric[float64],
		},
		uint8:  avx2.uint8, // without VNNI
		vector: vector,
		gather: &gatherTiling{
			mr: 12, nr: 32, rowStep: [3]int{4, 8, 12}, colStep: [2]int{16, 32},
			micro: [3][2]gatherKernel{
				{float32AVX512GatherR4V1, float32AVX512GatherR4V2}, {float32AVX512GatherR8V1, float32AVX512GatherR8V2}, {float32AVX512GatherR12V1, float32AVX512GatherR12V2}},
		},
	}
	if x.HasAVX512VNNI {
		avx512.uint8 = &uint8Tiling{
			tiling: tiling[uint32, int32]{
				mr: 12, nr: 32, rowStep: [3]int{4, 8, 12}, colStep: [2]int{16, 32},
				micro: [3][2]microKernel[uint32, int32]{
					{uint8AVX512R4V1, uint8AVX512R4V2}, {uint8AVX512R8V1, uint8AVX512R8V2}, {uint8AVX512R12V1, uint8AVX512R12V2}},
			},
			group:  4,
			offset: true,
			pack:   packUint8Quads,
		}
	}
	return append(list, avx512)
}

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
	to := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), len(dst))
	from := unsafe.Slice((*byte)(unsafe.Pointer(&src[0])), 4*len(src))
	packPanels(packRows4AVX2, packRows2AVX2, to, width, from, 4*stride, count, depth, depth/8, 8, 0, restFloat32)
}

func restFloat32(panel []uint32, width, r int, row []byte, from, depth int) {
	values := unsafe.Slice((*uint32)(unsafe.Pointer(&row[0])), depth)
	for d := from; d < depth; d++ {
		panel[d*width+r] = values[d]
	}
}

// packShiftedAsm does four rows at a time and what is left of rows and depths one by one.
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
	packPanels(packRows4AVX2, packRows2AVX2, dst, width, src, stride, count, (length+3)/4, length/32, 8, mask,
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

func finishDistancesAsm(c, norms []float32, norm float32) {
	n := len(norms) / 8
	if n > 0 {
		finishDistancesAVX2(&c[0], &norms[0], n, norm)
	}
	finishDistancesGeneric(c[8*n:], norms[8*n:], norm)
}

func nearDistancesAVX2Asm(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	n, found := len(c)/8, 0
	if n > 0 {
		found = nearDistancesAVX2(&dst[0], &c[0], &norms[0], &limits[0], n, norm, limit)
	}
	return nearDistancesFrom(8*n, found, dst, c, norms, limits, norm, limit)
}

func nearDistancesAVX512Asm(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	n, found := len(c)/16, 0
	if n > 0 {
		found = nearDistancesAVX512(&dst[0], &c[0], &norms[0], &limits[0], n, norm, limit)
	}
	return nearDistancesFrom(16*n, found, dst, c, norms, limits, norm, limit)
}

func groupSquaresAsm(dst []float64, x []float32) {
	n := len(x) / squaresGroup
	if n > 0 {
		groupSquaresAVX2(&dst[0], &x[0], n)
	}
	groupSquaresGeneric(dst[n:], x[n*squaresGroup:])
}

func atMostAsm(dst []int32, x []float32, limit float32) int {
	n, found := len(x)/8, 0
	if n > 0 {
		found = atMostFloat32AVX2(&dst[0], &x[0], n, limit, 0)
	}
	for k := 8 * n; k < len(x); k++ {
		if x[k] <= limit {
			dst[found] = int32(k)
			found++
		}
	}
	return found
}

func belowAsm(dst, x []int32, limit int32) int {
	n, found := len(x)/8, 0
	if n > 0 {
		found = belowInt32AVX2(&dst[0], &x[0], n, limit, 0)
	}
	for k := 8 * n; k < len(x); k++ {
		if x[k] < limit {
			dst[found] = int32(k)
			found++
		}
	}
	return found
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

func lowerAsm(best []float64, at []int64, c []float64, offset float64, index int64) {
	n := len(c) / 4
	if n > 0 {
		lowerAVX2(&best[0], &at[0], &c[0], n, offset, index)
	}
	lowerGeneric(best[4*n:], at[4*n:], c[4*n:], offset, index)
}

// addProductsAsm is the Go side of assembly for whole groups of pairLanes depths.
func addProductsAsm(assembly func(sums, y *float64, x *float32, stride int, index *int32, count, blocks int, ahead, end uintptr)) pairKernel {
	return func(sums, y []float64, x []float32, stride int, index []int32, ahead []float32) {
		next := uintptr(unsafe.Pointer(unsafe.SliceData(ahead)))
		assembly(&sums[0], &y[0], &x[0], stride, &index[0], len(index), len(y)/pairLanes, next, next+uintptr(4*len(ahead)))
	}
}

func widenAsm(dst []float64, src []float32) {
	n := len(src) / 16
	if n > 0 {
		widenAVX2(&dst[0], &src[0], n)
	}
	widenGeneric(dst[16*n:], src[16*n:])
}
