// Sliding moments and structural similarity, of package vector.

package vectors

import "fmt"

// slide takes a row of two images into the moments of seven rows; a block of moments has four rows.
func (w width) slide() {
	w.Vector("slide", "(sums, pair, last, p1, p3, p5, x, y *float64, n, stride int)",
		"is slideGeneric for n a multiple of 16 and blocks of the same stride.", 80)
	for i, name := range []string{"sums", "pair", "last", "p1", "p3", "p5", "x", "y", "n", "stride"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "R8", "R9", "R10", "R11", "R12", "CX", "BX"}[i])
	}
	w.Emit("SHLQ $3, CX")
	w.Emit("SHLQ $3, BX")
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	w.Emit("VMOVUPD (R11)(AX*1), %s", w.Reg(0))
	w.Emit("VMOVUPD (R12)(AX*1), %s", w.Reg(1))
	w.Emit("VMULPD %s, %s, %s", w.Reg(0), w.Reg(0), w.Reg(2))
	w.Emit("VMULPD %s, %s, %s", w.Reg(1), w.Reg(1), w.Reg(3))
	w.Emit("VADDPD %s, %s, %s", w.Reg(3), w.Reg(2), w.Reg(2))
	w.Emit("VMULPD %s, %s, %s", w.Reg(0), w.Reg(1), w.Reg(3))
	w.Emit("VADDPD %s, %s, %s", w.Reg(3), w.Reg(3), w.Reg(3))
	w.Emit("MOVQ AX, R13")
	for k := range 4 {
		v := w.Reg(k)
		w.Emit("VADDPD (DX)(R13*1), %s, %s", v, w.Reg(4))
		w.Emit("VMOVUPD %s, (DX)(R13*1)", v)
		w.Emit("VMOVUPD %s, (SI)(R13*1)", w.Reg(4))
		w.Emit("VMOVUPD (R9)(R13*1), %s", w.Reg(5))
		w.Emit("VADDPD (R10)(R13*1), %s, %s", w.Reg(5), w.Reg(5))
		w.Emit("VADDPD (R8)(R13*1), %s, %s", v, w.Reg(6))
		w.Emit("VADDPD %s, %s, %s", w.Reg(6), w.Reg(5), w.Reg(5))
		w.Emit("VMOVUPD %s, (DI)(R13*1)", w.Reg(5))
		if k < 3 {
			w.Emit("ADDQ BX, R13")
		}
	}
	w.Emit("ADDQ $%d, AX", w.Size)
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}

// similarities sums seven columns of each moment and makes the similarity of them.
func (w width) similarities() {
	w.Vector("similarities", "(dst, total, sums *float64, n, stride int, f, c1, c2 float64)",
		"is similaritiesGeneric for n a multiple of 16.", 64)
	for i, name := range []string{"dst", "total", "sums", "n", "stride"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX"}[i])
	}
	for i, name := range []string{"f", "c1", "c2"} {
		w.Emit("VBROADCASTSD %s+%d(FP), %s", name, 40+8*i, w.Reg(13+i))
	}
	w.Emit("SHLQ $3, BX")
	w.Emit("LEAQ (DX)(BX*1), R8")
	w.Emit("LEAQ (R8)(BX*1), R9")
	w.Emit("LEAQ (R9)(BX*1), R10")
	w.Emit("SHLQ $3, CX")
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	for k, row := range []string{"DX", "R8", "R9", "R10"} {
		w.window(row, k)
	}
	x, y, q, p, xy, squares := w.Reg(0), w.Reg(1), w.Reg(2), w.Reg(3), w.Reg(4), w.Reg(5)
	f, c1, c2 := w.Reg(13), w.Reg(14), w.Reg(15)
	w.Emit("VMULPD %s, %s, %s", x, y, xy)
	w.Emit("VADDPD %s, %s, %s", xy, xy, xy)
	w.Emit("VMULPD %s, %s, %s", x, x, x)
	w.Emit("VMULPD %s, %s, %s", y, y, y)
	w.Emit("VADDPD %s, %s, %s", y, x, squares)
	for _, part := range [][2]string{{p, xy}, {q, squares}} {
		w.Emit("VMULPD %s, %s, %s", f, part[0], part[0])
		w.Emit("VSUBPD %s, %s, %s", part[1], part[0], part[0])
		w.Emit("VADDPD %s, %s, %s", c2, part[0], part[0])
		w.Emit("VADDPD %s, %s, %s", c1, part[1], part[1])
		w.Emit("VMULPD %s, %s, %s", part[0], part[1], part[0])
	}
	w.Emit("VDIVPD %s, %s, %s", q, p, p)
	w.Emit("VMOVUPD %s, (DI)(AX*1)", p)
	w.Emit("VADDPD (SI)(AX*1), %s, %s", p, p)
	w.Emit("VMOVUPD %s, (SI)(AX*1)", p)
	w.Emit("ADDQ $%d, AX", w.Size)
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}

// window sums seven neighbors of each element of a row into register i, pairs first.
func (w width) window(row string, i int) {
	address := func(k int) string { return fmt.Sprintf("%d(%s)(AX*1)", 8*k, row) }
	a, b, c := w.Reg(i), w.Reg(8), w.Reg(9)
	w.Emit("VMOVUPD %s, %s", address(0), a)
	w.Emit("VADDPD %s, %s, %s", address(1), a, a)
	w.Emit("VMOVUPD %s, %s", address(2), b)
	w.Emit("VADDPD %s, %s, %s", address(3), b, b)
	w.Emit("VADDPD %s, %s, %s", b, a, a)
	w.Emit("VMOVUPD %s, %s", address(4), c)
	w.Emit("VADDPD %s, %s, %s", address(5), c, c)
	w.Emit("VADDPD %s, %s, %s", address(6), c, c)
	w.Emit("VADDPD %s, %s, %s", c, a, a)
}

// weigh is a symmetric weighted sum of eleven elements that lie a step apart.
func (w width) weigh() {
	w.Vector("weigh", "(dst, src, weights *float64, n, step int)", "is weighGeneric for n a multiple of 16.", 40)
	for i, name := range []string{"dst", "src", "weights", "n", "step"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX"}[i])
	}
	for d := range 6 {
		w.Emit("VBROADCASTSD %d(DX), %s", 8*d, w.Reg(10+d))
	}
	w.Emit("SHLQ $3, CX")
	w.Emit("SHLQ $3, BX")
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	w.Emit("LEAQ (SI)(AX*1), R8")
	for k := range 11 { // elements 0 … 5, then 6 … 10 are added to 4 … 0
		switch {
		case k < 6:
			w.Emit("VMOVUPD (R8), %s", w.Reg(k))
		default:
			w.Emit("VADDPD (R8), %s, %s", w.Reg(10-k), w.Reg(10-k))
		}
		w.Emit("ADDQ BX, R8")
	}
	for d := range 6 {
		w.Emit("VMULPD %s, %s, %s", w.Reg(10+d), w.Reg(5-d), w.Reg(5-d))
	}
	for _, pair := range [][2]int{{4, 5}, {3, 5}, {1, 2}, {0, 2}, {2, 5}} {
		w.Emit("VADDPD %s, %s, %s", w.Reg(pair[0]), w.Reg(pair[1]), w.Reg(pair[1]))
	}
	w.Emit("VMOVUPD %s, (DI)(AX*1)", w.Reg(5))
	w.Emit("ADDQ $%d, AX", w.Size)
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}
