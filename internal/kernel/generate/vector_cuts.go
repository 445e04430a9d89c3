// Cuts of single elements, of package vector.

package main

// cuts writes the functions of one element that are made of lines.
func (w width) cuts() {
	w.between("clip", "low", "high", func() {
		// The second operand stays where one is NaN, and of equals.
		w.emit("VMAXPS %s, %s, %s", w.reg(0), w.reg(13), w.reg(0))
		w.emit("VMINPS %s, %s, %s", w.reg(0), w.reg(14), w.reg(0))
	})
	w.between("hardSigmoid", "slope", "shift", func() {
		w.emit("VMULPS %s, %s, %s", w.reg(13), w.reg(0), w.reg(0))
		w.emit("VADDPS %s, %s, %s", w.reg(14), w.reg(0), w.reg(0))
		w.unitCut(0)
	})
	w.between("hardSwish", "six", "half", func() {
		w.emit("VDIVPS %s, %s, %s", w.reg(13), w.reg(0), w.reg(1))
		w.emit("VADDPS %s, %s, %s", w.reg(14), w.reg(1), w.reg(1))
		w.unitCut(1)
		w.emit("VMULPS %s, %s, %s", w.reg(1), w.reg(0), w.reg(0))
	})
}

// bends writes the functions that are another one below zero.
func (w width) bends() {
	w.between("leaky", "slope", "one", func() {
		w.emit("VMULPS %s, %s, %s", w.reg(13), w.reg(0), w.reg(1))
		w.emit("VMULPS %s, %s, %s", w.reg(14), w.reg(0), w.reg(2))
		w.below(0, 1, 2)
		w.emit("VMOVAPS %s, %s", w.reg(2), w.reg(0))
	})
	w.between("elu", "low", "high", func() {
		w.emit("VMOVAPS %s, %s", w.reg(0), w.reg(4))
		w.bound("VMINPS", 0, 1, "nothing", 0)
		w.emit("VMOVAPS %s, %s", w.reg(0), w.reg(5))
		w.exp(0, 1, 2, 3)
		w.emit("VSUBPS %s, %s, %s", w.constant("unit", 1), w.reg(0), w.reg(0))
		// Without the 1 near zero, where it would cancel.
		w.polynomial("e", expTerms, 5, 3)
		w.emit("VMULPS %s, %s, %s", w.reg(5), w.reg(5), w.reg(2))
		w.emit("VFMADD213PS %s, %s, %s", w.reg(5), w.reg(2), w.reg(3))
		w.where("minusThird", -0.34, 5, 3, 0)
		w.emit("VMULPS %s, %s, %s", w.reg(13), w.reg(0), w.reg(1))
		w.emit("VMULPS %s, %s, %s", w.reg(14), w.reg(4), w.reg(2))
		w.below(4, 1, 2)
		w.emit("VMOVAPS %s, %s", w.reg(2), w.reg(0))
	})
}

// thresholds writes the functions that zero small values, and of signs.
func (w width) thresholds() {
	w.between("thresholded", "bound", "other", func() {
		w.emit("VMOVAPS %s, %s", w.reg(14), w.reg(1))
		w.pick(moreThan, w.reg(13), 0, 0, 1)
		w.emit("VMOVAPS %s, %s", w.reg(1), w.reg(0))
	})
	w.between("shrink", "bound", "shift", func() {
		w.emit("VXORPS %s, %s, %s", w.integer("signs", 0x80000000), w.reg(13), w.reg(4))
		w.emit("VSUBPS %s, %s, %s", w.reg(14), w.reg(0), w.reg(1))
		w.emit("VADDPS %s, %s, %s", w.reg(14), w.reg(0), w.reg(2))
		w.emit("VMOVAPS %s, %s", w.reg(12), w.reg(3))
		w.pick(moreThan, w.reg(13), 0, 1, 3)
		w.pick(lessThan, w.reg(4), 0, 2, 3)
		w.emit("VMOVAPS %s, %s", w.reg(3), w.reg(0))
	})
	w.unary("softsign", func() {
		w.emit("VANDPS %s, %s, %s", w.integer("magnitudes", 0x7fffffff), w.reg(4), w.reg(0))
		w.emit("VADDPS %s, %s, %s", w.constant("unit", 1), w.reg(0), w.reg(0))
		w.emit("VDIVPS %s, %s, %s", w.reg(0), w.reg(4), w.reg(0))
	})
	w.unary("signs", func() {
		w.emit("VMOVAPS %s, %s", w.reg(4), w.reg(0))
		w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(1))
		w.pick(moreThan, w.reg(12), 4, 1, 0)
		w.emit("VMOVUPS %s, %s", w.constant("minusUnit", -1), w.reg(1))
		w.pick(lessThan, w.reg(12), 4, 1, 0)
	})
}

// pick overwrites y with x where register v compares so with an operand.
func (w width) pick(predicate int, operand string, v, x, y int) {
	if w.r == "Z" {
		w.emit("VCMPPS $%#x, %s, %s, K1", predicate, operand, w.reg(v))
		w.emit("VBLENDMPS %s, %s, K1, %s", w.reg(x), w.reg(y), w.reg(y))
		return
	}
	w.emit("VCMPPS $%#x, %s, %s, %s", predicate, operand, w.reg(v), w.reg(15))
	w.emit("VBLENDVPS %s, %s, %s, %s", w.reg(15), w.reg(x), w.reg(y), w.reg(y))
}

// below overwrites y with x where register v is less than the zero in register 12.
func (w width) below(v, x, y int) {
	if w.r == "Z" {
		w.emit("VCMPPS $1, %s, %s, K1", w.reg(12), w.reg(v))
		w.emit("VBLENDMPS %s, %s, K1, %s", w.reg(x), w.reg(y), w.reg(y))
		return
	}
	w.emit("VCMPPS $1, %s, %s, %s", w.reg(12), w.reg(v), w.reg(15))
	w.emit("VBLENDVPS %s, %s, %s, %s", w.reg(15), w.reg(x), w.reg(y), w.reg(y))
}

// unitCut cuts a register to 0 … 1; a NaN stays.
func (w width) unitCut(i int) {
	w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(2))
	w.emit("VMINPS %s, %s, %s", w.reg(i), w.reg(2), w.reg(i))
	w.emit("VMAXPS %s, %s, %s", w.reg(i), w.reg(12), w.reg(i))
}

// between writes a function of each element in register 0 with numbers in registers 13 and 14, and 0 in 12.
func (w width) between(name, first, second string, body func()) {
	w.vector(name, "(dst, src *float32, n int, "+first+", "+second+" float32)",
		"is "+name+"Generic for n a multiple of 16.", 32)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ n+16(FP), CX")
	w.emit("VBROADCASTSS %s+24(FP), %s", first, w.reg(13))
	w.emit("VBROADCASTSS %s+28(FP), %s", second, w.reg(14))
	w.emit("%s", w.zero(12))
	w.label("loop")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(SI), %s", p*w.bytes, w.reg(0))
		body()
		w.emit("VMOVUPS %s, %d(DI)", w.reg(0), p*w.bytes)
	}
	w.emit("ADDQ $64, SI")
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT loop")
	w.end()
}
