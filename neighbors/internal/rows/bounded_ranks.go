// Ranks from approximate rows: comparisons that the bound leaves open are decided by direct keys.

package rows

import (
	"math"

	"repscope/neighbors/internal/scan"
)

// undecidedPair is a comparison left open: does point come before threshold?
type undecidedPair struct{ threshold, point int32 }

// maxPending is the number of open comparisons after which they are decided.
const maxPending = 1 << 16

// setThresholds makes the points of list the thresholds of row i, in ascending order, and returns the row.
func (w *boundedWorker[F]) setThresholds(i int, list []int32) []F {
	s := w.space
	row, band := s.row(i), s.band(i)
	w.thresholds = w.thresholds[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, scan.Entry[F]{Key: row[j], Index: j})
	}
	w.place = w.sorter.Sort(w.thresholds)
	w.low, w.high, w.bounds = scan.Grown(w.low, len(list)), scan.Grown(w.high, len(list)), scan.Grown(w.bounds, len(list))
	for p, e := range w.thresholds {
		w.low[p], w.high[p] = s.around(e.Key, band)
		w.bounds[p] = s.pairBound(i, e.Index)
	}
	return row
}

// Ranks implements Ranker.
func (w *boundedWorker[F]) Ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64) {
	if len(list) == 0 {
		return 0
	}
	w.enter(i)
	s := w.space
	row := w.setThresholds(i, list)
	group, groups := s.group, max(1, s.groups)
	if closer == nil {
		group, groups = nil, 1
	}
	w.hist = scan.Zeroed(w.hist, (len(list)+1)*groups)
	w.steps.Reset(w.high, 4, math.MaxInt)
	w.pending = w.pending[:0]
	w.reach = scan.Zeroed(w.reach, len(list)*groups)
	last := w.steps.High
	for start := 0; start < len(row); start += scan.Segment {
		part := row[start:min(start+scan.Segment, len(row))]
		for _, l := range w.found[:scan.AtMost(w.found[:], part, last)] {
			v, p := part[l], 0
			l += int32(start)
			if v >= w.steps.Low {
				p = w.steps.Below(v)
			}
			if w.low[p] <= v {
				if len(w.pending) > maxPending {
					ties += w.decide(tied, group, groups)
				}
				p = w.compareNear(v, l, p, group, groups)
			}
			if group != nil {
				p = p*groups + int(group[l])
			}
			w.hist[p]++
		}
	}
	ties += w.decide(tied, group, groups)
	scan.AccumulateRanks(w.place, group != nil, groups, w.hist, rank, closer)
	// The additions of the direct keys belong to single thresholds.
	for p, q := range w.place {
		for g, c := range w.reach[p*groups : (p+1)*groups] {
			rank[q] += c
			if group != nil {
				closer[int(q)*groups+g] += c
			}
		}
	}
	return ties
}

// compareNear compares point l, of value v, with the thresholds from p on whose interval holds v: it counts the
// comparisons that its own bound decides and leaves the rest pending. It returns the number of thresholds below v.
func (w *boundedWorker[F]) compareNear(v F, l int32, p int, group []int32, groups int) int {
	s := w.space
	bound := s.pairBound(w.i, l)
	for p < len(w.low) && w.low[p] <= v {
		if t := w.thresholds[p]; l != t.Index {
			pair := undecidedPair{int32(p), l}
			limit := bound + w.bounds[p] + s.relative*max(math.Abs(float64(v)), math.Abs(float64(t.Key)))
			if difference := float64(v) - float64(t.Key); math.Abs(difference) <= limit {
				w.pending = append(w.pending, pair)
			} else if difference < 0 {
				w.count(pair, group, groups)
			}
		}
		p++
	}
	return p
}

// computePending computes the exact keys that the pending comparisons need.
func (w *boundedWorker[F]) computePending() {
	first := w.space.first
	for _, c := range w.pending {
		t := w.thresholds[c.threshold].Index
		if first[t] != first[c.point] {
			w.need(t)
			w.need(c.point)
		}
	}
	w.compute()
	w.undecidedCount += int64(len(w.pending))
}

// decide settles the pending comparisons and returns the ties among them.
func (w *boundedWorker[F]) decide(tied int, group []int32, groups int) (ties int64) {
	s := w.space
	w.computePending()
	for _, c := range w.pending {
		t := w.thresholds[c.threshold].Index
		before := c.point < t
		if s.first[t] != s.first[c.point] {
			a, b := w.key(c.point), w.key(t)
			before = a < b || a == b && before
			if a != b {
				if before {
					w.count(c, group, groups)
				}
				continue
			}
		}
		if int(w.place[c.threshold]) < tied {
			ties++
		}
		if before {
			w.count(c, group, groups)
		}
	}
	w.pending = w.pending[:0]
	return ties
}

func (w *boundedWorker[F]) count(c undecidedPair, group []int32, groups int) {
	cell := int(c.threshold) * groups
	if group != nil {
		cell += int(group[c.point])
	}
	w.reach[cell]++
}
