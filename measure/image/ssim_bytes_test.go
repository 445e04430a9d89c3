// Frames of bytes beside the same frames as other numbers.

package image

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBytesAsFloats: means and maps of bytes have the bits of those of doubles, for all orders and numbers of
// channels, and a second pair finds nothing left of the first.
func TestBytesAsFloats(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(12, 13))
	for _, shape := range []Shape{
		{1, 7, 7, false}, {1, 9, 40, true}, {3, 20, 23, false}, {3, 20, 23, true}, {4, 8, 16, true}, {2, 31, 7, true}, {5, 7, 22, true},
	} {
		s := newOf(t, shape, 255, false)
		h, w := s.MapSize()
		got, want := make([]float64, shape.Channels*h*w), make([]float64, shape.Channels*h*w)
		for range 2 {
			a, b := random[uint8](rng, shape.Size()), random[uint8](rng, shape.Size())
			mean := mapSSIM(s, want, floats[float64](a), floats[float32](b))
			for _, v := range []float64{MeanSSIM(s, a, b), mapSSIM(s, got, a, b)} {
				if math.Float64bits(v) != math.Float64bits(mean) {
					t.Errorf("%v: %v of bytes, %v of doubles", shape, v, mean)
				}
			}
			for i, v := range want {
				if math.Float64bits(v) != math.Float64bits(got[i]) {
					t.Fatalf("%v: place %d of the map is %v of bytes, %v of doubles", shape, i, got[i], v)
				}
			}
		}
	}
}
