// Matchings of the largest weight.

package box

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
)

// Weights are weights of pairs of a row and a column; pairs that it does not have weigh 0. Row
// i has the columns Column[Start[i]:Start[i+1]], each once in ascending order, and their weights.
type Weights struct {
	Rows, Columns int
	Start         []int // Rows + 1 numbers
	Column        []int32
	Weight        []float64
}

// Match pairs rows with columns, each at most once, so that the sum of the weights of the pairs is
// largest (Kuhn 1955; here by shortest augmenting paths from auction prices, as in Jonker & Volgenant
// 1987 and Volgenant 1996 for full and sparse matrices). Only pairs of positive weight are made. If
// all weights are in [0, 1], the pairs, together with any pairing of the remaining rows and columns,
// are a best assignment ([Assign]) for the costs 1 − weight. match[i] is the column of row i, −1 for
// none; total is the sum. Among several best matchings the choice is deterministic. O(Rows·pairs·log)
// time in the worst case, far less if most rows have distinct best columns. Errors: NaN, infinite or
// negative weights, columns outside the matrix or out of order.
func Match(w *Weights) (match []int, total float64, err error) {
	if err := w.check(); err != nil {
		return nil, 0, err
	}
	m := newMatcher(w)
	for _, i := range m.bid(m.bid(m.all())) {
		m.augment(i)
	}
	for i, j := range m.columnOf {
		if j >= 0 {
			total += w.At(i, j)
		}
	}
	return m.columnOf, total, nil
}

// At is the weight of a pair.
func (w *Weights) At(row, column int) float64 {
	k, ok := slices.BinarySearch(w.Column[w.Start[row]:w.Start[row+1]], int32(column))
	if !ok {
		return 0
	}
	return w.Weight[w.Start[row]+k]
}

func (w *Weights) check() error {
	pairs := len(w.Column)
	if w.Rows < 0 || w.Columns < 0 || len(w.Start) != w.Rows+1 || w.Start[0] != 0 || len(w.Weight) != pairs || w.Start[w.Rows] != pairs {
		return fmt.Errorf(
			"matching of %d × %d with %d weights and %d columns: want equal numbers, and the start of each row",
			w.Rows, w.Columns, len(w.Weight), pairs)
	}
	for i := range w.Rows {
		if w.Start[i] > w.Start[i+1] {
			return fmt.Errorf("matching: row %d starts after row %d", i, i+1)
		}
	}
	for i := range w.Rows {
		last := int32(-1)
		for k := w.Start[i]; k < w.Start[i+1]; k++ {
			if j := w.Column[k]; j <= last || int(j) >= w.Columns {
				return fmt.Errorf(
					"matching: row %d has column %d after %d: want ascending columns below %d", i, j, last, w.Columns)
			}
			if v := w.Weight[k]; !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("matching: the weight in row %d, column %d is %g: want a finite, nonnegative "+
					"number", i, w.Column[k], v)
			}
			last = w.Column[k]
		}
	}
	return nil
}

// matcher has prices u of rows and v of columns, none negative: u + v ≥ weight, and equal where
// matched; unmatched rows and columns have the price 0, but for rows whose turn has not come.
type matcher struct {
	*Weights
	u, v            []float64
	columnOf, rowOf []int // −1: none
	// The shortest paths from the row whose turn it is: distances of columns that have one, whose
	// seen equals this turn, and the rows before them.
	distance []float64
	before   []int
	seen     []int
	done     []int // columns whose distance is final, in their order
	turn     int
	queue    columnQueue
}

func newMatcher(w *Weights) *matcher {
	m := &matcher{Weights: w, u: make([]float64, w.Rows), v: make([]float64, w.Columns),
		columnOf: make([]int, w.Rows), rowOf: make([]int, w.Columns),
		distance: make([]float64, w.Columns), before: make([]int, w.Columns), seen: make([]int, w.Columns)}
	for i := range m.columnOf {
		m.columnOf[i] = -1
	}
	for j := range m.rowOf {
		m.rowOf[j] = -1
	}
	return m
}

