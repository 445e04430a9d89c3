// Properties that hold for every field: a perfect forecast is perfect, symmetric scores are
// symmetric, powers add up to the variance.

package verification

import (
	"math"
	"math/rand/v2"
	"testing"
)

// grids are sizes of all kinds: not powers of two, primes, higher and wider, one row.
var grids = [][2]int{{8, 8}, {7, 12}, {12, 7}, {13, 13}, {1, 9}, {9, 1}, {30, 45}, {2, 2}, {1, 1}}

// random returns a field with correlated values.
func random(r *rand.Rand, height, width int) []float32 {
	field := make([]float32, height*width)
	for c := range field {
		field[c] = float32(r.NormFloat64())
		if c > 0 {
			field[c] += 0.7 * field[c-1]
		}
	}
	return field
}

func wide(field []float32) []float64 {
	out := make([]float64, len(field))
	for c, v := range field {
		out[c] = float64(v)
	}
	return out
}

// near fails unless got is within tolerance of want, relative above 1.
func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s = %.17g, want %.17g", name, got, want)
	}
}

func TestPowerAddsUpToVariance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []TransformKind{DCT, FFT} {
		for _, grid := range grids {
			transform := NewTransform(kind, grid[0], grid[1])
			bands := transform.Bands()
			field := random(r, grid[0], grid[1])
			for c := range field {
				field[c] += 100
			}
			power := make([]float64, len(bands.Modes))
			AddPower(transform, power, field)
			mean, variance, modes, total := 0.0, 0.0, 0, 0.0
			for _, v := range field {
				mean += float64(v) / float64(len(field))
			}
			for _, v := range field {
				variance += square(float64(v)-mean) / float64(len(field))
			}
			for k, p := range power {
				total += p
				modes += bands.Modes[k]
			}
			near(t, kind.String()+" power", total, variance, 1e-11)
			if modes != len(field)-1 {
				t.Errorf("%v of %v: %d waves", kind, grid, modes)
			}
		}
	}
}
