// The comparison on a stratified sample of reference points: everything about a sampled
// point is exact, only the average over points is estimated.

package neighbors

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
	"repscope/points"
	"repscope/stat"
)

// Estimate is a score estimated from a sample of the points.
type Estimate struct {
	Value float64
	// StandardError is the sampling error: the standard deviation of Value over
	// draws of the reference points. It is 0 where all points are references. It
	// says nothing about how the scores would differ on other data.
	StandardError float64
}

// Stratum is a set of points from which references are drawn on their own.
type Stratum struct {
	// Points is the number of points and References of those drawn.
	Points, References int
}

// SampledAtK is everything about one neighbourhood size. The scores are those of
// [Scores]: their sums over all points are replaced by unbiased estimates,
// Σ_h N_h·(mean over the references of stratum h), while everything that needs
// no distances (normalizer, chance, mean of k/m_i) is over all points, exactly.
// Value is therefore unbiased and, with all points as references, exact.
type SampledAtK struct {
	K int

	Trustworthiness, Continuity, QNX, RNX, LCMC, MRREFalse, MRREMissing Estimate

	// Chance and Normalizer are those of all points; see [Scores].
	Chance     float64
	Normalizer int64

	// PointTrustPenalty, PointContPenalty and PointCommon are the penalties and
	// the number of common neighbours of each reference, in the order of
	// Sample.Index: exactly what [Compare] finds for these points.
	// PointNormalizer is the worst penalty of each.
	PointTrustPenalty, PointContPenalty, PointCommon, PointNormalizer []int64

	// Null has one entry per permutation of Options.Permutations.
	Null []SampledNull
}

// SampledNull are the estimated scores under one permutation.
type SampledNull struct{ Trustworthiness, Continuity Estimate }

// SampledPreservation is how well one embedded space keeps the neighbourhoods of
// the original space, estimated on the references.
type SampledPreservation struct {
	// N is the number of points, all of them candidates of every reference.
	N int
	// ByK has one entry per k of Options.Ks, in that order.
	ByK []SampledAtK
	// Original and Embedded are counts of the two spaces: Duplicates over all
	// points, Ties and Redecided over the rows of the references.
	Original, Embedded SpaceCounts
	// MinCandidates is the smallest number of candidates of any point.
	MinCandidates int
}

// Sample is the outcome of CompareSampled.
type Sample struct {
	// Index holds the reference points, by stratum and ascending inside it. The
	// references of stratum h follow those of stratum h−1.
	Index  []int
	Strata []Stratum
	Spaces []SampledPreservation // one per embedded space
}

// CompareSampled is [Compare] for sets too large to be compared in full: O(n) per
// reference point instead of O(n²). For each of a.References points the
// distances to all n points are computed in both spaces, so that its neighbours
// and its ranks are exact; only the average over points is that of a sample.
//
// The sample is stratified: the strata are the episodes (Options.Episode), or,
// in a single episode, up to 64 stretches of equal length, neighbouring ones put
// together where there are fewer than four references for each. The references
// are allotted in proportion to the number of points, at least two to each
// stratum, and drawn without replacement. The standard error of an estimated
// mean of x is √(Σ_h (N_h/N)²·(1 − n_h/N_h)·s_h²/n_h), s_h² the variance of x
// within stratum h (Cochran 1977, Sampling Techniques, section 5.6).
//
// The permutation null is estimated on the same references: no point is copied or
// moved; the rows of the points that the references are given to are ranked too. Of points
// at equal distance the one of lower index comes first, permuted or not.
//
// Of o, Blocks, CoRanking and PerPoint are not used. Errors are those of
// Compare.
func CompareSampled(ctx context.Context, original points.Points, embedded []points.Points, o Options, a Approximation) (*Sample, error) {
	o.Blocks, o.CoRanking, o.PerPoint = nil, CoRankingOff, false
	p, err := NewPass(original, embedded, o)
	if err != nil {
		return nil, err
	}
	return p.CompareSampled(ctx, a)
}

