// The sums of a row: neighbor lists and ranks of one point become penalties.

package neighbors

import (
	"slices"

	"repscope/neighbors/internal/gpu"
	"repscope/neighbors/internal/rows"
)

// rowCounter is one goroutine's view of the pass.
type rowCounter struct {
	pass *Pass
	sums []PartialSpace // of each embedded space
	// The rankers of the original and the embedded spaces and, on the CPU, their rows.
	original     ranker
	embedded     []ranker
	originalRows rows.Worker
	embeddedRows []rows.Worker

	list         rows.Listed
	places       rows.Places
	ahead, same  []int32 // of each block
	curve        curveCounter
	without      *withoutCounter // of the curves; nil without
	rank, closer []int32
	tally        []int32
	position     []int32
	rankOf       []int32
}

// ranker returns ranks of points and, if ties are averaged, positions.
type ranker = gpu.Ranker

// newRowCounter returns a counter without rankers; the caller sets them.
func (p *Pass) newRowCounter() *rowCounter {
	w := &rowCounter{
		pass: p, embedded: make([]ranker, len(p.embedded)),
		tally: make([]int32, len(p.blockIDs)), position: make([]int32, len(p.blockIDs)),
		ahead: make([]int32, len(p.blockIDs)), same: make([]int32, len(p.blockIDs)), without: p.newWithoutCounter(),
	}
	for range p.embedded {
		w.sums = append(w.sums, p.newPartialSpace(0))
	}
	return w
}

// newMapCounter returns a counter over rows on the processor.
func (p *Pass) newMapCounter(original rows.Space, embedded []rows.Space) *rowCounter {
	w := p.newRowCounter()
	w.originalRows = p.worker(original, orderOfOriginal, ownRow)
	w.original = w.originalRows
	for e, s := range embedded {
		w.embeddedRows = append(w.embeddedRows, p.worker(s, orderOfEmbedded, ownRow))
		w.embedded[e] = w.embeddedRows[e]
	}
	return w
}

// worker is a worker over rows in the requested order of ties; point returns the point of a row.
func (p *Pass) worker(s rows.Space, space uint64, point func(row int) int) rows.Worker {
	if p.options.Ties == TiesRandom {
		return p.shuffledWorker(s.Worker(), space, point)
	}
	return s.Worker()
}

func ownRow(row int) int { return row }

// originalRedecided counts the comparisons in rows of the original that were decided again so far; 0 on GPUs.
func (w *rowCounter) originalRedecided() int64 {
	if w.originalRows == nil {
		return 0
	}
	return w.originalRows.Redecided()
}

// listedRedecided are the redecided comparisons for the lists of neighbors, which belong to no embedded space.
func (w *rowCounter) listedRedecided() int64 {
	listed := w.originalRedecided()
	for e := range w.sums {
		listed -= w.sums[e].OriginalRedecided
	}
	return listed
}

// neighbors returns the kmax nearest of point i, and as many more as are
// needed for kmax to remain whichever block is deleted.
func (w *rowCounter) neighbors(in rows.Worker, i int, list rows.Listed) rows.Listed {
	for count := w.pass.firstCount(); ; count *= 2 {
		if w.pass.averages() {
			list.Index, list.Run = in.NearestTied(i, count, list.Index, list.Run)
		} else {
			list.Index = in.Nearest(i, count, list.Index)
		}
		if length, ok := w.enough(i, list.Index); ok {
			return list.Cut(length)
		}
	}
}

// averages reports whether ties are averaged.
func (p *Pass) averages() bool { return p.options.Ties == TiesAverage }

// firstCount is how many neighbors are looked for at first.
func (p *Pass) firstCount() int {
	if p.group == nil {
		return p.kmax
	}
	return p.kmax + p.kmax/2 + 8
}

// enough is how much of the list of point i is needed for kmax neighbors to
// remain whichever block is deleted, and whether the list is long enough.
func (w *rowCounter) enough(i int, list []int32) (length int, ok bool) {
	p := w.pass
	if p.group == nil {
		return min(p.kmax, len(list)), len(list) >= p.kmax
	}
	clear(w.tally)
	largest := int32(0)
	for q, j := range list {
		if g := p.group[j]; g != p.group[i] {
			w.tally[g]++
			largest = max(largest, w.tally[g])
		}
		if q+1-int(largest) >= p.kmax {
			return q + 1, true
		}
	}
	return len(list), false
}

// row adds point i of embedded space e, with its neighbors there and in the original.
func (w *rowCounter) row(e, i int, list, neighbors rows.Listed, out *PartialSpace, index int) {
	p, sums := w.pass, &w.sums[e]
	w.trust(e, i, list, out, index)
	w.cont(e, i, neighbors, w.embedded[e], out, index)
	if !p.curves {
		return
	}
	before := w.originalRedecided()
	if p.averages() {
		w.curve.add(i, w.originalRows, w.embeddedRows[e], sums.Best)
		if w.without != nil {
			w.without.add(p.group, p.group[i], w.curve.first, w.curve.second, sums.BestWithout)
		}
	} else {
		w.rankings(e, i, sums.Best)
	}
	sums.OriginalRedecided += w.originalRedecided() - before
}

// trust adds the positions in the original of the embedded neighbors of point i: trustworthiness.
func (w *rowCounter) trust(e, i int, list rows.Listed, out *PartialSpace, index int) {
	sums, point := &w.sums[e], w.point(out)
	before := w.originalRedecided()
	sums.OriginalTies += w.half(i, list, w.original, sums, point, true)
	sums.OriginalRedecided += w.originalRedecided() - before
	for q := range point {
		out.PointTrust[q][index] = point[q]
	}
}

