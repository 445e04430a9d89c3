// Tests that rotations equal the formula in float64, and that the assembly has the bits of its twins.

package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRotation(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, wide := range []bool{false, before} {
		useAVX512 = wide
		for range 200 {
			half, rows := 1+r.IntN(70), 1+r.IntN(5)
			n := 2 * half
			stepDst, stepSrc := n+r.IntN(4), n+r.IntN(4)
			x, cos, sin := random(rows*stepSrc), random(rows*n), random(rows*n)
			if r.IntN(4) == 0 {
				x[r.IntN(len(x))] = float32(math.NaN())
			}
			for _, pairs := range []bool{false, true} {
				got, want := make([]float32, rows*stepDst), make([]float32, rows*stepDst)
				if pairs {
					TurnPairs(got, x, cos, sin, n, rows, stepDst, stepSrc)
					turnPairsGeneric(want, x, cos, sin, n, rows, stepDst, stepSrc)
				} else {
					TurnHalves(got, x, cos, sin, half, rows, stepDst, stepSrc)
					turnHalvesGeneric(want, x, cos, sin, half, rows, stepDst, stepSrc)
				}
				what := fmt.Sprintf("pairs %v, %d rows of %d", pairs, rows, n)
				if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }) {
					t.Fatalf("%s: other bits than the portable twin", what)
				}
				for i := range rows * n {
					row, k := i/n, i%n
					other, sign := (k+half)%n, 1.0
					if pairs {
						other = k ^ 1
					}
					if other > k {
						sign = -1
					}
					a, b := float64(x[row*stepSrc+k]), float64(x[row*stepSrc+other])
					exact := a*float64(cos[i]) + sign*b*float64(sin[i])
					if v := float64(want[row*stepDst+k]); math.Abs(v-exact) > 1e-6*(math.Abs(a*float64(cos[i]))+math.Abs(b*float64(sin[i]))) || (v != v) != (exact != exact) {
						t.Fatalf("%s: element %d is %g, want %g", what, i, v, exact)
					}
				}
			}
		}
	}
}
