// The pieces of elementary functions: polynomials, reduction of exponents, signs, choices.

package vectors

import (
	"fmt"
	"slices"
)

// The polynomials of functions.go in package vector, the highest power first.
var (
	expTerms  = []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1}
	tanhTerms = []float32{-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1}
	erfTerms  = []float32{0.00010016505257226527, -0.0008711757254786789, 0.005275710951536894, -0.026905886828899384,
		0.11285083740949631, -0.37612807750701904, 0.12837916612625122}
	erfcTerms = []float32{1.4671654665132869e-05, -0.00035767434746958315, 0.003786250250414014, -0.024070980027318,
		0.106601782143116, 0.634926438331604, 1.1287050247192383}
	geluTerms = []float32{1.3836631396202392e-08, -4.389422656458919e-07, 5.94374978390988e-06, -4.3476655264385045e-05,
		0.00016171667084563524, 6.489290535682812e-05, -0.0048917015083134174, 0.03639857843518257, 0.3182928264141083, 0.797886073589325}
)

// The exponent of the logistic form of GELU with tanh, −2·√(2/π)·(x + 0.044715·x³), each coefficient as a sum of two
// numbers.
const (
	geluLinear    = -1.5957691669464111
	geluLinearLow = 4.534068054340423e-08
	geluCubic     = -0.07135481387376785
	geluCubicLow  = -2.3988324659995897e-09
)

// reduce turns register v into its remainder modulo ln 2 and t into the number n of times, as bits of n + 1.5·2²³.
func (w width) reduce(v, t, n int) {
	V, T, N := w.Reg(v), w.Reg(t), w.Reg(n)
	w.Emit("VMOVUPS %s, %s", w.Constant("shift", 12582912), T)
	w.Emit("VMOVAPS %s, %s", T, N)
	w.Emit("VFMADD231PS %s, %s, %s", w.Constant("log2e", 1.44269504088896341), V, T)
	w.Emit("VSUBPS %s, %s, %s", N, T, N)
	w.Emit("VFMADD231PS %s, %s, %s", w.Constant("minusLn2Hi", -0.693359375), N, V)
	w.Emit("VFMADD231PS %s, %s, %s", w.Constant("minusLn2Lo", 2.12194440e-4), N, V)
}

// polynomial sets p to Σ c[i]·x^(n−1−i).
func (w width) polynomial(name string, c []float32, x, p int) {
	w.Emit("VMOVUPS %s, %s", w.Constant(name+"0", c[0]), w.Reg(p))
	for i := 1; i < len(c); i++ {
		w.Emit("VFMADD213PS %s, %s, %s", w.Constant(fmt.Sprintf("%s%d", name, i), c[i]), w.Reg(x), w.Reg(p))
	}
}

// alternate changes the sign of the coefficients of odd powers, for a polynomial in −x.
func alternate(c []float32) []float32 {
	c = slices.Clone(c)
	for i := range c {
		if (len(c)-1-i)%2 == 1 {
			c[i] = -c[i]
		}
	}
	return c
}

// series sets p to the exponential of a remainder v; n is scratch.
func (w width) series(v, n, p int) {
	V, N, P := w.Reg(v), w.Reg(n), w.Reg(p)
	w.polynomial("e", expTerms, v, p)
	w.Emit("VMULPS %s, %s, %s", V, V, N)
	w.Emit("VFMADD213PS %s, %s, %s", V, N, P)
	w.Emit("VADDPS %s, %s, %s", w.Constant("unit", 1), P, P)
}

// scale sets v to p·2ⁿ, the low bits of t being n.
func (w width) scale(v, t, p int) {
	T := w.Reg(t)
	w.Emit("VPADDD %s, %s, %s", w.Integer("exponent", 127), T, T)
	w.Emit("VPSLLD $23, %s, %s", T, T)
	w.Emit("VMULPS %s, %s, %s", T, w.Reg(p), w.Reg(v))
}

// bound cuts register v with VMINPS or VMAXPS; t is scratch.
func (w width) bound(op string, v, t int, name string, to float32) {
	w.Emit("VMOVUPS %s, %s", w.Constant(name, to), w.Reg(t))
	w.Emit("%s %s, %s, %s // a NaN stays", op, w.Reg(v), w.Reg(t), w.Reg(v))
}

// exp turns register v, at most 89, into its exponential, as exponential does; t, n, p are scratch.
func (w width) exp(v, t, n, p int) {
	w.bound("VMAXPS", v, t, "lowest", -87)
	w.reduce(v, t, n)
	w.series(v, n, p)
	w.scale(v, t, p)
}

// negative sets y to −|x|.
func (w width) negative(x, y int) {
	w.Emit("VMOVUPS %s, %s", w.Integer("signs", 0x80000000), w.Reg(y))
	w.Emit("VORPS %s, %s, %s", w.Reg(y), w.Reg(x), w.Reg(y))
}

// sign gives y, which is positive, the sign of x.
func (w width) sign(x, y, scratch int) {
	w.Emit("VMOVUPS %s, %s", w.Integer("signs", 0x80000000), w.Reg(scratch))
	w.Emit("VANDPS %s, %s, %s", w.Reg(scratch), w.Reg(x), w.Reg(scratch))
	w.Emit("VORPS %s, %s, %s", w.Reg(scratch), w.Reg(y), w.Reg(y))
}

// where overwrites y with x where register v is greater than a bound.
func (w width) where(name string, bound float32, v, x, y int) {
	if w.R == "Z" {
		w.Emit("VCMPPS $0x1e, %s, %s, K1", w.Constant(name, bound), w.Reg(v))
		w.Emit("VBLENDMPS %s, %s, K1, %s", w.Reg(x), w.Reg(y), w.Reg(y))
		return
	}
	w.Emit("VCMPPS $0x1e, %s, %s, %s", w.Constant(name, bound), w.Reg(v), w.Reg(15))
	w.Emit("VBLENDVPS %s, %s, %s, %s", w.Reg(15), w.Reg(x), w.Reg(y), w.Reg(y))
}
