// Maps that are none, baselines, and what the tests of this package share.

package saliency

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/stat"
)

// must fails where a number is undefined.
func must(t testing.TB) func(float64, error) float64 {
	return func(v float64, err error) float64 {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		return v
	}
}

func mapOf(t testing.TB, width, height int, values []float64) *Map {
	t.Helper()
	m, err := NewMap(width, height, values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fixationsAt(t testing.TB, width, height int, xs, ys []float64) *Fixations {
	t.Helper()
	f, err := FixationsAt(width, height, xs, ys)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// randomMap has values in [0, 1), in steps of 1/grain where grain is not 0, so that there are ties.
func randomMap(t testing.TB, random *rand.Rand, width, height, grain int) *Map {
	values := make([]float64, width*height)
	for i := range values {
		values[i] = random.Float64()
		if grain > 0 {
			values[i] = float64(random.IntN(grain)) / float64(grain)
		}
	}
	return mapOf(t, width, height, values)
}

func randomFixations(t testing.TB, random *rand.Rand, width, height, n int) *Fixations {
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range xs {
		xs[i], ys[i] = random.Float64()*float64(width), random.Float64()*float64(height)
	}
	return fixationsAt(t, width, height, xs, ys)
}

// affine is scale·m + shift.
func affine(t testing.TB, m *Map, scale, shift float64) *Map {
	values := make([]float64, len(m.values))
	for i, v := range m.values {
		values[i] = scale*v + shift
	}
	return mapOf(t, m.Width, m.Height, values)
}

// undefined fails unless a number is NaN with a reason that holds a text.
func undefined(t *testing.T, v float64, err error, reason string) {
	t.Helper()
	if !math.IsNaN(v) || err == nil || !strings.Contains(stat.Reason(err), reason) || stat.Reason(err) == err.Error() {
		t.Errorf("%v, %v, want NaN with the reason %q", v, err, reason)
	}
}

func TestNewMapRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height int
		values        []float64
		want          string
	}{
		{0, 3, nil, "0 × 3 pixels"},
		{-1, -1, []float64{1}, "-1 × -1 pixels"},
		{2, 2, []float64{1, 2, 3}, "3 values for 2 × 2 pixels"},
		{1 << 62, 4, nil, "0 values for"}, // whose product is 0
		{2, 2, []float64{1, 2, 3, math.NaN()}, "NaN at x 1, y 1"},
		{3, 1, []float64{1, math.Inf(-1), 3}, "-Inf at x 1, y 0"},
		{2, 1, []float64{-math.MaxFloat64, math.MaxFloat64}, "range or sum"},
		{2, 1, []float64{math.MaxFloat64, math.MaxFloat64}, "range or sum"},
	} {
		m, err := NewMap(c.width, c.height, c.values)
		if m != nil {
			t.Errorf("%v: a map", c.values)
		}
		undefined(t, math.NaN(), err, c.want)
	}
	_, err := mapOf(t, 2, 2, []float64{7, 7, 7, 7}).Rescaled()
	undefined(t, math.NaN(), err, "the map is constant (7)")
}

func TestMap(t *testing.T) {
	t.Parallel()
	m, err := NewMap(3, 2, []uint8{10, 20, 30, 40, 50, 60})
	if err != nil || m.At(2, 0) != 30 || m.At(0, 1) != 40 {
		t.Fatal(m, err)
	}
	r, err := m.Rescaled()
	if err != nil || r.At(0, 0) != 0 || r.At(1, 0) != 0.2 || r.At(2, 1) != 1 {
		t.Errorf("rescaled: %v, %v", r, err)
	}
	values := []float64{1, 2}
	m = mapOf(t, 2, 1, values)
	values[0] = 9
	if m.At(0, 0) != 1 {
		t.Error("a map shares the caller's values")
	}
}

func TestBaselines(t *testing.T) {
	t.Parallel()
	u, err := Uniform(4, 3)
	if err != nil || u.min != 1 || u.max != 1 || u.sum != 12 {
		t.Errorf("uniform: %+v, %v", u, err)
	}
	c, err := CenterPrior(5, 3, 0.5)
	if err != nil || c.At(2, 1) != 1 || c.At(0, 0) != c.At(4, 2) || !(c.At(1, 1) > c.At(0, 1)) {
		t.Errorf("center prior: %+v, %v", c, err)
	}
	if want := math.Exp(-0.5 * (2 / 2.5) * (2 / 2.5)); math.Abs(c.At(0, 1)-want) > 1e-15 {
		t.Errorf("center prior at the left: %v, want %v", c.At(0, 1), want)
	}
	for _, sigma := range []float64{0, -1, math.NaN()} {
		_, err := CenterPrior(5, 3, sigma)
		undefined(t, math.NaN(), err, "want more than 0")
	}
	_, err = Uniform(0, 3)
	undefined(t, math.NaN(), err, "0 × 3 pixels")
}
