// Elementary functions of float32 and their portable twins.

package vector

import (
	"math"

	"repscope/internal/kernel"
)

// Relu sets dst[i] = max(src[i], 0); a NaN stays. Of this and the following functions, dst is at least as
// long as src and may be the same memory.
func Relu(dst, src []float32) { relu(dst, src) }

// Exp sets dst[i] = exp(src[i]), within two units in the last place where the result is normal.
func Exp(dst, src []float32) { exp(dst, src) }

// Sigmoid sets dst[i] = 1/(1 + exp(−src[i])), within three units in the last place from −86 on; it is 0 a little early,
// below −88.4.
func Sigmoid(dst, src []float32) { sigmoid(dst, src) }

// Silu sets dst[i] = src[i]/(1 + exp(−src[i])), as exactly as [Sigmoid].
func Silu(dst, src []float32) { silu(dst, src) }

// Swish sets dst[i] = src[i]/(1 + exp(−slope·src[i])), as exactly as [Sigmoid] except for the rounding of slope·src[i].
func Swish(dst, src []float32, slope float32) { swish(dst, src, slope, 1) }

// Tanh sets dst[i] = tanh(src[i]), within two units in the last place.
func Tanh(dst, src []float32) { tanh(dst, src) }

// Erf sets dst[i] = erf(src[i]), within two units in the last place.
func Erf(dst, src []float32) { erf(dst, src) }

// Gelu sets dst[i] = src[i]·Φ(src[i]) with the normal distribution function Φ, within eight units in the last place
// from −2 on.
func Gelu(dst, src []float32) { gelu(dst, src) }

// GeluTanh sets dst[i] = ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), x = src[i], within three units in the last place
// from −5 on.
func GeluTanh(dst, src []float32) { geluTanh(dst, src) }

// Mish sets dst[i] = x·tanh(ln(1 + exp(x))), x = src[i], within six units in the last place from −80 on.
func Mish(dst, src []float32) { mish(dst, src) }

const (
	log2e = 1.44269504088896341
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440e-4
	shift = 12582912 // 1.5·2²³: adding and subtracting it rounds to an integer
)

// reduce is x modulo ln 2, between −½·ln 2 and ½·ln 2, and in its low bits how often ln 2 went into x.
func reduce(x float32) (r float32, n uint32) {
	t := kernel.FMA(x, log2e, shift)
	k := t - shift
	r = kernel.FMA(k, -ln2Hi, x)
	return kernel.FMA(k, -ln2Lo, r), math.Float32bits(t)
}

// series is eʳ for a remainder of reduce, a polynomial of degree seven (after S. Moshier's Cephes library).
func series(r float32) float32 { return kernel.FMA(seriesRest(r), float32(r*r), r) + 1 }

// seriesRest is (eʳ − 1 − r)/r².
func seriesRest(r float32) float32 {
	p := kernel.FMA(1.9875691500e-4, r, 1.3981999507e-3)
	p = kernel.FMA(p, r, 8.3334519073e-3)
	p = kernel.FMA(p, r, 4.1665795894e-2)
	p = kernel.FMA(p, r, 1.6666665459e-1)
	return kernel.FMA(p, r, 5.0000001201e-1)
}

// power is 2ⁿ for n from −126 on; from 128 on it is infinite.
func power(n uint32) float32 { return math.Float32frombits((n + 127) << 23) }

// exponential is eˣ for x ≤ 89, within two units in the last place; below −87 it
// stays at e⁻⁸⁷, and it is infinite a little early, from 88.4 on.
func exponential(x float32) float32 {
	if x < -87 {
		x = -87
	}
	r, n := reduce(x)
	return series(r) * power(n)
}

// exp32 is eˣ within two units in the last place.
func exp32(x float32) float32 {
	if x > 89 {
		x = 89
	}
	if x < -104 {
		x = -104
	}
	r, n := reduce(x)
	// 2ⁿ may be beyond the normal numbers: two factors.
	k := int32(n - math.Float32bits(shift))
	half := k >> 1
	return series(r) * power(uint32(half)) * power(uint32(k-half))
}

func expGeneric(dst, src []float32) {
	for i, x := range src {
		dst[i] = exp32(x)
	}
}

// sigmoidGeneric writes 1/(1 + e⁻ˣ).
func sigmoidGeneric(dst, src []float32) {
	for i, x := range src {
		dst[i] = 1 / (1 + exponential(atMost89(-x)))
	}
}

// siluGeneric writes x/(1 + e⁻ˣ).
func siluGeneric(dst, src []float32) {
	for i, x := range src {
		dst[i] = x / (1 + exponential(atMost89(-x)))
	}
}

