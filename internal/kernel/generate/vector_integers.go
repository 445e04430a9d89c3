// Floats that hold integers on their way to products of bytes, and the sums of these on their way back, of package
// vector.

package main

// byteRange finds the least and the greatest element.
func (w width) byteRange() {
	w.vector("byteRange", "(x *float32, n int) (low, high float32)",
		"is byteRangeGeneric for n a multiple of 16, n > 0.", 24)
	w.emit("MOVQ x+0(FP), SI")
	w.emit("MOVQ n+8(FP), CX")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(SI), %s", p*w.bytes, w.reg(p))
		w.emit("VMOVAPS %s, %s", w.reg(p), w.reg(2+p))
	}
	w.label("loop")
	for p := range w.parts() {
		// The second operand stays where one is NaN.
		w.emit("VMOVUPS %d(SI), %s", p*w.bytes, w.reg(4))
		w.emit("VMINPS %s, %s, %s", w.reg(p), w.reg(4), w.reg(p))
		w.emit("VMAXPS %s, %s, %s", w.reg(2+p), w.reg(4), w.reg(2+p))
	}
	w.emit("ADDQ $64, SI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT loop")
	if w.parts() == 2 {
		w.emit("VMINPS %s, %s, %s", w.reg(1), w.reg(0), w.reg(0))
		w.emit("VMAXPS %s, %s, %s", w.reg(3), w.reg(2), w.reg(2))
	}
	w.fold("VMINPS", "S", 0, 5)
	w.fold("VMAXPS", "S", 2, 5)
	w.emit("VMOVSS X0, low+16(FP)")
	w.emit("VMOVSS X2, high+20(FP)")
	w.end()
}

// toBytes converts and subtracts, and records elements that are no integers in range.
func (w width) toBytes() {
	w.vector("toBytes", "(dst *uint8, x *float32, n int, low int32) (wrong uint32)",
		"is toBytesGeneric for n a multiple of 16, n > 0; wrong is not zero if an element is not an integer.", 36)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ x+8(FP), SI")
	w.emit("MOVQ n+16(FP), CX")
	w.emit("VBROADCASTSS low+24(FP), %s", w.reg(8))
	w.emit("XORL AX, AX")
	w.emit(w.zero(9))
	w.label("loop")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(SI), %s", p*w.bytes, w.reg(p))
		w.emit("VCVTTPS2DQ %s, %s", w.reg(p), w.reg(2+p))
		w.emit("VCVTDQ2PS %s, %s", w.reg(2+p), w.reg(4))
		w.emit("VPSUBD %s, %s, %s", w.reg(8), w.reg(2+p), w.reg(2+p))
		if w.r == "Z" {
			w.emit("VCMPPS $4, Z4, Z0, K1") // not equal, or not ordered
			w.emit("KMOVW K1, R8")
			w.emit("ORL R8, AX")
		} else {
			w.emit("VCMPPS $4, %s, %s, %s", w.reg(4), w.reg(p), w.reg(4))
			w.emit("VORPS %s, %s, %s", w.reg(4), w.reg(9), w.reg(9))
		}
	}
	if w.r == "Z" {
		w.emit("VPMOVDB Z2, (DI)")
	} else {
		for p := range w.parts() {
			w.emit("VEXTRACTI128 $1, Y%d, X5", 2+p)
			w.emit("VPACKUSDW X5, X%d, X%d", 2+p, 2+p)
		}
		w.emit("VPACKUSWB X3, X2, X2")
		w.emit("VMOVUPS X2, (DI)")
	}
	w.emit("ADDQ $64, SI")
	w.emit("ADDQ $16, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT loop")
	if w.r == "Y" {
		w.emit("VMOVMSKPS Y9, AX")
	}
	w.emit("MOVL AX, wrong+32(FP)")
	w.end()
}

// widenBytes adds a number to bytes.
func (w width) widenBytes() {
	w.vector("widen", "(dst *float32, src *uint8, n int, low float32)",
		"is widenGeneric for n a multiple of 16, n > 0.", 28)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ n+16(FP), CX")
	w.emit("VBROADCASTSS low+24(FP), %s", w.reg(8))
	w.label("loop")
	for p := range w.parts() {
		w.emit("VPMOVZXBD %d(SI), %s", p*w.bytes/4, w.reg(p))
		w.emit("VCVTDQ2PS %s, %s", w.reg(p), w.reg(p))
		w.emit("VADDPS %s, %s, %s", w.reg(8), w.reg(p), w.reg(p))
		w.emit("VMOVUPS %s, %d(DI)", w.reg(p), p*w.bytes)
	}
	w.emit("ADDQ $16, SI")
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT loop")
	w.end()
}

// lookup reads a table at bytes.
func (w width) lookup() {
	w.vector("lookup", "(dst *float32, src *uint8, n int, table *float32)",
		"is lookupGeneric for n a multiple of 16, n > 0.", 32)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ n+16(FP), CX")
	w.emit("MOVQ table+24(FP), R11")
	w.label("loop")
	for p := range w.parts() {
		w.emit("VPMOVZXBD %d(SI), %s", p*w.bytes/4, w.reg(p))
		if w.r == "Z" {
			w.emit("KXNORW K1, K1, K1")
			w.emit("VGATHERDPS (R11)(%s*4), K1, %s", w.reg(p), w.reg(2+p))
		} else {
			w.emit("VPCMPEQD %s, %s, %s", w.reg(4+p), w.reg(4+p), w.reg(4+p))
			w.emit("VGATHERDPS %s, (R11)(%s*4), %s", w.reg(4+p), w.reg(p), w.reg(2+p))
		}
		w.emit("VMOVUPS %s, %d(DI)", w.reg(2+p), p*w.bytes)
	}
	w.emit("ADDQ $16, SI")
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT loop")
	w.end()
}

// fromSums turns sums of products of bytes into sums of products of the numbers they represent.
func (w width) fromSums() {
	w.vector("fromSums", "(dst *float32, sums, lows, columns *int32, n int, row, low int32)",
		"is fromSumsGeneric for n a multiple of 16, n > 0.", 48)
	for i, name := range []string{"dst", "sums", "lows", "columns", "n"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "R8", "CX"}[i])
	}
	w.emit("VBROADCASTSS row+40(FP), %s", w.reg(8))
	w.emit("VBROADCASTSS low+44(FP), %s", w.reg(9))
	w.emit("XORQ AX, AX")
	w.emit("SHLQ $2, CX")
	w.label("loop")
	for p := range w.parts() {
		w.emit("VPMULLD %d(DX)(AX*1), %s, %s", p*w.bytes, w.reg(8), w.reg(0))
		w.emit("VPMULLD %d(R8)(AX*1), %s, %s", p*w.bytes, w.reg(9), w.reg(1))
		w.emit("VPADDD %d(SI)(AX*1), %s, %s", p*w.bytes, w.reg(0), w.reg(0))
		w.emit("VPADDD %s, %s, %s", w.reg(1), w.reg(0), w.reg(0))
		w.emit("VCVTDQ2PS %s, %s", w.reg(0), w.reg(0))
		w.emit("VMOVUPS %s, %d(DI)(AX*1)", w.reg(0), p*w.bytes)
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}
