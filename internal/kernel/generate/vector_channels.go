// Rows of channels that are scaled and shifted channel by channel, of package vector.

package main

import "fmt"

// rowLoops writes the loops over rows and groups of sixteen columns, from SI + AX to DI + AX; the last group may be
// partial. cols and rows are the offsets of the arguments.
func (w width) rowLoops(cols, rows int, body func(last bool)) {
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ cols+%d(FP), R10", cols)
	w.emit("MOVQ R10, BX")
	w.emit("ANDQ $15, BX")
	w.masks()
	w.emit("SHLQ $2, R10")
	w.emit("MOVQ rows+%d(FP), R12", rows)
	w.label("row")
	w.emit("XORQ AX, AX")
	w.emit("MOVQ R10, CX")
	w.emit("SUBQ $64, CX")
	w.emit("JLT tail")
	w.label("group")
	body(false)
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLE group")
	w.label("tail")
	w.emit("TESTQ BX, BX")
	w.emit("JEQ next")
	body(true)
	w.label("next")
	w.emit("ADDQ R10, DI")
	w.emit("ADDQ R10, SI")
	w.emit("DECQ R12")
	w.emit("JNZ row")
	w.end()
}

// load reads part p of sixteen columns at an address, masked in the last ones.
func (w width) load(address string, p, to int, last bool) {
	offset := p * w.bytes
	switch {
	case !last:
		w.emit("VMOVUPS %d%s, %s", offset, address, w.reg(to))
	case w.r == "Z":
		w.emit("VMOVUPS.Z %d%s, K4, %s", offset, address, w.reg(to))
	default:
		w.emit("VMASKMOVPS %d%s, Y%d, %s", offset, address, 14+p, w.reg(to))
	}
}

// store is load in the other direction.
func (w width) store(address string, p, from int, last bool) {
	offset := p * w.bytes
	switch {
	case !last:
		w.emit("VMOVUPS %s, %d%s", w.reg(from), offset, address)
	case w.r == "Z":
		w.emit("VMOVUPS %s, K4, %d%s", w.reg(from), offset, address)
	default:
		w.emit("VMASKMOVPS %s, Y%d, %d%s", w.reg(from), 14+p, offset, address)
	}
}

// scaleRows multiplies rows by one.
func (w width) scaleRows() {
	w.vector("scaleRows", "(dst, src, factors *float32, cols, rows int)", "is scaleRowsGeneric.", 40)
	w.emit("MOVQ factors+16(FP), R8")
	w.rowLoops(24, 32, func(last bool) {
		for p := range w.parts() {
			w.load("(SI)(AX*1)", p, p, last)
			w.load("(R8)(AX*1)", p, 4+p, last)
			w.emit("VMULPS %s, %s, %s", w.reg(4+p), w.reg(p), w.reg(p))
			w.store("(DI)(AX*1)", p, p, last)
		}
	})
}

// shiftRows multiplies and adds in float64. The numbers of the last group are read as a whole.
func (w width) shiftRows() {
	w.vector("shiftRows", "(dst, src *float32, factors, shifts *float64, cols, rows int, relu bool)",
		"is shiftRowsGeneric; factors and shifts have elements up to a multiple of 16.", 49)
	w.emit("MOVQ factors+16(FP), R8")
	w.emit("MOVQ shifts+24(FP), R9")
	w.emit("MOVBLZX relu+48(FP), R11")
	w.emit("%s", w.zero(12))
	w.emit("VMOVUPS %s, %s", w.integer("infinity", 0xff800000), w.reg(13))
	w.emit("TESTB R11, R11")
	w.emit("JEQ begin")
	w.emit("VMOVAPS %s, %s", w.reg(12), w.reg(13))
	w.label("begin")
	half := map[string]string{"Z": "Y", "Y": "X"}[w.r]
	narrow := func(i int) string { return fmt.Sprintf("%s%d", half, i) }
	w.rowLoops(32, 40, func(last bool) {
		for p := range w.parts() {
			w.load("(SI)(AX*1)", p, 0, last)
			if w.r == "Z" {
				w.emit("VEXTRACTF64X4 $1, Z0, Y1")
			} else {
				w.emit("VEXTRACTF128 $1, Y0, X1")
			}
			for k := range 2 {
				offset := (2*p + k) * w.bytes
				w.emit("VCVTPS2PD %s, %s", narrow(k), w.reg(k))
				w.emit("VMULPD %d(R8)(AX*2), %s, %s", offset, w.reg(k), w.reg(k))
				w.emit("VADDPD %d(R9)(AX*2), %s, %s", offset, w.reg(k), w.reg(k))
				if w.r == "Z" {
					w.emit("VCVTPD2PS %s, %s", w.reg(k), narrow(k))
				} else {
					w.emit("VCVTPD2PSY %s, %s", w.reg(k), narrow(k))
				}
			}
			if w.r == "Z" {
				w.emit("VINSERTF64X4 $1, Y1, Z0, Z0")
			} else {
				w.emit("VINSERTF128 $1, X1, Y0, Y0")
			}
			w.emit("VMAXPS %s, %s, %s // a NaN stays", w.reg(0), w.reg(13), w.reg(0))
			w.store("(DI)(AX*1)", p, 0, last)
		}
	})
}
