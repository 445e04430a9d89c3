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
// to the Order nearest of the points of their half, [points × Order] and ascending, and fills
// dst[:Size] with NaN for what is undefined. It must be safe for concurrent calls and leave the logarithms alone.
type HalfStatistic struct {
	Order, Size int
	Of          func(logs []float64, order int, dst []float64)
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
	err = parallel.With(ctx, d.search.Options.Threads, 2*len(splits), func() func(task int) error {
		w := &half{halver: x, belongs: make([]bool, len(d.Index)), most: most}
		return func(task int) error {
			for i, original := range d.Index {
				w.belongs[i] = splits[task/2][labels[original]] == (task%2 == 0)
			}
			for b, first := range splits[task/2] {
				if w.blocks[b] = 0; first == (task%2 == 0) {
					w.blocks[b] = 1
				}
			}
			w.list()
			dst := values[task*size : (task+1)*size]
			for _, s := range statistics {
				if logs, ok := w.nearest(s.Order); ok {
					s.Of(logs, s.Order, dst[:s.Size])
				}
				dst = dst[s.Size:]
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
	near := make([]nearBlocks, len(d.Index))
	err := parallel.For(ctx, d.search.Options.Threads, (len(near)+together-1)/together, func(_, part int) {
		for i := part * together; i < min((part+1)*together, len(near)); i++ {
			distance := d.Nearest.Distance[i*d.Nearest.K:]
			for l, j := range d.Nearest.Index[i*d.Nearest.K:][:nearNeighbors] {
				near[i].block[l], near[i].log[l] = uint8(labels[d.Index[j]]), math.Log(distance[l])
			}
		}
	})
	return near, err
}

// listed fills logs with those of the distances of kept point i to the nearest members in its list, first by the blocks
// of the nearest neighbors, and returns how many there are.
func (w *half) listed(i int, logs []float64) int {
	if w.near != nil {
		near, members := &w.near[i], uint32(0)
		for l, b := range near.block {
			members |= w.blocks[b] << l
		}
		found := 0
		for ; members != 0; members &= members - 1 {
			logs[found] = near.log[bits.TrailingZeros32(members)]
			if found++; found == len(logs) {
				return found
			}
		}
	}
	found := w.Distinct.listed(i, w.belongs, logs)
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

// half is one half after the other of a worker.
type half struct {
	*halver
	belongs []bool // kept points to the half
	blocks  [256]uint32
	most    int
	members []int32
	found   []int32   // members in the list of each, up to most
	logs    []float64 // of the distances to them
	cut     []float64 // room for those of an order
}

// list finds the nearest members of every member that its list has.
func (w *half) list() {
	w.members, w.found, w.logs = w.members[:0], w.found[:0], w.logs[:0]
	for i, in := range w.belongs {
		if !in {
			continue
		}
		at := len(w.logs)
		w.logs = slices.Grow(w.logs, w.most)[:at+w.most]
		w.members = append(w.members, int32(i))
		w.found = append(w.found, int32(w.listed(i, w.logs[at:])))
	}
}

// nearest are the logarithms of the distances of the members to their nearest members, so many.
func (w *half) nearest(order int) (logs []float64, ok bool) {
	w.cut = w.cut[:0]
	left := 0
	for at, i := range w.members {
		row := w.logs[at*w.most : at*w.most+order]
		if int(w.found[at]) < order {
			if w.search.Approximate {
				left++
				continue
			}
			if w.listedLonger(int(i), w.belongs, row) < order && w.direct(int(i), w.belongs, row) < order {
				return nil, false
			}
			takeLogs(row)
		}
		w.cut = append(w.cut, row...)
	}
	return w.cut, len(w.members) > 0 && 100*left <= len(w.members)
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