func swishGeneric(dst, src []float32, slope, unit float32) {
	for i, x := range src {
		dst[i] = x / (unit + exponential(atMost89(-float32(slope*x))))
	}
}

func atMost89(x float32) float32 {
	if x > 89 {
		x = 89
	}
	return x
}

// tanhGeneric writes tanh x = ±(1 − e)/(1 + e) with e = e^(−2|x|), and a polynomial
// near zero, where that form cancels (after S. Moshier's Cephes library).
func tanhGeneric(dst, src []float32) {
	for i, x := range src {
		a := negative(x)
		if a > -0.625 {
			z := float32(x * x)
			p := kernel.FMA(-5.70498872745e-3, z, 2.06390887954e-2)
			p = kernel.FMA(p, z, -5.37397155531e-2)
			p = kernel.FMA(p, z, 1.33314422036e-1)
			p = kernel.FMA(p, z, -3.33332819422e-1)
			dst[i] = kernel.FMA(float32(p*z), x, x)
			continue
		}
		e := exponential(a + a)
		dst[i] = signed((1-e)/(1+e), x)
	}
}

// erfGeneric writes the error function: x + x·P(x²) up to 1, beyond it ±(1 − e^(−|x|·R(|x|))).
// P and R were fitted for the least relative error of the result.
func erfGeneric(dst, src []float32) {
	for i, x := range src {
		a := negative(x)
		if a > -1 {
			z := float32(x * x)
			p := kernel.FMA(0.00010016505257226527, z, -0.0008711757254786789)
			p = kernel.FMA(p, z, 0.005275710951536894)
			p = kernel.FMA(p, z, -0.026905886828899384)
			p = kernel.FMA(p, z, 0.11285083740949631)
			p = kernel.FMA(p, z, -0.37612807750701904)
			p = kernel.FMA(p, z, 0.12837916612625122)
			dst[i] = kernel.FMA(p, x, x)
			continue
		}
		if a < -4 {
			a = -4
		}
		p := kernel.FMA(1.4671654665132869e-05, a, 0.00035767434746958315)
		p = kernel.FMA(p, a, 0.003786250250414014)
		p = kernel.FMA(p, a, 0.024070980027318)
		p = kernel.FMA(p, a, 0.106601782143116)
		p = kernel.FMA(p, a, -0.634926438331604)
		p = kernel.FMA(p, a, 1.1287050247192383)
		dst[i] = signed(1-exponential(p*a), x)
	}
}

// negative is −|x|, signed is y ≥ 0 with the sign of x.
func negative(x float32) float32 { return math.Float32frombits(math.Float32bits(x) | 1<<31) }
func signed(y, x float32) float32 {
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&(1<<31))
}

// geluTanhGeneric writes ½·x·(1 + tanh u) = x/(1 + e⁻²ᵘ), u = √(2/π)·(x + 0.044715·x³). The exponent is
// kept as a sum of two numbers, since its rounding error becomes the result's relative error.
func geluTanhGeneric(dst, src []float32) {
	const (
		linear, linearLow = -1.5957691669464111, 4.534068054340423e-08
		cubic, cubicLow   = -0.07135481387376785, -2.3988324659995897e-09
	)
	for i, y := range src {
		x := y
		if x > 11 {
			x = 11
		}
		if x < -11 {
			x = -11
		}
		z := float32(x * x)
		low := kernel.FMA(x, x, -z)
		p := kernel.FMA(cubic, z, linear)
		low = kernel.FMA(cubic, low, linearLow)
		low = kernel.FMA(cubicLow, z, low)
		low += kernel.FMA(cubic, z, linear-p)
		v := float32(x * p)
		rest := kernel.FMA(x, low, kernel.FMA(x, p, -v))
		v = atMost89(v)
		if v < -87 {
			v = -87
		}
		r, n := reduce(v)
		e := series(r+rest) * power(n)
		dst[i] = y / (1 + e)
	}
}

func reluGeneric(dst, src []float32) {
	for i, x := range src {
		if x < 0 {
			x = 0
		}
		dst[i] = x
	}
}

// geluGeneric writes x·Φ(x): Φ(−|x|) is ½·e^(−|x|·P(|x|)) with a polynomial P
// fitted to −ln(2Φ(−u))/u on [0, 6], which keeps growing beyond.
func geluGeneric(dst, src []float32) {
	for i, x := range src {
		u := negative(x)
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

// mishGeneric writes x/(1 + 2q²/(1 + 2q)) with q = e⁻ˣ, whose square may not overflow.
func mishGeneric(dst, src []float32) {
	for i, x := range src {
		q := exponential(atMost89(-x))
		dst[i] = x / (1 + float32(q*(2/(1/q+2))))
	}
}
