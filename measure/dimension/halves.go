// Estimates of halves of the points, for the errors of estimates of all.

package dimension

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"repscope/internal/parallel"
	"repscope/stat"
)

// HalfStatistic is a statistic of nearest neighbors within a half: Of receives the logarithms of the distances of some points
// to the nearest of the points of their half, [points × stride] and ascending, of which the first Order count, and fills
// dst[:Size] with NaN for what is undefined. It must be safe for concurrent calls and leave the logarithms alone.
type HalfStatistic struct {
	Order, Size int
	Of          func(logs []float64, stride int, dst []float64)
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
	x := &halver{Distinct: d, longer: map[int]*longerList{}}
	if x.near, err = d.nearBlocks(ctx, labels); err != nil {
		return nil, nil, err
	}
	err = parallel.With(ctx, d.search.Options.Threads, len(splits), func() func(split int) error {
		w := &halves{halver: x, most: most}
		return func(split int) error {
			w.list(splits[split], labels)
			for side := range w.side {
				dst := values[(2*split+side)*size : (2*split+side+1)*size]
				for _, s := range statistics {
					if logs, stride, ok := w.nearest(side, s.Order); ok {
						s.Of(logs, stride, dst[:s.Size])
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

// halver keeps the blocks of neighbors, and longer lists of the points that need them.
type halver struct {
	*Distinct
	near   []nearBlocks // of every kept point
	mu     sync.Mutex
	longer map[int]*longerList
}

type longerList struct {
	once     sync.Once
	index    []int32
	distance []float64
}

// nearBlocks are the blocks of the nearest neighbors of a point: halves are of whole
// blocks, of which there are at most 60 in a [stat.Halves], so that a table of them says
// who belongs. Random looks at all points would cost more than all else.
type nearBlocks struct {
	block [nearNeighbors]uint8
	log   [nearNeighbors]float64 // of the distances, side by side: the whole lists fill no cache
}

const nearNeighbors = 16

// nearBlocks are those of all kept points, from the labels of all points; nil where lists
// are shorter or blocks more.
func (d *Distinct) nearBlocks(ctx context.Context, labels []int) ([]nearBlocks, error) {
	if d.Nearest.K < nearNeighbors || slices.Max(labels) > math.MaxUint8 {
		return nil, nil
	}
	const together = 1 << 12
	near, blocks := make([]nearBlocks, len(d.Index)), make([]uint8, len(d.Index))
	for i, original := range d.Index {
		blocks[i] = uint8(labels[original])
	}
	err := parallel.For(ctx, d.search.Options.Threads, (len(near)+together-1)/together, func(_, part int) {
		for i := part * together; i < min((part+1)*together, len(near)); i++ {
			distance := d.Nearest.Distance[i*d.Nearest.K:]
			for l, j := range d.Nearest.Index[i*d.Nearest.K:][:nearNeighbors] {
				near[i].block[l], near[i].log[l] = blocks[j], math.Log(distance[l])
			}
		}
	})
	return near, err
}

// listed fills logs with those of the distances of kept point i to the nearest members of its half in its list, first by the
// blocks of the nearest neighbors, and returns how many there are.
func (w *halves) listed(side, i int, logs []float64) int {
	if w.near != nil {
		near, members := &w.near[i], uint32(0)
		for _, b := range near.block {
			members = members>>1 | w.blocks[b]
		}
		if side == 1 {
			members ^= 1<<nearNeighbors - 1
		}
		found := 0
		for ; members != 0; members &= members - 1 {
			logs[found] = near.log[bits.TrailingZeros32(members)]
			if found++; found == len(logs) {
				return found
			}
		}
	}
	found := w.Distinct.listed(i, w.side[side].belongs, logs)
	takeLogs(logs[:found])
	return found
}

// takeLogs replaces distances by their logarithms.
func takeLogs(distance []float64) {
	for l, r := range distance {
		distance[l] = math.Log(r)
	}
}

// longerLists is the length of longer lists, in lengths of the lists.
const longerLists = 8

// halves are those of one split after the other of a worker.
type halves struct {
	*halver
	blocks [256]uint32 // the last neighbor's bit for those of the first half
	most   int
	side   [2]half
	cut    []float64 // room for the logarithms of an order
}

type half struct {
	belongs []bool // kept points
	members []int32
	found   []int32   // members in the list of each, up to most
	logs    []float64 // of the distances to them
	fewest  int       // of found
}

// list finds the nearest members of every member of both halves that its list has.
func (w *halves) list(first []bool, labels []int) {
	for b, in := range first {
		if w.blocks[b] = 0; in {
			w.blocks[b] = 1 << (nearNeighbors - 1)
		}
	}
	for s := range w.side {
		h := &w.side[s]
		h.members, h.found, h.logs, h.fewest = h.members[:0], h.found[:0], h.logs[:0], w.most
		if h.belongs == nil {
			h.belongs = make([]bool, len(w.Index))
		}
		for i, original := range w.Index {
			h.belongs[i] = first[labels[original]] == (s == 0)
		}
	}
	for i, in := range w.side[0].belongs {
		s := 1
		if in {
			s = 0
		}
		h := &w.side[s]
		at := len(h.logs)
		h.logs = slices.Grow(h.logs, w.most)[:at+w.most]
		found := w.listed(s, i, h.logs[at:])
		h.members, h.found = append(h.members, int32(i)), append(h.found, int32(found))
		h.fewest = min(h.fewest, found)
	}
}

// nearest are the logarithms of the distances of the members of a half to their nearest members, at least so many.
func (w *halves) nearest(side, order int) (logs []float64, stride int, ok bool) {
	h := &w.side[side]
	if h.fewest >= order {
		return h.logs, w.most, len(h.members) > 0
	}
	w.cut = w.cut[:0]
	left := 0
	for at, i := range h.members {
		row := h.logs[at*w.most : at*w.most+order]
		if int(h.found[at]) < order {
			if w.search.Approximate {
				left++
				continue
			}
			if w.listedLonger(int(i), h.belongs, row) < order && w.direct(int(i), h.belongs, row) < order {
				return nil, 0, false
			}
			takeLogs(row)
		}
		w.cut = append(w.cut, row...)
	}
	return w.cut, order, len(h.members) > 0 && 100*left <= len(h.members)
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
