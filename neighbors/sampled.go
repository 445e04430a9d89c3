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
	"repscope/stat"
)

// Estimate is a score estimated from a sample of the points.
type Estimate struct {
	Value float64
	// StandardError is the sampling error: the standard deviation of Value over draws of the reference points. It is 0 if
	// all points are references. It does not include the variation over other data.
	StandardError float64
}

// Stratum is a set of points from which references are drawn separately.
type Stratum struct {
	// Points is the number of points, References the number of drawn ones.
	Points, References int
}

// SampledAtK holds the results of one neighborhood size. The scores are defined as in [Scores], with their sums over
// all points replaced by unbiased estimates, Σ_h N_h·(mean over the references of stratum h). Terms that need no
// distances (normalizer, chance, mean of k/m_i) are over all points, exactly. Value is therefore unbiased and, with all
// points as references, exact.
type SampledAtK struct {
	K int

	Trustworthiness, Continuity, QNX, RNX, LCMC, MRREFalse, MRREMissing Estimate

	// Chance and Normalizer are over all points; see [Scores].
	Chance     float64
	Normalizer int64

	// PointTrustPenalty, PointContPenalty and PointCommon are the penalties and the number of common neighbors of each
	// reference, in the order of Sample.Index: exactly the values of [Compare] for these points. PointNormalizer is the
	// worst penalty of each.
	PointTrustPenalty, PointContPenalty, PointCommon []float64
	PointNormalizer                                  []int64

	// Null has one entry per permutation of Options.Permutations.
	Null []SampledNull
}

// SampledNull are the estimated scores under one permutation.
type SampledNull struct{ Trustworthiness, Continuity, RNX Estimate }

// SampledPreservation measures how well one embedded space preserves the neighborhoods of the original
// space, estimated from the references.
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

// Sample is the outcome of [Pass.CompareSampled].
type Sample struct {
	// Index holds the reference points, by stratum and ascending inside it. The references of stratum h follow stratum
	// h−1.
	Index  []int
	Strata []Stratum
	Spaces []SampledPreservation // one per embedded space
}

// CompareSampled estimates the scores of a pass, for sets too large for [Compare]: O(n) per reference point instead of
// O(n²). For each of a.References points the distances to all n points are computed in both spaces, so that its
// neighbors and its ranks are exact. Only the average over points is estimated from a sample.
//
// The sample is stratified. The strata are the episodes (Options.Episode) or, in a single episode, up to 64 stretches
// of equal length; neighboring ones are merged if there are fewer than four references for each. The references are
// allotted in proportion to the number of points, at least two to each stratum, and drawn without replacement. The
// standard error of an estimated mean of x is √(Σ_h (N_h/N)²·(1 − n_h/N_h)·s_h²/n_h), s_h² the variance of x within
// stratum h (Cochran 1977, Sampling Techniques, section 5.6).
//
// The permutation null is estimated on the same references: no point is copied or moved. The rows of the points
// assigned to the references are ranked too. Points at equal distances are treated as Options.Ties says, in the null as
// in [Compare].
//
// Blocks, co-ranking and scores per point are not computed.
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

// tally holds the counts for each k of Options.Ks and each reference.
type tally struct {
	trust, cont, common [][]float64
	// wrong and missing are MRRE's sums Σ_{l≤k} |r − l|/l.
	wrong, missing [][]float64
	null           []*tally // of each permutation; trust, cont and common only
}

func newTally(ks, references int) *tally {
	t := &tally{}
	for range ks {
		for _, of := range []*[][]float64{&t.trust, &t.cont, &t.common, &t.wrong, &t.missing} {
			*of = append(*of, make([]float64, references))
		}
	}
	return t
}

