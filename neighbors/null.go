// The permutation null: the scores of embedded spaces whose points are assigned to the originals in another order.
// Permuting changes no distance, so the null needs only two kinds of lists. The neighbor lists of the embedded space,
// permuted, are ranked in the rows of the original as these are computed. The lists of the original, permuted, are
// ranked in the rows of the embedded space.
//
// With permutation π, point i of the permuted space is point a = π(i) of the embedded one. Its neighbors are the
// neighbors of row a by distance; at equal distances all orders are averaged or, under TiesIndex, the index in the
// permuted space counts, π⁻¹. Its exclusion window is the window of i.

package neighbors

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
)

// NullSums are the sums of one permutation, with one entry per k, ascending.
type NullSums struct{ Trust, Cont, Common []Fixed }

// NullScores are the scores of one k under one permutation of Options.Permutations.
type NullScores struct {
	TrustPenalty, ContPenalty   float64
	Trustworthiness, Continuity float64
	Common, RNX                 float64
}

// permutation is one of Options.Permutations and its inverse.
type permutation struct{ to, inverse []int32 }

func newPermutations(n int, lists [][]int) ([]permutation, error) {
	out := make([]permutation, len(lists))
	for p, list := range lists {
		if len(list) != n {
			return nil, fmt.Errorf("permutation %d: %d entries for %d points", p, len(list), n)
		}
		q := permutation{make([]int32, n), make([]int32, n)}
		for i := range q.inverse {
			q.inverse[i] = -1
		}
		for i, a := range list {
			if a < 0 || a >= n || q.inverse[a] >= 0 {
				return nil, fmt.Errorf("permutation %d: entry %d is %d, want each of 0 to %d once", p, i, a, n-1)
			}
			q.to[i], q.inverse[a] = int32(a), int32(i)
		}
		out[p] = q
	}
	return out, nil
}

// null is the work on the permutations of one Map.
type null struct {
	pass     *Pass
	lo, hi   int
	averages bool
	spaces   []rows.Space // embedded, with no exclusions but the point itself
	layouts  []rows.Layout
	workers  [][]rows.Worker // of each space
	original []rows.Worker
	scratch  []nullScratch // more than goroutines
	// runs are the rows of the embedded spaces that belong to points lo … hi−1 in some permutation,
	// ascending, with few others between them.
	runs []span
	// kept[i−lo] are the neighbors of point i in the original, and nearest[e][a] the neighbors of point a of embedded
	// space e, with all ties of the last and more for the exclusion window.
	kept    []rows.Listed
	nearest [][]rows.Listed
	budget  int64          // of nearest and kept, in bytes
	taken   atomic.Int64   // of it
	sums    [][][]NullSums // of each worker, space and permutation
	// counters, if not nil, compute the pass's own comparison from the lists and rows of the null; see sharesRows.
	counters []*rowCounter
	out      []PartialSpace
	// advance reports finished rows.
	advance func(rows int)
}

// sharesRows reports whether rows of the embedded spaces serve the pass and the null: over all points,
// without a window, which the null's rows do not have.
func (p *Pass) sharesRows(lo, hi int) bool {
	return p.averages() && !p.curves && p.options.ExcludeWindow == 0 && lo == 0 && hi == p.n
}

// span is rows lo … hi−1.
type span struct{ lo, hi int }

// bridged is the longest gap of unneeded rows that is computed with its surroundings.
const bridged = 32

// needed are the rows that belong to points lo … hi−1 in some permutation. It is all rows, in one run, if these are not
// much fewer: the distances of pairs of all rows are computed once.
func (p *Pass) needed(lo, hi int) []span {
	var indices []int32
	for _, order := range p.permutations {
		indices = append(indices, order.to[lo:hi]...)
	}
	slices.Sort(indices)
	var runs []span
	count := 0
	for _, a := range indices {
		a := int(a)
		if last := len(runs) - 1; last >= 0 && a <= runs[last].hi+bridged {
			count += max(0, a+1-runs[last].hi)
			runs[last].hi = max(runs[last].hi, a+1)
			continue
		}
		runs = append(runs, span{a, a + 1})
		count++
	}
	if 2*count >= p.n {
		return []span{{0, p.n}}
	}
	return runs
}

type nullScratch struct {
	nearest    rows.Listed
	rank, tied []int32
	lists      rows.Lists
	own        []position // of the points of lists, where ties are averaged
	from       []int
}

