package neighbors

// This file holds the pass over row blocks: Compare, and the Map and Merge it is made of.

import (
	"context"
	"fmt"
	"slices"

	"repscope/points"
)

// Compare measures how well each embedded space keeps the neighbourhoods of
// original. All spaces must have the same number n ≥ 3 of points, point i of
// each belonging together. The distances of the original are computed once.
//
// Errors say what was found and what was expected: unequal n, k outside
// 1..n−2, NaN or Inf with its place, a point that an exclusion window or a
// deleted block leaves with too few candidates. Cancelling ctx returns its error.
func Compare(ctx context.Context, original points.Points, embedded []points.Points, o Options) ([]Preservation, error) {
	p, err := NewPass(original, embedded, o)
	if err != nil {
		return nil, err
	}
	if p.onGPU() {
		parts, err := p.compareOnGPUs(ctx)
		if err != nil {
			return nil, err
		}
		return p.Merge(parts...)
	}
	part, err := p.Map(ctx, 0, p.n)
	if err != nil {
		return nil, err
	}
	return p.Merge(part)
}

// Pass is a validated comparison that can be computed in parts: Map on ranges
// of points, in any order, anywhere, then Merge.
type Pass struct {
	n        int
	original points.Points
	embedded []points.Points
	options  Options
	ks       []int // as asked for
	sorted   []int // ascending
	order    []int // sorted[order[q]] == ks[q]
	kmax     int
	curves   bool

	permutations []permutation

	blockIDs   []int   // ascending, nil without blocks
	group      []int32 // block of each point, an index into blockIDs
	groupSizes []int

	// candidates counts, for all points, how many have each number of
	// candidates; deleted[b] the same among the points outside block b.
	candidates map[int]int64
	deleted    []map[int]int64
	least      int // smallest number of candidates
}

// NewPass validates a comparison; see Compare.
func NewPass(original points.Points, embedded []points.Points, o Options) (*Pass, error) {
	p := &Pass{n: original.N, original: original, embedded: embedded, options: o, ks: o.Ks}
	if p.ks == nil {
		p.ks = []int{5, 10, 20}
	}
	if err := checkPoints("original space", original, o.Metric); err != nil {
		return nil, err
	}
	if p.n < 3 {
		return nil, fmt.Errorf("original space: %d points, want at least 3", p.n)
	}
	if len(embedded) == 0 {
		return nil, fmt.Errorf("no embedded space given")
	}
	if o.EmbeddedMetrics != nil && len(o.EmbeddedMetrics) != len(embedded) {
		return nil, fmt.Errorf("%d metrics for %d embedded spaces", len(o.EmbeddedMetrics), len(embedded))
	}
	for e, pts := range embedded {
		if m := o.embeddedMetric(e); m > Precomputed {
			return nil, fmt.Errorf("embedded space %d: metric: unknown %v", e, m)
		}
		if pts.N != p.n {
			return nil, fmt.Errorf("embedded space %d: %d points, want %d as in the original space", e, pts.N, p.n)
		}
		if err := checkPoints(fmt.Sprintf("embedded space %d", e), pts, o.embeddedMetric(e)); err != nil {
			return nil, err
		}
	}
	if err := o.checkCounts(p.n); err != nil {
		return nil, err
	}
	if err := checkKs(p.ks, p.n); err != nil {
		return nil, err
	}
	var err error
	if p.permutations, err = newPermutations(p.n, o.Permutations); err != nil {
		return nil, err
	}
	p.sorted = slices.Sorted(slices.Values(p.ks))
	p.kmax = p.sorted[len(p.sorted)-1]
	for _, k := range p.ks {
		p.order = append(p.order, slices.Index(p.sorted, k))
	}
	p.curves = o.CoRanking == CoRankingFull || o.CoRanking == CoRankingAuto && p.n <= AutoCoRankingPoints
	if o.Blocks != nil {
		p.setBlocks()
	}
	return p, p.countCandidates()
}

