// Sine, cosine and tangent of package vector.

package vectors

import (
	"math"
)

// The polynomials of turns.go in package vector.
var (
	sinRest = []float64{1.5502454316596913e-10, -2.503674197012488e-08, 2.7557123116044156e-06, -0.00019841268708606193, 0.008333333330939175, -0.1666666666665846}
	sinNear = []float64{2.7249895230611676e-06, -0.000198400864995936, 0.008333331874273714, -0.16666666663854168}
	cosNear = []float64{-2.7300933687212943e-07, 2.480060018036381e-05, -0.0013888887671652504, 0.041666666664320264}
)

// twoOverPi is the bits of 2/π after the point.
var twoOverPi = [4]uint64{0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561}

const (
	halfPi     = 1.5707963267948966
	halfPiLow  = 6.123233995736766e-17
	far        = 1 << 30
	leastPower = 30 - 23 // of the last of 24 bits of a number from far on
	farPowers  = 128 - 30
)

// turnParts writes 2/π·2^e modulo 4 for every exponent, in three parts of 29, 29 and 53 bits.
func (a *assembler) turnParts() {
	bits := func(from, n int) float64 {
		var v uint64
		for i := from; i < from+n; i++ {
			v = v<<1 | twoOverPi[i/64]>>(63-i%64)&1
		}
		return float64(v)
	}
	for part, part1 := range []struct{ from, n, unit int }{{-2, 29, -27}, {27, 29, -56}, {56, 53, -109}} {
		for i := range farPowers {
			v := math.Ldexp(bits(leastPower+i+part1.from, part1.n), part1.unit)
			a.Write("DATA turns%d<>+%d(SB)/8, $%#016x\n", part, 8*i, math.Float64bits(v))
		}
		a.Write("GLOBL turns%d<>(SB), RODATA|NOPTR, $%d\n", part, 8*farPowers)
	}
}

// reduceTurns turns register 0 into its remainder and sets 9 to the number of periods in its low bit; 1 … 8 are
// scratch.
func (w width) reduceTurns(name string, per, offset, back float64) {
	x := w.Reg(0)
	w.Emit("VMOVAPD %s, %s", x, w.Reg(10))
	w.nearest(name, per*(2/math.Pi), offset, name+"Turn", 0, 9, 1)
	w.Emit("VFMADD231PD %s, %s, %s", w.Double(name+"Back", -back*halfPi), w.Reg(1), x)
	w.Emit("VFMADD231PD %s, %s, %s", w.Double(name+"BackLow", -back*halfPiLow), w.Reg(1), x)
	// Large values go another way.
	w.magnitude(10, 2)
	w.mask(moreThan, w.Double("dFar", far), 2, 1)
	w.mask(atMost, w.Double("dMost32", math.MaxFloat32), 2, 2)
	w.both(1, 2)
	if w.R == "Z" {
		w.Emit("KTESTB K1, K1")
	} else {
		w.Emit("VTESTPD Y15, Y15")
	}
	w.Emit("JZ near")
	m, f := w.Reg(3), w.Reg(4)
	w.Emit("VANDPD %s, %s, %s", w.Quad("dSignFraction", 1<<63|fraction), w.Reg(10), m)
	w.Emit("VORPD %s, %s, %s", w.Quad("dTwo23", (1023+23)<<52), m, m)
	w.Emit("VPSRLQ $52, %s, %s", w.Reg(2), w.Reg(2))
	w.Emit("VPSUBQ %s, %s, %s", w.Quad("dFarExponent", 1023+30), w.Reg(2), w.Reg(2))
	w.part(0, 5)
	w.Emit("VMULPD %s, %s, %s", w.Reg(5), m, f)
	w.nearest(name, per, offset, name+"Per", 4, 6, 7)
	w.Emit("VFMADD231PD %s, %s, %s", w.Double(name+"Quarters", -back), w.Reg(7), f)
	w.part(1, 5)
	w.Emit("VFMADD231PD %s, %s, %s", w.Reg(5), m, f)
	w.part(2, 5)
	w.Emit("VFMADD231PD %s, %s, %s", w.Reg(5), m, f)
	w.nearest("dNo", per, 0, name+"Per", 4, 8, 7)
	w.Emit("VFMADD231PD %s, %s, %s", w.Double(name+"Quarters", -back), w.Reg(7), f)
	w.Emit("VMULPD %s, %s, %s", w.Double("dHalfPi", halfPi), f, f)
	w.Emit("VPADDQ %s, %s, %s", w.Reg(8), w.Reg(6), w.Reg(6))
	w.chosen(1, 4, 0)
	w.chosen(1, 6, 9)
	w.Label("near")
}

