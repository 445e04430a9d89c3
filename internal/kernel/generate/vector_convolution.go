// Depthwise convolutions and the epilogue of a product, of package vector.

package main

import "fmt"

// depthwiseMost is the number of pixels whose sums stay in registers, so that a weight that is loaded serves all of
// them.
const depthwiseMost = 8

// Registers of the positions of the functions of a depthwiseCall.
const (
	callAt, dstAt, srcAt, weightsAt, biasAt, groupsAt, pixelStep, pixelStep3 = "AX", "BX", "SI", "DI", "R9", "R8", "DX", "CX"
)

// depthwise writes the functions for 1 … depthwiseMost pixels with one channel per group, and for some numbers of
// pixels with more.
func (w width) depthwise() {
	for pixels := 1; pixels <= depthwiseMost; pixels++ {
		w.depthwisePixels(1, pixels)
	}
	for each := 2; each <= 8; each *= 2 {
		for pixels := 1; pixels <= depthwiseMost; pixels *= 2 {
			w.depthwisePixels(each, pixels)
		}
	}
}

// depthwisePixels has groups of each channels; the offsets are the offsets of the fields of depthwiseCall.
func (w width) depthwisePixels(each, pixels int) {
	name, comment := fmt.Sprintf("depthwise%d%s", pixels, w.name), fmt.Sprintf("is generic for %d pixels and 16 channels at a time.", pixels)
	if each > 1 {
		name = fmt.Sprintf("grouped%dPixels%d%s", each, pixels, w.name)
		comment = fmt.Sprintf("is generic for groups of %d channels, %d pixels and 16 channels at a time.", each, pixels)
	}
	w.function(name, "(call *depthwiseCall)", comment, 8)
	w.emit("MOVQ call+0(FP), %s", callAt)
	for i, r := range []string{dstAt, srcAt, weightsAt} {
		w.emit("MOVQ %d(%s), %s", 8*i, callAt, r)
	}
	w.emit("MOVQ 32(%s), %s", callAt, biasAt)
	w.emit("MOVQ 48(%s), %s", callAt, groupsAt)
	w.emit("MOVQ 64(%s), %s", callAt, pixelStep)
	w.emit("SHLQ $2, %s", pixelStep)
	w.emit("LEAQ (%s)(%s*2), %s", pixelStep, pixelStep, pixelStep3)
	low, high := w.reg(pixels+1), w.reg(pixels+2)
	w.emit("VBROADCASTSS 72(%s), %s", callAt, low)
	w.emit("VBROADCASTSS 76(%s), %s", callAt, high)
	if each > 1 {
		w.emit("MOVQ 88(%s), R15", callAt)
		w.emit("SHLQ $2, R15")
	}
	if each == 8 && w.r == "Z" {
		w.emit("VMOVUPS halves<>(SB), Z16")
		for j := 1; j < each; j++ {
			w.emit("VPADDD %s, Z%d, Z%d", w.integer("one", 1), 15+j, 16+j)
		}
	}
	w.label("group")
	for part := range w.parts() {
		for j := range pixels {
			w.emit("%s", w.zero(j))
		}
		w.emit("MOVQ 24(%s), R11", callAt)
		w.emit("MOVQ 40(%s), R13", callAt)
		w.label(fmt.Sprintf("tap%d", part))
		w.tap(each, pixels, part*w.bytes)
		w.emit("ADDQ $16, R11")
		w.emit("DECQ R13")
		w.emit("JNZ tap%d", part)
		w.depthwiseEnd(part, pixels, callAt, dstAt, biasAt, low, high)
	}
	for _, r := range []string{dstAt, srcAt, weightsAt, biasAt} {
		w.emit("ADDQ $64, %s", r)
	}
	w.emit("DECQ %s", groupsAt)
	w.emit("JNZ group")
	w.end()
}

// tap adds one position's products, channel by channel of the groups.
func (w width) tap(each, pixels, offset int) {
	weight := w.reg(pixels)
	w.emit("MOVQ (R11), R10")
	w.emit("MOVQ 8(R11), R12")
	w.emit("LEAQ %d(%s)(R10*4), R10", offset, srcAt)
	if pixels > 4 {
		w.emit("LEAQ (R10)(%s*4), R14", pixelStep)
	}
	source := func(pixel, channel int) string {
		from := []string{"R10", "R14"}[pixel/4]
		return fmt.Sprintf("%d(%s)%s", 4*channel, from, []string{"", "(DX*1)", "(DX*2)", "(CX*1)"}[pixel%4])
	}
	if each == 1 {
		w.emit("VMOVUPS %d(%s)(R12*4), %s", offset, weightsAt, weight)
		for j := range pixels {
			w.emit("VFMADD231PS %s, %s, %s", source(j, 0), weight, w.reg(j))
		}
		return
	}
	w.emit("LEAQ %d(%s)(R12*4), R12", offset, weightsAt)
	first, spare := pixels+3, 13-pixels
	if w.r == "Z" {
		first, spare = 24, 8
	}
	for channel := range each {
		w.emit("VMOVUPS (R12), %s", weight)
		if channel < each-1 {
			w.emit("ADDQ R15, R12")
		}
		for j := range pixels {
			// The channel of each group, for all of its sums.
			broadcast := w.reg(first + j%spare)
			switch {
			case each == 2:
				w.emit("%s %s, %s", []string{"VMOVSLDUP", "VMOVSHDUP"}[channel], source(j, 0), broadcast)
			case each == 4:
				w.emit("VPERMILPS $%d, %s, %s", channel*0x55, source(j, 0), broadcast)
			case w.r == "Z":
				w.emit("VPERMPS %s, Z%d, %s", source(j, 0), 16+channel, broadcast)
			default:
				w.emit("VBROADCASTSS %s, %s", source(j, channel), broadcast)
			}
			w.emit("VFMADD231PS %s, %s, %s", broadcast, weight, w.reg(j))
		}
	}
}

