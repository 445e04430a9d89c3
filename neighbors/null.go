package neighbors

// This file holds the permutation null: the scores of embedded spaces whose points
// are given to the originals in another order. Permuting changes no distance, so
// that the null needs no more than the neighbour lists of the embedded space,
// permuted, ranked in the rows of the original as they come by, and the
// lists of the original, permuted, ranked in the rows of the embedded space.
//
// With permutation π, point i of the permuted space is point a = π(i) of the
// embedded one. Its order of neighbours is that of row a by distance, but at equal
// distances by place in the permuted space, π⁻¹; its exclusion window is that of i.

import (
	"context"
	"fmt"
	"slices"
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
	spaces       []space       // embedded, with no exclusions but the point itself
	layouts      []layout
	workers      [][]worker // of each space
	original     []worker
	scratch      []nullScratch
	// original neighbours of each point, kmax of each.
	neighbours []int32
	// lists[e][p] are the kmax neighbours of each point in permuted space e.
	lists [][][]int32
	sums  [][][]NullSums // of each worker, space and permutation
	// advance reports finished rows.
	advance func(rows int)
}

type nullScratch struct {
	list, group, sorted, rank []int32
	owner                     []int32
	from                      []int
}

// openNull prepares the permutations, nil without any. budget is for rows of one
// embedded space at a time.
func (p *Pass) openNull(ctx context.Context, lo, hi int, budget int64) (*null, error) {
	if len(p.permutations) == 0 {
		return nil, nil
	}
	u := &null{pass: p, lo: lo, hi: hi, neighbours: make([]int32, (hi-lo)*p.kmax)}
	threads := p.options.threads()
	u.scratch = make([]nullScratch, threads)
	u.sums = make([][][]NullSums, threads)
	for w := range u.sums {
		u.sums[w] = p.newNullSums()
	}
	for e, points := range p.embedded {
		o := p.options.embedded(e)
		o.ExcludeWindow, o.Memory, o.maxRows = 0, max(1, budget/int64(len(p.embedded))), p.options.maxRows
		s, err := openSpace(ctx, points, points, true, false, o, nil, 0)
		if err != nil {
			return nil, err
		}
		l, err := o.layout(p.n, 0, p.n, s, nil)
		if err != nil {
			return nil, err
		}
		u.spaces, u.layouts = append(u.spaces, s), append(u.layouts, l)
		workers := make([]worker, threads)
		for w := range workers {
			workers[w] = s.worker()
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

// rows calls visit for every row of embedded space e.
func (u *null) rows(ctx context.Context, e int, visit func(w, a int)) error {
	threads := u.pass.options.threads()
	step := u.layouts[e].rows
	u.spaces[e].plan(step, u.pass.n, u.layouts[e].kept)
	for start := 0; start < u.pass.n; start += step {
		end := min(u.pass.n, start+step)
		if err := u.spaces[e].load(ctx, start, end); err != nil {
			return err
		}
		if err := parallel(ctx, threads, end-start, func(w, r int) { visit(w, start+r) }); err != nil {
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
		err := u.rows(ctx, e, func(w, a int) {
			s := &u.scratch[w]
			s.list, s.group = u.workers[e][w].nearestTied(a, count, s.list, s.group)
			for q, order := range u.permutations {
				i := int(order.inverse[a])
				if i < u.lo || i >= u.hi {
					continue
				}
				at := (i - u.lo) * p.kmax
				u.permutedList(s, i, order.inverse, u.lists[e][q][at:at:at+p.kmax])
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
	for at := 0; at < len(s.list) && len(out) < cap(out); {
		end := at + 1
		for end < len(s.list) && s.group[end] == s.group[at] {
			end++
		}
		s.sorted = s.sorted[:0]
		for _, m := range s.list[at:end] {
			j := int(inverse[m])
			if max(i-j, j-i) > window || episode != nil && episode[i] != episode[j] {
				s.sorted = append(s.sorted, int32(j))
			}
		}
		slices.Sort(s.sorted)
		out = append(out, s.sorted[:min(len(s.sorted), cap(out)-len(out))]...)
		at = end
	}
}

// visit ranks the permuted neighbours of point i in the loaded original row.
func (u *null) visit(w, i int, neighbours []int32) {
	p, s := u.pass, &u.scratch[w]
	at := (i - u.lo) * p.kmax
	copy(u.neighbours[at:at+p.kmax], neighbours)
	for e := range u.spaces {
		s.list = s.list[:0]
		for q := range u.permutations {
			s.list = append(s.list, u.lists[e][q][at:at+p.kmax]...)
		}
		s.rank = grown(s.rank, len(s.list))
		u.original[w].ranks(i, s.list, 0, s.rank, nil)
		for q := range u.permutations {
			p.penalties(s.rank[q*p.kmax:(q+1)*p.kmax], u.sums[w][e][u.first+q].Trust)
		}
	}
}

// finish ranks the original neighbours in the permuted spaces.
func (u *null) finish(ctx context.Context) error {
	p := u.pass
	orders := make([][]int32, len(u.permutations))
	for q, order := range u.permutations {
		orders[q] = order.inverse
	}
	own := base{n: p.n, self: true, window: p.options.ExcludeWindow, episode: p.options.Episode}
	for e := range u.spaces {
		err := u.rows(ctx, e, func(w, a int) {
			s := &u.scratch[w]
			s.list, s.owner, s.from = s.list[:0], s.owner[:0], s.from[:0]
			for q, order := range u.permutations {
				s.from = append(s.from, len(s.list))
				i := int(order.inverse[a])
				if i < u.lo || i >= u.hi {
					continue
				}
				at := (i - u.lo) * p.kmax
				for _, j := range u.neighbours[at : at+p.kmax] {
					s.list = append(s.list, order.to[j])
				}
				if own.window > 0 {
					own.exclusions(i, func(j int) {
						if j != i {
							s.list = append(s.list, order.to[j])
						}
					})
				}
				for len(s.owner) < len(s.list) {
					s.owner = append(s.owner, int32(q))
				}
			}
			s.from = append(s.from, len(s.list))
			s.rank = grown(s.rank, len(s.list))
			u.workers[e][w].permutedRanks(a, s.list, s.owner, orders, s.rank)
			for q := range u.permutations {
				rank := s.rank[s.from[q]:s.from[q+1]]
				if len(rank) == 0 {
					continue
				}
				// The excluded are no candidates: ranks close up over them.
				kept, out := rank[:p.kmax], rank[p.kmax:]
				slices.Sort(out)
				for l, r := range kept {
					before, _ := slices.BinarySearch(out, r)
					kept[l] = r - int32(before)
				}
				p.penalties(kept, u.sums[w][e][u.first+q].Cont)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// again goes through the rows of the original once more for permutations first … last−1.
func (u *null) again(ctx context.Context, original space, l layout, first, last int) error {
	if err := u.begin(ctx, first, last); err != nil {
		return err
	}
	original.plan(l.rows, u.hi, l.kept)
	for start := u.lo; start < u.hi; start += l.rows {
		end := min(u.hi, start+l.rows)
		if err := original.load(ctx, start, end); err != nil {
			return err
		}
		err := parallel(ctx, len(u.original), end-start, func(w, r int) {
			at := (start + r - u.lo) * u.pass.kmax
			u.visit(w, start+r, u.neighbours[at:at+u.pass.kmax])
		})
		if err != nil {
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

func (w *exactWorker[K]) nearestTied(i, count int, list, group []int32) ([]int32, []int32) {
	row := w.space.row(i)
	w.buf = selectNearest(row, count, i, w.buf, &w.found)
	if len(w.buf) == count {
		cut := w.buf[count-1].key
		w.buf = w.buf[:0]
		for start := 0; start < len(row); start += segment {
			part := row[start:min(start+segment, len(row))]
			for _, l := range w.found[:atMost(w.found[:], part, cut)] {
				w.buf = append(w.buf, entry[K]{part[l], int32(start) + l})
			}
		}
		sortEntries(w.buf)
	}
	list, group = list[:0], group[:0]
	at := int32(0)
	for q, e := range w.buf {
		if q > 0 && e.key != w.buf[q-1].key {
			at = int32(q)
		}
		list, group = append(list, e.index), append(group, at)
	}
	return list, group
}

func (w *exactWorker[K]) permutedRanks(i int, list, owner []int32, orders [][]int32, rank []int32) {
	if len(list) == 0 {
		return
	}
	row := w.space.row(i)
	w.thresholds, w.keys = w.thresholds[:0], w.keys[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, entry[K]{row[j], j})
	}
	w.place = sortedPlaces(w.thresholds, w.place)
	for _, e := range w.thresholds {
		w.keys = append(w.keys, e.key)
	}
	w.hist = zeroed(w.hist, len(list)+1)
	w.ties = zeroed(w.ties, len(list))
	w.ladder.reset(w.keys)
	for start := 0; start < len(row); start += segment {
		part := row[start:min(start+segment, len(row))]
		for _, l := range w.found[:atMost(w.found[:], part, w.ladder.high)] {
			v, p := part[l], 0
			l += int32(start)
			if v >= w.ladder.low {
				p = w.ladder.below(v)
			}
			for ; p < len(w.keys) && w.keys[p] == v; p++ {
				order := orders[owner[w.place[p]]]
				if order[l] < order[w.thresholds[p].index] {
					w.ties[p]++
				}
			}
			w.hist[p]++
		}
	}
	sum := int32(1)
	for p, q := range w.place {
		sum += w.hist[p]
		rank[q] = sum + w.ties[p]
	}
}

func (w *boundedWorker[F]) nearestTied(i, count int, list, group []int32) ([]int32, []int32) {
	w.group = group[:0]
	list = w.collect(i, count, list, true)
	return list, w.group
}

func (w *boundedWorker[F]) permutedRanks(i int, list, owner []int32, orders [][]int32, rank []int32) {
	w.owner, w.orders = owner, orders
	w.ranks(i, list, 0, rank, nil)
	w.owner, w.orders = nil, nil
}