// cont adds the positions in the embedded space of the original neighbors of point i: continuity.
func (w *rowCounter) cont(e, i int, neighbors rows.Listed, embedded ranker, out *PartialSpace, index int) {
	sums, point := &w.sums[e], w.point(out)
	sums.EmbeddedTies += w.half(i, neighbors, embedded, sums, point, false)
	for q := range point {
		out.PointCont[q][index] = point[q]
	}
}

// point is for the penalties of one point, nil where they are not kept.
func (w *rowCounter) point(out *PartialSpace) []Fixed {
	if out.PointTrust == nil {
		return nil
	}
	return make([]Fixed, len(w.pass.ks))
}

// half adds the neighbors of point i in one space by their positions in the other.
func (w *rowCounter) half(i int, list rows.Listed, other ranker, sums *PartialSpace, point []Fixed,
	trust bool) (ties int64) {
	p := w.pass
	w.resize(len(list.Index), len(p.blockIDs))
	closer := w.closer
	if p.averages() {
		other.Place(i, list.Index, p.group != nil, &w.places)
		for _, t := range w.places.Tied[:p.kmax] {
			ties += int64(t) - 1
		}
		if w.places.Ties || list.Tied() {
			w.average(i, list, sums, point, trust)
			return ties
		}
		for q, below := range w.places.Below {
			w.rank[q] = below + 1
		}
		closer = w.places.BelowOf
	} else {
		ties = other.Ranks(i, list.Index, p.kmax, w.rank, w.closer)
	}
	penalty, common, errors := sums.side(trust)
	p.tally(w.rank, penalty, common, errors, point)
	w.deleteBlocks(i, list.Index, closer, sums.Deleted, trust)
	return ties
}

// side are the sums of trustworthiness or of continuity; common neighbors are counted once.
func (s *Sums) side(trust bool) (penalty, common, errors []Fixed) {
	if trust {
		return s.Trust, s.Common, s.False
	}
	return s.Cont, nil, s.Missing
}

func (w *rowCounter) resize(length, groups int) {
	w.rank = slices.Grow(w.rank[:0], length)[:length]
	w.closer = slices.Grow(w.closer[:0], length*groups)[:length*groups]
}

// tally adds one point's neighbors, nearest first, by their ranks in the other space.
func (p *Pass) tally(rank []int32, penalty, common, errors, point []Fixed) {
	first := 0 // the smallest k that holds neighbor l
	for index, r := range rank[:p.kmax] {
		l := index + 1
		for p.sorted[first] < l {
			first++
		}
		errors[index].Whole += int64(max(int(r)-l, l-int(r)))
		for q := first; q < len(p.sorted); q++ {
			if excess := int(r) - p.sorted[q]; excess > 0 {
				penalty[q].Whole += int64(excess)
				if point != nil {
					point[q].Whole += int64(excess)
				}
			} else if common != nil {
				common[q].Whole++
			}
		}
	}
}

// deleteBlocks adds point i's neighbors to the sums of every block but its own, as if the block did not exist:
// neighbors of the block are skipped and each rank is reduced by the block's closer points, at [list index·groups +
// block].
func (w *rowCounter) deleteBlocks(i int, list, closerOf []int32, deleted []Sums, trust bool) {
	p := w.pass
	if p.group == nil {
		return
	}
	groups := len(deleted)
	clear(w.position)
	w.position[p.group[i]] = int32(p.kmax)
	for index, j := range list {
		block := int(p.group[j])
		closer := closerOf[index*groups : (index+1)*groups]
		for g, c := range closer {
			l := int(w.position[g]) + 1
			if g == block || l > p.kmax {
				continue
			}
			w.position[g] = int32(l)
			r := int(w.rank[index] - c)
			penalty, common, errors := deleted[g].side(trust)
			errors[l-1].Whole += int64(max(r-l, l-r))
			for q := len(p.sorted) - 1; q >= 0 && p.sorted[q] >= l; q-- {
				if excess := r - p.sorted[q]; excess > 0 {
					penalty[q].Whole += int64(excess)
				} else if trust {
					common[q].Whole++
				}
			}
		}
	}
}

// rankings adds point i to the counts of the co-ranking curves.
func (w *rowCounter) rankings(e, i int, best []Fixed) {
	n := w.pass.n
	if s, ok := w.originalRows.(*shuffled); ok {
		s.counted = -1 // the list of the row may be another worker's: this request counts whoever has it
	}
	w.list.Index = w.originalRows.Nearest(i, n, w.list.Index)
	w.rankOf = slices.Grow(w.rankOf[:0], n)[:n]
	for r, j := range w.list.Index {
		w.rankOf[j] = int32(r)
	}
	if w.without != nil {
		w.curve.first = rows.Listed{Index: append(w.curve.first.Index[:0], w.list.Index...)}
	}
	w.list.Index = w.embeddedRows[e].Nearest(i, n, w.list.Index)
	for r, j := range w.list.Index {
		best[max(int32(r), w.rankOf[j])].Whole++
	}
	if p := w.pass; w.without != nil {
		w.without.add(p.group, p.group[i], w.curve.first, rows.Listed{Index: w.list.Index}, w.sums[e].BestWithout)
	}
}
