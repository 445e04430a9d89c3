// The sums of a row: neighbor lists and ranks of one point become penalties.

package neighbors

import (
	"slices"

	"repscope/neighbors/internal/rows"
)

// rowCounter is one goroutine's view of the pass.
type rowCounter struct {
	pass *Pass
	sums []PartialSpace // of each embedded space
	// Who tells ranks in the original and the embedded spaces, and, on the processor,
	// their rows.
	original     rows.Ranker
	embedded     []rows.Ranker
	originalRows rows.Worker
	embeddedRows []rows.Worker

	list         []int32
	rank, closer []int32
	tally        []int32
	position     []int32
	rankOf       []int32
}

// newRowCounter returns a counter that is to be told who ranks.
func (p *Pass) newRowCounter() *rowCounter {
	w := &rowCounter{
		pass: p, embedded: make([]rows.Ranker, len(p.embedded)),
		tally: make([]int32, len(p.blockIDs)), position: make([]int32, len(p.blockIDs)),
	}
	for range p.embedded {
		w.sums = append(w.sums, p.newPartialSpace(0))
	}
	return w
}

// newMapCounter returns a counter over rows on the processor.
func (p *Pass) newMapCounter(original rows.Space, embedded []rows.Space) *rowCounter {
	w := p.newRowCounter()
	w.originalRows = original.Worker()
	w.original = w.originalRows
	for e, s := range embedded {
		w.embeddedRows = append(w.embeddedRows, s.Worker())
		w.embedded[e] = w.embeddedRows[e]
	}
	return w
}

// neighbors returns the kmax nearest of point i, and as many more as are
// needed for kmax to remain whichever block is deleted.
func (w *rowCounter) neighbors(in rows.Worker, i int, list []int32) []int32 {
	for count := w.pass.firstCount(); ; count *= 2 {
		list = in.Nearest(i, count, list)
		if length, ok := w.enough(i, list); ok {
			return list[:length]
		}
	}
}

// firstCount is how many neighbours are looked for at first.
func (p *Pass) firstCount() int {
	if p.group == nil {
		return p.kmax
	}
	return p.kmax + p.kmax/2 + 8
}

// enough is how much of the list of point i is needed for kmax neighbours to
// remain whichever block is deleted, and whether the list is long enough.
func (w *rowCounter) enough(i int, list []int32) (length int, ok bool) {
	p := w.pass
	if p.group == nil {
		return len(list), len(list) >= p.kmax
	}
	clear(w.tally)
	most := int32(0)
	for q, j := range list {
		if g := p.group[j]; g != p.group[i] {
			w.tally[g]++
			most = max(most, w.tally[g])
		}
		if q+1-int(most) >= p.kmax {
			return q + 1, true
		}
	}
	return len(list), false
}

// row adds point i of embedded space e, given its neighbours there and in the original.
func (w *rowCounter) row(e, i int, list, neighbors []int32, out *PartialSpace, at int) {
	p, sums := w.pass, &w.sums[e]
	groups := len(p.blockIDs)

	// Ranks in the original of the embedded neighbours: trustworthiness.
	w.resize(len(list), groups)
	sums.OriginalTies += w.original.Ranks(i, list, p.kmax, w.rank, w.closer)
	var trust, cont []int64
	if out.PointTrust != nil {
		trust, cont = make([]int64, len(p.ks)), make([]int64, len(p.ks))
	}
	p.tally(w.rank, sums.Trust, sums.Common, sums.False, trust)
	w.deleteBlocks(i, list, sums.Deleted, true)

	// Ranks in the embedded space of the original neighbours: continuity.
	w.resize(len(neighbors), groups)
	sums.EmbeddedTies += w.embedded[e].Ranks(i, neighbors, p.kmax, w.rank, w.closer)
	p.tally(w.rank, sums.Cont, nil, sums.Missing, cont)
	w.deleteBlocks(i, neighbors, sums.Deleted, false)

	for q := range trust {
		out.PointTrust[q][at], out.PointCont[q][at] = trust[q], cont[q]
	}
	if p.curves {
		w.rankings(e, i, sums.Best)
	}
}

func (w *rowCounter) resize(length, groups int) {
	w.rank = slices.Grow(w.rank[:0], length)[:length]
	w.closer = slices.Grow(w.closer[:0], length*groups)[:length*groups]
}

// tally adds one point's neighbours, nearest first, by their ranks in the other space.
func (p *Pass) tally(rank []int32, penalty, common, errors, point []int64) {
	first := 0 // the smallest k that holds neighbour l
	for at, r := range rank[:p.kmax] {
		l := at + 1
		for p.sorted[first] < l {
			first++
		}
		errors[at] += int64(max(int(r)-l, l-int(r)))
		for q := first; q < len(p.sorted); q++ {
			if over := int(r) - p.sorted[q]; over > 0 {
				penalty[q] += int64(over)
				if point != nil {
					point[q] += int64(over)
				}
			} else if common != nil {
				common[q]++
			}
		}
	}
}

// deleteBlocks adds point i's neighbours to the sums of every block but its
// own, as if the block had never been there: neighbours of the block are
// passed over and each rank loses the block's closer points.
func (w *rowCounter) deleteBlocks(i int, list []int32, deleted []Sums, trust bool) {
	p := w.pass
	if p.group == nil {
		return
	}
	groups := len(deleted)
	clear(w.position)
	w.position[p.group[i]] = int32(p.kmax)
	for at, j := range list {
		own := int(p.group[j])
		closer := w.closer[at*groups : (at+1)*groups]
		for g, c := range closer {
			l := int(w.position[g]) + 1
			if g == own || l > p.kmax {
				continue
			}
			w.position[g] = int32(l)
			r := int(w.rank[at] - c)
			s := &deleted[g]
			penalty, errors := s.Cont, s.Missing
			if trust {
				penalty, errors = s.Trust, s.False
			}
			errors[l-1] += int64(max(r-l, l-r))
			for q := len(p.sorted) - 1; q >= 0 && p.sorted[q] >= l; q-- {
				if over := r - p.sorted[q]; over > 0 {
					penalty[q] += int64(over)
				} else if trust {
					s.Common[q]++
				}
			}
		}
	}
}

// rankings adds point i to the counts of the co-ranking curves.
func (w *rowCounter) rankings(e, i int, best []int64) {
	n := w.pass.n
	w.list = w.originalRows.Nearest(i, n, w.list)
	w.rankOf = slices.Grow(w.rankOf[:0], n)[:n]
	for r, j := range w.list {
		w.rankOf[j] = int32(r)
	}
	w.list = w.embeddedRows[e].Nearest(i, n, w.list)
	for r, j := range w.list {
		best[max(int32(r), w.rankOf[j])]++
	}
}