// nearest sets n to the number of periods in x as low bits and k to it as a number, less the offset.
func (w width) nearest(name string, per, offset float64, perName string, x, n, k int) {
	w.Emit("VMOVUPD %s, %s", w.Double(perName, per), w.Reg(n))
	w.Emit("VFMADD213PD %s, %s, %s", w.Double(name+"MinusOffset", -offset), w.Reg(x), w.Reg(n))
	w.Emit("VADDPD %s, %s, %s", w.Double("dShift", 3<<51), w.Reg(n), w.Reg(n))
	w.Emit("VSUBPD %s, %s, %s", w.Double("dShift", 3<<51), w.Reg(n), w.Reg(k))
	w.Emit("VADDPD %s, %s, %s", w.Double(name+"Offset", offset), w.Reg(k), w.Reg(k))
}

// part looks up a part of 2/π for the exponents in register 2 where mask 1 is set.
func (w width) part(i, to int) {
	w.Emit("LEAQ turns%d<>(SB), AX", i)
	w.Emit("VXORPD %s, %s, %s", w.Reg(to), w.Reg(to), w.Reg(to))
	if w.R == "Z" {
		w.Emit("KMOVW K1, K2") // which the gathering clears
		w.Emit("VGATHERQPD (AX)(Z2*8), K2, %s", w.Reg(to))
		return
	}
	w.Emit("VMOVAPD Y15, Y14")
	w.Emit("VGATHERQPD Y14, (AX)(Y2*8), %s", w.Reg(to))
}

// sine turns register 0 into its sine, negated where the lowest bit of 9 is set.
func (w width) sine() {
	w.Emit("VMULPD %s, %s, %s", w.Reg(0), w.Reg(0), w.Reg(1))
	w.horner("dSin", sinRest, 1, 2)
	w.Emit("VFMADD213PD %s, %s, %s", w.Double("dUnit", 1), w.Reg(1), w.Reg(2))
	w.Emit("VMULPD %s, %s, %s", w.Reg(0), w.Reg(2), w.Reg(0))
	w.Emit("VPSLLQ $63, %s, %s", w.Reg(9), w.Reg(9))
	w.Emit("VXORPD %s, %s, %s", w.Reg(9), w.Reg(0), w.Reg(0))
}

func (w width) sin() {
	w.reduceTurns("dSine", 0.5, 0, 2)
	w.sine()
}

func (w width) cos() {
	w.reduceTurns("dCosine", 0.5, 0.5, 2)
	w.Emit("VPADDQ %s, %s, %s", w.Quad("dOne", 1), w.Reg(9), w.Reg(9))
	w.sine()
}

func (w width) tan() {
	w.reduceTurns("dTangent", 1, 0, 1)
	r, z, s, c := w.Reg(0), w.Reg(1), w.Reg(2), w.Reg(3)
	w.Emit("VMULPD %s, %s, %s", r, r, z)
	w.horner("dSinNear", sinNear, 1, 2)
	w.Emit("VFMADD213PD %s, %s, %s", w.Double("dUnit", 1), z, s)
	w.Emit("VMULPD %s, %s, %s", r, s, s)
	w.horner("dCosNear", cosNear, 1, 4)
	w.Emit("VMOVUPD %s, %s", w.Double("dMinusHalf", -0.5), c)
	w.Emit("VFMADD213PD %s, %s, %s", w.Double("dUnit", 1), z, c)
	w.Emit("VMULPD %s, %s, %s", z, z, z)
	w.Emit("VFMADD231PD %s, %s, %s", z, w.Reg(4), c)
	// Of odd numbers of quarter turns, −cos over sin.
	w.Emit("VMOVAPD %s, %s", s, w.Reg(5))
	w.Emit("VXORPD %s, %s, %s", w.Quad("dSign", 1<<63), c, w.Reg(6))
	w.Emit("VPSLLQ $63, %s, %s", w.Reg(9), w.Reg(9))
	if w.R == "Z" {
		w.Emit("VPMOVQ2M Z9, K1")
	} else {
		w.Emit("VMOVAPD Y9, Y15")
	}
	w.chosen(1, 6, 2)
	w.chosen(1, 5, 3)
	w.Emit("VDIVPD %s, %s, %s", c, s, r)
}
