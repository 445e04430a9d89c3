// Elementary functions that are computed in float64 and rounded once, and their portable twins.

package vector

import "math"

// Log sets dst[i] to the natural logarithm of src[i]. The result of this and the following functions is within 0.501
// units in the last place, or 1 if it is subnormal. NaN stays, and zeros, infinities and values outside the domain give
// the results that IEEE 754 recommends. dst is at least as long as src and may be the same memory.
func Log(dst, src []float32) { log(dst, src) }

// Softplus sets dst[i] = ln(1 + exp(src[i])).
func Softplus(dst, src []float32) { softplus(dst, src) }

// Celu sets dst[i] to alpha·(exp(src[i]/alpha) − 1) where src[i] is negative; the rest stays.
func Celu(dst, src []float32, alpha float32) { celu(dst, src, alpha, 1) }

// Sinh sets dst[i] to the hyperbolic sine of src[i].
func Sinh(dst, src []float32) { sinh(dst, src) }

// Cosh sets dst[i] to the hyperbolic cosine of src[i].
func Cosh(dst, src []float32) { cosh(dst, src) }

// Asinh sets dst[i] to the inverse hyperbolic sine of src[i].
func Asinh(dst, src []float32) { asinh(dst, src) }

// Acosh sets dst[i] to the inverse hyperbolic cosine of src[i].
func Acosh(dst, src []float32) { acosh(dst, src) }

// Atanh sets dst[i] to the inverse hyperbolic tangent of src[i].
func Atanh(dst, src []float32) { atanh(dst, src) }

// Atan sets dst[i] to the arc tangent of src[i].
func Atan(dst, src []float32) { atan(dst, src) }

// Asin sets dst[i] to the arc sine of src[i].
func Asin(dst, src []float32) { asin(dst, src) }

// Acos sets dst[i] to the arc cosine of src[i].
func Acos(dst, src []float32) { acos(dst, src) }

// Polynomials, the highest power first: interpolated at Chebyshev points.
var (
	expRest  = []float64{2.4859589834589056e-05, 0.00019899285575896282, 0.001388885403566671, 0.00833329846980059, 0.04166666671901226, 0.16666666719028936, 0.5}
	logRest  = []float64{0.09681388418373767, 0.11095697246587528, 0.1428587731786638, 0.19999999398424337, 0.33333333333687726}
	atanRest = []float64{-0.04043033696147107, 0.07135234647464041, -0.09028967562110418, 0.11107493853432703, -0.14285612465275252,
		0.19999998916690562, -0.33333333331439496}
)

const (
	ln2      = 0.6931471805599453
	halfRoot = 0x3FE6A09E667F3BCD // bits of √½
	unitBits = 0x3FF0000000000000
	fraction = 1<<52 - 1
	most     = math.MaxFloat32
)

// horner is a polynomial.
func horner(c []float64, x float64) float64 {
	p := c[0]
	for _, v := range c[1:] {
		p = math.FMA(p, x, v)
	}
	return p
}

// powerParts is 2ⁿ and eʳ − 1 of v = n·ln 2 + r; eᵛ is 2ⁿ·(eʳ − 1) + 2ⁿ.
func powerParts(v float64) (scale, rest float64) {
	t := math.FMA(v, math.Log2E, shift64)
	k := t - shift64
	r := math.FMA(k, -ln2, v)
	rest = math.FMA(float64(r*r), horner(expRest, r), r)
	return math.Float64frombits((math.Float64bits(t) + 1023) << 52), rest
}

// expDouble is eᵛ, for v between −700 and 700.
func expDouble(v float64) float64 {
	scale, rest := powerParts(v)
	return math.FMA(scale, rest, scale)
}

// logParts is the number of times that u > 0 is halved to lie between √½ and √2, and the rest.
func logParts(u float64) (k, m float64) {
	t := math.Float64bits(u) + (unitBits - halfRoot)
	k = math.Float64frombits(t>>52|0x4330000000000000) - (1<<52 + 1023)
	return k, math.Float64frombits(t&fraction + halfRoot)
}

// logOf is k·ln 2 + ln((1+s)/(1−s)) for small s, the quotient of two numbers.
func logOf(k, above, below float64) float64 {
	s := above / below
	z := float64(s * s)
	twice := s + s
	return math.FMA(k, ln2, math.FMA(float64(horner(logRest, z)*z), twice, twice))
}

