// Estimates of halves of the points, for the errors of estimates of all.

package dimension

import (
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

// HalfStatistic is a statistic of nearest neighbors within a half, of which the first Order count: Of fills dst[:Size] with NaN for
// what is undefined. It must be safe for concurrent calls and keep nothing of the half.
type HalfStatistic struct {
	Order, Size int
	Of          func(h *Half, dst []float64)
}

// Half holds the logarithms of the distances of some points to the nearest of the points of their half, [points × Stride] and
// ascending.
type Half struct {
	Logs   []float64
	Stride int
	order  int         // up to which they are; 0: all
	room   []float64   // for logarithms of an order
	ratios []logRatios // that were asked for; the first known of them are of these points
	known  int
}

// logRatios are ln(r_{n2}/r_{n1}) of the points of a half.
type logRatios struct {
	n1, n2 int
	logs   []float64
}

// LogRatios are ln(r_{n2}/r_{n1}) of the points, computed once; 1 ≤ n1 < n2 ≤ Stride.
func (h *Half) LogRatios(n1, n2 int) []float64 {
	for _, r := range h.ratios[:h.known] {
		if r.n1 == n1 && r.n2 == n2 {
			return r.logs
		}
	}
	if h.known == len(h.ratios) {
		h.ratios = append(h.ratios, logRatios{})
	}
	r := &h.ratios[h.known]
	h.known++
	r.n1, r.n2 = n1, n2
	r.logs = slices.Grow(r.logs[:0], len(h.Logs)/h.Stride)[:len(h.Logs)/h.Stride]
	for i, at := 0, 0; i < len(r.logs); i, at = i+1, at+h.Stride {
		row := h.Logs[at : at+h.Stride]
		r.logs[i] = row[n2-1] - row[n1-1]
	}
	return r.logs
}

// Halved computes statistics of the distances to the nearest neighbors within both
// halves of every split: first[t][s][r] is number s of statistic t of the first half of split r. Halves
// are of all points, duplicates included.
//
// Neighbors are read from the lists, once for all statistics; a point whose list has too few of its half looks
// at all points, in the approximate mode it is left out. Where a point has too few in
// its half at all, or more than one in a hundred is left out, the statistics of the
// half are NaN. Errors: blocks of another number of points.
func (d *Distinct) Halved(ctx context.Context, h *stat.Halves, statistics ...HalfStatistic) (first, second [][][]float64, err error) {
	labels := h.Blocks().Labels()
	if n := d.all.Points().N; len(labels) != n {
		return nil, nil, fmt.Errorf("intrinsic dimension: blocks of %d points for %d points", len(labels), n)
	}
	splits := h.Splits()
	most, size := 0, 0
	for _, s := range statistics {
		most, size = max(most, s.Order), size+s.Size
	}
	values := make([]float64, 2*len(splits)*size)
	for i := range values {
		values[i] = math.NaN()
	}
	x := &halver{Distinct: d, splits: splits, longer: map[int]*longerList{}}
	if err := x.enterBlocks(ctx, labels); err != nil {
		return nil, nil, err
	}
	err = parallel.With(ctx, d.search.Options.Threads, len(splits), func() func(split int) error {
		w := &halves{halver: x, most: most}
		return func(split int) error {
			w.list(split)
			for side := range w.side {
				dst := values[(2*split+side)*size : (2*split+side+1)*size]
				for _, s := range statistics {
					if half := w.nearest(side, s.Order); half != nil {
						s.Of(half, dst[:s.Size])
					}
					dst = dst[s.Size:]
				}
			}
			return nil
		}
	})
	at := 0
	for _, s := range statistics {
		a, b := make([][]float64, s.Size), make([][]float64, s.Size)
		for k := range s.Size {
			for r := range splits {
				a[k], b[k] = append(a[k], values[2*r*size+at]), append(b[k], values[(2*r+1)*size+at])
			}
			at++
		}
		first, second = append(first, a), append(second, b)
	}
	return first, second, err
}

// halver keeps the blocks of points, what is near to them, and longer lists of the points that need them.
type halver struct {
	*Distinct
	splits [][]bool // of blocks
	block  []uint8  // of every kept point: halves are of whole blocks, of which there are at most 60 in a [stat.Halves]
	// near are the logarithms of the distances of every kept point to its nearest neighbors, side by side: the whole lists fill no
	// cache. same says of every split and kept point which of these, and of as many again, are in the half of the point, the nearest
	// in the lowest bit. Both are nil where lists are shorter.
	near   [][nearNeighbors]float64
	same   [][]uint32
	mu     sync.Mutex
	longer map[int]*longerList
}

type longerList struct {
	once     sync.Once
	index    []int32
	distance []float64
}

const nearNeighbors, sameNeighbors = 16, 2 * nearNeighbors

// splitsAtOnce is of how many splits a table of blocks says who belongs: one in each byte.
const splitsAtOnce = 8

// enterBlocks fills in the blocks, and what is near, from the labels of all points.
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
	own := table[x.block[i]]
	for s, same := range x.same[t*splitsAtOnce : min((t+1)*splitsAtOnce, len(x.same))] {
		at := 8 * s
		members := uint32(first[0]>>at&0xff | first[1]>>at&0xff<<8 | first[2]>>at&0xff<<16 | first[3]>>at&0xff<<24)
		if own>>at&0x80 == 0 {
			members = ^members
		}
		same[i] = members
	}
}

