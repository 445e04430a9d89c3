// Which texts of two designs belong together.

package textblock

import (
	"context"
	"math"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/measure/box"
)

const (
	// mostTextPairs bounds the pairs of texts of two designs, and the product of their letters, that are compared: a
	// few seconds of work.
	mostTextPairs   = 1 << 23
	mostLetterPairs = 1 << 36
	// mostBlockLetters is mostLetterPairs of matching blocks, which take a step for a pair of equal letters.
	mostBlockLetters = 1 << 31
	// Of several equally similar texts the nearest box is taken, then the one of nearest rank: a design compared with
	// itself has each text matched with itself. The weights are too small to outweigh another letter of most texts.
	nearness, ranks = 1e-6, 1e-9
)

// match finds the pairs whose similarities have the largest sum, where texts of less than leastSimilarity are
// no pair; then siblings that are one text of the other design are joined, and pairs are found again.
func (t *Blocks) match(ctx context.Context, byBlocks bool) error {
	m := &matcher{byBlocks: byBlocks}
	var letters [2]float64
	for side, blocks := range [][]Block{t.Reference, t.Generated} {
		for i := range blocks {
			m.encode(&blocks[i])
			letters[side] += float64(len(blocks[i].Letters))
		}
	}
	limit := float64(mostLetterPairs)
	if byBlocks {
		limit = mostBlockLetters
	}
	if n, k := len(t.Reference), len(t.Generated); float64(n)*float64(k) > mostTextPairs || letters[0]*letters[1] > limit {
		return source.Absentf("%d and %d texts of %.0f and %.0f letters are too many to compare", n, k, letters[0],
			letters[1])
	}
	var err error
	if t.Pairs, err = m.pairs(ctx, t.Reference, t.Generated); err != nil {
		return err
	}
	joins, err := m.joins(ctx, t)
	if err != nil || len(joins) == 0 {
		return err
	}
	t.Reference, t.Generated = m.join(t.Reference, joins, false), m.join(t.Generated, joins, true)
	t.Pairs, err = m.pairs(ctx, t.Reference, t.Generated)
	return err
}

// pairs finds the best pairs.
func (m *matcher) pairs(ctx context.Context, reference, generated []Block) ([]BlockPair, error) {
	w := box.Weights{Rows: len(reference), Columns: len(generated), Start: []int{0}}
	for i := range reference {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a := &reference[i]
		for j := range generated {
			b := &generated[j]
			s := m.similarity(a, b)
			if s == 0 {
				continue
			}
			rank := math.Abs(float64(i)/float64(len(reference)) - float64(j)/float64(len(generated)))
			w.Column = append(w.Column, int32(j))
			w.Weight = append(w.Weight, s-float64(nearness*apart(a.Box, b.Box))-float64(ranks*rank))
		}
		w.Start = append(w.Start, len(w.Column))
	}
	match, _, err := box.Match(&w)
	if err != nil {
		return nil, err
	}
	var pairs []BlockPair
	for i, j := range match {
		if j >= 0 {
			pairs = append(pairs, BlockPair{i, j, m.similarity(&reference[i], &generated[j])})
		}
	}
	return pairs, nil
}

// apart is how far two boxes are from each other, by their sides, at most 1.
func apart(a, b box.Box) float64 {
	return min(1, max(math.Abs(a.X0-b.X0), math.Abs(a.X1-b.X1), math.Abs(a.Y0-b.Y0), math.Abs(a.Y1-b.Y1)))
}

// Match finds the texts of two designs and which of them belong together; byBlocks compares them by matching blocks,
// else by edit distance.
func Match(ctx context.Context, reference, generated *design.Layout, byBlocks bool) (*Blocks, error) {
	var t Blocks
	var err error
	if t.Reference, err = Find(reference); err != nil {
		return nil, err
	}
	if t.Generated, err = Find(generated); err != nil {
		return nil, err
	}
	return &t, t.match(ctx, byBlocks)
}