// openNull prepares the permutations, nil without any. budget is for rows of one
// embedded space at a time, and as much for lists.
func (p *Pass) openNull(ctx context.Context, lo, hi int, budget int64) (*null, error) {
	if len(p.permutations) == 0 {
		return nil, nil
	}
	u := &null{pass: p, lo: lo, hi: hi, averages: p.options.Ties != TiesIndex, kept: make([]rows.Listed, hi-lo), budget: budget, runs: p.needed(lo, hi)}
	threads := p.threads()
	u.scratch = make([]nullScratch, 2*threads)
	u.sums = make([][][]NullSums, threads)
	for w := range u.sums {
		u.sums[w] = p.newNullSums()
	}
	equal, err := p.duplicates(ctx)
	if err != nil {
		return nil, err
	}
	for e, embedded := range p.embedded {
		o := p.rowOptions(ctx, embedded)
		o.ExcludeWindow, o.Memory = 0, max(1, budget/int64(len(p.embedded)))
		s, err := rows.Open(ctx, embedded.points, embedded.points, true, false, o, equal[1+e])
		if err != nil {
			return nil, err
		}
		l, err := rows.NewLayout(o, p.n, 0, p.n, s, nil)
		if err != nil {
			return nil, err
		}
		u.spaces, u.layouts = append(u.spaces, s), append(u.layouts, l)
		u.nearest = append(u.nearest, make([]rows.Listed, p.n))
		workers := make([]rows.Worker, threads)
		for w := range workers {
			workers[w] = s.Worker()
		}
		u.workers = append(u.workers, workers)
	}
	return u, nil
}

func (p *Pass) newNullSums() [][]NullSums {
	out := make([][]NullSums, len(p.embedded))
	for e := range out {
		for range p.permutations {
			out[e] = append(out[e], NullSums{make([]Fixed, len(p.ks)), make([]Fixed, len(p.ks)), make([]Fixed, len(p.ks))})
		}
	}
	return out
}

// maxListed bounds the points that one goroutine ranks together, maxListedTogether the points of all goroutines.
const maxListed, maxListedTogether = 1 << 17, 1 << 19

// parallel calls visit for all rows lo … hi−1 in groups, for each of whose rows no more than listed points are
// ranked.
func (u *null) parallel(ctx context.Context, lo, hi, listed int, visit func(w, first, last int) error) error {
	threads := u.pass.threads()
	step := max(1, min(rows.GroupRows, maxListed/max(1, listed)))
	groups := (hi - lo + step - 1) / step
	groups = (groups + threads - 1) / threads * threads // of equal height, as many for each
	return parallel.Try(ctx, threads, groups, func(w, g int) error {
		if first, last := lo+g*(hi-lo)/groups, lo+(g+1)*(hi-lo)/groups; first < last {
			return visit(w, first, last)
		}
		return nil
	})
}

// rows calls visit for every row of embedded space e that is needed, in groups.
func (u *null) rows(ctx context.Context, e, listed int, visit func(w, first, last int) error) error {
	step := u.layouts[e].Rows
	if whole := (span{0, u.pass.n}); u.runs[0] == whole {
		u.spaces[e].Plan(step, u.pass.n, u.layouts[e].Kept)
	} else {
		u.spaces[e].Plan(0, u.pass.n, 0)
	}
	for _, run := range u.runs {
		for start := run.lo; start < run.hi; start += step {
			end := min(run.hi, start+step)
			if err := u.spaces[e].Load(ctx, start, end); err != nil {
				return err
			}
			if err := u.parallel(ctx, start, end, listed, visit); err != nil {
				return err
			}
			u.advance(end - start)
		}
	}
	return nil
}

// keep returns a list in memory of its own.
func (u *null) keep(list rows.Listed) (rows.Listed, error) {
	if taken := u.taken.Add(int64(8 * len(list.Index))); taken > u.budget {
		return rows.Listed{}, fmt.Errorf("memory: permutations need neighbor lists with all ties, more than the %d "+
			"bytes left: raise the limit, or turn permutations off", u.budget)
	}
	return rows.Listed{Index: slices.Clone(list.Index), Run: slices.Clone(list.Run)}, nil
}

// rowsOfSpace is the number of rows that are computed in each embedded space, twice.
func (u *null) rowsOfSpace() (n int) {
	for _, run := range u.runs {
		n += run.hi - run.lo
	}
	return n
}

