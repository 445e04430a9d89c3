// Errors beside sums in order.

package image

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestErrors holds squared and absolute errors against sums in order, for lengths that
// are no multiple of what is summed together.
func TestErrors(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for n := 1; n < 40; n++ {
		a, b := random[uint8](rng, n), random[float32](rng, n)
		squared, absolute := 0.0, 0.0
		for i := range a {
			d := float64(a[i]) - float64(b[i])
			squared += d * d / float64(n)
			absolute += math.Abs(d) / float64(n)
		}
		near(t, "MSE", MSE(a, b), squared, 1e-9)
		near(t, "MSE of bytes", MSE(a, to[uint8](floats[float64](b))), squared, 1e-9)
		near(t, "MAE", MAE(a, b), absolute, 1e-9)
		if MSE(b, b) != 0 || MAE(a, a) != 0 {
			t.Error("equal frames differ")
		}
	}
	if v := PSNR(0, 255); !math.IsInf(v, 1) {
		t.Errorf("PSNR of equal frames = %v", v)
	}
	near(t, "PSNR", PSNR(255*255, 255), 0, 0)
	near(t, "PSNR", PSNR(0.01, 1), 20, 1e-12)
}
