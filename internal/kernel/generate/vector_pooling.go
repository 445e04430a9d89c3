// Cuts of single elements, and pools over rows of channels, of package vector.

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

// pools writes what pools over windows of rows need.
func (w width) pools() {
	w.vector("maxRows", "(dst, src *float32, offsets *int, positions, n int)",
		"is maxRowsGeneric for n a multiple of 16.", 40)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ n+32(FP), CX")
	w.label("columns")
	for p := range w.parts() {
		w.emit("VMOVUPS %s, %s", w.integer("infinity", 0xff800000), w.reg(p))
	}
	w.emit("MOVQ offsets+16(FP), R8")
	w.emit("MOVQ positions+24(FP), R9")
	w.label("position")
	w.emit("MOVQ (R8), R10")
	w.emit("ADDQ $8, R8")
	for p := range w.parts() {
		// The largest so far stays where one is NaN, and of equals; a new NaN then takes its place.
		w.emit("VMOVUPS %d(SI)(R10*4), %s", p*w.bytes, w.reg(4))
		w.emit("VMAXPS %s, %s, %s", w.reg(p), w.reg(4), w.reg(p))
		if w.r == "Z" {
			w.emit("VCMPPS $3, %[1]s, %[1]s, K1", w.reg(4))
			w.emit("VBLENDMPS %s, %s, K1, %s", w.reg(4), w.reg(p), w.reg(p))
			continue
		}
		w.emit("VCMPPS $3, %[1]s, %[1]s, %[2]s", w.reg(4), w.reg(15))
		w.emit("VBLENDVPS %s, %s, %s, %s", w.reg(15), w.reg(4), w.reg(p), w.reg(p))
	}
	w.emit("DECQ R9")
	w.emit("JNZ position")
	for p := range w.parts() {
		w.emit("VMOVUPS %s, %d(DI)", w.reg(p), p*w.bytes)
	}
	w.emit("ADDQ $64, SI")
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT columns")
	w.end()

	w.vector("sumRows", "(dst, src *float32, offsets *int, positions, n int, count float64)",
		"is sumRowsGeneric for n a multiple of 16.", 48)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ n+32(FP), CX")
	w.emit("VBROADCASTSD count+40(FP), %s", w.reg(14))
	registers := 16 / w.lanes()
	w.label("columns")
	for r := range registers {
		w.emit("%s", w.zero(r))
	}
	w.emit("MOVQ offsets+16(FP), R8")
	w.emit("MOVQ positions+24(FP), R9")
	w.label("position")
	w.emit("MOVQ (R8), R10")
	w.emit("ADDQ $8, R8")
	for r := range registers {
		w.emit("VCVTPS2PD %d(SI)(R10*4), %s", r*w.lanes()*4, w.reg(4+r))
		w.emit("VADDPD %s, %s, %s", w.reg(4+r), w.reg(r), w.reg(r))
	}
	w.emit("DECQ R9")
	w.emit("JNZ position")
	for r := range registers {
		w.emit("VDIVPD %s, %s, %s", w.reg(14), w.reg(r), w.reg(r))
		if w.r == "Z" {
			w.emit("VCVTPD2PS %s, %s", w.reg(r), w.half(r))
			w.emit("VMOVUPS %s, %d(DI)", w.half(r), r*32)
		} else {
			w.emit("VCVTPD2PSY %s, %s", w.reg(r), w.half(r))
			w.emit("VMOVUPS %s, %d(DI)", w.half(r), r*16)
		}
	}
	w.emit("ADDQ $64, SI")
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT columns")
	w.end()
}
