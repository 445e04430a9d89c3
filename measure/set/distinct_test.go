// Classes of equal sets, rarefaction, deletions.

package set

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/stat"
)

func TestDistinct(t *testing.T) {
	t.Parallel()
	s, err := fromMembers([][]int{{1, 65}, {2}, {65, 1}, {}, {2}, {1, 65}}, 70)
	must(t, err)
	d := s.Distinct()
	if !slices.Equal(d.Class, []int{0, 1, 0, 2, 1, 0}) || !slices.Equal(d.Sizes, []int{3, 2, 1}) || d.Ratio() != 0.5 {
		t.Errorf("%+v", d)
	}
	if !slices.Equal(d.First(), []bool{true, true, false, true, false, false}) {
		t.Errorf("first %v", d.First())
	}
	for _, k := range []int{0, 7} {
		if _, err := d.At(k); err == nil {
			t.Errorf("unique@%d of 6", k)
		}
	}
}

// TestRarefactionOfDraws holds the expected number of distinct sets against draws.
func TestRarefactionOfDraws(t *testing.T) {
	t.Parallel()
	d := Distinct{Class: make([]int, 60)}
	for class, size := range []int{20, 15, 10, 5, 4, 3, 2, 1} {
		for range size {
			d.Class[len(d.Class)-1-sumSizes(d.Sizes)] = class
			if class == len(d.Sizes) {
				d.Sizes = append(d.Sizes, 0)
			}
			d.Sizes[class]++
		}
	}
	source := rand.New(rand.NewPCG(7, 1))
	for _, k := range []int{1, 5, 20} {
		want, err := d.At(k)
		must(t, err)
		const draws = 4000
		sum := 0
		for range draws {
			seen := map[int]bool{}
			for _, i := range source.Perm(60)[:k] {
				seen[d.Class[i]] = true
			}
			sum += len(seen)
		}
		measuretest.Near(t, "unique at k", float64(sum)/draws/float64(k), want, 0.015)
	}
}

func sumSizes(sizes []int) (n int) {
	for _, size := range sizes {
		n += size
	}
	return n
}

func TestDistinctWithout(t *testing.T) {
	t.Parallel()
	s := random(t, 40, 4, 0.5, 9) // 16 sets at most
	labels := make([]int, 40)
	for i := range labels {
		labels[i] = i % 6
	}
	blocks, err := stat.NewBlocks(40, labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	must(t, err)
	d := s.Distinct()
	ratios, err := d.RatioWithout(blocks)
	must(t, err)
	at, err := d.AtWithout(blocks, 34)
	must(t, err)
	for b := range ratios {
		var left []int
		for i, label := range labels {
			if label != b {
				left = append(left, i)
			}
		}
		rest := s.Select(left).Distinct()
		measuretest.Near(t, "ratio without a block", ratios[b], rest.Ratio(), 1e-15)
		if len(left) < 34 {
			if !math.IsNaN(at[b]) {
				t.Errorf("unique@34 of %d is %v", len(left), at[b])
			}
			continue
		}
		want, err := rest.At(34)
		must(t, err)
		measuretest.Near(t, "unique@34 without a block", at[b], want, 1e-13)
	}
	if _, err := s.Select([]int{1}).Distinct().RatioWithout(blocks); err == nil {
		t.Error("blocks of other sets")
	}
}

// TestUniquenessCoverage: the jackknife's interval of the share of distinct sets holds the
// expected share about as often as it says, for draws that repeat often.
func TestUniquenessCoverage(t *testing.T) {
	t.Parallel()
	const runs, n, classes = 400, 120, 150
	source := rand.New(rand.NewPCG(7, 2))
	expected := 0.0
	chance := make([]float64, classes) // Zipf
	total := 0.0
	for c := range chance {
		chance[c] = 1 / float64(c+3)
		total += chance[c]
	}
	for _, p := range chance {
		expected += (1 - math.Pow(1-p/total, n)) / n
	}
	held := 0
	blocks, err := stat.NewBlocks(n, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1})
	must(t, err)
	for range runs {
		members := make([][]int, n)
		for i := range members {
			u, c := source.Float64()*total, 0
			for u > chance[c] && c < classes-1 {
				u -= chance[c]
				c++
			}
			members[i] = []int{c}
		}
		s, err := fromMembers(members, classes)
		must(t, err)
		d := s.Distinct()
		without, err := d.RatioWithout(blocks)
		must(t, err)
		j, err := blocks.Jackknife(d.Ratio(), without, nil)
		must(t, err)
		if j.Interval.Low <= expected && expected <= j.Interval.High {
			held++
		}
	}
	if share := float64(held) / runs; share < 0.93 {
		t.Errorf("the interval holds the expected share in %v of draws", share)
	} else {
		t.Logf("the interval holds in %v of draws", share)
	}
}
