// The permutation null: the scores of embedded spaces whose points
// are given to the originals in another order. Permuting changes no distance, so
// that the null needs no more than the neighbour lists of the embedded space,
// permuted, ranked in the rows of the original as they come by, and the
// lists of the original, permuted, ranked in the rows of the embedded space.
//
// With permutation π, point i of the permuted space is point a = π(i) of the
// embedded one. Its order of neighbours is that of row a by distance, but at equal
// distances by place in the permuted space, π⁻¹; its exclusion window is that of i.

package neighbors

import (
	"context"
	"fmt"
	"slices"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
)

// NullSums are the sums of one permutation, with one entry per k, ascending.
type NullSums struct{ Trust, Cont []int64 }

// NullScores are the scores of one k under one permutation of Options.Permutations.
type NullScores struct {
	TrustPenalty, ContPenalty   int64
	Trustworthiness, Continuity float64
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
	pass         *Pass
	lo, hi       int
	permutations []permutation // of this round
	first        int           // index of the first of them
	spaces       []rows.Space  // embedded, with no exclusions but the point itself
	layouts      []rows.Layout
	workers      [][]rows.Worker // of each space
	original     []rows.Worker
	scratch      []nullScratch
	// original neighbours of each point, kmax of each.
	neighbors []int32
	// lists[e][p] are the kmax neighbours of each point in permuted space e.
	lists [][][]int32
	sums  [][][]NullSums // of each worker, space and permutation
	// advance reports finished rows.
	advance func(rows int)
}

type nullScratch struct {
	list, group, sorted, rank []int32
	lists                     rows.Lists
	from                      []int
}

// openNull prepares the permutations, nil without any. budget is for rows of one
// embedded space at a time.
func (p *Pass) openNull(ctx context.Context, lo, hi int, budget int64) (*null, error) {
	if len(p.permutations) == 0 {
		return nil, nil
	}
	u := &null{pass: p, lo: lo, hi: hi, neighbors: make([]int32, (hi-lo)*p.kmax)}
	threads := p.threads()
	u.scratch = make([]nullScratch, threads)
	u.sums = make([][][]NullSums, threads)
	for w := range u.sums {
		u.sums[w] = p.newNullSums()
	}
	equal, err := p.duplicates(ctx)
	if err != nil {
		return nil, err
	}
	for e, of := range p.embedded {
		o := p.options.rows(ctx, of.metric)
		o.ExcludeWindow, o.Memory = 0, max(1, budget/int64(len(p.embedded)))
		s, err := rows.Open(ctx, of.points, of.points, true, false, o, equal[1+e])
		if err != nil {
			return nil, err
		}
		l, err := rows.NewLayout(o, p.n, 0, p.n, s, nil)
		if err != nil {
			return nil, err
		}
		u.spaces, u.layouts = append(u.spaces, s), append(u.layouts, l)
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
			out[e] = append(out[e], NullSums{make([]int64, len(p.ks)), make([]int64, len(p.ks))})
		}
	}
	return out
}

// maxListed bounds the points that are ranked together.
const maxListed = 1 << 17

// parallel calls visit for all rows lo … hi−1 in groups, for each of whose rows no more than listed points are
// ranked.
func (u *null) parallel(ctx context.Context, lo, hi, listed int, visit func(w, first, last int)) error {
	threads := u.pass.threads()
	step := max(1, min(rows.GroupRows, maxListed/max(1, listed), (hi-lo+threads-1)/threads))
	return parallel.For(ctx, threads, (hi-lo+step-1)/step, func(w, g int) {
		visit(w, lo+g*step, min(hi, lo+(g+1)*step))
	})
}

// rows calls visit for every row of embedded space e, in groups.
func (u *null) rows(ctx context.Context, e, listed int, visit func(w, first, last int)) error {
	step := u.layouts[e].Rows
	u.spaces[e].Plan(step, u.pass.n, u.layouts[e].Kept)
	for start := 0; start < u.pass.n; start += step {
		end := min(u.pass.n, start+step)
		if err := u.spaces[e].Load(ctx, start, end); err != nil {
			return err
		}
		if err := u.parallel(ctx, start, end, listed, visit); err != nil {
			return err
		}
		u.advance(end - start)
	}
	return nil
}

