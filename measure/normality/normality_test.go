// NumPy's statistics, closed forms, nulls, and what has none.

package normality

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/normality.json")
	if err != nil {
		t.Fatal(err)
	}
	type statistics struct{ Sliced, BHEP float64 }
	var golden struct {
		Cases []struct {
			Name               string
			Dim                int
			Points, Directions []float64
			Raw, Isotropic     statistics
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	for _, c := range golden.Cases {
		for scale, want := range map[Scale]statistics{Raw: c.Raw, Isotropic: c.Isotropic} {
			x, err := Standardize(points.Float64(c.Points, c.Dim), scale)
			if err != nil {
				t.Fatal(err)
			}
			measuretest.Near(t, c.Name+", sliced, "+
				""+string(scale), Sliced(x, c.Dim, c.Directions), want.Sliced, 1e-10*want.Sliced)
			measuretest.Near(t, c.Name+", BHEP, "+string(scale), BHEP(x, c.Dim), want.BHEP, 1e-10*max(1, want.BHEP))
		}
	}
}

// In one dimension the Epps–Pulley statistic is √(2π) times BHEP, but for the ends of the integral and its knots.
func TestEppsPulleyIsBHEP(t *testing.T) {
	t.Parallel()
	random := stat.NewRandom(stat.NewKey(1))
	x := make([]float64, 80)
	for i := range x {
		x[i] = random.Normal() + 0.5
	}
	a, b := Sliced(x, 1, []float64{1}), math.Sqrt(2*math.Pi)*BHEP(x, 1)
	if math.Abs(a-b) > 2e-3*b {
		t.Errorf("Epps–Pulley %v, BHEP %v", a, b)
	}
}

// Directions have length 1 and depend on the seed alone; rotations and shuffles of points change BHEP by rounding.
func TestDirections(t *testing.T) {
	t.Parallel()
	a := Directions(7, 30, 5)
	if !slices.Equal(a, Directions(7, 30, 5)) || slices.Equal(a, Directions(7, 30, 6)) {
		t.Error("directions do not follow from the seed")
	}
	for s := range 30 {
		square := 0.0
		for _, v := range a[7*s : 7*s+7] {
			square += v * v
		}
		measuretest.Near(t, "length", square, 1, 1e-12)
	}
}

// The statistics of Gaussian points lie inside their null, the statistics of others above it, in any unit and place.
func TestNull(t *testing.T) {
	t.Parallel()
	const n, dim = 150, 6
	shape := Shape{N: n, Dim: dim, Slices: 24}
	one, err := Null(t.Context(), shape, Isotropic, true, 39, 9, 1)
	if err != nil {
		t.Fatal(err)
	}
	many, err := Null(t.Context(), shape, Isotropic, true, 39, 9, 4)
	if err != nil || !slices.Equal(one.Sliced, many.Sliced) || !slices.Equal(one.BHEP, many.BHEP) {
		t.Errorf("another null with more threads: %v", err)
	}
	random := stat.NewRandom(stat.NewKey(8))
	z := make([]float64, n*dim)
	for i := range z {
		z[i] = 1e4 + 30*random.Normal()
	}
	p := func(z []float64) (sliced, bhep float64) {
		x, err := Standardize(points.Float64(z, dim), Isotropic)
		if err != nil {
			t.Fatal(err)
		}
		return P(Sliced(x, dim, Directions(dim, 24, 9)), one.Sliced), P(BHEP(x, dim), one.BHEP)
	}
	if a, b := p(z); a < 0.06 || b < 0.06 {
		t.Errorf("Gaussian points: p %v and %v", a, b)
	}
	stretched, cubed := slices.Clone(z), slices.Clone(z)
	for i := range z {
		if i%dim == 0 {
			stretched[i] += 4 * (z[i] - 1e4)
		}
		cubed[i] = math.Pow((z[i]-1e4)/30, 3)
	}
	for name, z := range map[string][]float64{"stretched": stretched, "cubed": cubed} {
		if a, b := p(z); a > 0.03 || b > 0.03 {
			t.Errorf("%s points: p %v and %v", name, a, b)
		}
	}
}

func TestUndefined(t *testing.T) {
	t.Parallel()
	flat := make([]float32, 30)
	for i := range flat {
		flat[i] = 3.3
	}
	flat[7] = math.Nextafter32(3.3, 4)
	for want, z := range map[string]points.Points{
		"the points are constant":       points.Float32(flat, 3),
		"point 1, coordinate 0 is +Inf": points.Float64([]float64{1, 2, math.Inf(1), 3}, 2),
		"1 points, want at least 2":     points.Float64([]float64{1, 2}, 2),
	} {
		if _, err := Standardize(z, Isotropic); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Null(t.Context(), Shape{N: 5, Dim: 0, Slices: 1}, Raw, false, 9, 1, 1); err == nil {
		t.Error("no error for a shape without coordinates")
	}
}
