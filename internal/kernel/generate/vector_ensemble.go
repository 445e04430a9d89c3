// Differences of rows, sorted columns and distances of rows in float64, of package vector.

package main

import "fmt"

// element is the type of the elements that a function reads.
type element struct {
	bits   int
	suffix string // of its instructions
}

var elements = []element{{32, "PS"}, {64, "PD"}}

// lanes is the number of float64 in a register.
func (w width) lanes() int { return w.bytes / 8 }

// half is the register that holds as many float32 as register i holds float64.
func (w width) half(i int) string {
	if w.r == "Z" {
		return fmt.Sprintf("Y%d", i)
	}
	return fmt.Sprintf("X%d", i)
}

// source is the register that holds the elements which become the float64 of register i.
func (w width) source(e element, i int) string {
	if e.bits == 64 {
		return w.reg(i)
	}
	return w.half(i)
}

// widen turns register i, or memory, into float64 of register i.
func (w width) widen(e element, from string, i int) {
	switch {
	case e.bits == 32:
		w.emit("VCVTPS2PD %s, %s", from, w.reg(i))
	case from != w.reg(i):
		w.emit("VMOVUPD %s, %s", from, w.reg(i))
	}
}

// differences writes the row operations of package ensemble.
func (w width) differences() {
	for _, e := range elements {
		for _, operation := range []string{"root", "absolute"} {
			w.differenceSums(operation, e)
		}
		w.sortColumns(e)
		w.weightedColumns(e)
		w.addSquares(e)
	}
	w.addRoots()
	w.tileDistances()
}

// differenceSums adds a function of the differences of two columns.
func (w width) differenceSums(operation string, e element) {
	name := fmt.Sprintf("%sSums%d", operation, e.bits)
	w.vector(name, fmt.Sprintf("(dst *float64, a, b *float%d, n, rows, strideA, strideB int)", e.bits),
		fmt.Sprintf("is %sSumsGeneric for n a multiple of 16 and rows ≥ 1.", operation), 56)
	for i, name := range []string{"dst", "a", "b", "n", "rows", "strideA", "strideB"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "R8", "R9", "R10"}[i])
	}
	shift := 2
	if e.bits == 64 {
		shift = 3
	}
	w.emit("SHLQ $%d, R9", shift)
	w.emit("SHLQ $%d, R10", shift)
	if e.bits == 64 || operation == "absolute" {
		w.emit("MOVQ $0x7fffffffffffffff, AX")
		w.emit("VMOVQ AX, X15")
		w.emit("VBROADCASTSD X15, %s", w.reg(15))
	} else {
		w.emit("MOVL $0x7fffffff, AX")
		w.emit("VMOVD AX, X15")
		w.emit("VBROADCASTSS X15, %s", w.half(15))
	}
	w.differenceLoop("block", operation, e, 8, "tail")
	w.differenceLoop("tail", operation, e, 16/w.lanes(), "done")
	w.label("done")
	w.end()
}

