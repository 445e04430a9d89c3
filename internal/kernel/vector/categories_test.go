// Distributions over categories: the bits of the portable twin, and against package math.

package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rowsOfLogits are logits with ties, far ones, −Inf and, with bad, invalid ones.
func rowsOfLogits(random *rand.Rand, n int, bad bool) []float32 {
	x := make([]float32, n)
	scale := math.Pow(10, random.Float64()*4-1)
	for i := range x {
		x[i] = float32(random.NormFloat64() * scale)
		switch random.IntN(12) {
		case 0:
			x[i] = float32(math.Inf(-1))
		case 1:
			x[i] = x[random.IntN(i+1)]
		}
	}
	if bad {
		x[random.IntN(n)] = []float32{float32(math.NaN()), float32(math.Inf(1))}[random.IntN(2)]
	}
	return x
}

func TestDistribution(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 4000 {
		bad := random.IntN(10) == 0
		x := rowsOfLogits(random, Categories*(1+random.IntN(9)), bad)
		top, first, larger, equal := Standing(x, x[len(x)/3])
		if wantTop, f, l, e := standingGeneric(x, x[len(x)/3]); !bad && (top != wantTop || first != f || larger != l || equal != e) {
			t.Fatalf("%v: standing %v %d %d %d, want %v %d %d %d", x, top, first, larger, equal, wantTop, f, l, e)
		}
		var got, twin, want [3]float64
		got[0], got[1], got[2] = Distribution(x, float64(top))
		twin[0], twin[1], twin[2] = distributionGeneric(x, float64(top))
		for _, v := range x {
			d := float64(v) - float64(top)
			e := math.Exp(d)
			want[0] += e
			if e > 0 {
				want[1] += e * d
			}
			want[2] += e * e
		}
		for k := range got {
			if bad || math.IsInf(float64(top), -1) {
				if !math.IsNaN(got[k]) {
					t.Errorf("%v: sum %d is %v, want NaN", x, k, got[k])
				}
				continue
			}
			if math.Float64bits(got[k]) != math.Float64bits(twin[k]) {
				t.Fatalf("sum %d is %v, the portable one %v", k, got[k], twin[k])
			}
			if math.Abs(got[k]-want[k]) > 1e-14*max(1, math.Abs(want[k])) {
				t.Errorf("%v: sum %d is %v, want %v", x, k, got[k], want[k])
			}
		}
	}
}

func TestExp64(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	worst := 0.0
	for range 200000 {
		d := -708 * math.Pow(random.Float64(), 4)
		got, want := exp64(d), math.Exp(d)
		worst = max(worst, math.Abs(got-want)/(math.Nextafter(want, 2)-want))
	}
	if worst > 2 || exp64(0) != 1 {
		t.Errorf("exponentials differ by up to %.2f units in the last place, and that of 0 is %v", worst, exp64(0))
	}
}

func BenchmarkDistribution(b *testing.B) {
	x := rowsOfLogits(rand.New(rand.NewPCG(1, 1)), 32, false)
	for b.Loop() {
		top, _, _, _ := Standing(x, x[3])
		Distribution(x, float64(top))
	}
}
