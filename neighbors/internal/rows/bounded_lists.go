// Ranks of many points in approximate rows.

package rows

import (
	"math"

	"repscope/neighbors/internal/scan"
)

// undecidedRank is a comparison left open: does candidate point come before list[at]? a and b are where
// the values of the two are found.
type undecidedRank struct{ at, point, a, b int32 }

// maxUndecided is the number of open comparisons after which they are decided.
const maxUndecided = 1 << 17

// RankLists implements Worker.
func (w *boundedWorker[F]) RankLists(l *Lists, rank []int32) {
	near := w.openProducts(len(l.Ends))
	from := 0
	for r, end := range l.Ends {
		w.rankList(l, near, r, from, rank[:end])
		from = end
	}
	if near != nil {
		w.decideByProducts(l, near, rank)
	}
}

// rankList ranks the points l.list[from:len(rank)] in row l.first+r. With near, ranks
// miss what is decided later.
func (w *boundedWorker[F]) rankList(l *Lists, near *productKeys, r, from int, rank []int32) {
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
	own := rank[from:]
	clear(own)
	if l.Tied != nil {
		clear(l.Tied[from:len(rank)])
	}
	w.intervals.Scan(row, w.low, w.high, w.hist, func(v F, j int32, p int) int {
		bound := s.pairBound(i, j)
		for ; p < len(w.low) && w.low[p] <= v; p++ {
			t, at := w.thresholds[p], w.place[p]
			if j == t.Index {
				continue
			}
			limit := bound + w.bounds[p] + s.relative*max(math.Abs(float64(v)), math.Abs(float64(t.Key)))
			switch difference := float64(v) - float64(t.Key); {
			case s.first[j] == s.first[t.Index]:
				if l.Tied != nil {
					l.Tied[from+int(at)]++
				} else if l.before(j, from+int(at)) {
					own[at]++
				}
			case difference < -limit:
				own[at]++
			case difference <= limit:
				w.undecided = append(w.undecided, undecidedRank{at: int32(from) + at, point: j})
			}
		}
		if len(w.undecided) >= maxUndecided {
			w.settleRow(l, near, r, rank)
			if near != nil {
				w.decideByProducts(l, near, rank)
			}
		}
		return p
	})
	w.settleRow(l, near, r, rank)
	sum := int32(1)
	for p, q := range w.place {
		sum += w.hist[p]
		own[q] += sum
	}
}

// settleRow decides the open comparisons of row l.first+r or, with near, leaves them for later.
func (w *boundedWorker[F]) settleRow(l *Lists, near *productKeys, r int, rank []int32) {
	if near != nil {
		w.undecided = near.want(l, w.space.first, r, w.undecided)
		return
	}
	w.decideRow(l, l.First+r, w.undecided, rank)
	w.undecided = w.undecided[:0]
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

// decideByProducts decides the comparisons that were left for later: by nearly exact keys and,
// where these leave them open, by the direct ones.
func (w *boundedWorker[F]) decideByProducts(l *Lists, near *productKeys, rank []int32) {
	near.decide(l.First, rank)
	for rest := near.undecided; len(rest) > 0; {
		row, end := near.cells[rest[0].a].row, 1
		for end < len(rest) && near.cells[rest[end].a].row == row {
			end++
		}
		w.decideRow(l, l.First+int(row), rest[:end], rank)
		rest = rest[end:]
	}
	near.reset()
}
