// Merge: parts become one, and exact sums become scores.

package neighbors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Merge combines partials that together cover every point once into the result. The result depends
// neither on their order nor on the division of the points: sums are exact, and quotients are added in
// a fixed order. Errors, naming both sides: parts of another pass, overlapping parts, points without a
// part.
func (p *Pass) Merge(partials ...*Partial) ([]Preservation, error) {
	identity, err := p.Identity(context.Background())
	if err != nil {
		return nil, err
	}
	parts := slices.Clone(partials)
	slices.SortFunc(parts, func(a, b *Partial) int { return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Hi, b.Hi)) })
	for _, part := range parts {
		if err := p.checkPart(part, &identity); err != nil {
			return nil, fmt.Errorf("merge: the part of points %d to %d: %w", part.Lo, part.Hi, err)
		}
	}
	if err := p.checkCover(parts); err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	results := make([]Preservation, len(p.embedded))
	for e := range results {
		results[e] = p.mergeSpace(parts, e)
	}
	return results, nil
}

// Join combines two consecutive parts into one; it may modify the first. Errors as for [Pass.Merge].
func (p *Pass) Join(a, b *Partial) (*Partial, error) {
	identity, err := p.Identity(context.Background())
	if err != nil {
		return nil, err
	}
	for _, part := range []*Partial{a, b} {
		if err := p.checkPart(part, &identity); err != nil {
			return nil, fmt.Errorf("join: the part of points %d to %d: %w", part.Lo, part.Hi, err)
		}
	}
	if a.Hi != b.Lo {
		return nil, fmt.Errorf("join: the part with points %d to %d does not follow the part with points %d to %d",
			b.Lo, b.Hi, a.Lo, a.Hi)
	}
	a.Hi = b.Hi
	a.Original.Method = bothMethods(a.Original.Method, b.Original.Method)
	a.Original.Redecided += b.Original.Redecided
	for e := range a.Spaces {
		s, t := &a.Spaces[e], &b.Spaces[e]
		s.add(t)
		a.Embedded[e].Method = bothMethods(a.Embedded[e].Method, b.Embedded[e].Method)
		for q := range s.PointTrust {
			s.PointTrust[q] = append(s.PointTrust[q], t.PointTrust[q]...)
			s.PointCont[q] = append(s.PointCont[q], t.PointCont[q]...)
		}
	}
	return a, nil
}

// checkPart reports whether a part was made by a pass over the same points with the same
// options, and is whole.
func (p *Pass) checkPart(part *Partial, identity *Identity) error {
	if d := part.Pass.difference(identity); d != "" {
		return errors.New(d)
	}
	if part.Lo < 0 || part.Lo >= part.Hi || part.Hi > p.n {
		return fmt.Errorf("want a range within 0 to %d", p.n)
	}
	if len(part.Spaces) != len(p.embedded) || len(part.Embedded) != len(p.embedded) {
		return fmt.Errorf("%d embedded spaces, want %d", len(part.Spaces), len(p.embedded))
	}
	for e := range part.Spaces {
		if err := p.checkSums(part, &part.Spaces[e]); err != nil {
			return fmt.Errorf("embedded space %d: %w", e, err)
		}
	}
	return nil
}

// checkCover reports whether sorted parts cover each point once.
func (p *Pass) checkCover(parts []*Partial) error {
	next, before := 0, "the beginning"
	for _, part := range parts {
		name := fmt.Sprintf("the part of points %d to %d", part.Lo, part.Hi-1)
		switch {
		case part.Lo < next:
			return fmt.Errorf("%s overlaps %s", name, before)
		case part.Lo > next:
			return fmt.Errorf("points %d to %d are missing between %s and %s", next, part.Lo-1, before, name)
		}
		next, before = part.Hi, name
	}
	if next != p.n {
		return fmt.Errorf("points %d to %d are missing between %s and the end", next, p.n-1, before)
	}
	return nil
}

