// The epilogue of products in quantized models, of package vector.

package vectors

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
		w.Vector("requantizeBytes", "(c *float32, n, rows int, q *requantization, dst *uint8, low int32)",
			"is requantizeGeneric for at least one row of a multiple of 16 elements, whose results, less low, become bytes; NaN becomes 0.", 44)
		w.Emit("MOVQ dst+32(FP), R13")
		w.Emit("VBROADCASTSS low+40(FP), %s", w.Reg(14))
	} else {
		w.Vector("requantize", "(c *float32, n, rows int, q *requantization)",
			"is requantizeGeneric for at least one row of a multiple of 16 elements.", 32)
	}
	w.Emit("MOVQ c+0(FP), DI")
	w.Emit("MOVQ n+8(FP), R10")
	w.Emit("SHLQ $2, R10")
	w.Emit("MOVQ rows+16(FP), R12")
	w.Emit("MOVQ q+24(FP), SI")
	w.Emit("MOVQ (SI), DX")
	w.Emit("MOVQ 8(SI), R8")
	w.Emit("MOVQ 16(SI), R9")
	w.Emit("MOVQ 72(SI), R11")
	if bytes {
		w.Emit("MOVQ 80(SI), BX")
		w.Emit("MOVQ 88(SI), R15")
	}
	w.Label("row")
	w.Emit("XORQ AX, AX")
	w.Emit("MOVQ R10, CX")
	w.Emit("SUBQ $%d, CX", 4*w.Size)
	w.Emit("JLT rest")
	w.Label("loop")
	w.requantizeBlock("of4", 4, bytes)
	w.Emit("ADDQ $%d, AX", 4*w.Size)
	w.Emit("CMPQ AX, CX")
	w.Emit("JLE loop")
	w.Label("rest")
	w.Emit("CMPQ AX, R10")
	w.Emit("JGE next")
	w.Label("single")
	w.requantizeBlock("of1", w.Parts(), bytes)
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, R10")
	w.Emit("JLT single")
	w.Label("next")
	w.Emit("ADDQ R10, DI")
	w.Emit("DECQ R12")
	w.Emit("JNZ row")
	w.End()
}