// depthwiseEnd adds the bias, cuts and stores.
func (w width) depthwiseEnd(part, pixels int, call, dst, bias, low, high string) {
	offset := part * w.bytes
	w.emit("MOVQ 80(%s), R12", call)
	w.emit("TESTQ $1, R12")
	w.emit("JZ biased%d", part)
	for j := range pixels {
		w.emit("VADDPS %d(%s), %s, %s", offset, bias, w.reg(j), w.reg(j))
	}
	w.label(fmt.Sprintf("biased%d", part))
	w.emit("TESTQ $2, R12")
	w.emit("JZ cut%d", part)
	for j := range pixels {
		// The second source is the result if either is NaN or both are zero.
		w.emit("VMAXPS %s, %s, %s", w.reg(j), low, w.reg(j))
		w.emit("VMINPS %s, %s, %s", w.reg(j), high, w.reg(j))
	}
	w.label(fmt.Sprintf("cut%d", part))
	w.emit("MOVQ 56(%s), R12", call)
	w.emit("LEAQ %d(%s), R10", offset, dst)
	for j := range pixels {
		w.emit("VMOVUPS %s, (R10)", w.reg(j))
		if j < pixels-1 {
			w.emit("LEAQ (R10)(R12*4), R10")
		}
	}
}

// groupedChoice writes the Go function that chooses between groups and numbers of pixels.
func (a *assembler) groupedChoice() {
	a.declarations.WriteString("\n// grouped computes a number of pixels, a power of two, with a number of channels per group.\n" +
		"func (c *depthwiseCall) grouped(each, pixels int) {\n\tat := each<<8 | pixels\n\tif useAVX512 {\n\t\tat |= 1<<16\n\t}\n\tswitch at {\n")
	for i, w := range a.widths() {
		for each := 2; each <= 8; each *= 2 {
			for pixels := 1; pixels <= depthwiseMost; pixels *= 2 {
				fmt.Fprintf(&a.declarations, "\tcase %#x:\n\t\tgrouped%dPixels%d%s(c)\n",
					i<<16|each<<8|pixels, each, pixels, w.name)
			}
		}
	}
	a.declarations.WriteString("\t}\n}\n")
}

// finishRows adds a bias to the rows of a matrix, and another matrix if there is one, with or without ReLU.
func (w width) finishRows() {
	w.vector("finishRows", "(c, bias, other *float32, stride, cols, rows int, relu bool)",
		"adds bias and, if it is not nil, the same part of another matrix to rows of cols elements, a multiple of 16, "+
			"and cuts negative results.", 49)
	w.emit("MOVQ c+0(FP), DI")
	w.emit("MOVQ bias+8(FP), SI")
	w.emit("MOVQ other+16(FP), DX")
	w.emit("MOVQ stride+24(FP), R8")
	w.emit("MOVQ cols+32(FP), CX")
	w.emit("MOVQ rows+40(FP), R10")
	w.emit("MOVBLZX relu+48(FP), R9")
	w.emit("SHLQ $2, R8")
	w.emit("SHLQ $2, CX")
	w.emit("%s", w.zero(12))
	w.emit("VMOVUPS %s, %s", w.integer("infinity", 0xff800000), w.reg(13))
	w.emit("TESTB R9, R9")
	w.emit("JEQ row")
	w.emit("VMOVAPS %s, %s", w.reg(12), w.reg(13))
	w.label("row")
	w.emit("XORQ AX, AX")
	w.emit("TESTQ DX, DX")
	w.emit("JNE both")
	w.label("loop")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(DI)(AX*1), %s", p*w.bytes, w.reg(p))
		w.emit("VADDPS %d(SI)(AX*1), %s, %s", p*w.bytes, w.reg(p), w.reg(p))
		w.emit("VMAXPS %s, %s, %s // a NaN stays", w.reg(p), w.reg(13), w.reg(p))
		w.emit("VMOVUPS %s, %d(DI)(AX*1)", w.reg(p), p*w.bytes)
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT loop")
	w.emit("ADDQ R8, DI")
	w.emit("DECQ R10")
	w.emit("JNZ row")
	w.end()
	w.label("both")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(DI)(AX*1), %s", p*w.bytes, w.reg(p))
		w.emit("VADDPS %d(SI)(AX*1), %s, %s", p*w.bytes, w.reg(p), w.reg(p))
		w.emit("VADDPS %d(DX)(AX*1), %s, %s", p*w.bytes, w.reg(p), w.reg(p))
		w.emit("VMAXPS %s, %s, %s // a NaN stays", w.reg(p), w.reg(13), w.reg(p))
		w.emit("VMOVUPS %s, %d(DI)(AX*1)", w.reg(p), p*w.bytes)
	}
	w.emit("ADDQ $64, AX")
	w.emit("CMPQ AX, CX")
	w.emit("JLT both")
	w.emit("ADDQ R8, DI")
	w.emit("ADDQ R8, DX")
	w.emit("DECQ R10")
	w.emit("JNZ row")
	w.end()
}

// prefetch prefetches contiguous cache lines.
func (a *assembler) prefetch() {
	a.function("prefetchAsm", "(src *float32, lines int)", "asks for cache lines.", 16)
	a.emit("MOVQ src+0(FP), SI")
	a.emit("MOVQ lines+8(FP), CX")
	a.label("line")
	a.emit("PREFETCHT1 (SI)")
	a.emit("ADDQ $64, SI")
	a.emit("DECQ CX")
	a.emit("JNZ line")
	a.emit("RET")
}
