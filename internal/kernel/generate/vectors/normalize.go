// The normalization of rows of package vector.

package vectors

// normalizeRows sums in float64: a vector of floats widens to two of doubles.
func (w width) normalizeRows() {
	w.Vector("normalizeRows", "(dst, x, scale, bias *float32, n, rows int, epsilon float64)",
		"is normalizeRowsGeneric with scale and bias for n a multiple of 16.", 56)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ x+8(FP), SI")
	w.Emit("MOVQ scale+16(FP), R8")
	w.Emit("MOVQ bias+24(FP), R9")
	w.Emit("MOVQ n+32(FP), CX")
	w.Emit("MOVQ rows+40(FP), R10")
	w.Emit("SHLQ $2, CX")
	w.Emit("VCVTSI2SDQ n+32(FP), X15, X15")
	w.Emit("MOVQ $0x3ff0000000000000, AX")
	w.Emit("VMOVQ AX, X14")
	w.Label("row")
	w.mean("sum", func(int) {})
	w.Emit("VCVTSD2SS X0, X0, X12")
	w.Emit("VBROADCASTSD X0, %s", w.Reg(13))
	w.mean("deviation", func(i int) {
		w.Emit("VSUBPD %s, %s, %s", w.Reg(13), w.Reg(i), w.Reg(i))
		w.Emit("VMULPD %s, %s, %s", w.Reg(i), w.Reg(i), w.Reg(i))
	})
	w.Emit("VADDSD epsilon+48(FP), X0, X0")
	w.Emit("VSQRTSD X0, X0, X0")
	w.Emit("VDIVSD X0, X14, X0")
	w.Emit("VCVTSD2SS X0, X0, X0")
	w.Emit("VBROADCASTSS X0, %s", w.Reg(11))
	w.Emit("VBROADCASTSS X12, %s", w.Reg(12))
	w.Emit("XORQ AX, AX")
	w.Label("apply")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %d(SI)(AX*1), %s", p*w.Size, w.Reg(p))
		w.Emit("VSUBPS %s, %s, %s", w.Reg(12), w.Reg(p), w.Reg(p))
		w.Emit("VMULPS %s, %s, %s", w.Reg(11), w.Reg(p), w.Reg(p))
		w.Emit("VMULPS %d(R8)(AX*1), %s, %s", p*w.Size, w.Reg(p), w.Reg(p))
		w.Emit("VADDPS %d(R9)(AX*1), %s, %s", p*w.Size, w.Reg(p), w.Reg(p))
		w.Emit("VMOVUPS %s, %d(DI)(AX*1)", w.Reg(p), p*w.Size)
	}
	w.Emit("ADDQ $64, AX")
	w.nextRow()
}

// nextRow ends the loops over the CX bytes of a row and over the R10 rows of SI and DI.
func (w width) nextRow() {
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT apply")
	w.Emit("ADDQ CX, SI")
	w.Emit("ADDQ CX, DI")
	w.Emit("DECQ R10")
	w.Emit("JNZ row")
	w.End()
}

// rootRows divides rows by the root of the mean of their squares.
func (w width) rootRows() {
	w.Vector("rootRows", "(dst, x, scale *float32, n, rows int, epsilon float64)",
		"is rootRowsGeneric with a scale for n a multiple of 16.", 48)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ x+8(FP), SI")
	w.Emit("MOVQ scale+16(FP), R8")
	w.Emit("MOVQ n+24(FP), CX")
	w.Emit("MOVQ rows+32(FP), R10")
	w.Emit("SHLQ $2, CX")
	w.Emit("VCVTSI2SDQ n+24(FP), X15, X15")
	w.Emit("MOVQ $0x3ff0000000000000, AX")
	w.Emit("VMOVQ AX, X14")
	w.Label("row")
	w.mean("square", func(i int) { w.Emit("VMULPD %s, %s, %s", w.Reg(i), w.Reg(i), w.Reg(i)) })
	w.Emit("VADDSD epsilon+40(FP), X0, X0")
	w.Emit("VSQRTSD X0, X0, X0")
	w.Emit("VDIVSD X0, X14, X0")
	w.Emit("VCVTSD2SS X0, X0, X0")
	w.Emit("VBROADCASTSS X0, %s", w.Reg(11))
	w.Emit("XORQ AX, AX")
	w.Label("apply")
	for p := range w.Parts() {
		w.Emit("VMULPS (SI)(AX*1), %s, %s", w.Reg(11), w.Reg(p))
		w.Emit("VMULPS (R8)(AX*1), %s, %s", w.Reg(p), w.Reg(p))
		w.Emit("VMOVUPS %s, (DI)(AX*1)", w.Reg(p))
		w.Emit("ADDQ $%d, AX", w.Size)
	}
	w.nextRow()
}

