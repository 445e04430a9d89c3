// The search through cells: the neighbors of a vertex are searched in the cells whose centers are nearest to it. The
// number of cells follows from the true neighbors of a few vertices.
//
// The result for a vertex is the nearest, by key and vertex, of all members of these cells, in whatever order they
// come. It therefore depends on neither threads nor blocks.

package cells

import (
	"context"
	"sync"

	"repscope/internal/kernel"
	"repscope/neighbors/internal/rows"
)

const (
	// pilotQueries are the vertices whose true neighbors say how many cells to look into,
	// for the recall aimedRecall.
	pilotQueries, aimedRecall = 256, 0.98
	// searchHeight vertices are searched at a time, in searchColumns members of a cell.
	searchHeight, searchColumns = 2 * kernel.Align, 4 * kernel.Align
)

// probes is the number of cells in which a search finds the share aimedRecall of the true neighbors: neighbors(q) are
// the true neighbors of vertex queries[q].
func (c *index[F]) probes(ctx context.Context, queries []int, neighbors func(q int) []int) (int, error) {
	counts := make([]int, c.count)
	total := 0
	// The queries are few: one goroutine is enough.
	w, rank := &searcher[F]{}, make([]int32, c.count)
	for lo := 0; lo < len(queries); lo += searchHeight {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		part := queries[lo:min(len(queries), lo+searchHeight)]
		w.load(c, len(part), func(r int) int { return part[r] })
		if err := w.measureCenters(c); err != nil {
			return 0, err
		}
		for r := range part {
			w.rank(c, r, c.count, c.cell[part[r]])
			for p := range rank {
				rank[p] = int32(c.count - 1)
			}
			for p, e := range w.nearest {
				rank[e.Index] = int32(p)
			}
			for _, v := range neighbors(lo + r) {
				counts[rank[c.cell[v]]]++
				total++
			}
		}
	}
	sum := 0
	for p, count := range counts {
		if sum += count; float64(sum) >= aimedRecall*float64(total) {
			return p + 1, nil
		}
	}
	return c.count, nil
}

// search calls found for every vertex v with the width nearest members of the probes cells nearest to it, fewer if
// these have fewer. The lists are in no particular order. Several goroutines call it, identified by worker. progress,
// if not nil, receives the number of finished vertices.
func (c *index[F]) search(ctx context.Context, probes, width int, progress func(done, total int),
	visit func(worker, v int, list []int32)) error {
	var turn sync.Mutex
	done := 0
	var blocks [][2]int // ranges of c.places
	for k, size := range c.sizes {
		for lo := 0; lo < int(size); lo += searchHeight {
			first := int(c.starts[k]) + lo
			blocks = append(blocks, [2]int{first, first + min(searchHeight, int(size)-lo)})
		}
	}
	return c.work(ctx, len(blocks), func(w *searcher[F], b int) error {
		members := c.places[blocks[b][0]:blocks[b][1]]
		w.load(c, len(members), func(r int) int { return int(members[r]) })
		if err := w.choose(c, c.cell[members[0]], probes); err != nil {
			return err
		}
		w.open(len(members), rows.ListCapacity(width))
		for _, k := range w.order {
			if err := w.look(c, members, k, width); err != nil {
				return err
			}
		}
		for r, v := range members {
			visit(w.number, int(v), w.take(r, width))
		}
		if progress != nil {
			turn.Lock()
			defer turn.Unlock()
			done += len(members)
			progress(done, c.n)
		}
		return nil
	})
}
