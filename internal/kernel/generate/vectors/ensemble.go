// Differences of rows, sorted columns and distances of rows in float64, of package vector.

package vectors

import "fmt"

// element is the type of the elements that a function reads.
type element struct {
	bits   int
	suffix string // of its instructions
}

var elements = []element{{32, "PS"}, {64, "PD"}}

// lanes is the number of float64 in a register.
func (w width) lanes() int { return w.Size / 8 }

// half is the register that holds as many float32 as register i holds float64.
func (w width) half(i int) string {
	if w.R == "Z" {
		return fmt.Sprintf("Y%d", i)
	}
	return fmt.Sprintf("X%d", i)
}

// source is the register that holds the elements which become the float64 of register i.
func (w width) source(e element, i int) string {
	if e.bits == 64 {
		return w.Reg(i)
	}
	return w.half(i)
}

// widen turns register i, or memory, into float64 of register i.
func (w width) widen(e element, from string, i int) {
	switch {
	case e.bits == 32:
		w.Emit("VCVTPS2PD %s, %s", from, w.Reg(i))
	case from != w.Reg(i):
		w.Emit("VMOVUPD %s, %s", from, w.Reg(i))
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
	w.Vector(name, fmt.Sprintf("(dst *float64, a, b *float%d, n, rows, strideA, strideB int)", e.bits),
		fmt.Sprintf("is %sSumsGeneric for n a multiple of 16 and rows ≥ 1.", operation), 56)
	for i, name := range []string{"dst", "a", "b", "n", "rows", "strideA", "strideB"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "R8", "R9", "R10"}[i])
	}
	shift := 2
	if e.bits == 64 {
		shift = 3
	}
	w.Emit("SHLQ $%d, R9", shift)
	w.Emit("SHLQ $%d, R10", shift)
	if e.bits == 64 || operation == "absolute" {
		w.Emit("MOVQ $0x7fffffffffffffff, AX")
		w.Emit("VMOVQ AX, X15")
		w.Emit("VBROADCASTSD X15, %s", w.Reg(15))
	} else {
		w.Emit("MOVL $0x7fffffff, AX")
		w.Emit("VMOVD AX, X15")
		w.Emit("VBROADCASTSS X15, %s", w.half(15))
	}
	w.differenceLoop("block", operation, e, 8, "tail")
	w.differenceLoop("tail", operation, e, 16/w.lanes(), "done")
	w.Label("done")
	w.End()
}

// differenceLoop writes the loop over registers of columns, which continues at next when fewer remain.
func (w width) differenceLoop(name, operation string, e element, registers int, next string) {
	columns := registers * w.lanes()
	w.Label(name)
	w.Emit("CMPQ CX, $%d", columns)
	w.Emit("JLT %s", next)
	for r := range registers {
		w.Emit("VXORPD %[1]s, %[1]s, %[1]s", w.Reg(r))
	}
	w.Emit("MOVQ SI, R11")
	w.Emit("MOVQ DX, R12")
	w.Emit("MOVQ R8, R13")
	w.Label(name + "Rows")
	for r := range registers {
		offset, v := r*w.lanes()*e.bits/8, 8+r%2
		if operation == "root" {
			d := w.source(e, v)
			w.Emit("VMOVU%s %d(R11), %s", e.suffix, offset, d)
			w.Emit("VSUB%s %d(R12), %s, %s", e.suffix, offset, d, d)
			w.Emit("VAND%s %s, %s, %s", e.suffix, w.source(e, 15), d, d)
			w.Emit("VSQRT%s %s, %s", e.suffix, d, d)
			w.widen(e, d, v)
		} else {
			w.widen(e, fmt.Sprintf("%d(R11)", offset), v)
			w.widen(e, fmt.Sprintf("%d(R12)", offset), v+2)
			w.Emit("VSUBPD %s, %s, %s", w.Reg(v+2), w.Reg(v), w.Reg(v))
			w.Emit("VANDPD %s, %s, %s", w.Reg(15), w.Reg(v), w.Reg(v))
		}
		w.Emit("VADDPD %s, %s, %s", w.Reg(v), w.Reg(r), w.Reg(r))
	}
	w.Emit("ADDQ R9, R11")
	w.Emit("ADDQ R10, R12")
	w.Emit("DECQ R13")
	w.Emit("JNZ %sRows", name)
	for r := range registers {
		w.Emit("VMOVUPD %s, %d(DI)", w.Reg(r), r*w.Size)
	}
	w.Emit("ADDQ $%d, SI", columns*e.bits/8)
	w.Emit("ADDQ $%d, DX", columns*e.bits/8)
	w.Emit("ADDQ $%d, DI", columns*8)
	w.Emit("SUBQ $%d, CX", columns)
	w.Emit("JMP %s", name)
}