// openSampled opens the rows of an embedded space: the rows of the references, and then, for each permutation, the rows
// of the points assigned to the references, in which the candidates are permuted too.
func (p *Pass) openSampled(ctx context.Context, space Space, index []int) (*rows.References, error) {
	every := slices.Clone(index)
	for _, permutation := range p.permutations {
		for _, i := range index {
			every = append(every, int(permutation.to[i]))
		}
	}
	among := p.among()
	return rows.OpenMasked(ctx, space.points, every, p.options.rows(ctx, space.metric), func(q int, skip func(j int)) {
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
	pass         *Pass
	original     rows.Worker
	embedded     []rows.Worker
	list         rows.Listed
	rank         []int32
	places       rows.Places
	sums         Sums    // of one reference
	ranks        []int32 // of the lists of all permutations
	originalTies []int64
	embeddedTies []int64
}

func (s *sampling) newSampler() *sampler {
	point := func(row int) int { return s.index[row%len(s.index)] }
	w := &sampler{
		pass: s.Pass, original: s.worker(s.original, orderOfOriginal, point), rank: make([]int32, s.kmax), sums: s.newSums(),
		originalTies: make([]int64, len(s.spaces)), embeddedTies: make([]int64, len(s.spaces)),
	}
	for _, space := range s.spaces {
		w.embedded = append(w.embedded, s.worker(space, orderOfEmbedded, point))
	}
	return w
}

// nearest finds the neighbors of a row, with all ties of the last where they are averaged.
func (s *sampler) nearest(in rows.Worker, row int, averages bool, list rows.Listed) rows.Listed {
	if averages {
		list.Index, list.Run = in.NearestTied(row, s.pass.kmax, list.Index, list.Run)
		return list
	}
	return rows.Listed{Index: in.Nearest(row, s.pass.kmax, list.Index)}
}

// add sets the sums of one list by its positions in a row of the other space.
func (s *sampler) add(in rows.Worker, row int, list rows.Listed, trust bool) (ties int64) {
	p := s.pass
	for _, of := range [][]Fixed{s.sums.Trust, s.sums.Cont, s.sums.Common, s.sums.False, s.sums.Missing} {
		clear(of)
	}
	penalty, common, errors := s.sums.side(trust)
	if list.Run == nil {
		ties = in.Ranks(row, list.Index, p.kmax, s.rank, nil)
		p.tally(s.rank, penalty, common, errors, nil)
		return ties
	}
	in.Place(row, list.Index, false, &s.places)
	for _, t := range s.places.Tied[:p.kmax] {
		ties += int64(t) - 1
	}
	p.expectAll(list, &s.places, penalty, common, errors, nil)
	return ties
}

// errorsUpTo is MRRE's sum for k.
func errorsUpTo(errors []Fixed, k int) float64 {
	sum := 0.0
	for at, e := range errors[:k] {
		sum += e.Float() / float64(at+1)
	}
	return sum
}

// sampling is the comparison of references.
type sampling struct {
	*Pass
	index    []int // references
	total    int   // number of them
	tallies  []*tally
	original *rows.References
	spaces   []*rows.References
	step     int // rows at a time
	threads  int
	// Comparisons decided again for the null are not counted.
	workers, nulls []*sampler
	neighbors      []rows.Listed // of a block's references
	tied           []rows.Listed // the same with all ties, for the null
	lists          []permutedLists
	done           int
}

// compareReferences fills the tallies and returns the counts of the spaces.
func (p *Pass) compareReferences(ctx context.Context, index []int, tallies []*tally) ([]SampledPreservation, error) {
	s := &sampling{Pass: p, index: index, total: len(index), tallies: tallies}
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
	for _, space := range s.embedded {
		opened, err := s.openSampled(ctx, space, index)
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
		s.workers, s.nulls = append(s.workers, s.newSampler()), append(s.nulls, s.newSampler())
	}
	s.neighbors, s.tied, s.lists = make([]rows.Listed, s.step), make([]rows.Listed, s.step), make([]permutedLists, s.step)
	return nil
}

// block tallies the references lo … hi−1.
func (s *sampling) block(ctx context.Context, lo, hi int) error {
	if err := s.original.Load(ctx, lo, hi); err != nil {
		return err
	}
	err := parallel.For(ctx, s.threads, hi-lo, func(w, r int) {
		worker := s.workers[w]
		s.neighbors[r] = worker.nearest(worker.original, lo+r, s.averages(), s.neighbors[r])
		if s.tied[r] = s.neighbors[r]; len(s.permutations) > 0 && s.options.Ties == TiesRandom {
			s.tied[r] = worker.nearest(worker.original, lo+r, true, rows.Listed{})
		}
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
		err := parallel.For(ctx, s.threads, hi-lo, func(w, r int) { s.nulls[w].wrong(lo+r, &s.lists[r], s.tallies[e]) })
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
			s.workers[w].compare(e, lo+r, s.neighbors[r], t)
			s.lists[r].reset()
			return
		}
		order, null := &s.permutations[version-1], t.null[version-1]
		s.nulls[w].missing(e, lo+r, first+lo+r, s.tied[r], order, null, &s.lists[r])
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

// compare tallies reference at in embedded space e; neighbors are its original ones.
func (s *sampler) compare(e, ref int, neighbors rows.Listed, t *tally) {
	s.list = s.nearest(s.embedded[e], ref, s.pass.averages(), s.list)
	s.originalTies[e] += s.add(s.original, ref, s.list, true)
	for q, k := range s.pass.ks {
		in := s.pass.order[q]
		t.trust[q][ref], t.common[q][ref], t.wrong[q][ref] = s.sums.Trust[in].Float(), s.sums.Common[in].Float(), errorsUpTo(s.sums.False, k)
	}
	s.embeddedTies[e] += s.add(s.embedded[e], ref, neighbors, false)
	for q, k := range s.pass.ks {
		t.cont[q][ref], t.missing[q][ref] = s.sums.Cont[s.pass.order[q]].Float(), errorsUpTo(s.sums.Missing, k)
	}
}

// permutedLists are the neighbors of a reference under one permutation after the other.
type permutedLists struct {
	index []int32
	own   []position
	ends  []int
}

func (l *permutedLists) reset() { l.index, l.own, l.ends = l.index[:0], l.own[:0], l.ends[:0] }

// missing tallies the continuity of one reference under a permutation; row is the row of the point assigned to it. It
// appends the reference's neighbors under the permutation to lists.
func (s *sampler) missing(e, ref, row int, neighbors rows.Listed, order *permutation, t *tally, lists *permutedLists) {
	in := s.embedded[e]
	if neighbors.Run != nil {
		if random, ok := in.(*shuffled); ok {
			in = random.Worker
		}
	}
	s.list = s.nearest(in, row, neighbors.Run != nil, s.list)
	for lo := 0; lo < len(s.list.Index); {
		hi := lo + 1
		if s.list.Run != nil {
			hi = rows.RunEnd(s.list.Run, lo)
		}
		for _, a := range s.list.Index[lo:hi] {
			lists.index, lists.own = append(lists.index, order.inverse[a]), append(lists.own, position{lo, hi - lo})
		}
		lo = hi
	}
	lists.ends = append(lists.ends, len(lists.index))
	permuted := rows.Listed{Run: neighbors.Run}
	for _, j := range neighbors.Index {
		permuted.Index = append(permuted.Index, order.to[j])
	}
	s.add(in, row, permuted, false)
	for q := range s.pass.ks {
		t.cont[q][ref] = s.sums.Cont[s.pass.order[q]].Float()
	}
}

// wrong tallies the trustworthiness of reference at under all permutations. The original row is
// read once for all.
func (s *sampler) wrong(ref int, lists *permutedLists, t *tally) {
	if len(lists.index) == 0 {
		return
	}
	p, from := s.pass, 0
	if p.options.Ties == TiesIndex {
		s.ranks = scan.Grown(s.ranks, len(lists.index))
		s.original.Ranks(ref, lists.index, 0, s.ranks, nil)
	} else {
		s.original.Place(ref, lists.index, false, &s.places)
	}
	for v, end := range lists.ends {
		penalty, common := s.sums.Trust, s.sums.Common
		clear(penalty)
		clear(common)
		if p.options.Ties == TiesIndex {
			p.penalties(s.ranks[from:end], penalty, common)
		} else {
			for q := from; q < end; q++ {
				p.expect(lists.own[q], position{int(s.places.Below[q]), int(s.places.Tied[q])}, penalty, common, nil, nil)
			}
		}
		from = end
		for q := range p.ks {
			t.null[v].trust[q][ref], t.null[v].common[q][ref] = penalty[p.order[q]].Float(), common[p.order[q]].Float()
		}
	}
}

// estimate turns the tallies of the k at index q of Options.Ks into scores.
func (p *Pass) estimate(k, q int, sample *Sample, t *tally) SampledAtK {
	// Terms without distances are over all points.
	exact := scores(k, slices.Index(p.sorted, k), new(p.newSums()), p.candidates)
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
		K: k, Chance: exact.Chance, Normalizer: exact.Normalizer,
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
	// The share of common neighbors, and the same corrected for the share of independent spaces.
	overlap := func(common []float64) (qnx, rnx Estimate) {
		mean, se := stratifiedMean(sample.Strata, common)
		qnx = Estimate{mean / float64(k), se / float64(k)}
		return qnx, Estimate{(qnx.Value - share) / (1 - share), qnx.StandardError / (1 - share)}
	}
	for _, null := range t.null {
		one := SampledNull{
			Trustworthiness: score(null.trust[q], float64(exact.Normalizer)),
			Continuity:      score(null.cont[q], float64(exact.Normalizer)),
		}
		_, one.RNX = overlap(null.common[q])
		a.Null = append(a.Null, one)
	}
	a.Trustworthiness = score(t.trust[q], float64(exact.Normalizer))
	a.Continuity = score(t.cont[q], float64(exact.Normalizer))
	a.MRREFalse, a.MRREMissing = score(t.wrong[q], worst), score(t.missing[q], worst)
	a.QNX, a.RNX = overlap(t.common[q])
	a.LCMC = Estimate{a.QNX.Value - share, a.QNX.StandardError}
	return a
}

// stratifiedMean estimates the mean of x over all points from its values at the
// references, which follow each other by stratum, and the standard error.
func stratifiedMean(strata []Stratum, x []float64) (mean, se float64) {
	total, variance, pts := 0.0, 0.0, 0.0
	offset := 0
	for _, h := range strata {
		part := x[offset : offset+h.References]
		offset += h.References
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
	limit := max(1, want/referencesPer)
	var strata []Stratum
	for lo, labels := 0, countRuns(order, label); lo < n; {
		// Each stratum left gets an equal share of the points left.
		share := (n - lo + limit - 1 - len(strata)) / max(1, limit-len(strata))
		if labels <= limit {
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
		drawn, err := stat.NewRandom(stat.StreamReferences.Key(a.Seed, uint64(h))).SampleWithoutReplacement(s.Points,
			s.References)
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
	for index := 1; index < len(order); index++ {
		if label(order[index]) != label(order[index-1]) {
			runs++
		}
	}
	return runs
}

// allot shares want references among the strata in proportion to their points, at
// least two to each, by largest remainders.
func allot(strata []Stratum, n, want int) {
	allotted := 0
	ideal := make([]float64, len(strata))
	for h := range strata {
		s := &strata[h]
		ideal[h] = float64(want) * float64(s.Points) / float64(n)
		s.References = min(s.Points, max(2, int(ideal[h])))
		allotted += s.References
	}
	for allotted != want {
		best, gap := -1, math.Inf(-1)
		for h, s := range strata {
			lack := ideal[h] - float64(s.References)
			open := s.References < s.Points
			if allotted > want {
				lack, open = -lack, s.References > min(2, s.Points)
			}
			if open && lack > gap {
				best, gap = h, lack
			}
		}
		switch {
		case best < 0:
			return // want is too small for two in every stratum
		case allotted < want:
			strata[best].References++
			allotted++
		default:
			strata[best].References--
			allotted--
		}
	}
}
