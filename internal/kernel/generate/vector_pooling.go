// Windows over images with channels last, of package vector.

package main

import "fmt"

// tails writes sixteen set masks and sixteen clear ones: from element 16 − n on, n of sixteen lanes are set; and the
// lanes 0 and 8, eight times each.
func (a *assembler) tails() {
	for i := range 32 {
		v := uint32(0)
		if i < 16 {
			v = 0xffffffff
		}
		fmt.Fprintf(&a.text, "DATA tails<>+%d(SB)/4, $%#08x\n", 4*i, v)
	}
	fmt.Fprint(&a.text, "GLOBL tails<>(SB), RODATA|NOPTR, $128\n")
	for i := range 16 {
		fmt.Fprintf(&a.text, "DATA halves<>+%d(SB)/4, $%d\n", 4*i, i/8*8)
	}
	fmt.Fprint(&a.text, "GLOBL halves<>(SB), RODATA|NOPTR, $64\n")
}

// windowLoops writes the loops over pixels, groups of sixteen channels and positions. body handles a group whose
// offsets are from R8 to R9, in which the channels begin at SI + AX and DI + AX; last is the group that is not whole.
func (w width) windowLoops(body func(label string, last bool)) {
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ offsets+16(FP), R8")
	w.emit("MOVQ positions+24(FP), R9")
	w.emit("LEAQ (R8)(R9*8), R9")
	w.emit("MOVQ channels+32(FP), R10")
	w.emit("MOVQ R10, BX")
	w.emit("ANDQ $15, BX")
	w.masks()
	w.emit("SHLQ $2, R10")
	w.emit("MOVQ step+40(FP), R11")
	w.emit("SHLQ $2, R11")
	w.emit("MOVQ pixels+48(FP), R12")
	w.label("pixel")
	w.emit("XORQ AX, AX")
	w.emit("MOVQ R10, CX")
	w.emit("SUBQ $64, CX")
	w.emit("JLT tail")
	w.label("group")
	body("position", false)
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLE group")
	w.label("tail")
	w.emit("TESTQ BX, BX")
	w.emit("JEQ next")
	body("positionTail", true)
	w.label("next")
	w.emit("ADDQ R10, DI")
	w.emit("ADDQ R11, SI")
	w.emit("DECQ R12")
	w.emit("JNZ pixel")
	w.end()
}

// masks sets the masks of the last BX channels: K2 and K3 of eight each, K4 of all, or Y14 and Y15; R13 is scratch.
func (w width) masks() {
	if w.r == "Z" {
		w.emit("MOVQ BX, CX")
		w.emit("MOVQ $1, R13")
		w.emit("SHLQ CX, R13")
		w.emit("DECQ R13")
		w.emit("KMOVW R13, K4")
		w.emit("KMOVW R13, K2")
		w.emit("SHRQ $8, R13")
		w.emit("KMOVW R13, K3")
		return
	}
	w.emit("MOVQ $16, CX")
	w.emit("SUBQ BX, CX")
	w.emit("LEAQ tails<>(SB), R13")
	w.emit("VMOVUPS (R13)(CX*4), Y14")
	w.emit("VMOVUPS 32(R13)(CX*4), Y15")
}

// maxWindows keeps the greatest elements of sixteen channels in registers.
func (w width) maxWindows() {
	w.vector("maxWindows", "(dst, src *float32, offsets *int, positions, channels, step, pixels int)",
		"is maxWindowsGeneric for at least one position.", 56)
	w.windowLoops(func(label string, last bool) {
		for p := range w.parts() {
			w.emit("VMOVUPS %s, %s", w.integer("infinity", 0xff800000), w.reg(p))
		}
		w.emit("MOVQ R8, R13")
		w.emit("LEAQ (SI)(AX*1), DX")
		w.label(label)
		w.emit("MOVQ (R13), R15")
		for p := range w.parts() {
			v, top := w.reg(4+p), w.reg(p)
			switch {
			case !last:
				w.emit("VMOVUPS %d(DX)(R15*4), %s", p*w.bytes, v)
			case w.r == "Z":
				w.emit("VMOVUPS.Z (DX)(R15*4), K4, %s", v)
			default:
				w.emit("VMASKMOVPS %d(DX)(R15*4), Y%d, %s", p*w.bytes, 14+p, v)
			}
			w.emit("VMAXPS %s, %s, %s", top, v, top)
			if w.r == "Z" {
				w.emit("VCMPPS $3, %s, %s, K1", v, v)
				w.emit("VMOVAPS %s, K1, %s", v, top)
			} else {
				w.emit("VCMPPS $3, %s, %s, %s", v, v, w.reg(8+p))
				w.emit("VBLENDVPS %s, %s, %s, %s", w.reg(8+p), v, top, top)
			}
		}
		w.emit("ADDQ $8, R13")
		w.emit("CMPQ R13, R9")
		w.emit("JNE %s", label)
		for p := range w.parts() {
			switch {
			case !last:
				w.emit("VMOVUPS %s, %d(DI)(AX*1)", w.reg(p), p*w.bytes)
			case w.r == "Z":
				w.emit("VMOVUPS %s, K4, (DI)(AX*1)", w.reg(p))
			default:
				w.emit("VMASKMOVPS %s, Y%d, %d(DI)(AX*1)", w.reg(p), 14+p, p*w.bytes)
			}
		}
	})
}

