// Softmax of rows, and its parts, of package vector.

package vectors

// softmax writes the exponentials of a row and their sum.
func (w width) softmax() {
	w.Vector("softmaxRow", "(x *float32, n int, scale float32) float32",
		"is softmaxRowGeneric for n a multiple of 16.", 28)
	w.Emit("MOVQ x+0(FP), SI")
	w.Emit("MOVQ n+8(FP), CX")
	w.Emit("VBROADCASTSS scale+16(FP), %s", w.Reg(15))
	w.Emit("MOVQ SI, DI")
	w.Emit("MOVQ CX, DX")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %s, %s", w.Integer("infinity", 0xff800000), w.Reg(p))
	}
	w.Label("top")
	for p := range w.Parts() {
		w.Emit("VMULPS %d(DI), %s, %s", p*w.Size, w.Reg(15), w.Reg(4))
		w.Emit("VMOVUPS %s, %d(DI)", w.Reg(4), p*w.Size)
		w.Emit("VMAXPS %s, %s, %s", w.Reg(4), w.Reg(p), w.Reg(p))
	}
	w.Emit("ADDQ $64, DI")
	w.Emit("SUBQ $16, DX")
	w.Emit("JGT top")
	if w.Parts() == 2 {
		w.Emit("VMAXPS %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(0))
	}
	w.Fold("VMAXPS", "S", 0, 1)
	w.Emit("VBROADCASTSS X0, %s", w.Reg(15))
	for p := range w.Parts() {
		w.Emit("%s", w.Zero(10+p))
	}
	w.Label("power")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %d(SI), %s", p*w.Size, w.Reg(0))
		w.Emit("VSUBPS %s, %s, %s", w.Reg(15), w.Reg(0), w.Reg(0))
		w.exp(0, 1, 2, 3)
		w.Emit("VMOVUPS %s, %d(SI)", w.Reg(0), p*w.Size)
		w.Emit("VADDPS %s, %s, %s", w.Reg(0), w.Reg(10+p), w.Reg(10+p))
	}
	w.Emit("ADDQ $64, SI")
	w.Emit("SUBQ $16, CX")
	w.Emit("JGT power")
	if w.Parts() == 2 {
		w.Emit("VADDPS %s, %s, %s", w.Reg(11), w.Reg(10), w.Reg(10))
	}
	w.Fold("VADDPS", "S", 10, 1)
	w.Emit("VMOVSS X10, ret+24(FP)")
	w.End()
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
	w.Emit("MOVQ %s, SI", source)
	w.Emit("MOVQ %s, BX", n)
	w.Emit("MOVQ BX, R10")
	w.Emit("MOVQ BX, R11")
	w.Emit("ANDQ $15, BX")
	w.Emit("ANDQ $~15, R10")
	w.Emit("SHLQ $2, R10")
	w.Emit("SHLQ $2, R11")
	w.Emit("MOVQ %s, R12", rows)
	w.masks()
	w.Emit("VMOVUPS %s, %s", w.Integer("infinity", 0xff800000), w.Reg(12))
	w.Label("row")
	body()
	w.Emit("ADDQ R11, SI")
	w.Emit("ADDQ R11, DI")
	w.Emit("DECQ R12")
	w.Emit("JNZ row")
	w.End()
}

