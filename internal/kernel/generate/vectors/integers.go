// Floats that hold integers on their way to products of bytes, and the sums of these on their way back, of package
// vector.

package vectors

// byteRange finds the least and the greatest element.
func (w width) byteRange() {
	w.Vector("byteRange", "(x *float32, n int) (low, high float32)",
		"is byteRangeGeneric for n a multiple of 16, n > 0.", 24)
	w.Emit("MOVQ x+0(FP), SI")
	w.Emit("MOVQ n+8(FP), CX")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %d(SI), %s", p*w.Size, w.Reg(p))
		w.Emit("VMOVAPS %s, %s", w.Reg(p), w.Reg(2+p))
	}
	w.Label("loop")
	for p := range w.Parts() {
		// The second operand stays where one is NaN.
		w.Emit("VMOVUPS %d(SI), %s", p*w.Size, w.Reg(4))
		w.Emit("VMINPS %s, %s, %s", w.Reg(p), w.Reg(4), w.Reg(p))
		w.Emit("VMAXPS %s, %s, %s", w.Reg(2+p), w.Reg(4), w.Reg(2+p))
	}
	w.Emit("ADDQ $64, SI")
	w.Emit("SUBQ $16, CX")
	w.Emit("JGT loop")
	if w.Parts() == 2 {
		w.Emit("VMINPS %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(0))
		w.Emit("VMAXPS %s, %s, %s", w.Reg(3), w.Reg(2), w.Reg(2))
	}
	w.Fold("VMINPS", "S", 0, 5)
	w.Fold("VMAXPS", "S", 2, 5)
	w.Emit("VMOVSS X0, low+16(FP)")
	w.Emit("VMOVSS X2, high+20(FP)")
	w.End()
}

// toBytes converts and subtracts, and records elements that are no integers in range.
func (w width) toBytes() {
	w.Vector("toBytes", "(dst *uint8, x *float32, n int, low int32) (wrong uint32)",
		"is toBytesGeneric for n a multiple of 16, n > 0; wrong is not zero if an element is not an integer.", 36)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ x+8(FP), SI")
	w.Emit("MOVQ n+16(FP), CX")
	w.Emit("VBROADCASTSS low+24(FP), %s", w.Reg(8))
	w.Emit("XORL AX, AX")
	w.Emit(w.Zero(9))
	w.Label("loop")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %d(SI), %s", p*w.Size, w.Reg(p))
		w.Emit("VCVTTPS2DQ %s, %s", w.Reg(p), w.Reg(2+p))
		w.Emit("VCVTDQ2PS %s, %s", w.Reg(2+p), w.Reg(4))
		w.Emit("VPSUBD %s, %s, %s", w.Reg(8), w.Reg(2+p), w.Reg(2+p))
		if w.R == "Z" {
			w.Emit("VCMPPS $4, Z4, Z0, K1") // not equal, or not ordered
			w.Emit("KMOVW K1, R8")
			w.Emit("ORL R8, AX")
		} else {
			w.Emit("VCMPPS $4, %s, %s, %s", w.Reg(4), w.Reg(p), w.Reg(4))
			w.Emit("VORPS %s, %s, %s", w.Reg(4), w.Reg(9), w.Reg(9))
		}
	}
	if w.R == "Z" {
		w.Emit("VPMOVDB Z2, (DI)")
	} else {
		for p := range w.Parts() {
			w.Emit("VEXTRACTI128 $1, Y%d, X5", 2+p)
			w.Emit("VPACKUSDW X5, X%d, X%d", 2+p, 2+p)
		}
		w.Emit("VPACKUSWB X3, X2, X2")
		w.Emit("VMOVUPS X2, (DI)")
	}
	w.Emit("ADDQ $64, SI")
	w.Emit("ADDQ $16, DI")
	w.Emit("SUBQ $16, CX")
	w.Emit("JGT loop")
	if w.R == "Y" {
		w.Emit("VMOVMSKPS Y9, AX")
	}
	w.Emit("MOVL AX, wrong+32(FP)")
	w.End()
}