func (m *matcher) all() []int {
	rows := make([]int, m.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// row are the columns and weights of a row.
func (m *matcher) row(i int) ([]int32, []float64) {
	return m.Column[m.Start[i]:m.Start[i+1]], m.Weight[m.Start[i]:m.Start[i+1]]
}

// bid gives each row the column that is worth most to it, at the price at which the next best
// is worth as much; who had it before bids again. It returns who is left with no column.
func (m *matcher) bid(rows []int) (unmatched []int) {
	// Bids can go on for long among rows that want the same columns. Paths end that.
	again := 4 * (m.Rows + 16)
	todo := make([]int, len(rows))
	for k, i := range rows {
		todo[len(rows)-1-k] = i // the last is the next
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		best, next, first, second := m.choices(i)
		m.u[i] = max(0, next)
		if best <= 0 {
			continue // worth nothing: the row stays alone
		}
		if best == next && m.rowOf[first] >= 0 && second >= 0 {
			first = second
		}
		// The price was v, and v + u is to be the weight.
		m.v[first] += best - m.u[i]
		previous := m.rowOf[first]
		m.rowOf[first], m.columnOf[i] = i, first
		if previous < 0 {
			continue
		}
		m.columnOf[previous] = -1
		if again--; best > next && again > 0 {
			todo = append(todo, previous)
		} else {
			unmatched = append(unmatched, previous)
		}
	}
	return unmatched
}

// choices are what the best and the next best column is worth to a row beyond its price, and
// which these are, −1 for none. Of equal columns free ones come first.
func (m *matcher) choices(i int) (best, next float64, first, second int) {
	first, second = -1, -1
	columns, weights := m.row(i)
	for k, c := range columns {
		j := int(c)
		switch worth := weights[k] - m.v[j]; {
		case worth > best || worth == best && first >= 0 && m.rowOf[j] < 0 && m.rowOf[first] >= 0:
			best, next, first, second = worth, best, j, first
		case worth > next || worth == next && second >= 0 && m.rowOf[j] < 0 && m.rowOf[second] >= 0:
			next, second = worth, j
		}
	}
	return best, next, first, second
}

// augment matches a further row along the shortest path to a free column or to a row that is
// better left alone, which may be itself.
func (m *matcher) augment(first int) {
	m.u[first], _, _, _ = m.choices(first)
	if m.u[first] <= 0 {
		return
	}
	m.turn++
	m.queue, m.done = m.queue[:0], m.done[:0]
	// The path ends in a free column, or else in a row that gives its column away.
	length, endColumn, endRow := m.u[first], -1, first
	for row, path := first, 0.0; ; {
		columns, weights := m.row(row)
		for k, c := range columns {
			j := int(c)
			d := path + max(0, m.u[row]+m.v[j]-weights[k])
			if d >= length || m.seen[j] == m.turn && d >= m.distance[j] {
				continue
			}
			m.seen[j], m.distance[j], m.before[j] = m.turn, d, row
			if m.rowOf[j] < 0 {
				length, endColumn, endRow = d, j, -1
			} else {
				heap.Push(&m.queue, columnAt{d, j})
			}
		}
		j := m.next(length)
		if j < 0 {
			break
		}
		m.done = append(m.done, j)
		row, path = m.rowOf[j], m.distance[j]
		if d := path + m.u[row]; d < length {
			length, endColumn, endRow = d, -1, row
		}
	}
	m.reprice(first, length)
	m.flip(first, endColumn, endRow)
}

// next is the nearest column whose distance is not final yet and less than a length, −1 for none.
func (m *matcher) next(length float64) int {
	for len(m.queue) > 0 {
		c := heap.Pop(&m.queue).(columnAt)
		if c.distance >= length {
			return -1
		}
		if c.distance == m.distance[c.column] { // else it came nearer since
			return c.column
		}
	}
	return -1
}

// reprice makes the path as good as the prices say.
func (m *matcher) reprice(first int, length float64) {
	m.u[first] = max(0, m.u[first]-length)
	for _, j := range m.done {
		if change := length - m.distance[j]; change > 0 {
			m.v[j] += change
			m.u[m.rowOf[j]] = max(0, m.u[m.rowOf[j]]-change)
		}
	}
}

// flip moves each row of the path to its next column.
func (m *matcher) flip(first, endColumn, endRow int) {
	j := endColumn
	if j < 0 {
		if endRow == first {
			return
		}
		j = m.columnOf[endRow]
		m.columnOf[endRow] = -1
	}
	for i := -1; i != first; {
		i = m.before[j]
		m.rowOf[j] = i
		m.columnOf[i], j = j, m.columnOf[i]
	}
}

// columnAt is a column and how far it is.
type columnAt struct {
	distance float64
	column   int
}

// columnQueue is a heap; of equally near columns the first comes first.
type columnQueue []columnAt

func (q columnQueue) Len() int { return len(q) }
func (q columnQueue) Less(a, b int) bool {
	return q[a].distance < q[b].distance || q[a].distance == q[b].distance && q[a].column < q[b].column
}
func (q columnQueue) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *columnQueue) Push(v any)   { *q = append(*q, v.(columnAt)) }
func (q *columnQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
