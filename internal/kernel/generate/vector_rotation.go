// Rotary embeddings, of package vector.

package main

import "math"

// rotations writes the rotations of rows whose pairs are the halves of a row, or neighbors.
func (w width) rotations() {
	const signature = "(dst, src, cos, sin *float32, n, rows, stepDst, stepSrc int)"
	w.vector("turnHalves", signature, "is turnHalvesGeneric; n is half the number of rotated elements of a row.", 64)
	w.rotationLoops(true, func(last bool) {
		for p := range w.parts() {
			w.load("(SI)(AX*1)", p, 0, last)
			w.load("(R8)(AX*1)", p, 1, last)
			w.load("(DX)(AX*1)", p, 2, last)
			w.load("(R9)(AX*1)", p, 3, last)
			w.emit("VMULPS %s, %s, %s", w.reg(2), w.reg(0), w.reg(4))
			w.emit("VMULPS %s, %s, %s", w.reg(3), w.reg(1), w.reg(5))
			w.emit("VSUBPS %s, %s, %s", w.reg(5), w.reg(4), w.reg(4))
			w.load("(DX)(R14*1)", p, 2, last)
			w.load("(R9)(R14*1)", p, 3, last)
			w.emit("VMULPS %s, %s, %s", w.reg(2), w.reg(1), w.reg(1))
			w.emit("VMULPS %s, %s, %s", w.reg(3), w.reg(0), w.reg(0))
			w.emit("VADDPS %s, %s, %s", w.reg(0), w.reg(1), w.reg(1))
			w.store("(DI)(AX*1)", p, 4, last)
			w.store("(R11)(AX*1)", p, 1, last)
		}
	})
	w.vector("turnPairs", signature, "is turnPairsGeneric.", 64)
	w.rotationLoops(false, func(last bool) {
		for p := range w.parts() {
			w.load("(SI)(AX*1)", p, 0, last)
			w.load("(DX)(AX*1)", p, 2, last)
			w.load("(R9)(AX*1)", p, 3, last)
			w.emit("VPERMILPS $0xb1, %s, %s", w.reg(0), w.reg(1))
			w.emit("VXORPS %s, %s, %s", w.double("evenSigns", math.Float64frombits(0x80000000)), w.reg(3), w.reg(3))
			w.emit("VMULPS %s, %s, %s", w.reg(2), w.reg(0), w.reg(0))
			w.emit("VMULPS %s, %s, %s", w.reg(3), w.reg(1), w.reg(1))
			w.emit("VADDPS %s, %s, %s", w.reg(1), w.reg(0), w.reg(0))
			w.store("(DI)(AX*1)", p, 0, last)
		}
	})
}

// rotationLoops writes the loops over rows and groups of sixteen of their n elements, at AX, the last of them possibly
// partial: from SI to DI with cosines at DX and sines at R9. For halves, the second ones are at R8 and R11, and their
// cosines and sines at R14.
func (w width) rotationLoops(halves bool, body func(last bool)) {
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ cos+16(FP), DX")
	w.emit("MOVQ sin+24(FP), R9")
	w.emit("MOVQ n+32(FP), R10")
	w.emit("MOVQ R10, BX")
	w.emit("ANDQ $15, BX")
	w.masks()
	w.emit("SHLQ $2, R10")
	w.emit("MOVQ rows+40(FP), R12")
	w.label("row")
	w.emit("XORQ AX, AX")
	if halves {
		w.emit("LEAQ (SI)(R10*1), R8")
		w.emit("LEAQ (DI)(R10*1), R11")
		w.emit("MOVQ R10, R14")
	}
	w.emit("MOVQ R10, CX")
	w.emit("SUBQ $64, CX")
	w.emit("JLT tail")
	advance := func() {
		w.emit("ADDQ $64, AX")
		if halves {
			w.emit("ADDQ $64, R14")
		}
	}
	w.label("group")
	body(false)
	advance()
	w.emit("CMPQ AX, CX")
	w.emit("JLE group")
	w.label("tail")
	w.emit("TESTQ BX, BX")
	w.emit("JEQ next")
	body(true)
	w.label("next")
	w.emit("MOVQ stepDst+48(FP), CX")
	w.emit("LEAQ (DI)(CX*4), DI")
	w.emit("MOVQ stepSrc+56(FP), CX")
	w.emit("LEAQ (SI)(CX*4), SI")
	w.emit("LEAQ (DX)(R10*1), DX")
	w.emit("LEAQ (R9)(R10*1), R9")
	if halves {
		w.emit("LEAQ (DX)(R10*1), DX")
		w.emit("LEAQ (R9)(R10*1), R9")
	}
	w.emit("DECQ R12")
	w.emit("JNZ row")
	w.end()
}
