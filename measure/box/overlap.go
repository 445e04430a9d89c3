// Which boxes of two lists overlap, and by how much.

package box

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// ErrTooMany is why pairs are not listed: there are more of them than memory is meant for.
var ErrTooMany = errors.New("too many pairs of boxes overlap")

// ExtentIoU is [IoU], extended to boxes without area by the limit in which every zero width and height
// grows by one common, vanishing amount. It is the product over both axes of the shared length divided
// by the covered length; two points have 1 if they are equal and 0 otherwise. Two equal lines or
// points have 1, parallel lines on the same coordinate share their common interval, and a line and a
// box with area have 0. Points are equal up to tolerance, for rounding. In [0, 1]; NaN for NaN
// coordinates.
func ExtentIoU(a, b Box, tolerance float64) float64 {
	if a.Area() > 0 && b.Area() > 0 {
		return IoU(a, b)
	}
	return intervalIoU(a.X0, a.X1, b.X0, b.X1, tolerance) * intervalIoU(a.Y0, a.Y1, b.Y0, b.Y1, tolerance)
}

// intervalIoU is the length of the intersection over the length of the union.
func intervalIoU(a0, a1, b0, b1, tolerance float64) float64 {
	if a1 <= a0 && b1 <= b0 {
		if math.Abs(a0-b0) <= tolerance {
			return 1
		}
		return 0
	}
	both := max(0, min(a1, b1)-max(a0, b0))
	return both / (max(0, a1-a0) + max(0, b1-b0) - both)
}

// Overlaps calls yield with the indices of each pair of boxes of a and b whose interiors intersect,
// until yield returns false. Boxes without area act as lines and points: they intersect a box nearer
// than tolerance. The order is the order of a sweep along x, the same for the same boxes. Boxes with
// NaN intersect nothing. O((n + k)·log n) time for n boxes and k pairs, O(n) memory.
func Overlaps(a, b []Box, tolerance float64, yield func(i, j int) bool) {
	sides := [2]*active{newActive(a, tolerance), newActive(b, tolerance)}
	events := make([]event, 0, 2*(len(a)+len(b)))
	for s, side := range sides {
		for i, box := range side.boxes {
			if box.X0 < box.X1 && box.Y0 < box.Y1 {
				events = append(events, event{box.X0, s, i, true}, event{box.X1, s, i, false})
			}
		}
	}
	// Boxes end before others begin, so that those which only touch do not meet.
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.x, b.x), boolOrder(a.begins, b.begins), cmp.Compare(a.side, b.side),
			cmp.Compare(a.index, b.index))
	})
	for _, e := range events {
		side, other := sides[e.side], sides[1-e.side]
		if !e.begins {
			side.remove(e.index)
			continue
		}
		box := side.boxes[e.index]
		if !other.visit(box.Y0, box.Y1, func(k int) bool {
			if e.side == 0 {
				return yield(e.index, k)
			}
			return yield(k, e.index)
		}) {
			return
		}
		side.add(e.index)
	}
}

// event is where a box begins or ends.
type event struct {
	x           float64
	side, index int
	begins      bool
}

// boolOrder is how false is ordered before true.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// active are the boxes that the sweep is in: leaves of a tree in the order of their lower ends,
// where each node has the largest upper end.
type active struct {
	boxes  []Box
	lower  []float64 // in their order
	order  []int     // of leaves: the box
	leafOf []int
	top    []float64 // node k has the children 2k and 2k+1
	leaves int       // a power of two
}