// begin finds the neighbors in the embedded spaces.
func (u *null) begin(ctx context.Context) error {
	p := u.pass
	// Of a row's nearest, an exclusion window takes no more than it is wide.
	count := min(p.n-1, p.kmax+2*p.options.ExcludeWindow)
	for e := range u.spaces {
		err := u.rows(ctx, e, maxListed/16, func(w, first, last int) (err error) {
			s := &u.scratch[w]
			for a := first; a < last; a++ {
				if u.counters != nil {
					s.nearest = u.neighbors(e, w, a, s.nearest)
				} else {
					s.nearest.Index, s.nearest.Run = u.workers[e][w].NearestTied(a, count, s.nearest.Index, s.nearest.Run)
				}
				if u.nearest[e][a], err = u.keep(s.nearest); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// permutedList appends to s.lists the neighbors of point i of a permuted space, from the neighbors of its embedded
// point, and to s.own their positions there. It takes kmax of them, and all ties of the last if ties are averaged.
func (u *null) permutedList(s *nullScratch, i int, source rows.Listed, inverse []int32) {
	among := u.pass.among()
	l := &s.lists
	kmax, begun := u.pass.kmax, len(l.List)
	for begin := 0; begin < len(source.Index) && len(l.List)-begun < kmax; {
		end := rows.RunEnd(source.Run, begin)
		first := len(l.List)
		for _, m := range source.Index[begin:end] {
			j := inverse[m]
			if !among.Excludes(i, int(j)) {
				l.List = append(l.List, j)
			}
		}
		begin = end
		if u.averages {
			for range len(l.List) - first {
				s.own = append(s.own, position{first - begun, len(l.List) - first})
			}
			continue
		}
		slices.Sort(l.List[first:])
		l.List = l.List[:min(len(l.List), begun+kmax)]
	}
}

// remember takes the neighbors of point i in the original.
func (u *null) remember(i int, neighbors rows.Listed, in rows.Worker) (err error) {
	if u.averages && neighbors.Run == nil { // in random order
		neighbors.Index, neighbors.Run = in.NearestTied(i, u.pass.kmax, nil, nil)
	}
	if u.counters == nil {
		neighbors = neighbors.Cut(u.pass.kmax)
	}
	u.kept[i-u.lo], err = u.keep(neighbors)
	return err
}

// neighbors are the neighbors that the pass needs of point i in its loaded row of embedded space e.
func (u *null) neighbors(e, w, i int, list rows.Listed) rows.Listed {
	c, in := u.counters[w], u.workers[e][w]
	before := in.Redecided()
	list = c.neighbors(in, i, list)
	c.sums[e].EmbeddedRedecided += in.Redecided() - before
	return list
}

// trust is the pass's comparison of point i in its loaded row of the original, for all embedded spaces.
func (u *null) trust(w, i int) {
	for e := range u.spaces {
		u.counters[w].trust(e, i, u.nearest[e][i], &u.out[e], i-u.lo)
	}
}

// cont is the pass's comparison of point i in its loaded row of embedded space e.
func (u *null) cont(e, w, i int) {
	c, in := u.counters[w], u.workers[e][w]
	before := in.Redecided()
	c.cont(e, i, u.kept[i-u.lo], in, &u.out[e], i-u.lo)
	c.sums[e].EmbeddedRedecided += in.Redecided() - before
}

// visit ranks the permuted neighbors of points start … end−1 in their loaded rows of the original.
func (u *null) visit(ctx context.Context, start, end int) error {
	threads := u.pass.threads()
	step := max(threads, maxListedTogether/(u.pass.kmax*len(u.pass.permutations)))
	for e := range u.spaces {
		for first := start; first < end; first += step {
			if err := u.visitTogether(ctx, e, first, min(end, first+step)); err != nil {
				return err
			}
		}
	}
	return nil
}

// visitTogether ranks the permuted neighbors of points start … end−1, of embedded space e.
func (u *null) visitTogether(ctx context.Context, e, start, end int) error {
	p := u.pass
	groups := min(end-start, len(u.scratch))
	lists, ranks := make([]*rows.Lists, groups), make([][]int32, groups)
	err := parallel.For(ctx, p.threads(), groups, func(_, g int) {
		s := &u.scratch[g]
		s.lists.Reset(start + g*(end-start)/groups)
		s.own, s.from = s.own[:0], s.from[:0]
		for i := s.lists.First; i < start+(g+1)*(end-start)/groups; i++ {
			for _, order := range p.permutations {
				s.from = append(s.from, len(s.lists.List))
				u.permutedList(s, i, u.nearest[e][order.to[i]], order.inverse)
			}
			s.lists.Ends = append(s.lists.Ends, len(s.lists.List))
		}
		s.from = append(s.from, len(s.lists.List))
		s.lists.Orders = nil
		u.makeRoom(s)
		lists[g], ranks[g] = &s.lists, s.rank
	})
	if err != nil {
		return err
	}
	if err := rows.RankTogether(ctx, u.original, lists, ranks); err != nil {
		return err
	}
	return parallel.For(ctx, p.threads(), groups, func(w, g int) {
		s := &u.scratch[g]
		for at := range len(s.from) - 1 {
			sums := &u.sums[w][e][at%len(p.permutations)]
			u.count(s, s.from[at], s.from[at+1], sums.Trust, sums.Common)
		}
	})
}

// makeRoom allocates the ranks of the lists, or the positions of their points.
func (u *null) makeRoom(s *nullScratch) {
	s.rank, s.lists.Tied = scan.Grown(s.rank, len(s.lists.List)), nil
	if u.averages {
		s.tied = scan.Grown(s.tied, len(s.lists.List))
		s.lists.Tied = s.tied
	}
}

// count adds the penalties of the points from … to−1 of the lists and, unless common is nil, how many of them are
// neighbors in the other space.
func (u *null) count(s *nullScratch, from, to int, penalty, common []Fixed) {
	if !u.averages {
		u.pass.penalties(s.rank[from:to], penalty, common)
		return
	}
	for at := from; at < to; at++ {
		other := position{int(s.rank[at]) - 1, int(s.tied[at]) + 1}
		u.pass.expect(s.own[at], other, penalty, common, nil, nil)
	}
}

// finish ranks the original neighbors in the permuted spaces.
func (u *null) finish(ctx context.Context) error {
	p := u.pass
	orders := make([][]int32, len(p.permutations))
	for q, order := range p.permutations {
		orders[q] = order.inverse
	}
	each := len(p.permutations) * (p.kmax + 2*p.options.ExcludeWindow)
	for e := range u.spaces {
		err := u.rows(ctx, e, each, func(w, first, last int) error {
			s := &u.scratch[w]
			s.lists.Reset(first)
			s.lists.Orders, s.from, s.own = orders, s.from[:0], s.own[:0]
			for a := first; a < last; a++ {
				if u.counters != nil {
					u.cont(e, w, a)
				}
				u.listOriginal(s, a)
			}
			s.from = append(s.from, len(s.lists.List))
			u.makeRoom(s)
			u.workers[e][w].RankLists(&s.lists, s.rank)
			for entry := range len(s.from) - 1 {
				q := entry % len(p.permutations)
				a := first + entry/len(p.permutations)
				i := int(p.permutations[q].inverse[a])
				if from := s.from[entry]; i >= u.lo && i < u.hi {
					kept := from + len(u.kept[i-u.lo].Cut(p.kmax).Index)
					s.closeUp(from, kept, s.from[entry+1])
					u.count(s, from, kept, u.sums[w][e][q].Cont, nil)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// listOriginal appends, for each permutation, the original neighbors of the point to which a is assigned, as points of
// the embedded space, and the neighbors that the exclusion window removes. s.from holds the start of each
// permutation's.
func (u *null) listOriginal(s *nullScratch, a int) {
	p, l := u.pass, &s.lists
	among := p.among()
	for q, order := range p.permutations {
		s.from = append(s.from, len(l.List))
		i := int(order.inverse[a])
		if i < u.lo || i >= u.hi {
			continue
		}
		kept := u.kept[i-u.lo].Cut(p.kmax)
		for begin := 0; begin < len(kept.Run); {
			end := rows.RunEnd(kept.Run, begin)
			for range end - begin {
				s.own = append(s.own, position{begin, end - begin})
			}
			begin = end
		}
		for _, j := range kept.Index {
			l.List = append(l.List, order.to[j])
		}
		if among.Window > 0 {
			among.Exclusions(i, func(j int) {
				if j != i {
					l.List = append(l.List, order.to[j])
				}
			})
		}
		for len(l.Owner) < len(l.List) {
			l.Owner = append(l.Owner, int32(q))
		}
		for len(s.own) < len(l.List) { // removed by the window, or without averages
			s.own = append(s.own, position{})
		}
	}
	l.Ends = append(l.Ends, len(l.List))
}

// closeUp renumbers the ranks of the points from … kept−1 of the lists as if the points kept … to−1 were absent.
func (s *nullScratch) closeUp(from, kept, to int) {
	if kept == to {
		return
	}
	out := s.rank[kept:to]
	slices.Sort(out)
	for entry := from; entry < kept; entry++ {
		before, _ := slices.BinarySearch(out, s.rank[entry])
		if s.lists.Tied != nil {
			after, _ := slices.BinarySearch(out, s.rank[entry]+1)
			s.tied[entry] -= int32(after - before)
		}
		s.rank[entry] -= int32(before)
	}
}

// penalties adds one point's penalties by the ranks of its neighbors, nearest first.
func (p *Pass) penalties(rank []int32, penalty, common []Fixed) {
	for q, k := range p.sorted {
		for _, r := range rank[:k] {
			penalty[q].Whole += int64(max(0, int(r)-k))
			if common != nil && int(r) <= k {
				common[q].Whole++
			}
		}
	}
}
