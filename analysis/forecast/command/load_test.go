// Tests of weights by latitude.

package command

import (
	"math"
	"strings"
	"testing"

	"repscope/analysis/forecast"
)

// A mask on a sphere is the product of its weights and the cosines.
func TestWeightedByLatitude(t *testing.T) {
	t.Parallel()
	d := forecast.Dims{N: 1, V: 1, H: 2, W: 3}
	half := math.Cos(math.Pi / 3)
	for name, c := range map[string]struct{ weights, latitudes, want []float64 }{
		"rows alone":        {nil, []float64{0, 60}, []float64{1, 1, 1, half, half, half}},
		"mask and rows":     {[]float64{1, 0, 1, 0, 1, 1}, []float64{0, 60}, []float64{1, 0, 1, 0, half, half}},
		"rows and rows":     {[]float64{2, 4}, []float64{0, 60}, []float64{2, 2, 2, 4 * half, 4 * half, 4 * half}},
		"cells of each":     {[]float64{1, 0, 1, 0, 1, 1}, []float64{60, 0, 0, 0, 0, 60}, []float64{half, 0, 1, 0, 1, half}},
		"the poles":         {nil, []float64{-90, 90}, make([]float64, 6)},
		"rows, as in --lat": {nil, []float64{-60, 0}, []float64{half, half, half, 1, 1, 1}},
	} {
		got, err := weightedByLatitude(c.weights, c.latitudes, "lat.npy", d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-15 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
	}
	for _, bad := range []float64{90.5, -1000, math.NaN()} {
		if _, err := weightedByLatitude(nil, []float64{0, bad}, "lat.npy", d); err == nil ||
			!strings.Contains(err.Error(), "lat: lat.npy: row 1 is") {
			t.Errorf("latitude %v: error %v", bad, err)
		}
	}
}

func TestRadians(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		latitudes []float64
		want      bool
	}{
		{[]float64{-1.5707964, 0, 1.5707964}, true}, // of float32
		{[]float64{0.6, 0.7, 0.8}, true},
		{[]float64{-90, 0, 90}, false}, {[]float64{1, 1.5, 2}, false}, {[]float64{0, 0}, false}, {[]float64{1}, false},
	} {
		if got := radians(c.latitudes); (got != "") != c.want {
			t.Errorf("%v: %q", c.latitudes, got)
		}
	}
}
