// Which boxes are aligned with each other, in six ways.

package box

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
)

// Line is one of the six lines of a box by which it can be aligned with others.
type Line int

// The lines: three upright ones at an x and three level ones at a y.
const (
	Left Line = iota
	CenterX
	Right
	Top
	CenterY
	Bottom
	lineCount
)

func (l Line) String() string {
	if l < 0 || l >= lineCount {
		return fmt.Sprintf("Line(%d)", int(l))
	}
	return [...]string{"x_left", "x_center", "x_right", "y_top", "y_center", "y_bottom"}[l]
}

// Of is where the line of a box is.
func (l Line) Of(b Box) float64 {
	switch l {
	case Left:
		return b.X0
	case CenterX:
		return b.X0 + (b.X1-b.X0)/2
	case Right:
		return b.X1
	case Top:
		return b.Y0
	case CenterY:
		return b.Y0 + (b.Y1-b.Y0)/2
	case Bottom:
		return b.Y1
	}
	return math.NaN()
}

// Group are boxes that are aligned by one of their lines.
type Group struct {
	Line    Line
	Members []int // indices of at least two boxes, ascending
}

// sameSpread is up to which share of the tolerance spreads of groups are the same, which rounding needs.
const sameSpread = 1e-6

// Aligned returns the groups of at least two boxes whose lines lie within tolerance of each other: the
// largest coordinate exceeds the smallest by at most tolerance, so that a chain of small steps does
// not form one group. Groups come from complete linkage. It starts with single lines and repeatedly
// joins the two neighbors with the smallest joint spread (ties: the smaller coordinates), as long as
// the tolerance permits; equal lines always stay together. A box is in at most one group per line. A
// box with NaN, or with an infinite line, is in none. Groups are ordered by [Line], then by
// coordinate; the order of the boxes has no other effect. A NaN or negative tolerance gives no groups.
// O(n log n) time.
func Aligned(boxes []Box, tolerance float64) (groups []Group) {
	if !(tolerance >= 0) {
		return nil
	}
	for line := range lineCount {
		l := linkage{limit: tolerance * (1 + sameSpread), unit: tolerance * sameSpread}
		for i, b := range boxes {
			if v := line.Of(b); !b.hasNaN() && !math.IsInf(v, 0) && !math.IsNaN(v) {
				l.lines = append(l.lines, coordinate{v, i})
			}
		}
		for _, r := range l.runs() {
			if r.last == r.first {
				continue
			}
			g := Group{Line: line}
			for _, c := range l.lines[r.first : r.last+1] {
				g.Members = append(g.Members, c.box)
			}
			slices.Sort(g.Members)
			groups = append(groups, g)
		}
	}
	return groups
}

// linkage groups the lines of one kind.
type linkage struct {
	lines []coordinate
	limit float64 // of a spread
	unit  float64 // in which spreads are compared
	found []lineRun
	queue linkQueue
}

// coordinate is where the line of a box is.
type coordinate struct {
	value float64
	box   int
}

// lineRun is a run of sorted lines, and the neighboring runs, −1 for none.
type lineRun struct {
	first, last, previous, next int
	gone                        bool // into the run before it
}

// runs sorts the lines and groups them.
func (l *linkage) runs() []lineRun {
	slices.SortFunc(l.lines, func(a, b coordinate) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.box, b.box))
	})
	for i, c := range l.lines {
		if i > 0 && c.value == l.lines[i-1].value {
			l.found[len(l.found)-1].last = i
			continue
		}
		k := len(l.found)
		l.found = append(l.found, lineRun{first: i, last: i, previous: k - 1, next: k + 1})
	}
	if len(l.found) == 0 {
		return nil
	}
	l.found[len(l.found)-1].next = -1
	for k := range l.found {
		l.offer(k)
	}
	for len(l.queue) > 0 {
		// What a run and the next one were offered for is what they are worth until either grows.
		best := heap.Pop(&l.queue).(link)
		r := &l.found[best.run]
		if r.gone || r.next != best.next || l.spread(best.run) != best.spread {
			continue
		}
		r.last, r.next, l.found[best.next].gone = l.found[best.next].last, l.found[best.next].next, true
		if r.next >= 0 {
			l.found[r.next].previous = best.run
		}
		l.offer(best.run)
		if r.previous >= 0 {
			l.offer(r.previous)
		}
	}
	return slices.DeleteFunc(l.found, func(r lineRun) bool { return r.gone })
}

