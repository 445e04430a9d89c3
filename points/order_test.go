// Tests of points that follow each other.

package points

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The correlation of neighbors is that of an autoregression, whatever the type; labels take the means of sorted
// classes out.
func TestNeighborCorrelation(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	const n, dim = 4000, 3
	made := func(rho float64) []float64 {
		x := make([]float64, n*dim)
		for i := range x {
			x[i] = random.NormFloat64()
			if i >= dim {
				x[i] += rho * x[i-dim]
			}
		}
		return x
	}
	for _, rho := range []float64{0, 0.5, 0.9, -0.5} {
		x := made(rho)
		if got := NeighborCorrelation(Float64(x, dim), nil); math.Abs(got-rho) > 0.03 {
			t.Errorf("ρ of %g: %g", rho, got)
		}
		narrow := make([]float32, len(x))
		for i, v := range x {
			narrow[i] = float32(v)
		}
		if got := NeighborCorrelation(Float32(narrow, dim), nil); math.Abs(got-rho) > 0.03 {
			t.Errorf("ρ of %g in float32: %g", rho, got)
		}
	}
	x, label := made(0), make([]int, n)
	for i := range x {
		label[i/dim] = 4 * i / len(x)
		x[i] += float64(10 * label[i/dim])
	}
	if got := NeighborCorrelation(Float64(x, dim), label); math.Abs(got) > 0.04 {
		t.Errorf("sorted by label: %g with labels", got)
	}
	if got := NeighborCorrelation(Float64(x, dim), nil); got < 0.9 {
		t.Errorf("sorted by label: %g without labels", got)
	}
	single := make([]int, n)
	for i := range single {
		single[i] = i
	}
	if got := NeighborCorrelation(Float64(x, dim), single); !math.IsNaN(got) {
		t.Errorf("a label for each point: %g, want NaN", got)
	}
	for name, p := range map[string]Points{"equal": Uint8(make([]uint8, 30), 3), "none": Float64(nil, 2),
		"NaN": Float64([]float64{1, 2, math.NaN(), 4}, 1)} {
		if got := NeighborCorrelation(p, nil); !math.IsNaN(got) {
			t.Errorf("%s: %g, want NaN", name, got)
		}
	}
}