// begin takes permutations first … last−1 and finds their neighbour lists.
func (u *null) begin(ctx context.Context, first, last int) error {
	p := u.pass
	u.permutations, u.first = p.permutations[first:last], first
	if u.lists == nil {
		u.lists = make([][][]int32, len(u.spaces))
	}
	// Of a row's nearest, an exclusion window takes no more than it is wide.
	count := min(p.n-1, p.kmax+2*p.options.ExcludeWindow)
	for e := range u.spaces {
		for len(u.lists[e]) < len(u.permutations) {
			u.lists[e] = append(u.lists[e], make([]int32, (u.hi-u.lo)*p.kmax))
		}
		err := u.rows(ctx, e, maxListed/16, func(w, first, last int) {
			s := &u.scratch[w]
			for a := first; a < last; a++ {
				s.list, s.group = u.workers[e][w].NearestTied(a, count, s.list, s.group)
				for q, order := range u.permutations {
					i := int(order.inverse[a])
					if i < u.lo || i >= u.hi {
						continue
					}
					at := (i - u.lo) * p.kmax
					u.permutedList(s, i, order.inverse, u.lists[e][q][at:at:at+p.kmax])
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// permutedList appends the neighbours of point i of the permuted space to out,
// up to its capacity.
func (u *null) permutedList(s *nullScratch, i int, inverse, out []int32) {
	window, episode := u.pass.options.ExcludeWindow, u.pass.options.Episode
	candidate := func(j int) bool {
		return max(i-j, j-i) > window || episode != nil && episode[i] != episode[j]
	}
	for at := 0; at < len(s.list) && len(out) < cap(out); {
		end := at + 1
		for end < len(s.list) && s.group[end] == s.group[at] {
			end++
		}
		if end == at+1 {
			if j := inverse[s.list[at]]; candidate(int(j)) {
				out = append(out, j)
			}
			at = end
			continue
		}
		s.sorted = s.sorted[:0]
		for _, m := range s.list[at:end] {
			if j := inverse[m]; candidate(int(j)) {
				s.sorted = append(s.sorted, j)
			}
		}
		slices.Sort(s.sorted)
		out = append(out, s.sorted[:min(len(s.sorted), cap(out)-len(out))]...)
		at = end
	}
}

// remember takes the neighbours of point i in the original.
func (u *null) remember(i int, neighbors []int32) {
	at := (i - u.lo) * u.pass.kmax
	copy(u.neighbors[at:at+u.pass.kmax], neighbors)
}

// visit ranks the permuted neighbours of points start … end−1 in their loaded rows of the original.
func (u *null) visit(ctx context.Context, start, end int) error {
	p := u.pass
	each := p.kmax * len(u.permutations) // of a row
	return u.parallel(ctx, start, end, each, func(w, first, last int) {
		s := &u.scratch[w]
		for e := range u.spaces {
			s.lists.Reset(first)
			for i := first; i < last; i++ {
				at := (i - u.lo) * p.kmax
				for q := range u.permutations {
					s.lists.List = append(s.lists.List, u.lists[e][q][at:at+p.kmax]...)
				}
				s.lists.Ends = append(s.lists.Ends, len(s.lists.List))
			}
			s.rank = scan.Grown(s.rank, len(s.lists.List))
			s.lists.Orders = nil
			u.original[w].RankLists(&s.lists, s.rank)
			for r := range last - first {
				for q := range u.permutations {
					at := r*each + q*p.kmax
					p.penalties(s.rank[at:at+p.kmax], u.sums[w][e][u.first+q].Trust)
				}
			}
		}
	})
}

// finish ranks the original neighbours in the permuted spaces.
func (u *null) finish(ctx context.Context) error {
	orders := make([][]int32, len(u.permutations))
	for q, order := range u.permutations {
		orders[q] = order.inverse
	}
	each := len(u.permutations) * (u.pass.kmax + 2*u.pass.options.ExcludeWindow)
	for e := range u.spaces {
		err := u.rows(ctx, e, each, func(w, first, last int) {
			s := &u.scratch[w]
			s.lists.Reset(first)
			s.lists.Orders, s.from = orders, s.from[:0]
			for a := first; a < last; a++ {
				u.listOriginal(s, a)
			}
			s.from = append(s.from, len(s.lists.List))
			s.rank = scan.Grown(s.rank, len(s.lists.List))
			u.workers[e][w].RankLists(&s.lists, s.rank)
			for at := range len(s.from) - 1 {
				if rank := s.rank[s.from[at]:s.from[at+1]]; len(rank) > 0 {
					q := at % len(u.permutations)
					u.pass.penalties(closedUp(rank, u.pass.kmax), u.sums[w][e][u.first+q].Cont)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// listOriginal appends, for each permutation, the original neighbours of the point to which a is given, as points of
// the embedded space, and those that the exclusion window takes. s.from says where each permutation's begin.
func (u *null) listOriginal(s *nullScratch, a int) {
	p, l := u.pass, &s.lists
	own := p.among()
	for q, order := range u.permutations {
		s.from = append(s.from, len(l.List))
		i := int(order.inverse[a])
		if i < u.lo || i >= u.hi {
			continue
		}
		at := (i - u.lo) * p.kmax
		for _, j := range u.neighbors[at : at+p.kmax] {
			l.List = append(l.List, order.to[j])
		}
		if own.Window > 0 {
			own.Exclusions(i, func(j int) {
				if j != i {
					l.List = append(l.List, order.to[j])
				}
			})
		}
		for len(l.Owner) < len(l.List) {
			l.Owner = append(l.Owner, int32(q))
		}
	}
	l.Ends = append(l.Ends, len(l.List))
}

// closedUp returns the first kmax ranks as they are without the points of the others.
func closedUp(rank []int32, kmax int) []int32 {
	kept, out := rank[:kmax], rank[kmax:]
	slices.Sort(out)
	for l, r := range kept {
		before, _ := slices.BinarySearch(out, r)
		kept[l] = r - int32(before)
	}
	return kept
}

// again goes through the rows of the original once more for permutations first … last−1.
func (u *null) again(ctx context.Context, original rows.Space, l rows.Layout, first, last int) error {
	if err := u.begin(ctx, first, last); err != nil {
		return err
	}
	original.Plan(l.Rows, u.hi, l.Kept)
	for start := u.lo; start < u.hi; start += l.Rows {
		end := min(u.hi, start+l.Rows)
		if err := original.Load(ctx, start, end); err != nil {
			return err
		}
		if err := u.visit(ctx, start, end); err != nil {
			return err
		}
	}
	return u.finish(ctx)
}

// penalties adds one point's penalties by the ranks of its neighbours, nearest first.
func (p *Pass) penalties(rank []int32, penalty []int64) {
	for q, k := range p.sorted {
		for _, r := range rank[:k] {
			penalty[q] += int64(max(0, int(r)-k))
		}
	}
}

// rounds cuts the permutations into rounds whose lists fit the budget.
func (p *Pass) rounds(points int, budget int64) (step int) {
	each := int64(points) * int64(p.kmax) * 4 * int64(len(p.embedded))
	return int(max(1, min(int64(len(p.permutations)), budget/each)))
}
