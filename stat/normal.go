// Normal numbers with the same bits on every machine: integer operations and
// correctly rounded + − × ÷ √ only, so that CUDA double arithmetic without
// contraction reproduces them.
//
// Every product that is added to something is converted explicitly,
// float64(a*b) + c: the language then forbids the compiler to fuse the two.

package stat

import "math"

// normalFromBits maps 64 random bits to a standard normal number: the quantile
// (Wichura 1988, algorithm AS 241, PPND16) of u = (2·⌊bits/2^12⌋ + 1)·2^−53,
// which lies strictly between 0 and 1 and is symmetric about ½. |z| ≤ 8.21.
// The relative error of the quantile is below 1e-15.
func normalFromBits(bits uint64) float64 {
	// q = u − ½ = (m − 2^51 + ½)·2^−52 exactly, with m the upper 52 bits.
	m := int64(bits >> 12)
	q := float64(2*(m-1<<51)+1) * 0x1p-53
	return normalQuantileCentered(q)
}

// FillNormal32 fills dst with elements offset, offset+1, … of the stream's
// standard normal sequence, rounded to float32. Element e comes from word e mod 4
// of block ⌊e/4⌋ alone, by inversion of u = (2w + 1)·2^−33 (|z| ≤ 6.34), so any
// sub-range can be generated anywhere, in any order, with the same bits.
func FillNormal32(dst []float32, key Key, offset uint64) {
	// A batch at a time: the words, then the central formula for all (no branches,
	// so that the processor overlaps them), then the 15 % in the tails again.
	const batch = 256
	var q [batch]float64
	var tails [batch]uint16
	for len(dst) > 0 {
		skip := int(offset % 4)
		n := min(len(dst), batch-skip)
		for i := 0; i < skip+n; i += 4 {
			w := key.Uint32x4(offset/4 + uint64(i/4))
			to := q[i : i+4 : i+4]
			to[0] = centeredFromWord(w[0])
			to[1] = centeredFromWord(w[1])
			to[2] = centeredFromWord(w[2])
			to[3] = centeredFromWord(w[3])
		}
		count := 0
		for i, v := range q[skip : skip+n] {
			dst[i] = float32(normalCentral(v))
			tails[count&(batch-1)] = uint16(i)
			if math.Abs(v) > 0.425 {
				count++
			}
		}
		for _, i := range tails[:count] {
			v := q[skip+int(i)]
			dst[i] = float32(math.Copysign(normalTail(0.5-math.Abs(v)), v))
		}
		dst = dst[n:]
		offset += uint64(n)
	}
}

// FillUniform32 fills dst with elements offset, offset+1, … of the stream's
// uniform sequence: multiples of 2^−24 in [0, 1), from the upper 24 bits of word
// e mod 4 of block ⌊e/4⌋.
func FillUniform32(dst []float32, key Key, offset uint64) {
	var words [4]uint32
	for i := range dst {
		e := offset + uint64(i)
		if i == 0 || e%4 == 0 {
			words = key.Uint32x4(e / 4)
		}
		dst[i] = float32(words[e%4]>>8) * 0x1p-24
	}
}

// centeredFromWord returns (2w + 1)·2^−33 − ½ exactly.
func centeredFromWord(word uint32) float64 {
	return float64(2*(int64(word)-1<<31)+1) * 0x1p-33
}

// NormalQuantile returns the standard normal quantile of p (AS 241): −Inf at 0,
// +Inf at 1, NaN outside [0, 1]. Relative error below 1e-15, the same bits on
// every machine.
func NormalQuantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	}
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		return normalCentral(q)
	}
	if q < 0 {
		return -normalTail(p)
	}
	return normalTail(1 - p)
}

// normalQuantileCentered returns the quantile of ½ + q for −½ < q < ½.
func normalQuantileCentered(q float64) float64 {
	a := math.Abs(q)
	if a <= 0.425 {
		return normalCentral(q)
	}
	return math.Copysign(normalTail(0.5-a), q)
}

