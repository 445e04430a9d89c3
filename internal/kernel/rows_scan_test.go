// Tests of the scans against their portable twins.

package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestScans(t *testing.T) { withEach(t, testScans) }

// testScans compares the row scans with their portable twins.
func testScans(t *testing.T, impl *implementation) {
	r := rand.New(rand.NewPCG(8, 9))
	for n := range 70 {
		x, shift, whole := make([]float32, n), make([]float32, n), make([]int32, n)
		for i := range x {
			x[i], shift[i], whole[i] = float32(r.IntN(9)-4), r.Float32(), int32(r.IntN(9)-4)
			switch r.IntN(20) {
			case 0:
				x[i], whole[i] = float32(math.NaN()), math.MaxInt32
			case 1:
				x[i], whole[i] = float32(math.Inf(1)), math.MinInt32
			case 2:
				x[i] = float32(math.Copysign(0, -1))
			}
		}
		got, want := make([]float32, n), make([]float32, n)
		impl.rows.scaleShift(got, x, shift, 0.3)
		scaleShiftGeneric(want, x, shift, 0.3)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && got[i] == got[i] {
				t.Fatalf("scaleShift: element %d of %d is %v, want %v", i, n, got[i], want[i])
			}
		}
		impl.rows.finishDistances(got, shift, 0.7)
		finishDistancesGeneric(want, shift, 0.7)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && got[i] == got[i] {
				t.Fatalf("finishDistances: element %d of %d is %v, want %v", i, n, got[i], want[i])
			}
		}
		a, b := make([]int32, n), make([]int32, n)
		for _, limit := range []float32{-5, 0, 2, math.MaxFloat32} {
			limits := make([]float32, n)
			for i := range limits {
				limits[i] = float32(r.IntN(12) - 8)
			}
			p, q := impl.rows.nearDistances(a, x, shift, limits, 0.7, limit), nearDistancesGeneric(b, x, shift, limits, 0.7, limit)
			if !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("near %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
		for _, limit := range []float32{-5, -1, 0, 2, float32(math.Inf(1))} {
			if p, q := impl.rows.atMost(a, x, limit), atMostGeneric(b, x, limit); !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("at most %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
		for _, limit := range []int32{math.MinInt32, -1, 0, 3, math.MaxInt32} {
			if p, q := impl.rows.below(a, whole, limit), belowGeneric(b, whole, limit); !slices.Equal(a[:p], b[:q]) {
				t.Fatalf("below %v: %v, want %v", limit, a[:p], b[:q])
			}
		}
	}
}
