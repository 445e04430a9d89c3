// A property: the unit of the points changes no score, whatever it is, or the points are
// refused.

package neighbors_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"repscope/neighbors"
	"repscope/points"
)

func TestMagnitudes(t *testing.T) {
	t.Parallel()
	const n = 70
	x, z := offset(11, n, 8, 1, 0.5), offset(12, n, 4, 1, 0)
	copy(z[4*60:], z[:4*5]) // ties
	permutation, episode, block := make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		permutation[i], episode[i], block[i] = (i+7)%n, i/35, i/10
	}
	scaled := func(v []float64, e int) []float64 {
		out := make([]float64, len(v))
		for i := range v {
			out[i] = math.Ldexp(v[i], e)
		}
		return out
	}
	type scores struct{ all any }
	for _, ties := range []neighbors.Ties{neighbors.TiesAverage, neighbors.TiesIndex} {
		for _, window := range []int{0, 2} {
			compare := func(original, embedded points.Points) (scores, error) {
				pass, err := neighbors.NewPass(original, []points.Points{embedded}, neighbors.Options{Ks: []int{3, 5}, Ties: ties, ExcludeWindow: window,
					Episode: episode, Blocks: block, Permutations: [][]int{permutation}, CoRanking: neighbors.CoRankingFull})
				if err != nil {
					return scores{}, err
				}
				part, err := pass.Map(t.Context(), 0, n)
				if err != nil {
					return scores{}, err
				}
				matches, err := pass.Merge(part)
				if err != nil {
					return scores{}, err
				}
				nearest, err := neighbors.KNearest(t.Context(), embedded, 5, neighbors.Options{})
				if err != nil {
					return scores{}, err
				}
				matches[0].Original.Redecided, matches[0].Embedded.Redecided = 0, 0
				return scores{[]any{matches, nearest.Index}}, nil
			}
			for _, single := range []bool{false, true} {
				make := func(v []float64, dim, e int) points.Points {
					if single {
						return points.Float32(float32s(scaled(v, e)), dim)
					}
					return points.Float64(scaled(v, e), dim)
				}
				want, err := compare(make(x, 8, 0), make(z, 4, 0))
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range []int{-600, -460, -440, -110, -60, 60, 78, 100, 120, 480, 600} {
					if single && (e < -120 || e > 120) {
						continue
					}
					for _, p := range [][2]points.Points{{make(x, 8, e), make(z, 4, 0)}, {make(x, 8, 0), make(z, 4, e)}} {
						got, err := compare(p[0], p[1])
						switch {
						case e < -450 || e > 500:
							if err == nil || !strings.Contains(err.Error(), "squared distances ") {
								t.Errorf("times 2^%d: %v", e, err)
							}
						case err != nil:
							t.Errorf("times 2^%d: %v", e, err)
						case !reflect.DeepEqual(got, want):
							t.Errorf("times 2^%d, single %v, ties %v, window %d: scores are others", e, single, ties, window)
						}
					}
				}
			}
		}
	}
}
