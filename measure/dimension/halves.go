// Estimates of halves of the points, for the errors of estimates of all.

package dimension

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/stat"
)

// HalfStatistic is a statistic of ratios of distances to nearest neighbors within a half: Of fills dst[:Size] with
// NaN where it is undefined. It must be safe for concurrent calls and keep nothing of the half.
type HalfStatistic struct {
	// Orders 1 ≤ N1 < N2 of the ratios; with N1 = 0 the ratios of r_{N2} to all nearer ones.
	N1, N2, Size int
	Of           func(h *Half, dst []float64)
}

// Half holds the ratios of one half of the points.
type Half struct {
	n1, n2 int
	points int       // that the logarithms are of
	logs   []float64 // ln(r_{n2}/r_{n1}) of the points; none where n1 is 0
	total  float64   // Σ ln(r_{n2}/r_{n1}); where n1 is 0 Σ Σ_{j<n2} ln(r_{n2}/r_j)
	bad    error     // a distance that is 0 or infinite
	left   int       // points that have too few neighbors and are left out
	lost   bool      // a point has too few neighbors in the half
	fits   *fits
}

// TwoNN is [NewTwoNN] of the ratios.
func (h *Half) TwoNN() (TwoNN, error) {
	if err := h.check(); err != nil {
		return TwoNN{}, err
	}
	return twoNN(h.logs, h.total, h.fits), nil
}

// Gride is [Gride] of the ratios; near is a number not far from the
// estimate, from which it is found faster: to 1e−9 of it, where near is within 0.4 %.
func (h *Half) Gride(near float64) (float64, error) {
	if err := h.check(); err != nil {
		return 0, err
	}
	return gride(h.logs, h.n1, h.n2, near)
}

func (h *Half) check() error {
	if h.n1 == 0 {
		return errOrders(h.n1, h.n2)
	}
	return cmp.Or(h.bad, checkTotal(h.points, h.total))
}

// LevinaBickel is [LevinaBickel] of all ratios of r_{N2} to nearer ones.
func (h *Half) LevinaBickel() (float64, error) {
	if h.n1 != 0 {
		return 0, fmt.Errorf("levina–bickel: ratios to neighbor %d only, want ratios to all neighbors", h.n1)
	}
	if h.bad != nil {
		return 0, h.bad
	}
	return levinaBickel(h.points, h.n2, h.total)
}

// clear forgets the points, before points others.
func (h *Half) clear(points int) {
	h.points, h.total, h.bad, h.left, h.lost = 0, 0, nil, 0, false
	if h.n1 > 0 {
		h.logs = slices.Grow(h.logs[:0], points)
	}
}

// add enters a point by the logarithms of its distances.
func (h *Half) add(row []float64) {
	last := row[h.n2-1]
	if h.n1 > 0 {
		l := last - row[h.n1-1]
		h.logs = append(h.logs, l)
		h.total += l
	} else {
		for _, l := range row[:h.n2-1] {
			h.total += last - l
		}
	}
	if first := row[0]; !(last-first <= math.MaxFloat64) && h.bad == nil {
		h.bad = fmt.Errorf(
			"neighbor distances of point %d have logarithms from %v to %v, want finite numbers", h.points, first, last)
	}
	h.points++
}

