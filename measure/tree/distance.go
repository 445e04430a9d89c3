// The edit distance of Zhang and Shasha.

package tree

import (
	"context"
	"errors"
	"fmt"
)

// Limits bound a comparison; 0 is the default.
type Limits struct {
	Cells float64 // steps, of about 3 ns: 2³⁴ by default, which are less than a minute
	Bytes float64 // memory: 2³⁰ by default
}

// ErrLimit is wrapped by the errors of comparisons that would exceed their Limits.
var ErrLimit = errors.New("too large to compare")

// Result is the distance of two trees.
type Result struct {
	Distance float64
	Bound    float64 // what it costs to delete all of the first tree and insert all of the second
}

// Ratio returns Distance / Bound in [0, 1]: 0 if nothing changes, 1 if starting from nothing
// costs as little. 0 for a Bound of 0, as of two empty trees.
func (r Result) Ratio() float64 {
	if r.Bound == 0 {
		return 0
	}
	return r.Distance / r.Bound
}

// Normalized returns 2·Distance / (Bound + Distance) in [0, 1], which unlike the Ratio is a
// metric if the costs are a metric (Li & Zhang 2011). 0 for a Bound of 0.
func (r Result) Normalized() float64 { return 2 * r.Ratio() / (1 + r.Ratio()) }

// need returns what a comparison of two trees takes: the steps of the better of its two
// directions, at most |A|·|B| times the smaller of depth and leaves of A and the same of B,
// and memory in bytes. Unit costs take half the memory of others.
func need[L any](a, b *Tree[L], unit bool) (cells, bytes float64) {
	x, y := views(a, b)
	width := 8.
	if unit {
		width = 4
	}
	stored := float64(len(x.node))*float64(len(y.node)) - float64(spine(x))*float64(spine(y))
	return x.cells * y.cells, width * (stored + float64(x.open+3)*float64(len(y.node)+1))
}

// Distance returns the edit distance of two trees with unit costs (Tai 1979; Zhang & Shasha
// 1989): the fewest nodes to delete, to insert and to relabel that make one the other, where
// the children of a deleted node take its place, and the order of siblings and who is above
// whom stay. It is a metric; Bound is the number of nodes of both. The same number whatever
// the direction. More than the limits allow is an error that wraps ErrLimit, before
// anything is computed.
func Distance[L comparable](ctx context.Context, a, b *Tree[L], limits Limits) (Result, error) {
	ones := make([]int32, max(a.Len(), b.Len()))
	for i := range ones {
		ones[i] = 1
	}
	if err := limits.check(need(a, b, true)); err != nil {
		return Result{}, fmt.Errorf("trees of %d and %d nodes: %w", a.Len(), b.Len(), err)
	}
	x, y := views(a, b)
	code := map[L]int32{}
	from, to := encode(code, a.labels), encode(code, b.labels)
	d, err := compare(ctx, x, y, ones[:a.Len()], ones[:b.Len()], func(i, j int) int32 {
		if from[i] == to[j] {
			return 0
		}
		return 1
	})
	return Result{float64(d), float64(a.Len() + b.Len())}, err
}

// encode returns numbers of labels, equal ones for equal labels. A label that is not equal to
// itself, as NaN is, has a number of its own.
func encode[L comparable](code map[L]int32, labels []L) []int32 {
	out := make([]int32, len(labels))
	for i, label := range labels {
		number, ok := code[label]
		if !ok {
			number = int32(len(code))
			code[label] = number
		}
		out[i] = number
	}
	return out
}

func (l Limits) check(cells, bytes float64) error {
	if l.Cells == 0 {
		l.Cells = 1 << 34
	}
	if l.Bytes == 0 {
		l.Bytes = 1 << 30
	}
	if cells > l.Cells {
		return fmt.Errorf("%w: %.3g steps, limit %.3g", ErrLimit, cells, l.Cells)
	}
	if bytes > l.Bytes {
		return fmt.Errorf("%w: %.3g bytes, limit %.3g", ErrLimit, bytes, l.Bytes)
	}
	return nil
}

// views returns both trees from the side from which there is less to do.
func views[L any](a, b *Tree[L]) (x, y *view) {
	if a.right.cells*b.right.cells < a.left.cells*b.left.cells {
		return &a.right, &b.right
	}
	return &a.left, &b.left
}

// spine is the number of nodes on the path from the first leaf to the root.
func spine(v *view) (n int) {
	for _, leaf := range v.leaf {
		if leaf == 0 {
			n++
		}
	}
	return n
}

// comparison computes the distances of all pairs of subtrees, smaller ones first.
type comparison[C int32 | float64] struct {
	x, y           *view
	remove, insert []C // by place in x and y
	rename         func(i, j int) C
	// Distances of subtrees: of i and j at trees[row[i]+column[j]]. Where both are on the
	// paths from the first leaf to the root nothing asks for them again, and none is kept:
	// rows of such i end before the columns of such j.
	trees       []C
	row, column []int
	// Distances of forests: of what comes before and with a node of x, for every forest of
	// y: the last row and this one, and those before the leaves of paths that go on.
	last, this []C
	open       [][]C
}

// compare returns the distance of two trees; the costs are by nodes.
func compare[C int32 | float64](ctx context.Context, x, y *view, remove, insert []C,
	rename func(i, j int) C) (C, error) {
	c := &comparison[C]{x: x, y: y, rename: rename}
	var total C
	for _, node := range x.node {
		c.remove = append(c.remove, remove[node])
		total += remove[node]
	}
	for _, node := range y.node {
		c.insert = append(c.insert, insert[node])
		total += insert[node]
	}
	if err := ctx.Err(); err != nil || len(x.node) == 0 || len(y.node) == 0 {
		return total, err
	}
	c.allocate()
	rootsX, rootsY := x.keyroots, y.keyroots
	if exact, ok := any(c).(*comparison[int32]); ok {
		rootsX, rootsY = exact.leaves()
	}
	var done int // cells since the context was asked
	for _, i := range rootsX {
		for _, j := range rootsY {
			if err := c.subtrees(ctx, i, j, &done); err != nil {
				return 0, err
			}
		}
	}
	return c.last[len(y.node)], nil
}

