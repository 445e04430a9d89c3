// Ranks of points that lie anywhere in their row, as permuted neighbors do: many of one row
// at a time.

package rows

import (
	"context"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
)

// Lists are points to be ranked in the rows of the points first, first+1, …: list[ends[r−1]:ends[r]]
// in row first+r.
type Lists struct {
	First int
	Ends  []int
	List  []int32
	// If orders is not nil, candidates at equal distance are ordered by orders[owner[q]] for list[q] instead of their
	// index.
	Owner  []int32
	Orders [][]int32
	// If Tied is not nil, no order is taken: see Worker.RankLists. It has one element per point.
	Tied []int32
}

// Reset empties the lists; the next belongs to the row of point first.
func (l *Lists) Reset(first int) {
	l.First = first
	l.Ends, l.List, l.Owner = l.Ends[:0], l.List[:0], l.Owner[:0]
}

// before reports whether, at equal distance, candidate a comes before list[q].
func (l *Lists) before(a int32, q int) bool {
	if l.Orders == nil {
		return a < l.List[q]
	}
	order := l.Orders[l.Owner[q]]
	return order[a] < order[l.List[q]]
}

// RankTogether is Worker.RankLists for several lists at a time, on as many goroutines as there are workers of the
// space: ranks[q] is for lists[q]. Passes over all points are shared by all lists, which makes them cheap.
func RankTogether(ctx context.Context, workers []Worker, lists []*Lists, ranks [][]int32) error {
	if w, ok := workers[0].(*boundedWorker[float32]); ok && w.openProducts(1) != nil {
		return w.rankTogether(ctx, workers, lists, ranks)
	}
	return parallel.For(ctx, len(workers), len(lists), func(w, q int) { workers[w].RankLists(lists[q], ranks[q]) })
}

// RankLists implements Worker.
func (w *exactWorker[K]) RankLists(l *Lists, rank []int32) {
	from := 0
	for r, end := range l.Ends {
		w.rankList(l, l.First+r, from, end, rank[from:end])
		from = end
	}
}

func (w *exactWorker[K]) rankList(l *Lists, i, from, end int, rank []int32) {
	list := l.List[from:end]
	if len(list) == 0 {
		return
	}
	if wholeRowPays(&w.space.base, len(list)) {
		w.order, w.group = w.NearestTied(i, w.space.N, w.order, w.group)
		w.whole.ranks(l, from, w.order, w.group, w.space.N, rank)
		return
	}
	row := w.space.row(i)
	w.thresholds, w.keys = w.thresholds[:0], w.keys[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, scan.Entry[K]{Key: row[j], Index: j})
	}
	w.place = w.sorter.Sort(w.thresholds)
	for _, e := range w.thresholds {
		w.keys = append(w.keys, e.Key)
	}
	w.hist = scan.Zeroed(w.hist, len(list)+1)
	w.ties = scan.Zeroed(w.ties, len(list))
	w.intervals.Scan(row, w.keys, w.keys, w.hist, func(v K, j int32, p int) int {
		if l.Tied != nil {
			for ; p < len(w.keys) && w.keys[p] == v; p++ {
				w.ties[p]++
			}
			return p
		}
		if l.Orders == nil {
			return scan.AfterTies(w.thresholds, p, j)
		}
		for ; p < len(w.keys) && w.keys[p] == v; p++ {
			if l.before(j, from+int(w.place[p])) {
				w.ties[p]++
			}
		}
		return p
	})
	sum := int32(1)
	for p, q := range w.place {
		sum += w.hist[p]
		if l.Tied != nil {
			rank[q], l.Tied[from+int(q)] = sum, w.ties[p]-1
			continue
		}
		rank[q] = sum + w.ties[p]
	}
}
