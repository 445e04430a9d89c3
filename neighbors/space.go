package neighbors

// This file holds the row-block view of one space: blocks of distances from
// some points to all points, and the questions asked of each row. How a block
// of distances comes about stays behind this border.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"repscope/internal/kernel"
	"repscope/points"
)

// space computes blocks of distance rows and answers questions about them.
type space interface {
	// load computes rows lo … hi−1. Workers may then ask about them.
	load(ctx context.Context, lo, hi int) error
	// worker returns a new worker; each belongs to one goroutine at a time.
	worker() worker
	// rowBytes is the memory of one loaded row, the packed point included.
	rowBytes() int64
	// keepable is what keeping the distances that later blocks want would take, for
	// rows lo … hi−1 in blocks of step; 0 where it does not pay.
	keepable(lo, hi, step int) int64
	// plan announces loads of blocks of step rows, ascending up to row end, and
	// what may be kept between them.
	plan(step, end int, budget int64)
	// counts returns what is known before any row is looked at.
	counts() SpaceCounts
}

// worker answers questions about loaded rows.
type worker interface {
	// nearest returns the count nearest candidates of point i in order, in
	// list's memory; fewer if there are fewer candidates.
	nearest(i, count int, list []int32) []int32
	// ranks sets rank[q] to the rank of list[q] among the candidates of i,
	// 1 for the nearest. With blocks, closer[q·groups+g] is set to the number of
	// candidates of block g that come before list[q]; nil leaves it out. It returns the ties of
	// the first tied entries of the list: the other candidates at exactly the same distance.
	ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64)
	// nearestTied is nearest with all ties of the last neighbour; group[q] is the
	// same number for all neighbours at one distance.
	nearestTied(i, count int, list, group []int32) (nearest, groups []int32)
	// rankLists sets rank[q] to the rank of l.list[q] among the candidates of its row. It is
	// the faster ranks for many points that lie anywhere.
	rankLists(l *rowLists, rank []int32)
	// distances sets out[q] to the distance of list[q] from i.
	distances(i int, list []int32, out []float64)
	// redecided is the number of comparisons decided again so far.
	redecided() int64
}

// base is what all spaces share.
type base struct {
	n       int // points, the length of a row
	self    bool
	window  int
	episode []int
	group   []int32 // block of each point, nil without blocks
	groups  int
	metric  Metric
	threads int
	direct  *direct
	// first is the lowest index of a point equal to each point.
	first      []int32
	duplicates int
	method     string
	computed   *atomic.Int64
}

func (b *base) counts() SpaceCounts {
	return SpaceCounts{Duplicates: b.duplicates, Method: b.method}
}

// exclusions calls skip for every point that is no candidate of point i.
func (b *base) exclusions(i int, skip func(j int)) {
	if !b.self {
		return
	}
	for j := max(0, i-b.window); j <= min(b.n-1, i+b.window); j++ {
		if j == i || b.episode == nil || b.episode[i] == b.episode[j] {
			skip(j)
		}
	}
}

// parallel calls work(w, i) for i in 0 … n−1 on the given number of goroutines,
// w telling them apart, and stops early when ctx is done.
func parallel(ctx context.Context, threads, n int, work func(w, i int)) error {
	var next atomic.Int64
	loop := func(w int) {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			work(w, i)
		}
	}
	threads = min(threads, n)
	var wait sync.WaitGroup
	for w := 1; w < threads; w++ {
		wait.Go(func() { loop(w) })
	}
	loop(0)
	wait.Wait()
	return ctx.Err()
}

// exact is a space whose rows hold the keys themselves.
type exact[K int32 | int64 | float64] struct {
	base
	fill   func(ctx context.Context, lo, hi int, rows []K) error
	half   half[K]
	packed int64 // bytes of one packed point
	pays   bool  // to keep distances
	rows   []K
	lo, hi int
}

func (s *exact[K]) rowBytes() int64 { return sizeOf[K]()*int64(s.n) + s.packed }

