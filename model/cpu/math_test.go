// Elementary functions against float64.

package cpu

import (
	"math"
	"testing"

	"repscope/model/operator"
)

// The elementary functions against float64, over their whole range.
func TestMath(t *testing.T) {
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, c := range []struct {
		op   string
		want func(float64) float64
		low  float32
		high float32
		ulps float64
	}{
		{"Exp", math.Exp, -87, 88.7, 2},
		{"Tanh", math.Tanh, -12, 12, 2},
		{"Sigmoid", sigma, -86, 100, 3},
		{"Silu", func(x float64) float64 { return x * sigma(x) }, -86, 100, 3},
		{"Erf", math.Erf, -5, 5, 2},
		{"Gelu", func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) }, -2, 10, 8},
		{"GeluTanh", func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}, -5, 10, 3},
		{"Softplus", func(x float64) float64 { return math.Log1p(math.Exp(x)) }, -80, 80, 1},
		{"Mish", func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) }, -80, 80, 6},
		{"Elu", func(x float64) float64 { return max(x, 0) + math.Expm1(min(x, 0)) }, -80, 80, 3},
	} {
		f := functionOf(operator.Activation{Op: c.op, Alpha: 1})
		const n = 200003
		src := make([]float32, n)
		for i := range src {
			src[i] = c.low + (c.high-c.low)*float32(i)/n
			if i%5 == 0 {
				src[i] /= 1e4 // near zero too
			}
		}
		dst := make([]float32, n)
		f(dst, src)
		worst, argument := 0.0, float32(0)
		for i, x := range src {
			want := c.want(float64(x))
			unit := float64(math.Nextafter32(float32(math.Abs(want)), math.MaxFloat32)) - math.Abs(float64(float32(math.Abs(want))))
			if e := math.Abs(float64(dst[i])-want) / unit; !(e <= worst) {
				worst, argument = e, x
			}
		}
		if !(worst <= c.ulps) {
			t.Errorf("%s(%g) is wrong by %.1f units in the last place, want at most %g", c.op, argument, worst, c.ulps)
		}
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		op      string
		x, want float32
	}{
		{"Exp", inf, inf}, {"Exp", -inf, 0}, {"Exp", 89, inf}, {"Exp", -104, 0}, {"Exp", nan, nan}, {"Exp", 0, 1},
		{"Sigmoid", inf, 1}, {"Sigmoid", nan, nan}, {"Sigmoid", 0, 0.5}, {"Silu", inf, inf}, {"Silu", nan, nan}, {"Silu", 0, 0},
		{"Tanh", inf, 1}, {"Tanh", -inf, -1}, {"Tanh", nan, nan}, {"Erf", inf, 1}, {"Erf", -inf, -1}, {"Erf", nan, nan}, {"GeluTanh", inf, inf}, {"GeluTanh", -100, 0}, {"GeluTanh", nan, nan}, {"Sigmoid", -inf, 0}, {"Silu", -1e38, 0}, {"Mish", -1e38, 0}, {"Mish", inf, inf}, {"Mish", nan, nan}, {"Mish", 0, 0},
		{"Relu", nan, nan}, {"Relu", -1, 0}, {"Gelu", nan, nan},
	} {
		y := []float32{0}
		functionOf(operator.Activation{Op: c.op})(y, []float32{c.x})
		if y[0] != c.want && !(c.want != c.want && y[0] != y[0]) {
			t.Errorf("%s(%g) is %g, want %g", c.op, c.x, y[0], c.want)
		}
	}
}
