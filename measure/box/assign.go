// Assignments of least cost.

package box

import (
	"errors"
	"fmt"
	"math"
)

// Assign matches each row of a cost matrix [rows, columns] with a distinct column so that the sum of
// costs is smallest; with fewer columns than rows, each column is matched with a distinct row (Kuhn
// 1955; here by shortest augmenting paths from auction prices, Jonker & Volgenant 1987, in time
// O(n²·m) for n ≤ m). match[i] is the column of row i, −1 for none; total is the sum. +Inf forbids a
// pair. Among several best assignments the choice is deterministic. See [Match] if most pairs have the
// same cost. Errors: no full matching without forbidden pairs, NaN, −Inf, a matrix of another size.
func Assign(cost []float64, rows, columns int) (match []int, total float64, err error) {
	return assign(cost, rows, columns, false)
}

// AssignInOrder is [Assign] with the choice among several best assignments made by SciPy's
// linear_sum_assignment (Crouse 2016). Rows (or columns, if there are fewer) are matched one after the
// other, from prices of 0, along the path found by Dijkstra's algorithm. Columns are visited from the
// last to the first; the last of the list replaces one whose distance is final. Among equally near
// columns the first visited is chosen, or the last visited free column. Equal costs give the identity.
// It is slower than Assign.
func AssignInOrder(cost []float64, rows, columns int) (match []int, total float64, err error) {
	return assign(cost, rows, columns, true)
}

