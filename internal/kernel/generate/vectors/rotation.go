// Rotary embeddings, of package vector.

package vectors

import "math"

// rotations writes the rotations of rows whose pairs are the halves of a row, or neighbors.
func (w width) rotations() {
	const signature = "(dst, src, cos, sin *float32, n, rows, stepDst, stepSrc int)"
	w.Vector("turnHalves", signature, "is turnHalvesGeneric; n is half the number of rotated elements of a row.", 64)
	w.rotationLoops(true, func(last bool) {
		for p := range w.Parts() {
			w.load("(SI)(AX*1)", p, 0, last)
			w.load("(R8)(AX*1)", p, 1, last)
			w.load("(DX)(AX*1)", p, 2, last)
			w.load("(R9)(AX*1)", p, 3, last)
			w.Emit("VMULPS %s, %s, %s", w.Reg(2), w.Reg(0), w.Reg(4))
			w.Emit("VMULPS %s, %s, %s", w.Reg(3), w.Reg(1), w.Reg(5))
			w.Emit("VSUBPS %s, %s, %s", w.Reg(5), w.Reg(4), w.Reg(4))
			w.load("(DX)(R14*1)", p, 2, last)
			w.load("(R9)(R14*1)", p, 3, last)
			w.Emit("VMULPS %s, %s, %s", w.Reg(2), w.Reg(1), w.Reg(1))
			w.Emit("VMULPS %s, %s, %s", w.Reg(3), w.Reg(0), w.Reg(0))
			w.Emit("VADDPS %s, %s, %s", w.Reg(0), w.Reg(1), w.Reg(1))
			w.store("(DI)(AX*1)", p, 4, last)
			w.store("(R11)(AX*1)", p, 1, last)
		}
	})
	w.Vector("turnPairs", signature, "is turnPairsGeneric.", 64)
	w.rotationLoops(false, func(last bool) {
		for p := range w.Parts() {
			w.load("(SI)(AX*1)", p, 0, last)
			w.load("(DX)(AX*1)", p, 2, last)
			w.load("(R9)(AX*1)", p, 3, last)
			w.Emit("VPERMILPS $0xb1, %s, %s", w.Reg(0), w.Reg(1))
			w.Emit("VXORPS %s, %s, %s", w.Double("evenSigns", math.Float64frombits(0x80000000)), w.Reg(3), w.Reg(3))
			w.Emit("VMULPS %s, %s, %s", w.Reg(2), w.Reg(0), w.Reg(0))
			w.Emit("VMULPS %s, %s, %s", w.Reg(3), w.Reg(1), w.Reg(1))
			w.Emit("VADDPS %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(0))
			w.store("(DI)(AX*1)", p, 0, last)
		}
	})
}

// rotationLoops writes the loops over rows and groups of sixteen of their n elements, at AX, the last of them possibly
// partial: from SI to DI with cosines at DX and sines at R9. For halves, the second ones are at R8 and R11, and their
// cosines and sines at R14.
func (w width) rotationLoops(halves bool, body func(last bool)) {
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ cos+16(FP), DX")
	w.Emit("MOVQ sin+24(FP), R9")
	w.Emit("MOVQ n+32(FP), R10")
	w.Emit("MOVQ R10, BX")
	w.Emit("ANDQ $15, BX")
	w.masks()
	w.Emit("SHLQ $2, R10")
	w.Emit("MOVQ rows+40(FP), R12")
	w.Label("row")
	w.Emit("XORQ AX, AX")
	if halves {
		w.Emit("LEAQ (SI)(R10*1), R8")
		w.Emit("LEAQ (DI)(R10*1), R11")
		w.Emit("MOVQ R10, R14")
	}
	w.Emit("MOVQ R10, CX")
	w.Emit("SUBQ $64, CX")
	w.Emit("JLT tail")
	advance := func() {
		w.Emit("ADDQ $64, AX")
		if halves {
			w.Emit("ADDQ $64, R14")
		}
	}
	w.Label("group")
	body(false)
	advance()
	w.Emit("CMPQ AX, CX")
	w.Emit("JLE group")
	w.Label("tail")
	w.Emit("TESTQ BX, BX")
	w.Emit("JEQ next")
	body(true)
	w.Label("next")
	w.Emit("MOVQ stepDst+48(FP), CX")
	w.Emit("LEAQ (DI)(CX*4), DI")
	w.Emit("MOVQ stepSrc+56(FP), CX")
	w.Emit("LEAQ (SI)(CX*4), SI")
	w.Emit("LEAQ (DX)(R10*1), DX")
	w.Emit("LEAQ (R9)(R10*1), R9")
	if halves {
		w.Emit("LEAQ (DX)(R10*1), DX")
		w.Emit("LEAQ (R9)(R10*1), R9")
	}
	w.Emit("DECQ R12")
	w.Emit("JNZ row")
	w.End()
}
