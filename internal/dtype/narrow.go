// Numbers of at most 8 bits, stored in arrays as codes.

package dtype

import "math"

// Narrow is a type whose elements are codes of at most 8 bits. Shorter codes share bytes: the first one is in the
// lowest bits.
type Narrow struct {
	name   string
	bits   int
	values []float32 // by code
	// round is nil for integers.
	round func(v float32, saturate bool, mode Rounding) float32
}

// Rounding is how a float32 is rounded to a power of two of type Float8E8M0. The other types have one rounding: to
// nearest, halves to even.
type Rounding uint8

// The roundings to powers of two.
const (
	Up      Rounding = iota // to the next greater one
	Down                    // to the next smaller one
	Nearest                 // halves up
)

// The narrow types.
var (
	// Float8E4M3FN has 3 bits of mantissa, NaN and no infinities.
	Float8E4M3FN = smallFloat{name: "float8e4m3fn", bits: 8, mantissa: 3, least: -6, max: 448, special: lastNaN}.narrow()
	// Float8E4M3FNUZ has no negative zero either: its code is NaN.
	Float8E4M3FNUZ = smallFloat{name: "float8e4m3fnuz", bits: 8, mantissa: 3, least: -7, max: 240, special: zeroNaN}.narrow()
	// Float8E5M2 has 2 bits of mantissa, NaN and infinities.
	Float8E5M2 = smallFloat{name: "float8e5m2", bits: 8, mantissa: 2, least: -14, max: 57344, special: infinities}.narrow()
	// Float8E5M2FNUZ has no infinities and no negative zero.
	Float8E5M2FNUZ = smallFloat{name: "float8e5m2fnuz", bits: 8, mantissa: 2, least: -15, max: 57344, special: zeroNaN}.narrow()
	// Float4E2M1 is 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their opposites.
	Float4E2M1 = smallFloat{name: "float4e2m1", bits: 4, mantissa: 1, least: 0, max: 6, special: none}.narrow()
	// Float8E8M0 is the powers of two from 2⁻¹²⁷ to 2¹²⁷, and NaN.
	Float8E8M0 = powers()

	Uint4 = integers("uint4", 4, 0)
	Int4  = integers("int4", 4, 8)
	Uint2 = integers("uint2", 2, 0)
	Int2  = integers("int2", 2, 2)
)

// narrows are the types whose elements are codes.
var narrows = map[DType]*Narrow{E4M3FN: Float8E4M3FN, E5M2: Float8E5M2, E4M3FNUZ: Float8E4M3FNUZ,
	E5M2FNUZ: Float8E5M2FNUZ}

// String is the type's name, such as "float8e4m3fn".
func (n *Narrow) String() string { return n.name }

// Bytes is the size of an array of count elements.
func (n *Narrow) Bytes(count int) int { return (count*n.bits + 7) / 8 }

// PerByte is the number of elements that share a byte.
func (n *Narrow) PerByte() int { return 8 / n.bits }

// IsFloat reports whether the type has more than integers.
func (n *Narrow) IsFloat() bool { return n.round != nil }

// Range is the least and the greatest number.
func (n *Narrow) Range() (least, greatest float32) {
	least, greatest = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range n.values {
		if v-v == 0 { // finite
			least, greatest = min(least, v), max(greatest, v)
		}
	}
	return least, greatest
}

// Round is the number of the type for v, which must be of a type of floats. Beyond the greatest number, and for
// infinity, it is the greatest one with saturate, or else infinity or, without one, NaN. Mode counts for Float8E8M0
// alone: there the sign is dropped, and values below the least number are treated like values beyond the greatest.
func (n *Narrow) Round(v float32, saturate bool, mode Rounding) float32 {
	return n.round(v, saturate, mode)
}

// Unpack writes the numbers of consecutive codes to dst, skipping the first skip codes of raw.
func Unpack[T float32 | int64](n *Narrow, dst []T, raw []byte, skip int) {
	var values [256]T
	for i, v := range n.values {
		values[i] = T(v)
	}
	if n.bits == 8 {
		for i, code := range raw[skip:][:len(dst)] {
			dst[i] = values[code]
		}
		return
	}
	perByte, mask := n.PerByte(), byte(1<<n.bits-1)
	for i := range dst {
		at := skip + i
		dst[i] = values[raw[at/perByte]>>(at%perByte*n.bits)&mask]
	}
}

