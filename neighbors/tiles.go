package neighbors

// This file holds the search for nearest neighbours alone, where no rank is asked for and
// distances are cheap: no row of distances is stored. Tiles of pairs are computed once,
// for both of their points, and looked at while they are in the cache; a point's list takes what is
// closer than the worst that it holds.

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"repscope/internal/kernel"
	"repscope/points"
)

// tilePoints is the number of points along each side of a tile of pairs.
const tilePoints = 2 * kernel.Align

// tileRows is the number of rows of a tile after which the lists take what was found.
const tileRows = 16

// tileList holds the lists of tilePoints points: for each, the count nearest that were seen
// and all others within the row's band of the last. Goroutines take turns.
type tileList struct {
	sync.Mutex
	space    *bounded[float32]
	first    int // point
	count    int
	capacity int // of a list
	entries  []entry[float32]
	filled   []int32
	limits   []float32 // values above are not wanted
	crowded  bool      // too many points are too close to tell
}

// tileSearch is one goroutine's view.
type tileSearch struct {
	space   *bounded[float32]
	lists   []*tileList // of blocks of points
	left    kernel.Packed[float32]
	product kernel.Workspace[float32]
	tile    []float32
	limits  []float32 // of the columns, as they were
	found   [tilePoints]int32
	hits    []hit
}

// hit is a pair of points of a tile that may be wanted.
type hit struct {
	row, col uint16
	value    float32
}

// listCapacity leaves room for the entries that come before the list is cut to count again.
func listCapacity(count int) int { return 2*count + 64 }

// searchTiles fills the lists of all points if s is a space in which that is faster than
// row by row, the memory suffices, and few points are as good as equal.
func searchTiles(ctx context.Context, s space, pts points.Points, k int, o *Options, result *Nearest) (done bool, err error) {
	b, ok := s.(*bounded[float32])
	// Direct keys of outliers belong to rows.
	if !ok || !b.self || pts.Dim >= keepingPays || len(b.outliers) > 0 || o.maxRows > 0 {
		return false, nil
	}
	n, threads := pts.N, min(o.threads(), (pts.N+tilePoints-1)/tilePoints)
	list := int64(listCapacity(k))*sizeOf[entry[float32]]() + 8
	own := int64(tilePoints*(tilePoints+pts.Dim+1)*4) + int64(tileRows*tilePoints)*sizeOf[hit]()
	if int64(n)*(int64(4*pts.Dim)+list+int64(32+12*threads))+int64(threads)*own > o.budget() {
		return false, nil
	}
	var right kernel.Packed[float32]
	if err := right.Right(kernel.Packing[float32](from[float32]{b.points, 0}), n, pts.Dim); err != nil {
		return false, err
	}
	var lists []*tileList
	for first := 0; first < n; first += tilePoints {
		lists = append(lists, newTileList(b, first, min(tilePoints, n-first), k))
	}
	searches := make([]*tileSearch, threads)
	for w := range searches {
		searches[w] = &tileSearch{
			space: b, lists: lists,
			tile: make([]float32, tilePoints*tilePoints), limits: make([]float32, tilePoints),
		}
	}
	errs := make([]error, len(lists))
	var crowded atomic.Bool
	var progress sync.Mutex
	finished := 0
	search := func(w, t, from, to int) (done bool) {
		if crowded.Load() {
			return false
		}
		failed, err := searches[w].rows(ctx, &right, t, lists[from:to])
		if failed {
			crowded.Store(true)
		}
		if errs[t] == nil {
			errs[t] = err
		}
		return !failed && err == nil
	}
	// Points that follow each other are often close: with the blocks' own pairs first, lists
	// soon hold what is hard to beat. Then blocks of rows with more columns to go come first.
	err = parallel(ctx, threads, len(lists), func(w, t int) { search(w, t, t, t+1) })
	if err != nil {
		return false, err
	}
	err = parallel(ctx, threads, len(lists), func(w, t int) {
		if search(w, t, t+1, len(lists)) && o.Progress != nil {
			progress.Lock()
			defer progress.Unlock()
			finished += min(tilePoints, n-t*tilePoints)
			o.Progress(finished, n)
		}
	})
	for _, e := range append(errs, err) {
		if e != nil {
			return false, e
		}
	}
	if crowded.Load() {
		return false, nil
	}
	workers := make([]*boundedWorker[float32], threads)
	for w := range workers {
		workers[w] = b.worker().(*boundedWorker[float32])
	}
	err = parallel(ctx, threads, n, func(w, i int) {
		at := i * k
		index := result.Index[at : at+k : at+k]
		copy(index, workers[w].listed(i, k, lists[i/tilePoints], index[:0]))
		workers[w].distances(i, index, result.Distance[at:at+k])
	})
	if err != nil {
		return false, err
	}
	result.Counts = b.counts()
	for _, w := range workers {
		result.Counts.Redecided += w.redecided()
	}
	return true, nil
}

