package neighbors

// This file ranks points that lie anywhere in their row, as permuted neighbours do: many
// of one row at a time, and, where distances have a bound, many rows.

import (
	"context"
	"math"
	"math/bits"
	"unsafe"

	"repscope/internal/kernel"
)

// rowLists are points to be ranked in the rows of the points first, first+1, …: list[ends[r−1]:ends[r]]
// in row first+r.
type rowLists struct {
	first int
	ends  []int
	list  []int32
	// Where orders is not nil, candidates at equal distance are ordered by orders[owner[q]] for list[q] in
	// place of their index.
	owner  []int32
	orders [][]int32
}

func (l *rowLists) reset(first int) {
	l.first = first
	l.ends, l.list, l.owner = l.ends[:0], l.list[:0], l.owner[:0]
}

// before reports whether, at equal distance, candidate a comes before list[q].
func (l *rowLists) before(a int32, q int) bool {
	if l.orders == nil {
		return a < l.list[q]
	}
	order := l.orders[l.owner[q]]
	return order[a] < order[l.list[q]]
}

// crowd places every value of a row among many sorted thresholds, of each of which an interval is known. The
// values are counted in equal steps; only those in steps that an interval touches are looked at one by one.
type crowd[K key] struct {
	ladder[K]
	count []uint32 // of the values in each step; the highest bit is set where an interval touches it
	found [segment]int32
	which [segment]int32
}

// stepsPerThreshold and maxSteps make the table of steps fine enough for few values to be
// looked at, and small enough for the cache.
const stepsPerThreshold, maxSteps = 16, 1 << 13

// touched marks the count of a step that an interval touches.
const touched = 1 << 31

// scan adds to hist[p] the number of values whose place is p. That is the number
// of thresholds p with high[p] < v for values v outside all intervals low[p] … high[p]; for the others it is what
// hit returns, who gets the value, its index and the number of thresholds with high[p] < v.
// low and high ascend.
func (c *crowd[K]) scan(row, low, high []K, hist []int32, hit func(v K, l int32, p int) int) {
	c.reset(high, stepsPerThreshold, maxSteps)
	c.count = zeroed(c.count, len(c.start))
	for p, v := range low {
		for b := c.bin(max(v, c.low)); b <= c.bin(high[p]); b++ {
			c.count[b] = touched
		}
	}
	first, count, which, steps := low[0], c.count, &c.which, c.ladder
	for start := 0; start < len(row); start += segment {
		part := row[start:min(start+segment, len(row))]
		few := 0
		for _, l := range c.found[:atMost(c.found[:], part, c.high)] {
			b := 0
			if v := part[l]; v >= steps.low {
				b = steps.bin(v)
			} else if v < first {
				hist[0]++
				continue
			}
			n := count[b] + 1
			count[b] = n
			which[few&(segment-1)] = l
			few += int(n / touched)
		}
		for _, l := range which[:few] {
			v, p := part[l], 0
			if v >= c.low {
				p = c.below(v)
			}
			if low[p] <= v {
				p = hit(v, int32(start)+l, p)
			}
			hist[p]++
		}
	}
	for b, n := range count {
		if n < touched {
			hist[c.start[b]] += int32(n)
		}
	}
}

func (w *exactWorker[K]) rankLists(l *rowLists, rank []int32) {
	from := 0
	for r, end := range l.ends {
		w.rankList(l, l.first+r, from, end, rank[from:end])
		from = end
	}
}

func (w *exactWorker[K]) rankList(l *rowLists, i, from, end int, rank []int32) {
	list := l.list[from:end]
	if len(list) == 0 {
		return
	}
	if wholeRowPays(&w.space.base, len(list)) {
		w.order, w.group = w.nearestTied(i, w.space.n, w.order, w.group)
		w.whole.ranks(l, from, w.order, w.group, w.space.n, rank)
		return
	}
	row := w.space.row(i)
	w.thresholds, w.keys = w.thresholds[:0], w.keys[:0]
	for _, j := range list {
		w.thresholds = append(w.thresholds, entry[K]{row[j], j})
	}
	w.place = sortedPlaces(w.thresholds, w.place)
	for _, e := range w.thresholds {
		w.keys = append(w.keys, e.key)
	}
	w.hist = zeroed(w.hist, len(list)+1)
	w.ties = zeroed(w.ties, len(list))
	w.crowd.scan(row, w.keys, w.keys, w.hist, func(v K, j int32, p int) int {
		if l.orders == nil {
			return afterTies(w.thresholds, p, j)
		}
		for ; p < len(w.keys) && w.keys[p] == v; p++ {
			if l.before(j, from+int(w.place[p])) {
				w.ties[p]++
			}
		}
		return p
	})
	sum := int32(1)
	for p, q := range w.place {
		sum += w.hist[p]
		rank[q] = sum + w.ties[p]
	}
}

