package kernel

// Reductions of single rows, and exact float64 distances of pairs of rows.

import "unsafe"

// vectorKernels are the row operations that have assembly.
type vectorKernels struct {
	sumUint8        func(x []uint8) int64
	sumSquaresUint8 func(x []uint8) int64
	finishRow       func(c, squares []int32, term int32)
	scaleShift      func(dst, src, shift []float32, scale float32)
	packShifted     func(dst []float32, width int, src []float32, stride, count, depth int, scales, shift []float32)
	transpose       func(dst []uint32, dstStride int, src []uint32, srcStride, rows, cols int)
	finishDistances func(c, norms []float32, norm float32)
	groupSquares    func(dst []float64, x []float32)
	nearDistances   func(dst []int32, c, norms, limits []float32, norm, limit float32) int
	// atMost and below write the indices of elements and return their number;
	// dst is as long as x.
	atMost func(dst []int32, x []float32, limit float32) int
	below  func(dst []int32, x []int32, limit int32) int
	// squaredDistances32 and 64 compute eight pairs that share x, each strictly
	// in order; y holds the addresses of the eight rows.
	squaredDistances32 func(sums *[8]float64, x []float64, y *[8]*float32)
	squaredDistances64 func(sums *[8]float64, x []float64, y *[8]*float64)
	addDistances       func(l *lanes, c, norms, sums []float64, small []int32, norm, share float64) int
	sumExp             func(l *lanes, x []float64, scale, shift float64)
	lower              func(best []float64, at []int64, c []float64, offset float64, index int64)
	addProducts        pairKernel // of a multiple of pairLanes depths and at least one row
	widen              func(dst []float64, src []float32)
}

var genericVector = vectorKernels{
	sumUint8:           sumUint8Generic,
	sumSquaresUint8:    sumSquaresUint8Generic,
	finishRow:          finishRowGeneric,
	scaleShift:         scaleShiftGeneric,
	packShifted:        packShiftedGeneric,
	transpose:          transposeGeneric[uint32],
	finishDistances:    finishDistancesGeneric,
	groupSquares:       groupSquaresGeneric[float32],
	nearDistances:      nearDistancesGeneric,
	atMost:             atMostGeneric,
	below:              belowGeneric,
	squaredDistances32: squaredDistancesGeneric[float32],
	squaredDistances64: squaredDistancesGeneric[float64],
	addDistances:       addDistancesGeneric,
	sumExp:             sumExpGeneric,
	lower:              lowerGeneric,
	addProducts:        addProductsGeneric,
	widen:              widenGeneric,
}

// SumUint8 is Σ x[k].
func SumUint8(x []uint8) int64 { return active.Load().vector.sumUint8(x) }

// SumSquaresUint8 is ‖x‖² = Σ x[k]².
func SumSquaresUint8(x []uint8) int64 { return active.Load().vector.sumSquaresUint8(x) }

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
	active.Load().vector.scaleShift(dst[:n], x[:n], shift[:n], scale)
}

func scaleShiftGeneric(dst, x, shift []float32, scale float32) {
	for k, v := range x {
		dst[k] = float32(v*scale) - shift[k]
	}
}

// FinishDistances sets c[j] = (norm + norms[j]) − 2·c[j], each operation rounded, and so turns
// a row of products into squared distances. The slices have the same length; the shorter one decides otherwise.
func FinishDistances(c, norms []float32, norm float32) {
	n := min(len(c), len(norms))
	active.Load().vector.finishDistances(c[:n], norms[:n], norm)
}

func finishDistancesGeneric(c, norms []float32, norm float32) {
	for j, m := range norms {
		c[j] = float32(norm+m) - float32(2*c[j])
	}
}

// NearDistances looks for small ones among the distances that [FinishDistances] makes of c, and
// leaves c alone: the first elements of dst become the ascending indices k of those that are at most
// limit or at most limits[k]. It returns their number and panics if dst, norms or limits are
// shorter than c.
func NearDistances(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	n := len(c)
	return active.Load().vector.nearDistances(dst[:n], c, norms[:n], limits[:n], norm, limit)
}

func nearDistancesGeneric(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	return nearDistancesFrom(0, 0, dst, c, norms, limits, norm, limit)
}

// nearDistancesFrom does the elements from first on, after count found ones.
func nearDistancesFrom(first, count int, dst []int32, c, norms, limits []float32, norm, limit float32) int {
	for k := first; k < len(c); k++ {
		if d := float32(norm+norms[k]) - float32(2*c[k]); d <= limit || d <= limits[k] {
			dst[count] = int32(k)
			count++
		}
	}
	return count
}

// AtMost sets the first elements of dst to the ascending indices k with x[k] ≤ limit and
// returns their number. It panics if dst is shorter than x. NaN is not at most anything.
func AtMost(dst []int32, x []float32, limit float32) int {
	return active.Load().vector.atMost(dst[:len(x)], x, limit)
}