// integers is a type of integers; half of them have a sign if half is not 0.
func integers(name string, bits, half int) *Narrow {
	n := &Narrow{name: name, bits: bits}
	for code := range 1 << bits {
		n.values = append(n.values, float32((code+half)%(1<<bits)-half))
	}
	return n
}

// special is which codes are no numbers.
type special uint8

const (
	none       special = iota
	lastNaN            // the last one of each sign
	zeroNaN            // at the code of negative zero
	infinities         // at the codes of the last exponent: infinity and NaN
)

// smallFloat is a type of floats with a sign.
type smallFloat struct {
	name           string
	bits, mantissa int
	least          int // exponent of the least number that has all bits of mantissa
	max            float32
	special        special
}

func (f smallFloat) narrow() *Narrow {
	n := &Narrow{name: f.name, bits: f.bits, round: func(v float32, saturate bool, _ Rounding) float32 { return f.rounded(v, saturate) }}
	for code := range 1 << f.bits {
		n.values = append(n.values, f.value(code))
	}
	return n
}

// value is the number of a code.
func (f smallFloat) value(code int) float32 {
	half := 1 << (f.bits - 1)
	sign, code := code/half, code%half
	exponent, mantissa := code>>f.mantissa, code&(1<<f.mantissa-1)
	v := math.Ldexp(float64(mantissa), f.least-f.mantissa)
	if exponent > 0 {
		v = math.Ldexp(float64(mantissa+1<<f.mantissa), exponent-1+f.least-f.mantissa)
	}
	switch last := code>>f.mantissa == half>>f.mantissa-1; {
	case f.special == lastNaN && code == half-1, f.special == zeroNaN && sign == 1 && code == 0,
		f.special == infinities && last && mantissa > 0:
		return float32(math.NaN())
	case f.special == infinities && last:
		v = math.Inf(1)
	}
	if sign == 1 {
		v = math.Copysign(v, -1)
	}
	return float32(v)
}

// infinity is the bits of float32's.
const infinity = 0x7f800000

// rounded rounds to nearest, halves to even.
func (f smallFloat) rounded(v float32, saturate bool) float32 {
	b := math.Float32bits(v)
	sign := b & (1 << 31)
	b ^= sign
	switch drop := 23 - f.mantissa; {
	case b > infinity && f.special == none:
		return 0
	case b > infinity:
		return v
	case b < uint32(f.least+127)<<23:
		// The sum has the unit of the least numbers in its last place, so that the addition rounds.
		unit := math.Float32frombits(uint32(f.least-f.mantissa+23+127) << 23)
		b = math.Float32bits(math.Float32frombits(b) + unit - unit)
	default:
		b = (b + 1<<(drop-1) - 1 + b>>drop&1) &^ (1<<drop - 1)
	}
	if greatest := math.Float32bits(f.max); b > greatest {
		switch {
		case saturate || f.special == none:
			b = greatest
		case f.special == infinities:
			b = infinity
		default:
			b = infinity | 1<<22 // NaN
		}
	}
	if f.special == zeroNaN && b == 0 {
		sign = 0
	}
	return math.Float32frombits(b | sign)
}

// powers is Float8E8M0.
func powers() *Narrow {
	n := &Narrow{name: "float8e8m0", bits: 8, round: roundedPower}
	for code := range 255 {
		n.values = append(n.values, float32(math.Ldexp(1, code-127)))
	}
	n.values = append(n.values, float32(math.NaN()))
	return n
}

// roundedPower is the power of two for |v|.
func roundedPower(v float32, saturate bool, mode Rounding) float32 {
	const least, greatest = 1 << 22, 254 << 23 // the bits of 2⁻¹²⁷, which is subnormal, and of 2¹²⁷
	b := math.Float32bits(v) &^ (1 << 31)
	switch {
	case b > infinity, (b < least || b > greatest) && !saturate:
		return float32(math.NaN())
	case b < least:
		b = least
	case b > greatest:
		b = greatest
	}
	step := uint32(1 << 23) // from this power to the next one
	if b < step {
		step = least
	}
	part := b & (step - 1)
	b -= part
	if mode == Up && part > 0 || mode == Nearest && part >= step/2 {
		b += step
	}
	return math.Float32frombits(b)
}
