// Places of the points of short lists, one list for every point, where nothing else of a row is asked for: no row is
// stored. Tiles of pairs are computed once, for both of their points, and counted while they are in the cache.
//
// The keys κ of the points of the lists are computed directly. A value a of a pair and its direct key differ by at most E, but for a
// part of a few units of the last place (see bounded.go), so that with a little more than E, a < κ − E and a > κ + E are certain;
// values in between are few, and decided by direct keys.

package rows

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// Short are lists of points, those of point i Index[Start[i]:Start[i+1]], and their places among all other
// points: so many candidates strictly nearer to i, and so many at their distance, themselves included.
type Short struct {
	Start       []int
	Index       []int32
	Below, Tied []int32
}

// LongestShort is the longest list for which counting in tiles pays.
const LongestShort = 64

// PlaceShort fills Below and Tied for float32 or float64 points. It gives up, done false, where
// rows are better: some list is longer than LongestShort, some points are outliers, too many comparisons are
// left open, or the memory does not suffice.
func PlaceShort(ctx context.Context, pts points.Points, o *Options, lists *Short) (done bool, err error) {
	threads := o.ThreadCount()
	blocks := (pts.N + tilePoints - 1) / tilePoints
	own := int64(2*tilePoints*(tilePoints+pts.Dim)*4 + 2*LongestShort*tilePoints*4)
	if 4*int64(pts.N)*int64(pts.Dim)+int64(threads)*own > o.Budget() {
		return false, nil
	}
	for i := range pts.N {
		if lists.Start[i+1]-lists.Start[i] > LongestShort {
			return false, nil
		}
	}
	b := base{Candidates: Candidates{N: pts.N, Self: true}, metric: o.Metric, threads: threads}
	opened, err := openBounded[float32](ctx, b, pts, pts)
	if err != nil {
		return false, err
	}
	s := opened.(*bounded[float32])
	if len(s.outliers) > 0 {
		return false, nil
	}
	p := &countPass{space: s, lists: lists, keys: make([]float64, len(lists.Index)), most: int64(pts.N)*int64(pts.N)/64 + 1<<12}
	if err := p.right.Right(kernel.Packing[float32](parallelPacker[float32]{offsetPoints[float32]{s.points, 0}, threads}), pts.N, pts.Dim); err != nil {
		return false, err
	}
	p.blocks = make([]countBlock, blocks)
	workers := make([]countWorker, threads)
	for w := range workers {
		workers[w] = countWorker{pass: p, x: make([]float64, pts.Dim), tile: make([]float32, tilePoints*tilePoints), turned: make([]float32, tilePoints*tilePoints)}
	}
	if err := parallel.For(ctx, threads, blocks, func(w, t int) { workers[w].prepare(t) }); err != nil {
		return false, err
	}
	// Blocks with more columns to go come first.
	err = parallel.Try(ctx, threads, blocks, func(w, t int) error { return workers[w].search(ctx, t) })
	if err != nil || p.open.Load() > p.most {
		return false, err
	}
	for t := range p.blocks {
		p.blocks[t].settle(lists)
	}
	return true, nil
}

// countPass is the counting in all tiles.
type countPass struct {
	space  *bounded[float32]
	lists  *Short
	keys   []float64 // the direct keys of the lists
	right  kernel.Packed[float32]
	blocks []countBlock
	open   atomic.Int64 // comparisons that were decided by direct keys
	most   int64        // of these
}

// countBlock holds the limits of tilePoints points; goroutines take turns at what is counted.
type countBlock struct {
	sync.Mutex
	first, width int
	longest      int // list
	// limits has rows of width columns: of place q of all lists the largest value that is certainly below, in row q, and, in row
	// longest+q, the largest that is not certainly above; filled up to a multiple of four rows.
	limits []float32
	counts []int32
}

// countWorker is one goroutine's view.
type countWorker struct {
	pass         *countPass
	left         kernel.Packed[float32]
	product      kernel.Workspace[float32]
	tile, turned []float32
	counts       []int32
	x, keys      []float64
	near         []int32
	decided      []decidedPlace
}

// decidedPlace is what an open comparison added to entry at of the lists.
type decidedPlace struct {
	at   int
	tied bool
}

// prepare computes the keys and the limits of a block.
func (w *countWorker) prepare(t int) {
	p, s := w.pass, w.pass.space
	b := &p.blocks[t]
	b.first = t * tilePoints
	b.width = min(tilePoints, s.N-b.first)
	for i := b.first; i < b.first+b.width; i++ {
		b.longest = max(b.longest, p.lists.Start[i+1]-p.lists.Start[i])
	}
	rows := (2*b.longest + 3) / 4 * 4
	b.limits, b.counts = make([]float32, rows*b.width), make([]int32, rows*b.width)
	for at := range b.limits {
		b.limits[at] = float32(math.Inf(-1))
	}
	for j := range b.width {
		i := b.first + j
		from, to := p.lists.Start[i], p.lists.Start[i+1]
		s.direct.Keys(i, w.row(i), p.lists.Index[from:to], p.keys[from:to])
		bound := s.bound(i, s.maxRadius, s.maxRounding)
		for q, key := range p.keys[from:to] {
			key = math.Ldexp(key, s.keyExponent)
			around := bound + s.relative*key
			b.limits[q*b.width+j] = scan.NextDown(scan.RoundDown[float32](scan.NextDown(key - around)))
			b.limits[(b.longest+q)*b.width+j] = scan.RoundUp[float32](scan.NextUp(key + around))
		}
	}
}

