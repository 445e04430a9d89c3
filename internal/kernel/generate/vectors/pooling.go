// Windows over images with channels last, of package vector.

package vectors

import "fmt"

// tails writes sixteen set masks and sixteen clear ones: from element 16 − n on, n of sixteen lanes are set; and the
// lanes 0 and 8, eight times each.
func (a *assembler) tails() {
	for i := range 32 {
		v := uint32(0)
		if i < 16 {
			v = 0xffffffff
		}
		a.Write("DATA tails<>+%d(SB)/4, $%#08x\n", 4*i, v)
	}
	a.Write("GLOBL tails<>(SB), RODATA|NOPTR, $128\n")
	for i := range 16 {
		a.Write("DATA halves<>+%d(SB)/4, $%d\n", 4*i, i/8*8)
	}
	a.Write("GLOBL halves<>(SB), RODATA|NOPTR, $64\n")
}

// windowLoops writes the loops over pixels, groups of sixteen channels and positions. body handles a group whose
// offsets are from R8 to R9, in which the channels begin at SI + AX and DI + AX; last is the group that is not whole.
func (w width) windowLoops(body func(label string, last bool)) {
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ offsets+16(FP), R8")
	w.Emit("MOVQ positions+24(FP), R9")
	w.Emit("LEAQ (R8)(R9*8), R9")
	w.Emit("MOVQ channels+32(FP), R10")
	w.Emit("MOVQ R10, BX")
	w.Emit("ANDQ $15, BX")
	w.masks()
	w.Emit("SHLQ $2, R10")
	w.Emit("MOVQ step+40(FP), R11")
	w.Emit("SHLQ $2, R11")
	w.Emit("MOVQ pixels+48(FP), R12")
	w.Label("pixel")
	w.Emit("XORQ AX, AX")
	w.Emit("MOVQ R10, CX")
	w.Emit("SUBQ $64, CX")
	w.Emit("JLT tail")
	w.Label("group")
	body("position", false)
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLE group")
	w.Label("tail")
	w.Emit("TESTQ BX, BX")
	w.Emit("JEQ next")
	body("positionTail", true)
	w.Label("next")
	w.Emit("ADDQ R10, DI")
	w.Emit("ADDQ R11, SI")
	w.Emit("DECQ R12")
	w.Emit("JNZ pixel")
	w.End()
}

// masks sets the masks of the last BX channels: K2 and K3 of eight each, K4 of all, or Y14 and Y15; R13 is scratch.
func (w width) masks() {
	if w.R == "Z" {
		w.Emit("MOVQ BX, CX")
		w.Emit("MOVQ $1, R13")
		w.Emit("SHLQ CX, R13")
		w.Emit("DECQ R13")
		w.Emit("KMOVW R13, K4")
		w.Emit("KMOVW R13, K2")
		w.Emit("SHRQ $8, R13")
		w.Emit("KMOVW R13, K3")
		return
	}
	w.Emit("MOVQ $16, CX")
	w.Emit("SUBQ BX, CX")
	w.Emit("LEAQ tails<>(SB), R13")
	w.Emit("VMOVUPS (R13)(CX*4), Y14")
	w.Emit("VMOVUPS 32(R13)(CX*4), Y15")
}

// maxWindows keeps the greatest elements of sixteen channels in registers.
func (w width) maxWindows() {
	w.Vector("maxWindows", "(dst, src *float32, offsets *int, positions, channels, step, pixels int)",
		"is maxWindowsGeneric for at least one position.", 56)
	w.windowLoops(func(label string, last bool) {
		for p := range w.Parts() {
			w.Emit("VMOVUPS %s, %s", w.Integer("infinity", 0xff800000), w.Reg(p))
		}
		w.Emit("MOVQ R8, R13")
		w.Emit("LEAQ (SI)(AX*1), DX")
		w.Label(label)
		w.Emit("MOVQ (R13), R15")
		for p := range w.Parts() {
			v, top := w.Reg(4+p), w.Reg(p)
			switch {
			case !last:
				w.Emit("VMOVUPS %d(DX)(R15*4), %s", p*w.Size, v)
			case w.R == "Z":
				w.Emit("VMOVUPS.Z (DX)(R15*4), K4, %s", v)
			default:
				w.Emit("VMASKMOVPS %d(DX)(R15*4), Y%d, %s", p*w.Size, 14+p, v)
			}
			w.Emit("VMAXPS %s, %s, %s", top, v, top)
			if w.R == "Z" {
				w.Emit("VCMPPS $3, %s, %s, K1", v, v)
				w.Emit("VMOVAPS %s, K1, %s", v, top)
			} else {
				w.Emit("VCMPPS $3, %s, %s, %s", v, v, w.Reg(8+p))
				w.Emit("VBLENDVPS %s, %s, %s, %s", w.Reg(8+p), v, top, top)
			}
		}
		w.Emit("ADDQ $8, R13")
		w.Emit("CMPQ R13, R9")
		w.Emit("JNE %s", label)
		for p := range w.Parts() {
			switch {
			case !last:
				w.Emit("VMOVUPS %s, %d(DI)(AX*1)", w.Reg(p), p*w.Size)
			case w.R == "Z":
				w.Emit("VMOVUPS %s, K4, (DI)(AX*1)", w.Reg(p))
			default:
				w.Emit("VMASKMOVPS %s, Y%d, %d(DI)(AX*1)", w.Reg(p), 14+p, p*w.Size)
			}
		}
	})
}

