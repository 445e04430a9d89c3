// The epilogue of products in quantized models, of package vector.

package main

import "fmt"

// requantizeSteps are the steps of Requantizer in their order; offset is the offset of the operand in its arguments.
var requantizeSteps = []struct {
	name   string
	bit    int
	offset int
}{
	{"factors", 1 << 0, 8}, {"terms", 1 << 1, 16}, {"low", 1 << 2, 24}, {"high", 1 << 3, 28}, {"divisor", 1 << 4, 32}, {"reciprocal", 1 << 5, 36},
	{"round", 1 << 6, 0}, {"zero", 1 << 7, 48}, {"least", 1 << 8, 52}, {"most", 1 << 9, 56}, {"look", 1 << 10, 68}, {"less", 1 << 11, 60}, {"scale", 1 << 12, 64},
}

// requantize does all steps while the elements of a row are in registers, four vectors at a time. They stay where
// they are, or become bytes.
func (w width) requantize(bytes bool) {
	if bytes {
		w.vector("requantizeBytes", "(c *float32, n, rows int, q *requantization, dst *uint8, low int32)",
			"is requantizeGeneric for at least one row of a multiple of 16 elements, whose results, less low, become bytes; NaN becomes 0.", 44)
		w.emit("MOVQ dst+32(FP), R13")
		w.emit("VBROADCASTSS low+40(FP), %s", w.reg(14))
	} else {
		w.vector("requantize", "(c *float32, n, rows int, q *requantization)",
			"is requantizeGeneric for at least one row of a multiple of 16 elements.", 32)
	}
	w.emit("MOVQ c+0(FP), DI")
	w.emit("MOVQ n+8(FP), R10")
	w.emit("SHLQ $2, R10")
	w.emit("MOVQ rows+16(FP), R12")
	w.emit("MOVQ q+24(FP), SI")
	w.emit("MOVQ (SI), DX")
	w.emit("MOVQ 8(SI), R8")
	w.emit("MOVQ 16(SI), R9")
	w.emit("MOVQ 72(SI), R11")
	if bytes {
		w.emit("MOVQ 80(SI), BX")
		w.emit("MOVQ 88(SI), R15")
	}
	w.label("row")
	w.emit("XORQ AX, AX")
	w.emit("MOVQ R10, CX")
	w.emit("SUBQ $%d, CX", 4*w.bytes)
	w.emit("JLT rest")
	w.label("loop")
	w.requantizeBlock("of4", 4, bytes)
	w.emit("ADDQ $%d, AX", 4*w.bytes)
	w.emit("CMPQ AX, CX")
	w.emit("JLE loop")
	w.label("rest")
	w.emit("CMPQ AX, R10")
	w.emit("JGE next")
	w.label("single")
	w.requantizeBlock("of1", w.parts(), bytes)
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, R10")
	w.emit("JLT single")
	w.label("next")
	w.emit("ADDQ R10, DI")
	w.emit("DECQ R12")
	w.emit("JNZ row")
	w.end()
}

