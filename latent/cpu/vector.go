package cpu

// Loops over rows that have assembly, in pure Go. The assembly works on groups of sixteen
// elements and keeps sixteen partial sums; these do the same, with fused
// multiply-adds where it has them, so that the bits agree.

import (
	"math"

	"repscope/internal/kernel"
)

// lanes is the number of elements that the vector functions take together.
const lanes = 16

// exponential is eˣ for x ≤ 0, within two units in the last place; below −87 it
// stays at e⁻⁸⁷. It is exp32 with fused multiply-adds.
func exponential(x float32) float32 {
	const shift = 12582912
	if x < -87 {
		x = -87
	}
	t := kernel.FMA(x, log2e, shift)
	n := t - shift
	x = kernel.FMA(n, -ln2Hi, x)
	x = kernel.FMA(n, -ln2Lo, x)
	p := kernel.FMA(1.9875691500e-4, x, 1.3981999507e-3)
	p = kernel.FMA(p, x, 8.3334519073e-3)
	p = kernel.FMA(p, x, 4.1665795894e-2)
	p = kernel.FMA(p, x, 1.6666665459e-1)
	p = kernel.FMA(p, x, 5.0000001201e-1)
	p = kernel.FMA(p, float32(x*x), x) + 1
	return p * math.Float32frombits((math.Float32bits(t)+127)<<23)
}

// foldLanes adds sixteen partial sums, halves onto halves.
func foldLanes[T float32 | float64](s *[lanes]T) T {
	for n := lanes / 2; n > 0; n /= 2 {
		for i := range n {
			s[i] += s[i+n]
		}
	}
	return s[0]
}

// softmaxRowGeneric replaces x by e^(scale·x − max scale·x) and returns the sum of
// the results. The length is a multiple of sixteen and the scale positive.
func softmaxRowGeneric(x []float32, scale float32) float32 {
	top := float32(math.Inf(-1))
	for i, v := range x {
		v *= scale
		x[i] = v
		if v > top || v != v {
			top = v
		}
	}
	var sums [lanes]float32
	for i, v := range x {
		e := exponential(v - top)
		x[i] = e
		sums[i%lanes] += e
	}
	return foldLanes(&sums)
}

// geluGeneric writes x·Φ(x): Φ(−|x|) is ½·e^(−|x|·P(|x|)) with a polynomial P
// fitted to −ln(2Φ(−u))/u on [0, 6], which keeps growing beyond.
func geluGeneric(dst, src []float32) {
	for i, x := range src {
		u := math.Float32frombits(math.Float32bits(x) | 1<<31)
		p := kernel.FMA(-1.3836631396202392e-08, u, -4.389422656458919e-07)
		p = kernel.FMA(p, u, -5.94374978390988e-06)
		p = kernel.FMA(p, u, -4.3476655264385045e-05)
		p = kernel.FMA(p, u, -0.00016171667084563524)
		p = kernel.FMA(p, u, 6.489290535682812e-05)
		p = kernel.FMA(p, u, 0.0048917015083134174)
		p = kernel.FMA(p, u, 0.03639857843518257)
		p = kernel.FMA(p, u, -0.3182928264141083)
		p = kernel.FMA(p, u, 0.797886073589325)
		h := exponential(p*u) * 0.5
		if x < 0 {
			x = 0
		}
		dst[i] = kernel.FMA(u, h, x)
	}
}

// gelu is geluGeneric for any length; the end is computed in a group of its own.
func gelu(dst, src []float32) {
	n := len(src) &^ (lanes - 1)
	if n > 0 {
		geluVector(dst[:n], src[:n])
	}
	if n < len(src) {
		var rest [lanes]float32
		copy(rest[:], src[n:])
		geluVector(rest[:], rest[:])
		copy(dst[n:len(src)], rest[:])
	}
}

// finishRowsGeneric adds bias and, if it is not nil, other to rows of a matrix.
func finishRowsGeneric(c, bias, other []float32, stride, cols, rows int, relu bool) {
	for i := range rows {
		row := c[i*stride : i*stride+cols]
		for j, b := range bias[:cols] {
			v := row[j] + b
			if other != nil {
				v += other[i*stride+j]
			}
			if relu && v < 0 {
				v = 0
			}
			row[j] = v
		}
	}
}
