// Overlaps that can be counted.

package box

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestIoU compares boxes on the grid of pixels with the masks that they cover.
func TestIoU(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	const side = 9
	mask := func(b Box) []bool {
		m := make([]bool, side*side)
		for i := range m {
			x, y := float64(i%side), float64(i/side)
			m[i] = b.X0 <= x && x < b.X1 && b.Y0 <= y && y < b.Y1
		}
		return m
	}
	draw := func() Box {
		x, y := rng.IntN(side), rng.IntN(side)
		return Box{float64(x), float64(y), float64(x + 1 + rng.IntN(side-x)), float64(y + 1 + rng.IntN(side-y))}
	}
	for range 300 {
		a, b := draw(), draw()
		got, want := IoU(a, b), maskIoU(mask(a), mask(b))
		if got != want || got != IoU(b, a) || IoU(a, a) != 1 {
			t.Fatalf("IoU of %v and %v = %v and %v, want %v", a, b, got, IoU(b, a), want)
		}
	}
	unit := Box{0, 0, 1, 1}
	for _, c := range []struct {
		a, b Box
		want float64
	}{
		{unit, Box{1, 0, 2, 1}, 0},
		{unit, Box{0.5, 0, 1.5, 1}, 1. / 3},
		{unit, Box{0.5, 0.5, 0.5, 0.5}, 0},
		{unit, Box{3, 3, 2, 2}, 0},
		{Box{0, 0, 0, 5}, Box{2, 2, 2, 2}, math.NaN()},
		{unit, Box{math.NaN(), 0, 1, 1}, math.NaN()},
	} {
		if got := IoU(c.a, c.b); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("IoU of %v and %v = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// maskIoU returns how many pixels are in both masks over how many are in one of them,
// in [0, 1]. NaN for two empty masks and for masks of different lengths.
func maskIoU(a, b []bool) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	both, either := 0, 0
	for i, in := range a {
		if in && b[i] {
			both++
		}
		if in || b[i] {
			either++
		}
	}
	return float64(both) / float64(either)
}