func (s *exact[K]) keepable(lo, hi, step int) int64 {
	if !s.pays {
		return 0
	}
	return halfBytes(lo, hi, step, sizeOf[K]())
}

func (s *exact[K]) plan(step, end int, budget int64) {
	if s.pays {
		s.half.plan(step, end, budget, sizeOf[K]())
	}
}

// sizeOf is the size of a T in bytes.
func sizeOf[T any]() int64 {
	var zero T
	return int64(unsafe.Sizeof(zero))
}

func (s *exact[K]) load(ctx context.Context, lo, hi int) error {
	s.lo, s.hi = lo, hi
	s.rows = grown(s.rows, (hi-lo)*s.n)
	if err := s.fill(ctx, lo, hi, s.rows); err != nil {
		return err
	}
	limit := excluded[K]()
	for i := lo; i < hi; i++ {
		row := s.row(i)
		s.exclusions(i, func(j int) { row[j] = limit })
	}
	return nil
}

func (s *exact[K]) row(i int) []K { return s.rows[(i-s.lo)*s.n : (i-s.lo+1)*s.n] }

func (s *exact[K]) worker() worker { return &exactWorker[K]{space: s} }

type exactWorker[K int32 | int64 | float64] struct {
	space      *exact[K]
	buf        []entry[K]
	thresholds []entry[K]
	place      []int32
	keys       []K
	ladder     ladder[K]
	hist, ties []int32
	found      [segment]int32
	// For rankLists.
	crowd        crowd[K]
	order, group []int32
	whole        wholeRow
}

func (w *exactWorker[K]) redecided() int64 { return 0 }

func (w *exactWorker[K]) nearest(i, count int, list []int32) []int32 {
	w.buf = selectNearest(w.space.row(i), count, i, w.buf, &w.found)
	list = list[:0]
	for _, e := range w.buf {
		list = append(list, e.index)
	}
	return list
}

func (w *exactWorker[K]) distances(i int, list []int32, out []float64) {
	row := w.space.row(i)
	for q, j := range list {
		out[q] = w.space.metric.distanceOf(float64(row[j]))
	}
}

func (w *exactWorker[K]) ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64) {
	if len(list) == 0 {
		return 0
	}
	s := w.space
	row := s.row(i)
	w.thresholds = w.thresholds[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, entry[K]{row[j], j})
	}
	w.place = sortedPlaces(w.thresholds, w.place)
	group, groups := s.group, max(1, s.groups)
	if closer == nil {
		group, groups = nil, 1
	}
	w.hist = zeroed(w.hist, (len(list)+1)*groups)
	w.ties = zeroed(w.ties, len(list))
	w.keys = closerThan(row, w.thresholds, &w.ladder, w.keys, group, groups, w.hist, w.ties, &w.found)
	run := 0
	for p, q := range w.place {
		if p > 0 && w.keys[p] != w.keys[run] {
			run = p
		}
		if int(q) < tied {
			ties += int64(w.ties[run]) - 1
		}
	}
	accumulateRanks(w.place, group != nil, groups, w.hist, rank, closer)
	return ties
}

// sortedPlaces sorts the entries in the order of neighbours; place[p] is where
// the entry now at p was before.
func sortedPlaces[K key](entries []entry[K], place []int32) []int32 {
	place = slices.Grow(place[:0], len(entries))[:len(entries)]
	for q := range place {
		place[q] = int32(q)
	}
	if len(entries) <= 64 {
		for i := 1; i < len(entries); i++ {
			e, at, j := entries[i], place[i], i
			for j > 0 && e.before(entries[j-1]) {
				entries[j], place[j] = entries[j-1], place[j-1]
				j--
			}
			entries[j], place[j] = e, at
		}
		return place
	}
	old := slices.Clone(entries)
	compare := func(a, b int32) int { return compareEntries(old[a], old[b]) }
	if packed := make([]uint64, len(entries)); packKeys(packed, entries) {
		slices.Sort(packed)
		for p, v := range packed {
			place[p] = int32(uint32(v))
		}
		for lo := 0; lo < len(packed); {
			hi := lo + 1
			for hi < len(packed) && old[place[hi]].key == old[place[lo]].key {
				hi++
			}
			slices.SortFunc(place[lo:hi], compare)
			lo = hi
		}
	} else {
		slices.SortFunc(place, compare)
	}
	for p, q := range place {
		entries[p] = old[q]
	}
	return place
}

