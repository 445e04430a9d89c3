// Distributions over categories by their logits, of package vector.

package main

import "fmt"

// powers are 1/k! for k from 13 down to 0: Taylor's series of the exponential, whose rest is below
// 5·10⁻¹⁸ up to ½·ln 2.
func powers() []float64 {
	c := make([]float64, 14)
	factorial := 1.0
	for k := range c {
		if k > 0 {
			factorial *= float64(k)
		}
		c[len(c)-1-k] = 1 / factorial
	}
	return c
}

// exp64 turns register d, at most 0, into its exponential in register p, in float64; t and r are scratch.
// From −708 down the result is not used.
func (w width) exp64(d, t, r, p int) {
	D, T, R, P := w.reg(d), w.reg(t), w.reg(r), w.reg(p)
	w.emit("VMOVUPD %s, %s", w.double("shift64", 0x1.8p52), T)
	w.emit("VMOVAPD %s, %s", T, P)
	w.emit("VFMADD231PD %s, %s, %s", w.double("log2e64", 1.44269504088896341), D, T)
	w.emit("VSUBPD %s, %s, %s", P, T, P)
	w.emit("VMOVAPD %s, %s", D, R)
	w.emit("VFNMADD231PD %s, %s, %s", w.double("ln2Hi64", 0x1.62e42feep-1), P, R)
	w.emit("VFNMADD231PD %s, %s, %s", w.double("ln2Lo64", 0x1.a39ef35793c76p-33), P, R)
	for i, c := range powers() {
		name := fmt.Sprintf("power%d", i)
		if i == 0 {
			w.emit("VMOVUPD %s, %s", w.double(name, c), P)
		} else {
			w.emit("VFMADD213PD %s, %s, %s", w.double(name, c), R, P)
		}
	}
	w.emit("VPSLLQ $52, %s, %s", T, T)
	w.emit("VPADDQ %s, %s, %s", T, P, P)
}

// distribution writes the sums over a row of logits for a distribution's entropy and similar: eight partial sums of
// each.
func (w width) distribution() {
	w.vector("distribution", "(x *float32, n int, top float64, sums *[3]float64)",
		"is distributionGeneric for n a multiple of 8, at least 8.", 32)
	w.emit("MOVQ x+0(FP), SI")
	w.emit("MOVQ n+8(FP), CX")
	w.emit("VBROADCASTSD top+16(FP), %s", w.reg(15))
	w.emit("MOVQ sums+24(FP), DI")
	parts := 8 / w.lanes()
	for i := range 3 * parts {
		w.emit("VXORPD %[1]s, %[1]s, %[1]s", w.reg(i))
	}
	w.label("loop")
	for p := range parts {
		d, t, r, e := 6, 7, 8, 9
		w.emit("VCVTPS2PD %d(SI), %s", 4*p*w.lanes(), w.reg(d))
		w.emit("VSUBPD %s, %s, %s", w.reg(15), w.reg(d), w.reg(d))
		w.exp64(d, t, r, e)
		lowest := w.double("lowest64", -708)
		if w.r == "Z" {
			w.emit("VCMPPD $5, %s, %s, K1 // not less: a NaN stays", lowest, w.reg(d))
			w.emit("VMOVAPD.Z %s, K1, %s", w.reg(d), w.reg(d))
			w.emit("VMOVAPD.Z %s, K1, %s", w.reg(e), w.reg(e))
		} else {
			w.emit("VCMPPD $5, %s, %s, %s // not less: a NaN stays", lowest, w.reg(d), w.reg(t))
			w.emit("VANDPD %s, %s, %s", w.reg(t), w.reg(d), w.reg(d))
			w.emit("VANDPD %s, %s, %s", w.reg(t), w.reg(e), w.reg(e))
		}
		w.emit("VADDPD %s, %s, %s", w.reg(e), w.reg(p), w.reg(p))
		w.emit("VFMADD231PD %s, %s, %s", w.reg(d), w.reg(e), w.reg(parts+p))
		w.emit("VFMADD231PD %[1]s, %[1]s, %[2]s", w.reg(e), w.reg(2*parts+p))
	}
	w.emit("ADDQ $32, SI")
	w.emit("SUBQ $8, CX")
	w.emit("JGT loop")
	for k := range 3 {
		offset := k * parts
		if parts == 2 {
			w.emit("VADDPD %s, %s, %s", w.reg(offset+1), w.reg(offset), w.reg(offset))
		}
		w.fold("VADDPD", "D", offset, 15)
		w.emit("VMOVSD X%d, %d(DI)", offset, 8*k)
	}
	w.end()
}

// standing writes the index of the largest logit, and the numbers of logits above and equal to one.
func (a *assembler) standing() {
	a.function("standingAVX2", "(x *float32, n int, of float32) (top float32, first, larger, equal int)",
		"is standingGeneric for n a multiple of 8, at least 8, and no NaN.", 56)
	a.emit("MOVQ x+0(FP), SI")
	a.emit("MOVQ n+8(FP), CX")
	a.emit("VBROADCASTSS of+16(FP), Y1")
	a.emit("VMOVUPS (SI), Y0")
	a.emit("XORQ AX, AX")
	a.emit("XORQ R8, R8")
	a.emit("XORQ R9, R9")
	a.label("loop")
	a.emit("VMOVUPS (SI)(AX*4), Y2")
	a.emit("VMAXPS Y2, Y0, Y0")
	a.emit("VCMPPS $0x1e, Y1, Y2, Y3")
	a.emit("VCMPPS $0, Y1, Y2, Y4")
	for i, register := range []string{"R8", "R9"} {
		a.emit("VMOVMSKPS Y%d, DX", 3+i)
		a.emit("POPCNTQ DX, DX")
		a.emit("ADDQ DX, %s", register)
	}
	a.emit("ADDQ $8, AX")
	a.emit("CMPQ AX, CX")
	a.emit("JLT loop")
	width{a, "", "Y", 32}.fold("VMAXPS", "S", 0, 2)
	a.emit("VBROADCASTSS X0, Y2")
	a.emit("XORQ AX, AX")
	a.label("find")
	a.emit("VCMPPS $0, (SI)(AX*4), Y2, Y3")
	a.emit("VMOVMSKPS Y3, DX")
	a.emit("TESTQ DX, DX")
	a.emit("JNE found")
	a.emit("ADDQ $8, AX")
	a.emit("CMPQ AX, CX")
	a.emit("JLT find")
	a.emit("XORQ AX, AX")
	a.emit("JMP done // only with NaN")
	a.label("found")
	a.emit("BSFQ DX, DX")
	a.emit("ADDQ DX, AX")
	a.label("done")
	a.emit("VMOVSS X0, top+24(FP)")
	a.emit("MOVQ AX, first+32(FP)")
	a.emit("MOVQ R8, larger+40(FP)")
	a.emit("MOVQ R9, equal+48(FP)")
	a.end()
}