// setBlocks numbers the blocks 0, 1, … by ascending id.
func (p *Pass) setBlocks() {
	p.blockIDs = slices.Compact(slices.Sorted(slices.Values(p.options.Blocks)))
	p.group = make([]int32, p.n)
	p.groupSizes = make([]int, len(p.blockIDs))
	for i, id := range p.options.Blocks {
		g, _ := slices.BinarySearch(p.blockIDs, id)
		p.group[i] = int32(g)
		p.groupSizes[g]++
	}
}

// countCandidates fills the counts of candidates and checks that every point
// keeps more than kmax of them.
func (p *Pass) countCandidates() error {
	if len(p.blockIDs) == 1 {
		return fmt.Errorf("blocks: all points are in block %d: the jackknife needs at least two blocks", p.blockIDs[0])
	}
	b := base{n: p.n, self: true, window: p.options.ExcludeWindow, episode: p.options.Episode}
	p.candidates = make(map[int]int64)
	p.deleted = make([]map[int]int64, len(p.blockIDs))
	for g := range p.deleted {
		p.deleted[g] = make(map[int]int64)
	}
	p.least = p.n
	out := make([]int, len(p.blockIDs)) // excluded points of each block
	for i := range p.n {
		m := p.n
		clear(out)
		b.exclusions(i, func(j int) {
			m--
			if p.group != nil {
				out[p.group[j]]++
			}
		})
		p.candidates[m]++
		p.least = min(p.least, m)
		if m <= p.kmax {
			return fmt.Errorf("k = %d: point %d has only %d candidates outside the exclusion window %d, want at least k+1", p.kmax, i, m, p.options.ExcludeWindow)
		}
		for g, size := range p.groupSizes {
			if g == int(p.group[i]) {
				continue
			}
			left := m - size + out[g]
			p.deleted[g][left]++
			if left <= p.kmax {
				return fmt.Errorf("k = %d: with block %d (%d points) deleted, point %d has only %d candidates, want at least k+1", p.kmax, p.blockIDs[g], size, i, left)
			}
		}
	}
	return nil
}

// candidatesOf is the number of candidates of point i.
func (p *Pass) candidatesOf(i int) int {
	if p.options.ExcludeWindow == 0 {
		return p.n - 1
	}
	m := p.n
	b := base{n: p.n, self: true, window: p.options.ExcludeWindow, episode: p.options.Episode}
	b.exclusions(i, func(int) { m-- })
	return m
}

// Sums are the integers that the scores of all k are made of.
type Sums struct {
	// Trust, Cont and Common have one entry per k, ascending.
	Trust, Cont, Common []int64
	// False[l−1] is Σ_i |r_ij − l| over the l-th embedded neighbour j, and
	// Missing the same with the roles exchanged: MRRE's numerators.
	False, Missing []int64
}

// PartialSpace is the part of one embedded space.
type PartialSpace struct {
	Sums
	// Deleted has the same sums for each deleted block, ascending by id.
	Deleted []Sums
	// PointTrust and PointCont are the penalties of the points Lo … Hi−1 for
	// each k, ascending, when asked for.
	PointTrust, PointCont [][]int64
	// Null has the sums of each permutation.
	Null []NullSums
	// Best[r−1] counts the pairs with max(r_ij, r̂_ij) = r, for the curves.
	Best []int64
	// OriginalTies, EmbeddedTies and EmbeddedRedecided are counts over the rows.
	OriginalTies, EmbeddedTies, EmbeddedRedecided int64
}

// Partial is the outcome of Map: the sums over points Lo … Hi−1. It holds
// integers only and can be stored as JSON.
type Partial struct {
	Lo, Hi int
	Spaces []PartialSpace
	// What the opened spaces know without any row.
	Original SpaceCounts
	Embedded []SpaceCounts
}

