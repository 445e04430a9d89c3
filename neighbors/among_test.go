// Distances to the nearest of some points against searches among these.

package neighbors

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/points"
)

func TestDistancesAmong(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	const n, dim = 400, 9
	wide, narrow, bytes := make([]float64, n*dim), make([]float32, n*dim), make([]uint8, n*dim)
	for i := range wide {
		wide[i] = random.NormFloat64()
		narrow[i], bytes[i] = float32(wide[i]), uint8(1+random.IntN(4))
	}
	copy(wide[dim:], wide[:dim]) // a duplicate
	members := random.Perm(n)[:150]
	queries := append([]int{0, 1, 399}, members[:5]...)
	for _, pts := range []points.Points{points.Float64(wide, dim), points.Float32(narrow, dim), points.Uint8(bytes, dim)} {
		for _, metric := range []Metric{Euclidean, Cosine} {
			s, err := NewSpace("points", pts, metric)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []int{1, 3, 150} {
				want, err := s.Select(members).Cross(t.Context(), s.Select(queries), k, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, threads := range []int{1, 3} {
					got, err := s.DistancesAmong(t.Context(), queries, members, k, threads)
					if err != nil || !slices.Equal(got, want.Distance) {
						t.Errorf("%v, %v, %d nearest: other distances than of a search, %v", pts.Type(), metric, k, err)
					}
				}
			}
			ended, end := context.WithCancel(t.Context())
			end()
			if _, err := s.DistancesAmong(ended, queries, members, 1, 1); err != context.Canceled {
				t.Errorf("ended: %v", err)
			}
		}
	}
	s, err := NewSpace("distances", points.Float64([]float64{0, 1, 1, 0}, 2), Precomputed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.DistancesAmong(t.Context(), []int{0}, []int{0, 1}, 1, 1); err != errNoCoordinates {
		t.Errorf("precomputed distances: %v", err)
	}
}
