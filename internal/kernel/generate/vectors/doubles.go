// The elementary functions of package vector that are computed in float64.

package vectors

import (
	"fmt"
	"math"
)

// The polynomials of doubles.go and turns.go in package vector.
var (
	expRest = []float64{2.4859589834589056e-05, 0.00019899285575896282, 0.001388885403566671, 0.00833329846980059, 0.04166666671901226,
		0.16666666719028936, 0.5}
	logRest  = []float64{0.09681388418373767, 0.11095697246587528, 0.1428587731786638, 0.19999999398424337, 0.33333333333687726}
	atanRest = []float64{-0.04043033696147107, 0.07135234647464041, -0.09028967562110418, 0.11107493853432703, -0.14285612465275252,
		0.19999998916690562, -0.33333333331439496}
)

const (
	halfRoot = 0x3FE6A09E667F3BCD // bits of √½
	unitBits = 0x3FF0000000000000
	fraction = 1<<52 - 1
)

// Predicates of comparisons: of ordered numbers, except for notEqual and notAtLeast, which hold for NaN.
const (
	equal      = 0x00
	notEqual   = 0x04
	lessThan   = 0x11
	atMost     = 0x12
	notAtLeast = 0x19
	moreThan   = 0x1e
	atLeast    = 0x1d
)

// doubleFunctions writes them. Each turns register 0, of numbers in float64, into register 0.
func (w width) doubleFunctions() {
	w.inDoubles("log", func() { w.logarithm(0) })
	w.inDoubles("softplus", w.softplus)
	w.inDoublesWith("celu", "alpha", "unit", w.celu)
	w.inDoubles("sinh", w.sinh)
	w.inDoubles("cosh", w.cosh)
	w.inDoubles("asinh", w.asinh)
	w.inDoubles("acosh", w.acosh)
	w.inDoubles("atanh", w.atanh)
	w.inDoubles("atan", func() {
		w.magnitude(0, 5)
		w.Emit("VMOVUPD %s, %s", w.Double("dUnit", 1), w.Reg(6))
		w.angle(5, 6)
		w.signDouble(0, 1, 2)
		w.Emit("VMOVAPD %s, %s", w.Reg(1), w.Reg(0))
	})
	w.inDoubles("asin", func() {
		w.side(6)
		w.angle(5, 6)
		w.signDouble(0, 1, 2)
		w.Emit("VMOVAPD %s, %s", w.Reg(1), w.Reg(0))
	})
	w.inDoubles("acos", func() {
		w.side(6)
		w.angle(6, 5)
		w.Emit("VMOVUPD %s, %s", w.Double("dPi", math.Pi), w.Reg(2))
		w.Emit("VSUBPD %s, %s, %s", w.Reg(1), w.Reg(2), w.Reg(2))
		w.choose(lessThan, w.Double("dZero", 0), 0, 2, 1)
		w.Emit("VMOVAPD %s, %s", w.Reg(1), w.Reg(0))
	})
	for _, p := range []struct {
		name string
		body func()
	}{{"sin", w.sin}, {"cos", w.cos}, {"tan", w.tan}} {
		w.inDoubles(p.name, p.body)
	}
}

// inDoubles writes a function of each element.
func (w width) inDoubles(name string, body func()) {
	w.Vector(name, "(dst, src *float32, n int)", "is "+name+"Generic for n a multiple of 16.", 24)
	w.doubleLoop(body)
}

// inDoublesWith writes a function of each element with two numbers, in registers 11 and 12.
func (w width) inDoublesWith(name, first, second string, body func()) {
	w.Vector(name, "(dst, src *float32, n int, "+first+", "+second+" float32)",
		"is "+name+"Generic for n a multiple of 16.", 32)
	for i, argument := range []string{first, second} {
		w.Emit("VMOVSS %s+%d(FP), X%d", argument, 24+4*i, 11+i)
		w.Emit("VCVTSS2SD X%d, X%d, X%d", 11+i, 11+i, 11+i)
		w.Emit("VBROADCASTSD X%d, %s", 11+i, w.Reg(11+i))
	}
	w.doubleLoop(body)
}

