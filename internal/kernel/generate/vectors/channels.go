// Rows of channels that are scaled and shifted channel by channel, of package vector.

package vectors

import "fmt"

// rowLoops writes the loops over rows and groups of sixteen columns, from SI + AX to DI + AX; the last group may be
// partial. cols and rows are the offsets of the arguments.
func (w width) rowLoops(cols, rows int, body func(last bool)) {
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ cols+%d(FP), R10", cols)
	w.Emit("MOVQ R10, BX")
	w.Emit("ANDQ $15, BX")
	w.masks()
	w.Emit("SHLQ $2, R10")
	w.Emit("MOVQ rows+%d(FP), R12", rows)
	w.Label("row")
	w.Emit("XORQ AX, AX")
	w.Emit("MOVQ R10, CX")
	w.Emit("SUBQ $64, CX")
	w.Emit("JLT tail")
	w.Label("group")
	body(false)
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLE group")
	w.Label("tail")
	w.Emit("TESTQ BX, BX")
	w.Emit("JEQ next")
	body(true)
	w.Label("next")
	w.Emit("ADDQ R10, DI")
	w.Emit("ADDQ R10, SI")
	w.Emit("DECQ R12")
	w.Emit("JNZ row")
	w.End()
}

// load reads part p of sixteen columns at an address, masked in the last ones.
func (w width) load(address string, p, to int, last bool) {
	offset := p * w.Size
	switch {
	case !last:
		w.Emit("VMOVUPS %d%s, %s", offset, address, w.Reg(to))
	case w.R == "Z":
		w.Emit("VMOVUPS.Z %d%s, K4, %s", offset, address, w.Reg(to))
	default:
		w.Emit("VMASKMOVPS %d%s, Y%d, %s", offset, address, 14+p, w.Reg(to))
	}
}

// store is load in the other direction.
func (w width) store(address string, p, from int, last bool) {
	offset := p * w.Size
	switch {
	case !last:
		w.Emit("VMOVUPS %s, %d%s", w.Reg(from), offset, address)
	case w.R == "Z":
		w.Emit("VMOVUPS %s, K4, %d%s", w.Reg(from), offset, address)
	default:
		w.Emit("VMASKMOVPS %s, Y%d, %d%s", w.Reg(from), 14+p, offset, address)
	}
}

// scaleRows multiplies rows by one.
func (w width) scaleRows() {
	w.Vector("scaleRows", "(dst, src, factors *float32, cols, rows int)", "is scaleRowsGeneric.", 40)
	w.Emit("MOVQ factors+16(FP), R8")
	w.rowLoops(24, 32, func(last bool) {
		for p := range w.Parts() {
			w.load("(SI)(AX*1)", p, p, last)
			w.load("(R8)(AX*1)", p, 4+p, last)
			w.Emit("VMULPS %s, %s, %s", w.Reg(4+p), w.Reg(p), w.Reg(p))
			w.store("(DI)(AX*1)", p, p, last)
		}
	})
}

// shiftRows multiplies and adds in float64. The numbers of the last group are read as a whole.
func (w width) shiftRows() {
	w.Vector("shiftRows", "(dst, src *float32, factors, shifts *float64, cols, rows int, relu bool)",
		"is shiftRowsGeneric; factors and shifts have elements up to a multiple of 16.", 49)
	w.Emit("MOVQ factors+16(FP), R8")
	w.Emit("MOVQ shifts+24(FP), R9")
	w.Emit("MOVBLZX relu+48(FP), R11")
	w.Emit("%s", w.Zero(12))
	w.Emit("VMOVUPS %s, %s", w.Integer("infinity", 0xff800000), w.Reg(13))
	w.Emit("TESTB R11, R11")
	w.Emit("JEQ begin")
	w.Emit("VMOVAPS %s, %s", w.Reg(12), w.Reg(13))
	w.Label("begin")
	half := map[string]string{"Z": "Y", "Y": "X"}[w.R]
	narrow := func(i int) string { return fmt.Sprintf("%s%d", half, i) }
	w.rowLoops(32, 40, func(last bool) {
		for p := range w.Parts() {
			w.load("(SI)(AX*1)", p, 0, last)
			if w.R == "Z" {
				w.Emit("VEXTRACTF64X4 $1, Z0, Y1")
			} else {
				w.Emit("VEXTRACTF128 $1, Y0, X1")
			}
			for k := range 2 {
				offset := (2*p + k) * w.Size
				w.Emit("VCVTPS2PD %s, %s", narrow(k), w.Reg(k))
				w.Emit("VMULPD %d(R8)(AX*2), %s, %s", offset, w.Reg(k), w.Reg(k))
				w.Emit("VADDPD %d(R9)(AX*2), %s, %s", offset, w.Reg(k), w.Reg(k))
				if w.R == "Z" {
					w.Emit("VCVTPD2PS %s, %s", w.Reg(k), narrow(k))
				} else {
					w.Emit("VCVTPD2PSY %s, %s", w.Reg(k), narrow(k))
				}
			}
			if w.R == "Z" {
				w.Emit("VINSERTF64X4 $1, Y1, Z0, Z0")
			} else {
				w.Emit("VINSERTF128 $1, X1, Y0, Y0")
			}
			w.Emit("VMAXPS %s, %s, %s // a NaN stays", w.Reg(0), w.Reg(13), w.Reg(0))
			w.store("(DI)(AX*1)", p, 0, last)
		}
	})
}
