// The row operations on integers, and of neighbor searches.

package kernels

import "fmt"

// integerRows writes the row operations on integers.
func (a *assembler) integerRows() {
	a.sumBytes()
	a.sumSquareBytes()
	a.finishRow()
}

func (a *assembler) sumBytes() {
	a.Function("sumBytesAVX2", "(x *byte, blocks int) uint64", "is the sum of 32·blocks bytes.", 24)
	a.Emit("MOVQ x+0(FP), SI")
	a.Emit("MOVQ blocks+8(FP), CX")
	a.Emit("VPXOR Y0, Y0, Y0")
	a.Emit("VPXOR Y1, Y1, Y1")
	a.Label("loop")
	a.Emit("VPSADBW (SI), Y1, Y2")
	a.Emit("VPADDQ Y2, Y0, Y0")
	a.Emit("ADDQ $32, SI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.Emit("VEXTRACTI128 $1, Y0, X1")
	a.Emit("VPADDQ X1, X0, X0")
	a.Emit("VPSRLDQ $8, X0, X1")
	a.Emit("VPADDQ X1, X0, X0")
	a.Emit("VMOVQ X0, AX")
	a.Emit("MOVQ AX, ret+16(FP)")
	a.End()
}

func (a *assembler) sumSquareBytes() {
	a.Function("sumSquareBytesAVX2", "(x *byte, blocks int) uint32",
		"is the sum of the squares of 32·blocks bytes modulo 2³².", 20)
	a.Emit("MOVQ x+0(FP), SI")
	a.Emit("MOVQ blocks+8(FP), CX")
	a.Emit("VPXOR Y0, Y0, Y0")
	a.Emit("VPXOR Y1, Y1, Y1")
	a.Label("loop")
	a.Emit("VPMOVZXBW (SI), Y2")
	a.Emit("VPMOVZXBW 16(SI), Y3")
	a.Emit("VPMADDWD Y2, Y2, Y2")
	a.Emit("VPMADDWD Y3, Y3, Y3")
	a.Emit("VPADDD Y2, Y0, Y0")
	a.Emit("VPADDD Y3, Y1, Y1")
	a.Emit("ADDQ $32, SI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.Emit("VPADDD Y1, Y0, Y0")
	a.Emit("VEXTRACTI128 $1, Y0, X1")
	a.Emit("VPADDD X1, X0, X0")
	a.Emit("VPSRLDQ $8, X0, X1")
	a.Emit("VPADDD X1, X0, X0")
	a.Emit("VPSRLDQ $4, X0, X1")
	a.Emit("VPADDD X1, X0, X0")
	a.Emit("VMOVD X0, AX")
	a.Emit("MOVL AX, ret+16(FP)")
	a.End()
}

func (a *assembler) finishRow() {
	a.Function("finishRowAVX2", "(c, squares *int32, blocks int, term int32)",
		"is c[j] ← term + squares[j] − 2·c[j] for 8·blocks elements.", 28)
	a.Emit("MOVQ c+0(FP), DI")
	a.Emit("MOVQ squares+8(FP), SI")
	a.Emit("MOVQ blocks+16(FP), CX")
	a.Emit("MOVL term+24(FP), AX")
	a.Emit("VMOVD AX, X0")
	a.Emit("VPBROADCASTD X0, Y0")
	a.Label("loop")
	a.Emit("VPADDD (SI), Y0, Y1")
	a.Emit("VMOVDQU (DI), Y2")
	a.Emit("VPADDD Y2, Y2, Y2")
	a.Emit("VPSUBD Y2, Y1, Y1")
	a.Emit("VMOVDQU Y1, (DI)")
	a.Emit("ADDQ $32, SI")
	a.Emit("ADDQ $32, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
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
	a.Function("groupSquaresAVX2", "(dst, falling *float64, x *float32, weights *[squaresGroup]float64, groups int)",
		"sets dst[g] to the sum of the squares of sixteen elements and falling[g] to their weighted sum.", 40)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ falling+8(FP), R8")
	a.Emit("MOVQ x+16(FP), SI")
	a.Emit("MOVQ weights+24(FP), DX")
	a.Emit("MOVQ groups+32(FP), CX")
	for k := range 4 {
		a.Emit("VMOVUPD %d(DX), Y%d", 32*k, 12+k)
	}
	a.Label("loop")
	for k := range 4 { // squares and weighted squares of float32 numbers are exact
		square, weighted := k+2, 6
		if k == 0 {
			square, weighted = 0, 1
		}
		a.Emit("VCVTPS2PD %d(SI), Y%d", 16*k, square)
		a.Emit("VMULPD Y%[1]d, Y%[1]d, Y%[1]d", square)
		a.Emit("VMULPD Y%d, Y%d, Y%d", square, 12+k, weighted)
		if k > 0 {
			a.Emit("VADDPD Y%d, Y0, Y0", square)
			a.Emit("VADDPD Y%d, Y1, Y1", weighted)
		}
	}
	for v, to := range []string{"DI", "R8"} {
		a.Emit("VEXTRACTF128 $1, Y%d, X2", v)
		a.Emit("VADDPD X2, X%[1]d, X%[1]d", v)
		a.Emit("VUNPCKHPD X%[1]d, X%[1]d, X2", v)
		a.Emit("VADDSD X2, X%[1]d, X%[1]d", v)
		a.Emit("VMOVSD X%d, (%s)", v, to)
		a.Emit("ADDQ $8, %s", to)
	}
	a.Emit("ADDQ $64, SI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

func (a *assembler) scaleShift() {
	a.Function("scaleShiftFloat32AVX2", "(dst, src, shift *float32, blocks int, scale float32)",
		"is dst[k] ← src[k]·scale − shift[k] for 8·blocks elements.", 36)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ src+8(FP), SI")
	a.Emit("MOVQ shift+16(FP), DX")
	a.Emit("MOVQ blocks+24(FP), CX")
	a.Emit("VBROADCASTSS scale+32(FP), Y0")
	a.Label("loop")
	a.Emit("VMULPS (SI), Y0, Y1")
	a.Emit("VSUBPS (DX), Y1, Y1")
	a.Emit("VMOVUPS Y1, (DI)")
	a.Emit("ADDQ $32, SI")
	a.Emit("ADDQ $32, DX")
	a.Emit("ADDQ $32, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

func (a *assembler) narrowShifted() {
	a.Function("narrowShiftedAVX2", "(dst *float32, x, shift *float64, blocks int, scale float64)",
		"is dst[k] ← x[k]·scale − shift[k] for 8·blocks elements.", 40)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ x+8(FP), SI")
	a.Emit("MOVQ shift+16(FP), DX")
	a.Emit("MOVQ blocks+24(FP), CX")
	a.Emit("VBROADCASTSD scale+32(FP), Y0")
	a.Label("loop")
	for half := range 2 {
		a.Emit("VMULPD %d(SI), Y0, Y%d", 32*half, 1+half)
		a.Emit("VSUBPD %[1]d(DX), Y%[2]d, Y%[2]d", 32*half, 1+half)
		a.Emit("VCVTPD2PSY Y%[1]d, X%[1]d", 1+half)
		a.Emit("VMOVUPS X%d, %d(DI)", 1+half, 16*half)
	}
	a.Emit("ADDQ $64, SI")
	a.Emit("ADDQ $64, DX")
	a.Emit("ADDQ $32, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

// quantizeShifted keeps the sums of the squares in registers: four of the rounding errors, Y8 and Y9, and four of the
// integers, Y10 and Y11.
func (a *assembler) quantizeShifted(name, element string) {
	a.Function(name, fmt.Sprintf("(dst *int16, x *%s, shift *float64, sums *[16]float64, blocks int, scale, most float64)", element),
		"is dst[k] ← x[k]·scale − shift[k], rounded to integers and bounded, for 8·blocks elements; see QuantizeShifted.", 56)
	for at, r := range []string{"DI", "SI", "DX", "R8", "CX"} {
		a.Emit("MOVQ %s+%d(FP), %s", []string{"dst", "x", "shift", "sums", "blocks"}[at], 8*at, r)
	}
	a.Emit("VBROADCASTSD scale+40(FP), Y0")
	a.Emit("VBROADCASTSD most+48(FP), Y1")
	a.Emit("VXORPD Y2, Y2, Y2")
	a.Emit("VSUBPD Y1, Y2, Y2")
	for i := range 4 {
		a.Emit("VMOVUPD %d(R8), Y%d", 32*i, 8+i)
	}
	a.Label("loop")
	for half := range 2 {
		t, q := 3+2*half, 4+2*half
		if element == "float32" {
			a.Emit("VCVTPS2PD %d(SI), Y%d", 16*half, t)
			a.Emit("VMULPD Y%[1]d, Y0, Y%[1]d", t)
		} else {
			a.Emit("VMULPD %d(SI), Y0, Y%d", 32*half, t)
		}
		a.Emit("VSUBPD %[1]d(DX), Y%[2]d, Y%[2]d", 32*half, t)
		a.Emit("VROUNDPD $8, Y%d, Y%d", t, q)
		a.Emit("VMINPD Y1, Y%[1]d, Y%[1]d", q)
		a.Emit("VMAXPD Y2, Y%[1]d, Y%[1]d", q)
		a.Emit("VSUBPD Y%[2]d, Y%[1]d, Y%[1]d", t, q)
		a.Emit("VFMADD231PD Y%[1]d, Y%[1]d, Y%[2]d", t, 8+half)
		a.Emit("VFMADD231PD Y%[1]d, Y%[1]d, Y%[2]d", q, 10+half)
		a.Emit("VCVTPD2DQY Y%d, X%d", q, q)
	}
	a.Emit("VPACKSSDW X6, X4, X4")
	a.Emit("VMOVDQU X4, (DI)")
	a.Emit("ADDQ $%d, SI", map[string]int{"float32": 32, "float64": 64}[element])
	a.Emit("ADDQ $64, DX")
	a.Emit("ADDQ $16, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	for i := range 4 {
		a.Emit("VMOVUPD Y%d, %d(R8)", 8+i, 32*i)
	}
	a.End()
}

func (a *assembler) finishDistances() {
	a.Function("finishDistancesAVX2", "(c, norms *float32, blocks int, norm float32)",
		"is c[j] ← (norm + norms[j]) − 2·c[j] for 8·blocks elements.", 28)
	a.Emit("MOVQ c+0(FP), DI")
	a.Emit("MOVQ norms+8(FP), SI")
	a.Emit("MOVQ blocks+16(FP), CX")
	a.Emit("VBROADCASTSS norm+24(FP), Y0")
	a.Label("loop")
	a.Emit("VADDPS (SI), Y0, Y1")
	a.Emit("VMOVUPS (DI), Y2")
	a.Emit("VADDPS Y2, Y2, Y2")
	a.Emit("VSUBPS Y2, Y1, Y1")
	a.Emit("VMOVUPS Y1, (DI)")
	a.Emit("ADDQ $32, SI")
	a.Emit("ADDQ $32, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

// appendIndices appends to the list at this register the indices R8 + i of the bits i that are set in AX, with the
// flags of AX.
func (a *assembler) appendIndices(list string) {
	a.Emit("JZ next")
	a.Label("bits")
	a.Emit("TZCNTL AX, BX")
	a.Emit("ADDL R8, BX")
	a.Emit("MOVL BX, (%s)", list)
	a.Emit("ADDQ $4, %s", list)
	a.Emit("BLSRL AX, AX")
	a.Emit("JNZ bits")
	a.Label("next")
}

func (w width) nearDistances() {
	lanes, v := w.Size/4, w.R
	w.Function("nearDistances"+w.Name, "(dst *int32, c, norms, limits *float32, blocks int, norm, limit float32) int",
		fmt.Sprintf("writes the indices of the distances (norm + norms[j]) − 2·c[j] among %d·blocks that are at most limit or limits[j] "+
			"and returns their number.", lanes), 56)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ c+8(FP), SI")
	w.Emit("MOVQ norms+16(FP), DX")
	w.Emit("MOVQ limits+24(FP), R10")
	w.Emit("MOVQ blocks+32(FP), CX")
	w.Emit("VBROADCASTSS norm+40(FP), %s0", v)
	w.Emit("VBROADCASTSS limit+44(FP), %s3", v)
	w.Emit("XORL R8, R8")
	w.Emit("MOVQ DI, R9")
	w.Label("loop")
	w.Emit("VADDPS (DX), %s0, %s1", v, v)
	w.Emit("VMOVUPS (SI), %s2", v)
	w.Emit("VADDPS %s2, %s2, %s2", v, v, v)
	w.Emit("VSUBPS %s2, %s1, %s1", v, v, v)
	w.Emit("VMAXPS (R10), %s3, %s4", v, v)
	if lanes == 16 {
		w.Emit("VCMPPS $2, Z4, Z1, K1")
		w.Emit("KMOVW K1, AX")
	} else {
		w.Emit("VCMPPS $2, Y4, Y1, Y2")
		w.Emit("VMOVMSKPS Y2, AX")
	}
	w.Emit("TESTL AX, AX")
	(&assembler{w.Assembler}).appendIndices("DI")
	for _, p := range []string{"SI", "DX", "R10"} {
		w.Emit("ADDQ $%d, %s", w.Size, p)
	}
	w.Emit("ADDL $%d, R8", lanes)
	w.Emit("DECQ CX")
	w.Emit("JNZ loop")
	w.Emit("SUBQ R9, DI")
	w.Emit("SHRQ $2, DI")
	w.Emit("MOVQ DI, ret+48(FP)")
	w.End()
}

func (w width) leastDistances() {
	vectors := 4 * distanceGroups / w.Size
	w.Function("leastDistances"+w.Name, "(least, c, norms *float32, blocks int, norm float32)",
		fmt.Sprintf("lowers least[g] to the least of the distances (norm + norms[j]) − 2·c[j] with j mod %[1]d = g, among %[1]d·blocks.", distanceGroups), 36)
	w.Emit("MOVQ least+0(FP), DI")
	w.Emit("MOVQ c+8(FP), SI")
	w.Emit("MOVQ norms+16(FP), DX")
	w.Emit("MOVQ blocks+24(FP), CX")
	w.Emit("VBROADCASTSS norm+32(FP), %s", w.Reg(2*vectors))
	for v := range vectors {
		w.Emit("VMOVUPS %d(DI), %s", v*w.Size, w.Reg(v))
	}
	w.Label("loop")
	for v := range vectors {
		d, x := w.Reg(vectors+v), w.Reg(2*vectors+1)
		w.Emit("VADDPS %d(DX), %s, %s", v*w.Size, w.Reg(2*vectors), d)
		w.Emit("VMOVUPS %d(SI), %s", v*w.Size, x)
		w.Emit("VADDPS %s, %s, %s", x, x, x)
		w.Emit("VSUBPS %s, %s, %s", x, d, d)
		w.Emit("VMINPS %s, %s, %s", w.Reg(v), d, w.Reg(v)) // keeps the old value against NaN
	}
	w.Emit("ADDQ $%d, SI", 4*distanceGroups)
	w.Emit("ADDQ $%d, DX", 4*distanceGroups)
	w.Emit("DECQ CX")
	w.Emit("JNZ loop")
	for v := range vectors {
		w.Emit("VMOVUPS %s, %d(DI)", w.Reg(v), v*w.Size)
	}
	w.End()
}

// countAtMost counts by columns: limits and counts of a block of columns stay in registers while all rows go by.
func (w width) countAtMost() {
	lanes, v := w.Size/4, w.R
	w.Function("countAtMost"+w.Name, "(counts *int32, tile, limits *float32, rows, blocks, stride, width int)",
		fmt.Sprintf("adds to counts[q·width+j] the number of rows with tile[r·stride+j] ≤ limits[q·width+j], for 4 q and %d·blocks j. "+
			"There is a row.", lanes), 56)
	for at, r := range []string{"DI", "SI", "DX", "R8", "CX", "R10", "R11"} {
		w.Emit("MOVQ %s+%d(FP), %s", []string{"counts", "tile", "limits", "rows", "blocks", "stride", "width"}[at], 8*at, r)
	}
	w.Emit("SHLQ $2, R10")
	w.Emit("SHLQ $2, R11")
	w.Emit("LEAQ (R11)(R11*2), R12")
	rows := []string{"(%s)", "(%s)(R11*1)", "(%s)(R11*2)", "(%s)(R12*1)"}
	if lanes == 16 {
		w.Emit("VPTERNLOGD $255, Z15, Z15, Z15")
	}
	w.Label("columns")
	for q, row := range rows {
		w.Emit("VMOVUPS "+row+", %s%d", "DX", v, q)
		w.Emit("VMOVUPS "+row+", %s%d", "DI", v, 8+q)
	}
	w.Emit("MOVQ SI, R9")
	w.Emit("MOVQ R8, AX")
	w.Label("rows")
	w.Emit("VMOVUPS (R9), %s4", v)
	for q := range rows {
		if lanes == 16 {
			w.Emit("VCMPPS $2, Z%d, Z4, K%d", q, 1+q)
		} else {
			w.Emit("VCMPPS $2, Y%d, Y4, Y%d", q, []int{5, 6, 7, 12}[q])
		}
	}
	for q := range rows {
		if lanes == 16 {
			w.Emit("VPSUBD Z15, Z%[1]d, K%[2]d, Z%[1]d", 8+q, 1+q)
		} else {
			w.Emit("VPSUBD Y%[2]d, Y%[1]d, Y%[1]d", 8+q, []int{5, 6, 7, 12}[q])
		}
	}
	w.Emit("ADDQ R10, R9")
	w.Emit("DECQ AX")
	w.Emit("JNZ rows")
	for q, row := range rows {
		w.Emit("VMOVUPS %s%d, "+row, v, 8+q, "DI")
	}
	for _, p := range []string{"DI", "SI", "DX"} {
		w.Emit("ADDQ $%d, %s", w.Size, p)
	}
	w.Emit("DECQ CX")
	w.Emit("JNZ columns")
	w.End()
}

// indices writes a search for the elements that satisfy the comparison instruction with the limit in Y0.
func (a *assembler) indices(name, relation, element, compare string) {
	a.Function(name, fmt.Sprintf("(dst *int32, x *%[1]s, blocks int, limit %[1]s, first int32) int", element),
		"writes the indices of the elements "+relation+" limit among 8·blocks, from first on, and returns their number.", 40)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ x+8(FP), SI")
	a.Emit("MOVQ blocks+16(FP), CX")
	if element == "int32" {
		a.Emit("MOVL limit+24(FP), AX")
		a.Emit("VMOVD AX, X0")
		a.Emit("VPBROADCASTD X0, Y0")
	} else {
		a.Emit("VBROADCASTSS limit+24(FP), Y0")
	}
	a.Emit("MOVL first+28(FP), R8")
	a.Emit("MOVQ DI, R9")
	a.Label("loop")
	a.Emit("VMOVDQU (SI), Y1")
	a.Emit("%s", compare)
	a.Emit("VMOVMSKPS Y2, AX")
	a.Emit("TESTL AX, AX")
	a.appendIndices("DI")
	a.Emit("ADDQ $32, SI")
	a.Emit("ADDL $8, R8")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.Emit("SUBQ R9, DI")
	a.Emit("SHRQ $2, DI")
	a.Emit("MOVQ DI, ret+32(FP)")
	a.End()
}

// steps writes the division of elements into equal steps.
func (a *assembler) steps(name, element string) {
	a.Function(name, fmt.Sprintf("(dst *uint16, x *%[1]s, blocks int, first %[1]s, scale, last float32)", element),
		"sets dst[k] to 1 + (x[k] − first)·scale, rounded down, between 0 and last, for 16·blocks elements.", 36)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ x+8(FP), SI")
	a.Emit("MOVQ blocks+16(FP), CX")
	if element == "int32" {
		a.Emit("MOVL first+24(FP), AX")
		a.Emit("VMOVD AX, X0")
		a.Emit("VPBROADCASTD X0, Y0")
	} else {
		a.Emit("VBROADCASTSS first+24(FP), Y0")
	}
	a.Emit("VBROADCASTSS scale+28(FP), Y1")
	a.Emit("VBROADCASTSS last+32(FP), Y2")
	a.Emit("MOVL $0x3f800000, AX") // 1
	a.Emit("VMOVD AX, X3")
	a.Emit("VPBROADCASTD X3, Y3")
	a.Emit("VXORPS Y4, Y4, Y4")
	a.Label("loop")
	for half := range 2 {
		a.Emit("VMOVDQU %d(SI), Y%d", 32*half, 5+half)
	}
	operations := []string{"VSUBPS Y0, %[1]s, %[1]s"}
	if element == "int32" {
		operations = []string{"VPSUBD Y0, %[1]s, %[1]s", "VCVTDQ2PS %[1]s, %[1]s"}
	}
	operations = append(operations, "VMULPS Y1, %[1]s, %[1]s",
		"VADDPS Y3, %[1]s, %[1]s", "VMINPS Y2, %[1]s, %[1]s", "VMAXPS Y4, %[1]s, %[1]s",
		"VCVTTPS2DQ %[1]s, %[1]s")
	for _, format := range operations {
		a.Emit(format, "Y5")
		a.Emit(format, "Y6")
	}
	a.Emit("VPACKUSDW Y6, Y5, Y5")
	a.Emit("VPERMQ $0xd8, Y5, Y5")
	a.Emit("VMOVDQU Y5, (DI)")
	a.Emit("ADDQ $64, SI")
	a.Emit("ADDQ $32, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}