// differenceLoop writes the loop over registers of columns, which continues at next when fewer remain.
func (w width) differenceLoop(name, operation string, e element, registers int, next string) {
	columns := registers * w.lanes()
	w.label(name)
	w.emit("CMPQ CX, $%d", columns)
	w.emit("JLT %s", next)
	for r := range registers {
		w.emit("VXORPD %[1]s, %[1]s, %[1]s", w.reg(r))
	}
	w.emit("MOVQ SI, R11")
	w.emit("MOVQ DX, R12")
	w.emit("MOVQ R8, R13")
	w.label(name + "Rows")
	for r := range registers {
		offset, v := r*w.lanes()*e.bits/8, 8+r%2
		if operation == "root" {
			d := w.source(e, v)
			w.emit("VMOVU%s %d(R11), %s", e.suffix, offset, d)
			w.emit("VSUB%s %d(R12), %s, %s", e.suffix, offset, d, d)
			w.emit("VAND%s %s, %s, %s", e.suffix, w.source(e, 15), d, d)
			w.emit("VSQRT%s %s, %s", e.suffix, d, d)
			w.widen(e, d, v)
		} else {
			w.widen(e, fmt.Sprintf("%d(R11)", offset), v)
			w.widen(e, fmt.Sprintf("%d(R12)", offset), v+2)
			w.emit("VSUBPD %s, %s, %s", w.reg(v+2), w.reg(v), w.reg(v))
			w.emit("VANDPD %s, %s, %s", w.reg(15), w.reg(v), w.reg(v))
		}
		w.emit("VADDPD %s, %s, %s", w.reg(v), w.reg(r), w.reg(r))
	}
	w.emit("ADDQ R9, R11")
	w.emit("ADDQ R10, R12")
	w.emit("DECQ R13")
	w.emit("JNZ %sRows", name)
	for r := range registers {
		w.emit("VMOVUPD %s, %d(DI)", w.reg(r), r*w.bytes)
	}
	w.emit("ADDQ $%d, SI", columns*e.bits/8)
	w.emit("ADDQ $%d, DX", columns*e.bits/8)
	w.emit("ADDQ $%d, DI", columns*8)
	w.emit("SUBQ $%d, CX", columns)
	w.emit("JMP %s", name)
}

// sortColumns orders pairs of rows of 64 columns, one pair after the other.
func (w width) sortColumns(e element) {
	w.vector(fmt.Sprintf("sortColumns%d", e.bits), fmt.Sprintf("(x *float%d, pairs *int32, count int)", e.bits),
		"is sortColumnsGeneric for count pairs, at least one.", 24)
	w.emit("MOVQ x+0(FP), DI")
	w.emit("MOVQ pairs+8(FP), SI")
	w.emit("MOVQ count+16(FP), CX")
	row := 64 * e.bits / 8
	w.label("loop")
	w.emit("MOVLQSX (SI), R8")
	w.emit("MOVLQSX 4(SI), R9")
	w.emit("IMULQ $%d, R8", row)
	w.emit("IMULQ $%d, R9", row)
	w.emit("ADDQ DI, R8")
	w.emit("ADDQ DI, R9")
	for offset := 0; offset < row; offset += 4 * w.bytes {
		for k := range 4 {
			w.emit("VMOVU%s %d(R8), %s", e.suffix, offset+k*w.bytes, w.reg(k))
			w.emit("VMOVU%s %d(R9), %s", e.suffix, offset+k*w.bytes, w.reg(4+k))
		}
		for k := range 4 { // the second operand where neither is less, as for NaN
			w.emit("VMIN%s %s, %s, %s", e.suffix, w.reg(4+k), w.reg(k), w.reg(8+k))
			w.emit("VMAX%s %s, %s, %s", e.suffix, w.reg(4+k), w.reg(k), w.reg(k))
		}
		for k := range 4 {
			w.emit("VMOVU%s %s, %d(R8)", e.suffix, w.reg(8+k), offset+k*w.bytes)
			w.emit("VMOVU%s %s, %d(R9)", e.suffix, w.reg(k), offset+k*w.bytes)
		}
	}
	w.emit("ADDQ $8, SI")
	w.emit("DECQ CX")
	w.emit("JNZ loop")
	w.end()
}

