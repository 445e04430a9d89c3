// Positions of the points of short lists, one list for every point, if nothing else of a row is needed: no row is
// stored. Tiles of pairs are computed once, for both of their points, and counted while they are in the cache.
//
// The keys κ of the points of the lists are computed directly. A value a of a pair and its direct key differ by a known
// bound. Below some limit a is certainly nearer than κ, and above another one certainly not. Values in between are few,
// and decided by direct keys.

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

// Short are lists of points, Index[Start[i]:Start[i+1]] for point i, and their positions among all other points: the
// numbers of candidates strictly nearer to i and at the same distance, themselves included.
type Short struct {
	Start       []int
	Index       []int32
	Below, Tied []int32
}

// LongestShort is the longest list for which counting in tiles pays.
const LongestShort = 64

// pairTiles computes values that represent keys of pairs of points: from products c of the two, (n_i + n_j) − 2c with
// norms n.
type pairTiles interface {
	// products sets c to the products of rows and cols points from row and from col on; row is a multiple of rowsStep or
	// tilePoints, col of tilePoints.
	products(w *productWork, c []float32, stride, row, rows, col, cols int) error
	norms() []float32
	// limits are, for a list of point i with that key, the largest value that is certainly below and the largest that
	// is not certainly above.
	limits(i int, key float64) (below, within float32)
	// doubt reports whether a value v of the pair of i and l within the limits of a key is open, and, if not, whether l is
	// nearer.
	doubt(i int, l int32, v float32, key float64) (open, nearer bool)
	// reach is the largest possible value of a point as near to i as one of this value, or nearer.
	reach(i int, value float32) float32
}

// PlaceShort fills Below and Tied for float32 or float64 points. It returns done false if rows are better: some list is
// longer than LongestShort, some points are outliers, too many comparisons stay open, or the memory does not suffice.
func PlaceShort(ctx context.Context, pts points.Points, o *Options, lists *Short) (done bool, err error) {
	threads := o.ThreadCount()
	perThread := int64(3*tilePoints*(tilePoints+pts.Dim)*4 + 2*LongestShort*tilePoints*4)
	if 4*int64(pts.N)*int64(pts.Dim)+int64(threads)*perThread > o.Budget() {
		return false, nil
	}
	for i := range pts.N {
		if lists.Start[i+1]-lists.Start[i] > LongestShort {
			return false, nil
		}
	}
	p := newCountPass(pts, o)
	defer p.release()
	p.lists, p.keys = lists, make([]float64, len(lists.Index))
	n := int64(pts.N)
	q, err := openQuantized(ctx, p, p.findKeys)
	if err != nil {
		return false, err
	}
	if q != nil {
		// A comparison that is left open takes the time that the products of some hundred pairs save.
		done, err := p.run(ctx, q, n*n/192+1<<10)
		q.release()
		if done || err != nil {
			return done, err
		}
	} else if err := parallel.For(ctx, p.threads, pts.N, p.findKeys); err != nil {
		return false, err
	}
	tiles, err := openFloatTiles(ctx, p)
	if err != nil || tiles == nil {
		return false, err
	}
	return p.run(ctx, tiles, n*n/64+1<<12)
}

// countPass is the counting in all tiles.
type countPass struct {
	points  points.Points
	direct  *Direct
	threads int
	workers []*countWorker
	lists   *Short
	keys    []float64 // the direct keys of the lists
	tiles   pairTiles
	blocks  []countBlock
	open    atomic.Int64 // comparisons that were left to direct keys
	most    int64        // of these
	begun   atomic.Int64 // pairs of blocks
	pairs   int64        // of blocks
	givenUp atomic.Bool
}

// countBlock holds the limits of tilePoints points; goroutines take turns at the counts.
type countBlock struct {
	sync.Mutex
	prepare      sync.Once
	first, width int
	padded       int // width
	longest      int // list
	// limits has rows of padded columns. Row q holds, for the q-th entry of all lists, the largest value that is certainly
	// below; row longest+q holds the largest that is not certainly above. Rows are padded to a multiple of four.
	limits []float32
	counts []int32
	open   []openPlace
}

// openPlace is an open comparison: is point l nearer to point j of the block than the q-th entry of its list?
type openPlace struct {
	j, q uint16
	l    int32
}