// precisePermuted is the number of permuted neighbours of a row from which on deciding
// comparisons one by one takes longer than computing all products in float64: they
// lie anywhere in the row, where many distances are close to theirs.
const precisePermuted = 300

// Points is the number n of points; Map takes ranges of 0 … n.
func (p *Pass) Points() int { return p.n }

// newSums returns zeros.
func (p *Pass) newSums() Sums {
	return Sums{
		Trust: make([]int64, len(p.ks)), Cont: make([]int64, len(p.ks)), Common: make([]int64, len(p.ks)),
		False: make([]int64, p.kmax), Missing: make([]int64, p.kmax),
	}
}

func (p *Pass) newPartialSpace(pts int) PartialSpace {
	s := PartialSpace{Sums: p.newSums()}
	for range p.blockIDs {
		s.Deleted = append(s.Deleted, p.newSums())
	}
	for range p.permutations {
		s.Null = append(s.Null, NullSums{make([]int64, len(p.ks)), make([]int64, len(p.ks))})
	}
	if p.curves {
		s.Best = make([]int64, p.n)
	}
	if p.options.PerPoint && pts > 0 {
		for range p.ks {
			s.PointTrust = append(s.PointTrust, make([]int64, pts))
			s.PointCont = append(s.PointCont, make([]int64, pts))
		}
	}
	return s
}

func addTo(a, b []int64) {
	for i, v := range b {
		a[i] += v
	}
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
	}
	addTo(s.Best, t.Best)
	s.OriginalTies += t.OriginalTies
	s.EmbeddedTies += t.EmbeddedTies
	s.EmbeddedRedecided += t.EmbeddedRedecided
}

// Map computes the part of the points lo … hi−1.
func (p *Pass) Map(ctx context.Context, lo, hi int) (*Partial, error) {
	if lo < 0 || hi > p.n || lo >= hi {
		return nil, fmt.Errorf("points %d to %d: want a range within 0 to %d", lo, hi, p.n)
	}
	o := &p.options
	groups := len(p.blockIDs)
	precise := p.curves || len(p.permutations)*p.kmax >= precisePermuted
	original, err := openSpace(ctx, p.original, p.original, true, precise, o, p.group, groups)
	if err != nil {
		return nil, err
	}
	part := &Partial{Lo: lo, Hi: hi, Original: original.counts()}
	spaces := make([]space, len(p.embedded))
	for e, pts := range p.embedded {
		if spaces[e], err = openSpace(ctx, pts, pts, true, p.curves, o.embedded(e), p.group, groups); err != nil {
			return nil, err
		}
		part.Spaces = append(part.Spaces, p.newPartialSpace(hi-lo))
		part.Embedded = append(part.Embedded, spaces[e].counts())
	}
	// A quarter of the budget goes to the lists of permuted spaces, one to their rows.
	null, err := p.openNull(ctx, lo, hi, o.budget()/4)
	if err != nil {
		return nil, err
	}
	main := *o
	if null != nil {
		main.Memory = max(1, o.budget()/2)
	}
	layout, err := main.layout(p.n, lo, hi, original, spaces)
	if err != nil {
		return nil, err
	}
	rows := layout.rows
	threads := o.threads()
	workers := make([]*rowWorker, threads)
	for w := range workers {
		workers[w] = p.newRowWorker(original, spaces)
	}
	done, total := 0, (hi-lo)*len(spaces)
	advance := func(rows int) {
		done += rows
		if o.Progress != nil {
			o.Progress(done, total)
		}
	}
	round := len(p.permutations)
	if null != nil {
		round = p.rounds(hi-lo, o.budget()/4)
		total += 2 * p.n * len(spaces) * ((len(p.permutations) + round - 1) / round)
		null.advance = advance
		for range threads {
			null.original = append(null.original, original.worker())
		}
		if err := null.begin(ctx, 0, round); err != nil {
			return nil, err
		}
	}
	// The neighbours in the original are found once for all embedded spaces.
	neighbours := make([][]int32, rows)
	for start := lo; start < hi; start += rows {
		end := min(hi, start+rows)
		if err := original.load(ctx, start, end); err != nil {
			return nil, err
		}
		err := parallel(ctx, threads, end-start, func(w, r int) {
			neighbours[r] = workers[w].neighbours(workers[w].original, start+r, neighbours[r])
			if null != nil {
				null.remember(start+r, neighbours[r])
			}
		})
		if err != nil {
			return nil, err
		}
		if null != nil {
			if err := null.visit(ctx, start, end); err != nil {
				return nil, err
			}
		}
		for e, space := range spaces {
			for first := start; first < end; first += layout.flat[e] {
				last := min(end, first+layout.flat[e])
				if err := space.load(ctx, first, last); err != nil {
					return nil, err
				}
				err := parallel(ctx, threads, last-first, func(w, r int) {
					i := first + r
					one := workers[w]
					one.list = one.neighbours(one.embedded[e], i, one.list)
					one.row(e, i, one.list, neighbours[i-start], &part.Spaces[e], i-lo)
				})
				if err != nil {
					return nil, err
				}
				advance(last - first)
			}
		}
	}
	if null != nil {
		if err := null.finish(ctx); err != nil {
			return nil, err
		}
		// Permutations whose lists did not fit into memory at once see the original again.
		for first := round; first < len(p.permutations); first += round {
			if err := null.again(ctx, original, layout, first, min(len(p.permutations), first+round)); err != nil {
				return nil, err
			}
		}
		for _, sums := range null.sums {
			for e := range spaces {
				part.Spaces[e].add(&PartialSpace{Null: sums[e]})
			}
		}
	}
	for _, w := range workers {
		for e := range spaces {
			w.sums[e].EmbeddedRedecided = w.embedded[e].redecided()
			part.Spaces[e].add(&w.sums[e])
		}
		part.Original.Redecided += w.original.redecided()
	}
	return part, nil
}