// weightedColumns adds the differences of rows from one row, each times a number.
func (w width) weightedColumns(e element) {
	w.vector(fmt.Sprintf("weightedColumns%d", e.bits),
		fmt.Sprintf("(dst *float64, x, y *float%d, weights *float64, rows int)", e.bits),
		"is weightedColumnsGeneric for rows ≥ 1.", 40)
	for i, name := range []string{"dst", "x", "y", "weights", "rows"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "BX", "R8"}[i])
	}
	registers := 16 / w.lanes()
	size := e.bits / 8
	w.emit("MOVQ $%d, CX", 64/16)
	w.label("columns")
	for r := range registers {
		w.emit("VXORPD %[1]s, %[1]s, %[1]s", w.reg(r))
		w.widen(e, fmt.Sprintf("%d(DX)", r*w.lanes()*size), 4+r)
	}
	w.emit("MOVQ SI, R11")
	w.emit("MOVQ BX, R12")
	w.emit("MOVQ R8, R13")
	w.label("rows")
	w.emit("VBROADCASTSD (R12), %s", w.reg(15))
	for r := range registers {
		w.widen(e, fmt.Sprintf("%d(R11)", r*w.lanes()*size), 8+r)
		w.emit("VSUBPD %s, %s, %s", w.reg(4+r), w.reg(8+r), w.reg(8+r))
		w.emit("VFMADD231PD %s, %s, %s", w.reg(8+r), w.reg(15), w.reg(r))
	}
	w.emit("ADDQ $%d, R11", 64*size)
	w.emit("ADDQ $8, R12")
	w.emit("DECQ R13")
	w.emit("JNZ rows")
	for r := range registers {
		w.emit("VMOVUPD %s, %d(DI)", w.reg(r), r*w.bytes)
	}
	w.emit("ADDQ $128, DI")
	w.emit("ADDQ $%d, SI", 16*size)
	w.emit("ADDQ $%d, DX", 16*size)
	w.emit("DECQ CX")
	w.emit("JNZ columns")
	w.end()
}

// addSquares adds squared differences of two rows.
func (w width) addSquares(e element) {
	w.vector(fmt.Sprintf("addSquares%d", e.bits), fmt.Sprintf("(dst *float64, x, y *float%d, n int)", e.bits),
		"is addSquaresGeneric for n a multiple of 16.", 32)
	for i, name := range []string{"dst", "x", "y", "n"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX"}[i])
	}
	registers, size := 16/w.lanes(), e.bits/8
	w.label("loop")
	for r := range registers {
		offset := r * w.lanes() * size
		w.widen(e, fmt.Sprintf("%d(SI)", offset), r)
		w.widen(e, fmt.Sprintf("%d(DX)", offset), 4+r)
		w.emit("VSUBPD %s, %s, %s", w.reg(4+r), w.reg(r), w.reg(r))
		w.emit("VMOVUPD %d(DI), %s", r*w.bytes, w.reg(4+r))
		w.emit("VFMADD231PD %[1]s, %[1]s, %[2]s", w.reg(r), w.reg(4+r))
		w.emit("VMOVUPD %s, %d(DI)", w.reg(4+r), r*w.bytes)
	}
	w.emit("ADDQ $128, DI")
	w.emit("ADDQ $%d, SI", 16*size)
	w.emit("ADDQ $%d, DX", 16*size)
	w.emit("SUBQ $16, CX")
	w.emit("JNZ loop")
	w.end()
}

