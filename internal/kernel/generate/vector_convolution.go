// Depthwise convolutions and what follows a product, of package vector.

package main

import "fmt"

// depthwise keeps the sums of eight output pixels, so that a weight that is loaded serves all of them.
func (w width) depthwise() {
	w.functionWithFrame("depthwise"+w.name, "(dst, src, weights *float32, offsets, bases *int, positions, channels, stride, blocks int)",
		"is depthwiseGeneric for 16 of the channels and blocks of eight pixels, which in dst are stride elements apart.", 8, 72)
	pixels := []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9"}
	w.label("block")
	w.emit("MOVQ bases+32(FP), R12")
	w.emit("MOVQ src+8(FP), R13")
	for j, r := range pixels {
		w.emit("MOVQ %d(R12), %s", 8*j, r)
		w.emit("LEAQ (R13)(%s*4), %s", r, r)
	}
	w.emit("ADDQ $%d, R12", 8*len(pixels))
	w.emit("MOVQ R12, bases+32(FP)")
	for part := range w.parts() {
		at := part * w.bytes
		for j := range pixels {
			w.emit("%s", w.zero(j))
		}
		w.emit("MOVQ weights+16(FP), R12")
		w.emit("MOVQ channels+48(FP), R13")
		w.emit("SHLQ $2, R13")
		w.emit("MOVQ offsets+24(FP), R11")
		w.emit("MOVQ positions+40(FP), R10")
		w.emit("LEAQ (R11)(R10*8), R10")
		w.emit("MOVQ R10, end-8(SP)")
		loop := fmt.Sprintf("position%d", part)
		w.label(loop)
		w.emit("MOVQ (R11), R10")
		w.emit("VMOVUPS %d(R12), %s", at, w.reg(len(pixels)))
		for j, r := range pixels {
			w.emit("VFMADD231PS %d(%s)(R10*4), %s, %s", at, r, w.reg(len(pixels)), w.reg(j))
		}
		w.emit("ADDQ R13, R12")
		w.emit("ADDQ $8, R11")
		w.emit("CMPQ R11, end-8(SP)")
		w.emit("JNE %s", loop)
		w.emit("MOVQ dst+0(FP), R12")
		w.emit("MOVQ stride+56(FP), R13")
		w.emit("SHLQ $2, R13")
		for j := range pixels {
			w.emit("VMOVUPS %s, %d(R12)", w.reg(j), at)
			w.emit("ADDQ R13, R12")
		}
	}
	w.emit("MOVQ R12, dst+0(FP)")
	w.emit("DECQ blocks+64(FP)")
	w.emit("JNZ block")
	w.end()
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
