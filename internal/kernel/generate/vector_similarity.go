// Sliding moments and structural similarity, of package vector.

package main

import "fmt"

// slide takes a row of two images into the moments of seven rows; a block of moments has four rows.
func (w width) slide() {
	w.vector("slide", "(sums, pair, last, p1, p3, p5, x, y *float64, n, stride int)",
		"is slideGeneric for n a multiple of 16 and blocks of the same stride.", 80)
	for i, name := range []string{"sums", "pair", "last", "p1", "p3", "p5", "x", "y", "n", "stride"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "R8", "R9", "R10", "R11", "R12", "CX", "BX"}[i])
	}
	w.emit("SHLQ $3, CX")
	w.emit("SHLQ $3, BX")
	w.emit("XORQ AX, AX")
	w.label("loop")
	w.emit("VMOVUPD (R11)(AX*1), %s", w.reg(0))
	w.emit("VMOVUPD (R12)(AX*1), %s", w.reg(1))
	w.emit("VMULPD %s, %s, %s", w.reg(0), w.reg(0), w.reg(2))
	w.emit("VMULPD %s, %s, %s", w.reg(1), w.reg(1), w.reg(3))
	w.emit("VADDPD %s, %s, %s", w.reg(3), w.reg(2), w.reg(2))
	w.emit("VMULPD %s, %s, %s", w.reg(0), w.reg(1), w.reg(3))
	w.emit("VADDPD %s, %s, %s", w.reg(3), w.reg(3), w.reg(3))
	w.emit("MOVQ AX, R13")
	for k := range 4 {
		v := w.reg(k)
		w.emit("VADDPD (DX)(R13*1), %s, %s", v, w.reg(4))
		w.emit("VMOVUPD %s, (DX)(R13*1)", v)
		w.emit("VMOVUPD %s, (SI)(R13*1)", w.reg(4))
		w.emit("VMOVUPD (R9)(R13*1), %s", w.reg(5))
		w.emit("VADDPD (R10)(R13*1), %s, %s", w.reg(5), w.reg(5))
		w.emit("VADDPD (R8)(R13*1), %s, %s", v, w.reg(6))
		w.emit("VADDPD %s, %s, %s", w.reg(6), w.reg(5), w.reg(5))
		w.emit("VMOVUPD %s, (DI)(R13*1)", w.reg(5))
		if k < 3 {
			w.emit("ADDQ BX, R13")
		}
	}
	w.emit("ADDQ $%d, AX", w.bytes)
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}

// similarities sums seven columns of each moment and makes the similarity of them.
func (w width) similarities() {
	w.vector("similarities", "(dst, total, sums *float64, n, stride int, f, c1, c2 float64)",
		"is similaritiesGeneric for n a multiple of 16.", 64)
	for i, name := range []string{"dst", "total", "sums", "n", "stride"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX"}[i])
	}
	for i, name := range []string{"f", "c1", "c2"} {
		w.emit("VBROADCASTSD %s+%d(FP), %s", name, 40+8*i, w.reg(13+i))
	}
	w.emit("SHLQ $3, BX")
	w.emit("LEAQ (DX)(BX*1), R8")
	w.emit("LEAQ (R8)(BX*1), R9")
	w.emit("LEAQ (R9)(BX*1), R10")
	w.emit("SHLQ $3, CX")
	w.emit("XORQ AX, AX")
	w.label("loop")
	for k, row := range []string{"DX", "R8", "R9", "R10"} {
		w.window(row, k)
	}
	x, y, q, p, xy, squares := w.reg(0), w.reg(1), w.reg(2), w.reg(3), w.reg(4), w.reg(5)
	f, c1, c2 := w.reg(13), w.reg(14), w.reg(15)
	w.emit("VMULPD %s, %s, %s", x, y, xy)
	w.emit("VADDPD %s, %s, %s", xy, xy, xy)
	w.emit("VMULPD %s, %s, %s", x, x, x)
	w.emit("VMULPD %s, %s, %s", y, y, y)
	w.emit("VADDPD %s, %s, %s", y, x, squares)
	for _, part := range [][2]string{{p, xy}, {q, squares}} {
		w.emit("VMULPD %s, %s, %s", f, part[0], part[0])
		w.emit("VSUBPD %s, %s, %s", part[1], part[0], part[0])
		w.emit("VADDPD %s, %s, %s", c2, part[0], part[0])
		w.emit("VADDPD %s, %s, %s", c1, part[1], part[1])
		w.emit("VMULPD %s, %s, %s", part[0], part[1], part[0])
	}
	w.emit("VDIVPD %s, %s, %s", q, p, p)
	w.emit("VMOVUPD %s, (DI)(AX*1)", p)
	w.emit("VADDPD (SI)(AX*1), %s, %s", p, p)
	w.emit("VMOVUPD %s, (SI)(AX*1)", p)
	w.emit("ADDQ $%d, AX", w.bytes)
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}

// window sums seven neighbors of each element of a row into register i, pairs first.
func (w width) window(row string, i int) {
	address := func(k int) string { return fmt.Sprintf("%d(%s)(AX*1)", 8*k, row) }
	a, b, c := w.reg(i), w.reg(8), w.reg(9)
	w.emit("VMOVUPD %s, %s", address(0), a)
	w.emit("VADDPD %s, %s, %s", address(1), a, a)
	w.emit("VMOVUPD %s, %s", address(2), b)
	w.emit("VADDPD %s, %s, %s", address(3), b, b)
	w.emit("VADDPD %s, %s, %s", b, a, a)
	w.emit("VMOVUPD %s, %s", address(4), c)
	w.emit("VADDPD %s, %s, %s", address(5), c, c)
	w.emit("VADDPD %s, %s, %s", address(6), c, c)
	w.emit("VADDPD %s, %s, %s", c, a, a)
}

// weigh is a symmetric weighted sum of eleven elements that lie a step apart.
func (w width) weigh() {
	w.vector("weigh", "(dst, src, weights *float64, n, step int)", "is weighGeneric for n a multiple of 16.", 40)
	for i, name := range []string{"dst", "src", "weights", "n", "step"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX"}[i])
	}
	for d := range 6 {
		w.emit("VBROADCASTSD %d(DX), %s", 8*d, w.reg(10+d))
	}
	w.emit("SHLQ $3, CX")
	w.emit("SHLQ $3, BX")
	w.emit("XORQ AX, AX")
	w.label("loop")
	w.emit("LEAQ (SI)(AX*1), R8")
	for k := range 11 { // elements 0 … 5, then 6 … 10 are added to 4 … 0
		switch {
		case k < 6:
			w.emit("VMOVUPD (R8), %s", w.reg(k))
		default:
			w.emit("VADDPD (R8), %s, %s", w.reg(10-k), w.reg(10-k))
		}
		w.emit("ADDQ BX, R8")
	}
	for d := range 6 {
		w.emit("VMULPD %s, %s, %s", w.reg(10+d), w.reg(5-d), w.reg(5-d))
	}
	for _, pair := range [][2]int{{4, 5}, {3, 5}, {1, 2}, {0, 2}, {2, 5}} {
		w.emit("VADDPD %s, %s, %s", w.reg(pair[0]), w.reg(pair[1]), w.reg(pair[1]))
	}
	w.emit("VMOVUPD %s, (DI)(AX*1)", w.reg(5))
	w.emit("ADDQ $%d, AX", w.bytes)
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}
