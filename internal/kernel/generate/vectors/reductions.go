// Reductions of rows and of columns in float64, of package vector.

package vectors

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
	return func(w width, v, sum, _ int) { w.Emit("%s %s, %s, %s", instruction, w.Reg(v), w.Reg(sum), w.Reg(sum)) }
}

// least is the smaller of two; of zeros −0, and NaN if one is: the minimum gives its second operand where it does not
// know, and the bits of both orders together are the result.
func least(w width, v, sum, scratch int) {
	w.Emit("VMINPD %s, %s, %s", w.Reg(v), w.Reg(sum), w.Reg(scratch))
	w.Emit("VMINPD %s, %s, %s", w.Reg(sum), w.Reg(v), w.Reg(sum))
	w.Emit("VORPD %s, %s, %s", w.Reg(scratch), w.Reg(sum), w.Reg(sum))
}

// opposite changes the sign.
func opposite(w width, v int) { w.Emit("VXORPD %s, %s, %s", w.Reg(10), w.Reg(v), w.Reg(v)) }

func reductions() []reduction {
	nothing := func(width, int) {}
	return []reduction{
		{"sum", 0, false, nothing, one("VADDPD"), "VADDPD"},
		{"absolute", 0, false, func(w width, v int) { w.Emit("VANDNPD %s, %s, %s", w.Reg(v), w.Reg(10), w.Reg(v)) }, one("VADDPD"), "VADDPD"},
		{"square", 0, false, func(w width, v int) { w.Emit("VMULPD %s, %s, %s", w.Reg(v), w.Reg(v), w.Reg(v)) }, one("VADDPD"), "VADDPD"},
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
	offset, half := p*w.Size/2, w.half(to)
	switch {
	case !last:
		w.Emit("VCVTPS2PD %d%s, %s", offset, address, w.Reg(to))
		return
	case w.R == "Z":
		w.Emit("VMOVUPS %s, %s", w.half(12), half)
		w.Emit("VMOVUPS %d%s, K%d, %s", offset, address, 2+p, half)
	default:
		mask := fmt.Sprintf("X%d", 14+p/2)
		if p%2 == 1 {
			w.Emit("VEXTRACTF128 $1, Y%d, X13", 14+p/2)
			mask = "X13"
		}
		w.Emit("VMASKMOVPS %d%s, %s, %s", offset, address, mask, half)
		w.Emit("VBLENDVPS %s, %s, %s, %s", mask, half, w.half(12), half)
	}
	w.Emit("VCVTPS2PD %s, %s", half, w.Reg(to))
}

// reduceStart has the masks of the last BX elements, the sign bit and the identity in registers.
func (w width) reduceStart(r reduction) {
	w.masks()
	w.Emit("VMOVUPD %s, %s", w.Double("signs64", negativeZero), w.Reg(10))
	w.Emit("VMOVUPS %s, %s", w.Constant(r.name+"Identity", r.identity), w.Reg(12))
}

func (w width) reduceRows(r reduction) {
	w.Vector(r.name+"Of", "(dst *float64, x *float32, n, rows, stride int)",
		"is reduceRowsGeneric for at least one row and element.", 40)
	sums := 2 * w.Parts()
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ x+8(FP), SI")
	w.Emit("MOVQ n+16(FP), BX")
	w.Emit("MOVQ BX, R10")
	w.Emit("ANDQ $15, BX")
	w.Emit("ANDQ $~15, R10")
	w.Emit("SHLQ $2, R10")
	w.Emit("MOVQ rows+24(FP), R12")
	w.Emit("MOVQ stride+32(FP), R11")
	w.Emit("SHLQ $2, R11")
	w.reduceStart(r)
	body := func(last bool) {
		for p := range sums {
			w.loadHalf("(SI)(AX*1)", p, 4+p, last)
			r.term(w, 4+p)
			r.combine(w, 4+p, p, 8)
		}
	}
	w.Label("row")
	for p := range sums {
		w.Emit("VCVTPS2PD %s, %s", w.half(12), w.Reg(p))
		if r.turned {
			opposite(w, p)
		}
	}
	w.Emit("XORQ AX, AX")
	w.Emit("TESTQ R10, R10")
	w.Emit("JEQ tail")
	w.Label("loop")
	body(false)
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, R10")
	w.Emit("JLT loop")
	w.Label("tail")
	w.Emit("TESTQ BX, BX")
	w.Emit("JEQ fold")
	body(true)
	w.Label("fold")
	for n := sums / 2; n > 0; n /= 2 {
		for i := range n {
			r.combine(w, i+n, i, 8)
		}
	}
	if r.fold != "" {
		w.Fold(r.fold, "D", 0, 1)
	} else {
		w.foldLeast()
	}
	if r.turned {
		w.Emit("VXORPD X10, X0, X0")
	}
	w.Emit("VMOVSD X0, (DI)")
	w.Emit("ADDQ $8, DI")
	w.Emit("ADDQ R11, SI")
	w.Emit("DECQ R12")
	w.Emit("JNZ row")
	w.End()
}

// foldLeast folds register 0.
func (w width) foldLeast() {
	if w.R == "Z" {
		w.Emit("VEXTRACTF64X4 $1, Z0, Y1")
		least(w.narrow("Y"), 1, 0, 8)
	}
	x := w.narrow("X")
	w.Emit("VEXTRACTF128 $1, Y0, X1")
	least(x, 1, 0, 8)
	w.Emit("VUNPCKHPD X0, X0, X1")
	least(x, 1, 0, 8)
}

func (w width) reduceColumns(r reduction) {
	w.Vector(r.name+"Along", "(dst *float64, src *float32, offsets *int, positions, width int)",
		"is reduceColumnsGeneric for at least one position and column; dst has room for a multiple of 16.", 40)
	sums := 2 * w.Parts()
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ offsets+16(FP), R8")
	w.Emit("MOVQ positions+24(FP), R9")
	w.Emit("LEAQ (R8)(R9*8), R9")
	w.Emit("MOVQ width+32(FP), R10")
	w.Emit("MOVQ R10, BX")
	w.Emit("ANDQ $15, BX")
	w.Emit("SHRQ $4, R10")
	w.reduceStart(r)
	group := func(name string, last bool) {
		for p := range sums {
			w.Emit("VMOVUPD %d(DI), %s", p*w.Size, w.Reg(p))
			if r.turned {
				opposite(w, p)
			}
		}
		w.Emit("MOVQ R8, R13")
		w.Label(name)
		w.Emit("MOVQ (R13), R15")
		for p := range sums {
			w.loadHalf("(SI)(R15*4)", p, 4+p, last)
			r.term(w, 4+p)
			r.combine(w, 4+p, p, 8)
		}
		w.Emit("ADDQ $8, R13")
		w.Emit("CMPQ R13, R9")
		w.Emit("JNE %s", name)
		for p := range sums {
			if r.turned {
				opposite(w, p)
			}
			w.Emit("VMOVUPD %s, %d(DI)", w.Reg(p), p*w.Size)
		}
	}
	w.Emit("TESTQ R10, R10")
	w.Emit("JEQ rest")
	w.Label("group")
	group("position", false)
	w.Emit("ADDQ $64, SI")
	w.Emit("ADDQ $128, DI")
	w.Emit("DECQ R10")
	w.Emit("JNZ group")
	w.Label("rest")
	w.Emit("TESTQ BX, BX")
	w.Emit("JEQ done")
	group("positionRest", true)
	w.Label("done")
	w.End()
}

// reduceChoices writes the Go functions that choose between the reductions and the vector lengths.
func (a *assembler) reduceChoices() {
	for _, f := range []struct{ name, suffix, signature, arguments string }{
		{"reduceRowsAssembly", "Of", "dst *float64, x *float32, n, rows, stride int", "dst, x, n, rows, stride"},
		{"reduceColumnsAssembly", "Along", "dst *float64, src *float32, offsets *int, positions, width int", "dst, src, offsets, positions, width"},
	} {
		a.Declare("\n// %s calls the function of a reduction.\nfunc (r Reduction) %s(%s) {\n\tswitch {\n",
			f.name, f.name, f.signature)
		for i, r := range reductions() {
			a.Declare("\tcase r == %d && useAVX512:\n\t\t%s%sAVX512(%s)\n", i, r.name, f.suffix, f.arguments)
			a.Declare("\tcase r == %d:\n\t\t%s%sAVX2(%s)\n", i, r.name, f.suffix, f.arguments)
		}
		a.Declare("\t}\n}\n")
	}
}
