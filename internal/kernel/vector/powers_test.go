// Tests of powers and remainders.

package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// operands are pairs of numbers: of every size, of those that powers are taken of, and all pairs of special ones.
func operands() (x, y []float32) {
	r := rand.New(rand.NewPCG(5, 6))
	special := []float32{0, 1, 2, 3, 0.5, 1.5, 4, 1 << 24, 1<<24 + 2, math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.NaN())}
	for _, v := range special {
		for _, w := range special {
			x, y = append(x, v, -v, v, -v), append(y, w, w, -w, -w)
		}
	}
	for range 200000 {
		any := func() float32 { return math.Float32frombits(r.Uint32()) }
		switch a, b := float32(r.NormFloat64()), float32(r.NormFloat64()); r.IntN(4) {
		case 0:
			x, y = append(x, any()), append(y, any())
		case 1:
			x, y = append(x, a*5), append(y, float32(math.Round(float64(b*4)))/2)
		case 2:
			x, y = append(x, a*1000), append(y, b)
		default:
			x, y = append(x, float32(math.Exp(float64(a*20)))), append(y, b*3)
		}
	}
	return x, y
}

// Powers equal float64 except for one rounding, remainders exactly.
func TestPowers(t *testing.T) {
	t.Parallel()
	x, y := operands()
	powers, rests := make([]float32, len(x)), make([]float32, len(x))
	PowRows(powers, x, y, 1, 1)
	ModRows(rests, x, y, 1, 1)
	worst := 0.0
	for i, v := range x {
		if want := float32(math.Mod(float64(v), float64(y[i]))); math.Float32bits(rests[i]) != math.Float32bits(want) && (want == want || rests[i] == rests[i]) {
			t.Fatalf("%g mod %g is %g, want %g", v, y[i], rests[i], want)
		}
		want := math.Pow(float64(v), float64(y[i]))
		rounded, p := float32(want), powers[i]
		if math.IsNaN(want) || math.IsInf(float64(rounded), 0) || rounded == 0 || rounded == 1 {
			if math.Float32bits(p) != math.Float32bits(rounded) && (p == p || rounded == rounded) {
				t.Fatalf("%g to the power of %g is %g, want %g", v, y[i], p, rounded)
			}
			continue
		}
		if e := unitsOff(p, want); !(e <= worst) {
			if worst = e; !(worst <= 0.501) {
				t.Fatalf("%g to the power of %g is %g, want %g", v, y[i], p, want)
			}
		}
	}
	t.Logf("at most %.4f units in the last place", worst)
}

// The assembly gives the generic code's bits.
func TestPowerTwins(t *testing.T) {
	x, y := operands()
	got, want := make([]float32, len(x)), make([]float32, len(x))
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for name, f := range map[string][2]func(dst, x, y []float32, stepX, stepY int){"pow": {powRows, powRowsGeneric}, "mod": {modRows, modRowsGeneric}} {
			for _, step := range [][2]int{{1, 1}, {0, 1}, {1, 0}, {0, 0}} {
				for _, from := range []int{0, 5, len(x) - 1003} {
					n := len(x) - from
					f[0](got[:n], x[from:], y[from:], step[0], step[1])
					f[1](want[:n], x[from:], y[from:], step[0], step[1])
					for i := range n {
						if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
							t.Fatalf("%s(%g, %g), steps %v: %g, generic %g", name, x[from+i*step[0]], y[from+i*step[1]], step, got[i], want[i])
						}
					}
				}
			}
		}
	}
}

func BenchmarkPowers(b *testing.B) {
	x, dst := make([]float32, 4096), make([]float32, 4096)
	for i := range x {
		x[i] = float32(i) / 100
	}
	b.Run("pow/n=4096", func(b *testing.B) { benchRows(b, 1, 4096, func(y []float32) { PowRows(dst, x, y, 1, 1) }) })
	b.Run("mod/n=4096", func(b *testing.B) { benchRows(b, 1, 4096, func(y []float32) { ModRows(dst, x, y, 1, 1) }) })
}
