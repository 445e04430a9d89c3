// Fused multiply-add in float32, exact without hardware support.

package kernel

import "math"

// fma32 returns a·b + c rounded once to float32, to nearest even, for all
// values. The product is exact in float64 (24+24 bits); the float64 sum may be
// rounded, and rounding it again to float32 goes wrong only when it landed on the
// midpoint of two float32 numbers. The midpoint of two normal float32 numbers
// has the low 29 mantissa bits 100…0.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if bits := math.Float64bits(s); bits&(1<<29-1) != 1<<28 && bits<<1>>53 > 1023-127 {
		return float32(s)
	}
	return fma32Tie(p, float64(c), s)
}

// fma32Tie rounds p + c, whose float64 sum is s, to float32: the sum is first
// rounded to odd (S. Boldo, G. Melquiond, IEEE Trans. Computers 57(4), 2008), which keeps the
// side of the midpoint that the exact value lies on.
//
//go:noinline
func fma32Tie(p, c, s float64) float32 {
	if s == 0 || math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// Knuth's two-sum: p + c = s + err exactly.
	v := s - p
	err := (p - (s - v)) + (c - v)
	bits := math.Float64bits(s)
	if err != 0 && bits&1 == 0 {
		if (err > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

// FMA is a·b + c rounded once to float32, as the product kernels compute it on every machine.
func FMA(a, b, c float32) float32 { return fma32(a, b, c) }