// packKeys sets dst[q] to a number that orders like the key of entry q and holds q in its low half,
// which sorts several times as fast. It reports whether keys are narrow enough.
func packKeys[K key](dst []uint64, entries []entry[K]) bool {
	switch entries := any(entries).(type) {
	case []entry[float32]:
		for q, e := range entries {
			b := math.Float32bits(e.key)
			dst[q] = uint64(b^(uint32(int32(b)>>31)|1<<31))<<32 | uint64(q)
		}
	case []entry[int32]:
		for q, e := range entries {
			dst[q] = uint64(uint32(e.key)^1<<31)<<32 | uint64(q)
		}
	default:
		return false
	}
	return true
}

// accumulateRanks adds the counts between thresholds up to ranks.
func accumulateRanks(place []int32, grouped bool, groups int, hist, rank, closer []int32) {
	if !grouped {
		sum := int32(1)
		for p, q := range place {
			sum += hist[p]
			rank[q] = sum
		}
		return
	}
	for p, q := range place {
		counts := hist[p*groups : (p+1)*groups]
		if p > 0 {
			for g, c := range hist[(p-1)*groups : p*groups] {
				counts[g] += c
			}
		}
		total := int32(1)
		for _, c := range counts {
			total += c
		}
		rank[q] = total
		copy(closer[int(q)*groups:], counts)
	}
}

// zeroed returns n zeros in s's memory.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// openSpace returns the space of the distances from queries to points. With
// self they are the same points and each is left out of its own row. precise
// asks for rows in which few comparisons stay open even if all are needed.
func openSpace(ctx context.Context, queries, pts points.Points, self, precise bool, o *Options, group []int32, groups int) (space, error) {
	b := base{
		n: pts.N, self: self, window: o.ExcludeWindow, episode: o.Episode,
		group: group, groups: groups, metric: o.Metric, threads: o.threads(), computed: o.computed,
	}
	if o.Metric == Precomputed {
		return openPrecomputed(b, queries, pts), nil
	}
	var err error
	if b.first, b.duplicates, err = findDuplicates(ctx, pts, b.threads); err != nil {
		return nil, err
	}
	switch {
	case pts.U8 != nil:
		return openUint8(b, queries, pts), nil
	case pts.Dim <= directDim:
		return openDirect(b, queries, pts), nil
	case pts.F32 != nil && !precise:
		return openBounded[float32](ctx, b, queries, pts)
	}
	return openBounded[float64](ctx, b, queries, pts)
}

// directDim is the largest dimension in which computing all distances directly
// in float64 is as fast as bounding them first.
const directDim = 8

func openDirect(b base, queries, pts points.Points) space {
	b.direct = newDirect(queries, pts, b.metric)
	b.method = "float64 direct"
	all := make([]int32, pts.N)
	for j := range all {
		all[j] = int32(j)
	}
	s := &exact[float64]{base: b}
	s.fill = func(ctx context.Context, lo, hi int, rows []float64) error {
		return parallel(ctx, b.threads, hi-lo, func(_, r int) {
			b.direct.keys(lo+r, queries.Row(lo+r, nil), all, rows[r*b.n:(r+1)*b.n])
		})
	}
	return s
}

// openUint8 is the space of uint8 points: exact integers.
func openUint8(b base, queries, pts points.Points) space {
	b.method = "uint8 exact " + kernel.Name()
	if pts.Dim <= kernel.MaxUint8Depth {
		return uint8Space[int32](b, queries, pts)
	}
	return uint8Space[int64](b, queries, pts)
}

