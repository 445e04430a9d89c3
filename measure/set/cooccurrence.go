// Pairs of cells that are in the same set: how their frequencies differ between two
// collections.

package set

import (
	"context"
	"math"
	"math/bits"

	"repscope/internal/parallel"
	"repscope/stat"
)

// CoOccurrence compares how often pairs of different cells are in the same set, f(c, d) as
// a share of the sets of a collection.
type CoOccurrence struct {
	// TotalVariation is ½·Σ |P − Q| over pairs of cells, P and Q being f divided by its
	// sum: of a random pair of cells that occur together in the one and in the other
	// collection; from 0 to 1, 1 where no pair of cells occurs in both. Few sets make
	// it large for want of data: compare it with the value of two samples of the same
	// collection.
	TotalVariation float64
	// MeanAbsolute is the mean of |f − g| over the pairs of cells that occur together in
	// either collection, and Pairs is their number.
	MeanAbsolute float64
	Pairs        int
	// Correlation is the correlation of f and g over these pairs (Pearson); NaN where one is
	// constant.
	Correlation float64
}

// CompareCoOccurrence compares the pairs of cells of two collections. Time is Cells²/2
// times the words of a bit per set, memory a bit per set and cell. Collections without
// any pair of cells are a [stat.UndefinedError]; others over another number of cells are
// an error. threads ≤ 0 means all; results do not depend on it.
func CompareCoOccurrence(ctx context.Context, a, b *Sets, threads int) (*CoOccurrence, error) {
	if err := sameCells(a, b); err != nil {
		return nil, err
	}
	totals := [2]float64{pairTotal(a), pairTotal(b)}
	if totals[0] == 0 || totals[1] == 0 {
		return nil, stat.Undefined("co-occurrence", "no set contains two cells")
	}
	left, right := a.transposed(), b.transposed()
	rows := make([]coSums, a.Cells)
	err := parallel.For(ctx, threads, a.Cells, func(_, c int) {
		for d := c + 1; d < a.Cells; d++ {
			x, y := both(left.row(c), left.row(d)), both(right.row(c), right.row(d))
			if x+y > 0 {
				rows[c].add(float64(x), float64(y), float64(a.N), float64(b.N), totals)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var s coSums
	for _, r := range rows {
		s.pairs += r.pairs
		s.variation += r.variation
		s.absolute += r.absolute
		s.f, s.g, s.ff, s.gg, s.fg = s.f+r.f, s.g+r.g, s.ff+r.ff, s.gg+r.gg, s.fg+r.fg
	}
	n := float64(s.pairs)
	correlation := math.NaN()
	if v, w := n*s.ff-s.f*s.f, n*s.gg-s.g*s.g; v > 0 && w > 0 {
		correlation = (n*s.fg - s.f*s.g) / math.Sqrt(v*w)
	}
	return &CoOccurrence{
		TotalVariation: s.variation / 2, MeanAbsolute: s.absolute / n, Pairs: s.pairs, Correlation: correlation,
	}, nil
}

// coSums adds up pairs of cells.
type coSums struct {
	pairs               int
	variation, absolute float64
	f, g, ff, gg, fg    float64
}

func (s *coSums) add(x, y, n, m float64, totals [2]float64) {
	f, g := x/n, y/m
	s.pairs++
	s.variation += math.Abs(x/totals[0] - y/totals[1])
	s.absolute += math.Abs(f - g)
	s.f, s.g = s.f+f, s.g+g
	s.ff += float64(f * f)
	s.gg += float64(g * g)
	s.fg += float64(f * g)
}

// pairTotal is the number of pairs of cells of all sets.
func pairTotal(s *Sets) (total float64) {
	for _, size := range s.sizes {
		total += float64(size) * float64(size-1) / 2
	}
	return total
}

// transposed has a set for every cell: of the sets that hold it.
func (s *Sets) transposed() *Sets {
	out := newSets(s.Cells, s.N)
	for i := range s.N {
		for w, word := range s.row(i) {
			for ; word != 0; word &= word - 1 {
				out.put(w*64+bits.TrailingZeros64(word), i)
			}
		}
	}
	return out
}

// both is the number of bits that two rows share.
func both(a, b []uint64) (n int) {
	for k, v := range a {
		n += bits.OnesCount64(v & b[k])
	}
	return n
}