// Halved computes statistics of the distances to the nearest neighbors within both
// halves of every split: first[t][s][r] is number s of statistic t of the first half of split r. Halves
// are of all points, duplicates included.
//
// Neighbors are read from the lists, once for all statistics; a point whose list has too few of its half looks
// at all points, in the approximate mode it is left out. Where a point has too few in
// its half at all, or more than one in a hundred is left out, the statistics of the
// half are NaN. Errors: blocks of another number of points.
func (d *Distinct) Halved(ctx context.Context, h *stat.Halves,
	statistics ...HalfStatistic) (first, second [][][]float64, err error) {
	labels := h.Blocks().Labels()
	if n := d.all.Points().N; len(labels) != n {
		return nil, nil, fmt.Errorf("intrinsic dimension: blocks of %d points for %d points", len(labels), n)
	}
	splits := h.Splits()
	size := 0
	for _, s := range statistics {
		size += s.Size
	}
	values := make([]float64, 2*len(splits)*size)
	for i := range values {
		values[i] = math.NaN()
	}
	x := &halver{Distinct: d, splits: splits, longer: map[int]*longerList{}, fits: &fits{}}
	if err := x.enterBlocks(ctx, labels); err != nil {
		return nil, nil, err
	}
	err = parallel.With(ctx, d.search.Options.Threads, len(splits), func() func(split int) error {
		w := newHalves(x, statistics)
		return func(split int) error {
			w.read(split)
			for side := range w.side {
				dst := values[(2*split+side)*size : (2*split+side+1)*size]
				for t, s := range statistics {
					if half := w.side[side].of(w.place[t]); half != nil {
						s.Of(half, dst[:s.Size])
					}
					dst = dst[s.Size:]
				}
			}
			return nil
		}
	})
	offset := 0
	for _, s := range statistics {
		a, b := make([][]float64, s.Size), make([][]float64, s.Size)
		for k := range s.Size {
			for r := range splits {
				a[k], b[k] = append(a[k], values[2*r*size+offset]), append(b[k], values[(2*r+1)*size+offset])
			}
			offset++
		}
		first, second = append(first, a), append(second, b)
	}
	return first, second, err
}

// halver keeps the blocks of points, their near points, and longer lists of the points that need them.
type halver struct {
	*Distinct
	splits [][]bool // of blocks
	block  []uint8  // of every kept point: halves are of whole blocks, at most 60 in a [stat.Halves]
	// near are the logarithms of the distances of every kept point to its nearest neighbors, side by side: the whole
	// lists fill no cache. same says of every split and kept point which of the nearest sameNeighbors are in the half
	// of the point, the nearest in the lowest bit. Both are nil where lists are shorter.
	near   [][nearNeighbors]float64
	same   [][]uint32
	mu     sync.Mutex
	longer map[int]*longerList
	fits   *fits
}

type longerList struct {
	once     sync.Once
	index    []int32
	distance []float64
}

const nearNeighbors, sameNeighbors = 20, 32

// splitsAtOnce is of how many splits a table of blocks says who belongs: one in each byte.
const splitsAtOnce = 8

// enterBlocks fills in the blocks, and the near points, from the labels of all points.
func (x *halver) enterBlocks(ctx context.Context, labels []int) error {
	x.block = make([]uint8, len(x.Index))
	for i, original := range x.Index {
		x.block[i] = uint8(labels[original])
	}
	if x.Nearest.K < sameNeighbors {
		return nil
	}
	tables := make([][math.MaxUint8 + 1]uint64, (len(x.splits)+splitsAtOnce-1)/splitsAtOnce)
	x.near, x.same = make([][nearNeighbors]float64, len(x.Index)), make([][]uint32, len(x.splits))
	for s, first := range x.splits {
		x.same[s] = make([]uint32, len(x.Index))
		for b, in := range first {
			if in {
				tables[s/splitsAtOnce][b] |= 0x80 << (8 * (s % splitsAtOnce))
			}
		}
	}
	const together = 1 << 12
	return parallel.For(ctx, x.search.Options.Threads, (len(x.near)+together-1)/together, func(_, part int) {
		for i := part * together; i < min((part+1)*together, len(x.near)); i++ {
			var blocks [sameNeighbors]uint8
			for l, j := range x.Nearest.Index[i*x.Nearest.K:][:sameNeighbors] {
				blocks[l] = x.block[j]
			}
			kernel.Log(x.near[i][:], x.Nearest.Distance[i*x.Nearest.K:][:nearNeighbors])
			for t := range tables {
				x.enterSame(i, t, &tables[t], &blocks)
			}
		}
	})
}

// enterSame says of point i and the splits of a table which of its neighbors, of the given blocks, are in its half.
func (x *halver) enterSame(i, t int, table *[math.MaxUint8 + 1]uint64, blocks *[sameNeighbors]uint8) {
	// A byte of a table has its highest bit set for the split if a block is of the first half: eight neighbors fill it.
	const rest = 0x7f7f7f7f7f7f7f7f
	var first [sameNeighbors / 8]uint64
	for l := range 8 {
		for q := range first {
			first[q] = first[q]>>1&rest | table[blocks[8*q+l]]
		}
	}
	sides := table[x.block[i]]
	for s, same := range x.same[t*splitsAtOnce : min((t+1)*splitsAtOnce, len(x.same))] {
		shift := 8 * s
		members := uint32(first[0]>>shift&0xff | first[1]>>shift&0xff<<8 | first[2]>>shift&0xff<<16 | first[3]>>shift&0xff<<24)
		if sides>>shift&0x80 == 0 {
			members = ^members
		}
		same[i] = members
	}
}

