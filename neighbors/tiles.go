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

	"repscope/dataset"
	"repscope/internal/kernel"
)

// tilePoints is the number of points along each side of a tile of pairs.
const tilePoints = 2 * kernel.Align

// tileStrip is the number of columns after which the limit of a row is looked up again.
const tileStrip = 64

// tileSearch holds the lists of one goroutine: for each point, among the pairs that this
// goroutine has seen, the count nearest and all others within the row's band of the last.
type tileSearch struct {
	space    *bounded[float32]
	count    int
	capacity int // of a list
	entries  []entry[float32]
	filled   []int32
	limits   []float32 // values above are not wanted
	crowded  bool      // too many points are too close to tell
	left     kernel.Packed[float32]
	product  kernel.Workspace[float32]
	tile     []float32
	found    [tileStrip]int32
}

// listCapacity leaves room for the entries that come before the list is cut to count again.
func listCapacity(count int) int { return 2*count + 64 }

// searchTiles fills the lists of all points if s is a space in which that is faster than
// row by row, the memory suffices, and few points are as good as equal.
func searchTiles(ctx context.Context, s space, points dataset.Points, k int, o *Options, result *Nearest) (done bool, err error) {
	b, ok := s.(*bounded[float32])
	// Direct keys of outliers belong to rows.
	if !ok || !b.self || points.Dim >= keepingPays || len(b.outliers) > 0 || o.maxRows > 0 {
		return false, nil
	}
	n, threads := points.N, min(o.threads(), (points.N+tilePoints-1)/tilePoints)
	list := int64(listCapacity(k))*sizeOf[entry[float32]]() + 8
	memory := int64(n)*(int64(4*points.Dim)+int64(threads)*list) + int64(threads)*tilePoints*(tilePoints+int64(points.Dim))*4
	if memory+int64(n)*int64(32+12*threads) > o.budget() {
		return false, nil
	}
	var right kernel.Packed[float32]
	if err := right.Right(kernel.Packing[float32](from[float32]{b.points, 0}), n, points.Dim); err != nil {
		return false, err
	}
	searches := make([]*tileSearch, threads)
	for w := range searches {
		searches[w] = newTileSearch(b, k)
	}
	// Blocks of rows with more columns to go come first.
	blocks := (n + tilePoints - 1) / tilePoints
	errs := make([]error, blocks)
	var crowded atomic.Bool
	var progress sync.Mutex
	finished := 0
	err = parallel(ctx, threads, blocks, func(w, t int) {
		if crowded.Load() {
			return
		}
		errs[t] = searches[w].rows(ctx, &right, t*tilePoints)
		if searches[w].crowded {
			crowded.Store(true)
		} else if o.Progress != nil {
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
		copy(index, workers[w].merged(i, k, searches, index[:0]))
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

func newTileSearch(s *bounded[float32], count int) *tileSearch {
	t := &tileSearch{space: s, count: count, capacity: listCapacity(count), filled: make([]int32, s.n), limits: make([]float32, s.n)}
	t.entries = make([]entry[float32], s.n*t.capacity)
	t.tile = make([]float32, tilePoints*tilePoints)
	for i := range t.limits {
		t.limits[i] = math.MaxFloat32
	}
	return t
}

// rows looks at the pairs of the points lo … lo+tilePoints−1 with each other and with all later ones.
func (t *tileSearch) rows(ctx context.Context, right *kernel.Packed[float32], lo int) error {
	s := t.space
	height := min(tilePoints, s.n-lo)
	if err := t.left.Left(kernel.Packing[float32](from[float32]{s.points, lo}), height, s.sources.Dim); err != nil {
		return err
	}
	for col := lo; col < s.n && !t.crowded; col += tilePoints {
		if err := ctx.Err(); err != nil {
			return err
		}
		width := min(tilePoints, s.n-col)
		p := kernel.Product[float32]{
			M: height, N: width, K: s.sources.Dim,
			A: t.left.Operand(0), B: right.Operand(col),
			C: t.tile, Stride: tilePoints, Threads: 1, Workspace: &t.product,
		}
		if err := p.Run(); err != nil {
			return err
		}
		for r := range height {
			from := 0
			if col == lo {
				from = r + 1
			}
			t.row(lo+r, col, t.tile[r*tilePoints:r*tilePoints+width], from)
		}
	}
	return nil
}

// row turns the products of point i with the points from col on into distances and
// enters them into the lists of both.
func (t *tileSearch) row(i, col int, products []float32, from int) {
	s := t.space
	norm := s.points.norm
	for ; from < len(products); from += tileStrip {
		part := products[from:min(from+tileStrip, len(products))]
		at := col + from
		near := kernel.NearDistances(t.found[:], part, norm[at:], t.limits[at:], norm[i], t.limits[i])
		for _, l := range t.found[:near] {
			v, j := part[l], at+int(l)
			if s.excludes(i, j) {
				continue
			}
			if v <= t.limits[i] {
				t.enter(i, entry[float32]{v, int32(j)})
			}
			if v <= t.limits[j] {
				t.enter(j, entry[float32]{v, int32(i)})
			}
		}
	}
}

// enter puts an entry into the list of point i and cuts the list when it is full.
func (t *tileSearch) enter(i int, e entry[float32]) {
	if t.crowded {
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
	t.limits[i] = t.space.above(last, t.space.band(i))
	kept := t.count
	for _, e := range list[t.count:] {
		if e.key <= t.limits[i] {
			list[kept] = e
			kept++
		}
	}
	t.filled[i] = int32(kept)
	// Else lists would be cut again and again.
	t.crowded = t.crowded || kept > t.capacity-16
}

// merged is nearest from the lists of all goroutines.
func (w *boundedWorker[F]) merged(i, count int, searches []*tileSearch, list []int32) []int32 {
	w.enter(i)
	w.buf = w.buf[:0]
	for _, t := range searches {
		for _, e := range t.entries[i*t.capacity:][:t.filled[i]] {
			w.buf = append(w.buf, entry[F]{F(e.key), e.index})
		}
	}
	band := w.space.band(i)
	w.buf = finishSelection(w.buf, len(w.buf))
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
