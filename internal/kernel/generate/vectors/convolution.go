// Depthwise convolutions and the epilogue of a product, of package vector.

package vectors

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
	name, comment := fmt.Sprintf("depthwise%d%s", pixels, w.Name), fmt.Sprintf("is generic for %d pixels and 16 channels at a time.", pixels)
	if each > 1 {
		name = fmt.Sprintf("grouped%dPixels%d%s", each, pixels, w.Name)
		comment = fmt.Sprintf("is generic for groups of %d channels, %d pixels and 16 channels at a time.", each, pixels)
	}
	w.Function(name, "(call *depthwiseCall)", comment, 8)
	w.Emit("MOVQ call+0(FP), %s", callAt)
	for i, r := range []string{dstAt, srcAt, weightsAt} {
		w.Emit("MOVQ %d(%s), %s", 8*i, callAt, r)
	}
	w.Emit("MOVQ 32(%s), %s", callAt, biasAt)
	w.Emit("MOVQ 48(%s), %s", callAt, groupsAt)
	w.Emit("MOVQ 64(%s), %s", callAt, pixelStep)
	w.Emit("SHLQ $2, %s", pixelStep)
	w.Emit("LEAQ (%s)(%s*2), %s", pixelStep, pixelStep, pixelStep3)
	low, high := w.Reg(pixels+1), w.Reg(pixels+2)
	w.Emit("VBROADCASTSS 72(%s), %s", callAt, low)
	w.Emit("VBROADCASTSS 76(%s), %s", callAt, high)
	if each > 1 {
		w.Emit("MOVQ 88(%s), R15", callAt)
		w.Emit("SHLQ $2, R15")
	}
	if each == 8 && w.R == "Z" {
		w.Emit("VMOVUPS halves<>(SB), Z16")
		for j := 1; j < each; j++ {
			w.Emit("VPADDD %s, Z%d, Z%d", w.Integer("one", 1), 15+j, 16+j)
		}
	}
	w.Label("group")
	for part := range w.Parts() {
		for j := range pixels {
			w.Emit("%s", w.Zero(j))
		}
		w.Emit("MOVQ 24(%s), R11", callAt)
		w.Emit("MOVQ 40(%s), R13", callAt)
		w.Label(fmt.Sprintf("tap%d", part))
		w.tap(each, pixels, part*w.Size)
		w.Emit("ADDQ $16, R11")
		w.Emit("DECQ R13")
		w.Emit("JNZ tap%d", part)
		w.depthwiseEnd(part, pixels, callAt, dstAt, biasAt, low, high)
	}
	for _, r := range []string{dstAt, srcAt, weightsAt, biasAt} {
		w.Emit("ADDQ $64, %s", r)
	}
	w.Emit("DECQ %s", groupsAt)
	w.Emit("JNZ group")
	w.End()
}

// tap adds one position's products, channel by channel of the groups.
func (w width) tap(each, pixels, offset int) {
	weight := w.Reg(pixels)
	w.Emit("MOVQ (R11), R10")
	w.Emit("MOVQ 8(R11), R12")
	w.Emit("LEAQ %d(%s)(R10*4), R10", offset, srcAt)
	if pixels > 4 {
		w.Emit("LEAQ (R10)(%s*4), R14", pixelStep)
	}
	source := func(pixel, channel int) string {
		from := []string{"R10", "R14"}[pixel/4]
		return fmt.Sprintf("%d(%s)%s", 4*channel, from, []string{"", "(DX*1)", "(DX*2)", "(CX*1)"}[pixel%4])
	}
	if each == 1 {
		w.Emit("VMOVUPS %d(%s)(R12*4), %s", offset, weightsAt, weight)
		for j := range pixels {
			w.Emit("VFMADD231PS %s, %s, %s", source(j, 0), weight, w.Reg(j))
		}
		return
	}
	w.Emit("LEAQ %d(%s)(R12*4), R12", offset, weightsAt)
	first, spare := pixels+3, 13-pixels
	if w.R == "Z" {
		first, spare = 24, 8
	}
	for channel := range each {
		w.Emit("VMOVUPS (R12), %s", weight)
		if channel < each-1 {
			w.Emit("ADDQ R15, R12")
		}
		for j := range pixels {
			// The channel of each group, for all of its sums.
			broadcast := w.Reg(first + j%spare)
			switch {
			case each == 2:
				w.Emit("%s %s, %s", []string{"VMOVSLDUP", "VMOVSHDUP"}[channel], source(j, 0), broadcast)
			case each == 4:
				w.Emit("VPERMILPS $%d, %s, %s", channel*0x55, source(j, 0), broadcast)
			case w.R == "Z":
				w.Emit("VPERMPS %s, Z%d, %s", source(j, 0), 16+channel, broadcast)
			default:
				w.Emit("VBROADCASTSS %s, %s", source(j, channel), broadcast)
			}
			w.Emit("VFMADD231PS %s, %s, %s", broadcast, weight, w.Reg(j))
		}
	}
}

