// Random directions.

package twosample

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

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