// CompareSampled estimates the scores of a pass; see the function of the same name.
func (p *Pass) CompareSampled(ctx context.Context, a Approximation) (*Sample, error) {
	sample, err := drawReferences(p.n, p.options.Episode, a)
	if err != nil {
		return nil, err
	}
	tallies := make([]*tally, len(p.embedded))
	for e := range tallies {
		tallies[e] = newTally(len(p.ks), len(sample.Index))
		for range p.permutations {
			tallies[e].null = append(tallies[e].null, newTally(len(p.ks), len(sample.Index)))
		}
	}
	if sample.Spaces, err = p.compareReferences(ctx, sample.Index, tallies); err != nil {
		return nil, err
	}
	for e := range sample.Spaces {
		s := &sample.Spaces[e]
		s.N, s.MinCandidates = p.n, p.least
		for q, k := range p.ks {
			s.ByK = append(s.ByK, p.estimate(k, q, sample, tallies[e]))
		}
	}
	return sample, nil
}

// tally holds what is counted for each k of Options.Ks and each reference.
type tally struct {
	trust, cont, common [][]int64
	// wrong and missing are MRRE's sums Σ_{l≤k} |r − l|/l.
	wrong, missing [][]float64
	null           []*tally // of each permutation; trust and cont only
}

func newTally(ks, references int) *tally {
	t := &tally{}
	for range ks {
		t.trust = append(t.trust, make([]int64, references))
		t.cont = append(t.cont, make([]int64, references))
		t.common = append(t.common, make([]int64, references))
		t.wrong = append(t.wrong, make([]float64, references))
		t.missing = append(t.missing, make([]float64, references))
	}
	return t
}

// rankSums adds up a list of neighbours, nearest first, by their ranks in the
// other space.
func rankSums(rank []int32, k int) (penalty, common int64, errors float64) {
	for at, r := range rank[:k] {
		l := at + 1
		errors += math.Abs(float64(int(r)-l)) / float64(l)
		if over := int64(r) - int64(k); over > 0 {
			penalty += over
		} else {
			common++
		}
	}
	return penalty, common, errors
}

// openSampled opens the rows of an embedded space: those of the references, and then,
// for each permutation, those of the points that the references are given to, in which
// the candidates are permuted too.
func (p *Pass) openSampled(ctx context.Context, of Space, index []int) (*rows.References, error) {
	every := slices.Clone(index)
	for _, permutation := range p.permutations {
		for _, i := range index {
			every = append(every, int(permutation.to[i]))
		}
	}
	among := p.among()
	return rows.OpenMasked(ctx, of.points, every, p.options.rows(ctx, of.metric), func(q int, skip func(j int)) {
		i, version := index[q%len(index)], q/len(index)
		if version == 0 {
			among.Exclusions(i, skip)
			return
		}
		to := p.permutations[version-1].to
		among.Exclusions(i, func(j int) { skip(int(to[j])) })
	})
}

// sampler is one goroutine's memory.
type sampler struct {
	original     rows.Worker
	embedded     []rows.Worker
	list, rank   []int32
	ranks        []int32 // of the lists of all permutations
	originalTies []int64
	embeddedTies []int64
}

func (p *Pass) newSampler(original *rows.References, spaces []*rows.References) *sampler {
	s := &sampler{
		original: original.Worker(), rank: make([]int32, p.kmax),
		originalTies: make([]int64, len(spaces)), embeddedTies: make([]int64, len(spaces)),
	}
	for _, space := range spaces {
		s.embedded = append(s.embedded, space.Worker())
	}
	return s
}

// sampling is the comparison of references.
type sampling struct {
	*Pass
	total    int // references
	tallies  []*tally
	original *rows.References
	spaces   []*rows.References
	step     int // rows at a time
	threads  int
	// What the null decides again is not counted.
	workers, nulls []*sampler
	neighbors      [][]int32 // of a block's references
	lists          [][]int32 // of a row under one permutation after the other
	done           int
}

