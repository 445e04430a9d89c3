// The elementary functions of package vector.

package vectors

// functions writes the elementary functions; their portable twins explain them. Each turns register 4 into register 0
// and finds zeros in register 12.
func (w width) functions() {
	w.unary("relu", func() { w.Emit("VMAXPS %s, %s, %s // a NaN stays", w.Reg(4), w.Reg(12), w.Reg(0)) })
	w.unary("exp", w.exponential)
	w.unary("sigmoid", func() { w.logistic(false) })
	w.unary("silu", func() { w.logistic(true) })
	w.unary("tanh", w.tanh)
	w.unary("erf", w.erf)
	w.unary("gelu", w.gelu)
	w.unary("geluTanh", w.geluTanh)
	w.unary("mish", w.mish)
	w.unary("sqrt", func() { w.Emit("VSQRTPS %s, %s", w.Reg(4), w.Reg(0)) })
	w.unary("negate", func() { w.Emit("VXORPS %s, %s, %s", w.Integer("signs", 0x80000000), w.Reg(4), w.Reg(0)) })
	w.unary("absolutes", func() { w.Emit("VANDPS %s, %s, %s", w.Integer("magnitudes", 0x7fffffff), w.Reg(4), w.Reg(0)) })
	for i, name := range []string{"round", "floor", "ceil"} {
		instruction := map[string]string{"Z": "VRNDSCALEPS", "Y": "VROUNDPS"}[w.R]
		w.unary(name, func() { w.Emit("%s $%d, %s, %s", instruction, 8+i, w.Reg(4), w.Reg(0)) })
	}
	w.between("swish", "slope", "unit", w.swish)
}

// unary writes a function of each element: body turns register 4 into register 0; register 12 is zero.
func (w width) unary(name string, body func()) {
	w.Vector(name, "(dst, src *float32, n int)", "is "+name+"Generic for n a multiple of 16.", 24)
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ n+16(FP), CX")
	w.Emit("%s", w.Zero(12))
	w.each(4, body)
}

// each writes the loop over CX elements: body turns a register with elements of SI into register 0, for DI.
func (w width) each(register int, body func()) {
	w.Label("loop")
	for p := range w.Parts() {
		w.Emit("VMOVUPS %d(SI), %s", p*w.Size, w.Reg(register))
		body()
		w.Emit("VMOVUPS %s, %d(DI)", w.Reg(0), p*w.Size)
	}
	w.Emit("ADDQ $64, SI")
	w.Emit("ADDQ $64, DI")
	w.Emit("SUBQ $16, CX")
	w.Emit("JGT loop")
	w.End()
}

