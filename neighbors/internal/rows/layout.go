// The layout of a pass: the memory budget, and how it is divided among blocks of rows and the distances that symmetric
// spaces keep between them.

package rows

import (
	"fmt"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/memory"
)

// maxBlockRows is the largest number of rows of a block of a pass over all pairs: the
// columns are packed once for each block.
const maxBlockRows = 16 * kernel.Align

// maxCheapRows is the largest number of rows held at a time of an embedded space in which
// distances are cheap.
const maxCheapRows = 5 * kernel.Align

// defaultKept bounds the memory kept between blocks by default. With more, the last third is used only briefly, half
// way through, and saves a seventh of the distances.
const defaultKept = 512 << 20

// Layout defines how a pass goes through its rows: in blocks of rows, within which embedded space e is computed in
// parts of embedded[e] rows.
type Layout struct {
	Rows     int
	Embedded []int
	Kept     int64 // memory that the original keeps between blocks
}

// planner knows the spaces of a pass over rows lo … hi−1, the original first.
type planner struct {
	spaces []Space
	cheap  []bool // of each space: keeping does not pay
	lo, hi int
}

func newPlanner(original Space, embedded []Space, lo, hi int) *planner {
	p := &planner{spaces: append([]Space{original}, embedded...), lo: lo, hi: hi}
	for e, s := range p.spaces {
		p.cheap = append(p.cheap, e > 0 && s.Keepable(0, 2*maxCheapRows, maxCheapRows) == 0)
	}
	return p
}

// held is the number of rows of space e that are held at a time.
func (p *planner) held(e, rows int) int {
	if p.cheap[e] {
		return min(rows, maxCheapRows)
	}
	return rows
}

// blocks is the memory of blocks of this height.
func (p *planner) blocks(rows int) (bytes int64) {
	for e, s := range p.spaces {
		bytes += int64(p.held(e, rows)) * s.RowBytes()
	}
	return bytes
}

// kept is the memory of all distances that can be kept between blocks of this height.
func (p *planner) kept(rows int) (bytes int64) {
	for _, s := range p.spaces {
		bytes += s.Keepable(p.lo, p.hi, rows)
	}
	return bytes
}

// rows is the height of the blocks: the tallest that leave memory for all distances that can be kept; else half of the
// budget goes to each.
func (p *planner) rows(budget int64) int {
	tall := min(maxBlockRows, p.hi-p.lo)
	// If keeping pays nowhere, short blocks that stay in the cache.
	if !slices.ContainsFunc(p.spaces, func(s Space) bool { return s.Keepable(0, 2*maxCheapRows, maxCheapRows) > 0 }) {
		tall = min(3*kernel.Align, p.hi-p.lo)
	}
	rows := tall
	for rows > kernel.Align && p.blocks(rows)+p.kept(rows) > budget {
		rows = (rows - 1) / kernel.Align * kernel.Align
	}
	if p.blocks(rows)+p.kept(rows) <= budget {
		return rows
	}
	rows = tall
	for rows > 1 && p.blocks(rows) > budget/2 {
		rows -= max(1, min(kernel.Align, rows-kernel.Align))
	}
	return rows
}

// NewLayout divides the budget of o for rows lo … hi−1 of n points. Blocks of rows and the distances that symmetric
// spaces keep between them share it. It announces the layout to the spaces.
func NewLayout(o *Options, n, lo, hi int, original Space, embedded []Space) (Layout, error) {
	// Memory of each point in each space, and of each worker's tables of a row.
	budget := o.Budget() - int64(1+len(embedded))*int64(n)*int64(32+12*o.ThreadCount())
	p := newPlanner(original, embedded, lo, hi)
	rows := p.rows(budget)
	if p.blocks(rows) > budget {
		return Layout{}, fmt.Errorf(
			"memory: %d bytes are left for blocks of rows, but one row of distances needs %d: raise the limit",
			max(0, budget), p.blocks(1))
	}
	if o.MaxRows > 0 {
		rows = min(rows, o.MaxRows)
	}
	l := Layout{Rows: rows}
	rest := budget - p.blocks(rows)
	for e, s := range p.spaces {
		if e > 0 {
			l.Embedded = append(l.Embedded, p.held(e, rows))
		}
		share := min(rest, s.Keepable(lo, hi, rows))
		if o.Memory == 0 && share > defaultKept {
			share = max(defaultKept, share/3*2)
		}
		if e == 0 {
			l.Kept = share
		}
		rest -= share
		s.Plan(p.held(e, rows), hi, share)
	}
	return l, nil
}

// blockRows is the largest number of rows of a block: enough for the matrix
// kernels to run at full speed.
const blockRows = 960

// fallbackMemory is the default budget where the machine's memory is unknown.
const fallbackMemory = 2 << 30

// Budget is the working memory in bytes.
func (o *Options) Budget() int64 {
	if o.Memory > 0 {
		return o.Memory
	}
	if available := memory.Available(); available > 0 {
		return available / 4
	}
	return fallbackMemory
}

// rowsWithin is the number of rows of a block when each takes rowBytes.
func rowsWithin(budget, rowBytes int64, n int) (int, error) {
	rows := budget / rowBytes
	if rows < 1 {
		return 0, fmt.Errorf(
			"memory: %d bytes are left for blocks of rows, but one row of distances needs %d: raise the limit",
			max(0, budget), rowBytes)
	}
	return int(min(rows, blockRows, int64(n))), nil
}