// mostOpen is how many comparisons a block keeps.
const mostOpen = 16 * tilePoints

// columnsStep divides the number of counted columns, also of a whole block.
const columnsStep = 16

// countWorker is one goroutine's view.
type countWorker struct {
	pass         *countPass
	tile, turned []float32
	counts       []int32
	nearer       []int // entries of the lists that have one more point below
	open         []openPlace
	order        []openPlace
	starts       [tilePoints + 1]int32
	index        []int32
	x, keys      []float64
	// Of lists.
	rows, cuts []float32
	near       []int32
	nearest    []scan.Entry[float64]
	run        []int32
	least      []float32
	best       []float32
	work       productWork
}

// productWork is the memory of one goroutine's products.
type productWork struct {
	words  kernel.Int16Workspace
	floats kernel.Workspace[float32]
	left   kernel.Packed[float32]
	packed int // the first point that left holds, or -1
}

var countWorkers sync.Pool

func newCountPass(pts points.Points, o *Options) *countPass {
	p := &countPass{points: pts, direct: NewDirect(pts, pts, o.Metric), threads: o.ThreadCount()}
	for range p.threads {
		w, _ := countWorkers.Get().(*countWorker)
		if w == nil {
			w = new(countWorker)
		}
		w.pass, w.work.packed = p, -1
		p.workers = append(p.workers, w)
	}
	return p
}

func (p *countPass) release() {
	for _, w := range p.workers {
		w.pass = nil
		countWorkers.Put(w)
	}
}

// findKeys computes the keys of the list of a point.
func (p *countPass) findKeys(worker, i int) {
	from, to := p.lists.Start[i], p.lists.Start[i+1]
	p.direct.Keys(i, p.workers[worker].row(i), p.lists.Index[from:to], p.keys[from:to])
}

// row are the coordinates of a point where direct keys want them.
func (w *countWorker) row(i int) []float64 {
	p := w.pass
	if p.direct.Metric != Cosine {
		return nil
	}
	w.x = scan.Grown(w.x, p.points.Dim)
	return p.points.Row(i, w.x)
}

// run counts in tiles; it stops early if more comparisons than limit are open or soon will be.
func (p *countPass) run(ctx context.Context, tiles pairTiles, limit int64) (done bool, err error) {
	p.tiles, p.most = tiles, limit
	p.open.Store(0)
	p.begun.Store(0)
	p.givenUp.Store(false)
	clear(p.lists.Below)
	clear(p.lists.Tied)
	p.blocks = make([]countBlock, (p.points.N+tilePoints-1)/tilePoints)
	var pairs [][2]int
	for t := range p.blocks {
		for u := t; u < len(p.blocks); u++ {
			pairs = append(pairs, [2]int{t, u})
		}
	}
	p.pairs = int64(len(pairs))
	err = parallel.Try(ctx, p.threads, len(pairs),
		func(w, at int) error { return p.workers[w].search(pairs[at][0], pairs[at][1]) })
	if err != nil || p.hopeless() {
		return false, err
	}
	// Waking a goroutine costs as much as some comparisons.
	threads := min(p.threads, int(p.open.Load()/64)+1)
	err = parallel.For(ctx, threads, len(p.blocks), func(w, t int) {
		b := &p.blocks[t]
		p.workers[w].decide(b, b.open)
		b.settle(p.lists)
	})
	return err == nil, err
}

// hopeless aborts the pass once open comparisons exceed the budget, prorated by the pairs of the blocks begun, plus an
// eighth of the whole as slack. The decision may depend on the threads; no number does.
func (p *countPass) hopeless() bool {
	if part := min(1, 1.0/8+float64(p.begun.Load())/float64(p.pairs)); float64(p.open.Load()) > part*float64(p.most) {
		p.givenUp.Store(true)
	}
	return p.givenUp.Load()
}

