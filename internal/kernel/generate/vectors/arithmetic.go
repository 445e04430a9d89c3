// Arithmetic on rows, of package vector.

package vectors

import (
	"fmt"
	"strings"
)

// arithmetic writes operations on rows; an operand may be one number for all.
func (w width) arithmetic() {
	for _, op := range []struct{ name, sign string }{{"add", "+"}, {"sub", "−"}, {"mul", "·"}, {"div", "/"}, {"max", "max"}, {"min", "min"}, {"prelu", "or, where negative, ·"}, {"gate", "or 0 by"}} {
		w.Vector(op.name+"Rows", "(dst, x, y *float32, n, stepX, stepY int)",
			"writes x "+op.sign+" y for n a multiple of 16; a step is 1, or 0 for one number.", 48)
		w.Emit("MOVQ dst+0(FP), DI")
		w.Emit("MOVQ x+8(FP), SI")
		w.Emit("MOVQ y+16(FP), DX")
		w.Emit("MOVQ n+24(FP), CX")
		w.Emit("MOVQ stepX+32(FP), R8")
		w.Emit("MOVQ stepY+40(FP), R9")
		w.Emit("SHLQ $2, CX")
		w.Emit("XORQ AX, AX")
		w.Emit("VBROADCASTSS (SI), %s", w.Reg(14))
		w.Emit("VBROADCASTSS (DX), %s", w.Reg(15))
		w.Emit("%s", w.Zero(13))
		w.Emit("TESTQ R8, R8")
		w.Emit("JZ left")
		w.Emit("TESTQ R9, R9")
		w.Emit("JZ right")
		w.arithmeticLoop(op.name, "both", true, true)
		w.Label("left")
		w.arithmeticLoop(op.name, "leftLoop", false, true)
		w.Label("right")
		w.arithmeticLoop(op.name, "rightLoop", true, false)
	}
}

// arithmeticLoop writes the loop over operands that advance (x, y) or are constant.
func (w width) arithmeticLoop(operation, name string, x, y bool) {
	w.Label(name)
	for p := range w.Parts() {
		x0, right := w.Reg(14), w.Reg(15)
		if x {
			x0 = w.Reg(p)
			w.Emit("VMOVUPS %d(SI)(AX*1), %s", p*w.Size, x0)
		}
		if y {
			right = fmt.Sprintf("%d(DX)(AX*1)", p*w.Size)
		}
		w.operation(operation, x0, right, p)
		w.Emit("VMOVUPS %s, %d(DI)(AX*1)", w.Reg(p), p*w.Size)
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT %s", name)
	w.End()
}

// operation sets register p, which may be the left operand.
func (w width) operation(name, left, right string, p int) {
	t, mask := w.Reg(4+p), w.Reg(8+p)
	// choose takes one of two where the left operand compares so.
	choose := func(compare int, operand, dst, other string) {
		if w.R == "Z" {
			w.Emit("VCMPPS $%d, %s, %s, K1", compare, operand, left)
			w.Emit("VBLENDMPS %s, %s, K1, %s", dst, other, w.Reg(p))
			return
		}
		w.Emit("VCMPPS $%d, %s, %s, %s", compare, operand, left, mask)
		w.Emit("VBLENDVPS %s, %s, %s, %s", mask, dst, other, w.Reg(p))
	}
	switch name {
	case "max", "min":
		w.Emit("V%sPS %s, %s, %s // of NaN the right one", strings.ToUpper(name), right, left, t)
		choose(3, left, left, t)
	case "prelu":
		w.Emit("VMULPS %s, %s, %s", right, left, t)
		choose(1, w.Reg(13), t, left)
	case "gate": // 0 where the right one is no larger; a NaN lets pass
		w.Emit("VMOVUPS %s, %s", right, t)
		if w.R == "Z" {
			w.Emit("VCMPPS $6, %s, %s, K1", w.Reg(13), t)
			w.Emit("VMOVAPS.Z %s, K1, %s", left, w.Reg(p))
			return
		}
		w.Emit("VCMPPS $2, %s, %s, %s", w.Reg(13), t, mask)
		w.Emit("VANDNPS %s, %s, %s", left, mask, w.Reg(p))
	default:
		w.Emit("V%sPS %s, %s, %s", strings.ToUpper(name), right, left, w.Reg(p))
	}
}
