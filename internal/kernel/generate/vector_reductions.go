// Reductions of rows and of columns in float64, of package vector.

package main

import (
	"fmt"
	"math"
)

var negativeInfinity, negativeZero = math.Inf(-1), math.Copysign(0, -1)

// reduction is one operation: its transformation of each element in a register, and its combination with another
// register. Elements start as identity, like masked ones.
type reduction struct {
	name     string
	identity float32
	turned   bool // the register holds the negated result
	term     func(w width, v int)
	combine  func(w width, v, sum, scratch int)
	fold     string // the instruction of combine, if it is one
}

func one(instruction string) func(w width, v, sum, scratch int) {
	return func(w width, v, sum, _ int) { w.emit("%s %s, %s, %s", instruction, w.reg(v), w.reg(sum), w.reg(sum)) }
}

// least is the smaller of two; of zeros −0, and NaN if one is: the minimum gives its second operand where it does not
// know, and the bits of both orders together are the result.
func least(w width, v, sum, scratch int) {
	w.emit("VMINPD %s, %s, %s", w.reg(v), w.reg(sum), w.reg(scratch))
	w.emit("VMINPD %s, %s, %s", w.reg(sum), w.reg(v), w.reg(sum))
	w.emit("VORPD %s, %s, %s", w.reg(scratch), w.reg(sum), w.reg(sum))
}

// opposite changes the sign.
func opposite(w width, v int) { w.emit("VXORPD %s, %s, %s", w.reg(10), w.reg(v), w.reg(v)) }

func reductions() []reduction {
	nothing := func(width, int) {}
	return []reduction{
		{"sum", 0, false, nothing, one("VADDPD"), "VADDPD"},
		{"absolute", 0, false, func(w width, v int) { w.emit("VANDNPD %s, %s, %s", w.reg(v), w.reg(10), w.reg(v)) }, one("VADDPD"), "VADDPD"},
		{"square", 0, false, func(w width, v int) { w.emit("VMULPD %s, %s, %s", w.reg(v), w.reg(v), w.reg(v)) }, one("VADDPD"), "VADDPD"},
		{"product", 1, false, nothing, one("VMULPD"), "VMULPD"},
		{"largest", float32(negativeInfinity), true, opposite, least, ""},
		{"smallest", float32(-negativeInfinity), false, nothing, least, ""},
	}
}

// reduceFunctions writes both forms of every reduction.
func (w width) reduceFunctions() {
	for _, r := range reductions() {
		w.reduceRows(r)
		w.reduceColumns(r)
	}
}

// loadHalf reads as many elements as a register has float64, part p of sixteen, into float64. Missing elements of the
// last ones come from register 12.
func (w width) loadHalf(address string, p, to int, last bool) {
	offset, half := p*w.bytes/2, w.half(to)
	switch {
	case !last:
		w.emit("VCVTPS2PD %d%s, %s", offset, address, w.reg(to))
		return
	case w.r == "Z":
		w.emit("VMOVUPS %s, %s", w.half(12), half)
		w.emit("VMOVUPS %d%s, K%d, %s", offset, address, 2+p, half)
	default:
		mask := fmt.Sprintf("X%d", 14+p/2)
		if p%2 == 1 {
			w.emit("VEXTRACTF128 $1, Y%d, X13", 14+p/2)
			mask = "X13"
		}
		w.emit("VMASKMOVPS %d%s, %s, %s", offset, address, mask, half)
		w.emit("VBLENDVPS %s, %s, %s, %s", mask, half, w.half(12), half)
	}
	w.emit("VCVTPS2PD %s, %s", half, w.reg(to))
}

// reduceStart has the masks of the last BX elements, the sign bit and the identity in registers.
func (w width) reduceStart(r reduction) {
	w.masks()
	w.emit("VMOVUPD %s, %s", w.double("signs64", negativeZero), w.reg(10))
	w.emit("VMOVUPS %s, %s", w.constant(r.name+"Identity", r.identity), w.reg(12))
}