// checkSums reports whether a part has all sums.
func (p *Pass) checkSums(part *Partial, s *PartialSpace) error {
	points, curves := 0, 0
	if p.options.PerPoint {
		points = len(p.ks)
	}
	if p.curves {
		curves = p.n
	}
	sums := append([]Sums{s.Sums}, s.Deleted...)
	switch {
	case len(s.Deleted) != len(p.blockIDs):
		return fmt.Errorf("%d blocks, want %d", len(s.Deleted), len(p.blockIDs))
	case len(s.PointTrust) != points || len(s.PointCont) != points:
		return fmt.Errorf("penalties of points for %d and %d k, want %d", len(s.PointTrust), len(s.PointCont), points)
	case len(s.Null) != len(p.permutations):
		return fmt.Errorf("%d permutations, want %d", len(s.Null), len(p.permutations))
	case len(s.Best) != curves:
		return fmt.Errorf("%d co-ranking counts, want %d", len(s.Best), curves)
	case curves > 0 && len(s.BestWithout) != len(p.blockIDs):
		return fmt.Errorf("co-ranking counts without %d blocks, want %d", len(s.BestWithout), len(p.blockIDs))
	}
	for _, t := range sums {
		if len(t.Trust) != len(p.ks) || len(t.Cont) != len(p.ks) || len(t.Common) != len(p.ks) ||
			len(t.False) != p.kmax || len(t.Missing) != p.kmax {
			return fmt.Errorf("sums for %d k up to %d, want %d up to %d", len(t.Trust), len(t.False), len(p.ks), p.kmax)
		}
	}
	for _, u := range s.BestWithout {
		if edges := len(curveEdges(p.n)); len(u) != edges {
			return fmt.Errorf("%d co-ranking counts without a block, want %d", len(u), edges)
		}
	}
	for _, t := range s.Null {
		if len(t.Trust) != len(p.ks) || len(t.Cont) != len(p.ks) || len(t.Common) != len(p.ks) {
			return fmt.Errorf("permuted sums for %d k, want %d", len(t.Trust), len(p.ks))
		}
	}
	for q := range s.PointTrust {
		if len(s.PointTrust[q]) != part.Hi-part.Lo || len(s.PointCont[q]) != part.Hi-part.Lo {
			return fmt.Errorf("penalties of %d points, want %d", len(s.PointTrust[q]), part.Hi-part.Lo)
		}
	}
	return nil
}

func (p *Pass) mergeSpace(parts []*Partial, e int) Preservation {
	total := p.newPartialSpace(0)
	result := Preservation{
		N: p.n, MinCandidates: p.least,
		Original: parts[0].Original, Embedded: parts[0].Embedded[e],
	}
	result.Original.Method = methods(parts, func(part *Partial) string { return part.Original.Method })
	result.Embedded.Method = methods(parts, func(part *Partial) string { return part.Embedded[e].Method })
	result.Original.Redecided = 0
	for _, part := range parts {
		total.add(&part.Spaces[e])
		result.Original.Redecided += part.Original.Redecided
		for s := range part.Spaces {
			result.Original.Redecided += part.Spaces[s].OriginalRedecided
		}
	}
	result.Original.Ties, result.Embedded.Ties = total.OriginalTies, total.EmbeddedTies
	result.Embedded.Redecided = total.EmbeddedRedecided

	for q, k := range p.ks {
		index := p.order[q]
		one := AtK{K: k, Scores: scores(k, index, &total.Sums, p.candidates)}
		for g, id := range p.blockIDs {
			without := scores(k, index, &total.Deleted[g], p.deleted[g])
			one.Replicates = append(one.Replicates, Replicate{Block: id, Scores: without})
		}
		for _, t := range total.Null {
			w, share := float64(one.Normalizer), one.QNX-one.LCMC
			common := t.Common[index].Float()
			one.Null = append(one.Null, NullScores{
				TrustPenalty: t.Trust[index].Float(), ContPenalty: t.Cont[index].Float(),
				Trustworthiness: 1 - t.Trust[index].Float()/w, Continuity: 1 - t.Cont[index].Float()/w,
				Common: common, RNX: (common/(float64(one.Points)*float64(k)) - share) / (1 - share),
			})
		}
		if p.options.PerPoint {
			among := p.among()
			for _, part := range parts {
				one.PointTrustPenalty = append(one.PointTrustPenalty, floats(part.Spaces[e].PointTrust[index])...)
				one.PointContPenalty = append(one.PointContPenalty, floats(part.Spaces[e].PointCont[index])...)
			}
			for i := range p.n {
				one.PointNormalizer = append(one.PointNormalizer, worstPenalty(k, among.Count(i)))
			}
		}
		result.ByK = append(result.ByK, one)
	}
	if p.curves {
		result.Curves = p.coRankingCurves(total.Best)
		result.Curves.Without = p.curvesWithout(result.Curves, total.Best, total.BestWithout)
	}
	return result
}