// doubleLoop goes through the elements, a vector of float64 at a time.
func (w width) doubleLoop(body func()) {
	w.Emit("MOVQ dst+0(FP), DI")
	w.Emit("MOVQ src+8(FP), SI")
	w.Emit("MOVQ n+16(FP), CX")
	w.Label("loop")
	w.Emit("VCVTPS2PD (SI), %s", w.Reg(0))
	body()
	w.storeDoubles("(DI)")
	w.Emit("ADDQ $%d, SI", w.Size/2)
	w.Emit("ADDQ $%d, DI", w.Size/2)
	w.Emit("SUBQ $%d, CX", w.Size/8)
	w.Emit("JGT loop")
	w.End()
}

// storeDoubles rounds register 0 to float32.
func (w width) storeDoubles(to string) {
	if w.R == "Z" {
		w.Emit("VCVTPD2PS Z0, Y0")
		w.Emit("VMOVUPS Y0, %s", to)
		return
	}
	w.Emit("VCVTPD2PSY Y0, X0")
	w.Emit("VMOVUPS X0, %s", to)
}

// horner sets p to Σ c[i]·x^(n−1−i).
func (w width) horner(name string, c []float64, x, p int) {
	w.Emit("VMOVUPD %s, %s", w.Double(name+"0", c[0]), w.Reg(p))
	for i := 1; i < len(c); i++ {
		w.Emit("VFMADD213PD %s, %s, %s", w.Double(fmt.Sprintf("%s%d", name, i), c[i]), w.Reg(x), w.Reg(p))
	}
}

// choose overwrites y with x where register v compares so with an operand.
func (w width) choose(predicate int, operand string, v, x, y int) {
	w.mask(predicate, operand, v, 1)
	w.chosen(1, x, y)
}

// mask sets mask i to where register v compares so with an operand: K registers, or the last ones of AVX2.
func (w width) mask(predicate int, operand string, v, i int) {
	w.Emit("VCMPPD $%#x, %s, %s, %s", predicate, operand, w.Reg(v), w.maskRegister(i))
}

func (w width) maskRegister(i int) string {
	if w.R == "Z" {
		return fmt.Sprintf("K%d", i)
	}
	return fmt.Sprintf("Y%d", 16-i)
}

// both sets mask i to where it and mask j are set.
func (w width) both(i, j int) {
	if w.R == "Z" {
		w.Emit("KANDW K%d, K%d, K%d", i, j, i)
		return
	}
	w.Emit("VANDPD Y%d, Y%d, Y%d", 16-j, 16-i, 16-i)
}

// chosen overwrites y with x where mask i is set.
func (w width) chosen(i, x, y int) {
	if w.R == "Z" {
		w.Emit("VBLENDMPD %s, %s, K%d, %s", w.Reg(x), w.Reg(y), i, w.Reg(y))
		return
	}
	w.Emit("VBLENDVPD Y%d, %s, %s, %s", 16-i, w.Reg(x), w.Reg(y), w.Reg(y))
}

// magnitude sets y to |x|, signDouble gives y, which is positive, the sign of x.
func (w width) magnitude(x, y int) {
	w.Emit("VANDPD %s, %s, %s", w.Quad("dMagnitude", 1<<63-1), w.Reg(x), w.Reg(y))
}

func (w width) signDouble(x, y, scratch int) {
	w.Emit("VANDPD %s, %s, %s", w.Quad("dSign", 1<<63), w.Reg(x), w.Reg(scratch))
	w.Emit("VORPD %s, %s, %s", w.Reg(scratch), w.Reg(y), w.Reg(y))
}

// cutDouble cuts register v with VMINPD or VMAXPD; t is scratch.
func (w width) cutDouble(op string, v, t int, name string, to float64) {
	w.Emit("VMOVUPD %s, %s", w.Double(name, to), w.Reg(t))
	w.Emit("%s %s, %s, %s // a NaN stays", op, w.Reg(v), w.Reg(t), w.Reg(v))
}

// powerParts is powerParts of doubles.go: of register v, t becomes 2ⁿ and p eʳ − 1; k is scratch.
func (w width) powerParts(v, t, k, p int) {
	V, T, K := w.Reg(v), w.Reg(t), w.Reg(k)
	w.Emit("VMOVUPD %s, %s", w.Double("dShift", 3<<51), T)
	w.Emit("VMOVAPD %s, %s", T, K)
	w.Emit("VFMADD231PD %s, %s, %s", w.Double("dLog2e", math.Log2E), V, T)
	w.Emit("VSUBPD %s, %s, %s", K, T, K)
	w.Emit("VFMADD231PD %s, %s, %s", w.Double("dMinusLn2", -math.Ln2), K, V)
	w.horner("dExp", expRest, v, p)
	w.Emit("VMULPD %s, %s, %s", V, V, K)
	w.Emit("VFMADD213PD %s, %s, %s", V, K, w.Reg(p))
	w.Emit("VPADDQ %s, %s, %s", w.Quad("dExponent", 1023), T, T)
	w.Emit("VPSLLQ $52, %s, %s", T, T)
}