// deviation writes the sum of squared differences from a number.
func (w width) deviation() {
	w.Vector("deviation", "(x *float32, n int, mean float64) float64",
		"is Σ (x − mean)² in sixteen partial sums for n a multiple of 16.", 32)
	w.Emit("MOVQ x+0(FP), SI")
	w.Emit("MOVQ n+8(FP), CX")
	w.Emit("SHLQ $2, CX")
	w.Emit("VBROADCASTSD mean+16(FP), %s", w.Reg(13))
	w.Emit("MOVQ $0x3ff0000000000000, AX")
	w.Emit("VMOVQ AX, X15")
	w.mean("square", func(i int) {
		w.Emit("VSUBPD %s, %s, %s", w.Reg(13), w.Reg(i), w.Reg(i))
		w.Emit("VMULPD %s, %s, %s", w.Reg(i), w.Reg(i), w.Reg(i))
	})
	w.Emit("VMOVSD X0, ret+24(FP)")
	w.End()
}

// overtake writes comparisons with the extremes so far.
func (w width) overtake() {
	for i, name := range []string{"greater", "greaterOrEqual", "less", "lessOrEqual"} {
		predicate := []int{30, 29, 17, 18}[i] // false with a NaN
		w.Vector(name, "(top, x *float32, index *int32, n int, value int32)",
			"is overtakeGeneric for n a multiple of 16.", 36)
		for i, r := range []string{"DI", "SI", "DX", "CX"} {
			w.Emit("MOVQ %s+%d(FP), %s", []string{"top", "x", "index", "n"}[i], 8*i, r)
		}
		w.Emit("MOVL value+32(FP), AX")
		w.Emit("VMOVD AX, X3")
		w.Emit("VPBROADCASTD X3, %s", w.Reg(3))
		w.Label("loop")
		for p := range w.Parts() {
			offset := p * w.Size
			w.Emit("VMOVUPS %d(DI), %s", offset, w.Reg(0))
			w.Emit("VMOVUPS %d(SI), %s", offset, w.Reg(1))
			if w.R == "Z" {
				w.Emit("VCMPPS $%d, Z0, Z1, K1", predicate)
				w.Emit("VMOVUPS Z1, K1, %d(DI)", offset)
				w.Emit("VMOVDQU32 Z3, K1, %d(DX)", offset)
				continue
			}
			w.Emit("VCMPPS $%d, Y0, Y1, Y2", predicate)
			w.Emit("VMASKMOVPS Y1, Y2, %d(DI)", offset)
			w.Emit("VPMASKMOVD Y3, Y2, %d(DX)", offset)
		}
		for _, r := range []string{"DI", "SI", "DX"} {
			w.Emit("ADDQ $64, %s", r)
		}
		w.Emit("SUBQ $16, CX")
		w.Emit("JGT loop")
		w.End()
	}
}

// mean sets X0 to the mean of term over the row at SI, in sixteen running sums.
func (w width) mean(name string, term func(i int)) {
	sums, half := 128/w.Size, w.Size/2
	for i := range sums {
		w.Emit("%s", w.Zero(i))
	}
	w.Emit("XORQ AX, AX")
	w.Label(name)
	for i := range sums {
		w.Emit("VCVTPS2PD %d(SI)(AX*1), %s", i*half, w.Reg(4+i))
		term(4 + i)
		w.Emit("VADDPD %s, %s, %s", w.Reg(4+i), w.Reg(i), w.Reg(i))
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT %s", name)
	for n := sums / 2; n > 0; n /= 2 {
		for i := range n {
			w.Emit("VADDPD %s, %s, %s", w.Reg(i+n), w.Reg(i), w.Reg(i))
		}
	}
	w.Fold("VADDPD", "D", 0, 1)
	w.Emit("VDIVSD X15, X0, X0")
}