// longerLists is the length of longer lists, in lengths of the lists.
const longerLists = 8

// halves are the halves of a worker's splits, one split after the other.
type halves struct {
	*halver
	most  int // the largest order
	side  [2]half
	place []int     // of every statistic in the ratios of a side
	row   []float64 // of one point
	far   []float64
}

type half struct {
	in      [math.MaxUint8 + 1]bool // blocks
	points  int
	ratios  []Half
	belongs []bool // kept points; of length 0 until it is asked for
}

func newHalves(x *halver, statistics []HalfStatistic) *halves {
	w := &halves{halver: x}
	for _, s := range statistics {
		w.most = max(w.most, s.N2)
		ratios := w.side[0].ratios
		index := slices.IndexFunc(ratios, func(h Half) bool { return h.n1 == s.N1 && h.n2 == s.N2 })
		if index < 0 {
			index = len(ratios)
			for side := range w.side {
				w.side[side].ratios = append(w.side[side].ratios, Half{n1: s.N1, n2: s.N2, fits: x.fits})
			}
		}
		w.place = append(w.place, index)
	}
	w.row, w.far = make([]float64, w.most), make([]float64, w.most)
	return w
}

// of are some ratios of a half; nil where a point has too few neighbors.
func (h *half) of(place int) *Half {
	r := &h.ratios[place]
	if h.points == 0 || r.lost || 100*r.left > h.points {
		return nil
	}
	return r
}

// read finds the ratios of both halves. Points are looked at once: their
// logarithms do not stay in a cache.
func (w *halves) read(split int) {
	var sizes [math.MaxUint8 + 1]int
	for _, b := range w.block {
		sizes[b]++
	}
	for s := range w.side {
		h := &w.side[s]
		h.points, h.belongs = 0, h.belongs[:0]
		for b, in := range w.splits[split] {
			if h.in[b] = in == (s == 0); h.in[b] {
				h.points += sizes[b]
			}
		}
		for r := range h.ratios {
			h.ratios[r].clear(h.points)
		}
	}
	var same []uint32
	if w.same != nil {
		same = w.same[split]
	}
	row := w.row
	for i, b := range w.block {
		h := &w.side[0]
		if !h.in[b] {
			h = &w.side[1]
		}
		count, rest, from := 0, uint32(0), 0
		if same != nil {
			near, members := &w.near[i], same[i]
			for ; members&(1<<nearNeighbors-1) != 0 && count < len(row); members &= members - 1 {
				row[count] = near[bits.TrailingZeros32(members)]
				count++
			}
			rest, from = members, sameNeighbors
		}
		if count < len(row) {
			count += w.farther(row[count:], i, h, rest, from)
		}
		if count < len(row) {
			w.short(i, h, count)
			continue
		}
		for r := range h.ratios {
			h.ratios[r].add(row)
		}
	}
}

// farther fills logs with the logarithms of the distances of kept point i to the members of its half in its list:
// the members of a pattern, and the members from a position on. It returns their number.
func (w *halves) farther(logs []float64, i int, h *half, pattern uint32, from int) int {
	list, distance, count := w.Nearest.Index[i*w.Nearest.K:(i+1)*w.Nearest.K], w.Nearest.Distance[i*w.Nearest.K:], 0
	for ; pattern != 0 && count < len(logs); pattern &= pattern - 1 {
		logs[count] = distance[bits.TrailingZeros32(pattern)]
		count++
	}
	for l := from; l < len(list) && count < len(logs); l++ {
		if h.in[w.block[list[l]]] {
			logs[count] = distance[l]
			count++
		}
	}
	kernel.Log(logs[:count], logs[:count])
	return count
}

// short enters kept point i, whose list has count members of its half, fewer than the largest order.
func (w *halves) short(i int, h *half, count int) {
	for r := range h.ratios {
		ratios := &h.ratios[r]
		order := ratios.n2
		switch {
		case count >= order:
			ratios.add(w.row)
			continue
		case w.search.Approximate:
			ratios.left++
			continue
		case ratios.lost:
			continue
		}
		w.belong(h)
		far := w.far[:order]
		if w.listedLonger(i, h.belongs, far) < order && w.direct(i, h.belongs, far) < order {
			ratios.lost = true
			continue
		}
		kernel.Log(far, far)
		ratios.add(far)
	}
}