// expDouble turns register v into its exponential; t, k, p are scratch.
func (w width) expDouble(v, t, k, p int) {
	w.powerParts(v, t, k, p)
	w.Emit("VFMADD213PD %s, %s, %s", w.Reg(t), w.Reg(t), w.Reg(p))
	w.Emit("VMOVAPD %s, %s", w.Reg(p), w.Reg(v))
}

// logParts sets k to the number of halvings of u and m to the rest.
func (w width) logParts(u, k, m int) {
	w.Emit("VMOVUPD %s, %s", w.Quad("dAbove", unitBits-halfRoot), w.Reg(m))
	w.Emit("VPADDQ %s, %s, %s", w.Reg(m), w.Reg(u), w.Reg(m))
	w.Emit("VPSRLQ $52, %s, %s", w.Reg(m), w.Reg(k))
	w.Emit("VORPD %s, %s, %s", w.Quad("dWhole", 0x4330000000000000), w.Reg(k), w.Reg(k))
	w.Emit("VSUBPD %s, %s, %s", w.Double("dWholeBias", 1<<52+1023), w.Reg(k), w.Reg(k))
	w.Emit("VANDPD %s, %s, %s", w.Quad("dFraction", fraction), w.Reg(m), w.Reg(m))
	w.Emit("VPADDQ %s, %s, %s", w.Quad("dHalfRoot", halfRoot), w.Reg(m), w.Reg(m))
}

// logOf sets r to k·ln 2 + ln((1+s)/(1−s)), s the quotient of two registers; they and p are lost.
func (w width) logOf(k, above, below, p, r int) {
	s, z := w.Reg(above), w.Reg(below)
	w.Emit("VDIVPD %s, %s, %s", z, s, s)
	w.Emit("VMULPD %s, %s, %s", s, s, z)
	w.Emit("VADDPD %s, %s, %s", s, s, s)
	w.horner("dLn", logRest, below, p)
	w.Emit("VMULPD %s, %s, %s", z, w.Reg(p), w.Reg(p))
	w.Emit("VFMADD213PD %s, %s, %s", s, s, w.Reg(p))
	w.Emit("VMOVAPD %s, %s", w.Reg(p), w.Reg(r))
	w.Emit("VFMADD231PD %s, %s, %s", w.Double("dLogOf2", math.Ln2), w.Reg(k), w.Reg(r))
}

// logEdges puts right r where u is no finite positive number.
func (w width) logEdges(u, r, scratch int) {
	w.choose(moreThan, w.Double("dMost64", math.MaxFloat64), u, u, r)
	w.Emit("VMOVUPD %s, %s", w.Double("dMinusInfinite", math.Inf(-1)), w.Reg(scratch))
	w.choose(equal, w.Double("dZero", 0), u, scratch, r)
	w.Emit("VMOVUPD %s, %s", w.Double("dNaN", math.NaN()), w.Reg(scratch))
	w.choose(notAtLeast, w.Double("dZero", 0), u, scratch, r)
}