// normalCentral is AS 241's rational approximation for |q| ≤ 0.425.
func normalCentral(q float64) float64 {
	r := 0.180625 - float64(q*q)
	n := float64(2509.0809287301226727*r) + 33430.575583588128105
	n = float64(n*r) + 67265.770927008700853
	n = float64(n*r) + 45921.953931549871457
	n = float64(n*r) + 13731.693765509461125
	n = float64(n*r) + 1971.5909503065514427
	n = float64(n*r) + 133.14166789178437745
	n = float64(n*r) + 3.387132872796366608
	d := float64(5226.495278852854561*r) + 28729.085735721942674
	d = float64(d*r) + 39307.89580009271061
	d = float64(d*r) + 21213.794301586595867
	d = float64(d*r) + 5394.1960214247511077
	d = float64(d*r) + 687.1870074920579083
	d = float64(d*r) + 42.313330701600911252
	d = float64(d*r) + 1
	return float64(q*n) / d
}

// normalTail returns minus the quantile of p for 0 < p < 0.075: AS 241's two
// rational approximations in √(−ln p).
func normalTail(p float64) float64 {
	r := math.Sqrt(-logPortable(p))
	var n, d float64
	if r <= 5 {
		r -= 1.6
		n = float64(7.7454501427834140764e-4*r) + 0.0227238449892691845833
		n = float64(n*r) + 0.24178072517745061177
		n = float64(n*r) + 1.27045825245236838258
		n = float64(n*r) + 3.64784832476320460504
		n = float64(n*r) + 5.7694972214606914055
		n = float64(n*r) + 4.6303378461565452959
		n = float64(n*r) + 1.42343711074968357734
		d = float64(1.05075007164441684324e-9*r) + 5.475938084995344946e-4
		d = float64(d*r) + 0.0151986665636164571966
		d = float64(d*r) + 0.14810397642748007459
		d = float64(d*r) + 0.68976733498510000455
		d = float64(d*r) + 1.6763848301838038494
		d = float64(d*r) + 2.05319162663775882187
	} else {
		r -= 5
		n = float64(2.01033439929228813265e-7*r) + 2.71155556874348757815e-5
		n = float64(n*r) + 0.0012426609473880784386
		n = float64(n*r) + 0.026532189526576123093
		n = float64(n*r) + 0.29656057182850489123
		n = float64(n*r) + 1.7848265399172913358
		n = float64(n*r) + 5.4637849111641143699
		n = float64(n*r) + 6.6579046435011037772
		d = float64(2.04426310338993978564e-15*r) + 1.4215117583164458887e-7
		d = float64(d*r) + 1.8463183175100546818e-5
		d = float64(d*r) + 7.868691311456132591e-4
		d = float64(d*r) + 0.0148753612908506148525
		d = float64(d*r) + 0.13692988092273580531
		d = float64(d*r) + 0.59983220655588793769
	}
	return n / (float64(d*r) + 1)
}

// logPortable returns ln p for a positive normal number p, within 1 ulp, with
// correctly rounded operations only. p = 2^k·m with m in [√½, √2);
// ln m = 2·artanh s, s = (m−1)/(m+1), |s| ≤ 0.1716, by its power series.
func logPortable(p float64) float64 {
	const (
		ln2High = 0x1.62e42fefa38p-1   // 42 bits of ln 2: k·ln2High is exact for |k| < 2^11
		ln2Low  = 0x1.ef35793c7673p-45 // the rest
	)
	b := math.Float64bits(p)
	// Adding the distance from √½'s mantissa to 1 carries into the exponent
	// exactly when the mantissa is at least √2's.
	b += 0x3FF0000000000000 - 0x3FE6A09E667F3BCD
	k := int64(b>>52) - 1023
	m := math.Float64frombits(b&0x000FFFFFFFFFFFFF + 0x3FE6A09E667F3BCD)
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	t := float64(z*(1.0/23)) + 1.0/21
	t = float64(t*z) + 1.0/19
	t = float64(t*z) + 1.0/17
	t = float64(t*z) + 1.0/15
	t = float64(t*z) + 1.0/13
	t = float64(t*z) + 1.0/11
	t = float64(t*z) + 1.0/9
	t = float64(t*z) + 1.0/7
	t = float64(t*z) + 1.0/5
	t = float64(t*z) + 1.0/3
	// 2·artanh s = 2s + 2s³t, and 2s = f − s·f keeps the leading term exact.
	h := float64(f * 0.5)
	h = float64(h * f) // f²/2: 2s = f − f²/2 + s·f²/2
	r := float64(2 * float64(z*t))
	tail := float64(s * (h + r))
	e := float64(k)
	return float64(e*ln2High) - ((h - (tail + float64(e*ln2Low))) - f)
}