// wholeRowPays reports whether sorting the whole row is faster than placing its values among
// count points: where these are many, or where many points are equal.
func wholeRowPays(b *base, count int) bool {
	return count >= b.n/4 || b.duplicates >= b.n/8
}

// wholeRow ranks points in a row that is sorted from end to end.
type wholeRow struct {
	at       []int32  // where each point is in the order
	ahead    []int32  // of the points of a run of ties, by their place in an order: how many come before each word of set
	set      []uint64 // the places of the points of the run
	run, who int32    // the run and the owner that set belongs to
}

// ranks ranks the points l.list[from:from+len(rank)] in the row with that order of points
// and runs of ties; see worker.nearestTied.
func (w *wholeRow) ranks(l *rowLists, from int, order, group []int32, n int, rank []int32) {
	w.at = grown(w.at, n)
	for p, j := range order {
		w.at[j] = int32(p)
	}
	w.run, w.who = -1, -1
	for q := range rank {
		j := l.list[from+q]
		p := w.at[j]
		run := group[p]
		if l.orders == nil || run == p && (int(p)+1 == len(order) || group[p+1] != run) {
			rank[q] = p + 1
			continue
		}
		own := l.orders[l.owner[from+q]]
		if w.run != run || w.who != l.owner[from+q] {
			w.run, w.who = run, l.owner[from+q]
			w.fill(order, group, own)
		}
		place := own[j]
		below := w.set[place/64] & (1<<(place%64) - 1)
		rank[q] = run + w.ahead[place/64] + int32(bits.OnesCount64(below)) + 1
	}
}

// fill sets the places in the order own of the points of run w.run.
func (w *wholeRow) fill(order, group, own []int32) {
	w.set = zeroed(w.set, (len(own)+63)/64)
	for p := int(w.run); p < len(order) && group[p] == w.run; p++ {
		place := own[order[p]]
		w.set[place/64] |= 1 << (place % 64)
	}
	w.ahead = grown(w.ahead, len(w.set))
	sum := int32(0)
	for at, word := range w.set {
		w.ahead[at] = sum
		sum += int32(bits.OnesCount64(word))
	}
}

// openRank is a comparison left open: does candidate point come before list[at]? a and b are where
// the values of the two are found.
type openRank struct{ at, point, a, b int32 }

// maxOpen is the number of open comparisons after which they are decided.
const maxOpen = 1 << 17

func (w *boundedWorker[F]) rankLists(l *rowLists, rank []int32) {
	near := w.newNear(len(l.ends))
	from := 0
	for r, end := range l.ends {
		w.rankList(l, near, r, from, rank[:end])
		from = end
	}
	if near != nil {
		w.decideNear(l, near, rank)
	}
}

// rankList ranks the points l.list[from:len(rank)] in row l.first+r. With near, ranks
// miss what is decided later.
func (w *boundedWorker[F]) rankList(l *rowLists, near *nearly, r, from int, rank []int32) {
	list, i := l.list[from:len(rank)], l.first+r
	if len(list) == 0 {
		return
	}
	s := w.space
	if wholeRowPays(&s.base, len(list)) {
		w.order, w.group = w.nearestTied(i, s.n, w.order, w.group)
		w.whole.ranks(l, from, w.order, w.group, s.n, rank[from:])
		return
	}
	row := w.setThresholds(i, list)
	w.hist = zeroed(w.hist, len(list)+1)
	own := rank[from:]
	clear(own)
	w.crowd.scan(row, w.low, w.high, w.hist, func(v F, j int32, p int) int {
		bound := s.pairBound(i, j)
		for ; p < len(w.low) && w.low[p] <= v; p++ {
			t, at := w.thresholds[p], w.place[p]
			if j == t.index {
				continue
			}
			limit := bound + w.bounds[p] + s.relative*max(math.Abs(float64(v)), math.Abs(float64(t.key)))
			switch difference := float64(v) - float64(t.key); {
			case s.first[j] == s.first[t.index]:
				if l.before(j, from+int(at)) {
					own[at]++
				}
			case difference < -limit:
				own[at]++
			case difference <= limit:
				w.openRanks = append(w.openRanks, openRank{at: int32(from) + at, point: j})
			}
		}
		if len(w.openRanks) >= maxOpen {
			w.settleRow(l, near, r, rank)
			if near != nil {
				w.decideNear(l, near, rank)
			}
		}
		return p
	})
	w.settleRow(l, near, r, rank)
	sum := int32(1)
	for p, q := range w.place {
		sum += w.hist[p]
		own[q] += sum
	}
}