// longerLists is the length of longer lists, in lengths of the lists.
const longerLists = 8

// halves are those of one split after the other of a worker.
type halves struct {
	*halver
	most    int
	side    [2]half
	far     farLogs
	belongs []bool // kept points, to the half that was asked for last
}

// farLogs are logarithms that are still to be taken: those of single distances would take several times as long.
type farLogs struct {
	distance [256]float64
	at       [256]*float64 // where the logarithm belongs
	n        int
}

func (f *farLogs) add(distance float64, at *float64) {
	f.distance[f.n], f.at[f.n] = distance, at
	if f.n++; f.n == len(f.at) {
		f.take()
	}
}

func (f *farLogs) take() {
	logs := f.distance[:f.n]
	kernel.Log(logs, logs)
	for i, l := range logs {
		*f.at[i] = l
	}
	f.n = 0
}

type half struct {
	in      [math.MaxUint8 + 1]bool // blocks
	members []int32
	found   []int32   // members in the list of each, up to most
	logs    []float64 // of the distances to them
	fewest  int       // of found
	views   []*Half   // for the orders that were asked for
	known   int       // of them, for this half
}

// list finds the nearest members of every member of both halves that its list has.
func (w *halves) list(split int) {
	for s := range w.side {
		h := &w.side[s]
		for b, in := range w.splits[split] {
			h.in[b] = in == (s == 0)
		}
		size := 0
		for _, b := range w.block {
			if h.in[b] {
				size++
			}
		}
		h.members, h.found = slices.Grow(h.members[:0], size), slices.Grow(h.found[:0], size)
		h.logs, h.fewest, h.known = slices.Grow(h.logs[:0], size*w.most), w.most, 0
	}
	var same []uint32
	if w.same != nil {
		same = w.same[split]
	}
	for i, b := range w.block {
		h := &w.side[0]
		if !h.in[b] {
			h = &w.side[1]
		}
		at := len(h.logs)
		h.logs = h.logs[:at+w.most]
		row, found, from := h.logs[at:], 0, 0
		if same != nil {
			near, members := &w.near[i], same[i]
			for ; members&(1<<nearNeighbors-1) != 0 && found < len(row); members &= members - 1 {
				row[found] = near[bits.TrailingZeros32(members)&(nearNeighbors-1)]
				found++
			}
			for ; members != 0 && found < len(row); members &= members - 1 {
				w.far.add(w.Nearest.Distance[i*w.Nearest.K+bits.TrailingZeros32(members)], &row[found])
				found++
			}
			from = sameNeighbors
		}
		if found < len(row) {
			found = w.listedFrom(from, i, found, h, row)
		}
		h.members, h.found = append(h.members, int32(i)), append(h.found, int32(found))
		h.fewest = min(h.fewest, found)
	}
	w.far.take()
}

