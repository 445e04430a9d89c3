// The lists of the search through tiles, and the entries of one goroutine.

package rows

import (
	"context"
	"math"
	"sync"

	"repscope/internal/kernel"
	"repscope/neighbors/internal/scan"
)

// tileList holds the lists of tilePoints points: for each, the count nearest that were seen
// and all others that may be as near as the last. Goroutines take turns.
type tileList struct {
	sync.Mutex
	tiles    pairTiles
	first    int // point
	count    int
	capacity int // of a list
	entries  []scan.Entry[float32]
	filled   []int32
	cutAt    []int32   // number of entries at which a list is cut; small, as the limit found then excludes others
	limits   []float32 // values above are not wanted
	overfull bool      // too many points are too close to distinguish
}

// tileSearch is one goroutine's view.
type tileSearch struct {
	tiles  pairTiles
	among  *Candidates
	lists  []*tileList // of blocks of points
	work   productWork
	tile   []float32
	limits []float32 // of the columns, as they were
	least  [kernel.DistanceGroups]float32
	found  [tilePoints]int32
	hits   []hit
}

// hit is a pair of points of a tile that may be wanted.
type hit struct {
	row, col uint16
	value    float32
}

// ListCapacity leaves space for the entries that come before the list is cut to count again.
func ListCapacity(count int) int { return 2*count + 64 }

func newTileList(tiles pairTiles, first, pts, count int) *tileList {
	l := &tileList{tiles: tiles, first: first, count: count, capacity: ListCapacity(count)}
	l.entries = make([]scan.Entry[float32], pts*l.capacity)
	l.filled, l.cutAt, l.limits = make([]int32, pts), make([]int32, pts), make([]float32, pts)
	for i := range l.limits {
		l.limits[i], l.cutAt[i] = math.MaxFloat32, int32(2*count+16)
	}
	return l
}

// rows examines the pairs of the points of a block with others, itself or later blocks. It stops, overfull, if a list
// has no space for the points that are nearly equal.
func (t *tileSearch) rows(ctx context.Context, block int, others []*tileList) (overfull bool, err error) {
	list := t.lists[block]
	height := len(list.filled)
	for _, other := range others {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := t.tiles.products(&t.work, t.tile, tilePoints, list.first, height, other.first, len(other.filled)); err != nil {
			return false, err
		}
		if list == other {
			t.bound(list)
		}
		for row := 0; row < height; row += tileRows {
			if t.look(list, other, row, min(height, row+tileRows)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// bound lowers the limits of a block's points before a pair of the tile, which is the block's with itself, is
// entered: of the least values of groups, the count-th is not below the count-th of all, once as many more are passed
// over as may be no candidates.
func (t *tileSearch) bound(list *tileList) {
	rank := list.count + 2*t.among.Window // plus the point itself; indices count from 0
	if rank >= kernel.DistanceGroups {
		return
	}
	norms := t.tiles.norms()[list.first : list.first+len(list.filled)]
	for r, n := range norms {
		for g := range t.least {
			t.least[g] = math.MaxFloat32
		}
		kernel.LeastDistances(&t.least, t.tile[r*tilePoints:r*tilePoints+len(norms)], norms, n)
		if last := placed(t.least[:], rank); last < math.MaxFloat32 {
			list.limits[r] = t.tiles.reach(list.first+r, last)
		}
	}
}

// look enters the pairs of rows from … to−1 of the tile into the lists of both points.
func (t *tileSearch) look(list, other *tileList, from, to int) (overfull bool) {
	norm := t.tiles.norms()
	width := len(other.filled)
	other.Lock()
	copy(t.limits, other.limits)
	other.Unlock()
	var limits [tileRows]float32
	list.Lock()
	copy(limits[:], list.limits[from:to])
	list.Unlock()
	t.hits = t.hits[:0]
	for r := from; r < to; r++ {
		first := 0
		if list == other {
			first = r + 1
		}
		products, norms := t.tile[r*tilePoints+first:r*tilePoints+width], norm[other.first+first:other.first+width]
		n := norm[list.first+r]
		near := kernel.NearDistances(t.found[:], products, norms, t.limits[first:width], n, limits[r-from])
		for _, l := range t.found[:near] {
			if c := first + int(l); !t.among.Excludes(list.first+r, other.first+c) {
				value := float32(n+norms[l]) - float32(2*products[l])
				t.hits = append(t.hits, hit{uint16(r), uint16(c), value})
			}
		}
	}
	list.Lock()
	for _, h := range t.hits {
		list.enter(int(h.row), scan.Entry[float32]{Key: h.value, Index: int32(other.first) + int32(h.col)})
	}
	overfull = list.overfull
	list.Unlock()
	other.Lock()
	for _, h := range t.hits {
		other.enter(int(h.col), scan.Entry[float32]{Key: h.value, Index: int32(list.first) + int32(h.row)})
	}
	overfull = overfull || other.overfull
	other.Unlock()
	return overfull
}

// enter puts an entry, if it is wanted, into the list of the block's point i and cuts the list when it is full.
func (t *tileList) enter(i int, e scan.Entry[float32]) {
	if e.Key > t.limits[i] || t.overfull {
		return
	}
	t.entries[i*t.capacity+int(t.filled[i])] = e
	t.filled[i]++
	if t.filled[i] < t.cutAt[i] {
		return
	}
	kept := t.cut(i)
	t.cutAt[i] = int32(min(t.capacity, kept+t.count+16))
	// Else lists would be cut again and again.
	t.overfull = kept > t.capacity-16
}

// cut reduces point i's list to the nearest and all candidates that may be as near as the last, and returns their
// number.
func (t *tileList) cut(i int) int {
	list := t.entries[i*t.capacity:][:t.filled[i]]
	scan.Partition(list, t.count)
	last := list[0].Key
	for _, e := range list[1:t.count] {
		last = max(last, e.Key)
	}
	t.limits[i] = t.tiles.reach(t.first+i, last)
	kept := t.count
	for _, e := range list[t.count:] {
		if e.Key <= t.limits[i] {
			list[kept] = e
			kept++
		}
	}
	t.filled[i] = int32(kept)
	return kept
}

// listed is nearest from the list of point i.
func (w *boundedWorker[F]) listed(i, count int, block *tileList, list []int32) []int32 {
	w.enter(i)
	w.buf = w.buf[:0]
	row := i - block.first
	if int(block.filled[row]) > count {
		block.cut(row) // few are left to be sorted
	}
	for _, e := range block.entries[row*block.capacity:][:block.filled[row]] {
		w.buf = append(w.buf, scan.Entry[F]{Key: F(e.Key), Index: e.Index})
	}
	scan.SortEntries(w.buf)
	return w.settle(count, w.space.band(i), list[:0], false)
}
