// Boxes and groups of aligned elements as the publication has them, with its arithmetic: where it has several best
// assignments the last digit of an overlap decides which one is found.

package design

import (
	"math"

	"repscope/measure/box"
)

// Rect is a box in units of the canvas by its corner and its size.
type Rect struct{ x, y, width, height float64 }

// rects are the boxes of the elements.
func (l *Layout) rects() []Rect {
	canvas := l.Nodes[l.Elements[0].Node].Bounds
	out := make([]Rect, len(l.Elements))
	for i, e := range l.Elements {
		b := l.Nodes[e.Node].Bounds
		out[i] = Rect{(b.X - canvas.X) / canvas.Width, (b.Y - canvas.Y) / canvas.Height, b.Width / canvas.Width, b.Height / canvas.Height}
	}
	return out
}

// IoU is the intersection over union of two boxes; 0 if both have no area.
func (r Rect) IoU(other Rect) float64 {
	width := min(r.x+r.width, other.x+other.width) - max(r.x, other.x)
	height := min(r.y+r.height, other.y+other.height) - max(r.y, other.y)
	both := float64(max(0, width) * max(0, height))
	if either := float64(r.width*r.height) + float64(other.width*other.height) - both; either > 0 {
		return both / either
	}
	return 0
}

// lines are where the six lines of the box are, in the order of [box.Line].
func (r Rect) lines() [6]float64 {
	return [...]float64{r.x, r.x + r.width/2, r.x + r.width, r.y, r.y + r.height/2, r.y + r.height}
}

// DocumentedGroups are the elements whose lines round to the same multiple of tolerance, halves to the even one, and
// the smallest box around each group. They stand in the order in which the first member of each is met.
func DocumentedGroups(l *Layout, tolerance float64) (groups []box.Group, unions []Rect) {
	type bucket struct {
		line box.Line
		at   float64
	}
	index, lines := map[bucket]int{}, []box.Group{}
	rects := l.rects()
	for i, r := range rects {
		for line, position := range r.lines() {
			key := bucket{box.Line(line), math.RoundToEven(position / tolerance)}
			k, ok := index[key]
			if !ok {
				k = len(lines)
				index[key], lines = k, append(lines, box.Group{Line: key.line})
			}
			lines[k].Members = append(lines[k].Members, i)
		}
	}
	for _, g := range lines {
		if len(g.Members) > 1 {
			groups, unions = append(groups, g), append(unions, unionRect(rects, g.Members))
		}
	}
	return groups, unions
}

// unionRect is the smallest box around some of the boxes.
func unionRect(rects []Rect, members []int) Rect {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, i := range members {
		r := rects[i]
		x0, y0, x1, y1 = min(x0, r.x), min(y0, r.y), max(x1, r.x+r.width), max(y1, r.y+r.height)
	}
	return Rect{x0, y0, x1 - x0, y1 - y0}
}
