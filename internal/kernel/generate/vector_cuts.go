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

// unitCut cuts a register to 0 … 1; a NaN stays.
func (w width) unitCut(i int) {
	w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(2))
	w.emit("VMINPS %s, %s, %s", w.reg(i), w.reg(2), w.reg(i))
	w.emit("VMAXPS %s, %s, %s", w.reg(i), w.reg(12), w.reg(i))
}

// between writes a function of each element in register 0 with numbers in registers 13 and 14, and 0 in 12.
func (w width) between(name, first, second string, body func()) {
	w.vector(name, "(dst, src *float32, n int, "+first+", "+second+" float32)", "is "+name+"Generic for n a multiple of 16.", 32)
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
