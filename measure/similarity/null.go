// Scores of spaces whose points are given to other points: what similarity is when nothing but the
// memory of the points is shared.

package similarity

import (
	"context"
	"errors"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
)

// Scores are the similarities of two spaces; see [Similarity] and [RankCorrelation]. RSABetween is RSA over the
// pairs of points in different blocks. NaN where one is undefined.
type Scores struct {
	CKA, CKADebiased, CKABetween, Procrustes, RSA, RSABetween float64
}

// Between are the pairs whose points lie in different blocks of the space: all of them without blocks.
func (p *Pairs) Between(s *Space) *Pairs {
	if s.block == nil {
		return p
	}
	out := &Pairs{n: p.n, all: p.all}
	for i, a := range p.a {
		if b := p.b[i]; s.block[a] != s.block[b] {
			out.a, out.b = append(out.a, a), append(out.b, b)
		}
	}
	out.of = int64(len(out.a))
	if !p.all {
		n := int64(s.x.N)
		out.of = n * n
		for b := 1; b < len(s.start); b++ {
			size := int64(s.start[b] - s.start[b-1])
			out.of -= size * size
		}
		out.of /= 2
	}
	return out
}

// given is the space in which point i is point order[i], which may occur more than once.
func (s *Space) given(order []int) (*Space, error) {
	out := &Space{
		x: matrix.New(s.x.N, s.x.Dim), place: s.place, blocks: s.blocks, block: s.block, start: s.start, plain: true,
	}
	for i, from := range order {
		row := i
		if s.place != nil {
			row = s.place[i]
		}
		copy(out.x.Row(row), s.point(int32(from)))
	}
	mean := out.x.Mean()
	for i := range out.x.N {
		matrix.Axpy(out.x.Row(i), -1, mean)
	}
	out.addUp()
	own, err := between(out, out, false)
	out.own = own
	return out, err
}

// values are the space without its deletions.
func (s *Space) values() *Space {
	out := *s
	out.plain = true
	return &out
}

// Shuffled returns the scores of the pairs of spaces in couples, each by two indices into spaces: observed as the
// points are, and shuffled[o][c] where point i of the second space of couple c is point orders[o][i]. RSA is over the
// pairs. The Procrustes distance is NaN above [ProcrustesBlockDimension] dimensions of the smaller space.
// Errors: orders and pairs of another number of points, different blocks, the error of ctx. threads ≤ 0 means
// all; each thread holds one space more. Results do not depend on it.
func Shuffled(ctx context.Context, spaces []*Space, couples [][2]int, orders [][]int, pairs *Pairs, threads int,
) (observed []Scores, shuffled [][]Scores, err error) {
	n := &null{
		spaces: make([]*Space, len(spaces)), couples: couples, pairs: pairs, ranks: make([][2]ranked, len(spaces)),
	}
	for m, s := range spaces {
		if s.x.N != pairs.n || !slices.Equal(s.block, spaces[0].block) {
			return nil, nil, errors.New("similarity: the spaces have different points or blocks")
		}
		n.spaces[m] = s.values()
	}
	for _, order := range orders {
		if len(order) != pairs.n {
			return nil, nil, errors.New("similarity: an order has another number of points than the spaces")
		}
	}
	if len(spaces) == 0 {
		return nil, nil, nil
	}
	n.apart = pairs.Between(spaces[0])
	if err := parallel.For(ctx, threads, len(spaces), func(_, m int) { n.ranks[m] = n.rank(n.spaces[m]) }); err != nil {
		return nil, nil, err
	}
	if observed, err = n.scores(nil); err != nil {
		return nil, nil, err
	}
	shuffled = make([][]Scores, len(orders))
	err = parallel.Try(ctx, threads, len(orders), func(_, o int) (err error) {
		shuffled[o], err = n.scores(orders[o])
		return err
	})
	return observed, shuffled, err
}

// null is what all orders share.
type null struct {
	spaces  []*Space
	couples [][2]int
	pairs   *Pairs
	apart   *Pairs // those between blocks
	ranks   [][2]ranked
}

func (n *null) rank(s *Space) [2]ranked {
	out := [2]ranked{rankDistances(s, n.pairs)}
	if n.apart == n.pairs {
		out[1] = out[0]
	} else {
		out[1] = rankDistances(s, n.apart)
	}
	return out
}

// scores returns the scores of all couples under an order, nil for none.
func (n *null) scores(order []int) ([]Scores, error) {
	second := map[int]*Space{}
	ranks := map[int][2]ranked{}
	out := make([]Scores, len(n.couples))
	for c, couple := range n.couples {
		b := couple[1]
		if second[b] == nil {
			second[b], ranks[b] = n.spaces[b], n.ranks[b]
			if order != nil {
				var err error
				if second[b], err = n.spaces[b].given(order); err != nil {
					return nil, err
				}
				ranks[b] = n.rank(second[b])
			}
		}
		var err error
		if out[c], err = scoresOf(n.spaces[couple[0]], second[b], n.ranks[couple[0]], ranks[b]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func scoresOf(x, y *Space, ofX, ofY [2]ranked) (Scores, error) {
	none := math.NaN()
	s := Scores{none, none, none, none, none, none}
	if !x.Varies() || !y.Varies() || x.x.N < 4 {
		return s, nil
	}
	xy, err := between(x, y, min(x.x.Dim, y.x.Dim) <= ProcrustesBlockDimension)
	if err != nil {
		return s, err
	}
	s.CKA = alignment(xy.biased[0], x.own.biased[0], y.own.biased[0])
	s.CKADebiased = alignment(xy.unbiased[0], x.own.unbiased[0], y.own.unbiased[0])
	s.CKABetween = alignment(xy.between[0], x.own.between[0], y.own.between[0])
	s.Procrustes = procrustes(xy.nuclear[0], x.total, y.total)
	for k, to := range []*float64{&s.RSA, &s.RSABetween} {
		if a, b := ofX[k].rank, ofY[k].rank; a != nil && b != nil {
			*to = correlation(a, b, nil, len(a))
		}
	}
	return s, nil
}
