// The elementary functions of package vector.

package main

// functions writes the elementary functions; their portable twins explain them. Each turns register 4 into register 0
// and finds zeros in register 12.
func (w width) functions() {
	w.unary("relu", func() { w.emit("VMAXPS %s, %s, %s // a NaN stays", w.reg(4), w.reg(12), w.reg(0)) })
	w.unary("exp", w.exponential)
	w.unary("sigmoid", func() { w.logistic(false) })
	w.unary("silu", func() { w.logistic(true) })
	w.unary("tanh", w.tanh)
	w.unary("erf", w.erf)
	w.unary("gelu", w.gelu)
	w.unary("geluTanh", w.geluTanh)
	w.unary("mish", w.mish)
	w.unary("sqrt", func() { w.emit("VSQRTPS %s, %s", w.reg(4), w.reg(0)) })
	w.unary("negate", func() { w.emit("VXORPS %s, %s, %s", w.integer("signs", 0x80000000), w.reg(4), w.reg(0)) })
	w.unary("absolutes", func() { w.emit("VANDPS %s, %s, %s", w.integer("magnitudes", 0x7fffffff), w.reg(4), w.reg(0)) })
	for i, name := range []string{"round", "floor", "ceil"} {
		instruction := map[string]string{"Z": "VRNDSCALEPS", "Y": "VROUNDPS"}[w.r]
		w.unary(name, func() { w.emit("%s $%d, %s, %s", instruction, 8+i, w.reg(4), w.reg(0)) })
	}
	w.between("swish", "slope", "unit", w.swish)
}

// unary writes a function of each element: body turns register 4 into register 0; register 12 is zero.
func (w width) unary(name string, body func()) {
	w.vector(name, "(dst, src *float32, n int)", "is "+name+"Generic for n a multiple of 16.", 24)
	w.emit("MOVQ dst+0(FP), DI")
	w.emit("MOVQ src+8(FP), SI")
	w.emit("MOVQ n+16(FP), CX")
	w.emit("%s", w.zero(12))
	w.label("loop")
	for p := range w.parts() {
		w.emit("VMOVUPS %d(SI), %s", p*w.bytes, w.reg(4))
		body()
		w.emit("VMOVUPS %s, %d(DI)", w.reg(0), p*w.bytes)
	}
	w.emit("ADDQ $64, SI")
	w.emit("ADDQ $64, DI")
	w.emit("SUBQ $16, CX")
	w.emit("JGT loop")
	w.end()
}