func (w width) reduceRows(r reduction) {
	w.vector(r.name+"Of", "(dst *float64, x *float32, n, rows, stride int)",
		"is reduceRowsGeneric for at least one row and element.", 40)
	sums := 2 * w.parts()
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ x+8(FP), SI")
	w.emit("MOVQ n+16(FP), BX")
	w.emit("MOVQ BX, R10")
	w.emit("ANDQ $15, BX")
	w.emit("ANDQ $~15, R10")
	w.emit("SHLQ $2, R10")
	w.emit("MOVQ rows+24(FP), R12")
	w.emit("MOVQ stride+32(FP), R11")
	w.emit("SHLQ $2, R11")
	w.reduceStart(r)
	body := func(last bool) {
		for p := range sums {
			w.loadHalf("(SI)(AX*1)", p, 4+p, last)
			r.term(w, 4+p)
			r.combine(w, 4+p, p, 8)
		}
	}
	w.label("row")
	for p := range sums {
		w.emit("VCVTPS2PD %s, %s", w.half(12), w.reg(p))
		if r.turned {
			opposite(w, p)
		}
	}
	w.emit("XORQ AX, AX")
	w.emit("TESTQ R10, R10")
	w.emit("JEQ tail")
	w.label("loop")
	body(false)
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, R10")
	w.emit("JLT loop")
	w.label("tail")
	w.emit("TESTQ BX, BX")
	w.emit("JEQ fold")
	body(true)
	w.label("fold")
	for n := sums / 2; n > 0; n /= 2 {
		for i := range n {
			r.combine(w, i+n, i, 8)
		}
	}
	if r.fold != "" {
		w.fold(r.fold, "D", 0, 1)
	} else {
		w.foldLeast()
	}
	if r.turned {
		w.emit("VXORPD X10, X0, X0")
	}
	w.emit("VMOVSD X0, (DI)")
	w.emit("ADDQ $8, DI")
	w.emit("ADDQ R11, SI")
	w.emit("DECQ R12")
	w.emit("JNZ row")
	w.end()
}

// foldLeast folds register 0.
func (w width) foldLeast() {
	if w.r == "Z" {
		w.emit("VEXTRACTF64X4 $1, Z0, Y1")
		least(width{w.assembler, "", "Y", 32}, 1, 0, 8)
	}
	x := width{w.assembler, "", "X", 16}
	w.emit("VEXTRACTF128 $1, Y0, X1")
	least(x, 1, 0, 8)
	w.emit("VUNPCKHPD X0, X0, X1")
	least(x, 1, 0, 8)
}

func (w width) reduceColumns(r reduction) {
	w.vector(r.name+"Along", "(dst *float64, src *float32, offsets *int, positions, width int)",
		"is reduceColumnsGeneric for at least one position and column; dst has room for a multiple of 16.", 40)
	sums := 2 * w.parts()
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ offsets+16(FP), R8")
	w.emit("MOVQ positions+24(FP), R9")
	w.emit("LEAQ (R8)(R9*8), R9")
	w.emit("MOVQ width+32(FP), R10")
	w.emit("MOVQ R10, BX")
	w.emit("ANDQ $15, BX")
	w.emit("SHRQ $4, R10")
	w.reduceStart(r)
	group := func(name string, last bool) {
		for p := range sums {
			w.emit("VMOVUPD %d(DI), %s", p*w.bytes, w.reg(p))
			if r.turned {
				opposite(w, p)
			}
		}
		w.emit("MOVQ R8, R13")
		w.label(name)
		w.emit("MOVQ (R13), R15")
		for p := range sums {
			w.loadHalf("(SI)(R15*4)", p, 4+p, last)
			r.term(w, 4+p)
			r.combine(w, 4+p, p, 8)
		}
		w.emit("ADDQ $8, R13")
		w.emit("CMPQ R13, R9")
		w.emit("JNE %s", name)
		for p := range sums {
			if r.turned {
				opposite(w, p)
			}
			w.emit("VMOVUPD %s, %d(DI)", w.reg(p), p*w.bytes)
		}
	}
	w.emit("TESTQ R10, R10")
	w.emit("JEQ rest")
	w.label("group")
	group("position", false)
	w.emit("ADDQ $64, SI")
	w.emit("ADDQ $128, DI")
	w.emit("DECQ R10")
	w.emit("JNZ group")
	w.label("rest")
	w.emit("TESTQ BX, BX")
	w.emit("JEQ done")
	group("positionRest", true)
	w.label("done")
	w.end()
}

// reduceChoices writes the Go functions that choose between the reductions and the vector lengths.
func (a *assembler) reduceChoices() {
	for _, f := range []struct{ name, suffix, signature, arguments string }{
		{"reduceRowsAssembly", "Of", "dst *float64, x *float32, n, rows, stride int", "dst, x, n, rows, stride"},
		{"reduceColumnsAssembly", "Along", "dst *float64, src *float32, offsets *int, positions, width int", "dst, src, offsets, positions, width"},
	} {
		fmt.Fprintf(&a.declarations, "\n// %s calls the function of a reduction.\nfunc (r Reduction) %s(%s) {\n\tswitch {\n",
			f.name, f.name, f.signature)
		for i, r := range reductions() {
			fmt.Fprintf(&a.declarations, "\tcase r == %d && useAVX512:\n\t\t%s%sAVX512(%s)\n", i, r.name, f.suffix, f.arguments)
			fmt.Fprintf(&a.declarations, "\tcase r == %d:\n\t\t%s%sAVX2(%s)\n", i, r.name, f.suffix, f.arguments)
		}
		a.declarations.WriteString("\t}\n}\n")
	}
}
