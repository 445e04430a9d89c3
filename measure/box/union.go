// The area that boxes cover together.

package box

import (
	"cmp"
	"math"
	"slices"
)

// Everywhere is the box of all points, which clips nothing.
var Everywhere = Box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}

// UnionArea returns the area of the part of clip that is covered by any of the boxes, exact up to
// rounding of its sums. Boxes without area and boxes outside clip add nothing; the order of the boxes
// has no effect. NaN if a box or clip has a NaN, +Inf for an unbounded area. It sweeps along x over a
// tree of the intervals between all y (Bentley 1977): O(n log n) time for n boxes.
func UnionArea(boxes []Box, clip Box) float64 {
	s := unionSweep{ends: make([]unionEnd, 0, 2*len(boxes)), y: make([]float64, 0, 2*len(boxes))}
	if clip.hasNaN() {
		return math.NaN()
	}
	for _, b := range boxes {
		if b.hasNaN() {
			return math.NaN()
		}
		if b = b.Intersect(clip); b.X0 < b.X1 && b.Y0 < b.Y1 {
			s.ends = append(s.ends, unionEnd{x: b.X0, y0: b.Y0, y1: b.Y1, boxes: 1},
				unionEnd{x: b.X1, y0: b.Y0, y1: b.Y1, boxes: -1})
			s.y = append(s.y, b.Y0, b.Y1)
		}
	}
	return s.area()
}

func (b Box) hasNaN() bool {
	return math.IsNaN(b.X0) || math.IsNaN(b.X1) || math.IsNaN(b.Y0) || math.IsNaN(b.Y1)
}

// unionEnd is the left side of a box, or with −1 boxes its right side.
type unionEnd struct {
	x, y0, y1 float64
	boxes     int
}

// unionSweep knows at an x which y are in a box. Node k of its tree has the children 2k and
// 2k+1, the root is 1, and leaves are the intervals between y[i] and y[i+1].
type unionSweep struct {
	ends    []unionEnd
	y       []float64 // ascending, each once
	cover   []int32   // of nodes: boxes that cover all of the node but not all of its parent
	covered []float64 // of nodes: the length that is in boxes
}

func (s *unionSweep) area() (area float64) {
	if len(s.ends) == 0 {
		return 0
	}
	slices.SortFunc(s.ends, func(a, b unionEnd) int { return cmp.Compare(a.x, b.x) })
	slices.Sort(s.y)
	s.y = slices.Compact(s.y)
	nodes := 2
	for nodes < 2*(len(s.y)-1) {
		nodes *= 2
	}
	s.cover, s.covered = make([]int32, nodes), make([]float64, nodes)
	last := s.ends[0].x
	for _, e := range s.ends {
		if s.covered[1] > 0 && e.x > last {
			area += float64((e.x - last) * s.covered[1])
		}
		last = e.x
		from, _ := slices.BinarySearch(s.y, e.y0)
		to, _ := slices.BinarySearch(s.y, e.y1)
		s.change(1, 0, len(s.y)-1, from, to, int32(e.boxes))
	}
	return area
}

// change adds boxes to the intervals from..to under a node, which has first..last.
func (s *unionSweep) change(node, first, last, from, to int, boxes int32) {
	if from <= first && last <= to {
		s.cover[node] += boxes
	} else {
		middle := (first + last) / 2
		if from < middle {
			s.change(2*node, first, middle, from, to, boxes)
		}
		if middle < to {
			s.change(2*node+1, middle, last, from, to, boxes)
		}
	}
	switch {
	case s.cover[node] > 0:
		s.covered[node] = s.y[last] - s.y[first]
	case last-first == 1:
		s.covered[node] = 0
	default:
		s.covered[node] = s.covered[2*node] + s.covered[2*node+1]
	}
}
