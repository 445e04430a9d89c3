// Tests of the fused multiply-add against arbitrary-precision arithmetic.

package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigFMA32 is a fused multiply-add by arbitrary-precision arithmetic where all
// is finite, independent of fma32.
func bigFMA32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if s == 0 || math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// Exact in float64 already: no need for big numbers.
	if v := s - p; (p-(s-v))+(float64(c)-v) == 0 {
		return float32(s)
	}
	exact := new(big.Float).SetPrec(700).SetFloat64(p)
	exact.Add(exact, new(big.Float).SetPrec(700).SetFloat64(float64(c)))
	f, _ := exact.Float32()
	return f
}

func TestFMA32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(a, b, c float32) {
		t.Helper()
		got, want := fma32(a, b, c), bigFMA32(a, b, c)
		if math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
			t.Fatalf("fma32(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	}
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-127, 1 + 0x1p-23, 1 - 0x1p-24, 0x1p-24, 0x1p-149, 0x1.8p-130,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 3, 1e30, 1e-30}
	for _, a := range special {
		for _, b := range special {
			for _, c := range special {
				check(a, b, c)
			}
		}
	}
	for range 200_000 {
		check(math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()))
		// Near ties: c is far larger than the product, or far smaller.
		a := float32(1+r.IntN(1<<12)) * 0x1p-12
		b := float32(1+r.IntN(1<<12)) * 0x1p-12
		c := float32(r.NormFloat64()) * float32(math.Ldexp(1, r.IntN(60)-30))
		check(a, b, c)
		check(-a, b, c)
		check(a*0x1p-80, b*0x1p-60, float32(math.Ldexp(c64(r), -140)))
	}
	// The case that rounding twice gets wrong: the sum lies just above a midpoint.
	a, b, c := float32(1+0x1p-23), float32(1+0x1p-23), float32(0x1p24)
	check(a, b, c)
	check(0x1.000002p0, 0x1p-24, 1)
}

func c64(r *rand.Rand) float64 { return r.NormFloat64() * 16 }
