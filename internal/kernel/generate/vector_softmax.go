// The exponentials of a softmax, of package vector.

package main

// softmax writes the exponentials of a row and their sum.
func (w width) softmax() {
	w.vector("softmaxRow", "(x *float32, n int, scale float32) float32", "is softmaxRowGeneric for n a multiple of 16.", 28)
	w.emit("MOVQ x+0(FP), SI")
	w.emit("MOVQ n+8(FP), CX")
	w.emit("VBROADCASTSS scale+16(FP), %s", w.reg(15))
	w.emit("MOVQ SI, DI")
	w.emit("MOVQ CX, DX")
	for p := range w.parts() {
		w.emit("VMOVUPS %s, %s", w.integer("infinity", 0xff800000), w.reg(p))
	}
	w.label("top")
	for p := range w.parts() {
		w.emit("VMULPS %d(DI), %s, %s", p*w.bytes, w.reg(15), w.reg(4))
		w.emit("VMOVUPS %s, %d(DI)", w.reg(4), p*w.bytes)
		w.emit("VMAXPS %s, %s, %s", w.reg(4), w.reg(p), w.reg(p))
	}
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, DX")
	w.emit("JGT top")
	if w.parts() == 2 {
		w.emit("VMAXPS %s, %s, %s", w.reg(1), w.reg(0), w.reg(0))
	}
	w.fold("VMAXPS", "S", 0, 1)
	w.emit("VBROADCASTSS X0, %s", w.reg(15))
	for p := range w.parts() {
		w.emit("%s", w.zero(10+p))
	}
	w.label("power")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(SI), %s", p*w.bytes, w.reg(0))
		w.emit("VSUBPS %s, %s, %s", w.reg(15), w.reg(0), w.reg(0))
		w.exp(0, 1, 2, 3)
		w.emit("VMOVUPS %s, %d(SI)", w.reg(0), p*w.bytes)
		w.emit("VADDPS %s, %s, %s", w.reg(0), w.reg(10+p), w.reg(10+p))
	}
	w.emit("ADDQ $64, SI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT power")
	if w.parts() == 2 {
		w.emit("VADDPS %s, %s, %s", w.reg(11), w.reg(10), w.reg(10))
	}
	w.fold("VADDPS", "S", 10, 1)
	w.emit("VMOVSS X10, ret+24(FP)")
	w.end()
}
