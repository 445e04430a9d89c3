// Parts of single embedded spaces: separated from a part and merged again, so that callers can store them.

package neighbors

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Alone is a pass's part of one embedded space, with the state that all parts share: the counts of the original and the
// comparisons for its neighbor lists.
type Alone struct {
	Space              PartialSpace
	Original, Embedded SpaceCounts
}

// Separable reports whether the part of an embedded space is independent of the other spaces of the
// pass and can be stored. It is not in random order, where the number of comparisons decided again
// depends on the rows drawn for the other spaces.
func (p *Pass) Separable() bool { return p.options.Ties != TiesRandom }

// OnGPU reports whether Map computes on GPUs, which is seen in the counts.
func (p *Pass) OnGPU() bool { return p.onGPU() }

// Of is the pass over some of the embedded spaces, in this order. Its parts have the sums that a part of all has of
// them.
func (p *Pass) Of(spaces ...int) *Pass {
	q := &Pass{
		n: p.n, original: p.original, options: p.options, ks: p.ks, sorted: p.sorted, order: p.order, kmax: p.kmax, curves: p.curves,
		permutations: p.permutations, blockIDs: p.blockIDs, group: p.group, groupSizes: p.groupSizes,
		candidates: p.candidates, deleted: p.deleted, least: p.least,
	}
	p.known.Lock()
	defer p.known.Unlock()
	q.equal = append(q.equal, p.equal[0])
	for _, e := range spaces {
		q.embedded, q.equal = append(q.embedded, p.embedded[e]), append(q.equal, p.equal[1+e])
	}
	return q
}

// Of is the identity of the pass over embedded space e alone.
func (id Identity) Of(e int) Identity {
	id.Embedded = id.Embedded[e : e+1]
	return id
}

// Separate takes the embedded spaces of a part apart. They share its memory.
func (part *Partial) Separate() []*Alone {
	out := make([]*Alone, len(part.Spaces))
	for e := range out {
		out[e] = &Alone{part.Spaces[e], part.Original, part.Embedded[e]}
	}
	return out
}

// ErrOriginals is returned for parts whose originals were computed differently, as on machines with
// different processors.
var ErrOriginals = errors.New("the parts differ in their counts of the original space")

// Together computes the part of points lo … hi−1 from the parts of all embedded spaces, in their order; see
// [Partial.Separate]. Errors: another number of spaces, sums of another kind, and [ErrOriginals].
func (p *Pass) Together(ctx context.Context, lo, hi int, spaces []*Alone) (*Partial, error) {
	identity, err := p.Identity(ctx)
	if err != nil {
		return nil, err
	}
	part := &Partial{Pass: identity, Lo: lo, Hi: hi}
	for _, s := range spaces {
		part.Spaces, part.Embedded = append(part.Spaces, s.Space), append(part.Embedded, s.Embedded)
	}
	if err := p.checkPart(part, &identity); err != nil {
		return nil, fmt.Errorf("the parts of points %d to %d: %w", lo, hi, err)
	}
	part.Original = spaces[0].Original
	if slices.ContainsFunc(spaces, func(s *Alone) bool { return s.Original != part.Original }) {
		return nil, ErrOriginals
	}
	return part, nil
}
