// Cuts of single elements, of package vector.

package vectors

// cuts writes the functions of one element that are made of lines.
func (w width) cuts() {
	w.between("clip", "low", "high", func() {
		// The second operand stays where one is NaN, and of equals.
		w.Emit("VMAXPS %s, %s, %s", w.Reg(0), w.Reg(13), w.Reg(0))
		w.Emit("VMINPS %s, %s, %s", w.Reg(0), w.Reg(14), w.Reg(0))
	})
	w.between("hardSigmoid", "slope", "shift", func() {
		w.Emit("VMULPS %s, %s, %s", w.Reg(13), w.Reg(0), w.Reg(0))
		w.Emit("VADDPS %s, %s, %s", w.Reg(14), w.Reg(0), w.Reg(0))
		w.unitCut(0)
	})
	w.between("hardSwish", "six", "half", func() {
		w.Emit("VDIVPS %s, %s, %s", w.Reg(13), w.Reg(0), w.Reg(1))
		w.Emit("VADDPS %s, %s, %s", w.Reg(14), w.Reg(1), w.Reg(1))
		w.unitCut(1)
		w.Emit("VMULPS %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(0))
	})
}

// bends writes the functions that are another one below zero.
func (w width) bends() {
	w.between("leaky", "slope", "one", func() {
		w.Emit("VMULPS %s, %s, %s", w.Reg(13), w.Reg(0), w.Reg(1))
		w.Emit("VMULPS %s, %s, %s", w.Reg(14), w.Reg(0), w.Reg(2))
		w.below(0, 1, 2)
		w.Emit("VMOVAPS %s, %s", w.Reg(2), w.Reg(0))
	})
	w.between("elu", "low", "high", func() {
		w.Emit("VMOVAPS %s, %s", w.Reg(0), w.Reg(4))
		w.bound("VMINPS", 0, 1, "nothing", 0)
		w.Emit("VMOVAPS %s, %s", w.Reg(0), w.Reg(5))
		w.exp(0, 1, 2, 3)
		w.Emit("VSUBPS %s, %s, %s", w.Constant("unit", 1), w.Reg(0), w.Reg(0))
		// Without the 1 near zero, where it would cancel.
		w.polynomial("e", expTerms, 5, 3)
		w.Emit("VMULPS %s, %s, %s", w.Reg(5), w.Reg(5), w.Reg(2))
		w.Emit("VFMADD213PS %s, %s, %s", w.Reg(5), w.Reg(2), w.Reg(3))
		w.where("minusThird", -0.34, 5, 3, 0)
		w.Emit("VMULPS %s, %s, %s", w.Reg(13), w.Reg(0), w.Reg(1))
		w.Emit("VMULPS %s, %s, %s", w.Reg(14), w.Reg(4), w.Reg(2))
		w.below(4, 1, 2)
		w.Emit("VMOVAPS %s, %s", w.Reg(2), w.Reg(0))
	})
}

// thresholds writes the functions that zero small values, and of signs.
func (w width) thresholds() {
	w.between("thresholded", "bound", "other", func() {
		w.Emit("VMOVAPS %s, %s", w.Reg(14), w.Reg(1))
		w.pick(moreThan, w.Reg(13), 0, 0, 1)
		w.Emit("VMOVAPS %s, %s", w.Reg(1), w.Reg(0))
	})
	w.between("shrink", "bound", "shift", func() {
		w.Emit("VXORPS %s, %s, %s", w.Integer("signs", 0x80000000), w.Reg(13), w.Reg(4))
		w.Emit("VSUBPS %s, %s, %s", w.Reg(14), w.Reg(0), w.Reg(1))
		w.Emit("VADDPS %s, %s, %s", w.Reg(14), w.Reg(0), w.Reg(2))
		w.Emit("VMOVAPS %s, %s", w.Reg(12), w.Reg(3))
		w.pick(moreThan, w.Reg(13), 0, 1, 3)
		w.pick(lessThan, w.Reg(4), 0, 2, 3)
		w.Emit("VMOVAPS %s, %s", w.Reg(3), w.Reg(0))
	})
	w.unary("softsign", func() {
		w.Emit("VANDPS %s, %s, %s", w.Integer("magnitudes", 0x7fffffff), w.Reg(4), w.Reg(0))
		w.Emit("VADDPS %s, %s, %s", w.Constant("unit", 1), w.Reg(0), w.Reg(0))
		w.Emit("VDIVPS %s, %s, %s", w.Reg(0), w.Reg(4), w.Reg(0))
	})
	w.unary("signs", func() {
		w.Emit("VMOVAPS %s, %s", w.Reg(4), w.Reg(0))
		w.Emit("VMOVUPS %s, %s", w.Constant("unit", 1), w.Reg(1))
		w.pick(moreThan, w.Reg(12), 4, 1, 0)
		w.Emit("VMOVUPS %s, %s", w.Constant("minusUnit", -1), w.Reg(1))
		w.pick(lessThan, w.Reg(12), 4, 1, 0)
	})
}

// pick overwrites y with x where register v compares so with an operand.
func (w width) pick(predicate int, operand string, v, x, y int) {
	if w.R == "Z" {
		w.Emit("VCMPPS $%#x, %s, %s, K1", predicate, operand, w.Reg(v))
		w.Emit("VBLENDMPS %s, %s, K1, %s", w.Reg(x), w.Reg(y), w.Reg(y))
		return
	}
	w.Emit("VCMPPS $%#x, %s, %s, %s", predicate, operand, w.Reg(v), w.Reg(15))
	w.Emit("VBLENDVPS %s, %s, %s, %s", w.Reg(15), w.Reg(x), w.Reg(y), w.Reg(y))
}

// below overwrites y with x where register v is less than the zero in register 12.
func (w width) below(v, x, y int) {
	if w.R == "Z" {
		w.Emit("VCMPPS $1, %s, %s, K1", w.Reg(12), w.Reg(v))
		w.Emit("VBLENDMPS %s, %s, K1, %s", w.Reg(x), w.Reg(y), w.Reg(y))
		return
	}
	w.Emit("VCMPPS $1, %s, %s, %s", w.Reg(12), w.Reg(v), w.Reg(15))
	w.Emit("VBLENDVPS %s, %s, %s, %s", w.Reg(15), w.Reg(x), w.Reg(y), w.Reg(y))
}

// unitCut cuts a register to 0 … 1; a NaN stays.
func (w width) unitCut(i int) {
	w.Emit("VMOVUPS %s, %s", w.Constant("unit", 1), w.Reg(2))
	w.Emit("VMINPS %s, %s, %s", w.Reg(i), w.Reg(2), w.Reg(i))
	w.Emit("VMAXPS %s, %s, %s", w.Reg(i), w.Reg(12), w.Reg(i))
}

// between writes a function of each element in register 0 with numbers in registers 13 and 14, and 0 in 12.
func (w width) between(name, first, second string, body func()) {
	w.Vector(name, "(dst, src *float32, n int, "+first+", "+second+" float32)",
		"is "+name+"Generic for n a multiple of 16.", 32)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ n+16(FP), CX")
	w.Emit("VBROADCASTSS %s+24(FP), %s", first, w.Reg(13))
	w.Emit("VBROADCASTSS %s+28(FP), %s", second, w.Reg(14))
	w.Emit("%s", w.Zero(12))
	w.each(0, body)
}
