// Random directions.

package twosample

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

// Coordinates of 1e16 beside differences of 1: the distance is that of the differences, as of
// the same samples without the large coordinate where all have it, and of half of the mass
// where half of the points have.
func TestSlicedBesideHugeValues(t *testing.T) {
	t.Parallel()
	directions := points.Float64([]float64{0.6, 0.8, -0.8, 0.6, 0, 1, 1, 0}, 2)
	for _, order := range []int{1, 2} {
		o := SlicedOptions{Order: order}
		along := func(x, y []float64) float64 {
			v, err := SlicedAlong(t.Context(), points.Float64(x, 2), points.Float64(y, 2), directions, o)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		const far = 1e16
		want := along([]float64{0, 0, 0, 4}, []float64{0, 1, 0, 5})
		if got := along([]float64{far, 0, far, 4}, []float64{far, 1, far, 5}); math.Abs(got-want) > 1e-12 {
			t.Errorf("order %d: all far away %v, want %v", order, got, want)
		}
		if got := along([]float64{far, 0, 0, 4}, []float64{far, 1, 0, 5}); math.Abs(got-want) > 1e-12 {
			t.Errorf("order %d: half far away %v, want %v", order, got, want)
		}
		if got := along([]float64{far, 5, far, 0, 1, 1}, []float64{far, 0, 1, 1, far, 5}); got != 0 {
			t.Errorf("order %d: the same samples in another order %v", order, got)
		}
	}
}

// TestSlicedOfAShift: along θ a shift by s is |s·θ|, whose mean over directions of the plane
// is 2/π·|s| and whose root mean square is |s|/√2.
func TestSlicedOfAShift(t *testing.T) {
	t.Parallel()
	x := measuretest.Normal(rand.New(rand.NewPCG(5, 1)), 30, 2)
	moved := points.Float64(append([]float64(nil), x.F64...), 2)
	for i := range moved.N {
		moved.F64[2*i] += 3
		moved.F64[2*i+1] -= 4
	}
	for order, want := range map[int]float64{1: 5 * 2 / math.Pi, 2: 5 / math.Sqrt2} {
		got, err := SlicedWasserstein(t.Context(), x, moved, SlicedOptions{Order: order, Directions: 4000, Seed: 2, Threads: 2})
		must(t, err)
		measuretest.Near(t, "shift", got, want, 0.02)
	}
}