// belong marks the members of a half.
func (w *halves) belong(h *half) {
	if len(h.belongs) > 0 {
		return
	}
	h.belongs = slices.Grow(h.belongs, len(w.block))[:len(w.block)]
	for i, b := range w.block {
		h.belongs[i] = h.in[b]
	}
}

// listed fills r with the distances of kept point i to the nearest members in its list
// and returns how many there are.
func (d *Distinct) listed(i int, belongs []bool, r []float64) int {
	return pick(d.Nearest.Index[i*d.Nearest.K:(i+1)*d.Nearest.K], d.Nearest.Distance[i*d.Nearest.K:], belongs, r)
}

func pick(index []int32, distance []float64, belongs []bool, r []float64) int {
	count := 0
	for l, j := range index {
		if belongs[j] {
			r[count] = distance[l]
			if count++; count == len(r) {
				break
			}
		}
	}
	return count
}

// listedLonger is listed in a longer list, which is made when it is needed first.
func (x *halver) listedLonger(i int, belongs []bool, r []float64) int {
	x.mu.Lock()
	list := x.longer[i]
	if list == nil {
		list = &longerList{}
		x.longer[i] = list
	}
	x.mu.Unlock()
	list.once.Do(func() { list.index, list.distance = x.look(i, nil, longerLists*x.Nearest.K) })
	return pick(list.index, list.distance, belongs, r)
}

// direct is listed among all members: it looks at every one of them.
func (d *Distinct) direct(i int, belongs []bool, r []float64) int {
	_, distance := d.look(i, belongs, len(r))
	return copy(r, distance)
}

// look returns the nearest members to kept point i, all kept points without belongs,
// in its set.
func (d *Distinct) look(i int, belongs []bool, limit int) (index []int32, distance []float64) {
	z := d.all.Points()
	a, b := z.Row(d.Index[i], nil), make([]float64, z.Dim)
	heap := farthest{}
	for j, original := range d.Index {
		if j == i || belongs != nil && !belongs[j] || d.set != nil && d.set[j] != d.set[i] {
			continue
		}
		square := 0.0
		for k, v := range z.Row(original, b) {
			square += float64((a[k] - v) * (a[k] - v))
		}
		heap.offer(square, int32(j), limit)
	}
	return heap.sorted()
}

// farthest is a heap of the nearest points so far with the farthest on top, among
// equals the one of the highest index.
type farthest struct {
	square []float64
	index  []int32
}

func (h *farthest) less(a, b int) bool {
	return h.square[a] > h.square[b] || h.square[a] == h.square[b] && h.index[a] > h.index[b]
}

func (h *farthest) swap(a, b int) {
	h.square[a], h.square[b] = h.square[b], h.square[a]
	h.index[a], h.index[b] = h.index[b], h.index[a]
}

// offer adds a point and keeps the most nearest ones.
func (h *farthest) offer(square float64, index int32, limit int) {
	if len(h.index) < limit {
		h.square, h.index = append(h.square, square), append(h.index, index)
		for at := len(h.index) - 1; at > 0 && h.less(at, (at-1)/2); at = (at - 1) / 2 {
			h.swap(at, (at-1)/2)
		}
		return
	}
	if square >= h.square[0] {
		return // indices ascend
	}
	h.square[0], h.index[0] = square, index
	h.down(len(h.index))
}

// down lets the top sink among the first n.
func (h *farthest) down(n int) {
	for node := 0; ; {
		child := 2*node + 1
		if child >= n {
			return
		}
		if child+1 < n && h.less(child+1, child) {
			child++
		}
		if !h.less(child, node) {
			return
		}
		h.swap(child, node)
		node = child
	}
}

// sorted returns the points, nearest first.
func (h *farthest) sorted() ([]int32, []float64) {
	for n := len(h.index) - 1; n > 0; n-- {
		h.swap(0, n)
		h.down(n)
	}
	for i, square := range h.square {
		h.square[i] = math.Sqrt(square)
	}
	return h.index, h.square
}
