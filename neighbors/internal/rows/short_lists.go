// Nearest neighbors of all points, with all ties of the last, if nothing else of a row is needed. Rows of values are
// computed a few at a time and scanned while they are in the cache. If products take longest, tiles of pairs are
// computed once for both of their points. The k-th of the group minima is not below the k-th of all; candidates that
// may be as near are sorted by direct keys.

package rows

import (
	"context"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

const (
	// rowsStep divides the index of the first of some rows.
	rowsStep = kernel.RowAlign
	// rowsBytes is the memory of rows that stay in the cache.
	rowsBytes = 768 << 10
	// wholeRowsPay is the largest dimension in which float32 products are cheap enough to be computed twice for each
	// pair, and roundedRowsPay that for rounded points.
	wholeRowsPay   = 64
	roundedRowsPay = 256
)

// VisitShort calls visit for every point i of float32 or float64 points with its k nearest, nearest first, and all
// others at the distance of the last; run[q] is the index of the first at the distance of the q-th. It is called from
// several goroutines, identified by worker, and must not keep the lists. VisitShort returns done false if another
// search is better: too many points may be among the nearest, some are outliers, products are expensive or the memory
// does not suffice. visit may then have been called for some points. Of o it uses Metric, Threads and Memory.
func VisitShort(ctx context.Context, pts points.Points, k int, o *Options,
	visit func(worker, i int, index, run []int32)) (done bool, err error) {
	n := pts.N
	step := max(rowsStep, min(kernel.Align, rowsBytes/4/n/rowsStep*rowsStep))
	perThread := int64(4*(step+2)*n) + int64(4*kernel.Align*pts.Dim)
	if k > LongestShort || k >= n || 4*int64(n)*int64(pts.Dim)+int64(o.ThreadCount())*perThread > o.Budget() {
		return false, nil
	}
	p := newCountPass(pts, o)
	defer p.release()
	q, err := openQuantized(ctx, p, nil)
	if err != nil {
		return false, err
	}
	if p.tiles = q; q != nil {
		defer q.release()
	} else if pts.Dim > wholeRowsPay {
		return false, nil
	} else if f, err := openFloatTiles(ctx, p); f == nil || err != nil {
		return false, err
	} else {
		p.tiles = f
	}
	if lists := int64(n) * int64(ListCapacity(k)*8+16); pts.Dim > roundedRowsPay && 4*int64(n)*int64(pts.Dim)+lists < o.Budget() {
		return p.visitTiles(ctx, k, visit)
	}
	return p.visit(ctx, k, step, visit)
}

// visitTiles visits all points by tiles.
func (p *countPass) visitTiles(ctx context.Context, k int,
	visit func(worker, i int, index, run []int32)) (done bool, err error) {
	n := p.points.N
	t := newTilePass(p.tiles, &Candidates{N: n, Self: true}, k, min(p.threads, (n+tilePoints-1)/tilePoints))
	if err := t.run(ctx, nil); err != nil || t.overfull.Load() {
		return false, err
	}
	err = parallel.For(ctx, p.threads, n, func(w, i int) {
		index, run := p.workers[w].listed(t.lists[i/tilePoints], i, k)
		visit(w, i, index, run)
	})
	return err == nil, err
}

// listed are the k nearest of point i, and all as far as the last, from the list of its block.
func (w *countWorker) listed(block *tileList, i, k int) (index, run []int32) {
	row := i - block.first
	if int(block.filled[row]) > k {
		block.cut(row)
	}
	w.near = w.near[:0]
	for _, e := range block.entries[row*block.capacity:][:block.filled[row]] {
		w.near = append(w.near, e.Index)
	}
	w.measure(i, w.near)
	return w.list(k)
}

// measure sets nearest to points and their direct keys.
func (w *countWorker) measure(i int, points []int32) {
	w.keys = scan.Grown(w.keys, len(points))
	w.pass.direct.Keys(i, w.row(i), points, w.keys)
	w.nearest = w.nearest[:0]
	for c, j := range points {
		w.nearest = append(w.nearest, scan.Entry[float64]{Key: w.keys[c], Index: j})
	}
}

// visit visits all points, step at a time.
func (p *countPass) visit(ctx context.Context, k, step int,
	visit func(worker, i int, index, run []int32)) (done bool, err error) {
	n := p.points.N
	p.open.Store(0)
	p.most = int64(n) * int64(8*k+64)
	blocks := (n + step - 1) / step
	err = parallel.Try(ctx, p.threads, blocks, func(w, t int) error {
		return p.workers[w].visitRows(t*step, min(step, n-t*step), k,
			func(i int, index, run []int32) { visit(w, i, index, run) })
	})
	return err == nil && p.open.Load() <= p.most, err
}

// visitRows visits some points.
func (w *countWorker) visitRows(first, count, k int, visit func(i int, index, run []int32)) error {
	p, n := w.pass, w.pass.points.N
	if p.open.Load() > p.most {
		return nil
	}
	w.rows, w.near = scan.Grown(w.rows, count*n), scan.Grown(w.near, n)
	if len(w.cuts) < n {
		w.cuts = make([]float32, n)
		for j := range w.cuts {
			w.cuts[j] = float32(math.Inf(-1))
		}
	}
	if err := p.tiles.products(&w.work, w.rows, n, first, count, 0, n); err != nil {
		return err
	}
	norms, looked := p.tiles.norms(), 0
	for r := range count {
		i, row := first+r, w.rows[r*n:(r+1)*n]
		row[i] = float32(math.Inf(-1)) // farther than any
		limit := w.limit(i, row, norms, k)
		near := w.near[:kernel.NearDistances(w.near, row, norms, w.cuts[:n], norms[i], limit)]
		looked += len(near)
		w.measure(i, near)
		index, run := w.list(k)
		visit(i, index, run)
	}
	p.open.Add(int64(looked))
	return nil
}

// limit is a value that no neighbor exceeds.
func (w *countWorker) limit(i int, row, norms []float32, k int) float32 {
	// Enough parts of a row that the k-th of their minima is not far above the k-th of all.
	parts := (k + 7) / 8
	w.least = w.least[:0]
	for part := range parts {
		from, to := part*len(row)/parts, (part+1)*len(row)/parts
		var least [kernel.DistanceGroups]float32
		for g := range least {
			least[g] = math.MaxFloat32
		}
		kernel.LeastDistances(&least, row[from:to], norms[from:to], norms[i])
		w.least = append(w.least, least[:]...)
	}
	last := w.worst(k)
	if last == math.MaxFloat32 {
		return last
	}
	return w.pass.tiles.reach(i, last)
}

// worst is the k-th of the least values.
func (w *countWorker) worst(k int) float32 {
	w.best = append(w.best[:0], w.least[:k]...)
	slices.Sort(w.best)
	for _, v := range w.least[k:] {
		if v >= w.best[k-1] {
			continue
		}
		slot := k - 1
		for ; slot > 0 && w.best[slot-1] > v; slot-- {
			w.best[slot] = w.best[slot-1]
		}
		w.best[slot] = v
	}
	return w.best[k-1]
}

// list puts the k nearest, and all as far as the last, in order, with their runs, which share memory.
func (w *countWorker) list(k int) (index, run []int32) {
	scan.SortEntries(w.nearest)
	w.index, w.run = w.index[:0], w.run[:0]
	for q, e := range w.nearest {
		start := int32(q)
		if q > 0 && w.nearest[q-1].Key == e.Key {
			start = w.run[q-1]
		} else if q >= k {
			break
		}
		w.index, w.run = append(w.index, e.Index), append(w.run, start)
	}
	return w.index, w.run
}