func (w width) exponential() {
	w.emit("VMOVAPS %s, %s", w.reg(4), w.reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.bound("VMAXPS", 0, 1, "least", -104)
	w.reduce(0, 1, 2)
	w.series(0, 2, 3)
	w.emit("VPSUBD %s, %s, %s", w.constant("shift", 12582912), w.reg(1), w.reg(1))
	w.emit("VPSRAD $1, %s, %s", w.reg(1), w.reg(2))
	w.emit("VPSUBD %s, %s, %s", w.reg(2), w.reg(1), w.reg(1))
	w.scale(3, 2, 3)
	w.scale(0, 1, 3)
}

// logistic is 1/(1 + e⁻ˣ), or x times that.
func (w width) logistic(timesX bool) {
	w.emit("VXORPS %s, %s, %s", w.integer("signs", 0x80000000), w.reg(4), w.reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.exp(0, 1, 2, 3)
	w.emit("VADDPS %s, %s, %s", w.constant("unit", 1), w.reg(0), w.reg(0))
	if !timesX {
		w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(4))
	}
	w.emit("VDIVPS %s, %s, %s", w.reg(0), w.reg(4), w.reg(0))
}

// swish is x over 1 and the exponential of −slope·x.
func (w width) swish() {
	w.emit("VMOVAPS %s, %s", w.reg(0), w.reg(4))
	w.emit("VMULPS %s, %s, %s", w.reg(13), w.reg(0), w.reg(0))
	w.emit("VXORPS %s, %s, %s", w.integer("signs", 0x80000000), w.reg(0), w.reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.exp(0, 1, 2, 3)
	w.emit("VADDPS %s, %s, %s", w.reg(14), w.reg(0), w.reg(0))
	w.emit("VDIVPS %s, %s, %s", w.reg(0), w.reg(4), w.reg(0))
}

// mish is x/(1 + q·(2/(1/q + 2))) with q = e⁻ˣ.
func (w width) mish() {
	w.emit("VXORPS %s, %s, %s", w.integer("signs", 0x80000000), w.reg(4), w.reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.exp(0, 1, 2, 3)
	w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(1))
	w.emit("VMOVUPS %s, %s", w.constant("two", 2), w.reg(2))
	w.emit("VDIVPS %s, %s, %s", w.reg(0), w.reg(1), w.reg(3))
	w.emit("VADDPS %s, %s, %s", w.reg(2), w.reg(3), w.reg(3))
	w.emit("VDIVPS %s, %s, %s", w.reg(3), w.reg(2), w.reg(3))
	w.emit("VMULPS %s, %s, %s", w.reg(3), w.reg(0), w.reg(0))
	w.emit("VADDPS %s, %s, %s", w.reg(1), w.reg(0), w.reg(0))
	w.emit("VDIVPS %s, %s, %s", w.reg(0), w.reg(4), w.reg(0))
}

func (w width) tanh() {
	w.negative(4, 5)
	w.emit("VADDPS %s, %s, %s", w.reg(5), w.reg(5), w.reg(0))
	w.exp(0, 1, 2, 3)
	w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(1))
	w.emit("VSUBPS %s, %s, %s", w.reg(0), w.reg(1), w.reg(2))
	w.emit("VADDPS %s, %s, %s", w.reg(0), w.reg(1), w.reg(0))
	w.emit("VDIVPS %s, %s, %s", w.reg(0), w.reg(2), w.reg(0))
	w.sign(4, 0, 1)
	w.emit("VMULPS %s, %s, %s", w.reg(4), w.reg(4), w.reg(1))
	w.polynomial("t", tanhTerms, 1, 2)
	w.emit("VMULPS %s, %s, %s", w.reg(1), w.reg(2), w.reg(2))
	w.emit("VFMADD213PS %s, %s, %s", w.reg(4), w.reg(4), w.reg(2))
	w.where("minusBorder", -0.625, 5, 2, 0)
}

func (w width) erf() {
	w.negative(4, 5)
	w.bound("VMAXPS", 5, 1, "minusFour", -4)
	w.polynomial("c", alternate(erfcTerms), 5, 0)
	w.emit("VMULPS %s, %s, %s", w.reg(5), w.reg(0), w.reg(0))
	w.exp(0, 1, 2, 3)
	w.emit("VMOVUPS %s, %s", w.constant("unit", 1), w.reg(1))
	w.emit("VSUBPS %s, %s, %s", w.reg(0), w.reg(1), w.reg(0))
	w.sign(4, 0, 1)
	w.emit("VMULPS %s, %s, %s", w.reg(4), w.reg(4), w.reg(1))
	w.polynomial("f", erfTerms, 1, 2)
	w.emit("VFMADD213PS %s, %s, %s", w.reg(4), w.reg(4), w.reg(2))
	w.where("minusUnit", -1, 5, 2, 0)
}

func (w width) gelu() {
	w.negative(4, 5)
	w.polynomial("g", alternate(geluTerms), 5, 0)
	w.emit("VMULPS %s, %s, %s", w.reg(5), w.reg(0), w.reg(0))
	w.exp(0, 1, 2, 3)
	w.emit("VMULPS %s, %s, %s", w.constant("half", 0.5), w.reg(0), w.reg(0))
	w.emit("VMAXPS %s, %s, %s // a NaN stays", w.reg(4), w.reg(12), w.reg(4))
	w.emit("VFMADD213PS %s, %s, %s", w.reg(4), w.reg(5), w.reg(0))
}

func (w width) geluTanh() {
	linear, cubic, x, z, p, low, rest := w.reg(0), w.reg(10), w.reg(5), w.reg(6), w.reg(7), w.reg(8), w.reg(9)
	w.emit("VMOVAPS %s, %s", w.reg(4), x)
	w.bound("VMINPS", 5, 1, "eleven", 11)
	w.bound("VMAXPS", 5, 1, "minusEleven", -11)
	w.emit("VMULPS %s, %s, %s", x, x, z)
	w.emit("VMOVAPS %s, %s", z, low)
	w.emit("VFMSUB231PS %s, %s, %s", x, x, low)
	w.emit("VMOVUPS %s, %s", w.constant("linear", geluLinear), linear)
	w.emit("VMOVUPS %s, %s", w.constant("cubic", geluCubic), cubic)
	w.emit("VMOVAPS %s, %s", linear, p)
	w.emit("VFMADD231PS %s, %s, %s", z, cubic, p)
	w.emit("VFMADD213PS %s, %s, %s", w.constant("linearLow", geluLinearLow), cubic, low)
	w.emit("VFMADD231PS %s, %s, %s", w.constant("cubicLow", geluCubicLow), z, low)
	w.emit("VSUBPS %s, %s, %s", p, linear, linear)
	w.emit("VFMADD231PS %s, %s, %s", z, cubic, linear)
	w.emit("VADDPS %s, %s, %s", linear, low, low)
	w.emit("VMULPS %s, %s, %s", x, p, w.reg(0))
	w.emit("VMOVAPS %s, %s", w.reg(0), rest)
	w.emit("VFMSUB231PS %s, %s, %s", x, p, rest)
	w.emit("VFMADD231PS %s, %s, %s", x, low, rest)
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.bound("VMAXPS", 0, 1, "lowest", -87)
	w.reduce(0, 1, 2)
	w.emit("VADDPS %s, %s, %s", rest, w.reg(0), w.reg(0))
	w.series(0, 2, 3)
	w.scale(0, 1, 3)
	w.emit("VADDPS %s, %s, %s", w.constant("unit", 1), w.reg(0), w.reg(0))
	w.emit("VDIVPS %s, %s, %s", w.reg(0), w.reg(4), w.reg(0))
}
