// Ranks in a row that is sorted from end to end, where that pays.

package rows

import (
	"math/bits"

	"repscope/neighbors/internal/scan"
)

// wholeRowPays reports whether sorting the whole row is faster than placing its values among
// count points: where these are many, or where many points are equal.
func wholeRowPays(b *base, count int) bool {
	return count >= b.N/4 || b.duplicates >= b.N/8
}

// wholeRow ranks points in a row that is sorted from end to end.
type wholeRow struct {
	at       []int32  // where each point is in the order
	ahead    []int32  // of the points of a run of ties, by their index in an order: the number before each word of set
	set      []uint64 // the indices of the points of the run
	run, who int32    // the run and the owner that set belongs to
	// For places.
	size           []int32 // of each run, at its first index
	members        []scan.Entry[int32]
	before, within []int32
}

// ranks ranks the points l.list[from:from+len(rank)] in the row with that order of points
// and runs of ties; see Worker.NearestTied.
func (w *wholeRow) ranks(l *Lists, from int, order, group []int32, n int, rank []int32) {
	w.at = scan.Grown(w.at, n)
	for p, j := range order {
		w.at[j] = int32(p)
	}
	w.run, w.who = -1, -1
	if l.Tied != nil {
		w.measure(group)
	}
	for q := range rank {
		j := l.List[from+q]
		p := w.at[j]
		run := group[p]
		if l.Tied != nil {
			rank[q], l.Tied[from+q] = run+1, w.size[run]-1
			continue
		}
		if l.Orders == nil || run == p && (int(p)+1 == len(order) || group[p+1] != run) {
			rank[q] = p + 1
			continue
		}
		ties := l.Orders[l.Owner[from+q]]
		if w.run != run || w.who != l.Owner[from+q] {
			w.run, w.who = run, l.Owner[from+q]
			w.fill(order, group, ties)
		}
		place := ties[j]
		below := w.set[place/64] & (1<<(place%64) - 1)
		rank[q] = run + w.ahead[place/64] + int32(bits.OnesCount64(below)) + 1
	}
}

// fill sets the indices in the order of the points of run w.run.
func (w *wholeRow) fill(order, group, ties []int32) {
	w.set = scan.Zeroed(w.set, (len(ties)+63)/64)
	for p := int(w.run); p < len(order) && group[p] == w.run; p++ {
		place := ties[order[p]]
		w.set[place/64] |= 1 << (place % 64)
	}
	w.ahead = scan.Grown(w.ahead, len(w.set))
	sum := int32(0)
	for at, word := range w.set {
		w.ahead[at] = sum
		sum += int32(bits.OnesCount64(word))
	}
}