// addRoots adds roots of sums of two rows.
func (w width) addRoots() {
	w.vector("addRoots", "(dst, x, y *float64, n int)", "is addRootsGeneric for n a multiple of 16.", 32)
	for i, name := range []string{"dst", "x", "y", "n"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX"}[i])
	}
	w.emit("XORQ AX, AX")
	w.emit("SHLQ $3, CX")
	w.label("loop")
	for r := range 16 / w.lanes() {
		offset := fmt.Sprintf("%d", r*w.bytes)
		w.emit("VMOVUPD %s(SI)(AX*1), %s", offset, w.reg(r))
		w.emit("VADDPD %s(DX)(AX*1), %s, %s", offset, w.reg(r), w.reg(r))
		w.emit("VSQRTPD %s, %s", w.reg(r), w.reg(r))
		w.emit("VADDPD %s(DI)(AX*1), %s, %s", offset, w.reg(r), w.reg(r))
		w.emit("VMOVUPD %s, %s(DI)(AX*1)", w.reg(r), offset)
	}
	w.emit("ADDQ $128, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}

// tileDistances adds squared distances of four rows from four others, each in eight running sums: all sixteen at once
// if the registers suffice, else one row after the other.
func (w width) tileDistances() {
	w.vector("tileDistances", "(sums *[16]float64, x, y *float64, n, stride int)",
		"is tileDistancesGeneric for n a multiple of 8, at least 8.", 40)
	for i, name := range []string{"sums", "x", "y", "n", "stride"} {
		w.emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX"}[i])
	}
	w.emit("SHLQ $3, CX")
	w.emit("SHLQ $3, BX")
	w.emit("LEAQ (DX)(BX*1), R8")
	w.emit("LEAQ (R8)(BX*1), R9")
	w.emit("LEAQ (R9)(BX*1), R10")
	if w.r == "Z" {
		w.tileAtOnce()
	} else {
		w.tileByRows()
	}
	w.end()
}

func (w width) tileAtOnce() {
	w.emit("LEAQ (SI)(BX*1), R11")
	w.emit("LEAQ (R11)(BX*1), R12")
	w.emit("LEAQ (R12)(BX*1), R13")
	for i := range 16 {
		w.emit("VPXORQ %[1]s, %[1]s, %[1]s", w.reg(16+i))
	}
	w.emit("XORQ AX, AX")
	w.label("loop")
	for c, y := range []string{"DX", "R8", "R9", "R10"} {
		w.emit("VMOVUPD (%s)(AX*1), %s", y, w.reg(c))
	}
	for r, x := range []string{"SI", "R11", "R12", "R13"} {
		w.emit("VMOVUPD (%s)(AX*1), %s", x, w.reg(4+r))
		for c := range 4 {
			d := w.reg(8 + (4*r+c)%8)
			w.emit("VSUBPD %s, %s, %s", w.reg(c), w.reg(4+r), d)
			w.emit("VFMADD231PD %[1]s, %[1]s, %[2]s", d, w.reg(16+4*r+c))
		}
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	lower := width{w.assembler, "", "Y", 32} // folding takes registers below 16
	for i := range 16 {
		w.emit("VEXTRACTF64X4 $1, Z%d, Y0", 16+i)
		w.emit("VADDPD Y0, Y%d, Y0", 16+i)
		lower.fold("VADDPD", "D", 0, 1)
		w.emit("VADDSD %d(DI), X0, X0", 8*i)
		w.emit("VMOVSD X0, %d(DI)", 8*i)
	}
}

func (w width) tileByRows() {
	w.emit("MOVQ $4, R13")
	w.label("row")
	for i := range 8 {
		w.emit("VXORPD %[1]s, %[1]s, %[1]s", w.reg(i))
	}
	w.emit("XORQ AX, AX")
	w.label("loop")
	for half := range 2 {
		w.emit("VMOVUPD %d(SI)(AX*1), %s", 32*half, w.reg(8+half))
		for c, y := range []string{"DX", "R8", "R9", "R10"} {
			d := w.reg(10 + c)
			w.emit("VSUBPD %d(%s)(AX*1), %s, %s", 32*half, y, w.reg(8+half), d)
			w.emit("VFMADD231PD %[1]s, %[1]s, %[2]s", d, w.reg(2*c+half))
		}
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	for c := range 4 {
		w.emit("VADDPD %s, %s, %s", w.reg(2*c+1), w.reg(2*c), w.reg(2*c))
		w.fold("VADDPD", "D", 2*c, 15)
		w.emit("VADDSD %d(DI), X%d, X%d", 8*c, 2*c, 2*c)
		w.emit("VMOVSD X%d, %d(DI)", 2*c, 8*c)
	}
	w.emit("ADDQ $32, DI")
	w.emit("ADDQ BX, SI")
	w.emit("DECQ R13")
	w.emit("JNZ row")
}
