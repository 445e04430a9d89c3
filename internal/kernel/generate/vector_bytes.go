// Sliding moments and structural similarity of images of bytes, of package vector.

package main

import "fmt"

// slideBytes adds a row of two images to the moments of windows and removes one. Both bytes of a pixel share a lane:
// one product makes the sum of their squares and, exchanged, twice their product.
func (w width) slideBytes() {
	w.vector("slideBytes", "(sums *int32, x, y, oldX, oldY *uint8, n, stride int)",
		"is slideBytesGeneric for n a multiple of 16.", 56)
	for i, name := range []string{"sums", "x", "y", "oldX", "oldY", "n", "stride"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "R8", "R9", "CX", "BX"}[i])
	}
	w.emit("LEAQ (DI)(BX*4), R10")
	w.emit("LEAQ (R10)(BX*4), R11")
	w.emit("XORQ AX, AX")
	w.label("loop")
	for i, row := range []string{"SI", "DX", "R8", "R9"} {
		w.emit("VPMOVZXBD (%s)(AX*1), %s", row, w.reg(i))
	}
	pair, exchanged, old, oldExchanged, a, b := w.reg(4), w.reg(5), w.reg(6), w.reg(7), w.reg(8), w.reg(9)
	for i, joined := range []string{exchanged, pair, oldExchanged, old} {
		w.emit("VPSLLD $16, %s, %s", w.reg(i), joined)
		w.emit("VPADDD %s, %s, %s", w.reg(i^1), joined, joined)
	}
	w.emit("VPADDD (DI)(AX*4), %s, %s", pair, a)
	w.emit("VPSUBD %s, %s, %s", old, a, a)
	w.emit("VMOVUPS %s, (DI)(AX*4)", a)
	for _, registers := range [][3]string{{"R10", pair, old}, {"R11", exchanged, oldExchanged}} {
		w.emit("VPMADDWD %s, %s, %s", registers[1], pair, a)
		w.emit("VPMADDWD %s, %s, %s", registers[2], old, b)
		w.emit("VPADDD (%s)(AX*4), %s, %s", registers[0], a, a)
		w.emit("VPSUBD %s, %s, %s", b, a, a)
		w.emit("VMOVUPS %s, (%s)(AX*4)", a, registers[0])
	}
	w.emit("ADDQ $%d, AX", w.bytes/4)
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}

// byteSimilarities sums seven columns of each moment and makes the similarity of them, in integers as far as it goes.
func (w width) byteSimilarities() {
	w.vector("byteSimilarities", "(dst, total *float64, sums *int32, n, stride, step int, c1, c2 float64)",
		"is byteSimilaritiesGeneric for n a multiple of 16.", 64)
	for i, name := range []string{"dst", "total", "sums", "n", "stride", "step"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX", "R10"}[i])
	}
	for i, name := range []string{"c1", "c2"} {
		w.emit("VBROADCASTSD %s+%d(FP), %s", name, 48+8*i, w.reg(14+i))
	}
	w.emit("LEAQ (DX)(BX*4), R8")
	w.emit("LEAQ (R8)(BX*4), R9")
	w.emit("SHLQ $2, R10")
	w.emit("SHLQ $2, CX")
	w.emit("XORQ AX, AX")
	w.label("loop")
	for i, row := range []string{"DX", "R8", "R9"} {
		w.emit("LEAQ (%s)(AX*1), R11", row)
		w.emit("VMOVUPS (R11), %s", w.reg(i))
		for range 6 {
			w.emit("ADDQ R10, R11")
			w.emit("VPADDD (R11), %s, %s", w.reg(i), w.reg(i))
		}
	}
	pair, q, p, exchanged, squares, xy := w.reg(0), w.reg(1), w.reg(2), w.reg(3), w.reg(4), w.reg(5)
	w.emit("VPSLLD $16, %s, %s", pair, exchanged)
	w.emit("VPSRLD $16, %s, %s", pair, squares)
	w.emit("VPADDD %s, %s, %s", squares, exchanged, exchanged)
	w.emit("VPMADDWD %s, %s, %s", pair, pair, squares)
	w.emit("VPMADDWD %s, %s, %s", exchanged, pair, xy)
	for _, part := range [][2]string{{p, xy}, {q, squares}} {
		w.emit("VPMULLD %s, %s, %s", w.integer("windowPixels", 49), part[0], part[0])
		w.emit("VPSUBD %s, %s, %s", part[1], part[0], part[0])
	}
	for half := range 2 {
		w.doubles32(half, [4]int{5, 2, 4, 1})
		for k, c := range []int{14, 15, 14, 15} {
			w.emit("VADDPD %s, %s, %s", w.reg(c), w.reg(6+k), w.reg(6+k))
		}
		w.emit("VMULPD %s, %s, %s", w.reg(7), w.reg(6), w.reg(6))
		w.emit("VMULPD %s, %s, %s", w.reg(9), w.reg(8), w.reg(8))
		w.emit("VDIVPD %s, %s, %s", w.reg(8), w.reg(6), w.reg(6))
		w.emit("VMOVUPD %s, %d(DI)(AX*2)", w.reg(6), half*w.bytes)
		w.emit("VADDPD %d(SI)(AX*2), %s, %s", half*w.bytes, w.reg(6), w.reg(6))
		w.emit("VMOVUPD %s, %d(SI)(AX*2)", w.reg(6), half*w.bytes)
	}
	w.emit("ADDQ $%d, AX", w.bytes)
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}

