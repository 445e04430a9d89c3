// Which boxes are aligned with each other, in six ways.

package box

import (
	"cmp"
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

// Aligned finds the groups of at least two boxes with the same line up to tolerance: lines are
// sorted, and where one is farther than tolerance from the one before it, another group begins.
// So a chain of small steps is one group, however long, and no two lines within tolerance are
// parted, as they are where each is rounded. A box is in one group of each line at most; one
// with NaN, and where a line is infinite, is in none. Groups stand in the order of [Line], then
// of their coordinates. The order of the boxes changes nothing else. A tolerance that is NaN or
// negative finds none. O(n log n) time.
func Aligned(boxes []Box, tolerance float64) (groups []Group) {
	type place struct {
		at  float64
		box int
	}
	for line := range lineCount {
		var places []place
		for i, b := range boxes {
			if at := line.Of(b); !b.hasNaN() && !math.IsInf(at, 0) && !math.IsNaN(at) {
				places = append(places, place{at, i})
			}
		}
		slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.box, b.box)) })
		for first := 0; first < len(places); {
			last := first + 1
			for last < len(places) && places[last].at-places[last-1].at <= tolerance {
				last++
			}
			if last-first > 1 {
				g := Group{Line: line}
				for _, p := range places[first:last] {
					g.Members = append(g.Members, p.box)
				}
				slices.Sort(g.Members)
				groups = append(groups, g)
			}
			first = last
		}
	}
	return groups
}

// GroupOverlaps are the Jaccard indices (1912) of groups of two lists of boxes that have one
// line: how many members of both are partners, over how many boxes there are in one of them when
// partners count once. partner[j] is the box of the first list that belongs to box j of the
// second, −1 for none; no two have the same. Groups of one line that share a box within a list,
// lines and members that there are not, and partners that are taken are errors. Time and memory
// grow with the members.
func GroupOverlaps(a, b []Group, boxes int, partner []int) (*Weights, error) {
	of, err := groupsOf(a, boxes)
	if err != nil {
		return nil, err
	}
	if _, err := groupsOf(b, len(partner)); err != nil {
		return nil, err
	}
	taken := make([]bool, boxes)
	for j, i := range partner {
		if i >= boxes || i >= 0 && taken[i] {
			return nil, fmt.Errorf("overlap of groups: the partner of box %d is %d of %d, and no other's", j, i, boxes)
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
			if i := partner[j]; i >= 0 && of[g.Line][i] >= 0 {
				row := of[g.Line][i]
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
func groupsOf(groups []Group, boxes int) (of [lineCount][]int, err error) {
	for line := range of {
		of[line] = make([]int, boxes)
		for i := range of[line] {
			of[line][i] = -1
		}
	}
	for k, g := range groups {
		if g.Line < 0 || g.Line >= lineCount {
			return of, fmt.Errorf("overlap of groups: group %d is of %v", k, g.Line)
		}
		for _, i := range g.Members {
			if i < 0 || i >= boxes || of[g.Line][i] >= 0 {
				return of, fmt.Errorf("overlap of groups: group %d has box %d of %d, which another has too or there is not", k, i, boxes)
			}
			of[g.Line][i] = k
		}
	}
	return of, nil
}
