// Sliding moments and structural similarity of images of bytes, of package vector.

package vectors

import "fmt"

// slideBytes adds a row of two images to the moments of windows and removes one. Both bytes of a pixel share a lane:
// one product makes the sum of their squares and, exchanged, twice their product.
func (w width) slideBytes() {
	w.Vector("slideBytes", "(sums *int32, x, y, oldX, oldY *uint8, n, stride int)",
		"is slideBytesGeneric for n a multiple of 16.", 56)
	for i, name := range []string{"sums", "x", "y", "oldX", "oldY", "n", "stride"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "R8", "R9", "CX", "BX"}[i])
	}
	w.Emit("LEAQ (DI)(BX*4), R10")
	w.Emit("LEAQ (R10)(BX*4), R11")
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	for i, row := range []string{"SI", "DX", "R8", "R9"} {
		w.Emit("VPMOVZXBD (%s)(AX*1), %s", row, w.Reg(i))
	}
	pair, exchanged, old, oldExchanged, a, b := w.Reg(4), w.Reg(5), w.Reg(6), w.Reg(7), w.Reg(8), w.Reg(9)
	for i, joined := range []string{exchanged, pair, oldExchanged, old} {
		w.Emit("VPSLLD $16, %s, %s", w.Reg(i), joined)
		w.Emit("VPADDD %s, %s, %s", w.Reg(i^1), joined, joined)
	}
	w.Emit("VPADDD (DI)(AX*4), %s, %s", pair, a)
	w.Emit("VPSUBD %s, %s, %s", old, a, a)
	w.Emit("VMOVUPS %s, (DI)(AX*4)", a)
	for _, registers := range [][3]string{{"R10", pair, old}, {"R11", exchanged, oldExchanged}} {
		w.Emit("VPMADDWD %s, %s, %s", registers[1], pair, a)
		w.Emit("VPMADDWD %s, %s, %s", registers[2], old, b)
		w.Emit("VPADDD (%s)(AX*4), %s, %s", registers[0], a, a)
		w.Emit("VPSUBD %s, %s, %s", b, a, a)
		w.Emit("VMOVUPS %s, (%s)(AX*4)", a, registers[0])
	}
	w.Emit("ADDQ $%d, AX", w.Size/4)
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}

// byteSimilarities sums seven columns of each moment and makes the similarity of them, in integers as far as it goes.
func (w width) byteSimilarities() {
	w.Vector("byteSimilarities", "(dst, total *float64, sums *int32, n, stride, step int, c1, c2 float64)",
		"is byteSimilaritiesGeneric for n a multiple of 16.", 64)
	for i, name := range []string{"dst", "total", "sums", "n", "stride", "step"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX", "R10"}[i])
	}
	for i, name := range []string{"c1", "c2"} {
		w.Emit("VBROADCASTSD %s+%d(FP), %s", name, 48+8*i, w.Reg(14+i))
	}
	w.Emit("LEAQ (DX)(BX*4), R8")
	w.Emit("LEAQ (R8)(BX*4), R9")
	w.Emit("SHLQ $2, R10")
	w.Emit("SHLQ $2, CX")
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	for i, row := range []string{"DX", "R8", "R9"} {
		w.Emit("LEAQ (%s)(AX*1), R11", row)
		w.Emit("VMOVUPS (R11), %s", w.Reg(i))
		for range 6 {
			w.Emit("ADDQ R10, R11")
			w.Emit("VPADDD (R11), %s, %s", w.Reg(i), w.Reg(i))
		}
	}
	pair, q, p, exchanged, squares, xy := w.Reg(0), w.Reg(1), w.Reg(2), w.Reg(3), w.Reg(4), w.Reg(5)
	w.Emit("VPSLLD $16, %s, %s", pair, exchanged)
	w.Emit("VPSRLD $16, %s, %s", pair, squares)
	w.Emit("VPADDD %s, %s, %s", squares, exchanged, exchanged)
	w.Emit("VPMADDWD %s, %s, %s", pair, pair, squares)
	w.Emit("VPMADDWD %s, %s, %s", exchanged, pair, xy)
	for _, part := range [][2]string{{p, xy}, {q, squares}} {
		w.Emit("VPMULLD %s, %s, %s", w.Integer("windowPixels", 49), part[0], part[0])
		w.Emit("VPSUBD %s, %s, %s", part[1], part[0], part[0])
	}
	for half := range 2 {
		w.doubles32(half, [4]int{5, 2, 4, 1})
		for k, c := range []int{14, 15, 14, 15} {
			w.Emit("VADDPD %s, %s, %s", w.Reg(c), w.Reg(6+k), w.Reg(6+k))
		}
		w.Emit("VMULPD %s, %s, %s", w.Reg(7), w.Reg(6), w.Reg(6))
		w.Emit("VMULPD %s, %s, %s", w.Reg(9), w.Reg(8), w.Reg(8))
		w.Emit("VDIVPD %s, %s, %s", w.Reg(8), w.Reg(6), w.Reg(6))
		w.Emit("VMOVUPD %s, %d(DI)(AX*2)", w.Reg(6), half*w.Size)
		w.Emit("VADDPD %d(SI)(AX*2), %s, %s", half*w.Size, w.Reg(6), w.Reg(6))
		w.Emit("VMOVUPD %s, %d(SI)(AX*2)", w.Reg(6), half*w.Size)
	}
	w.Emit("ADDQ $%d, AX", w.Size)
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}

