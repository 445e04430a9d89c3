// Arithmetic on rows, of package vector.

package main

import (
	"fmt"
	"strings"
)

// arithmetic writes operations on rows; an operand may be one number for all.
func (w width) arithmetic() {
	for _, op := range []struct{ name, sign string }{{"add", "+"}, {"sub", "−"}, {"mul", "·"}, {"div", "/"}, {"max", "max"}, {"min", "min"}, {"prelu", "or, where negative, ·"}, {"gate", "or 0 by"}} {
		w.vector(op.name+"Rows", "(dst, x, y *float32, n, stepX, stepY int)",
			"writes x "+op.sign+" y for n a multiple of 16; a step is 1, or 0 for one number.", 48)
		w.emit("MOVQ dst+0(FP), DI")
		w.emit("MOVQ x+8(FP), SI")
		w.emit("MOVQ y+16(FP), DX")
		w.emit("MOVQ n+24(FP), CX")
		w.emit("MOVQ stepX+32(FP), R8")
		w.emit("MOVQ stepY+40(FP), R9")
		w.emit("SHLQ $2, CX")
		w.emit("XORQ AX, AX")
		w.emit("VBROADCASTSS (SI), %s", w.reg(14))
		w.emit("VBROADCASTSS (DX), %s", w.reg(15))
		w.emit("%s", w.zero(13))
		w.emit("TESTQ R8, R8")
		w.emit("JZ left")
		w.emit("TESTQ R9, R9")
		w.emit("JZ right")
		w.arithmeticLoop(op.name, "both", true, true)
		w.label("left")
		w.arithmeticLoop(op.name, "leftLoop", false, true)
		w.label("right")
		w.arithmeticLoop(op.name, "rightLoop", true, false)
	}
}

// arithmeticLoop writes the loop over operands that advance (x, y) or are constant.
func (w width) arithmeticLoop(operation, name string, x, y bool) {
	w.label(name)
	for p := range w.parts() {
		x0, right := w.reg(14), w.reg(15)
		if x {
			x0 = w.reg(p)
			w.emit("VMOVUPS %d(SI)(AX*1), %s", p*w.bytes, x0)
		}
		if y {
			right = fmt.Sprintf("%d(DX)(AX*1)", p*w.bytes)
		}
		w.operation(operation, x0, right, p)
		w.emit("VMOVUPS %s, %d(DI)(AX*1)", w.reg(p), p*w.bytes)
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT %s", name)
	w.end()
}

// operation sets register p, which may be the left operand.
func (w width) operation(name, left, right string, p int) {
	t, mask := w.reg(4+p), w.reg(8+p)
	// choose takes one of two where the left operand compares so.
	choose := func(compare int, operand, dst, other string) {
		if w.r == "Z" {
			w.emit("VCMPPS $%d, %s, %s, K1", compare, operand, left)
			w.emit("VBLENDMPS %s, %s, K1, %s", dst, other, w.reg(p))
			return
		}
		w.emit("VCMPPS $%d, %s, %s, %s", compare, operand, left, mask)
		w.emit("VBLENDVPS %s, %s, %s, %s", mask, dst, other, w.reg(p))
	}
	switch name {
	case "max", "min":
		w.emit("V%sPS %s, %s, %s // of NaN the right one", strings.ToUpper(name), right, left, t)
		choose(3, left, left, t)
	case "prelu":
		w.emit("VMULPS %s, %s, %s", right, left, t)
		choose(1, w.reg(13), t, left)
	case "gate": // 0 where the right one is no larger; a NaN lets pass
		w.emit("VMOVUPS %s, %s", right, t)
		if w.r == "Z" {
			w.emit("VCMPPS $6, %s, %s, K1", w.reg(13), t)
			w.emit("VMOVAPS.Z %s, K1, %s", left, w.reg(p))
			return
		}
		w.emit("VCMPPS $2, %s, %s, %s", w.reg(13), t, mask)
		w.emit("VANDNPS %s, %s, %s", left, mask, w.reg(p))
	default:
		w.emit("V%sPS %s, %s, %s", strings.ToUpper(name), right, left, w.reg(p))
	}
}
