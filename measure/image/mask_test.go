// Masks, and errors by them.

package image

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMask: pixels on the threshold do not move, the parts make the whole.
func TestMask(t *testing.T) {
	t.Parallel()
	now, next := []uint8{10, 10, 10, 10}, []float64{15, 5, 15.5, math.NaN()}
	mask := make([]bool, 4)
	if n := Moving(mask, now, next, 5); n != 1 || !mask[2] {
		t.Errorf("%d move: %v", n, mask)
	}
	if n := Moving(mask[:3], now, next, 5); n != -1 {
		t.Errorf("a mask of another length: %d move", n)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	a, b := random[uint8](rng, 101), random[float32](rng, 101)
	mask = make([]bool, 101)
	moving := Moving(mask, a, b, 40)
	inside, outside := SquaresByMask(a, b, mask)
	if inside.Count != moving || inside.Count+outside.Count != 101 || moving == 0 || moving == 101 {
		t.Errorf("%d of %d and %d", moving, inside.Count, outside.Count)
	}
	near(t, "MSE of both", Sum{inside.Total + outside.Total, inside.Count + outside.Count}.Mean(), MSE(a, b), 1e-9)
	if inside.Mean() <= 1600 || outside.Mean() > 1600 {
		t.Errorf("means %v and %v", inside.Mean(), outside.Mean())
	}
	if _, none := SquaresByMask(a, a, make([]bool, 101)); none.Total != 0 || none.Count != 101 {
		t.Errorf("equal frames: %v", none)
	}
	if none, _ := SquaresByMask(a, b, make([]bool, 101)); !math.IsNaN(none.Mean()) {
		t.Errorf("the mean of no pixels is %v", none.Mean())
	}
	if in, out := SquaresByMask(a, b, mask[:100]); !math.IsNaN(in.Mean()) || !math.IsNaN(out.Mean()) {
		t.Error("a mask of another length has a mean")
	}
}
