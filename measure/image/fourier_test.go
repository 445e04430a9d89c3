// Transforms beside sums of waves.

package image

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// TestPlane2D holds the transform against its definition, for lengths with small and large prime factors, and the
// inverse against what came in.
func TestPlane2D(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 1))
	for _, size := range [][2]int{{1, 1}, {1, 2}, {5, 1}, {8, 9}, {12, 67}, {71, 6}, {7, 134}} {
		h, w := size[0], size[1]
		x := make([]complex128, h*w)
		for i := range x {
			x[i] = complex(rng.NormFloat64(), rng.NormFloat64())
		}
		p, got := newPlane2D(h, w), append([]complex128(nil), x...)
		p.forward(got)
		for u := range h {
			for v := range w {
				want := 0i
				for i := range h {
					for j := range w {
						angle := -2 * math.Pi * (float64(u*i)/float64(h) + float64(v*j)/float64(w))
						want += x[i*w+j] * cmplx.Exp(complex(0, angle))
					}
				}
				if d := cmplx.Abs(got[u*w+v] - want); !(d < 1e-10) {
					t.Fatalf("%d × %d: coefficient %d, %d is %v off", h, w, u, v, d)
				}
			}
		}
		p.inverse(got)
		for i, v := range x {
			if d := cmplx.Abs(got[i] - v); !(d < 1e-12) {
				t.Fatalf("%d × %d: there and back, value %d is %v off", h, w, i, d)
			}
		}
	}
}
