// The row operations on integers, and of neighbor searches.

package main

import "fmt"

// integerRows writes the row operations on integers.
func (a *assembler) integerRows() {
	a.sumBytes()
	a.sumSquareBytes()
	a.finishRow()
}

func (a *assembler) sumBytes() {
	a.function("sumBytesAVX2", "(x *byte, blocks int) uint64", "is the sum of 32·blocks bytes.", 24)
	a.emit("MOVQ x+0(FP), SI")
	a.emit("MOVQ blocks+8(FP), CX")
	a.emit("VPXOR Y0, Y0, Y0")
	a.emit("VPXOR Y1, Y1, Y1")
	a.label("loop")
	a.emit("VPSADBW (SI), Y1, Y2")
	a.emit("VPADDQ Y2, Y0, Y0")
	a.emit("ADDQ $32, SI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.emit("VEXTRACTI128 $1, Y0, X1")
	a.emit("VPADDQ X1, X0, X0")
	a.emit("VPSRLDQ $8, X0, X1")
	a.emit("VPADDQ X1, X0, X0")
	a.emit("VMOVQ X0, AX")
	a.emit("MOVQ AX, ret+16(FP)")
	a.end()
}

func (a *assembler) sumSquareBytes() {
	a.function("sumSquareBytesAVX2", "(x *byte, blocks int) uint32",
		"is the sum of the squares of 32·blocks bytes modulo 2³².", 20)
	a.emit("MOVQ x+0(FP), SI")
	a.emit("MOVQ blocks+8(FP), CX")
	a.emit("VPXOR Y0, Y0, Y0")
	a.emit("VPXOR Y1, Y1, Y1")
	a.label("loop")
	a.emit("VPMOVZXBW (SI), Y2")
	a.emit("VPMOVZXBW 16(SI), Y3")
	a.emit("VPMADDWD Y2, Y2, Y2")
	a.emit("VPMADDWD Y3, Y3, Y3")
	a.emit("VPADDD Y2, Y0, Y0")
	a.emit("VPADDD Y3, Y1, Y1")
	a.emit("ADDQ $32, SI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.emit("VPADDD Y1, Y0, Y0")
	a.emit("VEXTRACTI128 $1, Y0, X1")
	a.emit("VPADDD X1, X0, X0")
	a.emit("VPSRLDQ $8, X0, X1")
	a.emit("VPADDD X1, X0, X0")
	a.emit("VPSRLDQ $4, X0, X1")
	a.emit("VPADDD X1, X0, X0")
	a.emit("VMOVD X0, AX")
	a.emit("MOVL AX, ret+16(FP)")
	a.end()
}

func (a *assembler) finishRow() {
	a.function("finishRowAVX2", "(c, squares *int32, blocks int, term int32)",
		"is c[j] ← term + squares[j] − 2·c[j] for 8·blocks elements.", 28)
	a.emit("MOVQ c+0(FP), DI")
	a.emit("MOVQ squares+8(FP), SI")
	a.emit("MOVQ blocks+16(FP), CX")
	a.emit("MOVL term+24(FP), AX")
	a.emit("VMOVD AX, X0")
	a.emit("VPBROADCASTD X0, Y0")
	a.label("loop")
	a.emit("VPADDD (SI), Y0, Y1")
	a.emit("VMOVDQU (DI), Y2")
	a.emit("VPADDD Y2, Y2, Y2")
	a.emit("VPSUBD Y2, Y1, Y1")
	a.emit("VMOVDQU Y1, (DI)")
	a.emit("ADDQ $32, SI")
	a.emit("ADDQ $32, DI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}

// distanceGroups is kernel.DistanceGroups.
const distanceGroups = 32

// scans writes the row operations of neighbor searches.
func (a *assembler) scans() {
	a.groupSquares()
	a.scaleShift()
	a.narrowShifted()
	a.quantizeShifted("quantizeShifted32AVX2", "float32")
	a.quantizeShifted("quantizeShifted64AVX2", "float64")
	a.finishDistances()
	for _, w := range a.widths() {
		w.nearDistances()
		w.leastDistances()
		w.countAtMost()
	}
	a.indices("atMostFloat32AVX2", "≤", "float32", "VCMPPS $2, Y0, Y1, Y2") // false for NaN
	a.indices("belowInt32AVX2", "<", "int32", "VPCMPGTD Y1, Y0, Y2")        // limit > x
	a.steps("stepsFloat32AVX2", "float32")
	a.steps("stepsInt32AVX2", "int32")
}

func (a *assembler) groupSquares() {
	a.function("groupSquaresAVX2", "(dst, falling *float64, x *float32, weights *[squaresGroup]float64, groups int)",
		"sets dst[g] to the sum of the squares of sixteen elements and falling[g] to their weighted sum.", 40)
	a.emit("MOVQ dst+0(FP), DI")
	a.emit("MOVQ falling+8(FP), R8")
	a.emit("MOVQ x+16(FP), SI")
	a.emit("MOVQ weights+24(FP), DX")
	a.emit("MOVQ groups+32(FP), CX")
	for k := range 4 {
		a.emit("VMOVUPD %d(DX), Y%d", 32*k, 12+k)
	}
	a.label("loop")
	for k := range 4 { // squares and weighted squares of float32 numbers are exact
		square, weighted := k+2, 6
		if k == 0 {
			square, weighted = 0, 1
		}
		a.emit("VCVTPS2PD %d(SI), Y%d", 16*k, square)
		a.emit("VMULPD Y%[1]d, Y%[1]d, Y%[1]d", square)
		a.emit("VMULPD Y%d, Y%d, Y%d", square, 12+k, weighted)
		if k > 0 {
			a.emit("VADDPD Y%d, Y0, Y0", square)
			a.emit("VADDPD Y%d, Y1, Y1", weighted)
		}
	}
	for v, to := range []string{"DI", "R8"} {
		a.emit("VEXTRACTF128 $1, Y%d, X2", v)
		a.emit("VADDPD X2, X%[1]d, X%[1]d", v)
		a.emit("VUNPCKHPD X%[1]d, X%[1]d, X2", v)
		a.emit("VADDSD X2, X%[1]d, X%[1]d", v)
		a.emit("VMOVSD X%d, (%s)", v, to)
		a.emit("ADDQ $8, %s", to)
	}
	a.emit("ADDQ $64, SI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}

func (a *assembler) scaleShift() {
	a.function("scaleShiftFloat32AVX2", "(dst, src, shift *float32, blocks int, scale float32)",
		"is dst[k] ← src[k]·scale − shift[k] for 8·blocks elements.", 36)
	a.emit("MOVQ dst+0(FP), DI")
	a.emit("MOVQ src+8(FP), SI")
	a.emit("MOVQ shift+16(FP), DX")
	a.emit("MOVQ blocks+24(FP), CX")
	a.emit("VBROADCASTSS scale+32(FP), Y0")
	a.label("loop")
	a.emit("VMULPS (SI), Y0, Y1")
	a.emit("VSUBPS (DX), Y1, Y1")
	a.emit("VMOVUPS Y1, (DI)")
	a.emit("ADDQ $32, SI")
	a.emit("ADDQ $32, DX")
	a.emit("ADDQ $32, DI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}

func (a *assembler) narrowShifted() {
	a.function("narrowShiftedAVX2", "(dst *float32, x, shift *float64, blocks int, scale float64)",
		"is dst[k] ← x[k]·scale − shift[k] for 8·blocks elements.", 40)
	a.emit("MOVQ dst+0(FP), DI")
	a.emit("MOVQ x+8(FP), SI")
	a.emit("MOVQ shift+16(FP), DX")
	a.emit("MOVQ blocks+24(FP), CX")
	a.emit("VBROADCASTSD scale+32(FP), Y0")
	a.label("loop")
	for half := range 2 {
		a.emit("VMULPD %d(SI), Y0, Y%d", 32*half, 1+half)
		a.emit("VSUBPD %[1]d(DX), Y%[2]d, Y%[2]d", 32*half, 1+half)
		a.emit("VCVTPD2PSY Y%[1]d, X%[1]d", 1+half)
		a.emit("VMOVUPS X%d, %d(DI)", 1+half, 16*half)
	}
	a.emit("ADDQ $64, SI")
	a.emit("ADDQ $64, DX")
	a.emit("ADDQ $32, DI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}

// quantizeShifted keeps the sums of the squares in registers: four of the rounding errors, Y8 and Y9, and four of the
// integers, Y10 and Y11.
func (a *assembler) quantizeShifted(name, element string) {
	a.function(name, fmt.Sprintf("(dst *int16, x *%s, shift *float64, sums *[16]float64, blocks int, scale, most float64)", element),
		"is dst[k] ← x[k]·scale − shift[k], rounded to integers and bounded, for 8·blocks elements; see QuantizeShifted.", 56)
	for at, r := range []string{"DI", "SI", "DX", "R8", "CX"} {
		a.emit("MOVQ %s+%d(FP), %s", []string{"dst", "x", "shift", "sums", "blocks"}[at], 8*at, r)
	}
	a.emit("VBROADCASTSD scale+40(FP), Y0")
	a.emit("VBROADCASTSD most+48(FP), Y1")
	a.emit("VXORPD Y2, Y2, Y2")
	a.emit("VSUBPD Y1, Y2, Y2")
	for i := range 4 {
		a.emit("VMOVUPD %d(R8), Y%d", 32*i, 8+i)
	}
	a.label("loop")
	for half := range 2 {
		t, q := 3+2*half, 4+2*half
		if element == "float32" {
			a.emit("VCVTPS2PD %d(SI), Y%d", 16*half, t)
			a.emit("VMULPD Y%[1]d, Y0, Y%[1]d", t)
		} else {
			a.emit("VMULPD %d(SI), Y0, Y%d", 32*half, t)
		}
		a.emit("VSUBPD %[1]d(DX), Y%[2]d, Y%[2]d", 32*half, t)
		a.emit("VROUNDPD $8, Y%d, Y%d", t, q)
		a.emit("VMINPD Y1, Y%[1]d, Y%[1]d", q)
		a.emit("VMAXPD Y2, Y%[1]d, Y%[1]d", q)
		a.emit("VSUBPD Y%[2]d, Y%[1]d, Y%[1]d", t, q)
		a.emit("VFMADD231PD Y%[1]d, Y%[1]d, Y%[2]d", t, 8+half)
		a.emit("VFMADD231PD Y%[1]d, Y%[1]d, Y%[2]d", q, 10+half)
		a.emit("VCVTPD2DQY Y%d, X%d", q, q)
	}
	a.emit("VPACKSSDW X6, X4, X4")
	a.emit("VMOVDQU X4, (DI)")
	a.emit("ADDQ $%d, SI", map[string]int{"float32": 32, "float64": 64}[element])
	a.emit("ADDQ $64, DX")
	a.emit("ADDQ $16, DI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	for i := range 4 {
		a.emit("VMOVUPD Y%d, %d(R8)", 8+i, 32*i)
	}
	a.end()
}

func (a *assembler) finishDistances() {
	a.function("finishDistancesAVX2", "(c, norms *float32, blocks int, norm float32)",
		"is c[j] ← (norm + norms[j]) − 2·c[j] for 8·blocks elements.", 28)
	a.emit("MOVQ c+0(FP), DI")
	a.emit("MOVQ norms+8(FP), SI")
	a.emit("MOVQ blocks+16(FP), CX")
	a.emit("VBROADCASTSS norm+24(FP), Y0")
	a.label("loop")
	a.emit("VADDPS (SI), Y0, Y1")
	a.emit("VMOVUPS (DI), Y2")
	a.emit("VADDPS Y2, Y2, Y2")
	a.emit("VSUBPS Y2, Y1, Y1")
	a.emit("VMOVUPS Y1, (DI)")
	a.emit("ADDQ $32, SI")
	a.emit("ADDQ $32, DI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}

// appendIndices appends to the list at this register the indices R8 + i of the bits i that are set in AX, with the
// flags of AX.
func (a *assembler) appendIndices(list string) {
	a.emit("JZ next")
	a.label("bits")
	a.emit("TZCNTL AX, BX")
	a.emit("ADDL R8, BX")
	a.emit("MOVL BX, (%s)", list)
	a.emit("ADDQ $4, %s", list)
	a.emit("BLSRL AX, AX")
	a.emit("JNZ bits")
	a.label("next")
}

func (w width) nearDistances() {
	lanes, v := w.bytes/4, w.r
	w.function("nearDistances"+w.name, "(dst *int32, c, norms, limits *float32, blocks int, norm, limit float32) int",
		fmt.Sprintf("writes the indices of the distances (norm + norms[j]) − 2·c[j] among %d·blocks that are at most limit or limits[j] "+
			"and returns their number.", lanes), 56)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ c+8(FP), SI")
	w.emit("MOVQ norms+16(FP), DX")
	w.emit("MOVQ limits+24(FP), R10")
	w.emit("MOVQ blocks+32(FP), CX")
	w.emit("VBROADCASTSS norm+40(FP), %s0", v)
	w.emit("VBROADCASTSS limit+44(FP), %s3", v)
	w.emit("XORL R8, R8")
	w.emit("MOVQ DI, R9")
	w.label("loop")
	w.emit("VADDPS (DX), %s0, %s1", v, v)
	w.emit("VMOVUPS (SI), %s2", v)
	w.emit("VADDPS %s2, %s2, %s2", v, v, v)
	w.emit("VSUBPS %s2, %s1, %s1", v, v, v)
	w.emit("VMAXPS (R10), %s3, %s4", v, v)
	if lanes == 16 {
		w.emit("VCMPPS $2, Z4, Z1, K1")
		w.emit("KMOVW K1, AX")
	} else {
		w.emit("VCMPPS $2, Y4, Y1, Y2")
		w.emit("VMOVMSKPS Y2, AX")
	}
	w.emit("TESTL AX, AX")
	w.appendIndices("DI")
	for _, p := range []string{"SI", "DX", "R10"} {
		w.emit("ADDQ $%d, %s", w.bytes, p)
	}
	w.emit("ADDL $%d, R8", lanes)
	w.emit("DECQ CX")
	w.emit("JNZ loop")
	w.emit("SUBQ R9, DI")
	w.emit("SHRQ $2, DI")
	w.emit("MOVQ DI, ret+48(FP)")
	w.end()
}

func (w width) leastDistances() {
	vectors := 4 * distanceGroups / w.bytes
	w.function("leastDistances"+w.name, "(least, c, norms *float32, blocks int, norm float32)",
		fmt.Sprintf("lowers least[g] to the least of the distances (norm + norms[j]) − 2·c[j] with j mod %[1]d = g, among %[1]d·blocks.", distanceGroups), 36)
	w.emit("MOVQ least+0(FP), DI")
	w.emit("MOVQ c+8(FP), SI")
	w.emit("MOVQ norms+16(FP), DX")
	w.emit("MOVQ blocks+24(FP), CX")
	w.emit("VBROADCASTSS norm+32(FP), %s", w.reg(2*vectors))
	for v := range vectors {
		w.emit("VMOVUPS %d(DI), %s", v*w.bytes, w.reg(v))
	}
	w.label("loop")
	for v := range vectors {
		d, x := w.reg(vectors+v), w.reg(2*vectors+1)
		w.emit("VADDPS %d(DX), %s, %s", v*w.bytes, w.reg(2*vectors), d)
		w.emit("VMOVUPS %d(SI), %s", v*w.bytes, x)
		w.emit("VADDPS %s, %s, %s", x, x, x)
		w.emit("VSUBPS %s, %s, %s", x, d, d)
		w.emit("VMINPS %s, %s, %s", w.reg(v), d, w.reg(v)) // keeps the old value against NaN
	}
	w.emit("ADDQ $%d, SI", 4*distanceGroups)
	w.emit("ADDQ $%d, DX", 4*distanceGroups)
	w.emit("DECQ CX")
	w.emit("JNZ loop")
	for v := range vectors {
		w.emit("VMOVUPS %s, %d(DI)", w.reg(v), v*w.bytes)
	}
	w.end()
}

// countAtMost counts by columns: limits and counts of a block of columns stay in registers while all rows go by.
func (w width) countAtMost() {
	lanes, v := w.bytes/4, w.r
	w.function("countAtMost"+w.name, "(counts *int32, tile, limits *float32, rows, blocks, stride, width int)",
		fmt.Sprintf("adds to counts[q·width+j] the number of rows with tile[r·stride+j] ≤ limits[q·width+j], for 4 q and %d·blocks j. "+
			"There is a row.", lanes), 56)
	for at, r := range []string{"DI", "SI", "DX", "R8", "CX", "R10", "R11"} {
		w.emit("MOVQ %s+%d(FP), %s", []string{"counts", "tile", "limits", "rows", "blocks", "stride", "width"}[at], 8*at, r)
	}
	w.emit("SHLQ $2, R10")
	w.emit("SHLQ $2, R11")
	w.emit("LEAQ (R11)(R11*2), R12")
	rows := []string{"(%s)", "(%s)(R11*1)", "(%s)(R11*2)", "(%s)(R12*1)"}
	if lanes == 16 {
		w.emit("VPTERNLOGD $255, Z15, Z15, Z15")
	}
	w.label("columns")
	for q, row := range rows {
		w.emit("VMOVUPS "+row+", %s%d", "DX", v, q)
		w.emit("VMOVUPS "+row+", %s%d", "DI", v, 8+q)
	}
	w.emit("MOVQ SI, R9")
	w.emit("MOVQ R8, AX")
	w.label("rows")
	w.emit("VMOVUPS (R9), %s4", v)
	for q := range rows {
		if lanes == 16 {
			w.emit("VCMPPS $2, Z%d, Z4, K%d", q, 1+q)
		} else {
			w.emit("VCMPPS $2, Y%d, Y4, Y%d", q, []int{5, 6, 7, 12}[q])
		}
	}
	for q := range rows {
		if lanes == 16 {
			w.emit("VPSUBD Z15, Z%[1]d, K%[2]d, Z%[1]d", 8+q, 1+q)
		} else {
			w.emit("VPSUBD Y%[2]d, Y%[1]d, Y%[1]d", 8+q, []int{5, 6, 7, 12}[q])
		}
	}
	w.emit("ADDQ R10, R9")
	w.emit("DECQ AX")
	w.emit("JNZ rows")
	for q, row := range rows {
		w.emit("VMOVUPS %s%d, "+row, v, 8+q, "DI")
	}
	for _, p := range []string{"DI", "SI", "DX"} {
		w.emit("ADDQ $%d, %s", w.bytes, p)
	}
	w.emit("DECQ CX")
	w.emit("JNZ columns")
	w.end()
}

// indices writes a search for the elements that satisfy the comparison instruction with the limit in Y0.
func (a *assembler) indices(name, relation, element, compare string) {
	a.function(name, fmt.Sprintf("(dst *int32, x *%[1]s, blocks int, limit %[1]s, first int32) int", element),
		"writes the indices of the elements "+relation+" limit among 8·blocks, from first on, and returns their number.", 40)
	a.emit("MOVQ dst+0(FP), DI")
	a.emit("MOVQ x+8(FP), SI")
	a.emit("MOVQ blocks+16(FP), CX")
	if element == "int32" {
		a.emit("MOVL limit+24(FP), AX")
		a.emit("VMOVD AX, X0")
		a.emit("VPBROADCASTD X0, Y0")
	} else {
		a.emit("VBROADCASTSS limit+24(FP), Y0")
	}
	a.emit("MOVL first+28(FP), R8")
	a.emit("MOVQ DI, R9")
	a.label("loop")
	a.emit("VMOVDQU (SI), Y1")
	a.emit("%s", compare)
	a.emit("VMOVMSKPS Y2, AX")
	a.emit("TESTL AX, AX")
	a.appendIndices("DI")
	a.emit("ADDQ $32, SI")
	a.emit("ADDL $8, R8")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.emit("SUBQ R9, DI")
	a.emit("SHRQ $2, DI")
	a.emit("MOVQ DI, ret+32(FP)")
	a.end()
}

// steps writes the division of elements into equal steps.
func (a *assembler) steps(name, element string) {
	a.function(name, fmt.Sprintf("(dst *uint16, x *%[1]s, blocks int, first %[1]s, scale, last float32)", element),
		"sets dst[k] to 1 + (x[k] − first)·scale, rounded down, between 0 and last, for 16·blocks elements.", 36)
	a.emit("MOVQ dst+0(FP), DI")
	a.emit("MOVQ x+8(FP), SI")
	a.emit("MOVQ blocks+16(FP), CX")
	if element == "int32" {
		a.emit("MOVL first+24(FP), AX")
		a.emit("VMOVD AX, X0")
		a.emit("VPBROADCASTD X0, Y0")
	} else {
		a.emit("VBROADCASTSS first+24(FP), Y0")
	}
	a.emit("VBROADCASTSS scale+28(FP), Y1")
	a.emit("VBROADCASTSS last+32(FP), Y2")
	a.emit("MOVL $0x3f800000, AX") // 1
	a.emit("VMOVD AX, X3")
	a.emit("VPBROADCASTD X3, Y3")
	a.emit("VXORPS Y4, Y4, Y4")
	a.label("loop")
	for half := range 2 {
		a.emit("VMOVDQU %d(SI), Y%d", 32*half, 5+half)
	}
	operations := []string{"VSUBPS Y0, %[1]s, %[1]s"}
	if element == "int32" {
		operations = []string{"VPSUBD Y0, %[1]s, %[1]s", "VCVTDQ2PS %[1]s, %[1]s"}
	}
	operations = append(operations, "VMULPS Y1, %[1]s, %[1]s",
		"VADDPS Y3, %[1]s, %[1]s", "VMINPS Y2, %[1]s, %[1]s", "VMAXPS Y4, %[1]s, %[1]s",
		"VCVTTPS2DQ %[1]s, %[1]s")
	for _, format := range operations {
		a.emit(format, "Y5")
		a.emit(format, "Y6")
	}
	a.emit("VPACKUSDW Y6, Y5, Y5")
	a.emit("VPERMQ $0xd8, Y5, Y5")
	a.emit("VMOVDQU Y5, (DI)")
	a.emit("ADDQ $64, SI")
	a.emit("ADDQ $32, DI")
	a.emit("DECQ CX")
	a.emit("JNZ loop")
	a.end()
}
