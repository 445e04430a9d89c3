// The scored data: an ensemble and the truth.

package ensemble

import (
	"fmt"
	"math"
)

// Float is the type of a cell.
type Float interface{ float32 | float64 }

// Sample is the forecast of one case: an ensemble of S members and the truth, over the same
// cells, which may have weights. It refers to the arrays it was made of.
type Sample[T Float] struct {
	truth   []T
	members []T // member s has its cells at members[s·stride:]
	stride  int
	count   int
	weights []float64 // nil: all 1
}

// NewSample returns the sample of members [S][len(truth)], one after the other. Errors: no
// cells, no member, a part of one.
func NewSample[T Float](truth, members []T) (Sample[T], error) {
	if len(truth) == 0 {
		return Sample[T]{}, fmt.Errorf("the forecast has no cells")
	}
	if len(members) == 0 || len(members)%len(truth) != 0 {
		return Sample[T]{}, fmt.Errorf("forecast with %d values for a truth with %d: want a multiple, one field "+
			"per member", len(members), len(truth))
	}
	return Sample[T]{truth: truth, members: members, stride: len(truth), count: len(members) / len(truth)}, nil
}

// Weighted returns the sample with a weight of each cell, such as the cosine of its latitude
// or, for a mask, 0 and 1; nil means equal weights. The scale of the weights changes no
// score. A cell of weight 0 is left out, whatever it holds. Errors: another number of
// weights than of cells, a negative one, NaN, Inf, all 0.
func (s Sample[T]) Weighted(weights []float64) (Sample[T], error) {
	if weights == nil {
		s.weights = nil
		return s, nil
	}
	if len(weights) != len(s.truth) {
		return s, fmt.Errorf("%d weights for %d cells", len(weights), len(s.truth))
	}
	sum := 0.0
	for c, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return s, fmt.Errorf("weight %g of cell %d: want a nonnegative number", w, c)
		}
		sum += w
	}
	if sum == 0 {
		return s, fmt.Errorf("no cell has weight")
	}
	s.weights = weights
	return s, nil
}

// Range returns cells lo … hi−1 of the sample, with their weights: the cells of one variable, say.
// It is empty, and its scores undefined, where lo and hi do not say cells.
func (s Sample[T]) Range(lo, hi int) Sample[T] {
	if lo < 0 || hi > len(s.truth) || lo >= hi {
		return Sample[T]{count: s.count}
	}
	s.truth, s.members = s.truth[lo:hi], s.members[lo:]
	if s.weights != nil {
		s.weights = s.weights[lo:hi]
	}
	return s
}

// Members is the number S of members.
func (s Sample[T]) Members() int { return s.count }

// Cells is the number of cells.
func (s Sample[T]) Cells() int { return len(s.truth) }

// member is the cells of a member.
func (s Sample[T]) member(k int) []T { return s.members[k*s.stride:][:len(s.truth)] }

// weight is the weight of a cell.
func (s Sample[T]) weight(c int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[c]
}

// Grid is the shape of the cells of a sample: Variables fields of Height × Width, one after
// the other.
type Grid struct {
	Variables, Height, Width int
	// Wrap says that the columns go round: the last is next to the first, as the longitudes of a
	// whole circle are.
	Wrap bool
}

// Cells is the number of cells.
func (g Grid) Cells() int { return g.Variables * g.Height * g.Width }

func (g Grid) String() string { return fmt.Sprintf("%d × %d × %d", g.Variables, g.Height, g.Width) }

func (g Grid) check(cells int) error {
	if g.Variables < 1 || g.Height < 1 || g.Width < 1 || g.Cells() != cells {
		return fmt.Errorf("grid of %v cells for a sample of %d", g, cells)
	}
	return nil
}