// doubles32 writes a half of the integers of four registers to registers 6 … 9, as doubles.
func (w width) doubles32(half int, from [4]int) {
	lower, extract := "X", "VEXTRACTI128"
	if w.R == "Z" {
		lower, extract = "Y", "VEXTRACTI64X4"
	}
	for k, i := range from {
		if half == 1 {
			w.Emit("%s $1, %s, %s%d", extract, w.Reg(i), lower, i)
		}
		w.Emit("VCVTDQ2PD %s, %s", fmt.Sprintf("%s%d", lower, i), w.Reg(6+k))
	}
}

// mixBytes is a weighted sum of rows of bytes in fixed point.
func (w width) mixBytes() {
	w.Vector("mixBytes", "(dst, src *uint8, weights *int32, n, stride, rows int)",
		"is mixBytesGeneric for n a multiple of 16 and rows ≥ 1.", 48)
	for i, name := range []string{"dst", "src", "weights", "n", "stride", "rows"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX", "R8"}[i])
	}
	w.Label("columns")
	w.Emit("MOVQ SI, R9")
	w.Emit("XORQ AX, AX")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %s, %s", w.Integer("halfOfFixed", 1<<21), w.Reg(p))
	}
	w.Label("rows")
	w.Emit("VPBROADCASTD (DX)(AX*4), %s", w.Reg(4))
	for p := range w.Parts() {
		w.Emit("VPMOVZXBD %d(R9), %s", p*w.Size/4, w.Reg(5))
		w.Emit("VPMULLD %s, %s, %s", w.Reg(4), w.Reg(5), w.Reg(5))
		w.Emit("VPADDD %s, %s, %s", w.Reg(5), w.Reg(p), w.Reg(p))
	}
	w.Emit("ADDQ BX, R9")
	w.Emit("INCQ AX")
	w.Emit("CMPQ AX, R8")
	w.Emit("JLT rows")
	for p := range w.Parts() {
		w.Emit("VPSRAD $22, %s, %s", w.Reg(p), w.Reg(p))
	}
	if w.R == "Z" {
		w.Emit("VPXORD Z5, Z5, Z5")
		w.Emit("VPMAXSD Z5, Z0, Z0")
		w.Emit("VPMOVUSDB Z0, (DI)")
	} else {
		for p := range w.Parts() {
			w.Emit("VEXTRACTI128 $1, Y%d, X5", p)
			w.Emit("VPACKUSDW X5, X%d, X%d", p, p)
		}
		w.Emit("VPACKUSWB X1, X0, X0")
		w.Emit("VMOVUPS X0, (DI)")
	}
	w.Emit("ADDQ $16, SI")
	w.Emit("ADDQ $16, DI")
	w.Emit("SUBQ $16, CX")
	w.Emit("JGT columns")
	w.End()
}