// compareReferences fills the tallies and returns the counts of the spaces.
func (p *Pass) compareReferences(ctx context.Context, index []int, tallies []*tally) ([]SampledPreservation, error) {
	s := &sampling{Pass: p, total: len(index), tallies: tallies}
	if err := s.open(ctx, index); err != nil {
		return nil, err
	}
	for lo := 0; lo < s.total; lo += s.step {
		if err := s.block(ctx, lo, min(s.total, lo+s.step)); err != nil {
			return nil, err
		}
	}
	return s.counts(), nil
}

// open opens the rows of the references.
func (s *sampling) open(ctx context.Context, index []int) (err error) {
	o := s.options.rows(ctx, s.Pass.original.metric)
	if s.original, err = rows.OpenReferences(ctx, s.Pass.original.points, index, o); err != nil {
		return err
	}
	widest := int64(0)
	for _, of := range s.embedded {
		opened, err := s.openSampled(ctx, of, index)
		if err != nil {
			return err
		}
		s.spaces = append(s.spaces, opened)
		widest = max(widest, opened.RowBytes())
	}
	if s.step, err = rows.ReferenceRows(o.Budget(), s.original.RowBytes()+widest, s.total); err != nil {
		return err
	}
	if o.MaxRows > 0 {
		s.step = min(s.step, o.MaxRows)
	}
	s.threads = o.ThreadCount()
	for range s.threads {
		s.workers, s.nulls = append(s.workers, s.newSampler(s.original, s.spaces)), append(s.nulls, s.newSampler(s.original, s.spaces))
	}
	s.neighbors, s.lists = make([][]int32, s.step), make([][]int32, s.step)
	return nil
}