// block is block t with its limits.
func (p *countPass) block(t int) *countBlock {
	b := &p.blocks[t]
	b.prepare.Do(func() {
		b.first = t * tilePoints
		b.width = min(tilePoints, p.points.N-b.first)
		b.padded = (b.width + columnsStep - 1) / columnsStep * columnsStep
		for i := b.first; i < b.first+b.width; i++ {
			b.longest = max(b.longest, p.lists.Start[i+1]-p.lists.Start[i])
		}
		rows := (2*b.longest + 3) / 4 * 4
		b.limits, b.counts = make([]float32, rows*b.padded), make([]int32, rows*b.padded)
		for at := range b.limits {
			b.limits[at] = float32(math.Inf(-1))
		}
		for j := range b.width {
			i := b.first + j
			from, to := p.lists.Start[i], p.lists.Start[i+1]
			for q, key := range p.keys[from:to] {
				b.limits[q*b.padded+j], b.limits[(b.longest+q)*b.padded+j] = p.tiles.limits(i, key)
			}
		}
	})
	return b
}

// search counts the pairs of the points of two blocks.
func (w *countWorker) search(t, u int) error {
	p := w.pass
	p.begun.Add(1)
	if p.hopeless() {
		return nil
	}
	rows, other := p.block(t), p.block(u)
	w.tile, w.turned = scan.Grown(w.tile, tilePoints*tilePoints), scan.Grown(w.turned, tilePoints*tilePoints)
	norms := p.tiles.norms()
	if err := p.tiles.products(&w.work, w.tile, tilePoints, rows.first, rows.width, other.first, other.width); err != nil {
		return err
	}
	for r := range rows.width {
		kernel.FinishDistances(w.tile[r*tilePoints:][:other.width], norms[other.first:], norms[rows.first+r])
	}
	if t == u { // symmetric
		for j := range rows.width {
			w.tile[j*tilePoints+j] = float32(math.Inf(1)) // a point itself
		}
		w.count(rows, rows, w.tile, w.tile)
		return nil
	}
	kernel.Transpose(w.turned, tilePoints, w.tile, tilePoints, rows.width, other.width)
	w.count(other, rows, w.tile, w.turned)
	w.count(rows, other, w.turned, w.tile)
	return nil
}

// count counts, for the lists of block b, the values of the points of a block of rows: tile has a column, and turned a
// row, for each point of b. The padding of the tile is below no limit.
func (w *countWorker) count(b, source *countBlock, tile, transposed []float32) {
	w.counts = scan.Zeroed(w.counts, len(b.limits))
	kernel.CountAtMost(w.counts, tile, tilePoints, source.width, b.limits, b.padded)
	w.nearer, w.open = w.nearer[:0], w.open[:0]
	lists := w.pass.lists
	for q := range b.longest {
		below, within := w.counts[q*b.padded:][:b.width], w.counts[(b.longest+q)*b.padded:][:b.width]
		for j, n := range within {
			if n == below[j] {
				continue
			}
			entry := lists.Start[b.first+j] + q
			if own := int(lists.Index[entry]) - source.first; n-below[j] > 1 || own < 0 || own >= source.width {
				w.look(b, source, j, q, entry, transposed[j*tilePoints:j*tilePoints+source.width])
			}
		}
	}
	var full []openPlace
	b.Lock()
	for at, n := range w.counts[:b.longest*b.padded] {
		b.counts[at] += n
	}
	for _, at := range w.nearer {
		lists.Below[at]++
	}
	if b.open = append(b.open, w.open...); len(b.open) > mostOpen {
		full, b.open = b.open, nil
	}
	b.Unlock()
	w.pass.open.Add(int64(len(w.open)))
	w.decide(b, full)
}

// look finds the open comparisons between point j of a block and the q-th entry of its list.
func (w *countWorker) look(b, source *countBlock, j, q, entry int, row []float32) {
	p := w.pass
	low, high := b.limits[q*b.padded+j], b.limits[(b.longest+q)*b.padded+j]
	i, key := b.first+j, p.keys[entry]
	w.near = scan.Grown(w.near, len(row))
	for _, r := range w.near[:kernel.AtMost(w.near, row, high)] {
		v, l := row[r], int32(source.first)+r
		if v <= low || l == p.lists.Index[entry] {
			continue
		}
		if open, nearer := p.tiles.doubt(i, l, v, key); open {
			w.open = append(w.open, openPlace{uint16(j), uint16(q), l})
		} else if nearer {
			w.nearer = append(w.nearer, entry)
		}
	}
}