func (w width) requantizeBlock(suffix string, vectors int, bytes bool) {
	const quotient, rest = 4, 8
	each := func(format string, args func(p int) []any) {
		for p := range vectors {
			w.Emit(format, args(p)...)
		}
	}
	constant := func(register, offset int) { w.Emit("VBROADCASTSS %d(SI), %s", offset, w.Reg(register)) }
	withConstant := func(op string, offset int) {
		constant(12, offset)
		each(op+" %s, %s, %s", func(p int) []any { return []any{w.Reg(12), w.Reg(p), w.Reg(p)} })
	}
	// The second operand stays where one is NaN, and of equals.
	bound := func(op string, offset int) {
		constant(12, offset)
		each(op+" %s, %s, %s", func(p int) []any { return []any{w.Reg(p), w.Reg(12), w.Reg(p)} })
	}
	column := func(op, pointer string) {
		each(op+" %d(%s)(AX*1), %s, %s", func(p int) []any { return []any{p * w.Size, pointer, w.Reg(p), w.Reg(p)} })
	}
	if bytes {
		w.requantizeQuickly(suffix, vectors)
	}
	each("VMOVUPS %d(DI)(AX*1), %s", func(p int) []any { return []any{p * w.Size, w.Reg(p)} })
	for _, s := range requantizeSteps {
		label := s.name + suffix
		w.Emit("TESTL $%d, DX", s.bit)
		w.Emit("JZ %s", label)
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
			each("VMULPS %s, %s, %s", func(p int) []any { return []any{w.Reg(12), w.Reg(p), w.Reg(quotient + p)} })
			for range 2 {
				each("VMOVAPS %s, %s", func(p int) []any { return []any{w.Reg(p), w.Reg(rest + p)} })
				each("VFNMADD231PS %s, %s, %s", func(p int) []any { return []any{w.Reg(13), w.Reg(quotient + p), w.Reg(rest + p)} })
				each("VFMADD231PS %s, %s, %s", func(p int) []any { return []any{w.Reg(12), w.Reg(rest + p), w.Reg(quotient + p)} })
			}
			// A correction of nothing makes +0 of −0.
			each("VANDPS %s, %s, %s", func(p int) []any { return []any{w.Integer("signs", 0x80000000), w.Reg(p), w.Reg(p)} })
			each("VORPS %s, %s, %s", func(p int) []any { return []any{w.Reg(quotient + p), w.Reg(p), w.Reg(p)} })
		case "round":
			instruction := map[string]string{"Z": "VRNDSCALEPS", "Y": "VROUNDPS"}[w.R]
			each(instruction+" $8, %s, %s", func(p int) []any { return []any{w.Reg(p), w.Reg(p)} })
		case "zero":
			withConstant("VADDPS", s.offset)
		case "look":
			// Elements not gathered keep their NaN.
			constant(12, s.offset)
			each("VSUBPS %s, %s, %s", func(p int) []any { return []any{w.Reg(12), w.Reg(p), w.Reg(quotient + p)} })
			each("VCVTTPS2DQ %s, %s", func(p int) []any { return []any{w.Reg(quotient + p), w.Reg(quotient + p)} })
			and := map[string]string{"Z": "VPANDD", "Y": "VPAND"}[w.R]
			each(and+" %s, %s, %s", func(p int) []any { return []any{w.Integer("lowByte", 255), w.Reg(quotient + p), w.Reg(quotient + p)} })
			for p := range vectors {
				valid := map[string]string{"Z": "K1", "Y": w.Reg(rest + p)}[w.R]
				w.Emit("VCMPPS $7, %s, %s, %s", w.Reg(p), w.Reg(p), valid)
				if w.R == "Z" {
					w.Emit("VGATHERDPS (R11)(%s*4), K1, %s", w.Reg(quotient+p), w.Reg(p))
				} else {
					w.Emit("VGATHERDPS %s, (R11)(%s*4), %s", valid, w.Reg(quotient+p), w.Reg(p))
				}
			}
		case "less":
			withConstant("VSUBPS", s.offset)
		case "scale":
			withConstant("VMULPS", s.offset)
		default:
			panic(fmt.Sprintf("step %s", s.name))
		}
		w.Label(label)
	}
	if !bytes {
		each("VMOVUPS %s, %d(DI)(AX*1)", func(p int) []any { return []any{w.Reg(p), p * w.Size} })
		return
	}
	each("VCVTTPS2DQ %s, %s", func(p int) []any { return []any{w.Reg(p), w.Reg(p)} })
	each("VPMAXSD %s, %s, %s", func(p int) []any { return []any{w.Reg(14), w.Reg(p), w.Reg(p)} })
	each("VPSUBD %s, %s, %s", func(p int) []any { return []any{w.Reg(14), w.Reg(p), w.Reg(p)} })
	if w.R == "Z" {
		each("VPMOVDB %s, %d(R13)", func(p int) []any { return []any{w.Reg(p), p * 16} })
	} else {
		each("VEXTRACTI128 $1, Y%d, X%d", func(p int) []any { return []any{p, quotient + p} })
		each("VPACKUSDW X%d, X%d, X%d", func(p int) []any { return []any{quotient + p, p, p} })
		for p := 0; p < vectors; p += 2 {
			w.Emit("VPACKUSWB X%d, X%d, X%d", p+1, p, p)
			w.Emit("VMOVUPS X%d, %d(R13)", p, p*8)
		}
	}
	w.Label("done" + suffix)
	w.Emit("ADDQ $%d, R13", vectors*w.Size/4)
}

