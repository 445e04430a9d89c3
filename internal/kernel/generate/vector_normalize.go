// The normalization of rows of package vector.

package main

// normalizeRows sums in float64: a vector of floats widens to two of doubles.
func (w width) normalizeRows() {
	w.vector("normalizeRows", "(dst, x, scale, bias *float32, n, rows int, epsilon float64)",
		"is normalizeRowsGeneric with scale and bias for n a multiple of 16.", 56)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ x+8(FP), SI")
	w.emit("MOVQ scale+16(FP), R8")
	w.emit("MOVQ bias+24(FP), R9")
	w.emit("MOVQ n+32(FP), CX")
	w.emit("MOVQ rows+40(FP), R10")
	w.emit("SHLQ $2, CX")
	w.emit("VCVTSI2SDQ n+32(FP), X15, X15")
	w.emit("MOVQ $0x3ff0000000000000, AX")
	w.emit("VMOVQ AX, X14")
	w.label("row")
	w.mean("sum", func(int) {})
	w.emit("VCVTSD2SS X0, X0, X12")
	w.emit("VBROADCASTSD X0, %s", w.reg(13))
	w.mean("deviation", func(i int) {
		w.emit("VSUBPD %s, %s, %s", w.reg(13), w.reg(i), w.reg(i))
		w.emit("VMULPD %s, %s, %s", w.reg(i), w.reg(i), w.reg(i))
	})
	w.emit("VADDSD epsilon+48(FP), X0, X0")
	w.emit("VSQRTSD X0, X0, X0")
	w.emit("VDIVSD X0, X14, X0")
	w.emit("VCVTSD2SS X0, X0, X0")
	w.emit("VBROADCASTSS X0, %s", w.reg(11))
	w.emit("VBROADCASTSS X12, %s", w.reg(12))
	w.emit("XORQ AX, AX")
	w.label("apply")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(SI)(AX*1), %s", p*w.bytes, w.reg(p))
		w.emit("VSUBPS %s, %s, %s", w.reg(12), w.reg(p), w.reg(p))
		w.emit("VMULPS %s, %s, %s", w.reg(11), w.reg(p), w.reg(p))
		w.emit("VMULPS %d(R8)(AX*1), %s, %s", p*w.bytes, w.reg(p), w.reg(p))
		w.emit("VADDPS %d(R9)(AX*1), %s, %s", p*w.bytes, w.reg(p), w.reg(p))
		w.emit("VMOVUPS %s, %d(DI)(AX*1)", w.reg(p), p*w.bytes)
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT apply")
	w.emit("ADDQ CX, SI")
	w.emit("ADDQ CX, DI")
	w.emit("DECQ R10")
	w.emit("JNZ row")
	w.end()
}

// rootRows divides rows by the root of the mean of their squares.
func (w width) rootRows() {
	w.vector("rootRows", "(dst, x, scale *float32, n, rows int, epsilon float64)",
		"is rootRowsGeneric with a scale for n a multiple of 16.", 48)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ x+8(FP), SI")
	w.emit("MOVQ scale+16(FP), R8")
	w.emit("MOVQ n+24(FP), CX")
	w.emit("MOVQ rows+32(FP), R10")
	w.emit("SHLQ $2, CX")
	w.emit("VCVTSI2SDQ n+24(FP), X15, X15")
	w.emit("MOVQ $0x3ff0000000000000, AX")
	w.emit("VMOVQ AX, X14")
	w.label("row")
	w.mean("square", func(i int) { w.emit("VMULPD %s, %s, %s", w.reg(i), w.reg(i), w.reg(i)) })
	w.emit("VADDSD epsilon+40(FP), X0, X0")
	w.emit("VSQRTSD X0, X0, X0")
	w.emit("VDIVSD X0, X14, X0")
	w.emit("VCVTSD2SS X0, X0, X0")
	w.emit("VBROADCASTSS X0, %s", w.reg(11))
	w.emit("XORQ AX, AX")
	w.label("apply")
	for p := range w.parts() {
		w.emit("VMULPS (SI)(AX*1), %s, %s", w.reg(11), w.reg(p))
		w.emit("VMULPS (R8)(AX*1), %s, %s", w.reg(p), w.reg(p))
		w.emit("VMOVUPS %s, (DI)(AX*1)", w.reg(p))
		w.emit("ADDQ $%d, AX", w.bytes)
	}
	w.emit("CMPQ AX, CX")
	w.emit("JLT apply")
	w.emit("ADDQ CX, SI")
	w.emit("ADDQ CX, DI")
	w.emit("DECQ R10")
	w.emit("JNZ row")
	w.end()
}