// rowWorker is one goroutine's view of the pass.
type rowWorker struct {
	pass     *Pass
	original worker
	embedded []worker
	sums     []PartialSpace

	list         []int32
	rank, closer []int32
	tally        []int32
	position     []int32
	rankOf       []int32
}

func (p *Pass) newRowWorker(original space, embedded []space) *rowWorker {
	w := &rowWorker{pass: p, original: original.worker(), tally: make([]int32, len(p.blockIDs)), position: make([]int32, len(p.blockIDs))}
	for _, s := range embedded {
		w.embedded = append(w.embedded, s.worker())
		w.sums = append(w.sums, p.newPartialSpace(0))
	}
	return w
}

// neighbours returns the kmax nearest of point i, and as many more as are
// needed for kmax to remain whichever block is deleted.
func (w *rowWorker) neighbours(in worker, i int, list []int32) []int32 {
	for count := w.pass.firstCount(); ; count *= 2 {
		list = in.nearest(i, count, list)
		if length, ok := w.enough(i, list); ok {
			return list[:length]
		}
	}
}

// firstCount is how many neighbours are looked for at first.
func (p *Pass) firstCount() int {
	if p.group == nil {
		return p.kmax
	}
	return p.kmax + p.kmax/2 + 8
}

// enough is how much of the list of point i is needed for kmax neighbours to
// remain whichever block is deleted, and whether the list is long enough.
func (w *rowWorker) enough(i int, list []int32) (length int, ok bool) {
	p := w.pass
	if p.group == nil {
		return len(list), len(list) >= p.kmax
	}
	clear(w.tally)
	most := int32(0)
	for q, j := range list {
		if g := p.group[j]; g != p.group[i] {
			w.tally[g]++
			most = max(most, w.tally[g])
		}
		if q+1-int(most) >= p.kmax {
			return q + 1, true
		}
	}
	return len(list), false
}

