// Depthwise convolutions of bytes, of package vector.

package main

import "fmt"

// interleave brings together the bytes of four rows.
func (w width) interleave() {
	w.vector("interleave", "(dst, a, b, c, d *uint8, n int)",
		fmt.Sprintf("is interleaveGeneric for n a multiple of %d, n > 0.", w.bytes), 48)
	rows := []string{"SI", "R8", "R9", "R10"}
	w.emit("MOVQ dst+0(FP), DI")
	for i, r := range rows {
		w.emit("MOVQ %s+%d(FP), %s", string(rune('a'+i)), 8+8*i, r)
	}
	w.emit("MOVQ n+40(FP), CX")
	w.emit("VMOVUPS spread%s<>(SB), %s", w.name, w.reg(12))
	w.emit("XORQ AX, AX")
	w.label("loop")
	for i, r := range rows {
		w.emit("VPERMD (%s)(AX*1), %s, %s", r, w.reg(12), w.reg(i))
	}
	for pair := range 2 {
		w.emit("VPUNPCKLBW %s, %s, %s", w.reg(2*pair+1), w.reg(2*pair), w.reg(4+pair))
		w.emit("VPUNPCKHBW %s, %s, %s", w.reg(2*pair+1), w.reg(2*pair), w.reg(6+pair))
	}
	for i := range 4 {
		w.emit("%s %s, %s, %s", []string{"VPUNPCKLWD", "VPUNPCKHWD"}[i%2], w.reg(5+i/2*2), w.reg(4+i/2*2), w.reg(8+i))
		w.emit("VMOVUPS %s, %d(DI)(AX*4)", w.reg(8+i), i*w.bytes)
	}
	w.emit("ADDQ $%d, AX", w.bytes)
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.end()
}

// spreads writes the orders of 32-bit parts with which the parts that lanes interleave one after another follow each
// other.
func (a *assembler) spreads() {
	for _, w := range a.widths() {
		lanes := w.bytes / 16
		for i := range w.bytes / 4 {
			fmt.Fprintf(&a.text, "DATA spread%s<>+%d(SB)/4, $%d\n", w.name, 4*i, i%4*lanes+i/4)
		}
		fmt.Fprintf(&a.text, "GLOBL spread%s<>(SB), RODATA|NOPTR, $%d\n", w.name, w.bytes)
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
	w.function(fmt.Sprintf("dots%d%s", pixels, w.name), "(call *dotsCall)",
		fmt.Sprintf("is generic for %d pixels and 16 channels at a time%s.", pixels, map[string]string{"Z": ", on processors with VNNI"}[w.r]), 8)
	w.emit("MOVQ call+0(FP), %s", callAt)
	for i, r := range []string{dstAt, srcAt, weightsAt} {
		w.emit("MOVQ %d(%s), %s", 8*i, callAt, r)
	}
	w.emit("MOVQ 32(%s), %s", callAt, biasAt)
	w.emit("MOVQ 48(%s), %s", callAt, groupsAt)
	w.emit("MOVQ 56(%s), R15", callAt)
	w.emit("SHLQ $2, R15")
	w.emit("MOVQ 64(%s), %s", callAt, pixelStep)
	w.emit("SHLQ $2, %s", pixelStep)
	w.emit("LEAQ (%s)(%s*2), %s", pixelStep, pixelStep, pixelStep3)
	w.label("group")
	for part := range w.parts() {
		offset := part * w.bytes
		for j := range pixels {
			w.emit("VMOVUPS %d(%s), %s", offset, biasAt, w.reg(j))
		}
		w.emit("MOVQ 24(%s), R11", callAt)
		w.emit("MOVQ 40(%s), R13", callAt)
		w.label(fmt.Sprintf("tap%d", part))
		w.emit("MOVQ (R11), R10")
		w.emit("MOVQ 8(R11), R12")
		w.emit("LEAQ %d(%s)(R10*4), R10", offset, srcAt)
		if pixels > 4 {
			w.emit("LEAQ (R10)(%s*4), R14", pixelStep)
		}
		source := func(j int) string {
			return fmt.Sprintf("(%s)%s", []string{"R10", "R14"}[j/4], []string{"", "(DX*1)", "(DX*2)", "(CX*1)"}[j%4])
		}
		w.emit("VMOVUPS %d(%s)(R12*4), %s", offset, weightsAt, w.reg(pixels))
		w.multiplyQuads(pixels, source)
		w.emit("ADDQ $16, R11")
		w.emit("DECQ R13")
		w.emit("JNZ tap%d", part)
		w.emit("LEAQ %d(%s), R10", offset, dstAt)
		for j := range pixels {
			w.emit("VCVTDQ2PS %s, %s", w.reg(j), w.reg(j))
			w.emit("VMOVUPS %s, (R10)", w.reg(j))
			if j < pixels-1 {
				w.emit("ADDQ R15, R10")
			}
		}
	}
	for _, r := range []string{dstAt, srcAt, weightsAt, biasAt} {
		w.emit("ADDQ $64, %s", r)
	}
	w.emit("DECQ %s", groupsAt)
	w.emit("JNZ group")
	w.end()
}

// multiplyQuads adds the products of quads of all pixels by the weights in the register behind the sums.
func (w width) multiplyQuads(pixels int, source func(j int) string) {
	weight := w.reg(pixels)
	if w.r == "Z" {
		first := pixels + 1
		for j := range pixels {
			w.emit("VMOVUPS %s, %s", source(j), w.reg(first+j))
		}
		for j := range pixels {
			w.emit("VPDPBUSD %s, %s, %s", weight, w.reg(first+j), w.reg(j))
		}
		return
	}
	// Two bytes of a quad at a time, as words.
	odd, mask, first := w.reg(pixels+1), w.reg(pixels+2), pixels+3
	w.emit("VMOVUPS %s, %s", w.integer("evenBytes", 0x00ff00ff), mask)
	w.emit("VPSRAW $8, %s, %s", weight, odd)
	w.emit("VPSLLW $8, %s, %s", weight, weight)
	w.emit("VPSRAW $8, %s, %s", weight, weight)
	for j := range pixels {
		a, b := w.reg(first+2*j%4), w.reg(first+2*j%4+1)
		w.emit("VMOVUPS %s, %s", source(j), a)
		w.emit("VPSRLW $8, %s, %s", a, b)
		w.emit("VPAND %s, %s, %s", mask, a, a)
		w.emit("VPMADDWD %s, %s, %s", weight, a, a)
		w.emit("VPMADDWD %s, %s, %s", odd, b, b)
		w.emit("VPADDD %s, %s, %s", a, w.reg(j), w.reg(j))
		w.emit("VPADDD %s, %s, %s", b, w.reg(j), w.reg(j))
	}
}
