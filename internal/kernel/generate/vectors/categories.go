// Distributions over categories by their logits, of package vector.

package vectors

import (
	"fmt"

	"repscope/internal/kernel/generate/assembly"
)

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
	D, T, R, P := w.Reg(d), w.Reg(t), w.Reg(r), w.Reg(p)
	w.Emit("VMOVUPD %s, %s", w.Double("shift64", 0x1.8p52), T)
	w.Emit("VMOVAPD %s, %s", T, P)
	w.Emit("VFMADD231PD %s, %s, %s", w.Double("log2e64", 1.44269504088896341), D, T)
	w.Emit("VSUBPD %s, %s, %s", P, T, P)
	w.Emit("VMOVAPD %s, %s", D, R)
	w.Emit("VFNMADD231PD %s, %s, %s", w.Double("ln2Hi64", 0x1.62e42feep-1), P, R)
	w.Emit("VFNMADD231PD %s, %s, %s", w.Double("ln2Lo64", 0x1.a39ef35793c76p-33), P, R)
	for i, c := range powers() {
		name := fmt.Sprintf("power%d", i)
		if i == 0 {
			w.Emit("VMOVUPD %s, %s", w.Double(name, c), P)
		} else {
			w.Emit("VFMADD213PD %s, %s, %s", w.Double(name, c), R, P)
		}
	}
	w.Emit("VPSLLQ $52, %s, %s", T, T)
	w.Emit("VPADDQ %s, %s, %s", T, P, P)
}

// distribution writes the sums over a row of logits for a distribution's entropy and similar: eight partial sums of
// each.
func (w width) distribution() {
	w.Vector("distribution", "(x *float32, n int, top float64, sums *[3]float64)",
		"is distributionGeneric for n a multiple of 8, at least 8.", 32)
	w.Emit("MOVQ x+0(FP), SI")
	w.Emit("MOVQ n+8(FP), CX")
	w.Emit("VBROADCASTSD top+16(FP), %s", w.Reg(15))
	w.Emit("MOVQ sums+24(FP), DI")
	parts := 8 / w.lanes()
	for i := range 3 * parts {
		w.Emit("VXORPD %[1]s, %[1]s, %[1]s", w.Reg(i))
	}
	w.Label("loop")
	for p := range parts {
		d, t, r, e := 6, 7, 8, 9
		w.Emit("VCVTPS2PD %d(SI), %s", 4*p*w.lanes(), w.Reg(d))
		w.Emit("VSUBPD %s, %s, %s", w.Reg(15), w.Reg(d), w.Reg(d))
		w.exp64(d, t, r, e)
		lowest := w.Double("lowest64", -708)
		if w.R == "Z" {
			w.Emit("VCMPPD $5, %s, %s, K1 // not less: a NaN stays", lowest, w.Reg(d))
			w.Emit("VMOVAPD.Z %s, K1, %s", w.Reg(d), w.Reg(d))
			w.Emit("VMOVAPD.Z %s, K1, %s", w.Reg(e), w.Reg(e))
		} else {
			w.Emit("VCMPPD $5, %s, %s, %s // not less: a NaN stays", lowest, w.Reg(d), w.Reg(t))
			w.Emit("VANDPD %s, %s, %s", w.Reg(t), w.Reg(d), w.Reg(d))
			w.Emit("VANDPD %s, %s, %s", w.Reg(t), w.Reg(e), w.Reg(e))
		}
		w.Emit("VADDPD %s, %s, %s", w.Reg(e), w.Reg(p), w.Reg(p))
		w.Emit("VFMADD231PD %s, %s, %s", w.Reg(d), w.Reg(e), w.Reg(parts+p))
		w.Emit("VFMADD231PD %[1]s, %[1]s, %[2]s", w.Reg(e), w.Reg(2*parts+p))
	}
	w.Emit("ADDQ $32, SI")
	w.Emit("SUBQ $8, CX")
	w.Emit("JGT loop")
	for k := range 3 {
		offset := k * parts
		if parts == 2 {
			w.Emit("VADDPD %s, %s, %s", w.Reg(offset+1), w.Reg(offset), w.Reg(offset))
		}
		w.Fold("VADDPD", "D", offset, 15)
		w.Emit("VMOVSD X%d, %d(DI)", offset, 8*k)
	}
	w.End()
}

// standing writes the index of the largest logit, and the numbers of logits above and equal to one.
func (a *assembler) standing() {
	a.Function("standingAVX2", "(x *float32, n int, of float32) (top float32, first, larger, equal int)",
		"is standingGeneric for n a multiple of 8, at least 8, and no NaN.", 56)
	a.Emit("MOVQ x+0(FP), SI")
	a.Emit("MOVQ n+8(FP), CX")
	a.Emit("VBROADCASTSS of+16(FP), Y1")
	a.Emit("VMOVUPS (SI), Y0")
	a.Emit("XORQ AX, AX")
	a.Emit("XORQ R8, R8")
	a.Emit("XORQ R9, R9")
	a.Label("loop")
	a.Emit("VMOVUPS (SI)(AX*4), Y2")
	a.Emit("VMAXPS Y2, Y0, Y0")
	a.Emit("VCMPPS $0x1e, Y1, Y2, Y3")
	a.Emit("VCMPPS $0, Y1, Y2, Y4")
	for i, register := range []string{"R8", "R9"} {
		a.Emit("VMOVMSKPS Y%d, DX", 3+i)
		a.Emit("POPCNTQ DX, DX")
		a.Emit("ADDQ DX, %s", register)
	}
	a.Emit("ADDQ $8, AX")
	a.Emit("CMPQ AX, CX")
	a.Emit("JLT loop")
	assembly.Width{Assembler: a.Assembler, R: "Y", Size: 32}.Fold("VMAXPS", "S", 0, 2)
	a.Emit("VBROADCASTSS X0, Y2")
	a.Emit("XORQ AX, AX")
	a.Label("find")
	a.Emit("VCMPPS $0, (SI)(AX*4), Y2, Y3")
	a.Emit("VMOVMSKPS Y3, DX")
	a.Emit("TESTQ DX, DX")
	a.Emit("JNE found")
	a.Emit("ADDQ $8, AX")
	a.Emit("CMPQ AX, CX")
	a.Emit("JLT find")
	a.Emit("XORQ AX, AX")
	a.Emit("JMP done // only with NaN")
	a.Label("found")
	a.Emit("BSFQ DX, DX")
	a.Emit("ADDQ DX, AX")
	a.Label("done")
	a.Emit("VMOVSS X0, top+24(FP)")
	a.Emit("MOVQ AX, first+32(FP)")
	a.Emit("MOVQ R8, larger+40(FP)")
	a.Emit("MOVQ R9, equal+48(FP)")
	a.End()
}