// depthwiseEnd adds the bias, cuts and stores.
func (w width) depthwiseEnd(part, pixels int, call, dst, bias, low, high string) {
	offset := part * w.Size
	w.Emit("MOVQ 80(%s), R12", call)
	w.Emit("TESTQ $1, R12")
	w.Emit("JZ biased%d", part)
	for j := range pixels {
		w.Emit("VADDPS %d(%s), %s, %s", offset, bias, w.Reg(j), w.Reg(j))
	}
	w.Label(fmt.Sprintf("biased%d", part))
	w.Emit("TESTQ $2, R12")
	w.Emit("JZ cut%d", part)
	for j := range pixels {
		// The second source is the result if either is NaN or both are zero.
		w.Emit("VMAXPS %s, %s, %s", w.Reg(j), low, w.Reg(j))
		w.Emit("VMINPS %s, %s, %s", w.Reg(j), high, w.Reg(j))
	}
	w.Label(fmt.Sprintf("cut%d", part))
	w.Emit("MOVQ 56(%s), R12", call)
	w.Emit("LEAQ %d(%s), R10", offset, dst)
	for j := range pixels {
		w.Emit("VMOVUPS %s, (R10)", w.Reg(j))
		if j < pixels-1 {
			w.Emit("LEAQ (R10)(R12*4), R10")
		}
	}
}

// groupedChoice writes the Go function that chooses between groups and numbers of pixels.
func (a *assembler) groupedChoice() {
	a.Declare("\n// grouped computes a number of pixels, a power of two, with a number of channels per group.\n" +
		"func (c *depthwiseCall) grouped(each, pixels int) {\n\tat := each<<8 | pixels\n\tif useAVX512 {\n\t\tat |= 1<<16\n\t}\n\tswitch at {\n")
	for i, w := range a.widths() {
		for each := 2; each <= 8; each *= 2 {
			for pixels := 1; pixels <= depthwiseMost; pixels *= 2 {
				a.Declare("\tcase %#x:\n\t\tgrouped%dPixels%d%s(c)\n",
					i<<16|each<<8|pixels, each, pixels, w.Name)
			}
		}
	}
	a.Declare("\t}\n}\n")
}

// finishRows adds a bias to the rows of a matrix, and another matrix if there is one, with or without ReLU.
func (w width) finishRows() {
	w.Vector("finishRows", "(c, bias, other *float32, stride, cols, rows int, relu bool)",
		"adds bias and, if it is not nil, the same part of another matrix to rows of cols elements, a multiple of 16, "+
			"and cuts negative results.", 49)
	w.Emit("MOVQ c+0(FP), DI")
	w.Emit("MOVQ bias+8(FP), SI")
	w.Emit("MOVQ other+16(FP), DX")
	w.Emit("MOVQ stride+24(FP), R8")
	w.Emit("MOVQ cols+32(FP), CX")
	w.Emit("MOVQ rows+40(FP), R10")
	w.Emit("MOVBLZX relu+48(FP), R9")
	w.Emit("SHLQ $2, R8")
	w.Emit("SHLQ $2, CX")
	w.Emit("%s", w.Zero(12))
	w.Emit("VMOVUPS %s, %s", w.Integer("infinity", 0xff800000), w.Reg(13))
	w.Emit("TESTB R9, R9")
	w.Emit("JEQ row")
	w.Emit("VMOVAPS %s, %s", w.Reg(12), w.Reg(13))
	w.Label("row")
	w.Emit("XORQ AX, AX")
	w.Emit("TESTQ DX, DX")
	w.Emit("JNE both")
	w.Label("loop")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %d(DI)(AX*1), %s", p*w.Size, w.Reg(p))
		w.Emit("VADDPS %d(SI)(AX*1), %s, %s", p*w.Size, w.Reg(p), w.Reg(p))
		w.Emit("VMAXPS %s, %s, %s // a NaN stays", w.Reg(p), w.Reg(13), w.Reg(p))
		w.Emit("VMOVUPS %s, %d(DI)(AX*1)", w.Reg(p), p*w.Size)
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT loop")
	w.Emit("ADDQ R8, DI")
	w.Emit("DECQ R10")
	w.Emit("JNZ row")
	w.End()
	w.Label("both")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %d(DI)(AX*1), %s", p*w.Size, w.Reg(p))
		w.Emit("VADDPS %d(SI)(AX*1), %s, %s", p*w.Size, w.Reg(p), w.Reg(p))
		w.Emit("VADDPS %d(DX)(AX*1), %s, %s", p*w.Size, w.Reg(p), w.Reg(p))
		w.Emit("VMAXPS %s, %s, %s // a NaN stays", w.Reg(p), w.Reg(13), w.Reg(p))
		w.Emit("VMOVUPS %s, %d(DI)(AX*1)", w.Reg(p), p*w.Size)
	}
	w.Emit("ADDQ $64, AX")
	w.Emit("CMPQ AX, CX")
	w.Emit("JLT both")
	w.Emit("ADDQ R8, DI")
	w.Emit("ADDQ R8, DX")
	w.Emit("DECQ R10")
	w.Emit("JNZ row")
	w.End()
}

// prefetch prefetches contiguous cache lines.
func (a *assembler) prefetch() {
	a.Function("prefetchAsm", "(src *float32, lines int)", "asks for cache lines.", 16)
	a.Emit("MOVQ src+0(FP), SI")
	a.Emit("MOVQ lines+8(FP), CX")
	a.Label("line")
	a.Emit("PREFETCHT1 (SI)")
	a.Emit("ADDQ $64, SI")
	a.Emit("DECQ CX")
	a.Emit("JNZ line")
	a.Emit("RET")
}
