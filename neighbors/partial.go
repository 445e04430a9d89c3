// The outcome of a part of a pass: exact sums, and which pass they belong to.

package neighbors

// Sums are the sums from which the scores of all k are computed: integers, or expectations if ties are
// averaged and distances tie.
type Sums struct {
	// Trust, Cont and Common have one entry per k, ascending.
	Trust, Cont, Common []Fixed
	// False[l−1] is Σ_i |r_ij − l| over the l-th embedded neighbor j, and Missing the same with the spaces exchanged: the
	// numerators of MRRE.
	False, Missing []Fixed
}

// PartialSpace is the part of one embedded space.
type PartialSpace struct {
	Sums
	// Deleted has the same sums for each deleted block, ascending by id.
	Deleted []Sums
	// PointTrust and PointCont are the penalties of the points Lo … Hi−1 for each k, ascending, if requested.
	PointTrust, PointCont [][]Fixed
	// Null has the sums of each permutation.
	Null []NullSums
	// Best[r−1] counts the pairs with max(r_ij, r̂_ij) = r, for the curves.
	Best []Fixed
	// BestWithout has for each deleted block the same counts up to each of curveEdges, and beyond the one before.
	BestWithout [][]Fixed
	// OriginalTies, EmbeddedTies, OriginalRedecided and EmbeddedRedecided are counts over the rows. OriginalRedecided are
	// the comparisons in the original for this space.
	OriginalTies, EmbeddedTies, OriginalRedecided, EmbeddedRedecided int64
}

// Partial is the outcome of Map: the sums over points Lo … Hi−1. Its fields are
// integers, texts and lists of them, so that it can be stored in any form.
type Partial struct {
	// Pass identifies the pass of the part.
	Pass   Identity
	Lo, Hi int
	Spaces []PartialSpace
	// Original are the counts known without any row. Original.Redecided are the comparisons for the neighbor lists in the
	// original, which all embedded spaces share.
	Original SpaceCounts
	Embedded []SpaceCounts
}

// newSums returns zeros.
func (p *Pass) newSums() Sums {
	return Sums{
		Trust: make([]Fixed, len(p.ks)), Cont: make([]Fixed, len(p.ks)), Common: make([]Fixed, len(p.ks)),
		False: make([]Fixed, p.kmax), Missing: make([]Fixed, p.kmax),
	}
}

func (p *Pass) newPartialSpace(pts int) PartialSpace {
	s := PartialSpace{Sums: p.newSums()}
	for range p.blockIDs {
		s.Deleted = append(s.Deleted, p.newSums())
	}
	for range p.permutations {
		s.Null = append(s.Null, NullSums{make([]Fixed, len(p.ks)), make([]Fixed, len(p.ks)), make([]Fixed, len(p.ks))})
	}
	if p.curves {
		s.Best = make([]Fixed, p.n)
		edges := len(curveEdges(p.n))
		for range p.blockIDs {
			s.BestWithout = append(s.BestWithout, make([]Fixed, edges))
		}
	}
	if p.options.PerPoint && pts > 0 {
		for range p.ks {
			s.PointTrust = append(s.PointTrust, make([]Fixed, pts))
			s.PointCont = append(s.PointCont, make([]Fixed, pts))
		}
	}
	return s
}

func (s *Sums) add(t *Sums) {
	addTo(s.Trust, t.Trust)
	addTo(s.Cont, t.Cont)
	addTo(s.Common, t.Common)
	addTo(s.False, t.False)
	addTo(s.Missing, t.Missing)
}

// add adds the sums of t, not its per-point penalties.
func (s *PartialSpace) add(t *PartialSpace) {
	s.Sums.add(&t.Sums)
	for g := range t.Deleted {
		s.Deleted[g].add(&t.Deleted[g])
	}
	for q, u := range t.Null {
		addTo(s.Null[q].Trust, u.Trust)
		addTo(s.Null[q].Cont, u.Cont)
		addTo(s.Null[q].Common, u.Common)
	}
	addTo(s.Best, t.Best)
	for g, u := range t.BestWithout {
		addTo(s.BestWithout[g], u)
	}
	s.OriginalTies += t.OriginalTies
	s.EmbeddedTies += t.EmbeddedTies
	s.OriginalRedecided += t.OriginalRedecided
	s.EmbeddedRedecided += t.EmbeddedRedecided
}