// logEdges corrects the results of numbers that are not finite and positive.
func logEdges(r, u float64) float64 {
	if u > math.MaxFloat64 {
		r = u
	}
	if u == 0 {
		r = math.Inf(-1)
	}
	if !(u >= 0) {
		r = math.NaN()
	}
	return r
}

// log64 is ln u.
func log64(u float64) float64 {
	k, m := logParts(u)
	return logEdges(logOf(k, m-1, m+1), u)
}

// logPlus is ln(1 + t) for t ≥ 0, exact for small t too.
func logPlus(t float64) float64 {
	u := t + 1
	k, m := logParts(u)
	above := m - 1
	if !(u >= math.Sqrt2) { // so that a NaN stays
		above = t
	}
	return logOf(k, above, m+1)
}

// atMost and atLeast cut; a NaN stays.
func atMost(x, bound float64) float64 {
	if x > bound {
		return bound
	}
	return x
}

func atLeast(x, bound float64) float64 {
	if x < bound {
		return bound
	}
	return x
}

func logGeneric(dst, src []float32) { inFloat64(dst, src, log64) }

// softplusGeneric writes max(x, 0) + ln(1 + e^(−|x|)).
func softplusGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		return atLeast(x, 0) + logPlus(expDouble(atLeast(-math.Abs(x), -300)))
	})
}

func celuGeneric(dst, src []float32, alpha, unit float32) {
	a := float64(alpha)
	inFloat64(dst, src, func(x float64) float64 {
		scale, rest := powerParts(atLeast(atMost(x/a, 700), -700))
		y := float64(math.FMA(scale, rest, scale-float64(unit)) * a)
		if x < 0 {
			return y
		}
		return x
	})
}

// sinhGeneric writes ½·(q + q/(q+1)) with q = e^|x| − 1.
func sinhGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		scale, rest := powerParts(atMost(math.Abs(x), 300))
		q := math.FMA(scale, rest, scale-1)
		return math.Copysign(float64((q+q/(q+1))*0.5), x)
	})
}

// coshGeneric writes ½·(e + 1/e).
func coshGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		e := expDouble(atMost(math.Abs(x), 300))
		return float64((e + 1/e) * 0.5)
	})
}

// asinhGeneric writes ln(1 + (a + a²/(1 + √(a²+1)))) for a = |x|.
func asinhGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		a := math.Abs(x)
		r := math.Copysign(logPlus(a+float64(a*a)/(math.Sqrt(math.FMA(a, a, 1))+1)), x)
		if a > most {
			r = x
		}
		return r
	})
}

// acoshGeneric writes ln(x + √((x−1)·(x+1))).
func acoshGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		u := x + math.Sqrt(float64((x-1)*(x+1)))
		if x < 1 {
			u = -1
		}
		return log64(u)
	})
}

// atanhGeneric writes half the logarithm of (1+a)/(1−a), a = |x|; small a need no reduction.
func atanhGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		a := math.Abs(x)
		u := (a + 1) / (1 - a)
		k, m := logParts(u)
		above, below := m-1, m+1
		if a < 0.17 {
			k, above, below = 0, a, 1
		}
		return math.Copysign(float64(logEdges(logOf(k, above, below), u)*0.5), x)
	})
}

// angle is the arc tangent of y/x for y, x ≥ 0: the arc tangent of a quotient between −tan π/8 and tan π/8, added to 0,
// π/4 or π/2.
func angle(y, x float64) float64 {
	above, below, from := y, x, 0.0
	if y > float64(x*(math.Sqrt2-1)) {
		above, below, from = y-x, y+x, math.Pi/4
	}
	if y > float64(x*(math.Sqrt2+1)) {
		above, below, from = -x, y, math.Pi/2
	}
	t := above / below
	z := float64(t * t)
	return math.FMA(float64(horner(atanRest, z)*z), t, t) + from
}

func atanGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 { return math.Copysign(angle(math.Abs(x), 1), x) })
}

func asinGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		a := math.Abs(x)
		return math.Copysign(angle(a, math.Sqrt(float64((1-a)*(a+1)))), x)
	})
}

func acosGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		a := math.Abs(x)
		r := angle(math.Sqrt(float64((1-a)*(a+1))), a)
		if x < 0 {
			r = math.Pi - r
		}
		return r
	})
}