func assign(cost []float64, rows, columns int, inOrder bool) (match []int, total float64, err error) {
	if rows < 0 || columns < 0 || len(cost) != rows*columns {
		return nil, 0, fmt.Errorf("assignment with %d costs: want %d × %d", len(cost), rows, columns)
	}
	for i, c := range cost {
		if math.IsNaN(c) || math.IsInf(c, -1) {
			return nil, 0, fmt.Errorf("assignment: the cost in row %d, column %d is %g", i/columns, i%columns, c)
		}
		inOrder = inOrder || math.IsInf(c, 1) // a row may have nothing to bid against
	}
	a := newAssigner(cost, rows, columns)
	unmatched := a.all()
	if !inOrder {
		unmatched = a.start()
	}
	for _, i := range unmatched {
		if !a.augment(i) {
			return nil, 0, errors.New("assignment: too many forbidden pairs to assign all rows")
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
	distance      []float64 // of columns whose distance is final
	todo          []reach   // columns whose distance is not final yet
	done          []int     // those whose is
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
	a.rowOf, a.before = make([]int, a.columns), make([]int, a.columns)
	a.columnOf = make([]int, a.rows)
	for i := range a.columnOf {
		a.columnOf[i] = -1
	}
	for j := range a.rowOf {
		a.rowOf[j] = -1
	}
	return a
}

// start prices columns and gives them to rows, and returns the rows that are left with none.
func (a *assigner) start() (unmatched []int) {
	// In a matrix that is not square columns stay alone, which have the price 0.
	if a.rows == a.columns {
		if unmatched = a.bid(a.bid(a.reduce())); len(unmatched) <= a.rows/20 {
			return unmatched
		}
		// Where many columns are cheapest in the same rows, paths through their prices are long.
		for i := range a.v {
			a.columnOf[i], a.rowOf[i], a.v[i] = -1, -1, 0
		}
	}
	return a.bid(a.bid(a.all()))
}

func (a *assigner) all() []int {
	rows := make([]int, a.rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// reduce prices the columns of a square matrix at their least costs and gives them to the rows
// that have these, one each; it returns who is left with no column.
func (a *assigner) reduce() (unmatched []int) {
	n, from := a.columns, make([]int, a.columns)
	copy(a.v, a.cost[:n])
	for i := 1; i < n; i++ {
		for j, c := range a.cost[i*n:][:n] {
			if c < a.v[j] {
				a.v[j], from[j] = c, i
			}
		}
	}
	for j, i := range from {
		if a.columnOf[i] < 0 {
			a.columnOf[i], a.rowOf[j] = j, i
		}
	}
	for i, j := range a.columnOf {
		if j < 0 {
			unmatched = append(unmatched, i)
		}
	}
	return unmatched
}

// bid gives each row its cheapest column, at the price at which the next cheapest costs as
// much; who had it before bids again. It returns who is left with no column.
func (a *assigner) bid(rows []int) (unmatched []int) {
	// Bids can go on for long among rows that want the same columns. Paths end that.
	again := 4 * (a.rows + 16)
	todo := make([]int, len(rows))
	for k, i := range rows {
		todo[len(rows)-1-k] = i // the last is the next
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		best, next, first, second := a.choices(i)
		if best == next && a.rowOf[first] >= 0 && a.rowOf[second] < 0 {
			first = second
		}
		a.u[i] = next
		a.v[first] -= next - best
		previous := a.rowOf[first]
		a.rowOf[first], a.columnOf[i] = i, first
		if previous < 0 {
			continue
		}
		a.columnOf[previous] = -1
		if again--; best < next && again > 0 {
			todo = append(todo, previous)
		} else {
			unmatched = append(unmatched, previous)
		}
	}
	return unmatched
}

// choices are the two least costs of a row less the prices of their columns, and which these are.
func (a *assigner) choices(i int) (best, next float64, first, second int) {
	v := a.v
	best, next = math.Inf(1), math.Inf(1)
	for j, c := range a.cost[i*a.columns:][:len(v)] {
		if d := c - v[j]; d < next {
			if d < best {
				best, next, first, second = d, best, j, first
			} else {
				next, second = d, j
			}
		}
	}
	if len(v) == 1 { // there is nothing to bid against
		next = best
	}
	return best, next, first, second
}

// reach is how far a column is, and its price.
type reach struct {
	distance, price float64
	column          int
}

// augment matches a further row along the shortest path to a free column, as Dijkstra
// finds it with reduced costs; it reports whether there is one.
func (a *assigner) augment(first int) bool {
	a.u[first] = 0
	a.todo, a.done = a.todo[:0], a.done[:0]
	for j := len(a.v) - 1; j >= 0; j-- { // so that equal costs are matched in their order
		a.todo = append(a.todo, reach{math.Inf(1), a.v[j], j})
	}
	row, length, end := first, 0.0, -1
	for end < 0 {
		position := a.relax(row, length)
		if position < 0 {
			return false
		}
		next := a.todo[position].column
		length = a.todo[position].distance
		a.distance[next] = length
		a.todo[position] = a.todo[len(a.todo)-1]
		a.todo = a.todo[:len(a.todo)-1]
		if row = a.rowOf[next]; row < 0 {
			end = next
		} else {
			a.done = append(a.done, next)
		}
	}
	a.u[first] += length
	for _, j := range a.done {
		a.u[a.rowOf[j]] += length - a.distance[j]
		a.v[j] -= length - a.distance[j]
	}
	for j, i := end, -1; i != first; {
		i = a.before[j]
		a.rowOf[j] = i
		a.columnOf[i], j = j, a.columnOf[i]
	}
	return true
}

// relax shortens the paths that lead over a row, which is so far, and returns where in todo
// the nearest column is, −1 for none.
func (a *assigner) relax(row int, length float64) (nearest int) {
	cost, price, best := a.cost[row*a.columns:][:a.columns], a.u[row], math.Inf(1)
	nearest = -1
	for k := range a.todo {
		r := &a.todo[k]
		if shorter := length + cost[r.column] - price - r.price; shorter < r.distance {
			r.distance, a.before[r.column] = shorter, row
		}
		// Of equally near columns a free one ends the path.
		if d := r.distance; d < best || d == best && a.rowOf[r.column] < 0 && nearest >= 0 {
			nearest, best = k, d
		}
	}
	return nearest
}
