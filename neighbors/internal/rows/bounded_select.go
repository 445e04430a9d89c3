// Nearest neighbors from approximate rows: candidates within the bound are sorted by direct keys.

package rows

import (
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/neighbors/internal/scan"
)

// boundedWorker answers about one row after another. The direct keys of a row
// are computed when needed and kept until the next row, once for all equal points.
type boundedWorker[F kernel.Float] struct {
	space          *bounded[F]
	i              int // the row that the direct keys belong to
	x              []float64
	at             int // the point whose coordinates x holds
	value          []float64
	known          []int32 // value[j] is known where known[j] == stamp
	stamp          int32
	want           []int32
	keys           []float64
	undecidedCount int64

	buf        []scan.Entry[F]
	run        []scan.Entry[float64]
	thresholds []scan.Entry[F]
	sorter     scan.PlaceSorter[F]
	place      []int32 // of sorter
	low, high  []F
	bounds     []float64 // E of each threshold
	steps      scan.StepTable[F]
	hist       []int32
	pending    []undecidedPair
	reach      []int32
	found      [scan.Segment]int32
	group      []int32
	// For rankLists.
	intervals scan.IntervalCounter[F]
	undecided []undecidedRank
	products  *productKeys
	cells     cellTable
	alone     *openGroup
	together  []*openGroup
	order     []int32
	runs      []int32
	whole     wholeRow
	// For Place.
	unique                       []int32
	slot                         []int32 // of the points of unique, by point; −1
	ties                         []tie
	below, tied, belowOf, tiedOf []int32
}

// Redecided implements Worker.
func (w *boundedWorker[F]) Redecided() int64 { return w.undecidedCount }

// enter makes i the row of the direct keys.
func (w *boundedWorker[F]) enter(i int) {
	if w.i == i {
		return
	}
	w.i = i
	if w.stamp == math.MaxInt32 {
		clear(w.known)
		w.stamp = 0
	}
	w.stamp++
}

// need requests the direct key of point j; compute computes all requested keys.
func (w *boundedWorker[F]) need(j int32) {
	j = w.space.first[j]
	if w.known[j] != w.stamp {
		w.known[j] = w.stamp
		w.want = append(w.want, j)
	}
}

func (w *boundedWorker[F]) compute() {
	if len(w.want) == 0 {
		return
	}
	if w.at != w.i && w.space.metric == Cosine { // which alone wants the coordinates
		w.x, w.at = w.space.sources.Row(w.i, w.x), w.i
	}
	w.keys = slices.Grow(w.keys[:0], len(w.want))[:len(w.want)]
	w.space.direct.Keys(w.i, w.x, w.want, w.keys)
	for c, j := range w.want {
		w.value[j] = w.keys[c]
	}
	w.want = w.want[:0]
}

// key is the direct key of point j after need and compute.
func (w *boundedWorker[F]) key(j int32) float64 { return w.value[w.space.first[j]] }

// Nearest implements Worker.
func (w *boundedWorker[F]) Nearest(i, count int, list []int32) []int32 {
	return w.collect(i, count, list, false)
}

// NearestTied implements Worker.
func (w *boundedWorker[F]) NearestTied(i, count int, list, group []int32) ([]int32, []int32) {
	w.group = group[:0]
	list = w.collect(i, count, list, true)
	group, w.group = w.group, nil
	return list, group
}

// collect is nearest; with tied it goes on to the last tie of the last neighbor
// and appends to w.group a number for each that its ties share.
func (w *boundedWorker[F]) collect(i, count int, list []int32, tied bool) []int32 {
	w.enter(i)
	row, band := w.space.row(i), w.space.band(i)
	list = list[:0]
	w.selectWithin(row, count, band)
	return w.settle(count, band, list, tied)
}

// selectWithin sets w.buf, in ascending order, to the candidates that may be among the count nearest: all candidates
// within the band of the count-th smallest value.
func (w *boundedWorker[F]) selectWithin(row []F, count int, band float64) {
	limit, buf := scan.LimitAround(row, count, w.i, w.buf)
	if limit < scan.Excluded[F]() {
		limit = w.space.above(limit, band)
	} else {
		limit = scan.NextDown(limit)
	}
	buf = buf[:0]
	shrink := func() {
		scan.Partition(buf, count)
		limit = w.space.above(slices.MaxFunc(buf[:count], scan.CompareEntries[F]).Key, band)
		kept := buf[:count]
		for _, e := range buf[count:] {
			if e.Key <= limit {
				kept = append(kept, e)
			}
		}
		buf = kept
	}
	size := 4*count + 64
	for start := 0; start < len(row); start += scan.Segment {
		part := row[start:min(start+scan.Segment, len(row))]
		for _, l := range w.found[:scan.AtMost(w.found[:], part, limit)] {
			buf = append(buf, scan.Entry[F]{Key: part[l], Index: int32(start) + l})
		}
		if len(buf) >= size {
			shrink()
			size = max(size, 2*len(buf)) // many within the band
		}
	}
	if len(buf) > count {
		shrink()
	}
	scan.SortEntries(buf)
	w.buf = buf
}

// settle appends the count first of w.buf, the row's smallest values in ascending order, to
// list. Values further apart than the band are in order; runs of closer ones are
// put in order by their direct keys.
func (w *boundedWorker[F]) settle(count int, band float64, list []int32, tied bool) []int32 {
	for lo := 0; lo < len(w.buf) && len(list) < count; {
		hi := lo + 1
		for hi < len(w.buf) && w.buf[hi].Key <= w.space.above(w.buf[hi-1].Key, band) {
			hi++
		}
		if hi-lo == 1 {
			if tied {
				w.group = append(w.group, int32(len(list)))
			}
			list = append(list, w.buf[lo].Index)
			lo = hi
			continue
		}
		w.undecidedCount += int64(hi - lo - 1)
		for _, e := range w.buf[lo:hi] {
			w.need(e.Index)
		}
		w.compute()
		w.run = w.run[:0]
		for _, e := range w.buf[lo:hi] {
			w.run = append(w.run, scan.Entry[float64]{Key: w.key(e.Index), Index: e.Index})
		}
		scan.SortEntries(w.run)
		for q, e := range w.run {
			if tied {
				start := int32(len(list))
				if q > 0 && w.run[q-1].Key == e.Key {
					start = w.group[start-1]
				} else if len(list) >= count {
					return list
				}
				w.group = append(w.group, start)
			}
			list = append(list, e.Index)
		}
		lo = hi
	}
	if tied {
		return list
	}
	return list[:min(count, len(list))]
}

// Distances implements Worker.
func (w *boundedWorker[F]) Distances(i int, list []int32, out []float64) {
	w.enter(i)
	for _, j := range list {
		w.need(j)
	}
	w.compute()
	for q, j := range list {
		out[q] = w.space.metric.Distance(w.key(j))
	}
}
