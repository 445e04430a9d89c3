// Sets of cells, packed into bits: made from arrays, compared row by row.

package set

import (
	"fmt"
	"math"

	"repscope/points"
)

// Sets are N subsets of the cells 0 … Cells−1. They are immutable.
type Sets struct {
	N, Cells int
	words    int      // per set
	bits     []uint64 // row-major; bits beyond Cells are 0
	sizes    []int
}

func newSets(n, cells int) *Sets {
	words := (cells + 63) / 64
	return &Sets{N: n, Cells: cells, words: words, bits: make([]uint64, n*words), sizes: make([]int, n)}
}

// FromPoints returns the sets whose cells are the coordinates that exceed threshold. NaN
// is an error with its place.
func FromPoints(p points.Points, threshold float64) (*Sets, error) {
	s := newSets(p.N, p.Dim)
	row := make([]float64, p.Dim)
	for i := range p.N {
		for c, v := range p.Row(i, row) {
			if math.IsNaN(v) {
				return nil, fmt.Errorf("set %d: cell %d is NaN", i, c)
			}
			if v > threshold {
				s.put(i, c)
			}
		}
	}
	return s, nil
}

// put adds cell c to set i while the sets are made.
func (s *Sets) put(i, c int) {
	word, bit := &s.bits[i*s.words+c/64], uint64(1)<<(c%64)
	if *word&bit == 0 {
		*word |= bit
		s.sizes[i]++
	}
}

func (s *Sets) row(i int) []uint64 { return s.bits[i*s.words : (i+1)*s.words : (i+1)*s.words] }

// Size returns the number of cells in set i.
func (s *Sets) Size(i int) int { return s.sizes[i] }

// Select copies the sets with the given indices, in that order.
func (s *Sets) Select(index []int) *Sets {
	out := newSets(len(index), s.Cells)
	for r, i := range index {
		copy(out.row(r), s.row(i))
		out.sizes[r] = s.sizes[i]
	}
	return out
}

// sameCells is an error where the sets are over different numbers of cells.
func sameCells(a, b *Sets) error {
	if a.Cells != b.Cells {
		return fmt.Errorf("sets of %d and of %d cells, want equal numbers", a.Cells, b.Cells)
	}
	return nil
}

// overlap is how many cells two sets share, and how many are in one of them at least.
type overlap struct{ Intersection, Union int }

// IoU returns Intersection/Union, from 0 to 1; empty where both sets are empty: 1 counts
// them as equal, NaN leaves them out.
func (o overlap) IoU(empty float64) float64 {
	if o.Union == 0 {
		return empty
	}
	return float64(o.Intersection) / float64(o.Union)
}
