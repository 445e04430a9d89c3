// Ranks of many points in approximate rows.

package rows

import (
	"context"
	"math"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
)

// undecidedRank is a comparison left open: does candidate point come before list[at]? a and b are where
// the values of the two are found.
type undecidedRank struct{ at, point, a, b int32 }

// maxUndecided is the number of open comparisons after which they are decided.
const maxUndecided = 1 << 17

// maxHeld is the number of open comparisons of a group that wait for other groups.
const maxHeld = 1 << 20

// RankLists implements Worker.
func (w *boundedWorker[F]) RankLists(l *Lists, rank []int32) {
	near := w.openProducts(1)
	if near == nil {
		w.rankGroup(l, nil, nil, rank)
		return
	}
	if w.alone == nil {
		w.alone = &openGroup{}
	}
	w.alone.lists, w.alone.rank = l, rank
	w.rankGroup(l, near, w.alone, rank)
	w.decideGroup(near, w.alone)
}

// rankTogether is RankLists for groups of rows whose open comparisons all workers decide together.
func (w *boundedWorker[F]) rankTogether(ctx context.Context, workers []Worker, lists []*Lists, ranks [][]int32) error {
	near := w.openProducts(len(workers))
	for len(w.together) < len(lists) {
		w.together = append(w.together, &openGroup{})
	}
	groups := w.together[:len(lists)]
	err := parallel.For(ctx, len(workers), len(lists), func(thread, q int) {
		worker, g := workers[thread].(*boundedWorker[F]), groups[q]
		g.lists, g.rank = lists[q], ranks[q]
		worker.rankGroup(lists[q], worker.openProducts(1), g, ranks[q])
	})
	if err != nil {
		return err
	}
	if err := near.decide(ctx, len(workers), groups); err != nil {
		return err
	}
	return parallel.For(ctx, len(workers), len(lists), func(of, q int) {
		workers[of].(*boundedWorker[F]).decideRest(groups[q])
	})
}

// rankGroup ranks the lists; with g not nil, open comparisons are left there.
func (w *boundedWorker[F]) rankGroup(l *Lists, near *productKeys, g *openGroup, rank []int32) {
	from := 0
	for r, end := range l.Ends {
		w.rankList(l, near, g, r, from, rank[:end])
		from = end
	}
}

// rankList ranks the points l.list[from:len(rank)] in row l.first+r. With g, ranks lack the comparisons decided later.
func (w *boundedWorker[F]) rankList(l *Lists, near *productKeys, g *openGroup, r, from int, rank []int32) {
	list, i := l.List[from:len(rank)], l.First+r
	if len(list) == 0 {
		return
	}
	s := w.space
	if wholeRowPays(&s.base, len(list)) {
		w.order, w.runs = w.NearestTied(i, s.N, w.order, w.runs)
		w.whole.ranks(l, from, w.order, w.runs, s.N, rank[from:])
		return
	}
	row := w.setThresholds(i, list)
	w.hist = scan.Zeroed(w.hist, len(list)+1)
	unranked := rank[from:]
	clear(unranked)
	if l.Tied != nil {
		clear(l.Tied[from:len(rank)])
	}
	w.intervals.Scan(row, w.low, w.high, w.hist, func(v F, j int32, p int) int {
		bound := -1.0 // not computed
		for ; p < len(w.low) && w.low[p] <= v; p++ {
			t, entry := w.thresholds[p], w.place[p]
			if j == t.Index {
				continue
			}
			if bound < 0 {
				bound = s.pairBound(i, j)
			}
			limit := bound + w.bounds[p] + s.relative*max(math.Abs(float64(v)), math.Abs(float64(t.Key)))
			switch difference := float64(v) - float64(t.Key); {
			case s.first[j] == s.first[t.Index]:
				if l.Tied != nil {
					l.Tied[from+int(entry)]++
				} else if l.before(j, from+int(entry)) {
					unranked[entry]++
				}
			case difference < -limit:
				unranked[entry]++
			case difference <= limit:
				w.undecided = append(w.undecided, undecidedRank{at: int32(from) + entry, point: j})
			}
		}
		if len(w.undecided) >= maxUndecided {
			w.settleRow(l, near, g, r, rank)
		}
		return p
	})
	w.settleRow(l, near, g, r, rank)
	sum := int32(1)
	for p, q := range w.place {
		sum += w.hist[p]
		unranked[q] += sum
	}
}

// settleRow decides the open comparisons of row l.first+r or, with g, leaves them for later.
func (w *boundedWorker[F]) settleRow(l *Lists, near *productKeys, g *openGroup, r int, rank []int32) {
	if g == nil {
		w.decideRow(l, l.First+r, w.undecided, rank)
		w.undecided = w.undecided[:0]
		return
	}
	w.undecided = g.want(&w.cells, w.space.first, r, w.undecided)
	if len(g.undecided) >= maxHeld {
		w.decideGroup(near, g)
	}
}

// decideRow decides comparisons of row i by the direct keys.
func (w *boundedWorker[F]) decideRow(l *Lists, i int, open []undecidedRank, rank []int32) {
	if len(open) == 0 {
		return
	}
	w.enter(i)
	for _, c := range open {
		w.need(c.point)
		w.need(l.List[c.at])
	}
	w.compute()
	for _, c := range open {
		a, b := w.key(c.point), w.key(l.List[c.at])
		if a == b && l.Tied != nil {
			l.Tied[c.at]++
		} else if a < b || a == b && l.before(c.point, int(c.at)) {
			rank[c.at]++
		}
	}
}

// decideGroup decides the comparisons in g: by nearly exact keys and, if these leave them open, by the direct ones.
func (w *boundedWorker[F]) decideGroup(near *productKeys, g *openGroup) {
	_ = near.decide(context.Background(), 1, []*openGroup{g}) // which has no error but the context's
	w.decideRest(g)
}

// decideRest decides the comparisons in g that nearly exact keys leave open.
func (w *boundedWorker[F]) decideRest(g *openGroup) {
	for rest := g.undecided; len(rest) > 0; {
		row, end := g.cells[rest[0].a].row, 1
		for end < len(rest) && g.cells[rest[end].a].row == row {
			end++
		}
		w.decideRow(g.lists, g.lists.First+int(row), rest[:end], g.rank)
		rest = rest[end:]
	}
	g.reset()
}