// keepingPaysUint8 is the smallest dimension in which computing distances of
// uint8 points takes longer than keeping and transposing them.
const keepingPaysUint8 = 768

// cosineColumns is the width of the strips in which products of uint8 points become cosines.
const cosineColumns = 1536

func uint8Space[I kernel.Integer](b base, queries, pts points.Points) space {
	dim := pts.Dim
	pointSquares := squaresUint8[I](pts)
	querySquares := pointSquares
	if !samePoints(queries, pts) {
		querySquares = squaresUint8[I](queries)
	}
	// product is that of the block's first rows, which begin at point lo and are packed in left.
	left := new(kernel.PackedUint8)
	product := func(ctx context.Context, lo, rows, col, cols int) kernel.Uint8Product[I] {
		return kernel.Uint8Product[I]{
			M: rows, N: cols, K: dim,
			A: left.Operand(0), B: kernel.Uint8Rows(pts.U8[col*dim:], dim),
			ASquares: querySquares[lo : lo+rows], BSquares: pointSquares[col : col+cols],
			Threads: b.threads, Done: ctx.Done(),
		}
	}
	pack := func(lo, hi int) error {
		return left.Left(kernel.Uint8Rows(queries.U8[lo*dim:], dim), hi-lo, dim)
	}
	pays := b.self && dim >= keepingPaysUint8
	if b.metric == Euclidean {
		s := &exact[I]{base: b, packed: 2 * int64(dim), pays: pays, half: half[I]{n: b.n, dim: dim, threads: b.threads, computed: b.computed}}
		s.fill = func(ctx context.Context, lo, hi int, rows []I) error {
			if err := pack(lo, hi); err != nil {
				return err
			}
			return s.half.load(ctx, lo, hi, rows, func(count, col, cols int, upper bool) error {
				p := product(ctx, lo, count, col, cols)
				p.C, p.Stride, p.Squared, p.Upper = rows[col:], b.n, true, upper
				return p.Run()
			})
		}
		return s
	}
	s := &exact[float64]{base: b, packed: 2 * int64(dim), pays: pays, half: half[float64]{n: b.n, dim: dim, threads: b.threads, computed: b.computed}}
	var products []I
	s.fill = func(ctx context.Context, lo, hi int, rows []float64) error {
		if err := pack(lo, hi); err != nil {
			return err
		}
		return s.half.load(ctx, lo, hi, rows, func(count, col, cols int, upper bool) error {
			// Strips whose products stay in the cache until they are divided by the norms.
			for from := col; from < col+cols; from += cosineColumns {
				width, height := min(cosineColumns, col+cols-from), count
				if upper {
					height = min(count, from+width-col)
				}
				products = grown(products, height*width)
				p := product(ctx, lo, height, from, width)
				p.C, p.Stride = products, width
				if err := p.Run(); err != nil {
					return err
				}
				err := parallel(ctx, b.threads, height, func(_, r int) {
					norm := float64(querySquares[lo+r])
					out := rows[r*b.n+from:]
					for j, dot := range products[r*width : (r+1)*width] {
						out[j] = cosineKey(float64(dot), norm, float64(pointSquares[from+j]))
					}
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return s
}

// squaresUint8 is Σ_k x_k² of every point.
func squaresUint8[I kernel.Integer](p points.Points) []I {
	out := make([]I, p.N)
	for i := range out {
		out[i] = I(kernel.SumSquaresUint8(p.U8[i*p.Dim : (i+1)*p.Dim]))
	}
	return out
}

// checkNorms reports the first point whose norm the cosine distance cannot
// take: zero, or so small or large that its square loses digits.
func checkNorms(role string, p points.Points) error {
	x := make([]float64, p.Dim)
	for i := range p.N {
		if n := squaredNorm(p.Row(i, x)); !(n >= minNorm2 && n <= maxNorm2) {
			return fmt.Errorf("%s: point %d has squared norm %v: the cosine distance wants %g to %g", role, i, n, minNorm2, maxNorm2)
		}
	}
	return nil
}
