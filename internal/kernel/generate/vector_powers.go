// Powers and remainders of package vector.

package main

import "math"

// farthest is the greatest quotient that is known to be cut right.
const farthest = 1 << 28

// powers writes the functions of two operands in float64, registers 0 and 6.
func (w width) powers() {
	w.twoDoubles("powRows", w.power)
	w.twoDoubles("modRows", w.remainder)
}

// twoDoubles goes through two rows; either may be constant.
func (w width) twoDoubles(name string, body func()) {
	w.vector(name, "(dst, x, y *float32, n, stepX, stepY int)",
		"is "+name+"Generic for n a multiple of 16; a step is 1, or 0 for one number.", 48)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ x+8(FP), SI")
	w.emit("MOVQ y+16(FP), DX")
	w.emit("MOVQ n+24(FP), CX")
	for i, operand := range []struct{ from, step string }{{"SI", "stepX+32(FP)"}, {"DX", "stepY+40(FP)"}} {
		w.emit("VMOVSS (%s), X%d", operand.from, 11+i)
		w.emit("VCVTSS2SD X%d, X%d, X%d", 11+i, 11+i, 11+i)
		w.emit("VBROADCASTSD X%d, %s", 11+i, w.reg(11+i))
		w.emit("MOVQ %s, R%d", operand.step, 8+i)
	}
	w.label("loop")
	for i, operand := range []struct{ from, skip string }{{"SI", "firstStands"}, {"DX", "secondStands"}} {
		w.emit("VMOVAPD %s, %s", w.reg(11+i), w.reg(6*i))
		w.emit("TESTQ R%d, R%d", 8+i, 8+i)
		w.emit("JZ %s", operand.skip)
		w.emit("VCVTPS2PD (%s), %s", operand.from, w.reg(6*i))
		w.emit("ADDQ $%d, %s", w.bytes/2, operand.from)
		w.label(operand.skip)
	}
	body()
	w.storeDoubles("(DI)")
	w.emit("ADDQ $%d, DI", w.bytes/2)
	w.emit("SUBQ $%d, CX", w.bytes/8)
	w.emit("JGT loop")
	w.end()
}

// power turns register 0 into its power of register 6.
func (w width) power() {
	x, y, r := w.reg(0), w.reg(6), w.reg(5)
	w.magnitude(0, 7)
	w.emit("VMOVAPD %s, %s", w.reg(7), r)
	w.logParts(5, 1, 2)
	w.emit("VADDPD %s, %s, %s", w.double("dUnit", 1), w.reg(2), w.reg(3))
	w.emit("VSUBPD %s, %s, %s", w.double("dUnit", 1), w.reg(2), w.reg(2))
	w.logOf(1, 2, 3, 4, 5)
	w.logEdges(7, 5, 1)
	w.emit("VMULPD %s, %s, %s", y, r, r)
	w.cutDouble("VMINPD", 5, 1, "dHighest", 300)
	w.cutDouble("VMAXPD", 5, 1, "dLowest", -300)
	w.expDouble(5, 1, 2, 3)
	w.rounded(6, 1)
	w.emit("VMULPD %s, %s, %s", w.double("dHalf", 0.5), y, w.reg(2))
	w.rounded(2, 3)
	// Negative numbers to the power of fractions.
	w.emit("VMOVUPD %s, %s", w.double("dNaN", math.NaN()), w.reg(4))
	w.mask(notEqual, y, 1, 1)
	w.mask(lessThan, w.double("dZero", 0), 0, 2)
	w.both(1, 2)
	w.mask(atMost, w.double("dMost32", math.MaxFloat32), 7, 2)
	w.both(1, 2)
	w.chosen(1, 4, 5)
	// The sign of odd powers.
	w.emit("VANDPD %s, %s, %s", w.quad("dSign", 1<<63), x, w.reg(4))
	w.emit("VXORPD %s, %s, %s", r, w.reg(4), w.reg(4))
	w.mask(equal, y, 1, 1)
	w.mask(notEqual, w.reg(3), 2, 2)
	w.both(1, 2)
	w.chosen(1, 4, 5)
	w.emit("VMULPD %s, %s, %s", x, x, w.reg(4))
	w.choose(equal, w.double("dTwo", 2), 6, 4, 5)
	// The constant 1.
	w.emit("VMOVUPD %s, %s", w.double("dUnit", 1), w.reg(4))
	w.choose(equal, w.reg(4), 0, 4, 5)
	w.choose(equal, w.double("dZero", 0), 6, 4, 5)
	w.magnitude(6, 1)
	w.mask(moreThan, w.double("dMost32", math.MaxFloat32), 1, 1)
	w.mask(equal, w.reg(4), 7, 2)
	w.both(1, 2)
	w.chosen(1, 4, 5)
	w.emit("VMOVAPD %s, %s", r, x)
}

// rounded sets y to the integer nearest to x.
func (w width) rounded(x, y int) {
	w.emit("%s $8, %s, %s", map[string]string{"Z": "VRNDSCALEPD", "Y": "VROUNDPD"}[w.r], w.reg(x), w.reg(y))
}

// remainder turns register 0 into its remainder by register 6. While a quotient is too large to be cut exactly, it
// subtracts the divisor times the power of two that makes the quotient less than 2²¹.
func (w width) remainder() {
	a, b, q, t := w.reg(1), w.reg(2), w.reg(3), w.reg(4)
	cut := map[string]string{"Z": "VRNDSCALEPD", "Y": "VROUNDPD"}[w.r]
	w.magnitude(0, 1)
	w.magnitude(6, 2)
	w.label("next")
	w.emit("VDIVPD %s, %s, %s", b, a, q)
	w.mask(atLeast, w.double("dFarthestQuotient", farthest), 3, 1)
	w.mask(atMost, w.double("dMost64", math.MaxFloat64), 3, 2)
	w.both(1, 2)
	if w.r == "Z" {
		w.emit("KTESTB K1, K1")
	} else {
		w.emit("VTESTPD Y15, Y15")
	}
	w.emit("JZ last")
	w.emit("VPSRLQ $52, %s, %s", q, t)
	w.emit("VPSUBQ %s, %s, %s", w.quad("dTwenty", 20), t, t)
	w.emit("VPSLLQ $52, %s, %s", t, t)
	w.emit("VMULPD %s, %s, %s", b, t, t)
	w.emit("VDIVPD %s, %s, %s", t, a, q)
	w.emit("%s $11, %s, %s", cut, q, q)
	w.emit("VMOVAPD %s, %s", a, w.reg(5))
	w.emit("VFNMADD231PD %s, %s, %s", q, t, w.reg(5))
	w.chosen(1, 5, 1)
	w.emit("JMP next")
	w.label("last")
	w.emit("%s $11, %s, %s", cut, q, q)
	w.emit("VMOVAPD %s, %s", a, w.reg(5))
	w.emit("VFNMADD231PD %s, %s, %s", q, b, w.reg(5))
	w.choose(lessThan, b, 1, 1, 5)
	w.signDouble(0, 5, 4)
	w.emit("VMOVAPD %s, %s", w.reg(5), w.reg(0))
}