// sortColumns orders pairs of rows of 64 columns, one pair after the other.
func (w width) sortColumns(e element) {
	w.Vector(fmt.Sprintf("sortColumns%d", e.bits), fmt.Sprintf("(x *float%d, pairs *int32, count int)", e.bits),
		"is sortColumnsGeneric for count pairs, at least one.", 24)
	w.Emit("MOVQ x+0(FP), DI")
	w.Emit("MOVQ pairs+8(FP), SI")
	w.Emit("MOVQ count+16(FP), CX")
	row := 64 * e.bits / 8
	w.Label("loop")
	w.Emit("MOVLQSX (SI), R8")
	w.Emit("MOVLQSX 4(SI), R9")
	w.Emit("IMULQ $%d, R8", row)
	w.Emit("IMULQ $%d, R9", row)
	w.Emit("ADDQ DI, R8")
	w.Emit("ADDQ DI, R9")
	for offset := 0; offset < row; offset += 4 * w.Size {
		for k := range 4 {
			w.Emit("VMOVU%s %d(R8), %s", e.suffix, offset+k*w.Size, w.Reg(k))
			w.Emit("VMOVU%s %d(R9), %s", e.suffix, offset+k*w.Size, w.Reg(4+k))
		}
		for k := range 4 { // the second operand where neither is less, as for NaN
			w.Emit("VMIN%s %s, %s, %s", e.suffix, w.Reg(4+k), w.Reg(k), w.Reg(8+k))
			w.Emit("VMAX%s %s, %s, %s", e.suffix, w.Reg(4+k), w.Reg(k), w.Reg(k))
		}
		for k := range 4 {
			w.Emit("VMOVU%s %s, %d(R8)", e.suffix, w.Reg(8+k), offset+k*w.Size)
			w.Emit("VMOVU%s %s, %d(R9)", e.suffix, w.Reg(k), offset+k*w.Size)
		}
	}
	w.Emit("ADDQ $8, SI")
	w.Emit("DECQ CX")
	w.Emit("JNZ loop")
	w.End()
}

// weightedColumns adds the differences of rows from one row, each times a number.
func (w width) weightedColumns(e element) {
	w.Vector(fmt.Sprintf("weightedColumns%d", e.bits),
		fmt.Sprintf("(dst *float64, x, y *float%d, weights *float64, rows int)", e.bits),
		"is weightedColumnsGeneric for rows ≥ 1.", 40)
	for i, name := range []string{"dst", "x", "y", "weights", "rows"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "BX", "R8"}[i])
	}
	registers := 16 / w.lanes()
	size := e.bits / 8
	w.Emit("MOVQ $%d, CX", 64/16)
	w.Label("columns")
	for r := range registers {
		w.Emit("VXORPD %[1]s, %[1]s, %[1]s", w.Reg(r))
		w.widen(e, fmt.Sprintf("%d(DX)", r*w.lanes()*size), 4+r)
	}
	w.Emit("MOVQ SI, R11")
	w.Emit("MOVQ BX, R12")
	w.Emit("MOVQ R8, R13")
	w.Label("rows")
	w.Emit("VBROADCASTSD (R12), %s", w.Reg(15))
	for r := range registers {
		w.widen(e, fmt.Sprintf("%d(R11)", r*w.lanes()*size), 8+r)
		w.Emit("VSUBPD %s, %s, %s", w.Reg(4+r), w.Reg(8+r), w.Reg(8+r))
		w.Emit("VFMADD231PD %s, %s, %s", w.Reg(8+r), w.Reg(15), w.Reg(r))
	}
	w.Emit("ADDQ $%d, R11", 64*size)
	w.Emit("ADDQ $8, R12")
	w.Emit("DECQ R13")
	w.Emit("JNZ rows")
	for r := range registers {
		w.Emit("VMOVUPD %s, %d(DI)", w.Reg(r), r*w.Size)
	}
	w.Emit("ADDQ $128, DI")
	w.Emit("ADDQ $%d, SI", 16*size)
	w.Emit("ADDQ $%d, DX", 16*size)
	w.Emit("DECQ CX")
	w.Emit("JNZ columns")
	w.End()
}

// addSquares adds squared differences of two rows.
func (w width) addSquares(e element) {
	w.Vector(fmt.Sprintf("addSquares%d", e.bits), fmt.Sprintf("(dst *float64, x, y *float%d, n int)", e.bits),
		"is addSquaresGeneric for n a multiple of 16.", 32)
	for i, name := range []string{"dst", "x", "y", "n"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX"}[i])
	}
	registers, size := 16/w.lanes(), e.bits/8
	w.Label("loop")
	for r := range registers {
		offset := r * w.lanes() * size
		w.widen(e, fmt.Sprintf("%d(SI)", offset), r)
		w.widen(e, fmt.Sprintf("%d(DX)", offset), 4+r)
		w.Emit("VSUBPD %s, %s, %s", w.Reg(4+r), w.Reg(r), w.Reg(r))
		w.Emit("VMOVUPD %d(DI), %s", r*w.Size, w.Reg(4+r))
		w.Emit("VFMADD231PD %[1]s, %[1]s, %[2]s", w.Reg(r), w.Reg(4+r))
		w.Emit("VMOVUPD %s, %d(DI)", w.Reg(4+r), r*w.Size)
	}
	w.Emit("ADDQ $128, DI")
	w.Emit("ADDQ $%d, SI", 16*size)
	w.Emit("ADDQ $%d, DX", 16*size)
	w.Emit("SUBQ $16, CX")
	w.Emit("JNZ loop")
	w.End()
}