func (w width) requantizeBlock(suffix string, vectors int, bytes bool) {
	const quotient, rest = 4, 8
	each := func(format string, args func(p int) []any) {
		for p := range vectors {
			w.emit(format, args(p)...)
		}
	}
	constant := func(register, offset int) { w.emit("VBROADCASTSS %d(SI), %s", offset, w.reg(register)) }
	withConstant := func(op string, offset int) {
		constant(12, offset)
		each(op+" %s, %s, %s", func(p int) []any { return []any{w.reg(12), w.reg(p), w.reg(p)} })
	}
	// The second operand stays where one is NaN, and of equals.
	bound := func(op string, offset int) {
		constant(12, offset)
		each(op+" %s, %s, %s", func(p int) []any { return []any{w.reg(p), w.reg(12), w.reg(p)} })
	}
	column := func(op, pointer string) {
		each(op+" %d(%s)(AX*1), %s, %s", func(p int) []any { return []any{p * w.bytes, pointer, w.reg(p), w.reg(p)} })
	}
	if bytes {
		w.requantizeQuickly(suffix, vectors)
	}
	each("VMOVUPS %d(DI)(AX*1), %s", func(p int) []any { return []any{p * w.bytes, w.reg(p)} })
	for _, s := range requantizeSteps {
		label := s.name + suffix
		w.emit("TESTL $%d, DX", s.bit)
		w.emit("JZ %s", label)
		switch s.name {
		case "factors":
			column("VMULPS", "R8")
		case "terms":
			column("VADDPS", "R9")
		case "low", "least":
			bound("VMAXPS", s.offset)
		case "high", "most":
			bound("VMINPS", s.offset)
		case "divisor":
			withConstant("VDIVPS", s.offset)
		case "reciprocal":
			bound("VMINPS", 40)
			bound("VMAXPS", 44)
			constant(12, s.offset)
			constant(13, 32)
			each("VMULPS %s, %s, %s", func(p int) []any { return []any{w.reg(12), w.reg(p), w.reg(quotient + p)} })
			for range 2 {
				each("VMOVAPS %s, %s", func(p int) []any { return []any{w.reg(p), w.reg(rest + p)} })
				each("VFNMADD231PS %s, %s, %s", func(p int) []any { return []any{w.reg(13), w.reg(quotient + p), w.reg(rest + p)} })
				each("VFMADD231PS %s, %s, %s", func(p int) []any { return []any{w.reg(12), w.reg(rest + p), w.reg(quotient + p)} })
			}
			// A correction of nothing makes +0 of −0.
			each("VANDPS %s, %s, %s", func(p int) []any { return []any{w.integer("signs", 0x80000000), w.reg(p), w.reg(p)} })
			each("VORPS %s, %s, %s", func(p int) []any { return []any{w.reg(quotient + p), w.reg(p), w.reg(p)} })
		case "round":
			instruction := map[string]string{"Z": "VRNDSCALEPS", "Y": "VROUNDPS"}[w.r]
			each(instruction+" $8, %s, %s", func(p int) []any { return []any{w.reg(p), w.reg(p)} })
		case "zero":
			withConstant("VADDPS", s.offset)
		case "look":
			// Elements not gathered keep their NaN.
			constant(12, s.offset)
			each("VSUBPS %s, %s, %s", func(p int) []any { return []any{w.reg(12), w.reg(p), w.reg(quotient + p)} })
			each("VCVTTPS2DQ %s, %s", func(p int) []any { return []any{w.reg(quotient + p), w.reg(quotient + p)} })
			and := map[string]string{"Z": "VPANDD", "Y": "VPAND"}[w.r]
			each(and+" %s, %s, %s", func(p int) []any { return []any{w.integer("lowByte", 255), w.reg(quotient + p), w.reg(quotient + p)} })
			for p := range vectors {
				valid := map[string]string{"Z": "K1", "Y": w.reg(rest + p)}[w.r]
				w.emit("VCMPPS $7, %s, %s, %s", w.reg(p), w.reg(p), valid)
				if w.r == "Z" {
					w.emit("VGATHERDPS (R11)(%s*4), K1, %s", w.reg(quotient+p), w.reg(p))
				} else {
					w.emit("VGATHERDPS %s, (R11)(%s*4), %s", valid, w.reg(quotient+p), w.reg(p))
				}
			}
		case "less":
			withConstant("VSUBPS", s.offset)
		case "scale":
			withConstant("VMULPS", s.offset)
		default:
			panic(fmt.Sprintf("step %s", s.name))
		}
		w.label(label)
	}
	if !bytes {
		each("VMOVUPS %s, %d(DI)(AX*1)", func(p int) []any { return []any{w.reg(p), p * w.bytes} })
		return
	}
	each("VCVTTPS2DQ %s, %s", func(p int) []any { return []any{w.reg(p), w.reg(p)} })
	each("VPMAXSD %s, %s, %s", func(p int) []any { return []any{w.reg(14), w.reg(p), w.reg(p)} })
	each("VPSUBD %s, %s, %s", func(p int) []any { return []any{w.reg(14), w.reg(p), w.reg(p)} })
	if w.r == "Z" {
		each("VPMOVDB %s, %d(R13)", func(p int) []any { return []any{w.reg(p), p * 16} })
	} else {
		each("VEXTRACTI128 $1, Y%d, X%d", func(p int) []any { return []any{p, quotient + p} })
		each("VPACKUSDW X%d, X%d, X%d", func(p int) []any { return []any{quotient + p, p, p} })
		for p := 0; p < vectors; p += 2 {
			w.emit("VPACKUSWB X%d, X%d, X%d", p+1, p, p)
			w.emit("VMOVUPS X%d, %d(R13)", p, p*8)
		}
	}
	w.label("done" + suffix)
	w.emit("ADDQ $%d, R13", vectors*w.bytes/4)
}

