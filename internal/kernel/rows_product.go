// Products of scattered pairs of rows in float64.

package kernel

import "math"

// pairLanes is the number of running sums of a pair: lane l takes the depths k with
// k mod pairLanes = l, in ascending order.
const pairLanes = 32

// PairDepth is what the lengths of vectors in [AddProducts] are multiples of; zeros fill them up.
const PairDepth = pairLanes

type pairKernel func(sums, y []float64, x []float32, stride int, index []int32, ahead []float32)

// AddProducts adds the product of y and row i = index[t] of x, x_i = x[i·stride : i·stride+len(y)], to sums[t]:
//
//	sums[t] += Σ_k x_i[k]·y[k]
//
// in 32 running sums with fused multiply-add, which are then added up: a term passes through at
// most len(y)/32 + 6 roundings. All implementations return the same bits. Meanwhile the memory of ahead may be
// asked for. It panics if len(y) is not a multiple of PairDepth, sums is shorter than index or a row lies outside x.
func AddProducts(sums, y []float64, x []float32, stride int, index []int32, ahead []float32) {
	if len(y)%pairLanes != 0 {
		panic("kernel: length is no multiple of PairDepth")
	}
	if len(y) == 0 || len(index) == 0 {
		return
	}
	sums = sums[:len(index)]
	least, most := index[0], index[0]
	for _, i := range index {
		least, most = min(least, i), max(most, i)
	}
	_ = x[int(least)*stride : int(most)*stride+len(y)]
	active.Load().rows.addProducts(sums, y, x, stride, index, ahead)
}

func addProductsGeneric(sums, y []float64, x []float32, stride int, index []int32, _ []float32) {
	for t, i := range index {
		var lanes [pairLanes]float64
		for k, v := range x[int(i)*stride : int(i)*stride+len(y)] {
			lanes[k%pairLanes] = math.FMA(float64(v), y[k], lanes[k%pairLanes])
		}
		// The upper half is added to the lower until one is left.
		for half := pairLanes / 2; half > 0; half /= 2 {
			for l := range half {
				lanes[l] += lanes[l+half]
			}
		}
		sums[t] += lanes[0]
	}
}
