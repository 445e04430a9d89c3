// Both spectra at once against one after the other.

package spectrum

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

func TestBothSpectra(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	for _, shape := range [][2]int{{2, 1}, {2, 2}, {2, 9}, {3, 1}, {3, 3}, {4, 3}, {40, 33}, {33, 40}, {70, 70}, {150, 66}, {66, 150}} {
		n, dim := shape[0], shape[1]
		means := map[string]float64{"at the origin": 0, "near": 1, "far": 1e4}
		for _, name := range slices.Sorted(maps.Keys(means)) {
			mean := means[name]
			data := make([]float64, n*dim)
			for i := range data {
				data[i] = mean*float64(i%dim%3-1) + r.NormFloat64()
			}
			if name == "at the origin" {
				// Every point and its opposite, and one that is zero: the mean is zero to the bit.
				for i := range n / 2 {
					for k := range dim {
						data[(n-1-i)*dim+k] = -data[i*dim+k]
					}
				}
				if n%2 == 1 {
					clear(data[n/2*dim:][:dim])
				}
			}
			z := points.Float64(data, dim)
			label := fmt.Sprintf("%d × %d, %s", n, dim, name)
			both, raw, err := WithUncentered(z)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := New(z)
			if err != nil {
				t.Fatal(err)
			}
			nearValues(t, label, both.Eigenvalues, alone.Eigenvalues, 1e-13*alone.Eigenvalues[0])
			want, err := RankMe(z)
			if err != nil {
				t.Fatal(err)
			}
			measuretest.Near(t, label+": RankMe", raw.RankMe, want, 1e-6*want)
		}
	}
	if _, _, err := WithUncentered(points.Float64([]float64{1, 2, 1, 2}, 2)); err == nil {
		t.Error("no error for points that do not vary")
	}
	if _, _, err := WithUncentered(points.Float64([]float64{1, math.NaN(), 1, 2}, 2)); err == nil {
		t.Error("no error for NaN")
	}
}