// settleRow decides the open comparisons of row l.first+r or, with near, leaves them for later.
func (w *boundedWorker[F]) settleRow(l *rowLists, near *nearly, r int, rank []int32) {
	if near != nil {
		w.openRanks = near.want(l, w.space.first, r, w.openRanks)
		return
	}
	w.decideRow(l, l.first+r, w.openRanks, rank)
	w.openRanks = w.openRanks[:0]
}

// decideRow decides comparisons of row i by the direct keys.
func (w *boundedWorker[F]) decideRow(l *rowLists, i int, open []openRank, rank []int32) {
	if len(open) == 0 {
		return
	}
	w.enter(i)
	for _, c := range open {
		w.need(c.point)
		w.need(l.list[c.at])
	}
	w.compute()
	for _, c := range open {
		a, b := w.key(c.point), w.key(l.list[c.at])
		if a < b || a == b && l.before(c.point, int(c.at)) {
			rank[c.at]++
		}
	}
}

// decideNear decides the comparisons that were left for later: by nearly exact keys and,
// where these leave them open, by the direct ones.
func (w *boundedWorker[F]) decideNear(l *rowLists, near *nearly, rank []int32) {
	near.compute(l.first)
	still := near.open[:0]
	row := int32(0)
	flush := func() {
		w.decideRow(l, l.first+int(row), still, rank)
		still = still[:0]
	}
	for _, c := range near.open {
		of := near.cells[c.a].row
		if !near.apart(c.a, c.b, l.first+int(of)) {
			if of != row {
				flush()
				row = of
			}
			still = append(still, c)
		} else if near.key(c.a) < near.key(c.b) {
			rank[c.at]++
		}
	}
	flush()
	near.reset()
}

// nearly computes nearly exact keys of scattered pairs, all of several rows together: every
// point is read once for all rows that want it, in pieces of the depth that leave the
// rows' own in the cache.
//
// They are ‖x‖² + ‖y‖² − 2x·y of the points as they came, and the cosine's from x·y, in float64. With
// w = 2⁻⁵³, the product, both norms and the last two operations are off by at most
// (2D+4)·w·(‖x‖²+‖y‖²), the direct computation by (D+3)·w·‖x−y‖² ≤ (2D+6)·w·(‖x‖²+‖y‖²). For the cosine
// the two products differ by at most (2D+1)·w·‖x‖‖y‖, and the divisions and differences add 6w. With
// 1+2⁻¹⁰ for the terms of second order, a nearly exact key and the direct one differ by at most
//
//	(1+2⁻¹⁰)·(4D+16)·w·(‖x‖²+‖y‖²),   cosine: (1+2⁻¹⁰)·(4D+16)·w
//
// float32 values neither overflow nor underflow.
type nearly struct {
	direct *direct
	unit   float64 // (1+2⁻¹⁰)·(4D+16)·w
	norms  []float64
	height int // rows
	open   []openRank
	cells  []cell
	slot   []int32 // of the cell of each point, in the row at hand, where stamp says so
	stamp  []int32
	now    int32
	start  []int32 // where the cells of each point begin
	rows   []int32 // of the cells by point
	sums   []float64
	place  []int32 // of each cell in rows and sums
	block  []float32
	y      []float64
}

// cell is a pair of a row, counted from the first, and a point.
type cell struct{ row, point int32 }

// nearRows is the number of rows that are looked at together, nearDepth the depth of a
// piece: their product fits into the L2 cache.
const nearRows, nearDepth = 256, 512

// nearPays is the smallest dimension in which direct keys are dear enough for nearly.
const nearPays = 256