// requantizeQuickly replaces all steps by one product and one sum. It leaves vectors with a rest too near to a half, or
// with NaN, to the steps.
func (w width) requantizeQuickly(suffix string, vectors int) {
	const rounded, rest = 4, 8
	each := func(format string, args func(p int) []any) {
		for p := range vectors {
			w.emit(format, args(p)...)
		}
	}
	w.emit("TESTL $%d, DX", 1<<13)
	w.emit("JZ exact%s", suffix)
	each("VMOVUPS %d(DI)(AX*1), %s", func(p int) []any { return []any{p * w.bytes, w.reg(rounded + p)} })
	each("VMOVUPS %d(BX)(AX*1), %s", func(p int) []any { return []any{p * w.bytes, w.reg(p)} })
	each("VFMADD213PS %d(R15)(AX*1), %s, %s",
		func(p int) []any { return []any{p * w.bytes, w.reg(rounded + p), w.reg(p)} })
	each("VCVTPS2DQ %s, %s", func(p int) []any { return []any{w.reg(p), w.reg(rounded + p)} })
	each("VCVTDQ2PS %s, %s", func(p int) []any { return []any{w.reg(rounded + p), w.reg(rest + p)} })
	each("VSUBPS %s, %s, %s", func(p int) []any { return []any{w.reg(rest + p), w.reg(p), w.reg(p)} })
	each("VANDPS %s, %s, %s", func(p int) []any { return []any{w.integer("withoutSign", 0x7fffffff), w.reg(p), w.reg(p)} })
	for p := vectors / 2; p > 0; p /= 2 {
		for i := range p {
			w.emit("VPMAXUD %s, %s, %s", w.reg(p+i), w.reg(i), w.reg(i))
		}
	}
	w.emit("VBROADCASTSS 96(SI), %s", w.reg(12))
	if w.r == "Z" {
		w.emit("VPCMPGTD Z12, Z0, K1")
		w.emit("KORTESTW K1, K1")
	} else {
		w.emit("VPCMPGTD Y12, Y0, Y0")
		w.emit("VPTEST Y0, Y0")
	}
	w.emit("JNZ exact%s", suffix)
	// The bytes of each lane of 128 bits lie together.
	pair := func(i int) (string, string) {
		return w.reg(rounded + min(i+1, vectors-1)), w.reg(rounded + min(i, vectors-1))
	}
	for i := 0; i < min(vectors, 3); i += 2 {
		a, b := pair(i)
		w.emit("VPACKSSDW %s, %s, %s", a, b, b)
	}
	w.emit("VPACKUSWB %s, %s, %s", w.reg(rounded+max(vectors-2, 0)), w.reg(rounded), w.reg(rounded))
	w.emit("VMOVDQU%s %s<>(SB), %s", map[string]string{"Z": "32", "Y": ""}[w.r], "lanesOf"+w.name, w.reg(12))
	w.emit("VPERMD %s, %s, %s", w.reg(rounded), w.reg(12), w.reg(0))
	w.emit("VPBROADCASTB 100(SI), %s", w.reg(12))
	w.emit("VPMAXUB %s, %s, %s", w.reg(12), w.reg(0), w.reg(0))
	w.emit("VPBROADCASTB 101(SI), %s", w.reg(12))
	w.emit("VPMINUB %s, %s, %s", w.reg(12), w.reg(0), w.reg(0))
	w.emit("VMOVUPS %s, (R13)", map[bool]string{true: w.reg(0), false: "X0"}[vectors == 4])
	w.emit("JMP done%s", suffix)
	w.label("exact" + suffix)
}

// laneOrders writes the orders of 32-bit parts that four vectors have which were packed into one lane by lane.
func (a *assembler) laneOrders() {
	for _, w := range a.widths() {
		lanes := w.bytes / 16
		for i := range w.bytes / 4 {
			fmt.Fprintf(&a.text, "DATA lanesOf%s<>+%d(SB)/4, $%d\n", w.name, 4*i, i%lanes*4+i/lanes)
		}
		fmt.Fprintf(&a.text, "GLOBL lanesOf%s<>(SB), RODATA|NOPTR, $%d\n", w.name, w.bytes)
	}
}