// decide decides open comparisons of a block by direct keys, point by point.
func (w *countWorker) decide(b *countBlock, open []openPlace) {
	if len(open) == 0 {
		return
	}
	p := w.pass
	clear(w.starts[:])
	for _, o := range open {
		w.starts[o.j+1]++
	}
	for j := range b.width {
		w.starts[j+1] += w.starts[j]
	}
	w.order, w.index, w.keys = scan.Grown(w.order, len(open)), scan.Grown(w.index, len(open)), scan.Grown(w.keys, len(open))
	for _, o := range open {
		at := w.starts[o.j]
		w.starts[o.j]++
		w.order[at], w.index[at] = o, o.l
	}
	for lo := 0; lo < len(open); {
		hi, j := int(w.starts[w.order[lo].j]), int(w.order[lo].j)
		p.direct.Keys(b.first+j, w.row(b.first+j), w.index[lo:hi], w.keys[lo:hi])
		lo = hi
	}
	b.Lock()
	defer b.Unlock()
	for index, o := range w.order {
		entry := p.lists.Start[b.first+int(o.j)] + int(o.q)
		switch k, key := w.keys[index], p.keys[entry]; {
		case k < key:
			p.lists.Below[entry]++
		case k == key:
			p.lists.Tied[entry]++
		}
	}
}

// settle adds the counts to the lists of the block.
func (b *countBlock) settle(lists *Short) {
	for j := range b.width {
		from, to := lists.Start[b.first+j], lists.Start[b.first+j+1]
		for at := from; at < to; at++ {
			lists.Below[at] += b.counts[(at-from)*b.padded+j]
			lists.Tied[at]++ // itself
		}
	}
}

// floatTiles are tiles of float32 products.
type floatTiles struct {
	space *bounded[float32]
	right kernel.Packed[float32]
}

// openFloatTiles returns nil where some points are outliers.
func openFloatTiles(ctx context.Context, p *countPass) (*floatTiles, error) {
	b := base{Candidates: Candidates{N: p.points.N, Self: true}, metric: p.direct.Metric, threads: p.threads}
	opened, err := openBounded[float32](ctx, b, p.points, p.points)
	if err != nil {
		return nil, err
	}
	s := opened.(*bounded[float32])
	if len(s.outliers) > 0 {
		return nil, nil
	}
	return newFloatTiles(s)
}

func newFloatTiles(s *bounded[float32]) (*floatTiles, error) {
	f := &floatTiles{space: s}
	return f, f.right.Right(kernel.Packing[float32](parallelPacker[float32]{offsetPoints[float32]{s.points, 0}, s.threads}), s.N, s.sources.Dim)
}

// limits implements pairTiles.
func (f *floatTiles) limits(i int, key float64) (below, within float32) {
	s := f.space
	key = math.Ldexp(key, s.keyExponent)
	around := s.bound(i, s.maxRadius, s.maxRounding) + s.relative*key
	return scan.NextDown(scan.RoundDown[float32](scan.NextDown(key - around))), scan.RoundUp[float32](scan.NextUp(key + around))
}

// doubt implements pairTiles, by the bound of the pair.
func (f *floatTiles) doubt(i int, l int32, v float32, key float64) (open, nearer bool) {
	s := f.space
	key = math.Ldexp(key, s.keyExponent)
	limit := s.pairBound(i, l) + s.relative*max(math.Abs(float64(v)), key)
	return math.Abs(float64(v)-key) <= limit, float64(v) < key
}

// reach implements pairTiles.
func (f *floatTiles) reach(i int, value float32) float32 {
	return f.space.above(value, f.space.band(i))
}

func (f *floatTiles) norms() []float32 { return f.space.points.norm }

// products implements pairTiles. The rows are packed once for products that follow each other.
func (f *floatTiles) products(w *productWork, c []float32, stride, row, rows, col, cols int) error {
	s := f.space
	if w.packed != row || w.left.Count() != rows {
		if err := w.left.Left(kernel.Packing[float32](offsetPoints[float32]{s.points, row}), rows, s.sources.Dim); err != nil {
			return err
		}
		w.packed = row
	}
	product := kernel.Product[float32]{
		M: rows, N: cols, K: s.sources.Dim, A: w.left.Operand(0), B: f.right.Operand(col),
		C: c, Stride: stride, Threads: 1, Workspace: &w.floats,
	}
	return product.Run()
}