// spread is the spread of a run joined with the next one, in units; infinite where they cannot be one.
func (l *linkage) spread(run int) float64 {
	r := &l.found[run]
	if r.next < 0 {
		return math.Inf(1)
	}
	v := l.lines[l.found[r.next].last].value - l.lines[r.first].value
	if !(v <= l.limit) {
		return math.Inf(1)
	}
	return math.Round(v / l.unit)
}

// offer enters that a run and the next one could be one.
func (l *linkage) offer(run int) {
	if s := l.spread(run); !math.IsInf(s, 1) {
		heap.Push(&l.queue, link{s, run, l.found[run].next})
	}
}

// link is a run and the next one, and what they spread over together.
type link struct {
	spread    float64
	run, next int
}

// linkQueue is a heap; of equal spreads the first run comes first.
type linkQueue []link

func (q linkQueue) Len() int { return len(q) }
func (q linkQueue) Less(a, b int) bool {
	return q[a].spread < q[b].spread || q[a].spread == q[b].spread && q[a].run < q[b].run
}
func (q linkQueue) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *linkQueue) Push(v any)   { *q = append(*q, v.(link)) }
func (q *linkQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// GroupOverlaps are the Jaccard indices (1912) of groups of two lists of boxes that have one
// line: how many members of both are partners, over how many boxes there are in one of them when
// partners count once. partner[j] is the box of the first list that belongs to box j of the
// second, −1 for none; no two have the same. Groups of one line that share a box within a list,
// lines and members that there are not, and partners that are taken are errors. Time and memory
// grow with the members.
func GroupOverlaps(a, b []Group, boxes int, partner []int) (*Weights, error) {
	groupOf, err := groupsOf(a, boxes)
	if err != nil {
		return nil, err
	}
	if _, err := groupsOf(b, len(partner)); err != nil {
		return nil, err
	}
	taken := make([]bool, boxes)
	for j, i := range partner {
		if i >= boxes || i >= 0 && taken[i] {
			return nil, fmt.Errorf(
				"overlap of groups: the partner of box %d is %d, want a distinct index below %d", j, i, boxes)
		}
		if i >= 0 {
			taken[i] = true
		}
	}
	// Groups of b come in their order, so that columns ascend in each row.
	columns, weights, shared := make([][]int32, len(a)), make([][]float64, len(a)), make([]int, len(a))
	for k, g := range b {
		var rows []int
		for _, j := range g.Members {
			if i := partner[j]; i >= 0 && groupOf[g.Line][i] >= 0 {
				row := groupOf[g.Line][i]
				if shared[row]++; shared[row] == 1 {
					rows = append(rows, row)
				}
			}
		}
		for _, row := range rows {
			n := shared[row]
			columns[row] = append(columns[row], int32(k))
			weights[row] = append(weights[row], float64(n)/float64(len(a[row].Members)+len(g.Members)-n))
			shared[row] = 0
		}
	}
	w := &Weights{Rows: len(a), Columns: len(b), Start: []int{0}}
	for i := range columns {
		w.Column, w.Weight = append(w.Column, columns[i]...), append(w.Weight, weights[i]...)
		w.Start = append(w.Start, len(w.Column))
	}
	return w, nil
}

// groupsOf is the group that a box is in by a line, −1 for none.
func groupsOf(groups []Group, boxes int) (groupOf [lineCount][]int, err error) {
	for line := range groupOf {
		groupOf[line] = make([]int, boxes)
		for i := range groupOf[line] {
			groupOf[line][i] = -1
		}
	}
	for k, g := range groups {
		if g.Line < 0 || g.Line >= lineCount {
			return groupOf, fmt.Errorf("overlap of groups: group %d has the line %v", k, g.Line)
		}
		for _, i := range g.Members {
			if i < 0 || i >= boxes || groupOf[g.Line][i] >= 0 {
				return groupOf, fmt.Errorf("overlap of groups: group %d has box %d, want an index below %d that no "+
					"other group has", k, i, boxes)
			}
			groupOf[g.Line][i] = k
		}
	}
	return groupOf, nil
}