// meanWindows keeps the sums of sixteen channels in registers, in float64.
func (w width) meanWindows() {
	w.vector("meanWindows", "(dst, src *float32, offsets *int, positions, channels, step, pixels int, count float64)",
		"is meanWindowsGeneric for at least one position.", 64)
	sums := 2 * w.parts()
	half := map[string]string{"Z": "Y", "Y": "X"}[w.r]
	narrow := func(i int) string { return fmt.Sprintf("%s%d", half, i) }
	// The mask of part p: K2, K3, or half of Y14 or Y15.
	masked := func(p int) string {
		if w.r == "Z" {
			return fmt.Sprintf("K%d", 2+p)
		}
		if p%2 == 1 {
			w.emit("VEXTRACTF128 $1, Y%d, X13", 14+p/2)
			return "X13"
		}
		return fmt.Sprintf("X%d", 14+p/2)
	}
	w.emit("VBROADCASTSD count+56(FP), %s", w.reg(12))
	w.windowLoops(func(label string, last bool) {
		for p := range sums {
			w.emit("%s", w.zero(p))
		}
		w.emit("MOVQ R8, R13")
		w.emit("LEAQ (SI)(AX*1), DX")
		w.label(label)
		w.emit("MOVQ (R13), R15")
		for p := range sums {
			offset, v := p*w.bytes/2, 4+p
			switch {
			case !last:
				w.emit("VCVTPS2PD %d(DX)(R15*4), %s", offset, w.reg(v))
			case w.r == "Z":
				w.emit("VMOVUPS.Z %d(DX)(R15*4), %s, %s", offset, masked(p), narrow(v))
				w.emit("VCVTPS2PD %s, %s", narrow(v), w.reg(v))
			default:
				w.emit("VMASKMOVPS %d(DX)(R15*4), %s, %s", offset, masked(p), narrow(v))
				w.emit("VCVTPS2PD %s, %s", narrow(v), w.reg(v))
			}
			w.emit("VADDPD %s, %s, %s", w.reg(v), w.reg(p), w.reg(p))
		}
		w.emit("ADDQ $8, R13")
		w.emit("CMPQ R13, R9")
		w.emit("JNE %s", label)
		for p := range sums {
			offset := p * w.bytes / 2
			w.emit("VDIVPD %s, %s, %s", w.reg(12), w.reg(p), w.reg(p))
			if w.r == "Z" {
				w.emit("VCVTPD2PS %s, %s", w.reg(p), narrow(p))
			} else {
				w.emit("VCVTPD2PSY %s, %s", w.reg(p), narrow(p))
			}
			switch {
			case !last:
				w.emit("VMOVUPS %s, %d(DI)(AX*1)", narrow(p), offset)
			case w.r == "Z":
				w.emit("VMOVUPS %s, %s, %d(DI)(AX*1)", narrow(p), masked(p), offset)
			default:
				w.emit("VMASKMOVPS %s, %s, %d(DI)(AX*1)", narrow(p), masked(p), offset)
			}
		}
	})
}

// maxWindowsBytes keeps the greatest bytes of sixteen channels in a register; the last sixteen may overlap the previous
// ones.
func (a *assembler) maxWindowsBytes() {
	a.function("maxWindowsBytesAVX2", "(dst, src *uint8, offsets *int, positions, channels, step, pixels int)",
		"is maxWindowsBytesGeneric for at least one position and sixteen channels.", 56)
	for i, r := range []string{"DI", "SI", "R8", "R9", "R10", "R11", "R12"} {
		a.emit("MOVQ %s+%d(FP), %s", []string{"dst", "src", "offsets", "positions", "channels", "step", "pixels"}[i], 8*i, r)
	}
	a.emit("LEAQ (R8)(R9*8), R9")
	a.emit("LEAQ -16(R10), BX")
	a.label("pixel")
	a.emit("XORQ AX, AX")
	a.label("group")
	a.emit("VPXOR X0, X0, X0")
	a.emit("LEAQ (SI)(AX*1), DX")
	a.emit("MOVQ R8, R13")
	a.label("position")
	a.emit("MOVQ (R13), CX")
	a.emit("VPMAXUB (DX)(CX*1), X0, X0")
	a.emit("ADDQ $8, R13")
	a.emit("CMPQ R13, R9")
	a.emit("JLT position")
	a.emit("VMOVDQU X0, (DI)(AX*1)")
	a.emit("CMPQ AX, BX")
	a.emit("JEQ next")
	a.emit("ADDQ $16, AX")
	a.emit("CMPQ AX, BX")
	a.emit("JLE group")
	a.emit("MOVQ BX, AX")
	a.emit("JMP group")
	a.label("next")
	a.emit("ADDQ R10, DI")
	a.emit("ADDQ R11, SI")
	a.emit("DECQ R12")
	a.emit("JNZ pixel")
	a.end()
}
