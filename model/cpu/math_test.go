package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
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
		{"Mish", func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) }, -80, 80, 1},
	} {
		f := function(operator.Activation{Op: c.op})
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
		worst, at := 0.0, float32(0)
		for i, x := range src {
			want := c.want(float64(x))
			unit := float64(math.Nextafter32(float32(math.Abs(want)), math.MaxFloat32)) - math.Abs(float64(float32(math.Abs(want))))
			if e := math.Abs(float64(dst[i])-want) / unit; !(e <= worst) {
				worst, at = e, x
			}
		}
		if !(worst <= c.ulps) {
			t.Errorf("%s(%g) is wrong by %.1f units in the last place, want at most %g", c.op, at, worst, c.ulps)
		}
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		op      string
		x, want float32
	}{
		{"Exp", inf, inf}, {"Exp", -inf, 0}, {"Exp", 89, inf}, {"Exp", -104, 0}, {"Exp", nan, nan}, {"Exp", 0, 1},
		{"Sigmoid", inf, 1}, {"Sigmoid", nan, nan}, {"Sigmoid", 0, 0.5}, {"Silu", inf, inf}, {"Silu", nan, nan}, {"Silu", 0, 0},
		{"Tanh", inf, 1}, {"Tanh", -inf, -1}, {"Tanh", nan, nan}, {"Erf", inf, 1}, {"Erf", -inf, -1}, {"Erf", nan, nan}, {"GeluTanh", inf, inf}, {"GeluTanh", -100, 0}, {"GeluTanh", nan, nan}, {"Sigmoid", -inf, 0}, {"Silu", -1e38, 0},
		{"Relu", nan, nan}, {"Relu", -1, 0}, {"Gelu", nan, nan},
	} {
		y := []float32{0}
		function(operator.Activation{Op: c.op})(y, []float32{c.x})
		if y[0] != c.want && !(c.want != c.want && y[0] != y[0]) {
			t.Errorf("%s(%g) is %g, want %g", c.op, c.x, y[0], c.want)
		}
	}
}

// The assembly gives the generic code's bits.
func TestVectorTwins(t *testing.T) {
	const n = 1<<16 + 5
	src := make([]float32, n)
	for i := range src {
		src[i] = math.Float32frombits(uint32(i) * 65521) // every kind of number
		if i%3 == 0 {
			src[i] = float32(i-n/2) / 300
		}
	}
	got, want := make([]float32, n), make([]float32, n)
	same := func(name string) {
		t.Helper()
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
				t.Fatalf("%s(%g): %g, generic %g", name, src[i], got[i], want[i])
			}
		}
	}
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for _, f := range []struct {
			name       string
			f, generic func(dst, src []float32)
		}{
			{"relu", relu, reluGeneric}, {"exp", exp, expGeneric}, {"sigmoid", sigmoid, sigmoidGeneric}, {"silu", silu, siluGeneric},
			{"tanh", tanh, tanhGeneric}, {"erf", erf, erfGeneric}, {"gelu", gelu, geluGeneric}, {"geluTanh", geluTanh, geluTanhGeneric},
		} {
			f.f(got, src)
			f.generic(want, src)
			same(f.name)
			copy(got, src) // in place
			f.f(got, got)
			same(f.name)
		}
		other := slices.Clone(src)
		slices.Reverse(other)
		for _, f := range []struct {
			name       string
			f, generic func(dst, x, y []float32, stepX, stepY int)
		}{{"add", addRows, addRowsGeneric}, {"sub", subRows, subRowsGeneric}, {"mul", mulRows, mulRowsGeneric}, {"div", divRows, divRowsGeneric}} {
			for _, step := range [][2]int{{1, 1}, {0, 1}, {1, 0}, {0, 0}} {
				f.f(got, src, other, step[0], step[1])
				f.generic(want, src, other, step[0], step[1])
				same(f.name)
			}
		}
	}
}

// The generated functions give the bits of their generic twins.
func TestGeneratedTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func(n int, scale float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64() * scale)
		}
		return x
	}
	same := func(what string, got, want []float32) {
		t.Helper()
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
				t.Fatalf("%s: element %d is %g, generic %g", what, i, got[i], want[i])
			}
		}
	}
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, wide := range []bool{false, before} {
		useAVX512 = wide
		for trial := range 300 {
			n := lanes * (1 + r.IntN(20))
			x := random(n, []float64{0.1, 1, 10, 60}[trial%4])
			switch trial % 10 {
			case 7:
				x[r.IntN(n)] = float32(math.Inf(-1))
			case 8:
				x[r.IntN(n)] = float32(math.NaN())
			case 9:
				x[r.IntN(n)] = float32(math.Copysign(0, -1))
			}
			got, want := slices.Clone(x), slices.Clone(x)
			scale := float32(r.Float64() + 0.1)
			a, b := softmaxRow(got, scale), softmaxRowGeneric(want, scale)
			same("sum", []float32{a}, []float32{b})
			if trial%10 != 8 {
				same("softmax", got, want)
			}
			rows, stride := 1+r.IntN(4), n+r.IntN(5)
			c, bias, other := random(rows*stride, 1), random(n, 1), random(rows*stride, 1)
			for k := range 3 {
				got, want := slices.Clone(c), slices.Clone(c)
				with := other
				if k < 2 {
					with = nil
				}
				finishRows(got, bias, with, stride, n, rows, k == 1)
				finishRowsGeneric(want, bias, with, stride, n, rows, k == 1)
				same("finishRows", got, want)
			}
			offsets := []int{0, 3, 4, n, n + 9}[:1+r.IntN(5)]
			bases := []int{0}
			for range r.IntN(90) {
				bases = append(bases, bases[len(bases)-1]+r.IntN(2*n))
			}
			pixels, filter := random(2*n+9+bases[len(bases)-1], 1), random(n*len(offsets), 1)
			got, want = make([]float32, n*len(bases)), make([]float32, n*len(bases))
			depthwise(got, pixels, filter, offsets, bases, n)
			depthwiseGeneric(want, pixels, filter, offsets, bases, n)
			same("depthwise", got, want)
			y := random(rows*n, 3)
			got, want = make([]float32, rows*n), make([]float32, rows*n)
			if !normalizeRowsVector(got, y, bias, other, n, rows, 1e-5) {
				continue
			}
			for i := range rows {
				normalize(want[i*n:(i+1)*n], y[i*n:(i+1)*n], bias, other, 1e-5)
			}
			same("normalize", got, want)
		}
	}
}
