// The element at a place of an order, by which points are far out.

package rows

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPlacedInLongLists(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 7, 300, 5000} {
		values := make([]float64, n)
		cases := map[string]func(i int) float64{
			"random": func(int) float64 { return random.NormFloat64() }, "ascending": func(i int) float64 { return float64(i) },
			"descending": func(i int) float64 { return float64(-i) }, "ties": func(int) float64 { return float64(random.IntN(5)) },
		}
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			fill := cases[name]
			for i := range values {
				values[i] = fill(i)
			}
			original, sorted := slices.Clone(values), slices.Sorted(slices.Values(values))
			for _, count := range []int{1, 2, 2 + n/500, n/2 + 1, n} {
				place := n - min(count, n)
				if got := placed(slices.Clone(values), place); got != sorted[place] || !slices.Equal(values, original) {
					t.Errorf("%s, place %d of %d: %v, want %v", name, place, n, got, sorted[place])
				}
			}
		}
	}
}