// Below sets the first elements of dst to the ascending indices k with x[k] < limit and
// returns their number. It panics if dst is shorter than x.
func Below(dst []int32, x []int32, limit int32) int {
	return active.Load().vector.below(dst[:len(x)], x, limit)
}

func atMostGeneric(dst []int32, x []float32, limit float32) int {
	n := 0
	for k, v := range x {
		if v <= limit {
			dst[n] = int32(k)
			n++
		}
	}
	return n
}

func belowGeneric(dst, x []int32, limit int32) int {
	n := 0
	for k, v := range x {
		if v < limit {
			dst[n] = int32(k)
			n++
		}
	}
	return n
}

// coordinate is what points are measured in.
type coordinate interface{ uint8 | Float }

// SquaredDistance is ‖x − y‖² = Σ (x[k] − y[k])² in float64: the values widened,
// then difference, square and sum each rounded, strictly in index order, without fused
// multiply-add. It is what a plain float64 loop gives, on every machine. The
// vectors must have the same length; the shorter one decides otherwise.
func SquaredDistance[T coordinate](x, y []T) float64 {
	n := min(len(x), len(y))
	x, y = x[:n], y[:n]
	var s float64
	for k, v := range x {
		d := float64(v) - float64(y[k])
		s += float64(d * d) // the conversion forbids fusing
	}
	return s
}

// SquaredDistances sets dst[t] to [SquaredDistance](x, row index[t] of y), where
// row i of y is y[i·stride : i·stride+len(x)]. The bits are the same; several pairs are computed at a
// time, which is several times faster. It panics if dst is shorter than index or a row lies outside y.
func SquaredDistances[T coordinate](dst []float64, x, y []T, stride int, index []int32) {
	dst = dst[:len(index)]
	if len(x) == 0 {
		clear(dst)
		return
	}
	kernels := &active.Load().vector
	pool := pairPools[T]()
	pairs := pool.get()
	defer pool.put(pairs)
	rows, sums := &pairs.rows, &pairs.sums
	pairs.x = grow(pairs.x, len(x))
	for k, v := range x {
		pairs.x[k] = float64(v)
	}
	for t := 0; t < len(index); t += 8 {
		n := min(8, len(index)-t)
		for r := range rows {
			i := int(index[t+min(r, n-1)])
			rows[r] = &y[i*stride : i*stride+len(x)][0]
		}
		switch rows := any(rows).(type) {
		case *[8]*float32:
			kernels.squaredDistances32(sums, pairs.x, rows)
		case *[8]*float64:
			kernels.squaredDistances64(sums, pairs.x, rows)
		case *[8]*uint8:
			clear(sums[:])
			addSquaredDifferences(sums, pairs.x, rows, n, 0)
		}
		copy(dst[t:], sums[:n])
	}
	clear(rows[:])
}

// eightPairs are the arguments of one call of the kernels, kept off the stack once.
type eightPairs[T coordinate] struct {
	x    []float64
	rows [8]*T
	sums [8]float64
}

var (
	pairPool8  pool[eightPairs[uint8]]
	pairPool32 pool[eightPairs[float32]]
	pairPool64 pool[eightPairs[float64]]
)

func pairPools[T coordinate]() *pool[eightPairs[T]] {
	if p, ok := any(&pairPool32).(*pool[eightPairs[T]]); ok {
		return p
	}
	if p, ok := any(&pairPool8).(*pool[eightPairs[T]]); ok {
		return p
	}
	return any(&pairPool64).(*pool[eightPairs[T]])
}

func squaredDistancesGeneric[T Float](sums *[8]float64, x []float64, y *[8]*T) {
	clear(sums[:])
	addSquaredDifferences(sums, x, y, len(y), 0)
}

// addSquaredDifferences adds the terms of at least the first pairs from depth from on, four pairs at a time.
func addSquaredDifferences[T coordinate](sums *[8]float64, x []float64, y *[8]*T, pairs, from int) {
	n := len(x)
	if from == n {
		return
	}
	for r := 0; r < pairs; r += 4 {
		y0, y1 := unsafe.Slice(y[r], n), unsafe.Slice(y[r+1], n)
		y2, y3 := unsafe.Slice(y[r+2], n), unsafe.Slice(y[r+3], n)
		s0, s1, s2, s3 := sums[r], sums[r+1], sums[r+2], sums[r+3]
		for k := from; k < n; k++ {
			v := x[k]
			d0, d1, d2, d3 := v-float64(y0[k]), v-float64(y1[k]), v-float64(y2[k]), v-float64(y3[k])
			s0 += float64(d0 * d0)
			s1 += float64(d1 * d1)
			s2 += float64(d2 * d2)
			s3 += float64(d3 * d3)
		}
		sums[r], sums[r+1], sums[r+2], sums[r+3] = s0, s1, s2, s3
	}
}
