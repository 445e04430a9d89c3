// Tests of the functions that are computed in float64, and of their assembly.

package vector

import (
	"math"
	"math/big"
	"testing"
)

// doubleFunctions are functions with their twins and independent ones in float64, which are good to a few units of
// its last place.
var doubleFunctions = []struct {
	name       string
	f, generic func(dst, src []float32)
	want       func(float64) float64
}{
	{"log", log, logGeneric, math.Log},
	{"softplus", softplus, softplusGeneric, func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }},
	{"celu", func(dst, src []float32) { celu(dst, src, 0.7, 1) }, func(dst, src []float32) { celuGeneric(dst, src, 0.7, 1) }, func(x float64) float64 {
		if a := float64(float32(0.7)); x < 0 {
			return a * math.Expm1(x/a)
		}
		return x
	}},
	{"sinh", sinh, sinhGeneric, math.Sinh}, {"cosh", cosh, coshGeneric, math.Cosh},
	{"asinh", asinh, asinhGeneric, asinhOf}, {"acosh", acosh, acoshGeneric, math.Acosh}, {"atanh", atanh, atanhGeneric, math.Atanh},
	{"atan", atan, atanGeneric, math.Atan}, {"asin", asin, asinGeneric, asinOf}, {"acos", acos, acosGeneric, acosOf},
	{"sin", sin, sinGeneric, math.Sin}, {"cos", cos, cosGeneric, math.Cos}, {"tan", tan, tanGeneric, math.Tan},
}

// asinhOf avoids the cancellation of math.Asinh near 0, asinOf and acosOf the cancellation of math.Asin and math.Acos.
func asinhOf(x float64) float64 {
	if a := math.Abs(x); a < 1e-3 {
		return x - x*x*x/6
	}
	return math.Asinh(x)
}

func asinOf(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) }

func acosOf(x float64) float64 {
	if math.Abs(x) > 1 {
		return math.NaN()
	}
	return math.Atan2(math.Sqrt((1-x)*(1+x)), x)
}

// spread is numbers of every exponent and sign, with special ones.
func spread(step uint32) []float32 {
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32,
		-math.MaxFloat32, math.SmallestNonzeroFloat32, 1 << 30, 1<<30 + 128, math.Pi, math.Pi / 2}
	for b := uint32(0); b < 0x7f800000; b += step {
		x = append(x, math.Float32frombits(b), math.Float32frombits(b|1<<31))
	}
	return x
}

// unitsOff is the error of y in units in the last place; for subnormal numbers, in two of them.
func unitsOff(y float32, want float64) float64 {
	size := float32(math.Abs(want))
	unit := float64(math.Nextafter32(size, 0)) - float64(size)
	if size < math.MaxFloat32 {
		unit = float64(math.Nextafter32(size, math.MaxFloat32)) - float64(size)
	}
	if size < 0x1p-126 {
		unit *= 2
	}
	return math.Abs((float64(y) - want) / unit)
}

// The functions are those in float64 except for one rounding; zeros keep their sign where the function does.
func TestDoubleFunctions(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: millions of values, on one goroutine")
	}
	src := spread(3001)
	if !testing.Short() {
		src = spread(311)
	}
	dst := make([]float32, len(src))
	for _, f := range doubleFunctions {
		f.f(dst, src)
		worst, argument := 0.0, float32(0)
		for i, y := range dst {
			want := f.want(float64(src[i]))
			rounded := float32(want)
			switch {
			case math.IsNaN(want), math.IsInf(float64(rounded), 0), rounded == 0:
				if math.Float32bits(y) != math.Float32bits(rounded) && (y == y || rounded == rounded) && math.Abs(want) < math.MaxFloat32 && want != 0 ||
					math.IsNaN(want) != (y != y) || want == 0 && y != 0 {
					t.Fatalf("%s(%g) is %g, want %g", f.name, src[i], y, want)
				}
				continue
			}
			if e := unitsOff(y, want); !(e <= worst) {
				worst, argument = e, src[i]
			}
		}
		if !(worst <= 0.501) {
			t.Errorf("%s(%g) is wrong by %.4f units in the last place, want at most 0.501", f.name, argument, worst)
		}
		t.Logf("%s: at most %.4f units in the last place", f.name, worst)
	}
	minus := []float32{float32(math.Copysign(0, -1))}
	for _, f := range []func(dst, src []float32){sinGeneric, tanGeneric, asinGeneric, atanGeneric, sinhGeneric, asinhGeneric, atanhGeneric} {
		if f(dst, minus); math.Float32bits(dst[0]) != 1<<31 {
			t.Errorf("the function of −0 is %g, want −0", dst[0])
		}
	}
}

// The assembly gives the generic code's bits.
func TestDoubleTwins(t *testing.T) {
	src := spread(20011)
	got, want := make([]float32, len(src)), make([]float32, len(src))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for _, f := range doubleFunctions {
			f.generic(want, src)
			for place := range 2 {
				if place == 0 {
					f.f(got, src)
				} else {
					copy(got, src)
					f.f(got, got)
				}
				for i := range got {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
						t.Fatalf("%s(%g) is %g, generic %g", f.name, src[i], got[i], want[i])
					}
				}
			}
		}
	}
}

// Remainders of far numbers against exact arithmetic, among them those that lie nearest to multiples of π/2.
func TestFarTurns(t *testing.T) {
	halfPi, _, err := big.ParseFloat("1.5707963267948966192313216916397514420985846996875529104874722961539082031431044993140174126710585339910740432566411533235469", 10, 400, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	x := spread(70001)
	for b := uint32(0x4e800000); b < 0x7f800000; b += 50021 {
		// Of each, the multiple of π/2 below it and its neighbors.
		q := new(big.Float).SetPrec(400).Quo(big.NewFloat(float64(math.Float32frombits(b))), halfPi)
		whole, _ := q.Int(nil)
		v, _ := new(big.Float).SetPrec(400).Mul(new(big.Float).SetPrec(400).SetInt(whole), halfPi).Float32()
		x = append(x, v, math.Nextafter32(v, 0), -math.Nextafter32(v, math.MaxFloat32))
	}
	for _, v := range x {
		if !(math.Abs(float64(v)) > far) || math.IsInf(float64(v), 0) {
			continue
		}
		exact := new(big.Float).SetPrec(400).SetFloat64(float64(v))
		q, _ := new(big.Float).SetPrec(400).Quo(exact, halfPi).Int(nil)
		rest, _ := exact.Sub(exact, new(big.Float).SetPrec(400).Mul(new(big.Float).SetPrec(400).SetInt(q), halfPi)).Float64()
		r, n := tanPeriod.reduce(float64(v))
		odd := n&1 == 1
		if (q.Bit(0) == 1) != odd {
			rest -= math.Copysign(math.Pi/2, rest)
		}
		if math.Abs(r-rest) > 1e-9*math.Abs(r) && math.Abs(rest) < 0.75 {
			t.Fatalf("%g leaves %g of a quarter turn, want %g", v, r, rest)
		}
	}
}

func BenchmarkDoubleFunctions(b *testing.B) {
	for _, f := range doubleFunctions {
		b.Run(f.name+"/n=4096", func(b *testing.B) {
			dst := make([]float32, 4096)
			benchRows(b, 1, 4096, func(x []float32) { f.f(dst, x) })
		})
	}
}
