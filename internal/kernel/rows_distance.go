// Exact float64 distances of pairs of rows.

package kernel

import "unsafe"

// coordinate is the type of coordinates.
type coordinate interface{ uint8 | Float }

// SquaredDistance is ‖x − y‖² = Σ (x[k] − y[k])² in float64: the values widened, then difference, square and sum each
// rounded, strictly in index order, without fused multiply-add. It equals a plain float64 loop on every machine. The
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
	kernels := &active.Load().rows
	pool := pairPools[T]()
	pairs := pool.get()
	defer pool.put(pairs)
	rows, sums := &pairs.rows, &pairs.sums
	wide, ok := any(x).([]float64)
	if !ok {
		pairs.x = grow(pairs.x, len(x))
		wide = pairs.x
		if narrow, ok := any(x).([]float32); ok {
			Widen(wide, narrow)
		} else {
			for k, v := range x {
				wide[k] = float64(v)
			}
		}
	}
	for t := 0; t < len(index); t += 8 {
		n := min(8, len(index)-t)
		for r := range rows {
			i := int(index[t+min(r, n-1)])
			rows[r] = &y[i*stride : i*stride+len(x)][0]
		}
		switch rows := any(rows).(type) {
		case *[8]*float32:
			kernels.squaredDistances32(sums, wide, rows)
		case *[8]*float64:
			kernels.squaredDistances64(sums, wide, rows)
		case *[8]*uint8:
			clear(sums[:])
			addSquaredDifferences(sums, wide, rows, n, 0)
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