// row adds point i of embedded space e, given its neighbours there and in the original.
func (w *rowWorker) row(e, i int, list, neighbours []int32, out *PartialSpace, at int) {
	p, sums := w.pass, &w.sums[e]
	groups := len(p.blockIDs)

	// Ranks in the original of the embedded neighbours: trustworthiness.
	w.resize(len(list), groups)
	sums.OriginalTies += w.original.ranks(i, list, p.kmax, w.rank, w.closer)
	var trust, cont []int64
	if out.PointTrust != nil {
		trust, cont = make([]int64, len(p.ks)), make([]int64, len(p.ks))
	}
	p.tally(w.rank, sums.Trust, sums.Common, sums.False, trust)
	w.deleteBlocks(i, list, sums.Deleted, true)

	// Ranks in the embedded space of the original neighbours: continuity.
	w.resize(len(neighbours), groups)
	sums.EmbeddedTies += w.embedded[e].ranks(i, neighbours, p.kmax, w.rank, w.closer)
	p.tally(w.rank, sums.Cont, nil, sums.Missing, cont)
	w.deleteBlocks(i, neighbours, sums.Deleted, false)

	for q := range trust {
		out.PointTrust[q][at], out.PointCont[q][at] = trust[q], cont[q]
	}
	if p.curves {
		w.rankings(e, i, sums.Best)
	}
}

func (w *rowWorker) resize(length, groups int) {
	w.rank = slices.Grow(w.rank[:0], length)[:length]
	w.closer = slices.Grow(w.closer[:0], length*groups)[:length*groups]
}

// tally adds one point's neighbours, nearest first, by their ranks in the other space.
func (p *Pass) tally(rank []int32, penalty, common, errors, point []int64) {
	first := 0 // the smallest k that holds neighbour l
	for at, r := range rank[:p.kmax] {
		l := at + 1
		for p.sorted[first] < l {
			first++
		}
		errors[at] += int64(max(int(r)-l, l-int(r)))
		for q := first; q < len(p.sorted); q++ {
			if over := int(r) - p.sorted[q]; over > 0 {
				penalty[q] += int64(over)
				if point != nil {
					point[q] += int64(over)
				}
			} else if common != nil {
				common[q]++
			}
		}
	}
}

// deleteBlocks adds point i's neighbours to the sums of every block but its
// own, as if the block had never been there: neighbours of the block are
// passed over and each rank loses the block's closer points.
func (w *rowWorker) deleteBlocks(i int, list []int32, deleted []Sums, trust bool) {
	p := w.pass
	if p.group == nil {
		return
	}
	groups := len(deleted)
	clear(w.position)
	w.position[p.group[i]] = int32(p.kmax)
	for at, j := range list {
		own := int(p.group[j])
		closer := w.closer[at*groups : (at+1)*groups]
		for g, c := range closer {
			l := int(w.position[g]) + 1
			if g == own || l > p.kmax {
				continue
			}
			w.position[g] = int32(l)
			r := int(w.rank[at] - c)
			s := &deleted[g]
			penalty, errors := s.Cont, s.Missing
			if trust {
				penalty, errors = s.Trust, s.False
			}
			errors[l-1] += int64(max(r-l, l-r))
			for q := len(p.sorted) - 1; q >= 0 && p.sorted[q] >= l; q-- {
				if over := r - p.sorted[q]; over > 0 {
					penalty[q] += int64(over)
				} else if trust {
					s.Common[q]++
				}
			}
		}
	}
}

// rankings adds point i to the counts of the co-ranking curves.
func (w *rowWorker) rankings(e, i int, best []int64) {
	n := w.pass.n
	w.list = w.original.nearest(i, n, w.list)
	w.rankOf = slices.Grow(w.rankOf[:0], n)[:n]
	for r, j := range w.list {
		w.rankOf[j] = int32(r)
	}
	w.list = w.embedded[e].nearest(i, n, w.list)
	for r, j := range w.list {
		best[max(int32(r), w.rankOf[j])]++
	}
}
