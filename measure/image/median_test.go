// The median beside that of sorted values.

package image

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"repscope/stat"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]float64{1, 3, 1e6}).Draw(t, "most")
		values := rapid.SliceOfN(rapid.Map(rapid.Float64Range(0, most), math.Round), 1, 60).Draw(t, "values")
		want := stat.Median(values)
		if got := median(slices.Clone(values)); got != want {
			t.Errorf("the median of %v is %v, want %v", values, got, want)
		}
	})
	sorted := make([]float64, 100001)
	for i := range sorted {
		sorted[i] = float64(i)
	}
	if v := median(sorted); v != 50000 {
		t.Errorf("the median of sorted values is %v", v)
	}
	if v := median([]float64{1, math.NaN(), 2}); !math.IsNaN(v) {
		t.Errorf("the median with a NaN is %v", v)
	}
}