// deviation writes the sum of squared differences from a number.
func (w width) deviation() {
	w.vector("deviation", "(x *float32, n int, mean float64) float64",
		"is Σ (x − mean)² in sixteen partial sums for n a multiple of 16.", 32)
	w.emit("MOVQ x+0(FP), SI")
	w.emit("MOVQ n+8(FP), CX")
	w.emit("SHLQ $2, CX")
	w.emit("VBROADCASTSD mean+16(FP), %s", w.reg(13))
	w.emit("MOVQ $0x3ff0000000000000, AX")
	w.emit("VMOVQ AX, X15")
	w.mean("square", func(i int) {
		w.emit("VSUBPD %s, %s, %s", w.reg(13), w.reg(i), w.reg(i))
		w.emit("VMULPD %s, %s, %s", w.reg(i), w.reg(i), w.reg(i))
	})
	w.emit("VMOVSD X0, ret+24(FP)")
	w.end()
}

// overtake writes comparisons with the extremes so far.
func (w width) overtake() {
	for i, name := range []string{"greater", "greaterOrEqual", "less", "lessOrEqual"} {
		predicate := []int{30, 29, 17, 18}[i] // false with a NaN
		w.vector(name, "(top, x *float32, index *int32, n int, value int32)",
			"is overtakeGeneric for n a multiple of 16.", 36)
		for i, r := range []string{"DI", "SI", "DX", "CX"} {
			w.emit("MOVQ %s+%d(FP), %s", []string{"top", "x", "index", "n"}[i], 8*i, r)
		}
		w.emit("MOVL value+32(FP), AX")
		w.emit("VMOVD AX, X3")
		w.emit("VPBROADCASTD X3, %s", w.reg(3))
		w.label("loop")
		for p := range w.parts() {
			offset := p * w.bytes
			w.emit("VMOVUPS %d(DI), %s", offset, w.reg(0))
			w.emit("VMOVUPS %d(SI), %s", offset, w.reg(1))
			if w.r == "Z" {
				w.emit("VCMPPS $%d, Z0, Z1, K1", predicate)
				w.emit("VMOVUPS Z1, K1, %d(DI)", offset)
				w.emit("VMOVDQU32 Z3, K1, %d(DX)", offset)
				continue
			}
			w.emit("VCMPPS $%d, Y0, Y1, Y2", predicate)
			w.emit("VMASKMOVPS Y1, Y2, %d(DI)", offset)
			w.emit("VPMASKMOVD Y3, Y2, %d(DX)", offset)
		}
		for _, r := range []string{"DI", "SI", "DX"} {
			w.emit("ADDQ $64, %s", r)
		}
		w.emit("SUBQ $16, CX")
		w.emit("JGT loop")
		w.end()
	}
}

// mean sets X0 to the mean of term over the row at SI, in sixteen running sums.
func (w width) mean(name string, term func(i int)) {
	sums, half := 128/w.bytes, w.bytes/2
	for i := range sums {
		w.emit("%s", w.zero(i))
	}
	w.emit("XORQ AX, AX")
	w.label(name)
	for i := range sums {
		w.emit("VCVTPS2PD %d(SI)(AX*1), %s", i*half, w.reg(4+i))
		term(4 + i)
		w.emit("VADDPD %s, %s, %s", w.reg(4+i), w.reg(i), w.reg(i))
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT %s", name)
	for n := sums / 2; n > 0; n /= 2 {
		for i := range n {
			w.emit("VADDPD %s, %s, %s", w.reg(i+n), w.reg(i), w.reg(i))
		}
	}
	w.fold("VADDPD", "D", 0, 1)
	w.emit("VDIVSD X15, X0, X0")
}
