// Points without duplicates.

package dimension

import (
	"math"
	"slices"
	"testing"

	"repscope/points"
	"repscope/stat"
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

// By hand: of the inner points of a row of a grid, whose nearest neighbor is in the row, all second coordinates are at an
// end of their dimension; continuous points share nothing, and rounded ones what a count over all pairs finds.
func TestSharedCoordinates(t *testing.T) {
	t.Parallel()
	of := func(z []float64, dim int) float64 {
		d, err := NewDistinct(t.Context(), spaceOf(t, points.Float64(z, dim)), 10, Within(0), Search{})
		if err != nil {
			t.Fatal(err)
		}
		return d.SharedCoordinates()
	}
	if got := of([]float64{0, 1, 1, 1, 2.1, 1, 3.3, 1}, 2); got != 0 {
		t.Errorf("a row of a grid: %v", got)
	}
	// Both inner points count with both coordinates; the second one is shared with the nearest neighbor.
	if got := of([]float64{0, 0, 1, 1, 2.1, 1, 9, 9}, 2); got != 0.5 {
		t.Errorf("two points with an equal coordinate: %v, want 0.5", got)
	}
	random := stat.NewRandom(stat.NewKey(3))
	const n, dim = 300, 3
	smooth, rounded := make([]float64, n*dim), make([]float64, n*dim)
	for i := range smooth {
		smooth[i] = random.Normal()
		rounded[i] = math.Round(4*smooth[i]) / 4
	}
	if got := of(smooth, dim); got != 0 {
		t.Errorf("continuous points: %v", got)
	}
	shared, count := 0, 0
	for i := range n {
		best, nearest, again := math.Inf(1), -1, false
		for j := range n {
			square := 0.0
			for k := range dim {
				square += (rounded[i*dim+k] - rounded[j*dim+k]) * (rounded[i*dim+k] - rounded[j*dim+k])
			}
			if again = again || square == 0 && j < i; square > 0 && square < best {
				best, nearest = square, j
			}
		}
		if again {
			continue
		}
		for k := range dim {
			v, least, most := rounded[i*dim+k], math.Inf(1), math.Inf(-1)
			for j := range n {
				least, most = min(least, rounded[j*dim+k]), max(most, rounded[j*dim+k])
			}
			if v > least && v < most {
				if count++; v == rounded[nearest*dim+k] {
					shared++
				}
			}
		}
	}
	if got, want := of(rounded, dim), float64(shared)/float64(count); math.Abs(got-want) > 0.01 { // ties of neighbors
		t.Errorf("rounded points: %v, want %v", got, want)
	}
}
