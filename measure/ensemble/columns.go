// Members of some cells at a time, sorted where wanted.

package ensemble

import (
	"math"
	"slices"
	"sync"

	"repscope/internal/kernel/vector"
)

// width is the number of cells that are treated together.
const width = vector.Columns

// largestNetwork is the largest number of members that a network sorts, which takes
// O(S·log² S) steps of many cells at once; more are sorted cell by cell.
const largestNetwork = 1024

// columns holds the members [S][width] and the truth of some cells, and scratch memory.
type columns[T Float] struct {
	members  int
	x        []T
	y        [width]T
	absolute [width]float64 // Σ |x − y| over members, NaN where one of them is
	sums     [width]float64
	column   []float64
}

func newColumns[T Float](members int) *columns[T] {
	return &columns[T]{members: members, x: make([]T, members*width), column: make([]float64, members)}
}

// eachColumns loads the cells of a sample, width at a time, the first of them first, and n of
// them at its end; those that it has not are 0.
func eachColumns[T Float](s Sample[T], visit func(c *columns[T], first, n int)) {
	if len(s.truth) == 0 {
		return
	}
	c := newColumns[T](s.count)
	for first := 0; first < len(s.truth); first += width {
		n := min(width, len(s.truth)-first)
		if n < width {
			clear(c.x)
			clear(c.y[:])
		}
		copy(c.y[:n], s.truth[first:])
		for k := range s.count {
			copy(c.x[k*width:][:n], s.member(k)[first:])
		}
		c.sum()
		visit(c, first, n)
	}
}

// sum sums absolute differences from the truth.
func (c *columns[T]) sum() { vector.AbsoluteSums(c.absolute[:], c.x, c.y[:], c.members, width, 0) }

// row is a member of all cells.
func (c *columns[T]) row(k int) []T { return c.x[k*width:][:width] }

// sort puts the members of every cell into ascending order. NaN are lost, and seen in absolute alone.
func (c *columns[T]) sort() {
	if c.members <= largestNetwork {
		vector.SortColumns(c.x, network(c.members))
		return
	}
	column := make([]T, c.members)
	for i := range width {
		for k := range column {
			column[k] = c.x[k*width+i]
		}
		slices.Sort(column)
		for k, v := range column {
			c.x[k*width+i] = v
		}
	}
}

// of is the members of one cell, all NaN if one of them or the truth is. The next call overwrites them.
func (c *columns[T]) of(i int) []float64 {
	if math.IsNaN(c.absolute[i]) {
		for k := range c.column {
			c.column[k] = math.NaN()
		}
		return c.column
	}
	for k := range c.column {
		c.column[k] = float64(c.x[k*width+i])
	}
	return c.column
}

var networks sync.Map // of members: []int32

// network returns Batcher's odd–even merge sort of n rows, as pairs of rows (Knuth, The Art
// of Computer Programming 3, 5.2.2, algorithm M).
func network(n int) []int32 {
	if pairs, ok := networks.Load(n); ok {
		return pairs.([]int32)
	}
	var pairs []int32
	top := 1
	for 2*top < n {
		top *= 2
	}
	for p := top; p > 0; p /= 2 {
		for q, r, d := top, 0, p; ; q, r, d = q/2, p, q-p {
			for i := range max(0, n-d) {
				if i&p == r {
					pairs = append(pairs, int32(i), int32(i+d))
				}
			}
			if q == p {
				break
			}
		}
	}
	networks.Store(n, pairs)
	return pairs
}
