// Sine, cosine and tangent, computed in float64 and rounded once, and their portable twins.

package vector

import "math"

// Sin sets dst[i] to the sine of src[i]. The result of this and the following functions is within 0.501 units in the
// last place for all numbers, or 1 if it is subnormal; infinities give NaN. dst is at least as long as src and may be
// the same memory.
func Sin(dst, src []float32) { sin(dst, src) }

// Cos sets dst[i] to the cosine of src[i].
func Cos(dst, src []float32) { cos(dst, src) }

// Tan sets dst[i] to the tangent of src[i].
func Tan(dst, src []float32) { tan(dst, src) }

var (
	sinRest = []float64{1.5502454316596913e-10, -2.503674197012488e-08, 2.7557123116044156e-06, -0.00019841268708606193, 0.008333333330939175, -0.1666666666665846}
	// For at most an eighth of a turn.
	sinNear = []float64{2.7249895230611676e-06, -0.000198400864995936, 0.008333331874273714, -0.16666666663854168}
	cosNear = []float64{-2.7300933687212943e-07, 2.480060018036381e-05, -0.0013888887671652504, 0.041666666664320264}
)

// period is the reduction of a function: back quarter turns; offset is the distance of the middle of one of them from
// 0.
type period struct{ per, offset, back float64 }

var (
	sinPeriod = period{0.5, 0, 2}
	cosPeriod = period{0.5, 0.5, 2}
	tanPeriod = period{1, 0, 1}
)

const (
	halfPi    = 1.5707963267948966
	halfPiLow = 6.123233995736766e-17 // π/2 = halfPi + halfPiLow + 1.5e−33
	far       = 1 << 30               // from here on numbers are reduced by more bits of 2/π
)

// twoOverPi is the bits of 2/π after the point.
var twoOverPi = [4]uint64{0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561}

// bitsOfTwoOverPi are n bits of 2/π from bit i on; bit 0 is ½.
func bitsOfTwoOverPi(i, n int) float64 {
	var v uint64
	for k := i; k < i+n; k++ {
		v = v<<1 | twoOverPi[k/64]>>(63-k%64)&1
	}
	return float64(v)
}

// parts is 2/π·2^e modulo 4 in three parts, the first two of 29 bits, whose products with 24 bits are exact.
func parts(e int) (high, middle, low float64) {
	return math.Ldexp(bitsOfTwoOverPi(e-2, 29), -27), math.Ldexp(bitsOfTwoOverPi(e+27, 29), -56), math.Ldexp(bitsOfTwoOverPi(e+56, 53), -109)
}

// nearest is the number of periods in x, measured by per, as the low bits of n and as k, less the offset.
func (p period) nearest(x, per, offset float64) (k float64, n uint64) {
	t := math.FMA(x, per, -offset) + shift64
	return t - shift64 + offset, math.Float64bits(t)
}

// reduce is x modulo a period, and in the low bit of n whether the number of periods is odd.
func (p period) reduce(x float64) (r float64, n uint64) {
	if a := math.Abs(x); a > far && a <= most {
		return p.reduceFar(x)
	}
	k, n := p.nearest(x, p.per*(2/math.Pi), p.offset)
	r = math.FMA(k, -p.back*halfPi, x)
	return math.FMA(k, -p.back*halfPiLow, r), n
}

// reduceFar multiplies the 24 bits of x by the significant bits of 2/π: whole turns do not matter.
func (p period) reduceFar(x float64) (r float64, n uint64) {
	bits := math.Float64bits(x)
	m := math.Float64frombits(bits&(1<<63|fraction) | (1023+23)<<52)
	high, middle, low := parts(int(bits>>52&0x7ff) - 1023 - 23)
	f := float64(m * high)
	k, n := p.nearest(f, p.per, p.offset)
	f = math.FMA(k, -p.back, f)
	f = math.FMA(m, middle, f)
	f = math.FMA(m, low, f)
	k, more := p.nearest(f, p.per, 0)
	return float64(math.FMA(k, -p.back, f) * halfPi), n + more
}

// sine is the sine of up to a quarter turn, its sign changed by the low bit of n.
func sine(r float64, n uint64) float64 {
	z := float64(r * r)
	return math.Float64frombits(math.Float64bits(float64(math.FMA(horner(sinRest, z), z, 1)*r)) ^ n<<63)
}

func sinGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 { return sine(sinPeriod.reduce(x)) })
}

// cosGeneric writes the sine of a quarter turn more.
func cosGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		r, n := cosPeriod.reduce(x)
		return sine(r, n+1)
	})
}

func tanGeneric(dst, src []float32) {
	inFloat64(dst, src, func(x float64) float64 {
		r, n := tanPeriod.reduce(x)
		z := float64(r * r)
		s := float64(math.FMA(horner(sinNear, z), z, 1) * r)
		c := math.FMA(float64(z*z), horner(cosNear, z), math.FMA(z, -0.5, 1))
		if n&1 == 1 {
			s, c = -c, s
		}
		return s / c
	})
}