// doubles32 writes a half of the integers of four registers to registers 6 … 9, as doubles.
func (w width) doubles32(half int, from [4]int) {
	lower, extract := "X", "VEXTRACTI128"
	if w.r == "Z" {
		lower, extract = "Y", "VEXTRACTI64X4"
	}
	for k, i := range from {
		if half == 1 {
			w.emit("%s $1, %s, %s%d", extract, w.reg(i), lower, i)
		}
		w.emit("VCVTDQ2PD %s, %s", fmt.Sprintf("%s%d", lower, i), w.reg(6+k))
	}
}

// mixBytes is a weighted sum of rows of bytes in fixed point.
func (w width) mixBytes() {
	w.vector("mixBytes", "(dst, src *uint8, weights *int32, n, stride, rows int)",
		"is mixBytesGeneric for n a multiple of 16 and rows ≥ 1.", 48)
	for i, name := range []string{"dst", "src", "weights", "n", "stride", "rows"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX", "R8"}[i])
	}
	w.label("columns")
	w.emit("MOVQ SI, R9")
	w.emit("XORQ AX, AX")
	for p := range w.parts() {
		w.emit("VMOVUPS %s, %s", w.integer("halfOfFixed", 1<<21), w.reg(p))
	}
	w.label("rows")
	w.emit("VPBROADCASTD (DX)(AX*4), %s", w.reg(4))
	for p := range w.parts() {
		w.emit("VPMOVZXBD %d(R9), %s", p*w.bytes/4, w.reg(5))
		w.emit("VPMULLD %s, %s, %s", w.reg(4), w.reg(5), w.reg(5))
		w.emit("VPADDD %s, %s, %s", w.reg(5), w.reg(p), w.reg(p))
	}
	w.emit("ADDQ BX, R9")
	w.emit("INCQ AX")
	w.emit("CMPQ AX, R8")
	w.emit("JLT rows")
	for p := range w.parts() {
		w.emit("VPSRAD $22, %s, %s", w.reg(p), w.reg(p))
	}
	if w.r == "Z" {
		w.emit("VPXORD Z5, Z5, Z5")
		w.emit("VPMAXSD Z5, Z0, Z0")
		w.emit("VPMOVUSDB Z0, (DI)")
	} else {
		for p := range w.parts() {
			w.emit("VEXTRACTI128 $1, Y%d, X5", p)
			w.emit("VPACKUSDW X5, X%d, X%d", p, p)
		}
		w.emit("VPACKUSWB X1, X0, X0")
		w.emit("VMOVUPS X0, (DI)")
	}
	w.emit("ADDQ $16, SI")
	w.emit("ADDQ $16, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT columns")
	w.end()
}