// block tallies the references lo … hi−1.
func (s *sampling) block(ctx context.Context, lo, hi int) error {
	if err := s.original.Load(ctx, lo, hi); err != nil {
		return err
	}
	err := parallel.For(ctx, s.threads, hi-lo, func(w, r int) {
		s.neighbors[r] = s.workers[w].original.Nearest(lo+r, s.kmax, s.neighbors[r])
	})
	if err != nil {
		return err
	}
	for e := range s.spaces {
		for version := range 1 + len(s.permutations) {
			if err := s.version(ctx, e, version, lo, hi); err != nil {
				return err
			}
			s.done += hi - lo
			if s.options.Progress != nil {
				s.options.Progress(s.done, s.total*len(s.spaces)*(1+len(s.permutations)))
			}
		}
		err := parallel.For(ctx, s.threads, hi-lo, func(w, r int) { s.nulls[w].wrong(s.Pass, lo+r, s.lists[r], s.tallies[e]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// version tallies the references lo … hi−1 in embedded space e as it is (0) or under a
// permutation (1, 2, …).
func (s *sampling) version(ctx context.Context, e, version, lo, hi int) error {
	first := version * s.total
	if err := s.spaces[e].Load(ctx, first+lo, first+hi); err != nil {
		return err
	}
	t := s.tallies[e]
	return parallel.For(ctx, s.threads, hi-lo, func(w, r int) {
		if version == 0 {
			s.workers[w].compare(s.Pass, e, lo+r, s.neighbors[r], t)
			s.lists[r] = s.lists[r][:0]
			return
		}
		order, null := &s.permutations[version-1], t.null[version-1]
		s.lists[r] = s.nulls[w].missing(s.Pass, e, lo+r, first+lo+r, s.neighbors[r], order, null, s.lists[r])
	})
}

// counts are the counts of the spaces.
func (s *sampling) counts() []SampledPreservation {
	var redecided int64
	for _, w := range s.workers {
		redecided += w.original.Redecided()
	}
	var out []SampledPreservation
	for e, space := range s.spaces {
		one := SampledPreservation{Original: s.original.Counts(), Embedded: space.Counts()}
		one.Original.Redecided = redecided
		for _, w := range s.workers {
			one.Original.Ties += w.originalTies[e]
			one.Embedded.Ties += w.embeddedTies[e]
			one.Embedded.Redecided += w.embedded[e].Redecided()
		}
		out = append(out, one)
	}
	return out
}

// compare tallies reference at in embedded space e; neighbours are its original ones.
func (s *sampler) compare(p *Pass, e, at int, neighbors []int32, t *tally) {
	s.list = s.embedded[e].Nearest(at, p.kmax, s.list)
	s.originalTies[e] += s.original.Ranks(at, s.list, p.kmax, s.rank, nil)
	for q, k := range p.ks {
		t.trust[q][at], t.common[q][at], t.wrong[q][at] = rankSums(s.rank, k)
	}
	s.embeddedTies[e] += s.embedded[e].Ranks(at, neighbors, p.kmax, s.rank, nil)
	for q, k := range p.ks {
		t.cont[q][at], _, t.missing[q][at] = rankSums(s.rank, k)
	}
}

// missing tallies the continuity of reference at under a permutation; row is that of the
// point that it is given to. It appends the reference's neighbours under the permutation to list.
func (s *sampler) missing(p *Pass, e, at, row int, neighbors []int32, order *permutation, t *tally, list []int32) []int32 {
	s.list = s.embedded[e].Nearest(row, p.kmax, s.list)
	for _, a := range s.list {
		list = append(list, order.inverse[a])
	}
	s.list = s.list[:0]
	for _, j := range neighbors {
		s.list = append(s.list, order.to[j])
	}
	s.embedded[e].Ranks(row, s.list, 0, s.rank, nil)
	for q, k := range p.ks {
		t.cont[q][at], _, _ = rankSums(s.rank, k)
	}
	return list
}

// wrong tallies the trustworthiness of reference at under all permutations; the lists of its
// neighbours under them follow each other. The original row is read once for all.
func (s *sampler) wrong(p *Pass, at int, lists []int32, t *tally) {
	if len(lists) == 0 {
		return
	}
	s.ranks = scan.Grown(s.ranks, len(lists))
	s.original.Ranks(at, lists, 0, s.ranks, nil)
	for v, null := range t.null {
		for q, k := range p.ks {
			null.trust[q][at], _, _ = rankSums(s.ranks[v*p.kmax:], k)
		}
	}
}

// estimate turns the tallies of the k at place q of Options.Ks into scores.
func (p *Pass) estimate(k, q int, sample *Sample, t *tally) SampledAtK {
	// What needs no distances is over all points.
	known := scores(k, slices.Index(p.sorted, k), new(p.newSums()), p.candidates)
	n := float64(p.n)
	share, worst := 0.0, 0.0
	for _, m := range slices.Sorted(maps.Keys(p.candidates)) {
		h := 0.0
		for l := 1; l <= k; l++ {
			h += math.Abs(float64(m+2-2*l)) / float64(l)
		}
		worst += float64(p.candidates[m]) * h
		share += float64(p.candidates[m]) * float64(k) / float64(m)
	}
	share /= n

	a := SampledAtK{
		K: k, Chance: known.Chance, Normalizer: known.Normalizer,
		PointTrustPenalty: t.trust[q], PointContPenalty: t.cont[q], PointCommon: t.common[q],
	}
	among := p.among()
	for _, i := range sample.Index {
		a.PointNormalizer = append(a.PointNormalizer, worstPenalty(k, among.Count(i)))
	}
	// A score is 1 − total/scale.
	score := func(x []float64, scale float64) Estimate {
		mean, se := stratifiedMean(sample.Strata, x)
		return Estimate{1 - mean*n/scale, se * n / scale}
	}
	for _, null := range t.null {
		a.Null = append(a.Null, SampledNull{
			Trustworthiness: score(float64s(null.trust[q]), float64(known.Normalizer)),
			Continuity:      score(float64s(null.cont[q]), float64(known.Normalizer)),
		})
	}
	a.Trustworthiness = score(float64s(t.trust[q]), float64(known.Normalizer))
	a.Continuity = score(float64s(t.cont[q]), float64(known.Normalizer))
	a.MRREFalse, a.MRREMissing = score(t.wrong[q], worst), score(t.missing[q], worst)
	mean, se := stratifiedMean(sample.Strata, float64s(t.common[q]))
	a.QNX = Estimate{mean / float64(k), se / float64(k)}
	a.RNX = Estimate{(a.QNX.Value - share) / (1 - share), a.QNX.StandardError / (1 - share)}
	a.LCMC = Estimate{a.QNX.Value - share, a.QNX.StandardError}
	return a
}

func float64s(x []int64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// stratifiedMean estimates the mean of x over all points from its values at the
// references, which follow each other by stratum, and the standard error.
func stratifiedMean(strata []Stratum, x []float64) (mean, se float64) {
	total, variance, pts := 0.0, 0.0, 0.0
	at := 0
	for _, h := range strata {
		part := x[at : at+h.References]
		at += h.References
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		size, drawn := float64(h.Points), float64(h.References)
		total += size / drawn * sum
		pts += size
		if h.References == h.Points {
			continue
		}
		center, squares := sum/drawn, 0.0
		for _, v := range part {
			squares += float64((v - center) * (v - center))
		}
		// NaN for a single reference of several points.
		variance += size * size * (1 - drawn/size) * squares / (drawn - 1) / drawn
	}
	return total / pts, math.Sqrt(variance) / pts
}

// indexStrata is the number of strata of a single episode, and referencesPer the
// number of references that a stratum should have at least.
const indexStrata, referencesPer = 64, 4

// drawReferences draws the references; see CompareSampled.
func drawReferences(n int, episode []int, a Approximation) (*Sample, error) {
	want := a.References
	if want == 0 {
		want = DefaultReferences
	}
	if want < 2 {
		return nil, fmt.Errorf("references: %d, want at least 2", want)
	}
	want = min(want, n)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	label := func(i int) int { return i * indexStrata / n }
	if episode != nil && slices.ContainsFunc(episode, func(e int) bool { return e != episode[0] }) {
		label = func(i int) int { return episode[i] }
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(episode[i], episode[j]) })
	}
	// Strata are stretches of the order that end where a label does.
	most := max(1, want/referencesPer)
	var strata []Stratum
	for lo, labels := 0, countRuns(order, label); lo < n; {
		// Each stratum left gets an equal share of the points left.
		share := (n - lo + most - 1 - len(strata)) / max(1, most-len(strata))
		if labels <= most {
			share = 1
		}
		hi := lo
		for hi < n && (hi-lo < share || label(order[hi]) == label(order[hi-1])) {
			hi++
		}
		strata = append(strata, Stratum{Points: hi - lo})
		lo = hi
	}
	allot(strata, n, want)
	sample := &Sample{Strata: strata}
	lo := 0
	for h, s := range strata {
		drawn, err := stat.NewRandom(stat.StreamReferences.Key(a.Seed, uint64(h))).SampleWithoutReplacement(s.Points, s.References)
		if err != nil {
			return nil, err
		}
		for _, at := range drawn {
			sample.Index = append(sample.Index, order[lo+at])
		}
		lo += s.Points
	}
	return sample, nil
}

// countRuns is the number of labels along the order.
func countRuns(order []int, label func(i int) int) int {
	runs := 1
	for at := 1; at < len(order); at++ {
		if label(order[at]) != label(order[at-1]) {
			runs++
		}
	}
	return runs
}

// allot shares want references among the strata in proportion to their points, at
// least two to each, by largest remainders.
func allot(strata []Stratum, n, want int) {
	given := 0
	ideal := make([]float64, len(strata))
	for h := range strata {
		s := &strata[h]
		ideal[h] = float64(want) * float64(s.Points) / float64(n)
		s.References = min(s.Points, max(2, int(ideal[h])))
		given += s.References
	}
	for given != want {
		best, gap := -1, math.Inf(-1)
		for h, s := range strata {
			lack := ideal[h] - float64(s.References)
			open := s.References < s.Points
			if given > want {
				lack, open = -lack, s.References > min(2, s.Points)
			}
			if open && lack > gap {
				best, gap = h, lack
			}
		}
		switch {
		case best < 0:
			return // want is too small for two in every stratum
		case given < want:
			strata[best].References++
			given++
		default:
			strata[best].References--
			given--
		}
	}
}