func (c *comparison[C]) allocate() {
	n, m := len(c.x.node), len(c.y.node)
	c.row, c.column = make([]int, n), make([]int, m)
	short := m - spine(c.y)
	off, on := 0, short
	for j, leaf := range c.y.leaf {
		if leaf == 0 {
			c.column[j] = on
			on++
		} else {
			c.column[j] = off
			off++
		}
	}
	size := 0
	for i, leaf := range c.x.leaf {
		c.row[i] = size
		if size += m; leaf == 0 {
			size += short - m
		}
	}
	c.trees = make([]C, size)
	c.last, c.this = make([]C, m+1), make([]C, m+1)
	for range c.x.open + 1 {
		c.open = append(c.open, make([]C, m+1))
	}
}

// leaves fills in the distances of keyroots without children, which are many, from all subtrees:
// all of one is deleted but its node most like the other, or that too. It returns the other
// keyroots. The differences that it takes are exact for integers alone.
func (c *comparison[C]) leaves() (x, y []int) {
	sumX, sumY := sums(c.remove), sums(c.insert)
	least := make([]C, max(len(c.remove), len(c.insert)))
	for _, i := range c.x.keyroots {
		if c.x.leaf[i] != i || i == len(c.remove)-1 {
			x = append(x, i)
			continue
		}
		for j, leaf := range c.y.leaf {
			least[j] = c.rename(c.x.node[i], c.y.node[j]) - c.insert[j]
			for child := j - 1; child >= leaf; child = c.y.leaf[child] - 1 {
				least[j] = min(least[j], least[child])
			}
			c.trees[c.row[i]+c.column[j]] = sumY[j+1] - sumY[leaf] + min(c.remove[i], least[j])
		}
	}
	for _, j := range c.y.keyroots {
		if c.y.leaf[j] != j || j == len(c.insert)-1 {
			y = append(y, j)
			continue
		}
		for i, leaf := range c.x.leaf {
			least[i] = c.rename(c.x.node[i], c.y.node[j]) - c.remove[i]
			for child := i - 1; child >= leaf; child = c.x.leaf[child] - 1 {
				least[i] = min(least[i], least[child])
			}
			c.trees[c.row[i]+c.column[j]] = sumX[i+1] - sumX[leaf] + min(c.insert[j], least[i])
		}
	}
	return x, y
}

// sums are the sums of the first 0, 1, … costs.
func sums[C int32 | float64](costs []C) []C {
	out := make([]C, len(costs)+1)
	for i, cost := range costs {
		out[i+1] = out[i] + cost
	}
	return out
}

// subtrees computes the distances of all forests that begin with the first leaves of two
// keyroots; the distances of whole subtrees are kept.
func (c *comparison[C]) subtrees(ctx context.Context, rootX, rootY int, done *int) error {
	startX, startY := c.x.leaf[rootX], c.y.leaf[rootY]
	width := rootY - startY + 1
	c.last[0] = 0
	for k, cost := range c.insert[startY:][:width] {
		c.last[k+1] = c.last[k] + cost
	}
	open := 0
	for i := startX; i <= rootX; i++ {
		if *done += width; *done > 1<<24 {
			if *done = 0; ctx.Err() != nil {
				return ctx.Err()
			}
		}
		before := c.last[:width+1] // the row before the first leaf of i
		switch isLeaf, isTop := c.x.leaf[i] == i, c.x.top[i] == i; {
		case isLeaf && !isTop:
			copy(c.open[open], before)
			open++
		case !isLeaf:
			before = c.open[open-1][:width+1]
			if isTop {
				open--
			}
		}
		c.this[0] = c.last[0] + c.remove[i]
		if c.x.leaf[i] == startX {
			c.path(i, rootY, before)
		} else {
			c.inner(i, rootY, before)
		}
		c.last, c.this = c.this, c.last
	}
	return nil
}

// inner fills the row of a node that is no root of the forests before it: its subtree is
// matched whole.
func (c *comparison[C]) inner(i, rootY int, before []C) {
	start := c.y.leaf[rootY]
	n := rootY - start + 1
	leaves, column, insert := c.y.leaf[start:][:n], c.column[start:][:n], c.insert[start:][:n]
	last, this, trees, cost := c.last[:n+1], c.this[:n+1], c.trees[c.row[i]:], c.remove[i]
	value := this[0]
	for k := range n {
		value = min(last[k+1]+cost, value+insert[k], before[leaves[k]-start]+trees[column[k]])
		this[k+1] = value
	}
}

// path fills the row of a node on the path from the first leaf to the keyroot, where the
// forests of x are trees.
func (c *comparison[C]) path(i, rootY int, before []C) {
	start := c.y.leaf[rootY]
	row, cost := c.row[i], c.remove[i]
	store := c.x.leaf[i] != 0 || start != 0
	for j := start; j <= rootY; j++ {
		k := j - start
		least := min(c.last[k+1]+cost, c.this[k]+c.insert[j])
		if c.y.leaf[j] != start {
			least = min(least, before[c.y.leaf[j]-start]+c.trees[row+c.column[j]])
		} else {
			least = min(least, c.last[k]+c.rename(c.x.node[i], c.y.node[j]))
			if store {
				c.trees[row+c.column[j]] = least
			}
		}
		c.this[k+1] = least
	}
}
