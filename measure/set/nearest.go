// Sets against a reference: the nearest one, whether it is the same, and what is valid,
// unique and new at once.

package set

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/parallel"
	"repscope/stat"
)

// Nearest is of every set its nearest in a reference. Of equally near ones it is the
// first.
type Nearest struct {
	// Hamming is the smallest distance in cells, HammingIndex to whom.
	Hamming, HammingIndex []int
	// Jaccard is the largest Jaccard similarity, 1 for two empty sets, JaccardIndex to
	// whom.
	Jaccard      []float64
	JaccardIndex []int
}

// Nearest finds for every set the nearest of the reference. threads ≤ 0 means all;
// results do not depend on it. An empty reference is a [stat.UndefinedError]; sets over
// another number of cells are an error.
func (s *Sets) Nearest(ctx context.Context, reference *Sets, threads int) (*Nearest, error) {
	if err := sameCells(s, reference); err != nil {
		return nil, err
	}
	if reference.N == 0 {
		return nil, stat.Undefined("nearest set", "the reference is empty")
	}
	out := &Nearest{
		Hamming: make([]int, s.N), HammingIndex: make([]int, s.N),
		Jaccard: make([]float64, s.N), JaccardIndex: make([]int, s.N),
	}
	buffers := make([][]uint32, parallel.Workers(threads, s.N))
	err := parallel.For(ctx, threads, s.N, func(worker, i int) {
		if buffers[worker] == nil {
			buffers[worker] = make([]uint32, reference.N)
		}
		reference.distances(buffers[worker], s.row(i), 0)
		out.Hamming[i], out.HammingIndex[i], out.Jaccard[i], out.JaccardIndex[i] = nearest(s.sizes[i], reference.sizes, buffers[worker])
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// nearest is the least distance and the largest similarity of a set of a size to others of
// sizes at the distances given, and to whom.
func nearest(own int, sizes []int, distances []uint32) (hamming, hammingIndex int, jaccard float64, jaccardIndex int) {
	hamming = math.MaxInt
	best := Overlap{Intersection: -1, Union: 1}
	for j, v := range distances {
		d, both := int(v), own+sizes[j]
		if d < hamming {
			hamming, hammingIndex = d, j
		}
		o := Overlap{Intersection: (both - d) / 2, Union: (both + d) / 2}
		if o.Union == 0 {
			o = Overlap{1, 1}
		}
		if o.Intersection*best.Union > best.Intersection*o.Union {
			best, jaccardIndex = o, j
		}
	}
	return hamming, hammingIndex, best.IoU(1), jaccardIndex
}

// Novel reports of every set whether the reference does not hold it.
func (n *Nearest) Novel() []bool {
	out := make([]bool, len(n.Hamming))
	for i, d := range n.Hamming {
		out[i] = d > 0
	}
	return out
}

// Novelty returns the share of sets that the reference does not hold; NaN for no sets.
func (n *Nearest) Novelty() float64 {
	novel := 0
	for _, d := range n.Hamming {
		if d > 0 {
			novel++
		}
	}
	return float64(novel) / float64(len(n.Hamming))
}

// MeanJaccard returns the mean Jaccard similarity to the nearest set of the reference: the
// SNN of MOSES, from 0 to 1; NaN for no sets.
func (n *Nearest) MeanJaccard() float64 { return stat.Mean(n.Jaccard) }

// Joint counts sets that are valid, unique and new, alone and at once. Unique are as many as
// there are classes of equal sets among those that are counted: ValidUnique are the distinct
// ones of the valid.
type Joint struct {
	N                                            int
	Valid, Unique, Novel                         int
	ValidUnique, ValidNovel, UniqueNovel         int
	ValidUniqueNovel                             int
	ValidInterval, UniqueInterval, NovelInterval stat.Interval
	ValidUniqueNovelInterval                     stat.Interval
}

// JointOf counts sets of which valid, novel and distinct say each; nil valid or novel
// hold for all. The intervals are Wilson's at 95 % for shares of N independent sets, as if
// what is unique did not depend on the others. Errors: other lengths, no sets.
func JointOf(valid, novel []bool, distinct Distinct) (Joint, error) {
	j := Joint{N: len(distinct.Class)}
	if j.N == 0 {
		return j, stat.Undefined("valid, unique and novel", "no sets")
	}
	if (valid != nil && len(valid) != j.N) || (novel != nil && len(novel) != j.N) {
		return j, fmt.Errorf("%d validities and %d novelties of %d sets", len(valid), len(novel), j.N)
	}
	count := func(holds func(v, n bool) bool) (all, unique int) {
		seen := make([]bool, len(distinct.Sizes))
		for i, class := range distinct.Class {
			if !holds(valid == nil || valid[i], novel == nil || novel[i]) {
				continue
			}
			all++
			if !seen[class] {
				seen[class] = true
				unique++
			}
		}
		return all, unique
	}
	_, j.Unique = count(func(_, _ bool) bool { return true })
	j.Valid, j.ValidUnique = count(func(v, _ bool) bool { return v })
	j.Novel, j.UniqueNovel = count(func(_, n bool) bool { return n })
	j.ValidNovel, j.ValidUniqueNovel = count(func(v, n bool) bool { return v && n })
	for _, c := range []struct {
		hits int
		to   *stat.Interval
	}{
		{j.Valid, &j.ValidInterval},
		{j.Unique, &j.UniqueInterval},
		{j.Novel, &j.NovelInterval},
		{j.ValidUniqueNovel, &j.ValidUniqueNovelInterval},
	} {
		var err error
		if *c.to, err = stat.Wilson(float64(c.hits), float64(j.N), 0); err != nil {
			return j, err
		}
	}
	return j, nil
}
