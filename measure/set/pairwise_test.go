// Pairs: ranges that add up, the ceiling, squares of similarities.

package set

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func TestRangesAddUp(t *testing.T) {
	t.Parallel()
	s := random(t, 300, 70, 0.2, 4)
	all, err := s.Pairwise(t.Context(), 1)
	must(t, err)
	for _, cuts := range [][]int{{0, 300}, {0, 1, 64, 65, 299, 300}, {0, 150, 150, 300}} {
		sum := newPairwise(s)
		for k := range len(cuts) - 1 {
			part, err := s.PairwiseRange(t.Context(), cuts[k], cuts[k+1], 3)
			must(t, err)
			must(t, sum.Add(part))
		}
		if !reflect.DeepEqual(sum, all) {
			t.Errorf("ranges %v do not add up to all pairs", cuts)
		}
	}
	if _, err := s.PairwiseRange(t.Context(), 2, 301, 1); err == nil || err.Error() != "range 2:301 of 300 sets" {
		t.Error(err)
	}
	if err := all.Add(newPairwise(random(t, 3, 70, 0.2, 4))); err == nil {
		t.Error("pairs of other sets were added")
	}
}

func TestEqualAndDisjointSets(t *testing.T) {
	t.Parallel()
	equal, err := fromMembers([][]int{{1, 5, 9}, {1, 5, 9}, {9, 5, 1}, {1, 5, 9}}, 12)
	must(t, err)
	pairs, err := equal.Pairwise(t.Context(), 1)
	must(t, err)
	one, err := pairs.IntDiv(1)
	must(t, err)
	two, err := pairs.IntDiv(2)
	must(t, err)
	if pairs.Hamming.Mean() != 0 || pairs.Hamming.SD() != 0 || pairs.MeanJaccard() != 1 || pairs.SDJaccard() != 0 || one != 0 || two != 0 {
		t.Errorf("equal sets: %+v, IntDiv %v and %v", pairs, one, two)
	}
	disjoint, err := fromMembers([][]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}, 12)
	must(t, err)
	pairs, err = disjoint.Pairwise(t.Context(), 1)
	must(t, err)
	if pairs.Hamming.Mean() != 6 || disjoint.Ceiling() != 6 || pairs.MeanJaccard() != 0 {
		t.Errorf("disjoint sets: %+v, ceiling %v", pairs, disjoint.Ceiling())
	}
	// Thirds are no multiples of 2⁻⁴⁰, and all equal.
	thirds, err := fromMembers([][]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}, 5)
	must(t, err)
	pairs, err = thirds.Pairwise(t.Context(), 1)
	must(t, err)
	if pairs.SDJaccard() != 0 || math.Abs(pairs.MeanJaccard()-1.0/3) > 1e-12 {
		t.Errorf("thirds: %v ± %v", pairs.MeanJaccard(), pairs.SDJaccard())
	}
}

// TestCeiling holds the ceiling against the best of all ways to fill small sets.
func TestCeiling(t *testing.T) {
	t.Parallel()
	const cells = 4
	source := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		n := 2 + source.IntN(3)
		sizes := make([]int, n)
		for i := range sizes {
			sizes[i] = source.IntN(cells + 1)
		}
		best := -1.0
		var fill func(i int, members [][]int)
		fill = func(i int, members [][]int) {
			if i == n {
				s, err := fromMembers(members, cells)
				must(t, err)
				pairs, err := s.Pairwise(t.Context(), 1)
				must(t, err)
				best = max(best, pairs.Hamming.Mean())
				return
			}
			for mask := range 1 << cells {
				var list []int
				for c := range cells {
					if mask>>c&1 != 0 {
						list = append(list, c)
					}
				}
				if len(list) == sizes[i] {
					fill(i+1, append(members[:i:i], list))
				}
			}
		}
		fill(0, nil)
		measuretest.Near(t, "ceiling", Ceiling(sizes, cells), best, 1e-12)
	}
	if !math.IsNaN(Ceiling([]int{3}, 5)) {
		t.Error("one set has a ceiling")
	}
}

func TestSquareOf(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		v := source.Uint64N(similarityUnit + 1)
		x := float64(v) / similarityUnit
		if got := float64(squareOf(v)) / similarityUnit; math.Abs(got-x*x) > 0.6/similarityUnit {
			t.Fatalf("square of %v is %v, want %v", x, got, x*x)
		}
	}
	if squareOf(similarityUnit) != similarityUnit || squareOf(0) != 0 {
		t.Error("squares of 1 and 0")
	}
}

func TestMeansOfFewSets(t *testing.T) {
	t.Parallel()
	s := random(t, 1, 20, 0.5, 5)
	if _, err := s.Means(t.Context(), nil, nil, 1); stat.Reason(err) != "1 set, want at least 2" {
		t.Error(err)
	}
	s = random(t, 4, 20, 0.5, 5)
	blocks, err := stat.NewBlocks(4, []int{0, 0, 0, 1}, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	means, err := s.Means(t.Context(), nil, blocks, 1)
	must(t, err)
	if !math.IsNaN(means.Hamming.Without[0]) || math.IsNaN(means.Hamming.Without[1]) {
		t.Errorf("without %v", means.Hamming.Without)
	}
	if _, err := random(t, 5, 20, 0.5, 5).Means(t.Context(), nil, blocks, 1); err == nil || err.Error() != "blocks of 4 sets for 5 sets" {
		t.Error(err)
	}
}