func newActive(boxes []Box, tolerance float64) *active {
	t := &active{boxes: make([]Box, len(boxes)), order: make([]int, len(boxes)), leafOf: make([]int, len(boxes)), leaves: 1}
	for i, b := range boxes {
		if b.X0 == b.X1 {
			b.X0, b.X1 = b.X0-tolerance, b.X1+tolerance
		}
		if b.Y0 == b.Y1 {
			b.Y0, b.Y1 = b.Y0-tolerance, b.Y1+tolerance
		}
		t.boxes[i], t.order[i] = b, i
	}
	slices.SortStableFunc(t.order, func(i, j int) int { return cmp.Compare(t.boxes[i].Y0, t.boxes[j].Y0) })
	for t.leaves < len(boxes) {
		t.leaves *= 2
	}
	t.top = make([]float64, 2*t.leaves)
	for k := range t.top {
		t.top[k] = math.Inf(-1)
	}
	for leaf, i := range t.order {
		t.leafOf[i] = leaf
		t.lower = append(t.lower, t.boxes[i].Y0)
	}
	return t
}

func (t *active) add(i int)    { t.set(t.leafOf[i], t.boxes[i].Y1) }
func (t *active) remove(i int) { t.set(t.leafOf[i], math.Inf(-1)) }

func (t *active) set(leaf int, top float64) {
	k := leaf + t.leaves
	t.top[k] = top
	for k /= 2; k > 0; k /= 2 {
		t.top[k] = max(t.top[2*k], t.top[2*k+1])
	}
}

// visit yields the active boxes that contain some y between low and high.
func (t *active) visit(low, high float64, yield func(int) bool) bool {
	end, _ := slices.BinarySearch(t.lower, high) // leaves from here begin too late
	return t.descend(1, 0, t.leaves, end, low, yield)
}

// descend visits the leaves under a node, first to last, that come before end.
func (t *active) descend(node, first, last, end int, low float64, yield func(int) bool) bool {
	if first >= end || t.top[node] <= low {
		return true
	}
	if last-first == 1 {
		return yield(t.order[first])
	}
	middle := (first + last) / 2
	return t.descend(2*node, first, middle, end, low, yield) && t.descend(2*node+1, middle, last, end, low, yield)
}

// OverlapWeights are the weights of all pairs of boxes of a and b that overlap and weigh more
// than 0, by the indices of both. More than limit overlapping pairs are [ErrTooMany].
func OverlapWeights(a, b []Box, tolerance float64, limit int, weight func(i, j int) float64) (*Weights, error) {
	var pairs [][2]int32
	Overlaps(a, b, tolerance, func(i, j int) bool {
		pairs = append(pairs, [2]int32{int32(i), int32(j)})
		return len(pairs) <= limit
	})
	if len(pairs) > limit {
		return nil, ErrTooMany
	}
	// Ordered by their columns first, the pairs of each row come in ascending order.
	byColumn := make([][2]int32, len(pairs))
	start := starts(pairs, 1, len(b))
	for _, p := range pairs {
		byColumn[start[p[1]]] = p
		start[p[1]]++
	}
	pairs = nil
	w := &Weights{Rows: len(a), Columns: len(b), Column: make([]int32, len(byColumn)), Weight: make([]float64, len(byColumn))}
	w.Start = starts(byColumn, 0, len(a))
	start = slices.Clone(w.Start)
	for _, p := range byColumn {
		k := start[p[0]]
		w.Column[k], w.Weight[k] = p[1], weight(int(p[0]), int(p[1]))
		start[p[0]]++
	}
	w.drop()
	return w, nil
}

// starts are where pairs with each number begin when they are ordered by it, and where all end.
func starts(pairs [][2]int32, side, n int) []int {
	start := make([]int, n+1)
	for _, p := range pairs {
		start[p[side]+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	return start
}

// drop leaves out the pairs that do not weigh more than 0.
func (w *Weights) drop() {
	kept, begin := 0, 0
	for i := range w.Rows {
		end := w.Start[i+1]
		for k := begin; k < end; k++ {
			if w.Weight[k] > 0 {
				w.Column[kept], w.Weight[kept] = w.Column[k], w.Weight[k]
				kept++
			}
		}
		begin, w.Start[i+1] = end, kept
	}
	w.Column, w.Weight = w.Column[:kept], w.Weight[:kept]
}
