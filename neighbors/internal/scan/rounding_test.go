// Tests of rounding outward.

package scan

import (
	"math"
	"testing"
)

func TestNext(t *testing.T) {
	inf := math.Inf(1)
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 0x1p-149, -0x1p-149, 0x1p-126, 5e-324, -5e-324, 0.1, -0.1, math.MaxFloat32, -math.MaxFloat32,
		math.MaxFloat64, -math.MaxFloat64, 0x1p52, inf, -inf, math.NaN()} {
		same64(t, "float64 up", v, NextUp(v), math.Nextafter(v, inf))
		same64(t, "float64 down", v, NextDown(v), math.Nextafter(v, -inf))
		f := float32(v)
		same64(t, "float32 up", v, float64(NextUp(f)), float64(math.Nextafter32(f, float32(inf))))
		same64(t, "float32 down", v, float64(NextDown(f)), float64(math.Nextafter32(f, float32(-inf))))
		if up, down := RoundUp[float32](v), RoundDown[float32](v); !math.IsNaN(v) && (float64(up) < v || float64(down) > v || NextUp(down) < up) {
			t.Errorf("%v rounds to %v and %v", v, down, up)
		}
	}
}

func same64(t *testing.T, name string, v, got, want float64) {
	t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) && got == got {
		t.Errorf("%s: %v after %v, want %v", name, got, v, want)
	}
}
