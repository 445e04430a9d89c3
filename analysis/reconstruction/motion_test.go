// Motion beside what NumPy says, and where there is none.

package reconstruction

import (
	"math"
	"testing"
)

func TestGoldenMotion(t *testing.T) {
	t.Parallel()
	for _, g := range readObjects(t) {
		size := g.shape().Size()
		for i, want := range g.Motion {
			got := motionOf(g.Truth[i*size:(i+1)*size], g.Truth[(i+1)*size:(i+2)*size], g.Predicted[i*size:(i+1)*size])
			if math.Abs(got.truth-want.Truth) > 1e-11 || math.Abs(got.predicted-want.Predicted) > 1e-11 || math.Abs(got.cosine()-want.Cosine) > 1e-12 {
				t.Errorf("frame %d: %+v, cosine %v, want %+v", i, got, got.cosine(), want)
			}
		}
	}
}

// TestCosine: 1 for the true step and any multiple of it, −1 for its opposite, 0 for a
// change elsewhere, none where nothing moves or is predicted to.
func TestCosine(t *testing.T) {
	t.Parallel()
	now, next := []float64{0.5, 0.5, 0.1}, []float64{0.7, 0.4, 0.1}
	for _, c := range []struct {
		name            string
		next, predicted []float64
		want            float64
	}{
		{"the truth", next, next, 1},
		{"half of it", next, []float64{0.6, 0.45, 0.1}, 1},
		{"the opposite", next, []float64{0.3, 0.6, 0.1}, -1},
		{"elsewhere", next, []float64{0.5, 0.5, 0.9}, 0},
		{"motionless", next, now, math.NaN()},
		{"of a still pair", now, next, math.NaN()},
		{"NaN", next, []float64{math.NaN(), 0, 0}, math.NaN()},
	} {
		got := motionOf(now, c.next, c.predicted).cosine()
		if math.IsNaN(c.want) != math.IsNaN(got) || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
