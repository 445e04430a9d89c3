// Tests of the search for the neighbors of the first points alone.

package neighbors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/points"
)

// The lists of the first points are those of a search for all, in every type and for every window.
func TestKNearestOfFirst(t *testing.T) {
	t.Parallel()
	const n, count = 700, 90
	r := rand.New(rand.NewPCG(3, 4))
	for _, dim := range []int{2, 40, 300} {
		bytes, floats, doubles := make([]uint8, n*dim), make([]float32, n*dim), make([]float64, n*dim)
		for i := range bytes {
			bytes[i], floats[i], doubles[i] = uint8(r.IntN(4)), float32(r.NormFloat64()), r.NormFloat64()
		}
		copy(bytes[dim:2*dim], bytes[300*dim:301*dim])
		copy(floats[5*dim:6*dim], floats[:dim])
		episode := make([]int, n)
		for i := range episode {
			episode[i] = i / 35
		}
		for _, p := range []points.Points{points.Uint8(bytes, dim), points.Float32(floats, dim), points.Float64(doubles, dim)} {
			for _, window := range []int{0, 34} {
				t.Run(fmt.Sprintf("%s %d, window %d", p.Type(), dim, window), func(t *testing.T) {
					s, err := NewSpace("points", p, Euclidean)
					if err != nil {
						t.Fatal(err)
					}
					o := Options{ExcludeWindow: window, Episode: episode}
					all, err := s.KNearest(t.Context(), 3, o)
					if err != nil {
						t.Fatal(err)
					}
					first, err := s.KNearestOfFirst(t.Context(), count, 3, o)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(first.Index, all.Index[:3*count]) || !slices.Equal(first.Distance, all.Distance[:3*count]) {
						t.Errorf("other lists: %v, want %v", first.Index[:9], all.Index[:9])
					}
				})
			}
		}
	}
}
