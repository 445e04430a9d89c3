// The epilogue of products in quantized models whose results are kept as bytes.

package vector

import (
	"math"
	"slices"
)

// ByteRequantizer does the steps of a [Requantizer] to rows that become bytes. It multiplies a sum once and rounds,
// which gives the byte of the steps one by one unless the rest comes near to a half: then it takes them.
type ByteRequantizer struct {
	*Requantizer
	low       int32
	arguments requantization
}

// quick says that a requantization has quickFactors, quickTerms and bounds.
const quick = Scaled << 1

// ToBytes prepares bytes that represent integers from low on.
func (r *Requantizer) ToBytes(low int32) *ByteRequantizer {
	b := &ByteRequantizer{Requantizer: r, low: low, arguments: r.arguments}
	b.quicken()
	return b
}

// Bytes applies the steps to c, whole rows, and sets dst to the results less low, which are integers of 0 to 255, or
// NaN, which becomes 0. c is undefined afterwards.
func (b *ByteRequantizer) Bytes(dst []uint8, c []float32) {
	dst = dst[:len(c)]
	n := b.together * b.columns
	rows := len(c) / n
	if rows > 0 {
		b.requantize(dst[:rows*n], c, n, rows)
	}
	dst, c = dst[rows*n:], c[rows*n:]
	part := len(c) &^ (Lanes - 1)
	if part > 0 {
		b.requantize(dst[:part], c, part, 1)
	}
	b.generic(dst[part:], c[part:], part)
}

// generic is Bytes of elements whose operands begin at index first.
func (b *ByteRequantizer) generic(dst []uint8, c []float32, first int) {
	b.wide.generic(c, first)
	bytesGeneric(dst, c, b.low)
}

func (b *ByteRequantizer) requantizeGeneric(dst []uint8, c []float32, n, rows int) {
	for i := range rows {
		b.generic(dst[i*n:][:n], c[i*n:][:n], 0)
	}
}

// quicken prepares the quick steps if the others form a quantization. With f = factor/divisor, t = term/divisor + zero
// − less − low and u = 2⁻²⁴, where the divisor is 1 if there is none, an element is round(c·f + t), cut to bytes. The
// roundings of the steps before the last one, and of the quick steps, change c·f + t by at most
//
//	u·(2·|c·f| + |t| + 2·|c·f + term/divisor| + |c·f + t|)
//
// up to terms of u², and c·f is at most |c·f + t| + |t|. Within the bytes that is less than margin below. Beyond them
// it is less than the distance from the nearest byte. A bound before the division is one after the rounding, since both
// only ascend.
func (b *ByteRequantizer) quicken() {
	q := &b.wide
	const steps = Rounded | Raised2 | Lowered2
	divisor := float32(1)
	if q.Steps&Divided != 0 {
		divisor = q.Divisor
	}
	if q.Steps&steps != steps || q.Steps&(Looked|Scaled) != 0 || !(divisor > 1e-30 && divisor < 1e20) {
		return
	}
	var zero, less float64
	if q.Steps&Shifted != 0 {
		zero = float64(q.Zero)
	}
	if q.Steps&Centered != 0 {
		less = float64(q.Less)
	}
	least, greatest, ok := q.quickBounds(divisor, zero)
	move := zero - less - float64(b.low)
	for _, v := range []float64{zero, less, float64(b.low), least, greatest} {
		ok = ok && math.Abs(v) <= 1<<16 && v == math.Trunc(v)
	}
	least, greatest = least-less-float64(b.low), greatest-less-float64(b.low)
	if !ok || least < 0 || greatest > 255 || least > greatest {
		return
	}
	n, furthest := b.together*b.columns, 0.0
	factors, terms := slices.Repeat([]float32{1}, n), make([]float32, n)
	if q.Steps&Factored != 0 {
		copy(factors, q.Factors)
	}
	if q.Steps&Termed != 0 {
		copy(terms, q.Terms)
	}
	for i, factor := range factors {
		f, t := float64(factor)/float64(divisor), float64(terms[i])/float64(divisor)+move
		if size := math.Abs(f); !(size < 1e30 && (size > 1e-30 || f == 0) && math.Abs(t) < 1<<20) {
			return
		}
		factors[i], terms[i], furthest = float32(f), float32(t), max(furthest, math.Abs(t))
	}
	const unit = 1.0 / (1 << 24)
	margin := 1.02*unit*(5*256+3*furthest+2*math.Abs(move)) + 1e-9
	if margin > 0.125 {
		return
	}
	a := &b.arguments
	a.steps |= quick
	a.quickFactors, a.quickTerms, a.rest, a.least8, a.most8 = &factors[0], &terms[0], float32(0.5-margin), uint8(least), uint8(greatest)
}

// quickBounds are the bounds of the rounded quotients plus zero.
func (q *Requantize) quickBounds(divisor float32, zero float64) (least, greatest float64, ok bool) {
	least, greatest = float64(q.Least), float64(q.Most)
	low, high := least, greatest
	if q.Steps&Raised != 0 {
		low = math.RoundToEven(float64(float32(q.Low/divisor))) + zero
	}
	if q.Steps&Lowered != 0 {
		high = math.RoundToEven(float64(float32(q.High/divisor))) + zero
	}
	cut := func(v float64) float64 { return min(max(v, least), greatest) }
	return cut(low), cut(high), low <= high && least <= greatest
}