// newNear returns the worker's nearly, ready for rows rows; nil where it does not apply.
func (w *boundedWorker[F]) newNear(rows int) *nearly {
	s := w.space
	if s.sources.F32 == nil || s.sources.Dim < nearPays || unsafe.Sizeof(F(0)) == 8 {
		return nil
	}
	if w.near == nil {
		w.near = &nearly{
			direct: s.direct, unit: (1 + 0x1p-10) * float64(4*s.sources.Dim+16) * 0x1p-53, norms: s.squares(),
			slot: make([]int32, s.n), stamp: make([]int32, s.n), start: make([]int32, s.n+1),
			y: make([]float64, nearDepth),
		}
	}
	w.near.height = rows
	return w.near
}

// want asks for the keys of the open comparisons of row first+r and keeps them for later. It returns open, empty.
func (c *nearly) want(l *rowLists, first []int32, r int, open []openRank) []openRank {
	if c.now == math.MaxInt32 {
		clear(c.stamp)
		c.now = 0
	}
	c.now++
	cellOf := func(j int32) int32 {
		j = first[j]
		if c.stamp[j] != c.now {
			c.stamp[j], c.slot[j] = c.now, int32(len(c.cells))
			c.cells = append(c.cells, cell{int32(r), j})
		}
		return c.slot[j]
	}
	for _, o := range open {
		o.a, o.b = cellOf(o.point), cellOf(l.list[o.at])
		c.open = append(c.open, o)
	}
	return open[:0]
}

func (c *nearly) reset() { c.open, c.cells = c.open[:0], c.cells[:0] }

// compute finds the keys of all cells; first is the point of row 0.
func (c *nearly) compute(first int) {
	c.sortCells()
	queries, points := c.direct.queries, c.direct.points
	dim := points.Dim
	c.sums = zeroed(c.sums, len(c.cells))
	c.block = grown(c.block, c.height*nearDepth)
	for k := 0; k < dim; k += nearDepth {
		depth := min(nearDepth, dim-k)
		filled := (depth + kernel.PairDepth - 1) / kernel.PairDepth * kernel.PairDepth
		for r := range c.height {
			at, row := (first+r)*dim+k, c.block[r*nearDepth:][:filled]
			copy(row, queries.F32[at:at+depth])
			clear(row[depth:])
		}
		clear(c.y[depth:filled])
		for j := range points.N {
			from, to := c.start[j], c.start[j+1]
			if from == to {
				continue
			}
			at, next := j*dim+k, min(j+1, points.N-1)*dim+k
			ahead := points.F32[next : next+depth]
			kernel.Widen(c.y, points.F32[at:at+depth])
			kernel.AddProducts(c.sums[from:to], c.y[:filled], c.block, nearDepth, c.rows[from:to], ahead)
		}
	}
	for q, of := range c.cells {
		at, i := c.place[q], first+int(of.row)
		if c.direct.metric == Cosine {
			c.sums[at] = cosineKey(c.sums[at], c.direct.queryNorm[i], c.direct.pointNorm[of.point])
		} else {
			c.sums[at] = c.norms[i] + c.norms[of.point] - 2*c.sums[at]
		}
	}
}

// sortCells lists the rows of each point's cells, one point after another.
func (c *nearly) sortCells() {
	c.place, c.rows = grown(c.place, len(c.cells)), grown(c.rows, len(c.cells))
	clear(c.start)
	for _, of := range c.cells {
		c.start[of.point+1]++
	}
	for j := range len(c.start) - 1 {
		c.start[j+1] += c.start[j]
	}
	// Filling moves each start to the next one.
	for q, of := range c.cells {
		at := c.start[of.point]
		c.place[q], c.rows[at] = at, of.row
		c.start[of.point]++
	}
	copy(c.start[1:], c.start)
	c.start[0] = 0
}

func (c *nearly) key(of int32) float64 { return c.sums[c.place[of]] }

// apart reports whether the keys of two cells of a row are far enough apart to be certainly in order.
func (c *nearly) apart(a, b int32, i int) bool {
	limit := 2 * c.unit
	if c.direct.metric != Cosine {
		limit = c.unit * (2*c.norms[i] + c.norms[c.cells[a].point] + c.norms[c.cells[b].point])
	}
	return math.Abs(c.key(a)-c.key(b)) > limit
}

// squares are the squared norms of float32 points as they came.
func (s *bounded[F]) squares() []float64 {
	s.squaresOnce.Do(func() {
		s.squared = make([]float64, s.n)
		dim, norms := s.sources.Dim, make([]kernel.Norms[float32], s.threads)
		_ = parallel(context.Background(), s.threads, s.n, func(w, i int) {
			s.squared[i], _ = norms[w].Of(s.sources.F32[i*dim : (i+1)*dim])
		})
	})
	return s.squared
}
