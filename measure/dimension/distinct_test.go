// Points without duplicates.

package dimension

import (
	"repscope/points"
	"repscope/stat"
	"slices"
	"testing"
)

func TestDuplicatesAreRemoved(t *testing.T) {
	t.Parallel()
	// The third is within the tolerance of the first, the fifth of the fourth.
	z := points.Float64([]float64{0, 1, 1e-9, 4, 4, 9}, 1)
	d, err := NewDistinct(t.Context(), spaceOf(t, z), 10, Within(1e-8), Search{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Index, []int{0, 1, 3, 5}) || d.Duplicates != 2 || d.Nearest.K != 3 || d.Recall != nil {
		t.Errorf("kept %v of %d neighbors, %d duplicates", d.Index, d.Nearest.K, d.Duplicates)
	}
	if want := []float64{4, 3, 4.0 / 3, 8.0 / 5}; !slices.Equal(d.Ratios(1, 2), want) {
		t.Errorf("ratios %v, want %v", d.Ratios(1, 2), want)
	}
	_, err = NewDistinct(t.Context(), spaceOf(t, z), 2, Within(5), Search{})
	if stat.Reason(err) != "2 of 6 latents are distinct, want at least 3" {
		t.Errorf("two distinct points: %v", err)
	}
}