// methods names how the distances of all parts were computed: machines may have computed them in several ways.
func methods(parts []*Partial, method func(*Partial) string) string {
	var all []string
	for _, part := range parts {
		all = append(all, method(part))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), betweenMethods)
}

// betweenMethods separates the names of several methods and occurs in none.
const betweenMethods = ", "

// bothMethods names the methods of two parts; each part may have several.
func bothMethods(a, b string) string {
	if a == b {
		return a
	}
	all := append(strings.Split(a, betweenMethods), strings.Split(b, betweenMethods)...)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), betweenMethods)
}

// worstPenalty is the largest penalty of one point with m > k candidates.
func worstPenalty(k, m int) int64 {
	if 2*k <= m {
		return int64(k) * int64(2*m-3*k+1) / 2
	}
	return int64(m-k) * int64(m-k+1) / 2
}

// scores turns the sums for k, at index into the sorted ks, into scores. candidates counts the points by their number
// of candidates.
func scores(k, index int, s *Sums, candidates map[int]int64) Scores {
	var points, normalizer int64
	var chance, share, worst float64
	for _, m := range slices.Sorted(maps.Keys(candidates)) {
		count := candidates[m]
		points += count
		normalizer += count * worstPenalty(k, m)
		c := float64(count)
		chance += c * float64(k) * float64(m-k) * float64(m-k+1) / (2 * float64(m))
		share += c * float64(k) / float64(m)
		h := 0.0
		for l := 1; l <= k; l++ {
			h += math.Abs(float64(m+2-2*l)) / float64(l)
		}
		worst += c * h
	}
	wrong, missing := 0.0, 0.0
	for l := 1; l <= k; l++ {
		wrong += s.False[l-1].Float() / float64(l)
		missing += s.Missing[l-1].Float() / float64(l)
	}
	w := float64(normalizer)
	share /= float64(points)
	trust, cont, common := s.Trust[index].Float(), s.Cont[index].Float(), s.Common[index].Float()
	q := common / (float64(points) * float64(k))
	return Scores{
		Points:       int(points),
		TrustPenalty: trust, ContPenalty: cont, Normalizer: normalizer,
		Trustworthiness: 1 - trust/w,
		Continuity:      1 - cont/w,
		Common:          common,
		QNX:             q,
		RNX:             (q - share) / (1 - share),
		LCMC:            q - share,
		MRREFalse:       1 - wrong/worst,
		MRREMissing:     1 - missing/worst,
		Chance:          1 - chance/w,
	}
}

// coRankingCurves turns the counts of max(r_ij, r̂_ij) into the curves.
func (p *Pass) coRankingCurves(best []Fixed) *Curves {
	n := float64(p.n)
	sizes := slices.Sorted(maps.Keys(p.candidates))
	last := min(p.n-2, p.least-1)
	c := &Curves{QNX: make([]float64, last), RNX: make([]float64, last)}
	var common Fixed
	var area, weight float64
	lcmc := math.Inf(-1)
	for index := range last {
		k := float64(index + 1)
		common.add(best[index])
		share := 0.0
		for _, m := range sizes {
			share += float64(p.candidates[m]) * k / float64(m)
		}
		share /= n
		q := common.Float() / (n * k)
		c.QNX[index], c.RNX[index] = q, (q-share)/(1-share)
		area += c.RNX[index] / k
		weight += 1 / k
		if q-share > lcmc {
			lcmc, c.KStar = q-share, index+1
		}
	}
	c.AUCRNX = area / weight
	c.QLocal = mean(c.QNX[:c.KStar])
	c.QGlobal = mean(c.QNX[c.KStar-1:])
	return c
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
