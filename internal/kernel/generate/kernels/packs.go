// The transposing copies from rows into panels.

package kernels

import "fmt"

// transpose4 turns Y0…Y3, rows of eight 32-bit values, into Y0…Y3 that hold
// the four rows' values of depths 0|4, 1|5, 2|6, 3|7 in their low|high halves.
func (a *assembler) transpose4() {
	a.Emit("VUNPCKLPS Y1, Y0, Y4")
	a.Emit("VUNPCKHPS Y1, Y0, Y5")
	a.Emit("VUNPCKLPS Y3, Y2, Y6")
	a.Emit("VUNPCKHPS Y3, Y2, Y7")
	a.Emit("VUNPCKLPD Y6, Y4, Y0")
	a.Emit("VUNPCKHPD Y6, Y4, Y1")
	a.Emit("VUNPCKLPD Y7, Y5, Y2")
	a.Emit("VUNPCKHPD Y7, Y5, Y3")
}

// packSource are the registers that point into the rows that are packed together.
var packSource = []string{"SI", "BX", "DX", "R11"}

// The depths of a block of a panel: from DI on and, four depths on, from R10 on, R8 bytes apart.
var (
	packLow  = []string{"(DI)", "(DI)(R8*1)", "(DI)(R8*2)", "(DI)(R9*1)"}
	packHigh = []string{"(R10)", "(R10)(R8*1)", "(R10)(R8*2)", "(R10)(R9*1)"}
)

// packs writes the transposing copies from rows into a panel.
func (a *assembler) packs() {
	for _, rows := range []int{4, 2} {
		a.packRows("packRows", "copies rows of 32-bit elements, each XORed with mask, into a panel, eight depths per block; "+
			"source and panel steps are in bytes.", rows, false)
	}
	for _, rows := range []int{4, 2} {
		a.packRows("packBytes", "copies rows of bytes, widened to pairs of 16 bits, into a panel, sixteen depths per block; "+
			"source and panel steps are in bytes.", rows, true)
	}
	a.packDoubles4()
	a.packDoubles2()
	for _, size := range []int{48, 64, 96, 128} {
		a.copyRows(size)
	}
}

