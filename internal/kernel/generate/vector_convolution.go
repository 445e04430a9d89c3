// Depthwise convolutions and what follows a product, of package vector.

package main

import "fmt"

// depthwiseMost is the number of pixels whose sums stay in registers, so that a weight that is loaded serves all of them.
const depthwiseMost = 8

// depthwise writes the functions for 1 … depthwiseMost pixels; the offsets are those of the fields of depthwiseCall.
func (w width) depthwise() {
	for pixels := 1; pixels <= depthwiseMost; pixels++ {
		w.depthwisePixels(pixels)
	}
}

func (w width) depthwisePixels(pixels int) {
	const call, dst, src, weights, bias, groups, step, step3 = "AX", "BX", "SI", "DI", "R9", "R8", "DX", "CX"
	w.function(fmt.Sprintf("depthwise%d%s", pixels, w.name), "(call *depthwiseCall)",
		fmt.Sprintf("is depthwiseGeneric for %d pixels and groups of 16 channels.", pixels), 8)
	w.emit("MOVQ call+0(FP), %s", call)
	for i, r := range []string{dst, src, weights} {
		w.emit("MOVQ %d(%s), %s", 8*i, call, r)
	}
	w.emit("MOVQ 32(%s), %s", call, bias)
	w.emit("MOVQ 48(%s), %s", call, groups)
	w.emit("MOVQ 64(%s), %s", call, step)
	w.emit("SHLQ $2, %s", step)
	w.emit("LEAQ (%s)(%s*2), %s", step, step, step3)
	low, high, weight := w.reg(pixels+1), w.reg(pixels+2), w.reg(pixels)
	w.emit("VBROADCASTSS 72(%s), %s", call, low)
	w.emit("VBROADCASTSS 76(%s), %s", call, high)
	w.label("group")
	for part := range w.parts() {
		at := part * w.bytes
		for j := range pixels {
			w.emit("%s", w.zero(j))
		}
		w.emit("MOVQ 24(%s), R11", call)
		w.emit("MOVQ 40(%s), R13", call)
		w.label(fmt.Sprintf("tap%d", part))
		w.emit("MOVQ (R11), R10")
		w.emit("MOVQ 8(R11), R12")
		w.emit("LEAQ %d(%s)(R10*4), R10", at, src)
		if pixels > 4 {
			w.emit("LEAQ (R10)(%s*4), R14", step)
		}
		w.emit("VMOVUPS %d(%s)(R12*4), %s", at, weights, weight)
		for j := range pixels {
			from := []string{"R10", "R14"}[j/4]
			address := []string{"(%s)", "(%s)(DX*1)", "(%s)(DX*2)", "(%s)(CX*1)"}[j%4]
			w.emit("VFMADD231PS %s, %s, %s", fmt.Sprintf(address, from), weight, w.reg(j))
		}
		w.emit("ADDQ $16, R11")
		w.emit("DECQ R13")
		w.emit("JNZ tap%d", part)
		w.depthwiseEnd(part, pixels, call, dst, bias, low, high)
	}
	for _, r := range []string{dst, src, weights, bias} {
		w.emit("ADDQ $64, %s", r)
	}
	w.emit("DECQ %s", groups)
	w.emit("JNZ group")
	w.end()
}

// depthwiseEnd adds the bias, cuts and stores.
func (w width) depthwiseEnd(part, pixels int, call, dst, bias, low, high string) {
	at := part * w.bytes
	w.emit("MOVQ 80(%s), R12", call)
	w.emit("TESTQ $1, R12")
	w.emit("JZ biased%d", part)
	for j := range pixels {
		w.emit("VADDPS %d(%s), %s, %s", at, bias, w.reg(j), w.reg(j))
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
	w.emit("LEAQ %d(%s), R10", at, dst)
	for j := range pixels {
		w.emit("VMOVUPS %s, (R10)", w.reg(j))
		if j < pixels-1 {
			w.emit("LEAQ (R10)(R12*4), R10")
		}
	}
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

// prefetch asks for cache lines that lie behind each other.
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
