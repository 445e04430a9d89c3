// Tests of the scale that few points cannot move.

package spectrum

import (
	"math"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

func TestTypicalDistance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	z := measuretest.Normal(random, 2500, 30)
	rms, err := RMSDistance(z)
	if err != nil {
		t.Fatal(err)
	}
	plain := TypicalDistance(z)
	if math.Abs(plain/rms-1) > 0.25 {
		t.Errorf("of normal points %v, RMS distance %v", plain, rms)
	}
	for i := range 125 * 30 { // 5 % of the points
		z.F64[i] *= 1e9
	}
	if far := TypicalDistance(z); far/plain > 1.1 {
		t.Errorf("%v with far points, %v without", far, plain)
	}
	// The median is 1 of 0, 0, 0, 0, 0, 1, 1, 1, 1, 3, 9, and distances from it are 0 four times, 1
	// five times, 2 and 8.
	measuretest.Near(t, "typical distance", TypicalDistance(points.Float64([]float64{0, 9, 1, 0, 1, 3, 0, 1, 1, 0, 0}, 1)), 2*math.Sqrt2, 1e-15)
	for name, p := range map[string]points.Points{"nothing": {}, "mostly equal": points.Float64([]float64{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7}, 1)} {
		if v := TypicalDistance(p); v != 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
}
