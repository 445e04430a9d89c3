// Depthwise convolutions of bytes, of package vector.

package vectors

import "fmt"

// interleave brings together the bytes of four rows.
func (w width) interleave() {
	w.Vector("interleave", "(dst, a, b, c, d *uint8, n int)",
		fmt.Sprintf("is interleaveGeneric for n a multiple of %d, n > 0.", w.Size), 48)
	rows := []string{"SI", "R8", "R9", "R10"}
	w.Emit("MOVQ dst+0(FP), DI")
	for i, r := range rows {
		w.Emit("MOVQ %s+%d(FP), %s", string(rune('a'+i)), 8+8*i, r)
	}
	w.Emit("MOVQ n+40(FP), CX")
	w.Emit("VMOVUPS spread%s<>(SB), %s", w.Name, w.Reg(12))
	w.Emit("XORQ AX, AX")
	w.Label("loop")
	for i, r := range rows {
		w.Emit("VPERMD (%s)(AX*1), %s, %s", r, w.Reg(12), w.Reg(i))
	}
	for pair := range 2 {
		w.Emit("VPUNPCKLBW %s, %s, %s", w.Reg(2*pair+1), w.Reg(2*pair), w.Reg(4+pair))
		w.Emit("VPUNPCKHBW %s, %s, %s", w.Reg(2*pair+1), w.Reg(2*pair), w.Reg(6+pair))
	}
	for i := range 4 {
		w.Emit("%s %s, %s, %s", []string{"VPUNPCKLWD", "VPUNPCKHWD"}[i%2], w.Reg(5+i/2*2), w.Reg(4+i/2*2), w.Reg(8+i))
		w.Emit("VMOVUPS %s, %d(DI)(AX*4)", w.Reg(8+i), i*w.Size)
	}
	w.Emit("ADDQ $%d, AX", w.Size)
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.End()
}

// spreads writes the orders of 32-bit parts with which the parts that lanes interleave one after another follow each
// other.
func (a *assembler) spreads() {
	for _, w := range a.widths() {
		lanes := w.Size / 16
		for i := range w.Size / 4 {
			a.Write("DATA spread%s<>+%d(SB)/4, $%d\n", w.Name, 4*i, i%4*lanes+i/4)
		}
		a.Write("GLOBL spread%s<>(SB), RODATA|NOPTR, $%d\n", w.Name, w.Size)
	}
}

// dots writes the functions for 1 … depthwiseMost pixels, whose elements are four bytes each.
func (w width) dots() {
	for pixels := 1; pixels <= depthwiseMost; pixels++ {
		w.dotsPixels(pixels)
	}
}

// dotsPixels is depthwisePixels of bytes; the offsets are the offsets of the fields of dotsCall.
func (w width) dotsPixels(pixels int) {
	w.Function(fmt.Sprintf("dots%d%s", pixels, w.Name), "(call *dotsCall)",
		fmt.Sprintf("is generic for %d pixels and 16 channels at a time%s.", pixels, map[string]string{"Z": ", on processors with VNNI"}[w.R]), 8)
	w.Emit("MOVQ call+0(FP), %s", callAt)
	for i, r := range []string{dstAt, srcAt, weightsAt} {
		w.Emit("MOVQ %d(%s), %s", 8*i, callAt, r)
	}
	w.Emit("MOVQ 32(%s), %s", callAt, biasAt)
	w.Emit("MOVQ 48(%s), %s", callAt, groupsAt)
	w.Emit("MOVQ 56(%s), R15", callAt)
	w.Emit("SHLQ $2, R15")
	w.Emit("MOVQ 64(%s), %s", callAt, pixelStep)
	w.Emit("SHLQ $2, %s", pixelStep)
	w.Emit("LEAQ (%s)(%s*2), %s", pixelStep, pixelStep, pixelStep3)
	w.Label("group")
	for part := range w.Parts() {
		offset := part * w.Size
		for j := range pixels {
			w.Emit("VMOVUPS %d(%s), %s", offset, biasAt, w.Reg(j))
		}
		w.Emit("MOVQ 24(%s), R11", callAt)
		w.Emit("MOVQ 40(%s), R13", callAt)
		w.Label(fmt.Sprintf("tap%d", part))
		w.Emit("MOVQ (R11), R10")
		w.Emit("MOVQ 8(R11), R12")
		w.Emit("LEAQ %d(%s)(R10*4), R10", offset, srcAt)
		if pixels > 4 {
			w.Emit("LEAQ (R10)(%s*4), R14", pixelStep)
		}
		source := func(j int) string {
			return fmt.Sprintf("(%s)%s", []string{"R10", "R14"}[j/4], []string{"", "(DX*1)", "(DX*2)", "(CX*1)"}[j%4])
		}
		w.Emit("VMOVUPS %d(%s)(R12*4), %s", offset, weightsAt, w.Reg(pixels))
		w.multiplyQuads(pixels, source)
		w.Emit("ADDQ $16, R11")
		w.Emit("DECQ R13")
		w.Emit("JNZ tap%d", part)
		w.Emit("LEAQ %d(%s), R10", offset, dstAt)
		for j := range pixels {
			w.Emit("VCVTDQ2PS %s, %s", w.Reg(j), w.Reg(j))
			w.Emit("VMOVUPS %s, (R10)", w.Reg(j))
			if j < pixels-1 {
				w.Emit("ADDQ R15, R10")
			}
		}
	}
	for _, r := range []string{dstAt, srcAt, weightsAt, biasAt} {
		w.Emit("ADDQ $64, %s", r)
	}
	w.Emit("DECQ %s", groupsAt)
	w.Emit("JNZ group")
	w.End()
}

// multiplyQuads adds the products of quads of all pixels by the weights in the register behind the sums.
func (w width) multiplyQuads(pixels int, source func(j int) string) {
	weight := w.Reg(pixels)
	if w.R == "Z" {
		first := pixels + 1
		for j := range pixels {
			w.Emit("VMOVUPS %s, %s", source(j), w.Reg(first+j))
		}
		for j := range pixels {
			w.Emit("VPDPBUSD %s, %s, %s", weight, w.Reg(first+j), w.Reg(j))
		}
		return
	}
	// Two bytes of a quad at a time, as words.
	odd, mask, first := w.Reg(pixels+1), w.Reg(pixels+2), pixels+3
	w.Emit("VMOVUPS %s, %s", w.Integer("evenBytes", 0x00ff00ff), mask)
	w.Emit("VPSRAW $8, %s, %s", weight, odd)
	w.Emit("VPSLLW $8, %s, %s", weight, weight)
	w.Emit("VPSRAW $8, %s, %s", weight, weight)
	for j := range pixels {
		a, b := w.Reg(first+2*j%4), w.Reg(first+2*j%4+1)
		w.Emit("VMOVUPS %s, %s", source(j), a)
		w.Emit("VPSRLW $8, %s, %s", a, b)
		w.Emit("VPAND %s, %s, %s", mask, a, a)
		w.Emit("VPMADDWD %s, %s, %s", weight, a, a)
		w.Emit("VPMADDWD %s, %s, %s", odd, b, b)
		w.Emit("VPADDD %s, %s, %s", a, w.Reg(j), w.Reg(j))
		w.Emit("VPADDD %s, %s, %s", b, w.Reg(j), w.Reg(j))
	}
}