// requantizeQuickly replaces all steps by one product and one sum. It leaves vectors with a rest too near to a half, or
// with NaN, to the steps.
func (w width) requantizeQuickly(suffix string, vectors int) {
	const rounded, rest = 4, 8
	each := func(format string, args func(p int) []any) {
		for p := range vectors {
			w.Emit(format, args(p)...)
		}
	}
	w.Emit("TESTL $%d, DX", 1<<13)
	w.Emit("JZ exact%s", suffix)
	each("VMOVUPS %d(DI)(AX*1), %s", func(p int) []any { return []any{p * w.Size, w.Reg(rounded + p)} })
	each("VMOVUPS %d(BX)(AX*1), %s", func(p int) []any { return []any{p * w.Size, w.Reg(p)} })
	each("VFMADD213PS %d(R15)(AX*1), %s, %s",
		func(p int) []any { return []any{p * w.Size, w.Reg(rounded + p), w.Reg(p)} })
	each("VCVTPS2DQ %s, %s", func(p int) []any { return []any{w.Reg(p), w.Reg(rounded + p)} })
	each("VCVTDQ2PS %s, %s", func(p int) []any { return []any{w.Reg(rounded + p), w.Reg(rest + p)} })
	each("VSUBPS %s, %s, %s", func(p int) []any { return []any{w.Reg(rest + p), w.Reg(p), w.Reg(p)} })
	each("VANDPS %s, %s, %s", func(p int) []any { return []any{w.Integer("withoutSign", 0x7fffffff), w.Reg(p), w.Reg(p)} })
	for p := vectors / 2; p > 0; p /= 2 {
		for i := range p {
			w.Emit("VPMAXUD %s, %s, %s", w.Reg(p+i), w.Reg(i), w.Reg(i))
		}
	}
	w.Emit("VBROADCASTSS 96(SI), %s", w.Reg(12))
	if w.R == "Z" {
		w.Emit("VPCMPGTD Z12, Z0, K1")
		w.Emit("KORTESTW K1, K1")
	} else {
		w.Emit("VPCMPGTD Y12, Y0, Y0")
		w.Emit("VPTEST Y0, Y0")
	}
	w.Emit("JNZ exact%s", suffix)
	// The bytes of each lane of 128 bits lie together.
	pair := func(i int) (string, string) {
		return w.Reg(rounded + min(i+1, vectors-1)), w.Reg(rounded + min(i, vectors-1))
	}
	for i := 0; i < min(vectors, 3); i += 2 {
		a, b := pair(i)
		w.Emit("VPACKSSDW %s, %s, %s", a, b, b)
	}
	w.Emit("VPACKUSWB %s, %s, %s", w.Reg(rounded+max(vectors-2, 0)), w.Reg(rounded), w.Reg(rounded))
	w.Emit("VMOVDQU%s %s<>(SB), %s", map[string]string{"Z": "32", "Y": ""}[w.R], "lanesOf"+w.Name, w.Reg(12))
	w.Emit("VPERMD %s, %s, %s", w.Reg(rounded), w.Reg(12), w.Reg(0))
	w.Emit("VPBROADCASTB 100(SI), %s", w.Reg(12))
	w.Emit("VPMAXUB %s, %s, %s", w.Reg(12), w.Reg(0), w.Reg(0))
	w.Emit("VPBROADCASTB 101(SI), %s", w.Reg(12))
	w.Emit("VPMINUB %s, %s, %s", w.Reg(12), w.Reg(0), w.Reg(0))
	w.Emit("VMOVUPS %s, (R13)", map[bool]string{true: w.Reg(0), false: "X0"}[vectors == 4])
	w.Emit("JMP done%s", suffix)
	w.Label("exact" + suffix)
}

// laneOrders writes the orders of 32-bit parts that four vectors have which were packed into one lane by lane.
func (a *assembler) laneOrders() {
	for _, w := range a.widths() {
		lanes := w.Size / 16
		for i := range w.Size / 4 {
			a.Write("DATA lanesOf%s<>+%d(SB)/4, $%d\n", w.Name, 4*i, i%lanes*4+i/lanes)
		}
		a.Write("GLOBL lanesOf%s<>(SB), RODATA|NOPTR, $%d\n", w.Name, w.Size)
	}
}
