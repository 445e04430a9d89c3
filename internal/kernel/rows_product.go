// Products of scattered pairs of rows, in float64 and in short chains of float32.

package kernel

import "math"

// pairLanes is the number of running sums of a pair: lane l takes the depths k with
// k mod pairLanes = l, in ascending order.
const pairLanes = 32

// PairDepth divides the lengths of vectors in [AddProducts]; shorter vectors are padded with zeros.
const PairDepth = pairLanes

type pairKernel func(sums, y []float64, x []float32, stride int, index []int32, ahead []float32)

// AddProducts adds the product of y and row i = index[t] of x, x_i = x[i·stride : i·stride+len(y)], to sums[t]:
//
//	sums[t] += Σ_k x_i[k]·y[k]
//
// in 32 running sums with fused multiply-add, which are then added up: a term passes through at most len(y)/32 + 6
// roundings. All implementations return the same bits. Meanwhile the memory of ahead may be prefetched. It panics if
// len(y) is not a multiple of PairDepth, sums is shorter than index or a row lies outside x.
func AddProducts(sums, y []float64, x []float32, stride int, index []int32, ahead []float32) {
	if len(y)%pairLanes != 0 {
		panic("kernel: length is no multiple of PairDepth")
	}
	if len(y) == 0 || len(index) == 0 {
		return
	}
	checkRows(len(y), x, stride, index)
	active.Load().rows.addProducts(sums[:len(index)], y, x, stride, index, ahead)
}

// checkRows panics if one of the rows, of that length, lies outside x.
func checkRows(length int, x []float32, stride int, index []int32) {
	least, greatest := index[0], index[0]
	for _, i := range index {
		least, greatest = min(least, i), max(greatest, i)
	}
	_ = x[int(least)*stride : int(greatest)*stride+length]
}

func addProductsGeneric(sums, y []float64, x []float32, stride int, index []int32, _ []float32) {
	for t, i := range index {
		var lanes [pairLanes]float64
		for k, v := range x[int(i)*stride : int(i)*stride+len(y)] {
			lanes[k%pairLanes] = math.FMA(float64(v), y[k], lanes[k%pairLanes])
		}
		sums[t] += halves(lanes[:], 1)[0]
	}
}

// chainLanes is the number of chains of a float32 product: chain l takes the depths k with k mod chainLanes = l, in
// ascending order.
const chainLanes = 64

// ChainDepth is the length of the vectors in [AddChains]; zeros fill them up.
const ChainDepth = 4 * chainLanes

type chainKernel func(sums []float64, y, x []float32, stride int, index []int32, ahead []float32)

// AddChains is [AddProducts] for y in float32, about twice as fast: 64 chains of one product and three fused
// multiply-adds are added up to 32 sums in float32 and to one in float64. A term passes through at most five
// roundings to float32 (see [Norms.OfChains]) and five to float64. All implementations return the same bits. It
// panics if the length of y is not ChainDepth, sums is shorter than index or a row lies outside x.
func AddChains(sums []float64, y, x []float32, stride int, index []int32, ahead []float32) {
	if len(y) != ChainDepth {
		panic("kernel: length is not ChainDepth")
	}
	if len(index) == 0 {
		return
	}
	checkRows(len(y), x, stride, index)
	active.Load().rows.addChains(sums[:len(index)], y, x, stride, index, ahead)
}

func addChainsGeneric(sums []float64, y, x []float32, stride int, index []int32, _ []float32) {
	for t, i := range index {
		row := x[int(i)*stride:][:ChainDepth]
		var chains [chainLanes]float32
		for l := range chains {
			chains[l] = row[l] * y[l]
			for k := l + chainLanes; k < ChainDepth; k += chainLanes {
				chains[l] = fma32(row[k], y[k], chains[l])
			}
		}
		var lanes [chainLanes / 2]float64
		for l, sum := range halves(chains[:], len(lanes)) {
			lanes[l] = float64(sum)
		}
		sums[t] += halves(lanes[:], 1)[0]
	}
}

// halves adds the upper half of x to the lower until count sums remain.
func halves[T Float](x []T, count int) []T {
	for len(x) > count {
		half := len(x) / 2
		for l := range half {
			x[l] += x[l+half]
		}
		x = x[:half]
	}
	return x
}