// widenBytes adds a number to bytes.
func (w width) widenBytes() {
	w.Vector("widen", "(dst *float32, src *uint8, n int, low float32)",
		"is widenGeneric for n a multiple of 16, n > 0.", 28)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ n+16(FP), CX")
	w.Emit("VBROADCASTSS low+24(FP), %s", w.Reg(8))
	w.Label("loop")
	for p := range w.Parts() {
		w.Emit("VPMOVZXBD %d(SI), %s", p*w.Size/4, w.Reg(p))
		w.Emit("VCVTDQ2PS %s, %s", w.Reg(p), w.Reg(p))
		w.Emit("VADDPS %s, %s, %s", w.Reg(8), w.Reg(p), w.Reg(p))
		w.Emit("VMOVUPS %s, %d(DI)", w.Reg(p), p*w.Size)
	}
	w.Emit("ADDQ $16, SI")
	w.Emit("ADDQ $64, DI")
	w.Emit("SUBQ $16, CX")
	w.Emit("JGT loop")
	w.End()
}

// lookup reads a table at bytes.
func (w width) lookup() {
	w.Vector("lookup", "(dst *float32, src *uint8, n int, table *float32)",
		"is lookupGeneric for n a multiple of 16, n > 0.", 32)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ n+16(FP), CX")
	w.Emit("MOVQ table+24(FP), R11")
	w.Label("loop")
	for p := range w.Parts() {
		w.Emit("VPMOVZXBD %d(SI), %s", p*w.Size/4, w.Reg(p))
		if w.R == "Z" {
			w.Emit("KXNORW K1, K1, K1")
			w.Emit("VGATHERDPS (R11)(%s*4), K1, %s", w.Reg(p), w.Reg(2+p))
		} else {
			w.Emit("VPCMPEQD %s, %s, %s", w.Reg(4+p), w.Reg(4+p), w.Reg(4+p))
			w.Emit("VGATHERDPS %s, (R11)(%s*4), %s", w.Reg(4+p), w.Reg(p), w.Reg(2+p))
		}
		w.Emit("VMOVUPS %s, %d(DI)", w.Reg(2+p), p*w.Size)
	}
	w.Emit("ADDQ $16, SI")
	w.Emit("ADDQ $64, DI")
	w.Emit("SUBQ $16, CX")
	w.Emit("JGT loop")
	w.End()
}

// fromSums turns sums of products of bytes into sums of products of the numbers they represent.
func (w width) fromSums() {
	w.Vector("fromSums", "(dst *float32, sums, lows, columns *int32, n int, row, low int32)",
		"is fromSumsGeneric for n a multiple of 16, n > 0.", 48)
	for i, name := range []string{"dst", "sums", "lows", "columns", "n"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "R8", "CX"}[i])
	}
	w.Emit("VBROADCASTSS row+40(FP), %s", w.Reg(8))
	w.Emit("VBROADCASTSS low+44(FP), %s", w.Reg(9))
	w.Emit("XORQ AX, AX")
	w.Emit("SHLQ $2, CX")
	w.Label("loop")
	for p := range w.Parts() {
		w.Emit("VPMULLD %d(DX)(AX*1), %s, %s", p*w.Size, w.Reg(8), w.Reg(0))
		w.Emit("VPMULLD %d(R8)(AX*1), %s, %s", p*w.Size, w.Reg(9), w.Reg(1))
		w.Emit("VPADDD %d(SI)(AX*1), %s, %s", p*w.Size, w.Reg(0), w.Reg(0))
		w.Emit("VPADDD %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(0))
		w.Emit("VCVTDQ2PS %s, %s", w.Reg(0), w.Reg(0))
		w.Emit("VMOVUPS %s, %d(DI)(AX*1)", w.Reg(0), p*w.Size)
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}
