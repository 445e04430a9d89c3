// Tests that the assembly gives the bits of its portable twins.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
			{"mish", mish, mishGeneric}, {"sqrt", sqrt, sqrtGeneric}, {"negate", negate, negateGeneric}, {"absolutes", absolutes, absolutesGeneric},
			{"floor", floor, floorGeneric}, {"ceil", ceil, ceilGeneric}, {"round", round, roundGeneric},
			{"softsign", softsign, softsignGeneric}, {"signs", signs, signsGeneric},
		} {
			f.f(got, src)
			f.generic(want, src)
			same(f.name)
			copy(got, src) // in place
			f.f(got, got)
			same(f.name)
		}
		for _, f := range []struct {
			name          string
			f, generic    func(dst, src []float32, first, second float32)
			first, second float32
		}{
			{"leaky", leaky, leakyGeneric, 0.1, 1}, {"elu", elu, eluGeneric, 1.7, 1.05}, {"swish", swish, swishGeneric, 1.7, 1},
			{"thresholded", thresholded, thresholdedGeneric, 0.4, 0}, {"shrink", shrink, shrinkGeneric, 0.4, 0.3}, {"shrink", shrink, shrinkGeneric, -0.4, 0.3},
		} {
			f.f(got, src, f.first, f.second)
			f.generic(want, src, f.first, f.second)
			same(f.name)
		}
		other := slices.Clone(src)
		slices.Reverse(other)
		for _, f := range []struct {
			name       string
			f, generic func(dst, x, y []float32, stepX, stepY int)
		}{
			{"add", addRows, addRowsGeneric}, {"sub", subRows, subRowsGeneric},
			{"mul", mulRows, mulRowsGeneric}, {"div", divRows, divRowsGeneric}, {"max", maxRows, maxRowsGeneric},
			{"min", minRows, minRowsGeneric}, {"prelu", preluRows, preluRowsGeneric},
			{"gate", gateRows, gateRowsGeneric},
		} {
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
			n := Lanes * (1 + r.IntN(20))
			odd := 1 + r.IntN(100)
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
			for _, n := range []int{odd, Lanes + odd} {
				many := 1 + r.IntN(70)
				for _, stride := range []int{n, n + 3} {
					c, bias, other := random(many*stride, 1), random(n, 1), random(many*stride, 1)
					for k := range 4 {
						got, want := slices.Clone(c), slices.Clone(c)
						with := other
						if k < 2 {
							with = nil
						}
						finishRows(got, bias, with, stride, n, many, k%2 == 1)
						finishRowsGeneric(want, bias, with, stride, n, many, k%2 == 1)
						same("finishRows of odd columns", got, want)
					}
				}
				pixels := random(n+r.IntN(3*n), 1)
				for i := range pixels {
					switch r.IntN(20) {
					case 0:
						pixels[i] = 0
					case 1:
						pixels[i] = float32(math.Copysign(0, -1))
					case 2:
						pixels[i] = float32(math.NaN())
					case 3:
						pixels[i] = float32(math.Inf(-1))
					}
				}
				got, want := make([]float32, len(pixels)), make([]float32, len(pixels))
				clip(got, pixels, -0.5, 0.7)
				clipGeneric(want, pixels, -0.5, 0.7)
				same("clip", got, want)
				clip(got, pixels, 0, 6)
				clipGeneric(want, pixels, 0, 6)
				same("clip", got, want)
				hardSigmoid(got, pixels, 0.2, 0.5)
				hardSigmoidGeneric(want, pixels, 0.2, 0.5)
				same("hardSigmoid", got, want)
				for i := range pixels {
					pixels[i] *= 5
				}
				hardSwish(got, pixels, 6, 0.5)
				hardSwishGeneric(want, pixels, 6, 0.5)
				same("hardSwish", got, want)
			}
			y := random(rows*n, 3)
			got, want = make([]float32, rows*n), make([]float32, rows*n)
			NormalizeRows(got, y, bias, other, n, rows, 1e-5)
			normalizeRowsGeneric(want, y, bias, other, n, rows, 1e-5)
			same("normalize", got, want)
			RootRows(got, y, bias, n, rows, 1e-5)
			rootRowsGeneric(want, y, bias, n, rows, 1e-5)
			same("root", got, want)
		}
	}
}