// addRoots adds roots of sums of two rows.
func (w width) addRoots() {
	w.Vector("addRoots", "(dst, x, y *float64, n int)", "is addRootsGeneric for n a multiple of 16.", 32)
	for i, name := range []string{"dst", "x", "y", "n"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX"}[i])
	}
	w.Emit("XORQ AX, AX")
	w.Emit("SHLQ $3, CX")
	w.Label("loop")
	for r := range 16 / w.lanes() {
		offset := fmt.Sprintf("%d", r*w.Size)
		w.Emit("VMOVUPD %s(SI)(AX*1), %s", offset, w.Reg(r))
		w.Emit("VADDPD %s(DX)(AX*1), %s, %s", offset, w.Reg(r), w.Reg(r))
		w.Emit("VSQRTPD %s, %s", w.Reg(r), w.Reg(r))
		w.Emit("VADDPD %s(DI)(AX*1), %s, %s", offset, w.Reg(r), w.Reg(r))
		w.Emit("VMOVUPD %s, %s(DI)(AX*1)", w.Reg(r), offset)
	}
	w.Emit("ADDQ $128, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}

// tileDistances adds squared distances of four rows from four others, each in eight running sums: all sixteen at once
// if the registers suffice, else one row after the other.
func (w width) tileDistances() {
	w.Vector("tileDistances", "(sums *[16]float64, x, y *float64, n, stride int)",
		"is tileDistancesGeneric for n a multiple of 8, at least 8.", 40)
	for i, name := range []string{"sums", "x", "y", "n", "stride"} {
		w.Emit("MOVQ %s+%d(FP), %s", name, 8*i, []string{"DI", "SI", "DX", "CX", "BX"}[i])
	}
	w.Emit("SHLQ $3, CX")
	w.Emit("SHLQ $3, BX")
	w.Emit("LEAQ (DX)(BX*1), R8")
	w.Emit("LEAQ (R8)(BX*1), R9")
	w.Emit("LEAQ (R9)(BX*1), R10")
	if w.R == "Z" {
		w.tileAtOnce()
	} else {
		w.tileByRows()
	}
	w.End()
}

func (w width) tileAtOnce() {
	w.Emit("LEAQ (SI)(BX*1), R11")
	w.Emit("LEAQ (R11)(BX*1), R12")
	w.Emit("LEAQ (R12)(BX*1), R13")
	for i := range 16 {
		w.Emit("VPXORQ %[1]s, %[1]s, %[1]s", w.Reg(16+i))
	}
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	for c, y := range []string{"DX", "R8", "R9", "R10"} {
		w.Emit("VMOVUPD (%s)(AX*1), %s", y, w.Reg(c))
	}
	for r, x := range []string{"SI", "R11", "R12", "R13"} {
		w.Emit("VMOVUPD (%s)(AX*1), %s", x, w.Reg(4+r))
		for c := range 4 {
			d := w.Reg(8 + (4*r+c)%8)
			w.Emit("VSUBPD %s, %s, %s", w.Reg(c), w.Reg(4+r), d)
			w.Emit("VFMADD231PD %[1]s, %[1]s, %[2]s", d, w.Reg(16+4*r+c))
		}
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	lower := w.narrow("Y") // folding takes registers below 16
	for i := range 16 {
		w.Emit("VEXTRACTF64X4 $1, Z%d, Y0", 16+i)
		w.Emit("VADDPD Y0, Y%d, Y0", 16+i)
		lower.Fold("VADDPD", "D", 0, 1)
		w.Emit("VADDSD %d(DI), X0, X0", 8*i)
		w.Emit("VMOVSD X0, %d(DI)", 8*i)
	}
}

func (w width) tileByRows() {
	w.Emit("MOVQ $4, R13")
	w.Label("row")
	for i := range 8 {
		w.Emit("VXORPD %[1]s, %[1]s, %[1]s", w.Reg(i))
	}
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	for half := range 2 {
		w.Emit("VMOVUPD %d(SI)(AX*1), %s", 32*half, w.Reg(8+half))
		for c, y := range []string{"DX", "R8", "R9", "R10"} {
			d := w.Reg(10 + c)
			w.Emit("VSUBPD %d(%s)(AX*1), %s, %s", 32*half, y, w.Reg(8+half), d)
			w.Emit("VFMADD231PD %[1]s, %[1]s, %[2]s", d, w.Reg(2*c+half))
		}
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	for c := range 4 {
		w.Emit("VADDPD %s, %s, %s", w.Reg(2*c+1), w.Reg(2*c), w.Reg(2*c))
		w.Fold("VADDPD", "D", 2*c, 15)
		w.Emit("VADDSD %d(DI), X%d, X%d", 8*c, 2*c, 2*c)
		w.Emit("VMOVSD X%d, %d(DI)", 2*c, 8*c)
	}
	w.Emit("ADDQ $32, DI")
	w.Emit("ADDQ BX, SI")
	w.Emit("DECQ R13")
	w.Emit("JNZ row")
}
