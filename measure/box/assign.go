// Assignments of least cost.

package box

import (
	"errors"
	"fmt"
	"math"
)

// Assign matches each row of a cost matrix [rows, columns] with a column of its own, or
// if there are fewer columns each column with a row, so that the sum of the costs is
// least (Kuhn 1955; here by shortest augmenting paths, Jonker & Volgenant 1987, in time
// O(n²·m) for n ≤ m). match[i] is the column of row i, −1 for none; total is the sum.
// +Inf forbids a pair; that no full matching is left, NaN, −Inf and a matrix of another
// size are errors. Of several best assignments it is always the same one.
func Assign(cost []float64, rows, columns int) (match []int, total float64, err error) {
	if rows < 0 || columns < 0 || len(cost) != rows*columns {
		return nil, 0, fmt.Errorf("assignment with %d costs: want %d × %d", len(cost), rows, columns)
	}
	for i, c := range cost {
		if math.IsNaN(c) || math.IsInf(c, -1) {
			return nil, 0, fmt.Errorf("assignment: the cost in row %d, column %d is %g", i/columns, i%columns, c)
		}
	}
	a := newAssigner(cost, rows, columns)
	for i := range a.rows {
		if !a.augment(i) {
			return nil, 0, errors.New("assignment: too many pairs are forbidden for one of all rows")
		}
	}
	if match = a.columnOf; rows > columns { // the matrix was transposed
		match = a.rowOf
	}
	for i, j := range match {
		if j >= 0 {
			total += cost[i*columns+j]
		}
	}
	return match, total, nil
}

// assigner has a matrix of no more rows than columns, which may be the transposed one.
type assigner struct {
	rows, columns int
	cost          []float64
	u, v          []float64 // prices of rows and columns: u + v ≤ cost, and equal where matched
	columnOf      []int     // of rows: the column matched with it, −1 for none
	rowOf, before []int     // of columns: the row matched with it, and the row before it on the path
	distance      []float64
	done          []bool
}

func newAssigner(cost []float64, rows, columns int) *assigner {
	a := &assigner{rows: rows, columns: columns, cost: cost}
	if rows > columns {
		a.rows, a.columns, a.cost = columns, rows, make([]float64, len(cost))
		for i := range rows {
			for j := range columns {
				a.cost[j*rows+i] = cost[i*columns+j]
			}
		}
	}
	a.u, a.v, a.distance = make([]float64, a.rows), make([]float64, a.columns), make([]float64, a.columns)
	a.rowOf, a.before, a.done = make([]int, a.columns), make([]int, a.columns), make([]bool, a.columns)
	a.columnOf = make([]int, a.rows)
	for i := range a.columnOf {
		a.columnOf[i] = -1
	}
	for j := range a.rowOf {
		a.rowOf[j] = -1
	}
	return a
}

// augment matches a further row along the shortest path to a free column, as Dijkstra
// finds it with reduced costs; it reports whether there is one.
func (a *assigner) augment(first int) bool {
	for j := range a.distance {
		a.distance[j], a.done[j] = math.Inf(1), false
	}
	row, length, end := first, 0.0, -1
	for end < 0 {
		next, best := -1, math.Inf(1)
		for j, c := range a.cost[row*a.columns:][:a.columns] {
			if a.done[j] {
				continue
			}
			if d := length + c - a.u[row] - a.v[j]; d < a.distance[j] {
				a.distance[j], a.before[j] = d, row
			}
			// Of equally near columns a free one ends the path.
			if d := a.distance[j]; d < best || d == best && next >= 0 && a.rowOf[j] < 0 && a.rowOf[next] >= 0 {
				next, best = j, d
			}
		}
		if next < 0 {
			return false
		}
		length, a.done[next] = best, true
		if row = a.rowOf[next]; row < 0 {
			end = next
		}
	}
	a.u[first] += length
	for j, done := range a.done {
		if done && j != end {
			a.u[a.rowOf[j]] += length - a.distance[j]
			a.v[j] -= length - a.distance[j]
		}
	}
	for j, i := end, -1; i != first; {
		i = a.before[j]
		a.rowOf[j] = i
		a.columnOf[i], j = j, a.columnOf[i]
	}
	return true
}
