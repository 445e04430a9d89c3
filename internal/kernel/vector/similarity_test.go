// Moments and similarities against their generic twins and sums of rows.

package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSimilarityTwins: moments, similarities and weighted means have the bits of their generic twins, for NaN and
// infinities too.
func TestSimilarityTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	random := func(n, trial int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64() * []float64{1, 255, 1e-9}[trial%3]
		}
		if trial%5 == 4 {
			x[r.IntN(n)] = []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1)}[trial%3]
		}
		return x
	}
	same := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
				t.Fatalf("%s: element %d is %g, generic %g", what, i, got[i], want[i])
			}
		}
	}
	before := useAVX512
	defer func() { useAVX512 = before }()
	for _, useAVX512 = range []bool{false, before} {
		for trial := range 100 {
			n := Lanes * (1 + r.IntN(6))
			size := len(NewMoments(n))
			var got, want [6]Moments
			for i := range got {
				got[i] = random(size, trial)
				want[i] = slices.Clone(got[i])
			}
			x, y := random(n, trial), random(n, trial+1)
			slide(got[0], got[1], got[2], got[3], got[4], got[5], x, y)
			slideGeneric(want[0], want[1], want[2], want[3], want[4], want[5], x, y)
			for i := range got {
				same("slide", got[i], want[i])
			}
			total := random(n, trial)
			other, dst, generic := slices.Clone(total), make([]float64, n), make([]float64, n)
			similarities(dst, total, got[0], 49, 2.5, 7)
			similaritiesGeneric(generic, other, got[0], 49, 2.5, 7)
			same("similarities", dst, generic)
			same("their sums", total, other)
			weights := [Reach + 1]float64(random(Reach+1, 0))
			step, m := 1+r.IntN(40), 1+r.IntN(80)
			src := random(m+2*Reach*step, trial)
			dst, generic = make([]float64, m), make([]float64, m)
			weigh(dst, src, &weights, step)
			weighGeneric(generic, src, &weights, step)
			same("weigh", dst, generic)
		}
	}
}

// TestSlide: seven rows on, the sums are over the seven rows.
func TestSlide(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n, rows = 2 * Lanes, 19
	sums, last, stride := NewMoments(n), NewMoments(n), MomentsStride(n)
	var pairs [6]Moments
	for i := range pairs {
		pairs[i] = NewMoments(n)
	}
	x, y := make([][]float64, rows), make([][]float64, rows)
	for i := range rows {
		x[i], y[i] = make([]float64, n), make([]float64, n)
		for j := range n {
			x[i][j], y[i][j] = float64(r.IntN(256)), float64(r.IntN(256)) // sums of integers are exact
		}
		Slide(sums, pairs[i%6], last, pairs[(i+5)%6], pairs[(i+3)%6], pairs[(i+1)%6], x[i], y[i])
		if i < Window-1 {
			continue
		}
		for j := range n {
			var want [moments]float64
			for k := i - Window + 1; k <= i; k++ {
				u, v := x[k][j], y[k][j]
				want[0], want[1], want[2], want[3] = want[0]+u, want[1]+v, want[2]+u*u+v*v, want[3]+2*u*v
			}
			for k, w := range want {
				if got := sums[k*stride+j]; got != w {
					t.Fatalf("row %d, moment %d, column %d: %v, want %v", i, k, j, got, w)
				}
			}
		}
	}
}