func (w width) exponential() {
	w.Emit("VMOVAPS %s, %s", w.Reg(4), w.Reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.bound("VMAXPS", 0, 1, "least", -104)
	w.reduce(0, 1, 2)
	w.series(0, 2, 3)
	w.Emit("VPSUBD %s, %s, %s", w.Constant("shift", 12582912), w.Reg(1), w.Reg(1))
	w.Emit("VPSRAD $1, %s, %s", w.Reg(1), w.Reg(2))
	w.Emit("VPSUBD %s, %s, %s", w.Reg(2), w.Reg(1), w.Reg(1))
	w.scale(3, 2, 3)
	w.scale(0, 1, 3)
}

// logistic is 1/(1 + e⁻ˣ), or x times that.
func (w width) logistic(timesX bool) {
	w.Emit("VXORPS %s, %s, %s", w.Integer("signs", 0x80000000), w.Reg(4), w.Reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.exp(0, 1, 2, 3)
	w.Emit("VADDPS %s, %s, %s", w.Constant("unit", 1), w.Reg(0), w.Reg(0))
	if !timesX {
		w.Emit("VMOVUPS %s, %s", w.Constant("unit", 1), w.Reg(4))
	}
	w.Emit("VDIVPS %s, %s, %s", w.Reg(0), w.Reg(4), w.Reg(0))
}

// swish is x over 1 and the exponential of −slope·x.
func (w width) swish() {
	w.Emit("VMOVAPS %s, %s", w.Reg(0), w.Reg(4))
	w.Emit("VMULPS %s, %s, %s", w.Reg(13), w.Reg(0), w.Reg(0))
	w.Emit("VXORPS %s, %s, %s", w.Integer("signs", 0x80000000), w.Reg(0), w.Reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.exp(0, 1, 2, 3)
	w.Emit("VADDPS %s, %s, %s", w.Reg(14), w.Reg(0), w.Reg(0))
	w.Emit("VDIVPS %s, %s, %s", w.Reg(0), w.Reg(4), w.Reg(0))
}

// mish is x/(1 + q·(2/(1/q + 2))) with q = e⁻ˣ.
func (w width) mish() {
	w.Emit("VXORPS %s, %s, %s", w.Integer("signs", 0x80000000), w.Reg(4), w.Reg(0))
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.exp(0, 1, 2, 3)
	w.Emit("VMOVUPS %s, %s", w.Constant("unit", 1), w.Reg(1))
	w.Emit("VMOVUPS %s, %s", w.Constant("two", 2), w.Reg(2))
	w.Emit("VDIVPS %s, %s, %s", w.Reg(0), w.Reg(1), w.Reg(3))
	w.Emit("VADDPS %s, %s, %s", w.Reg(2), w.Reg(3), w.Reg(3))
	w.Emit("VDIVPS %s, %s, %s", w.Reg(3), w.Reg(2), w.Reg(3))
	w.Emit("VMULPS %s, %s, %s", w.Reg(3), w.Reg(0), w.Reg(0))
	w.Emit("VADDPS %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(0))
	w.Emit("VDIVPS %s, %s, %s", w.Reg(0), w.Reg(4), w.Reg(0))
}

func (w width) tanh() {
	w.negative(4, 5)
	w.Emit("VADDPS %s, %s, %s", w.Reg(5), w.Reg(5), w.Reg(0))
	w.exp(0, 1, 2, 3)
	w.Emit("VMOVUPS %s, %s", w.Constant("unit", 1), w.Reg(1))
	w.Emit("VSUBPS %s, %s, %s", w.Reg(0), w.Reg(1), w.Reg(2))
	w.Emit("VADDPS %s, %s, %s", w.Reg(0), w.Reg(1), w.Reg(0))
	w.Emit("VDIVPS %s, %s, %s", w.Reg(0), w.Reg(2), w.Reg(0))
	w.sign(4, 0, 1)
	w.Emit("VMULPS %s, %s, %s", w.Reg(4), w.Reg(4), w.Reg(1))
	w.polynomial("t", tanhTerms, 1, 2)
	w.Emit("VMULPS %s, %s, %s", w.Reg(1), w.Reg(2), w.Reg(2))
	w.Emit("VFMADD213PS %s, %s, %s", w.Reg(4), w.Reg(4), w.Reg(2))
	w.where("minusBorder", -0.625, 5, 2, 0)
}

func (w width) erf() {
	w.negative(4, 5)
	w.bound("VMAXPS", 5, 1, "minusFour", -4)
	w.polynomial("c", alternate(erfcTerms), 5, 0)
	w.Emit("VMULPS %s, %s, %s", w.Reg(5), w.Reg(0), w.Reg(0))
	w.exp(0, 1, 2, 3)
	w.Emit("VMOVUPS %s, %s", w.Constant("unit", 1), w.Reg(1))
	w.Emit("VSUBPS %s, %s, %s", w.Reg(0), w.Reg(1), w.Reg(0))
	w.sign(4, 0, 1)
	w.Emit("VMULPS %s, %s, %s", w.Reg(4), w.Reg(4), w.Reg(1))
	w.polynomial("f", erfTerms, 1, 2)
	w.Emit("VFMADD213PS %s, %s, %s", w.Reg(4), w.Reg(4), w.Reg(2))
	w.where("minusUnit", -1, 5, 2, 0)
}

func (w width) gelu() {
	w.negative(4, 5)
	w.polynomial("g", alternate(geluTerms), 5, 0)
	w.Emit("VMULPS %s, %s, %s", w.Reg(5), w.Reg(0), w.Reg(0))
	w.exp(0, 1, 2, 3)
	w.Emit("VMULPS %s, %s, %s", w.Constant("half", 0.5), w.Reg(0), w.Reg(0))
	w.Emit("VMAXPS %s, %s, %s // a NaN stays", w.Reg(4), w.Reg(12), w.Reg(4))
	w.Emit("VFMADD213PS %s, %s, %s", w.Reg(4), w.Reg(5), w.Reg(0))
}

func (w width) geluTanh() {
	linear, cubic, x, z, p, low, rest := w.Reg(0), w.Reg(10), w.Reg(5), w.Reg(6), w.Reg(7), w.Reg(8), w.Reg(9)
	w.Emit("VMOVAPS %s, %s", w.Reg(4), x)
	w.bound("VMINPS", 5, 1, "eleven", 11)
	w.bound("VMAXPS", 5, 1, "minusEleven", -11)
	w.Emit("VMULPS %s, %s, %s", x, x, z)
	w.Emit("VMOVAPS %s, %s", z, low)
	w.Emit("VFMSUB231PS %s, %s, %s", x, x, low)
	w.Emit("VMOVUPS %s, %s", w.Constant("linear", geluLinear), linear)
	w.Emit("VMOVUPS %s, %s", w.Constant("cubic", geluCubic), cubic)
	w.Emit("VMOVAPS %s, %s", linear, p)
	w.Emit("VFMADD231PS %s, %s, %s", z, cubic, p)
	w.Emit("VFMADD213PS %s, %s, %s", w.Constant("linearLow", geluLinearLow), cubic, low)
	w.Emit("VFMADD231PS %s, %s, %s", w.Constant("cubicLow", geluCubicLow), z, low)
	w.Emit("VSUBPS %s, %s, %s", p, linear, linear)
	w.Emit("VFMADD231PS %s, %s, %s", z, cubic, linear)
	w.Emit("VADDPS %s, %s, %s", linear, low, low)
	w.Emit("VMULPS %s, %s, %s", x, p, w.Reg(0))
	w.Emit("VMOVAPS %s, %s", w.Reg(0), rest)
	w.Emit("VFMSUB231PS %s, %s, %s", x, p, rest)
	w.Emit("VFMADD231PS %s, %s, %s", x, low, rest)
	w.bound("VMINPS", 0, 1, "greatest", 89)
	w.bound("VMAXPS", 0, 1, "lowest", -87)
	w.reduce(0, 1, 2)
	w.Emit("VADDPS %s, %s, %s", rest, w.Reg(0), w.Reg(0))
	w.series(0, 2, 3)
	w.scale(0, 1, 3)
	w.Emit("VADDPS %s, %s, %s", w.Constant("unit", 1), w.Reg(0), w.Reg(0))
	w.Emit("VDIVPS %s, %s, %s", w.Reg(0), w.Reg(4), w.Reg(0))
}