// pass writes a loop over the elements of a row, sixteen at a time and then the rest.
func (w width) pass(name string, body func(p int, last bool)) {
	w.Emit("XORQ AX, AX")
	w.Emit("TESTQ R10, R10")
	w.Emit("JEQ %sRest", name)
	w.Label(name)
	for p := range w.Parts() {
		body(p, false)
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, R10")
	w.Emit("JLT %s", name)
	w.Label(name + "Rest")
	w.Emit("TESTQ BX, BX")
	w.Emit("JEQ %sDone", name)
	for p := range w.Parts() {
		body(p, true)
	}
	w.Label(name + "Done")
}

// element reads part p of sixteen elements into a register; missing ones are −Inf.
func (w width) element(address string, p, to int, last bool) {
	switch {
	case !last:
		w.Emit("VMOVUPS %d(%s)(AX*1), %s", p*w.Size, address, w.Reg(to))
	case w.R == "Z":
		w.Emit("VMOVAPS Z12, %s", w.Reg(to))
		w.Emit("VMOVUPS (%s)(AX*1), K4, %s", address, w.Reg(to))
	default:
		w.Emit("VMASKMOVPS %d(%s)(AX*1), Y%d, Y%d", p*w.Size, address, 14+p, to)
		w.Emit("VBLENDVPS Y%d, Y%d, Y12, Y%d", 14+p, to, to)
	}
}

// keep writes the elements read by element.
func (w width) keep(from, p int, last bool) {
	switch {
	case !last:
		w.Emit("VMOVUPS %s, %d(DI)(AX*1)", w.Reg(from), p*w.Size)
	case w.R == "Z":
		w.Emit("VMOVUPS %s, K4, (DI)(AX*1)", w.Reg(from))
	default:
		w.Emit("VMASKMOVPS Y%d, Y%d, %d(DI)(AX*1)", from, 14+p, p*w.Size)
	}
}

// rowPowers sets register 13 to the greatest element of a row and X10 to the sum of the exponentials of the elements
// less it, which store takes.
func (w width) rowPowers(store func(p int, last bool)) {
	for p := range w.Parts() {
		w.Emit("VMOVAPS %s, %s", w.Reg(12), w.Reg(4+p))
		w.Emit("%s", w.Zero(10+p))
	}
	w.pass("top", func(p int, last bool) {
		w.element("SI", p, 6, last)
		w.Emit("VMAXPS %s, %s, %s", w.Reg(6), w.Reg(4+p), w.Reg(4+p))
	})
	if w.Parts() == 2 {
		w.Emit("VMAXPS %s, %s, %s", w.Reg(5), w.Reg(4), w.Reg(4))
	}
	w.Fold("VMAXPS", "S", 4, 6)
	w.Emit("VBROADCASTSS X4, %s", w.Reg(13))
	w.pass("power", func(p int, last bool) {
		w.element("SI", p, 0, last)
		w.Emit("VSUBPS %s, %s, %s", w.Reg(13), w.Reg(0), w.Reg(0))
		w.exp(0, 1, 2, 3)
		store(p, last)
		w.Emit("VADDPS %s, %s, %s", w.Reg(0), w.Reg(10+p), w.Reg(10+p))
	})
	if w.Parts() == 2 {
		w.Emit("VADDPS %s, %s, %s", w.Reg(11), w.Reg(10), w.Reg(10))
	}
	w.Fold("VADDPS", "S", 10, 6)
}

func (w width) softmaxRows() {
	w.Vector("softmaxRows", "(dst, src *float32, n, rows int)",
		"is softmaxRowsGeneric for at least one row and element.", 32)
	w.Emit("MOVQ dst+0(FP), DI")
	w.eachRow("src+8(FP)", "n+16(FP)", "rows+24(FP)", func() {
		w.rowPowers(func(p int, last bool) { w.keep(0, p, last) })
		w.Emit("VMOVUPS %s, %s", w.Constant("unit", 1), w.Reg(4))
		w.Emit("VDIVSS X10, X4, X4")
		w.Emit("VBROADCASTSS X4, %s", w.Reg(13))
		w.pass("factor", func(p int, last bool) {
			w.element("DI", p, 0, last)
			w.Emit("VMULPS %s, %s, %s", w.Reg(13), w.Reg(0), w.Reg(0))
			w.keep(0, p, last)
		})
	})
}

func (w width) exponentialSums() {
	w.Vector("exponentialSums", "(tops, sums, src *float32, n, rows int)",
		"is exponentialSumsGeneric for at least one row and element.", 40)
	w.Emit("MOVQ tops+0(FP), R8")
	w.Emit("MOVQ sums+8(FP), R9")
	w.eachRow("src+16(FP)", "n+24(FP)", "rows+32(FP)", func() {
		w.rowPowers(func(int, bool) {})
		w.Emit("VMOVSS X13, (R8)")
		w.Emit("VMOVSS X10, (R9)")
		w.Emit("ADDQ $4, R8")
		w.Emit("ADDQ $4, R9")
	})
}

func (w width) lowerRows() {
	w.Vector("lowerRows", "(dst, src, first, second *float32, n, rows int)",
		"is lowerRowsGeneric for at least one row and element.", 48)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ first+16(FP), R8")
	w.Emit("MOVQ second+24(FP), R9")
	w.eachRow("src+8(FP)", "n+32(FP)", "rows+40(FP)", func() {
		w.Emit("VBROADCASTSS (R8), %s", w.Reg(10))
		w.Emit("VBROADCASTSS (R9), %s", w.Reg(11))
		w.pass("lower", func(p int, last bool) {
			w.element("SI", p, 0, last)
			w.Emit("VSUBPS %s, %s, %s", w.Reg(10), w.Reg(0), w.Reg(0))
			w.Emit("VSUBPS %s, %s, %s", w.Reg(11), w.Reg(0), w.Reg(0))
			w.keep(0, p, last)
		})
		w.Emit("ADDQ $4, R8")
		w.Emit("ADDQ $4, R9")
	})
}
