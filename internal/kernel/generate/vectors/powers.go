// Powers and remainders of package vector.

package vectors

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
	w.Vector(name, "(dst, x, y *float32, n, stepX, stepY int)",
		"is "+name+"Generic for n a multiple of 16; a step is 1, or 0 for one number.", 48)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ x+8(FP), SI")
	w.Emit("MOVQ y+16(FP), DX")
	w.Emit("MOVQ n+24(FP), CX")
	for i, operand := range []struct{ from, step string }{{"SI", "stepX+32(FP)"}, {"DX", "stepY+40(FP)"}} {
		w.Emit("VMOVSS (%s), X%d", operand.from, 11+i)
		w.Emit("VCVTSS2SD X%d, X%d, X%d", 11+i, 11+i, 11+i)
		w.Emit("VBROADCASTSD X%d, %s", 11+i, w.Reg(11+i))
		w.Emit("MOVQ %s, R%d", operand.step, 8+i)
	}
	w.Label("loop")
	for i, operand := range []struct{ from, skip string }{{"SI", "firstStands"}, {"DX", "secondStands"}} {
		w.Emit("VMOVAPD %s, %s", w.Reg(11+i), w.Reg(6*i))
		w.Emit("TESTQ R%d, R%d", 8+i, 8+i)
		w.Emit("JZ %s", operand.skip)
		w.Emit("VCVTPS2PD (%s), %s", operand.from, w.Reg(6*i))
		w.Emit("ADDQ $%d, %s", w.Size/2, operand.from)
		w.Label(operand.skip)
	}
	body()
	w.storeDoubles("(DI)")
	w.Emit("ADDQ $%d, DI", w.Size/2)
	w.Emit("SUBQ $%d, CX", w.Size/8)
	w.Emit("JGT loop")
	w.End()
}

// power turns register 0 into its power of register 6.
func (w width) power() {
	x, y, r := w.Reg(0), w.Reg(6), w.Reg(5)
	w.magnitude(0, 7)
	w.Emit("VMOVAPD %s, %s", w.Reg(7), r)
	w.logParts(5, 1, 2)
	w.Emit("VADDPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(2), w.Reg(3))
	w.Emit("VSUBPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(2), w.Reg(2))
	w.logOf(1, 2, 3, 4, 5)
	w.logEdges(7, 5, 1)
	w.Emit("VMULPD %s, %s, %s", y, r, r)
	w.cutDouble("VMINPD", 5, 1, "dHighest", 300)
	w.cutDouble("VMAXPD", 5, 1, "dLowest", -300)
	w.expDouble(5, 1, 2, 3)
	w.rounded(6, 1)
	w.Emit("VMULPD %s, %s, %s", w.Double("dHalf", 0.5), y, w.Reg(2))
	w.rounded(2, 3)
	// Negative numbers to the power of fractions.
	w.Emit("VMOVUPD %s, %s", w.Double("dNaN", math.NaN()), w.Reg(4))
	w.mask(notEqual, y, 1, 1)
	w.mask(lessThan, w.Double("dZero", 0), 0, 2)
	w.both(1, 2)
	w.mask(atMost, w.Double("dMost32", math.MaxFloat32), 7, 2)
	w.both(1, 2)
	w.chosen(1, 4, 5)
	// The sign of odd powers.
	w.Emit("VANDPD %s, %s, %s", w.Quad("dSign", 1<<63), x, w.Reg(4))
	w.Emit("VXORPD %s, %s, %s", r, w.Reg(4), w.Reg(4))
	w.mask(equal, y, 1, 1)
	w.mask(notEqual, w.Reg(3), 2, 2)
	w.both(1, 2)
	w.chosen(1, 4, 5)
	w.Emit("VMULPD %s, %s, %s", x, x, w.Reg(4))
	w.choose(equal, w.Double("dTwo", 2), 6, 4, 5)
	// The constant 1.
	w.Emit("VMOVUPD %s, %s", w.Double("dUnit", 1), w.Reg(4))
	w.choose(equal, w.Reg(4), 0, 4, 5)
	w.choose(equal, w.Double("dZero", 0), 6, 4, 5)
	w.magnitude(6, 1)
	w.mask(moreThan, w.Double("dMost32", math.MaxFloat32), 1, 1)
	w.mask(equal, w.Reg(4), 7, 2)
	w.both(1, 2)
	w.chosen(1, 4, 5)
	w.Emit("VMOVAPD %s, %s", r, x)
}

// rounded sets y to the integer nearest to x.
func (w width) rounded(x, y int) {
	w.Emit("%s $8, %s, %s", map[string]string{"Z": "VRNDSCALEPD", "Y": "VROUNDPD"}[w.R], w.Reg(x), w.Reg(y))
}

// remainder turns register 0 into its remainder by register 6. While a quotient is too large to be cut exactly, it
// subtracts the divisor times the power of two that makes the quotient less than 2²¹.
func (w width) remainder() {
	a, b, q, t := w.Reg(1), w.Reg(2), w.Reg(3), w.Reg(4)
	cut := map[string]string{"Z": "VRNDSCALEPD", "Y": "VROUNDPD"}[w.R]
	w.magnitude(0, 1)
	w.magnitude(6, 2)
	w.Label("next")
	w.Emit("VDIVPD %s, %s, %s", b, a, q)
	w.mask(atLeast, w.Double("dFarthestQuotient", farthest), 3, 1)
	w.mask(atMost, w.Double("dMost64", math.MaxFloat64), 3, 2)
	w.both(1, 2)
	if w.R == "Z" {
		w.Emit("KTESTB K1, K1")
	} else {
		w.Emit("VTESTPD Y15, Y15")
	}
	w.Emit("JZ last")
	w.Emit("VPSRLQ $52, %s, %s", q, t)
	w.Emit("VPSUBQ %s, %s, %s", w.Quad("dTwenty", 20), t, t)
	w.Emit("VPSLLQ $52, %s, %s", t, t)
	w.Emit("VMULPD %s, %s, %s", b, t, t)
	w.Emit("VDIVPD %s, %s, %s", t, a, q)
	w.Emit("%s $11, %s, %s", cut, q, q)
	w.Emit("VMOVAPD %s, %s", a, w.Reg(5))
	w.Emit("VFNMADD231PD %s, %s, %s", q, t, w.Reg(5))
	w.chosen(1, 5, 1)
	w.Emit("JMP next")
	w.Label("last")
	w.Emit("%s $11, %s, %s", cut, q, q)
	w.Emit("VMOVAPD %s, %s", a, w.Reg(5))
	w.Emit("VFNMADD231PD %s, %s, %s", q, b, w.Reg(5))
	w.choose(lessThan, b, 1, 1, 5)
	w.signDouble(0, 5, 4)
	w.Emit("VMOVAPD %s, %s", w.Reg(5), w.Reg(0))
}
