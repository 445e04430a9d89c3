// The visible parts of the nodes of a design: frames clip their content, and masks clip the nodes after them.

package design

import (
	"math"
	"slices"

	"repscope/dataset/casefile"
	"repscope/measure/box"
)

// SeenElements says in words which nodes are elements.
const SeenElements = "the visible part of nodes, after clipping frames and masks"

// sight walks over the nodes below a canvas in their order. The canvas itself clips nothing: elements outside
// count for some metrics.
type sight struct {
	nodes     []casefile.Node
	root, end int
	whole     bool      // nothing is clipped or masked
	clip      []box.Box // by node from the root: in which what comes next below it is seen, in pixels
	gone      []bool    // by node from the root: nothing is seen of it
	mask      []bool    // by node from the root: it is a mask, or a part of one
}

func newSight(d *casefile.Design, root int, whole bool) *sight {
	s := &sight{nodes: d.Nodes, root: root, end: endOf(d, root), whole: whole}
	n := s.end - root
	s.clip, s.gone, s.mask = make([]box.Box, n), make([]bool, n), make([]bool, n)
	return s
}

// look returns the part of a node that is seen, and whether any is. Nodes are looked at once, in their order.
func (s *sight) look(i int) (part casefile.Bounds, seen bool) {
	n, k := &s.nodes[i], i-s.root
	around, parent := box.Everywhere, n.Parent-s.root
	if k > 0 {
		around = s.clip[parent]
		s.mask[k] = s.mask[parent] || n.Mask
	}
	s.clip[k] = around
	if n.Bounds == nil {
		return part, false
	}
	if s.whole {
		return *n.Bounds, n.Shown
	}
	bounds := pixels(*n.Bounds)
	if k > 0 && n.Shown {
		if n.Mask {
			s.clip[parent] = meet(around, bounds)
		}
		if n.Clips {
			s.clip[k] = meet(around, bounds)
		}
	}
	visible := meet(around, bounds)
	inside := visible == bounds || overlapsIn(visible.X0, visible.X1, bounds.X0, bounds.X1) && overlapsIn(visible.Y0, visible.Y1, bounds.Y0, bounds.Y1)
	s.gone[k] = s.mask[k] || !inside
	if visible == bounds {
		return *n.Bounds, n.Shown && !s.gone[k]
	}
	return casefile.Bounds{X: visible.X0, Y: visible.Y0, Width: visible.X1 - visible.X0, Height: visible.Y1 - visible.Y0},
		n.Shown && !s.gone[k]
}

// meet is what two boxes share; its ends are in the wrong order where that is nothing.
func meet(a, b box.Box) box.Box {
	return box.Box{X0: max(a.X0, b.X0), Y0: max(a.Y0, b.Y0), X1: min(a.X1, b.X1), Y1: min(a.Y1, b.Y1)}
}

// overlapsIn reports whether a part of an interval is some of it: a point that is inside, or a part that is no point.
func overlapsIn(from, to, ownFrom, ownTo float64) bool {
	return from < to || from == to && ownFrom == ownTo
}

// unseen marks, by index, the nodes that are invisible with everything below them; nil if there are none.
func (s *sight) unseen() []bool {
	if s.whole || !slices.Contains(s.gone, true) && !slices.Contains(s.mask, true) {
		return nil
	}
	out := make([]bool, s.end)
	below := make([]int, s.end) // children that are seen
	for i := s.end - 1; i >= s.root; i-- {
		n, k := &s.nodes[i], i-s.root
		out[i] = s.mask[k] || s.gone[k] && below[i] == 0
		if !out[i] && i > s.root {
			below[n.Parent]++
		}
	}
	return out
}

// stripes is in how many strips a rectangle that is turned is painted.
const stripes = 64

// strips are boxes that together cover as much as a turned rectangle, in its place: the part between two heights
// becomes a box of the mean width. ok is false where an element is not turned.
func (l *Layout) strips(e *Element) (out []box.Box, ok bool) {
	n := &l.Nodes[e.Node]
	size, turned := n.Unturned()
	if !turned {
		return nil, false
	}
	s, c := math.Sincos(n.Rotation)
	x, y := n.Bounds.X+n.Bounds.Width/2, n.Bounds.Y+n.Bounds.Height/2
	// Corners are where the width changes its course.
	var heights []float64
	for _, corner := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		heights = append(heights, float64(corner[0]*size.Width/2*s)+float64(corner[1]*size.Height/2*c))
	}
	low, high := slices.Min(heights), slices.Max(heights)
	for k := range stripes {
		heights = append(heights, low+(high-low)*float64(k)/stripes)
	}
	slices.Sort(heights)
	canvas := *l.Nodes[l.Elements[0].Node].Bounds
	for k := range len(heights) - 1 {
		from, to := heights[k], heights[k+1]
		middle := (from + to) / 2
		// |dx·c + dy·s| ≤ width/2 and |dy·c − dx·s| ≤ height/2.
		left, right := interval(middle*s, c, size.Width/2)
		other, end := interval(middle*c, -s, size.Height/2)
		left, right = max(left, other), min(right, end)
		if !(left < right && from < to) {
			continue
		}
		strip := onCanvas(casefile.Bounds{X: x + left, Y: y + from, Width: right - left, Height: to - from}, canvas)
		out = append(out, meet(strip, e.Box))
	}
	return out, true
}

// interval is where |constant + slope·x| is at most half.
func interval(constant, slope, half float64) (low, high float64) {
	low, high = (-half-constant)/slope, (half-constant)/slope
	return min(low, high), max(low, high)
}

// pixels are bounds as a box.
func pixels(b casefile.Bounds) box.Box {
	return box.Box{X0: b.X, Y0: b.Y, X1: b.X + b.Width, Y1: b.Y + b.Height}
}

// onCanvas is a box in units of the canvas. Boxes without width or height stay so.
func onCanvas(b, canvas casefile.Bounds) box.Box {
	x, y := (b.X-canvas.X)/canvas.Width, (b.Y-canvas.Y)/canvas.Height
	to := box.Box{X0: x, Y0: y, X1: (b.X + b.Width - canvas.X) / canvas.Width, Y1: (b.Y + b.Height - canvas.Y) / canvas.Height}
	if b.Width == 0 {
		to.X1 = to.X0
	}
	if b.Height == 0 {
		to.Y1 = to.Y0
	}
	return to
}

// endOf is the first node that is not below another.
func endOf(d *casefile.Design, root int) int {
	end := root + 1
	for end < len(d.Nodes) && d.Nodes[end].Depth > d.Nodes[root].Depth {
		end++
	}
	return end
}