// logarithm turns register u into its logarithm; 1 … 5 are scratch.
func (w width) logarithm(u int) {
	w.logParts(u, 1, 2)
	w.Emit("VADDPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(2), w.Reg(3))
	w.Emit("VSUBPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(2), w.Reg(2))
	w.logOf(1, 2, 3, 4, 5)
	w.logEdges(u, 5, 1)
	w.Emit("VMOVAPD %s, %s", w.Reg(5), w.Reg(u))
}

// logPlus sets r to ln(1 + t); 1 … 4 are scratch.
func (w width) logPlus(t, r int) {
	w.Emit("VADDPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(t), w.Reg(4))
	w.logParts(4, 1, 2)
	w.Emit("VADDPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(2), w.Reg(3))
	w.Emit("VSUBPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(2), w.Reg(2))
	w.choose(notAtLeast, w.Double("dRoot2", math.Sqrt2), 4, t, 2)
	w.logOf(1, 2, 3, 4, r)
}

func (w width) softplus() {
	w.Emit("VORPD %s, %s, %s", w.Quad("dSign", 1<<63), w.Reg(0), w.Reg(5))
	w.cutDouble("VMAXPD", 5, 1, "dLowest", -300)
	w.expDouble(5, 1, 2, 3)
	w.logPlus(5, 6)
	w.cutDouble("VMAXPD", 0, 1, "dZero", 0)
	w.Emit("VADDPD %s, %s, %s", w.Reg(6), w.Reg(0), w.Reg(0))
}

func (w width) celu() {
	w.Emit("VDIVPD %s, %s, %s", w.Reg(11), w.Reg(0), w.Reg(5))
	w.cutDouble("VMINPD", 5, 1, "dFarthest", 700)
	w.cutDouble("VMAXPD", 5, 1, "dMinusFarthest", -700)
	w.powerParts(5, 1, 2, 3)
	w.Emit("VSUBPD %s, %s, %s", w.Reg(12), w.Reg(1), w.Reg(2))
	w.Emit("VFMADD213PD %s, %s, %s", w.Reg(2), w.Reg(1), w.Reg(3))
	w.Emit("VMULPD %s, %s, %s", w.Reg(11), w.Reg(3), w.Reg(3))
	w.choose(lessThan, w.Double("dZero", 0), 0, 3, 0)
}

func (w width) sinh() {
	w.magnitude(0, 5)
	w.cutDouble("VMINPD", 5, 1, "dHighest", 300)
	w.powerParts(5, 1, 2, 3)
	w.Emit("VSUBPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(1), w.Reg(2))
	w.Emit("VFMADD213PD %s, %s, %s", w.Reg(2), w.Reg(1), w.Reg(3))
	w.Emit("VADDPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(3), w.Reg(2))
	w.Emit("VDIVPD %s, %s, %s", w.Reg(2), w.Reg(3), w.Reg(2))
	w.Emit("VADDPD %s, %s, %s", w.Reg(2), w.Reg(3), w.Reg(3))
	w.Emit("VMULPD %s, %s, %s", w.Double("dHalf", 0.5), w.Reg(3), w.Reg(3))
	w.signDouble(0, 3, 1)
	w.Emit("VMOVAPD %s, %s", w.Reg(3), w.Reg(0))
}

func (w width) cosh() {
	w.magnitude(0, 0)
	w.cutDouble("VMINPD", 0, 1, "dHighest", 300)
	w.expDouble(0, 1, 2, 3)
	w.Emit("VMOVUPD %s, %s", w.Double("dUnit", 1), w.Reg(1))
	w.Emit("VDIVPD %s, %s, %s", w.Reg(0), w.Reg(1), w.Reg(1))
	w.Emit("VADDPD %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(0))
	w.Emit("VMULPD %s, %s, %s", w.Double("dHalf", 0.5), w.Reg(0), w.Reg(0))
}

func (w width) asinh() {
	a, t := w.Reg(5), w.Reg(6)
	w.magnitude(0, 5)
	w.Emit("VMOVUPD %s, %s", w.Double("dUnit", 1), t)
	w.Emit("VFMADD231PD %s, %s, %s", a, a, t)
	w.Emit("VSQRTPD %s, %s", t, t)
	w.Emit("VADDPD %s, %s, %s", w.Double("dUnit", 1), t, t)
	w.Emit("VMULPD %s, %s, %s", a, a, w.Reg(1))
	w.Emit("VDIVPD %s, %s, %s", t, w.Reg(1), t)
	w.Emit("VADDPD %s, %s, %s", t, a, t)
	w.logPlus(6, 7)
	w.signDouble(0, 7, 1)
	w.choose(moreThan, w.Double("dMost32", math.MaxFloat32), 5, 0, 7)
	w.Emit("VMOVAPD %s, %s", w.Reg(7), w.Reg(0))
}

func (w width) acosh() {
	w.Emit("VSUBPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(0), w.Reg(1))
	w.Emit("VADDPD %s, %s, %s", w.Double("dUnit", 1), w.Reg(0), w.Reg(2))
	w.Emit("VMULPD %s, %s, %s", w.Reg(2), w.Reg(1), w.Reg(1))
	w.Emit("VSQRTPD %s, %s", w.Reg(1), w.Reg(1))
	w.Emit("VADDPD %s, %s, %s", w.Reg(1), w.Reg(0), w.Reg(1))
	w.Emit("VMOVUPD %s, %s", w.Double("dMinusUnit", -1), w.Reg(2))
	w.choose(lessThan, w.Double("dUnit", 1), 0, 2, 1)
	w.Emit("VMOVAPD %s, %s", w.Reg(1), w.Reg(0))
	w.logarithm(0)
}

func (w width) atanh() {
	a, u := w.Reg(5), w.Reg(6)
	w.magnitude(0, 5)
	w.Emit("VMOVUPD %s, %s", w.Double("dUnit", 1), w.Reg(7))
	w.Emit("VADDPD %s, %s, %s", w.Reg(7), a, u)
	w.Emit("VSUBPD %s, %s, %s", a, w.Reg(7), w.Reg(1))
	w.Emit("VDIVPD %s, %s, %s", w.Reg(1), u, u)
	w.logParts(6, 1, 2)
	w.Emit("VADDPD %s, %s, %s", w.Reg(7), w.Reg(2), w.Reg(3))
	w.Emit("VSUBPD %s, %s, %s", w.Reg(7), w.Reg(2), w.Reg(2))
	w.Emit("VXORPD %s, %s, %s", w.Reg(4), w.Reg(4), w.Reg(4))
	w.mask(lessThan, w.Double("dSmall", 0.17), 5, 1)
	w.chosen(1, 4, 1)
	w.chosen(1, 5, 2)
	w.chosen(1, 7, 3)
	w.logOf(1, 2, 3, 4, 8)
	w.logEdges(6, 8, 1)
	w.Emit("VMULPD %s, %s, %s", w.Double("dHalf", 0.5), w.Reg(8), w.Reg(8))
	w.signDouble(0, 8, 1)
	w.Emit("VMOVAPD %s, %s", w.Reg(8), w.Reg(0))
}

// side sets register 5 to a = |x| and y to √((1−a)·(1+a)).
func (w width) side(y int) {
	w.magnitude(0, 5)
	w.Emit("VMOVUPD %s, %s", w.Double("dUnit", 1), w.Reg(1))
	w.Emit("VADDPD %s, %s, %s", w.Reg(1), w.Reg(5), w.Reg(2))
	w.Emit("VSUBPD %s, %s, %s", w.Reg(5), w.Reg(1), w.Reg(1))
	w.Emit("VMULPD %s, %s, %s", w.Reg(2), w.Reg(1), w.Reg(1))
	w.Emit("VSQRTPD %s, %s", w.Reg(1), w.Reg(y))
}

// angle sets register 1 to the arc tangent of y/x; 2, 3, 4, 7 and 8 are scratch.
func (w width) angle(y, x int) {
	Y, X := w.Reg(y), w.Reg(x)
	above, below, from, next := w.Reg(1), w.Reg(2), w.Reg(3), w.Reg(4)
	w.Emit("VMOVAPD %s, %s", Y, above)
	w.Emit("VMOVAPD %s, %s", X, below)
	w.Emit("VXORPD %s, %s, %s", from, from, from)
	w.Emit("VMULPD %s, %s, %s", w.Double("dEighthTan", math.Sqrt2-1), X, w.Reg(7))
	w.mask(moreThan, w.Reg(7), y, 1)
	w.Emit("VSUBPD %s, %s, %s", X, Y, next)
	w.chosen(1, 4, 1)
	w.Emit("VADDPD %s, %s, %s", X, Y, next)
	w.chosen(1, 4, 2)
	w.Emit("VMOVUPD %s, %s", w.Double("dQuarterPi", math.Pi/4), next)
	w.chosen(1, 4, 3)
	w.Emit("VMULPD %s, %s, %s", w.Double("dThreeEighthsTan", math.Sqrt2+1), X, w.Reg(7))
	w.mask(moreThan, w.Reg(7), y, 1)
	w.Emit("VXORPD %s, %s, %s", w.Quad("dSign", 1<<63), X, next)
	w.chosen(1, 4, 1)
	w.chosen(1, y, 2)
	w.Emit("VMOVUPD %s, %s", w.Double("dHalfPi", math.Pi/2), next)
	w.chosen(1, 4, 3)
	w.Emit("VDIVPD %s, %s, %s", below, above, above)
	w.Emit("VMULPD %s, %s, %s", above, above, below)
	w.horner("dAtan", atanRest, 2, 4)
	w.Emit("VMULPD %s, %s, %s", below, next, next)
	w.Emit("VFMADD213PD %s, %s, %s", above, above, next)
	w.Emit("VADDPD %s, %s, %s", from, next, above)
}
