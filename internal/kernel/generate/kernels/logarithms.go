// Natural logarithms.

package kernels

import "math"

// logarithms writes the natural logarithms of positive, normal numbers with the bits of math.Log: with the steps, and
// in the order, of the assembly of the standard library.
func (a *assembler) logarithms() {
	a.Function("logAVX2", "(dst, x *float64, blocks int) int",
		"writes the logarithms of 4·blocks elements and stops before the first four that are not all normal and positive; it returns the fours done.", 32)
	a.Emit("MOVQ dst+0(FP), DI")
	a.Emit("MOVQ x+8(FP), SI")
	a.Emit("MOVQ blocks+16(FP), CX")
	a.Emit("XORL R8, R8")
	bits := func(name string, v uint64) string { return a.Double(name, math.Float64frombits(v)) }
	binary := func(op, x, y, dst string) { a.Emit("%s %s, %s, %s", op, x, y, dst) } // dst is y op x
	one := a.Double("one64", 1)
	a.Emit("VMOVUPD %s, Y14", one)
	a.Emit("VMOVUPD %s, Y15", bits("fraction64", 1<<52-1))
	a.Label("loop")
	a.Emit("VMOVUPD (SI), Y0")
	binary("VPCMPGTQ", "Y15", "Y0", "Y1") // bits above the largest subnormal number
	a.Emit("VMOVUPD %s, Y2", bits("infinite64", 0x7ff<<52))
	binary("VPCMPGTQ", "Y0", "Y2", "Y2")
	binary("VANDPD", "Y1", "Y2", "Y1")
	a.Emit("VMOVMSKPD Y1, AX")
	a.Emit("CMPL AX, $15")
	a.Emit("JNE done")
	// x = 2^k·f, with f in [½, 1).
	a.Emit("VPSRLQ $52, Y0, Y1")
	binary("VORPD", bits("integer64", 0x433<<52), "Y1", "Y1")
	binary("VSUBPD", a.Double("exponent64", 0x1p52+0x3fe), "Y1", "Y1") // k
	binary("VANDPD", "Y15", "Y0", "Y0")
	binary("VORPD", a.Double("half64", 0.5), "Y0", "Y0") // f
	a.Emit("VMOVUPD %s, Y2", a.Double("halfSqrt64", math.Sqrt2/2))
	a.Emit("VCMPPD $5, Y0, Y2, Y2") // f is at most √½: twice f and one less than k
	binary("VANDPD", "Y14", "Y2", "Y2")
	binary("VSUBPD", "Y2", "Y1", "Y1")
	binary("VADDPD", "Y14", "Y2", "Y2")
	binary("VMULPD", "Y2", "Y0", "Y0")
	binary("VSUBPD", "Y14", "Y0", "Y0") // f − 1
	binary("VADDPD", a.Double("two64", 2), "Y0", "Y2")
	binary("VDIVPD", "Y2", "Y0", "Y2") // s
	binary("VMULPD", "Y2", "Y2", "Y3") // s²
	binary("VMULPD", "Y3", "Y3", "Y4") // s⁴
	series := func(dst, start string, coefficients ...string) {
		a.Emit("VMOVUPD %s, %s", start, dst)
		for _, c := range coefficients {
			binary("VMULPD", "Y4", dst, dst)
			binary("VADDPD", c, dst, dst)
		}
	}
	l := func(i int) string {
		return a.Double([]string{"log1", "log2", "log3", "log4", "log5", "log6", "log7"}[i-1], []float64{6.666666666666735130e-01,
			3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01, 1.818357216161805012e-01,
			1.531383769920937332e-01, 1.479819860511658591e-01}[i-1])
	}
	series("Y5", l(7), l(5), l(3), l(1))
	series("Y6", l(6), l(4), l(2))
	binary("VMULPD", "Y5", "Y3", "Y3")
	binary("VMULPD", "Y6", "Y4", "Y4")
	binary("VADDPD", "Y4", "Y3", "Y3") // the rest of the series
	binary("VMULPD", a.Double("half64", 0.5), "Y0", "Y5")
	binary("VMULPD", "Y0", "Y5", "Y5") // (f − 1)²/2
	binary("VADDPD", "Y5", "Y3", "Y3")
	binary("VMULPD", "Y3", "Y2", "Y2")
	binary("VMULPD", a.Double("logLow", 1.90821492927058770002e-10), "Y1", "Y3")
	binary("VADDPD", "Y3", "Y2", "Y2")
	binary("VSUBPD", "Y2", "Y5", "Y5")
	binary("VSUBPD", "Y0", "Y5", "Y5")
	binary("VMULPD", a.Double("logHigh", 6.93147180369123816490e-01), "Y1", "Y1")
	binary("VSUBPD", "Y5", "Y1", "Y1")
	a.Emit("VMOVUPD Y1, (DI)")
	a.Emit("ADDQ $32, SI")
	a.Emit("ADDQ $32, DI")
	a.Emit("INCQ R8")
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.Label("done")
	a.Emit("MOVQ R8, ret+24(FP)")
	a.End()
}
