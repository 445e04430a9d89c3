// Sine, cosine and tangent of package vector.

package main

import (
	"fmt"
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
			fmt.Fprintf(&a.text, "DATA turns%d<>+%d(SB)/8, $%#016x\n", part, 8*i, math.Float64bits(v))
		}
		fmt.Fprintf(&a.text, "GLOBL turns%d<>(SB), RODATA|NOPTR, $%d\n", part, 8*farPowers)
	}
}

// reduceTurns turns register 0 into its remainder and sets 9 to the number of periods in its low bit; 1 … 8 are
// scratch.
func (w width) reduceTurns(name string, per, offset, back float64) {
	x := w.reg(0)
	w.emit("VMOVAPD %s, %s", x, w.reg(10))
	w.nearest(name, per*(2/math.Pi), offset, name+"Turn", 0, 9, 1)
	w.emit("VFMADD231PD %s, %s, %s", w.double(name+"Back", -back*halfPi), w.reg(1), x)
	w.emit("VFMADD231PD %s, %s, %s", w.double(name+"BackLow", -back*halfPiLow), w.reg(1), x)
	// Large values go another way.
	w.magnitude(10, 2)
	w.mask(moreThan, w.double("dFar", far), 2, 1)
	w.mask(atMost, w.double("dMost32", math.MaxFloat32), 2, 2)
	w.both(1, 2)
	if w.r == "Z" {
		w.emit("KTESTB K1, K1")
	} else {
		w.emit("VTESTPD Y15, Y15")
	}
	w.emit("JZ near")
	m, f := w.reg(3), w.reg(4)
	w.emit("VANDPD %s, %s, %s", w.quad("dSignFraction", 1<<63|fraction), w.reg(10), m)
	w.emit("VORPD %s, %s, %s", w.quad("dTwo23", (1023+23)<<52), m, m)
	w.emit("VPSRLQ $52, %s, %s", w.reg(2), w.reg(2))
	w.emit("VPSUBQ %s, %s, %s", w.quad("dFarExponent", 1023+30), w.reg(2), w.reg(2))
	w.part(0, 5)
	w.emit("VMULPD %s, %s, %s", w.reg(5), m, f)
	w.nearest(name, per, offset, name+"Per", 4, 6, 7)
	w.emit("VFMADD231PD %s, %s, %s", w.double(name+"Quarters", -back), w.reg(7), f)
	w.part(1, 5)
	w.emit("VFMADD231PD %s, %s, %s", w.reg(5), m, f)
	w.part(2, 5)
	w.emit("VFMADD231PD %s, %s, %s", w.reg(5), m, f)
	w.nearest("dNo", per, 0, name+"Per", 4, 8, 7)
	w.emit("VFMADD231PD %s, %s, %s", w.double(name+"Quarters", -back), w.reg(7), f)
	w.emit("VMULPD %s, %s, %s", w.double("dHalfPi", halfPi), f, f)
	w.emit("VPADDQ %s, %s, %s", w.reg(8), w.reg(6), w.reg(6))
	w.chosen(1, 4, 0)
	w.chosen(1, 6, 9)
	w.label("near")
}

// nearest sets n to the number of periods in x as low bits and k to it as a number, less the offset.
func (w width) nearest(name string, per, offset float64, perName string, x, n, k int) {
	w.emit("VMOVUPD %s, %s", w.double(perName, per), w.reg(n))
	w.emit("VFMADD213PD %s, %s, %s", w.double(name+"MinusOffset", -offset), w.reg(x), w.reg(n))
	w.emit("VADDPD %s, %s, %s", w.double("dShift", 3<<51), w.reg(n), w.reg(n))
	w.emit("VSUBPD %s, %s, %s", w.double("dShift", 3<<51), w.reg(n), w.reg(k))
	w.emit("VADDPD %s, %s, %s", w.double(name+"Offset", offset), w.reg(k), w.reg(k))
}

// part looks up a part of 2/π for the exponents in register 2 where mask 1 is set.
func (w width) part(i, to int) {
	w.emit("LEAQ turns%d<>(SB), AX", i)
	w.emit("VXORPD %s, %s, %s", w.reg(to), w.reg(to), w.reg(to))
	if w.r == "Z" {
		w.emit("KMOVW K1, K2") // which the gathering clears
		w.emit("VGATHERQPD (AX)(Z2*8), K2, %s", w.reg(to))
		return
	}
	w.emit("VMOVAPD Y15, Y14")
	w.emit("VGATHERQPD Y14, (AX)(Y2*8), %s", w.reg(to))
}

// sine turns register 0 into its sine, negated where the lowest bit of 9 is set.
func (w width) sine() {
	w.emit("VMULPD %s, %s, %s", w.reg(0), w.reg(0), w.reg(1))
	w.horner("dSin", sinRest, 1, 2)
	w.emit("VFMADD213PD %s, %s, %s", w.double("dUnit", 1), w.reg(1), w.reg(2))
	w.emit("VMULPD %s, %s, %s", w.reg(0), w.reg(2), w.reg(0))
	w.emit("VPSLLQ $63, %s, %s", w.reg(9), w.reg(9))
	w.emit("VXORPD %s, %s, %s", w.reg(9), w.reg(0), w.reg(0))
}

func (w width) sin() {
	w.reduceTurns("dSine", 0.5, 0, 2)
	w.sine()
}

func (w width) cos() {
	w.reduceTurns("dCosine", 0.5, 0.5, 2)
	w.emit("VPADDQ %s, %s, %s", w.quad("dOne", 1), w.reg(9), w.reg(9))
	w.sine()
}

func (w width) tan() {
	w.reduceTurns("dTangent", 1, 0, 1)
	r, z, s, c := w.reg(0), w.reg(1), w.reg(2), w.reg(3)
	w.emit("VMULPD %s, %s, %s", r, r, z)
	w.horner("dSinNear", sinNear, 1, 2)
	w.emit("VFMADD213PD %s, %s, %s", w.double("dUnit", 1), z, s)
	w.emit("VMULPD %s, %s, %s", r, s, s)
	w.horner("dCosNear", cosNear, 1, 4)
	w.emit("VMOVUPD %s, %s", w.double("dMinusHalf", -0.5), c)
	w.emit("VFMADD213PD %s, %s, %s", w.double("dUnit", 1), z, c)
	w.emit("VMULPD %s, %s, %s", z, z, z)
	w.emit("VFMADD231PD %s, %s, %s", z, w.reg(4), c)
	// Of odd numbers of quarter turns, −cos over sin.
	w.emit("VMOVAPD %s, %s", s, w.reg(5))
	w.emit("VXORPD %s, %s, %s", w.quad("dSign", 1<<63), c, w.reg(6))
	w.emit("VPSLLQ $63, %s, %s", w.reg(9), w.reg(9))
	if w.r == "Z" {
		w.emit("VPMOVQ2M Z9, K1")
	} else {
		w.emit("VMOVAPD Y9, Y15")
	}
	w.chosen(1, 6, 2)
	w.chosen(1, 5, 3)
	w.emit("VDIVPD %s, %s, %s", c, s, r)
}
