// Softmax of rows, and its parts, of package vector.

package main

// softmax writes the exponentials of a row and their sum.
func (w width) softmax() {
	w.vector("softmaxRow", "(x *float32, n int, scale float32) float32",
		"is softmaxRowGeneric for n a multiple of 16.", 28)
	w.emit("MOVQ x+0(FP), SI")
	w.emit("MOVQ n+8(FP), CX")
	w.emit("VBROADCASTSS scale+16(FP), %s", w.reg(15))
	w.emit("MOVQ SI, DI")
	w.emit("MOVQ CX, DX")
	for p := range w.parts() {
		w.emit("VMOVUPS %s, %s", w.integer("infinity", 0xff800000), w.reg(p))
	}
	w.label("top")
	for p := range w.parts() {
		w.emit("VMULPS %d(DI), %s, %s", p*w.bytes, w.reg(15), w.reg(4))
		w.emit("VMOVUPS %s, %d(DI)", w.reg(4), p*w.bytes)
		w.emit("VMAXPS %s, %s, %s", w.reg(4), w.reg(p), w.reg(p))
	}
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, DX")
	w.emit("JGT top")
	if w.parts() == 2 {
		w.emit("VMAXPS %s, %s, %s", w.reg(1), w.reg(0), w.reg(0))
	}
	w.fold("VMAXPS", "S", 0, 1)
	w.emit("VBROADCASTSS X0, %s", w.reg(15))
	for p := range w.parts() {
		w.emit("%s", w.zero(10+p))
	}
	w.label("power")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(SI), %s", p*w.bytes, w.reg(0))
		w.emit("VSUBPS %s, %s, %s", w.reg(15), w.reg(0), w.reg(0))
		w.exp(0, 1, 2, 3)
		w.emit("VMOVUPS %s, %d(SI)", w.reg(0), p*w.bytes)
		w.emit("VADDPS %s, %s, %s", w.reg(0), w.reg(10+p), w.reg(10+p))
	}
	w.emit("ADDQ $64, SI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT power")
	if w.parts() == 2 {
		w.emit("VADDPS %s, %s, %s", w.reg(11), w.reg(10), w.reg(10))
	}
	w.fold("VADDPS", "S", 10, 1)
	w.emit("VMOVSS X10, ret+24(FP)")
	w.end()
}

// normalizedRows writes the softmax of rows of any length, the sums for its logarithm, and the subtraction of the
// logarithm.
func (w width) normalizedRows() {
	w.softmaxRows()
	w.exponentialSums()
	w.lowerRows()
}

// eachRow writes the loop over the rows R12 of R11 bytes, which begin at SI and DI. A pass over a row has its
// elements at AX behind.
func (w width) eachRow(source, n, rows string, body func()) {
	w.emit("MOVQ %s, SI", source)
	w.emit("MOVQ %s, BX", n)
	w.emit("MOVQ BX, R10")
	w.emit("MOVQ BX, R11")
	w.emit("ANDQ $15, BX")
	w.emit("ANDQ $~15, R10")
	w.emit("SHLQ $2, R10")
	w.emit("SHLQ $2, R11")
	w.emit("MOVQ %s, R12", rows)
	w.masks()
	w.emit("VMOVUPS %s, %s", w.integer("infinity", 0xff800000), w.reg(12))
	w.label("row")
	body()
	w.emit("ADDQ R11, SI")
	w.emit("ADDQ R11, DI")
	w.emit("DECQ R12")
	w.emit("JNZ row")
	w.end()
}

