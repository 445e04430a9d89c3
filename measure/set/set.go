// Sets of cells, packed into bits: made from arrays, compared row by row.

package set

import (
	"fmt"
	"math"
	"math/bits"

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

// FromBools returns len(in)/cells sets, row-major: cell c of set i is in[i·cells+c]. A
// length that is no multiple of cells is an error.
func FromBools(in []bool, cells int) (*Sets, error) {
	if cells < 1 || len(in)%cells != 0 {
		return nil, fmt.Errorf("%d values are no sets of %d cells", len(in), cells)
	}
	s := newSets(len(in)/cells, cells)
	for k, v := range in {
		if v {
			s.put(k/cells, k%cells)
		}
	}
	return s, nil
}

// FromMembers returns sets given by their members, in any order and with repetitions,
// which count once. A member outside 0 … cells−1 is an error.
func FromMembers(members [][]int, cells int) (*Sets, error) {
	s := newSets(len(members), cells)
	for i, list := range members {
		for _, c := range list {
			if c < 0 || c >= cells {
				return nil, fmt.Errorf("set %d: cell %d of %d", i, c, cells)
			}
			s.put(i, c)
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

// Has reports whether cell c is in set i.
func (s *Sets) Has(i, c int) bool { return s.bits[i*s.words+c/64]>>(c%64)&1 != 0 }

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

// Range copies the sets restricted to the cells lo … hi−1, which become 0 … hi−lo−1.
func (s *Sets) Range(lo, hi int) *Sets {
	out := newSets(s.N, hi-lo)
	for i := range s.N {
		for c := lo; c < hi; c++ {
			if s.Has(i, c) {
				out.put(i, c-lo)
			}
		}
	}
	return out
}

// Channels divides the cells into channels of equal length that follow each other, as the
// first axis of an array [channels, …] does. A number of cells that channels does not
// divide is an error.
func (s *Sets) Channels(channels int) ([]*Sets, error) {
	if channels < 1 || s.Cells%channels != 0 {
		return nil, fmt.Errorf("%d cells are no %d channels", s.Cells, channels)
	}
	out, each := make([]*Sets, channels), s.Cells/channels
	for c := range out {
		out[c] = s.Range(c*each, (c+1)*each)
	}
	return out, nil
}

// Points are the sets as 0 and 1.
func (s *Sets) Points() points.Points {
	data := make([]uint8, s.N*s.Cells)
	for i := range s.N {
		for c := range s.Cells {
			if s.Has(i, c) {
				data[i*s.Cells+c] = 1
			}
		}
	}
	return points.Uint8(data, s.Cells)
}

// Counts returns how many of the sets hold each cell.
func (s *Sets) Counts() []int {
	out := make([]int, s.Cells)
	for i := range s.N {
		for w, word := range s.row(i) {
			for ; word != 0; word &= word - 1 {
				out[w*64+bits.TrailingZeros64(word)]++
			}
		}
	}
	return out
}

// distance is the number of cells that are in one of two rows alone.
func distance(a, b []uint64) int {
	d := 0
	for k, v := range a {
		d += bits.OnesCount64(v ^ b[k])
	}
	return d
}

// sameCells is an error where the sets are over different numbers of cells.
func sameCells(a, b *Sets) error {
	if a.Cells != b.Cells {
		return fmt.Errorf("sets of %d cells beside sets of %d", a.Cells, b.Cells)
	}
	return nil
}

// Overlap is how many cells two sets share, and how many are in one of them at least.
type Overlap struct{ Intersection, Union int }

// IoU returns Intersection/Union, from 0 to 1; empty where both sets are empty: 1 counts
// them as equal, NaN leaves them out.
func (o Overlap) IoU(empty float64) float64 {
	if o.Union == 0 {
		return empty
	}
	return float64(o.Intersection) / float64(o.Union)
}

// Overlaps compares set i of a with set i of b, for every i. Errors: other numbers of sets
// or of cells.
func Overlaps(a, b *Sets) ([]Overlap, error) {
	if err := sameCells(a, b); err != nil {
		return nil, err
	}
	if a.N != b.N {
		return nil, fmt.Errorf("%d sets beside %d, want as many of each", a.N, b.N)
	}
	out := make([]Overlap, a.N)
	for i := range out {
		d, both := distance(a.row(i), b.row(i)), a.sizes[i]+b.sizes[i]
		out[i] = Overlap{Intersection: (both - d) / 2, Union: (both + d) / 2}
	}
	return out, nil
}