func newTileList(s *bounded[float32], first, pts, count int) *tileList {
	l := &tileList{space: s, first: first, count: count, capacity: listCapacity(count)}
	l.entries = make([]entry[float32], pts*l.capacity)
	l.filled, l.limits = make([]int32, pts), make([]float32, pts)
	for i := range l.limits {
		l.limits[i] = math.MaxFloat32
	}
	return l
}

// rows looks at the pairs of the points of a block with those of others, itself or later
// ones. It gives up, crowded, where a list has no room for the points that are as good as equal.
func (t *tileSearch) rows(ctx context.Context, right *kernel.Packed[float32], block int, others []*tileList) (crowded bool, err error) {
	s, own := t.space, t.lists[block]
	height := len(own.filled)
	if err := t.left.Left(kernel.Packing[float32](from[float32]{s.points, own.first}), height, s.sources.Dim); err != nil {
		return false, err
	}
	for _, other := range others {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		p := kernel.Product[float32]{
			M: height, N: len(other.filled), K: s.sources.Dim,
			A: t.left.Operand(0), B: right.Operand(other.first),
			C: t.tile, Stride: tilePoints, Threads: 1, Workspace: &t.product,
		}
		if err := p.Run(); err != nil {
			return false, err
		}
		for row := 0; row < height; row += tileRows {
			if t.look(own, other, row, min(height, row+tileRows)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// look enters the pairs of rows from … to−1 of the tile into the lists of both points.
func (t *tileSearch) look(own, other *tileList, from, to int) (crowded bool) {
	norm := t.space.points.norm
	width := len(other.filled)
	other.Lock()
	copy(t.limits, other.limits)
	other.Unlock()
	var limits [tileRows]float32
	own.Lock()
	copy(limits[:], own.limits[from:to])
	own.Unlock()
	t.hits = t.hits[:0]
	for r := from; r < to; r++ {
		first := 0
		if own == other {
			first = r + 1
		}
		products, norms := t.tile[r*tilePoints+first:r*tilePoints+width], norm[other.first+first:other.first+width]
		n := norm[own.first+r]
		near := kernel.NearDistances(t.found[:], products, norms, t.limits[first:width], n, limits[r-from])
		for _, l := range t.found[:near] {
			if c := first + int(l); !t.space.excludes(own.first+r, other.first+c) {
				value := float32(n+norms[l]) - float32(2*products[l])
				t.hits = append(t.hits, hit{uint16(r), uint16(c), value})
			}
		}
	}
	own.Lock()
	for _, h := range t.hits {
		own.enter(int(h.row), entry[float32]{h.value, int32(other.first) + int32(h.col)})
	}
	crowded = own.crowded
	own.Unlock()
	other.Lock()
	for _, h := range t.hits {
		other.enter(int(h.col), entry[float32]{h.value, int32(own.first) + int32(h.row)})
	}
	crowded = crowded || other.crowded
	other.Unlock()
	return crowded
}

// enter puts an entry, if it is wanted, into the list of the block's point i and cuts the list when it is full.
func (t *tileList) enter(i int, e entry[float32]) {
	if e.key > t.limits[i] || t.crowded {
		return
	}
	list := t.entries[i*t.capacity : (i+1)*t.capacity]
	list[t.filled[i]] = e
	t.filled[i]++
	if int(t.filled[i]) < t.capacity {
		return
	}
	partition(list, t.count)
	last := list[0].key
	for _, e := range list[1:t.count] {
		last = max(last, e.key)
	}
	t.limits[i] = t.space.above(last, t.space.band(t.first+i))
	kept := t.count
	for _, e := range list[t.count:] {
		if e.key <= t.limits[i] {
			list[kept] = e
			kept++
		}
	}
	t.filled[i] = int32(kept)
	// Else lists would be cut again and again.
	t.crowded = kept > t.capacity-16
}

// listed is nearest from the list of point i.
func (w *boundedWorker[F]) listed(i, count int, block *tileList, list []int32) []int32 {
	w.enter(i)
	w.buf = w.buf[:0]
	at := i - block.first
	for _, e := range block.entries[at*block.capacity:][:block.filled[at]] {
		w.buf = append(w.buf, entry[F]{F(e.key), e.index})
	}
	sortEntries(w.buf)
	band := w.space.band(i)
	if len(w.buf) > count {
		cut := w.space.above(w.buf[count-1].key, band)
		last := count
		for last < len(w.buf) && w.buf[last].key <= cut {
			last++
		}
		w.buf = w.buf[:last]
	}
	return w.settle(count, band, list[:0], false)
}
