// The search for nearest neighbors alone, if no rank is needed and distances are cheap: no row of distances is stored.
// Tiles of pairs are computed once, for both of their points, and scanned while they are in the cache. A point's list
// takes all candidates closer than the worst that it holds.

package rows

import (
	"context"
	"sync"
	"sync/atomic"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// tilePoints is the number of points along each side of a tile of pairs.
const tilePoints = 2 * kernel.Align

// tileRows is the number of rows of a tile after which the hits are entered into the lists.
const tileRows = 16

// tilePass is the search through all tiles.
type tilePass struct {
	n        int
	lists    []*tileList   // of blocks of points
	searches []*tileSearch // of the goroutines
	errs     []error       // of the blocks
	overfull atomic.Bool   // the search was aborted: too many points are nearly equal
}

// searchTiles fills the lists of all points if that is faster for s than row by row, the memory suffices, and few
// points are nearly equal.
func searchTiles(ctx context.Context, s Space, pts points.Points, k int, o *Options,
	result *Nearest) (done bool, err error) {
	b, ok := s.(*bounded[float32])
	// Direct keys of outliers belong to rows.
	if !ok || !b.Self || result.N < pts.N || pts.Dim >= keepingPays && !o.Narrow || len(b.outliers) > 0 || o.MaxRows > 0 {
		return false, nil
	}
	n, threads := pts.N, min(o.ThreadCount(), (pts.N+tilePoints-1)/tilePoints)
	list := int64(ListCapacity(k))*scan.SizeOf[scan.Entry[float32]]() + 8
	perThread := int64(tilePoints*(tilePoints+pts.Dim+1)*4) + int64(tileRows*tilePoints)*scan.SizeOf[hit]()
	if int64(n)*(int64(4*pts.Dim)+list+int64(32+12*threads))+int64(threads)*perThread > o.Budget() {
		return false, nil
	}
	tiles, err := newFloatTiles(b)
	if err != nil {
		return false, err
	}
	t := newTilePass(tiles, &b.Candidates, k, threads)
	if err := t.run(ctx, o.Progress); err != nil || t.overfull.Load() {
		return false, err
	}
	return true, t.collect(ctx, b, result)
}

func newTilePass(tiles pairTiles, among *Candidates, k, threads int) *tilePass {
	t := &tilePass{n: among.N, searches: make([]*tileSearch, threads)}
	for first := 0; first < t.n; first += tilePoints {
		t.lists = append(t.lists, newTileList(tiles, first, min(tilePoints, t.n-first), k))
	}
	for w := range t.searches {
		t.searches[w] = &tileSearch{
			tiles: tiles, among: among, lists: t.lists, work: productWork{packed: -1},
			tile: make([]float32, tilePoints*tilePoints), limits: make([]float32, tilePoints),
		}
	}
	t.errs = make([]error, len(t.lists))
	return t
}

// search looks at the pairs of block t with the blocks from … to−1.
func (p *tilePass) search(ctx context.Context, w, t, from, to int) (done bool) {
	if p.overfull.Load() {
		return false
	}
	failed, err := p.searches[w].rows(ctx, t, p.lists[from:to])
	if failed {
		p.overfull.Store(true)
	}
	if p.errs[t] == nil {
		p.errs[t] = err
	}
	return !failed && err == nil
}

// run looks at all pairs.
func (p *tilePass) run(ctx context.Context, progress func(done, total int)) error {
	n, threads := p.n, len(p.searches)
	// Consecutive points are often close: with the blocks' own pairs first, the limits of the lists are soon tight. Then
	// blocks of rows with more columns to go come first.
	err := parallel.For(ctx, threads, len(p.lists), func(w, t int) { p.search(ctx, w, t, t, t+1) })
	if err != nil {
		return err
	}
	var turn sync.Mutex
	finished := 0
	err = parallel.For(ctx, threads, len(p.lists), func(w, t int) {
		if p.search(ctx, w, t, t+1, len(p.lists)) && progress != nil {
			turn.Lock()
			defer turn.Unlock()
			finished += min(tilePoints, n-t*tilePoints)
			progress(finished, n)
		}
	})
	for _, e := range append(p.errs, err) {
		if e != nil {
			return e
		}
	}
	return nil
}

// collect puts the lists in order.
func (p *tilePass) collect(ctx context.Context, s *bounded[float32], result *Nearest) error {
	k := result.K
	workers := make([]*boundedWorker[float32], len(p.searches))
	for w := range workers {
		workers[w] = s.Worker().(*boundedWorker[float32])
	}
	err := parallel.For(ctx, len(workers), p.n, func(w, i int) {
		offset := i * k
		index := result.Index[offset : offset+k : offset+k]
		copy(index, workers[w].listed(i, k, p.lists[i/tilePoints], index[:0]))
		workers[w].Distances(i, index, result.Distance[offset:offset+k])
	})
	if err != nil {
		return err
	}
	result.Counts = s.Counts()
	for _, w := range workers {
		result.Counts.Redecided += w.Redecided()
	}
	return nil
}