// listedFrom goes on to fill logs, of which found are, with those of the distances of kept point i to the members of its half in its list
// from a place on, and returns how many there are.
func (w *halves) listedFrom(place, i, found int, h *half, logs []float64) int {
	list, distance := w.Nearest.Index[i*w.Nearest.K:(i+1)*w.Nearest.K], w.Nearest.Distance[i*w.Nearest.K:]
	for l := place; l < len(list) && found < len(logs); l++ {
		if h.in[w.block[list[l]]] {
			w.far.add(distance[l], &logs[found])
			found++
		}
	}
	return found
}

// nearest are the members of a half with their nearest members, at least so many; nil where a member has fewer.
func (w *halves) nearest(side, order int) *Half {
	h := &w.side[side]
	if len(h.members) == 0 {
		return nil
	}
	whole, key := h.fewest >= order, order
	if whole {
		key = 0
	}
	for _, v := range h.views[:h.known] {
		if v.order == key {
			return v
		}
	}
	if h.known == len(h.views) {
		h.views = append(h.views, &Half{})
	}
	v := h.views[h.known]
	v.order, v.known = key, 0
	if v.Logs, v.Stride = h.logs, w.most; !whole {
		if v.room = w.cut(h, order, v.room); v.room == nil {
			return nil
		}
		v.Logs, v.Stride = v.room, order
	}
	h.known++
	return v
}

// cut copies the logarithms of an order into room; nil where a member has too few.
func (w *halves) cut(h *half, order int, room []float64) []float64 {
	logs, left := slices.Grow(room[:0], len(h.members)*order), 0
	known := false // who belongs
	for at, i := range h.members {
		row := h.logs[at*w.most : at*w.most+order]
		if int(h.found[at]) < order {
			if w.search.Approximate {
				left++
				continue
			}
			if !known {
				known = true
				w.belong(h)
			}
			if w.listedLonger(int(i), w.belongs, row) < order && w.direct(int(i), w.belongs, row) < order {
				return nil
			}
			kernel.Log(row, row)
		}
		logs = append(logs, row...)
	}
	if 100*left > len(h.members) {
		return nil
	}
	return logs
}

// belong marks the members of a half.
func (w *halves) belong(h *half) {
	w.belongs = slices.Grow(w.belongs[:0], len(w.block))[:len(w.block)]
	for i, b := range w.block {
		w.belongs[i] = h.in[b]
	}
}

// listed fills r with the distances of kept point i to the nearest members in its list
// and returns how many there are.
func (d *Distinct) listed(i int, belongs []bool, r []float64) int {
	return pick(d.Nearest.Index[i*d.Nearest.K:(i+1)*d.Nearest.K], d.Nearest.Distance[i*d.Nearest.K:], belongs, r)
}

func pick(index []int32, distance []float64, belongs []bool, r []float64) int {
	found := 0
	for l, j := range index {
		if belongs[j] {
			r[found] = distance[l]
			if found++; found == len(r) {
				break
			}
		}
	}
	return found
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
func (d *Distinct) look(i int, belongs []bool, most int) (index []int32, distance []float64) {
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
		heap.offer(square, int32(j), most)
	}
	return heap.sorted()
}

// farthest is a heap of the nearest points so far with the farthest on top, among
// equals that of the highest index.
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
func (h *farthest) offer(square float64, index int32, most int) {
	if len(h.index) < most {
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
	for at := 0; ; {
		child := 2*at + 1
		if child >= n {
			return
		}
		if child+1 < n && h.less(child+1, child) {
			child++
		}
		if !h.less(child, at) {
			return
		}
		h.swap(child, at)
		at = child
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
