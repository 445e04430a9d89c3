// Floats that hold integers on their way to products of bytes, and the sums of these on their way back.

package vector

import "math"

// ToBytes sets dst[i] = x[i] − low for the least element low of x, and reports whether all elements are integers
// of at most 255 more than that; if not, dst may hold anything. Zeros of x that are negative count as zero.
func ToBytes(dst []uint8, x []float32) (low int32, ok bool) {
	if len(x) == 0 {
		return 0, true
	}
	least, greatest := byteRange(x)
	// Beyond these floats have gaps, and NaN is not within them.
	if !(least >= -1<<23 && greatest <= 1<<23 && greatest-least <= 255) || float32(math.Floor(float64(least))) != least {
		return 0, false
	}
	return int32(least), toBytes(dst[:len(x)], x, int32(least))
}

func byteRangeGeneric(x []float32) (low, high float32) {
	low, high = x[0], x[0]
	for _, v := range x {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	return low, high
}

// Bytes sets dst[i] = x[i] − low for elements that are integers of 0 to 255 more than low, or NaN, which becomes 0.
func Bytes(dst []uint8, x []float32, low int32) {
	dst = dst[:len(x)]
	if len(x) > 0 && !toBytes(dst, x, low) {
		bytesGeneric(dst, x, low)
	}
}

func bytesGeneric(dst []uint8, x []float32, low int32) {
	for i, v := range x[:len(dst)] {
		dst[i] = 0
		if v == v {
			dst[i] = uint8(int32(v) - low)
		}
	}
}

// Widen sets dst[i] = src[i] + low.
func Widen(dst []float32, src []uint8, low float32) {
	n := len(dst) / Lanes * Lanes
	if n > 0 {
		widen(dst[:n], src[:n], low)
	}
	widenGeneric(dst[n:], src[n:], low)
}

func widenGeneric(dst []float32, src []uint8, low float32) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] = float32(v) + low
	}
}

// Lookup sets dst[i] = table[src[i]].
func Lookup(dst []float32, src []uint8, table *[256]float32) {
	n := len(dst) / Lanes * Lanes
	if n > 0 {
		lookup(dst[:n], src[:n], table)
	}
	lookupGeneric(dst[n:], src[n:], table)
}

func lookupGeneric(dst []float32, src []uint8, table *[256]float32) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] = table[v]
	}
}

func toBytesGeneric(dst []uint8, x []float32, low int32) bool {
	whole := true
	for i, v := range x {
		n := int32(v)
		dst[i] = uint8(n - low)
		whole = whole && float32(n) == v
	}
	return whole
}

// FromSums sets dst[j] = sums[j] + row·lows[j] + low·columns[j], computed modulo 2³² and then rounded to float32. With
// sums[j] = Σ_k u_k·v_kj of bytes, row = Σ u_k and columns[j] = Σ_k (v_kj + lows[j]) it is Σ_k (u_k + low)·(v_kj + lows[j]).
func FromSums(dst []float32, sums, lows, columns []int32, row, low int32) {
	fromSums(dst, sums[:len(dst)], lows[:len(dst)], columns[:len(dst)], row, low)
}

func fromSumsGeneric(dst []float32, sums, lows, columns []int32, row, low int32) {
	for j := range dst {
		dst[j] = float32(sums[j] + row*lows[j] + low*columns[j])
	}
}