// meanWindows keeps the sums of sixteen channels in registers, in float64.
func (w width) meanWindows() {
	w.Vector("meanWindows", "(dst, src *float32, offsets *int, positions, channels, step, pixels int, count float64)",
		"is meanWindowsGeneric for at least one position.", 64)
	sums := 2 * w.Parts()
	half := map[string]string{"Z": "Y", "Y": "X"}[w.R]
	narrow := func(i int) string { return fmt.Sprintf("%s%d", half, i) }
	// The mask of part p: K2, K3, or half of Y14 or Y15.
	masked := func(p int) string {
		if w.R == "Z" {
			return fmt.Sprintf("K%d", 2+p)
		}
		if p%2 == 1 {
			w.Emit("VEXTRACTF128 $1, Y%d, X13", 14+p/2)
			return "X13"
		}
		return fmt.Sprintf("X%d", 14+p/2)
	}
	w.Emit("VBROADCASTSD count+56(FP), %s", w.Reg(12))
	w.windowLoops(func(label string, last bool) {
		for p := range sums {
			w.Emit("%s", w.Zero(p))
		}
		w.Emit("MOVQ R8, R13")
		w.Emit("LEAQ (SI)(AX*1), DX")
		w.Label(label)
		w.Emit("MOVQ (R13), R15")
		for p := range sums {
			offset, v := p*w.Size/2, 4+p
			switch {
			case !last:
				w.Emit("VCVTPS2PD %d(DX)(R15*4), %s", offset, w.Reg(v))
			case w.R == "Z":
				w.Emit("VMOVUPS.Z %d(DX)(R15*4), %s, %s", offset, masked(p), narrow(v))
				w.Emit("VCVTPS2PD %s, %s", narrow(v), w.Reg(v))
			default:
				w.Emit("VMASKMOVPS %d(DX)(R15*4), %s, %s", offset, masked(p), narrow(v))
				w.Emit("VCVTPS2PD %s, %s", narrow(v), w.Reg(v))
			}
			w.Emit("VADDPD %s, %s, %s", w.Reg(v), w.Reg(p), w.Reg(p))
		}
		w.Emit("ADDQ $8, R13")
		w.Emit("CMPQ R13, R9")
		w.Emit("JNE %s", label)
		for p := range sums {
			offset := p * w.Size / 2
			w.Emit("VDIVPD %s, %s, %s", w.Reg(12), w.Reg(p), w.Reg(p))
			if w.R == "Z" {
				w.Emit("VCVTPD2PS %s, %s", w.Reg(p), narrow(p))
			} else {
				w.Emit("VCVTPD2PSY %s, %s", w.Reg(p), narrow(p))
			}
			switch {
			case !last:
				w.Emit("VMOVUPS %s, %d(DI)(AX*1)", narrow(p), offset)
			case w.R == "Z":
				w.Emit("VMOVUPS %s, %s, %d(DI)(AX*1)", narrow(p), masked(p), offset)
			default:
				w.Emit("VMASKMOVPS %s, %s, %d(DI)(AX*1)", narrow(p), masked(p), offset)
			}
		}
	})
}

// maxWindowsBytes keeps the greatest bytes of sixteen channels in a register; the last sixteen may overlap the previous
// ones.
func (a *assembler) maxWindowsBytes() {
	a.Function("maxWindowsBytesAVX2", "(dst, src *uint8, offsets *int, positions, channels, step, pixels int)",
		"is maxWindowsBytesGeneric for at least one position and sixteen channels.", 56)
	for i, r := range []string{"DI", "SI", "R8", "R9", "R10", "R11", "R12"} {
		a.Emit("MOVQ %s+%d(FP), %s", []string{"dst", "src", "offsets", "positions", "channels", "step", "pixels"}[i], 8*i, r)
	}
	a.Emit("LEAQ (R8)(R9*8), R9")
	a.Emit("LEAQ -16(R10), BX")
	a.Label("pixel")
	a.Emit("XORQ AX, AX")
	a.Label("group")
	a.Emit("VPXOR X0, X0, X0")
	a.Emit("LEAQ (SI)(AX*1), DX")
	a.Emit("MOVQ R8, R13")
	a.Label("position")
	a.Emit("MOVQ (R13), CX")
	a.Emit("VPMAXUB (DX)(CX*1), X0, X0")
	a.Emit("ADDQ $8, R13")
	a.Emit("CMPQ R13, R9")
	a.Emit("JLT position")
	a.Emit("VMOVDQU X0, (DI)(AX*1)")
	a.Emit("CMPQ AX, BX")
	a.Emit("JEQ next")
	a.Emit("ADDQ $16, AX")
	a.Emit("CMPQ AX, BX")
	a.Emit("JLE group")
	a.Emit("MOVQ BX, AX")
	a.Emit("JMP group")
	a.Label("next")
	a.Emit("ADDQ R10, DI")
	a.Emit("ADDQ R11, SI")
	a.Emit("DECQ R12")
	a.Emit("JNZ pixel")
	a.End()
}