// row are the coordinates of a point where direct keys want them.
func (w *countWorker) row(i int) []float64 {
	if w.pass.space.metric != Cosine {
		return nil
	}
	return w.pass.space.sources.Row(i, w.x)
}

// search counts the pairs of the points of block t with themselves and those of later blocks.
func (w *countWorker) search(ctx context.Context, t int) error {
	p, s := w.pass, w.pass.space
	own := &p.blocks[t]
	if err := w.left.Left(kernel.Packing[float32](offsetPoints[float32]{s.points, own.first}), own.width, s.sources.Dim); err != nil {
		return err
	}
	norm := s.points.norm
	for u := t; u < len(p.blocks); u++ {
		if err := ctx.Err(); err != nil || p.open.Load() > p.most {
			return err
		}
		other := &p.blocks[u]
		product := kernel.Product[float32]{
			M: own.width, N: other.width, K: s.sources.Dim, A: w.left.Operand(0), B: p.right.Operand(other.first),
			C: w.tile, Stride: tilePoints, Threads: 1, Workspace: &w.product,
			Epilogue: DistanceTile[float32]{Rows: norm[own.first : own.first+own.width], Cols: norm[other.first : other.first+other.width]},
		}
		if err := product.Run(); err != nil {
			return err
		}
		if t == u { // symmetric
			for j := range own.width {
				w.tile[j*tilePoints+j] = float32(math.Inf(1)) // a point itself
			}
			w.count(own, own, w.tile, w.tile)
			continue
		}
		kernel.Transpose(w.turned, tilePoints, w.tile, tilePoints, own.width, other.width)
		w.count(other, own, w.tile, w.turned)
		w.count(own, other, w.turned, w.tile)
	}
	return nil
}

// count counts, for the lists of block b, the values of the points of a block of rows: tile has a column, and turned a row, for each
// point of b.
func (w *countWorker) count(b, of *countBlock, tile, turned []float32) {
	w.counts = scan.Zeroed(w.counts, len(b.limits))
	kernel.CountAtMost(w.counts, tile, tilePoints, of.width, b.limits, b.width)
	w.decided = w.decided[:0]
	lists := w.pass.lists
	for q := range b.longest {
		below, within := w.counts[q*b.width:(q+1)*b.width], w.counts[(b.longest+q)*b.width:(b.longest+q+1)*b.width]
		for j, n := range within {
			if n == below[j] {
				continue
			}
			at := lists.Start[b.first+j] + q
			if own := int(lists.Index[at]) - of.first; n-below[j] > 1 || own < 0 || own >= of.width {
				w.look(b, of, j, q, at, turned[j*tilePoints:j*tilePoints+of.width])
			}
		}
	}
	b.Lock()
	for at, n := range w.counts[:b.longest*b.width] {
		b.counts[at] += n
	}
	for _, d := range w.decided {
		if d.tied {
			lists.Tied[d.at]++
		} else {
			lists.Below[d.at]++
		}
	}
	b.Unlock()
}

// look decides the open comparisons of point j of a block with place q of its list, entry at of the lists.
func (w *countWorker) look(b, of *countBlock, j, q, at int, row []float32) {
	p, s := w.pass, w.pass.space
	low, high := b.limits[q*b.width+j], b.limits[(b.longest+q)*b.width+j]
	i, key := b.first+j, p.keys[at]
	scaled := math.Ldexp(key, s.keyExponent)
	w.near = w.near[:0]
	for r, v := range row {
		if v <= low || v > high {
			continue
		}
		l := int32(of.first + r)
		limit := s.pairBound(i, l) + s.relative*max(math.Abs(float64(v)), scaled)
		switch difference := float64(v) - scaled; {
		case l == p.lists.Index[at]:
		case difference < -limit:
			w.decided = append(w.decided, decidedPlace{at: at})
		case difference <= limit:
			w.near = append(w.near, l)
		}
	}
	if len(w.near) == 0 {
		return
	}
	p.open.Add(int64(len(w.near)))
	w.keys = scan.Grown(w.keys, len(w.near))
	s.direct.Keys(i, w.row(i), w.near, w.keys)
	for _, k := range w.keys {
		if k <= key {
			w.decided = append(w.decided, decidedPlace{at: at, tied: k == key})
		}
	}
}

// settle adds what was counted to the lists of the block.
func (b *countBlock) settle(lists *Short) {
	for j := range b.width {
		from, to := lists.Start[b.first+j], lists.Start[b.first+j+1]
		for at := from; at < to; at++ {
			lists.Below[at] += b.counts[(at-from)*b.width+j]
			lists.Tied[at]++ // itself
		}
	}
}
