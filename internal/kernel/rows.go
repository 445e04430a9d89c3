// The row operations that have assembly, and operations on single rows: sums of bytes, scaling, widening.

package kernel

// rowKernels are the row operations that have assembly.
type rowKernels struct {
	sumUint8        func(x []uint8) int64
	sumSquaresUint8 func(x []uint8) int64
	finishRow       func(c, squares []int32, term int32)
	scaleShift      func(dst, src, shift []float32, scale float32)
	narrowShifted   func(dst []float32, x, shift []float64, scale float64)
	// quantizeShifted32 and 64 add the sums of QuantizeShifted to sums, in lanes: the first eight of the rounding errors,
	// the others of the integers.
	quantizeShifted32 func(dst []int16, x []float32, shift []float64, scale float64, sums *[16]float64)
	quantizeShifted64 func(dst []int16, x []float64, shift []float64, scale float64, sums *[16]float64)
	packShifted       func(dst []float32, width int, src []float32, stride, count, depth int, scales, shift []float32)
	transpose         func(dst []uint32, dstStride int, src []uint32, srcStride, rows, cols int)
	finishDistances   func(c, norms []float32, norm float32)
	groupSquares      func(dst, falling []float64, x []float32)
	nearDistances     func(dst []int32, c, norms, limits []float32, norm, limit float32) int
	leastDistances    func(least *[DistanceGroups]float32, c, norms []float32, norm float32)
	countAtMost       func(counts []int32, tile []float32, stride, rows int, limits []float32, width int)
	// atMost and below write the indices of elements and return their number;
	// dst is as long as x.
	atMost func(dst []int32, x []float32, limit float32) int
	below  func(dst []int32, x []int32, limit int32) int
	// dst is as long as x.
	stepsFloat32 func(dst []uint16, x []float32, first, scale, last float32)
	stepsInt32   func(dst []uint16, x []int32, first int32, scale, last float32)
	// squaredDistances32 and 64 compute eight pairs that share x, each strictly
	// in order; y holds the addresses of the eight rows.
	squaredDistances32 func(sums *[8]float64, x []float64, y *[8]*float32)
	squaredDistances64 func(sums *[8]float64, x []float64, y *[8]*float64)
	addDistances       func(l *lanes, c, norms, sums []float64, small []int32, norm, share float64) int
	sumExp             func(l *lanes, x []float64, scale, shift float64)
	log                func(dst, x []float64)
	exp                func(dst, x []float64, scale, shift float64)
	lower              func(best []float64, at []int64, c []float64, offset float64, index int64)
	addProducts        pairKernel  // of a multiple of pairLanes depths and at least one row
	addChains          chainKernel // of at least one row
	widen              func(dst []float64, src []float32)
	// copyRows[n] copies the first n·copyStep bytes of rows; nil where there is no assembly for it.
	copyRows [9]func(dst, src *byte, step, rows int)
}

const copyStep = 16

var genericRows = rowKernels{
	sumUint8:           sumUint8Generic,
	sumSquaresUint8:    sumSquaresUint8Generic,
	finishRow:          finishRowGeneric,
	scaleShift:         scaleShiftGeneric,
	narrowShifted:      narrowShiftedGeneric,
	quantizeShifted32:  quantizeShiftedGeneric[float32],
	quantizeShifted64:  quantizeShiftedGeneric[float64],
	packShifted:        packShiftedGeneric,
	transpose:          transposeGeneric[uint32],
	finishDistances:    finishDistancesGeneric,
	groupSquares:       groupSquaresGeneric[float32],
	nearDistances:      nearDistancesGeneric,
	leastDistances:     leastDistancesGeneric,
	countAtMost:        countAtMostGeneric,
	atMost:             atMostGeneric,
	below:              belowGeneric,
	stepsFloat32:       stepsGeneric[float32],
	stepsInt32:         stepsGeneric[int32],
	squaredDistances32: squaredDistancesGeneric[float32],
	squaredDistances64: squaredDistancesGeneric[float64],
	addDistances:       addDistancesGeneric,
	sumExp:             sumExpGeneric,
	log:                logGeneric,
	exp:                expGeneric,
	lower:              lowerGeneric,
	addProducts:        addProductsGeneric,
	addChains:          addChainsGeneric,
	widen:              widenGeneric,
}

// SumUint8 is Σ x[k].
func SumUint8(x []uint8) int64 { return active.Load().rows.sumUint8(x) }

// SumSquaresUint8 is ‖x‖² = Σ x[k]².
func SumSquaresUint8(x []uint8) int64 { return active.Load().rows.sumSquaresUint8(x) }

func sumUint8Generic(x []uint8) int64 {
	var s int64
	for _, v := range x {
		s += int64(v)
	}
	return s
}

func sumSquaresUint8Generic(x []uint8) int64 {
	var s int64
	for _, v := range x {
		s += int64(v) * int64(v)
	}
	return s
}

// ScaleShift sets dst[k] = x[k]·scale − shift[k], product and difference each
// rounded. The slices have the same length; the shortest decides otherwise.
func ScaleShift(dst, x, shift []float32, scale float32) {
	n := min(len(dst), len(x), len(shift))
	active.Load().rows.scaleShift(dst[:n], x[:n], shift[:n], scale)
}

func scaleShiftGeneric(dst, x, shift []float32, scale float32) {
	for k, v := range x {
		dst[k] = float32(v*scale) - shift[k]
	}
}

// NarrowShifted sets dst[k] = x[k]·scale − shift[k], product and difference each rounded to float64, and then to
// float32. It panics if x or shift is shorter than dst.
func NarrowShifted(dst []float32, x, shift []float64, scale float64) {
	active.Load().rows.narrowShifted(dst, x[:len(dst)], shift[:len(dst)], scale)
}

func narrowShiftedGeneric(dst []float32, x, shift []float64, scale float64) {
	for k, v := range x {
		dst[k] = float32(float64(v*scale) - shift[k])
	}
}

// Widen sets dst[k] = src[k]. It panics if dst is shorter than src.
func Widen(dst []float64, src []float32) { active.Load().rows.widen(dst[:len(src)], src) }

func widenGeneric(dst []float64, src []float32) {
	for k, v := range src {
		dst[k] = float64(v)
	}
}
