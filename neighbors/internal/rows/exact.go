// The space whose rows hold the keys of the definition themselves.

package rows

import (
	"context"

	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// exact is a space whose rows hold the keys themselves.
type exact[K int32 | int64 | float64] struct {
	base
	fill      func(ctx context.Context, lo, hi int, rows []K) error
	symmetric symmetricTiles[K]
	packed    int64 // bytes of one packed point
	pays      bool  // to keep distances
	rows      []K
	lo, hi    int
}

// RowBytes implements Space.
func (s *exact[K]) RowBytes() int64 { return scan.SizeOf[K]()*int64(s.N) + s.packed }

// Keepable implements Space.
func (s *exact[K]) Keepable(lo, hi, step int) int64 {
	if !s.pays {
		return 0
	}
	return symmetricBytes(lo, hi, step, scan.SizeOf[K]())
}

// Plan implements Space.
func (s *exact[K]) Plan(step, end int, budget int64) {
	if s.pays {
		s.symmetric.plan(step, end, budget, scan.SizeOf[K]())
	}
}

// Load implements Space.
func (s *exact[K]) Load(ctx context.Context, lo, hi int) error {
	s.lo, s.hi = lo, hi
	s.rows = scan.Grown(s.rows, (hi-lo)*s.N)
	if err := s.fill(ctx, lo, hi, s.rows); err != nil {
		return err
	}
	limit := scan.Excluded[K]()
	for i := lo; i < hi; i++ {
		row := s.row(i)
		s.Exclusions(i, func(j int) { row[j] = limit })
	}
	return nil
}

func (s *exact[K]) row(i int) []K { return s.rows[(i-s.lo)*s.N : (i-s.lo+1)*s.N] }

// Worker implements Space.
func (s *exact[K]) Worker() Worker { return &exactWorker[K]{space: s} }

type exactWorker[K int32 | int64 | float64] struct {
	space      *exact[K]
	buf        []scan.Entry[K]
	thresholds []scan.Entry[K]
	sorter     scan.PlaceSorter[K]
	place      []int32 // of sorter
	keys       []K
	steps      scan.StepTable[K]
	hist, ties []int32
	found      [scan.Segment]int32
	// For Place.
	hits        []tie
	run, tiedOf []int32
	// For rankLists.
	intervals    scan.IntervalCounter[K]
	order, group []int32
	whole        wholeRow
}

// Redecided implements Worker: nothing is ever decided again.
func (w *exactWorker[K]) Redecided() int64 { return 0 }

// Nearest implements Worker.
func (w *exactWorker[K]) Nearest(i, count int, list []int32) []int32 {
	w.buf = scan.SelectNearest(w.space.row(i), count, i, w.buf, &w.found)
	list = list[:0]
	for _, e := range w.buf {
		list = append(list, e.Index)
	}
	return list
}

// NearestTied implements Worker.
func (w *exactWorker[K]) NearestTied(i, count int, list, group []int32) ([]int32, []int32) {
	row := w.space.row(i)
	// One more shows whether the last has ties beyond it.
	w.buf = scan.SelectNearest(row, count+1, i, w.buf, &w.found)
	if len(w.buf) > count && w.buf[count].Key != w.buf[count-1].Key {
		w.buf = w.buf[:count]
	}
	if len(w.buf) > count {
		cut := w.buf[count-1].Key
		w.buf = w.buf[:0]
		for start := 0; start < len(row); start += scan.Segment {
			part := row[start:min(start+scan.Segment, len(row))]
			for _, l := range w.found[:scan.AtMost(w.found[:], part, cut)] {
				w.buf = append(w.buf, scan.Entry[K]{Key: part[l], Index: int32(start) + l})
			}
		}
		scan.SortEntries(w.buf)
	}
	list, group = list[:0], group[:0]
	first := int32(0)
	for q, e := range w.buf {
		if q > 0 && e.Key != w.buf[q-1].Key {
			first = int32(q)
		}
		list, group = append(list, e.Index), append(group, first)
	}
	return list, group
}

// Distances implements Worker.
func (w *exactWorker[K]) Distances(i int, list []int32, out []float64) {
	row := w.space.row(i)
	for q, j := range list {
		out[q] = w.space.metric.Distance(float64(row[j]))
	}
}

// Ranks implements Ranker.
func (w *exactWorker[K]) Ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64) {
	if len(list) == 0 {
		return 0
	}
	s := w.space
	row := s.row(i)
	w.thresholds = w.thresholds[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, scan.Entry[K]{Key: row[j], Index: j})
	}
	w.place = w.sorter.Sort(w.thresholds)
	group, groups := s.group, max(1, s.groups)
	if closer == nil {
		group, groups = nil, 1
	}
	w.hist = scan.Zeroed(w.hist, (len(list)+1)*groups)
	w.ties = scan.Zeroed(w.ties, len(list))
	w.keys = scan.CountCloser(row, w.thresholds, &w.steps, w.keys, group, groups, w.hist, w.ties, &w.found)
	run := 0
	for p, q := range w.place {
		if p > 0 && w.keys[p] != w.keys[run] {
			run = p
		}
		if int(q) < tied {
			ties += int64(w.ties[run]) - 1
		}
	}
	scan.AccumulateRanks(w.place, group != nil, groups, w.hist, rank, closer)
	return ties
}

// directDim is the largest dimension in which computing all distances directly
// in float64 is as fast as bounding them first.
const directDim = 8

func openDirect(b base, queries, pts points.Points) Space {
	b.direct = NewDirect(queries, pts, b.metric)
	b.method = "float64 direct"
	all := identity(pts.N)
	s := &exact[float64]{base: b}
	s.fill = func(ctx context.Context, lo, hi int, rows []float64) error {
		return parallel.For(ctx, b.threads, hi-lo, func(_, r int) {
			b.direct.Keys(lo+r, queries.Row(lo+r, nil), all, rows[r*b.N:(r+1)*b.N])
		})
	}
	return s
}