// pass writes a loop over the elements of a row, sixteen at a time and then the rest.
func (w width) pass(name string, body func(p int, last bool)) {
	w.emit("XORQ AX, AX")
	w.emit("TESTQ R10, R10")
	w.emit("JEQ %sRest", name)
	w.label(name)
	for p := range w.parts() {
		body(p, false)
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, R10")
	w.emit("JLT %s", name)
	w.label(name + "Rest")
	w.emit("TESTQ BX, BX")
	w.emit("JEQ %sDone", name)
	for p := range w.parts() {
		body(p, true)
	}
	w.label(name + "Done")
}

// element reads part p of sixteen elements into a register; missing ones are −Inf.
func (w width) element(address string, p, to int, last bool) {
	switch {
	case !last:
		w.emit("VMOVUPS %d(%s)(AX*1), %s", p*w.bytes, address, w.reg(to))
	case w.r == "Z":
		w.emit("VMOVAPS Z12, %s", w.reg(to))
		w.emit("VMOVUPS (%s)(AX*1), K4, %s", address, w.reg(to))
	default:
		w.emit("VMASKMOVPS %d(%s)(AX*1), Y%d, Y%d", p*w.bytes, address, 14+p, to)
		w.emit("VBLENDVPS Y%d, Y%d, Y12, Y%d", 14+p, to, to)
	}
}

// keep writes the elements read by element.
func (w width) keep(from, p int, last bool) {
	switch {
	case !last:
		w.emit("VMOVUPS %s, %d(DI)(AX*1)", w.reg(from), p*w.bytes)
	case w.r == "Z":
		w.emit("VMOVUPS %s, K4, (DI)(AX*1)", w.reg(from))
	default:
		w.emit("VMASKMOVPS Y%d, Y%d, %d(DI)(AX*1)", from, 14+p, p*w.bytes)
	}
}

// rowPowers sets register 13 to the greatest element of a row and X10 to the sum of the exponentials of the elements
// less it, which store takes.
func (w width) rowPowers(store func(p int, last bool)) {
	for p := range w.parts() {
		w.emit("VMOVAPS %s, %s", w.reg(12), w.reg(4+p))
		w.emit("%s", w.zero(10+p))
	}
	w.pass("top", func(p int, last bool) {
		w.element("SI", p, 6, last)
		w.emit("VMAXPS %s, %s, %s", w.reg(6), w.reg(4+p), w.reg(4+p))
	})
	if w.parts() == 2 {
		w.emit("VMAXPS %s, %s, %s", w.reg(5), w.reg(4), w.reg(4))
	}
	w.fold("VMAXPS", "S", 4, 6)
	w.emit("VBROADCASTSS X4, %s", w.reg(13))
	w.pass("power", func(p int, last bool) {
		w.element("SI", p, 0, last)
		w.emit("VSUBPS %s, %s, %s", w.reg(13), w.reg(0), w.reg(0))
		w.exp(0, 1, 2, 3)
		store(p, last)
		w.emit("VADDPS %s, %s, %s", w.reg(0), w.reg(10+p), w.reg(10+p))
	})
	if w.parts() == 2 {
		w.emit("VADDPS %s, %s, %s", w.reg(11), w.reg(10), w.reg(10))
	}
	w.fold("VADDPS", "S", 10, 6)
}

func (w width) softmaxRows() {
	w.vector("softmaxRows", "(dst, src *float32, n, rows int)",
		"is softmaxRowsGeneric for at least one row and element.", 32)
	w.emit("MOVQ dst+0(FP), DI")
	w.eachRow("src+8(FP)", "n+16(FP)", "rows+24(FP)", func() {
		w.rowPowers(func(p int, last bool) { w.keep(0, p, last) })
		w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(4))
		w.emit("VDIVSS X10, X4, X4")
		w.emit("VBROADCASTSS X4, %s", w.reg(13))
		w.pass("factor", func(p int, last bool) {
			w.element("DI", p, 0, last)
			w.emit("VMULPS %s, %s, %s", w.reg(13), w.reg(0), w.reg(0))
			w.keep(0, p, last)
		})
	})
}

func (w width) exponentialSums() {
	w.vector("exponentialSums", "(tops, sums, src *float32, n, rows int)",
		"is exponentialSumsGeneric for at least one row and element.", 40)
	w.emit("MOVQ tops+0(FP), R8")
	w.emit("MOVQ sums+8(FP), R9")
	w.eachRow("src+16(FP)", "n+24(FP)", "rows+32(FP)", func() {
		w.rowPowers(func(int, bool) {})
		w.emit("VMOVSS X13, (R8)")
		w.emit("VMOVSS X10, (R9)")
		w.emit("ADDQ $4, R8")
		w.emit("ADDQ $4, R9")
	})
}

func (w width) lowerRows() {
	w.vector("lowerRows", "(dst, src, first, second *float32, n, rows int)",
		"is lowerRowsGeneric for at least one row and element.", 48)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ first+16(FP), R8")
	w.emit("MOVQ second+24(FP), R9")
	w.eachRow("src+8(FP)", "n+32(FP)", "rows+40(FP)", func() {
		w.emit("VBROADCASTSS (R8), %s", w.reg(10))
		w.emit("VBROADCASTSS (R9), %s", w.reg(11))
		w.pass("lower", func(p int, last bool) {
			w.element("SI", p, 0, last)
			w.emit("VSUBPS %s, %s, %s", w.reg(10), w.reg(0), w.reg(0))
			w.emit("VSUBPS %s, %s, %s", w.reg(11), w.reg(0), w.reg(0))
			w.keep(0, p, last)
		})
		w.emit("ADDQ $4, R8")
		w.emit("ADDQ $4, R9")
	})
}
