// Tests that separately computed embedded spaces, merged, equal one pass.

package neighbors

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"repscope/points"
)

// Any division of the embedded spaces among passes gives the part of one, in every field: also the redecided
// comparisons, most of them for shared lists.
func TestTogether(t *testing.T) {
	t.Parallel()
	r := random(4)
	const n = 150
	blocks := make([]int, n)
	for i := range n {
		blocks[i] = i / 15
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	embedded := []points.Points{gaussian32(r, n, 16), nearlyEqual32(r, n, 20), gaussian64(r, n, 30), nearlyEqual32(r, n, 30)}
	original := nearlyEqual32(r, n, 70)
	for name, o := range map[string]Options{
		"blocks":         {Blocks: blocks, PerPoint: true, CoRanking: CoRankingOff},
		"curves":         {CoRanking: CoRankingFull},
		"curves, index":  {CoRanking: CoRankingFull, Ties: TiesIndex},
		"permutations":   {Permutations: [][]int{order}, CoRanking: CoRankingOff, Blocks: blocks},
		"all":            {Permutations: [][]int{order}, CoRanking: CoRankingFull, PerPoint: true, ExcludeWindow: 3},
		"index, windows": {Ties: TiesIndex, ExcludeWindow: 2, CoRanking: CoRankingOff, Permutations: [][]int{order}},
	} {
		o.Ks = []int{10, 3}
		pass, err := NewPass(original, embedded, o)
		if err != nil {
			t.Fatal(err)
		}
		if !pass.Separable() || pass.OnGPU() {
			t.Errorf("%s: it is not separable, or on a GPU", name)
		}
		for _, rows := range [][2]int{{0, n}, {40, 97}} {
			want, err := pass.Map(t.Context(), rows[0], rows[1])
			if err != nil {
				t.Fatal(err)
			}
			if want.Original.Redecided == 0 || want.Spaces[0].OriginalRedecided == 0 || want.Spaces[1].EmbeddedRedecided == 0 {
				t.Errorf("%s: the data should need direct decisions", name)
			}
			spaces := make([]*Alone, len(embedded))
			for _, some := range [][]int{{3, 1}, {0}, {2}} {
				part, err := pass.Of(some...).Map(t.Context(), rows[0], rows[1])
				if err != nil {
					t.Fatal(err)
				}
				for e, one := range part.Separate() {
					if id, err := pass.Identity(t.Context()); err != nil || len(some) == 1 && part.Pass.difference(new(id.Of(some[e]))) != "" {
						t.Errorf("%s: the identity of space %d (%v)", name, some[e], err)
					}
					spaces[some[e]] = one
				}
			}
			got, err := pass.Together(t.Context(), rows[0], rows[1], spaces)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, points %v: other parts together than in one pass", name, rows)
			}
			other := *spaces[2]
			other.Original.Method += "?"
			if _, err := pass.Together(t.Context(), rows[0], rows[1], []*Alone{spaces[0], spaces[1], &other, spaces[3]}); !errors.Is(err, ErrOriginals) {
				t.Errorf("%s: another original: %v", name, err)
			}
			if _, err := pass.Together(t.Context(), rows[0], rows[1], spaces[:3]); err == nil {
				t.Errorf("%s: a space is missing: no error", name)
			}
		}
	}
}