// packDoubles4 writes the transposing copy of four rows of 64-bit elements.
func (a *assembler) packDoubles4() {
	a.Function("packDoubles4AVX2", "(panel, source *float64, sourceStep, panelStep, blocks int)",
		"copies four rows of 64-bit elements into a panel, four depths per block; source and panel steps are in bytes.", 40)
	a.Emit("MOVQ panel+0(FP), DI")
	a.Emit("MOVQ source+8(FP), SI")
	a.Emit("MOVQ sourceStep+16(FP), AX")
	a.Emit("MOVQ panelStep+24(FP), R8")
	a.Emit("MOVQ blocks+32(FP), CX")
	a.Emit("LEAQ (SI)(AX*1), BX")
	a.Emit("LEAQ (SI)(AX*2), DX")
	a.Emit("LEAQ (BX)(AX*2), R11")
	a.Emit("LEAQ (R8)(R8*2), R9")
	a.Label("loop")
	for i, p := range packSource {
		a.Emit("VMOVUPD (%s), Y%d", p, i)
	}
	// The rows that are packed next lie in other pages.
	for _, p := range packSource {
		a.Emit("PREFETCHT0 (%s)(AX*4)", p)
	}
	for _, p := range packSource {
		a.Emit("ADDQ $32, %s", p)
	}
	// Depths 0|2 and 1|3 of two rows in the low|high halves.
	a.Emit("VUNPCKLPD Y1, Y0, Y4")
	a.Emit("VUNPCKHPD Y1, Y0, Y5")
	a.Emit("VUNPCKLPD Y3, Y2, Y6")
	a.Emit("VUNPCKHPD Y3, Y2, Y7")
	for d, halves := range []string{"$0x20, Y6, Y4", "$0x20, Y7, Y5", "$0x31, Y6, Y4", "$0x31, Y7, Y5"} {
		a.Emit("VPERM2F128 %s, Y%d", halves, d)
		a.Emit("VMOVUPD Y%d, %s", d, packLow[d])
	}
	a.Emit("LEAQ (DI)(R8*4), DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

// packDoubles2 writes the packing of two rows.
func (a *assembler) packDoubles2() {
	a.Function("packDoubles2AVX2", "(panel, source *float64, sourceStep, panelStep, blocks int)",
		"copies two rows of 64-bit elements into a panel, two depths per block; source and panel steps are in bytes.", 40)
	a.Emit("MOVQ panel+0(FP), DI")
	a.Emit("MOVQ source+8(FP), SI")
	a.Emit("MOVQ sourceStep+16(FP), AX")
	a.Emit("MOVQ panelStep+24(FP), R8")
	a.Emit("MOVQ blocks+32(FP), CX")
	a.Label("loop")
	a.Emit("VMOVUPD (SI), X0")
	a.Emit("VMOVUPD (SI)(AX*1), X1")
	a.Emit("ADDQ $16, SI")
	a.Emit("VUNPCKLPD X1, X0, X2")
	a.Emit("VUNPCKHPD X1, X0, X3")
	a.Emit("VMOVUPD X2, (DI)")
	a.Emit("VMOVUPD X3, (DI)(R8*1)")
	a.Emit("LEAQ (DI)(R8*2), DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

// copyRows writes the copy of the first size bytes of every row.
func (a *assembler) copyRows(size int) {
	a.Function(fmt.Sprintf("copyRows%dAVX2", size), "(dst, src *byte, step, rows int)",
		fmt.Sprintf("copies the first %d bytes of rows that are step bytes apart to dst, one after another.", size), 32)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ src+8(FP), SI")
	a.Emit("MOVQ step+16(FP), R8")
	a.Emit("MOVQ rows+24(FP), CX")
	a.Label("loop")
	register := func(offset int) string {
		if offset+32 <= size {
			return fmt.Sprintf("Y%d", offset/32)
		}
		return fmt.Sprintf("X%d", offset/32)
	}
	for offset := 0; offset < size; offset += 32 {
		a.Emit("VMOVUPD %d(SI), %s", offset, register(offset))
	}
	for offset := 0; offset < size; offset += 32 {
		a.Emit("VMOVUPD %s, %d(DI)", register(offset), offset)
	}
	a.Emit("ADDQ R8, SI")
	a.Emit("ADDQ $%d, DI", size)
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

// packRows writes the copy of four or two rows.
func (a *assembler) packRows(name, comment string, rows int, widen bool) {
	a.Function(fmt.Sprintf("%s%dAVX2", name, rows),
		"(panel *uint32, source *byte, sourceStep, panelStep, blocks int, mask uint32)", comment, 44)
	a.Emit("MOVQ panel+0(FP), DI")
	a.Emit("MOVQ source+8(FP), SI")
	a.Emit("MOVQ sourceStep+16(FP), AX")
	a.Emit("MOVQ panelStep+24(FP), R8")
	a.Emit("MOVQ blocks+32(FP), CX")
	a.Emit("LEAQ (SI)(AX*1), BX")
	if rows == 4 {
		a.Emit("LEAQ (SI)(AX*2), DX")
		a.Emit("LEAQ (BX)(AX*2), R11")
	}
	a.Emit("LEAQ (R8)(R8*2), R9")
	if !widen {
		a.Emit("MOVL mask+40(FP), R12")
		a.Emit("VMOVD R12, X8")
		a.Emit("VPBROADCASTD X8, Y8")
	}
	a.Label("loop")
	advance := 32
	for i, p := range packSource[:rows] {
		if widen {
			a.Emit("VPMOVZXBW (%s), Y%d", p, i)
			advance = 16
		} else {
			a.Emit("VPXOR (%s), Y8, Y%d", p, i)
		}
	}
	// The rows that are packed next lie in other pages.
	for _, p := range packSource[:rows] {
		a.Emit("PREFETCHT0 (%s)(AX*%d)", p, rows)
	}
	for _, p := range packSource[:rows] {
		a.Emit("ADDQ $%d, %s", advance, p)
	}
	a.storeBlock(rows)
}

// storeBlock transposes Y0…Y3, or Y0 and Y1, into the block of the panel at DI and ends the loop over blocks.
func (a *assembler) storeBlock(rows int) {
	a.Emit("LEAQ (DI)(R8*4), R10")
	if rows == 4 {
		a.transpose4()
		for k, address := range packLow {
			a.Emit("VMOVUPS X%d, %s", k, address)
		}
		for k, address := range packHigh {
			a.Emit("VEXTRACTF128 $1, Y%d, %s", k, address)
		}
	} else {
		a.Emit("VUNPCKLPS Y1, Y0, Y4")
		a.Emit("VUNPCKHPS Y1, Y0, Y5")
		a.Emit("VEXTRACTF128 $1, Y4, X6")
		a.Emit("VEXTRACTF128 $1, Y5, X7")
		for half, names := range [][]string{packLow, packHigh} {
			a.Emit("VMOVLPS X%d, %s", 4+2*half, names[0])
			a.Emit("VMOVHPS X%d, %s", 4+2*half, names[1])
			a.Emit("VMOVLPS X%d, %s", 5+2*half, names[2])
			a.Emit("VMOVHPS X%d, %s", 5+2*half, names[3])
		}
	}
	a.Emit("LEAQ (R10)(R8*4), DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}

// packShifted writes the transposing copy that scales and shifts on its way.
func (a *assembler) packShifted() {
	a.Function("packShifted4AVX2", "(panel, source, shift, scales *float32, sourceStep, panelStep, blocks int)",
		"copies four rows of float32 elements, each times its row's scale minus its depth's shift, into a panel, "+
			"eight depths per block; source and panel steps are in bytes.", 56)
	a.Emit("MOVQ panel+0(FP), DI")
	a.Emit("MOVQ source+8(FP), SI")
	a.Emit("MOVQ shift+16(FP), R12")
	a.Emit("MOVQ scales+24(FP), R13")
	a.Emit("MOVQ sourceStep+32(FP), AX")
	a.Emit("MOVQ panelStep+40(FP), R8")
	a.Emit("MOVQ blocks+48(FP), CX")
	a.Emit("LEAQ (SI)(AX*1), BX")
	a.Emit("LEAQ (SI)(AX*2), DX")
	a.Emit("LEAQ (BX)(AX*2), R11")
	a.Emit("LEAQ (R8)(R8*2), R9")
	for i := range packSource {
		a.Emit("VBROADCASTSS %d(R13), Y%d", 4*i, 8+i)
	}
	a.Label("loop")
	a.Emit("VMOVUPS (R12), Y12")
	for i, p := range packSource {
		a.Emit("VMULPS (%s), Y%d, Y%d", p, 8+i, i)
		a.Emit("VSUBPS Y12, Y%d, Y%d", i, i)
	}
	for _, p := range packSource {
		a.Emit("PREFETCHT0 (%s)(AX*4)", p)
	}
	a.Emit("ADDQ $32, R12")
	for _, p := range packSource {
		a.Emit("ADDQ $32, %s", p)
	}
	a.storeBlock(4)
}

// interleave3 writes the copy of three rows into one panel of three, such as the colors of an image into its pixels.
func (a *assembler) interleave3() {
	a.Function("interleave3AVX2", "(dst, src *float32, step, blocks int)",
		"copies three rows, step bytes apart, one element of each after another, eight of each row per block.", 32)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ src+8(FP), SI")
	a.Emit("MOVQ step+16(FP), AX")
	a.Emit("MOVQ blocks+24(FP), CX")
	// The row element at each position of the three written vectors, as bytes.
	for i, positions := range []uint64{0x0202010101000000, 0x0504040403030302, 0x0707070606060505} {
		a.Emit("MOVQ $%#x, BX", positions)
		a.Emit("VMOVQ BX, X%d", 13+i)
		a.Emit("VPMOVZXBD X%d, Y%d", 13+i, 13+i)
	}
	a.Label("loop")
	a.Emit("VMOVUPS (SI), Y0")
	a.Emit("VMOVUPS (SI)(AX*1), Y1")
	a.Emit("VMOVUPS (SI)(AX*2), Y2")
	// The positions filled by the second and the third row.
	for i, fill := range [][2]int{{0x92, 0x24}, {0x24, 0x49}, {0x49, 0x92}} {
		for row := range 3 {
			a.Emit("VPERMPS Y%d, Y%d, Y%d", row, 13+i, 3+row)
		}
		a.Emit("VBLENDPS $%#x, Y4, Y3, Y3", fill[0])
		a.Emit("VBLENDPS $%#x, Y5, Y3, Y3", fill[1])
		a.Emit("VMOVUPS Y3, %d(DI)", 32*i)
	}
	a.Emit("ADDQ $32, SI")
	a.Emit("ADDQ $96, DI")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.End()
}
