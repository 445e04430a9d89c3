package neighbors

// This file searches the cells: the neighbours of a vertex are looked for in the cells whose
// centres are nearest to it, as many as the true neighbours of a few vertices ask for.
//
// What is found for a vertex are the nearest, by key and vertex, of all members of
// these cells, whatever order they come in, so that neither threads nor blocks
// change anything.

import (
	"context"
	"math"
	"slices"
	"sync"

	"repscope/internal/kernel"
)

const (
	// pilotQueries are the vertices whose true neighbours say how many cells to look into,
	// for the recall aimedRecall.
	pilotQueries, aimedRecall = 256, 0.98
	// searchRows vertices are searched at a time, in searchColumns members of a cell.
	searchRows, searchColumns = 2 * kernel.Align, 4 * kernel.Align
)

// cellWorker is one goroutine's memory.
type cellWorker[F kernel.Float] struct {
	number      int
	rows, norms []F // of the vertices that are searched for
	some        []F // the rows that look into one cell
	tile        []F // products with centres or members
	product     kernel.Workspace[F]
	packing     []F
	found       [searchColumns]int32
	segment     [segment]int32
	nearest     []entry[F] // cells
	// Each row's list has room for listCapacity entries, of which filled are used; keys
	// above the limit are not wanted.
	lists  []entry[F]
	filled []int32
	limits []F
	// chosen[r·probes+p] is the p-th nearest cell of row r, −1 for none. For each cell, the
	// places in chosen where it stands are a chain: heads[cell], links[heads[cell]], …, −1.
	chosen, heads, links []int32
	order                []int32 // the chosen cells, those nearest to some row first
	list                 []int32
	err                  error
}

// work calls do for 0 … count−1.
func (c *cells[F]) work(ctx context.Context, count int, do func(w *cellWorker[F], i int) error) error {
	workers := make([]cellWorker[F], c.threads)
	for w := range workers {
		workers[w].number = w
	}
	err := parallel(ctx, c.threads, count, func(w, i int) {
		if workers[w].err == nil {
			workers[w].err = do(&workers[w], i)
		}
	})
	for w := range workers {
		if workers[w].err != nil {
			return workers[w].err
		}
	}
	return err
}

// load takes the coordinates of count vertices.
func (w *cellWorker[F]) load(c *cells[F], count int, vertex func(r int) int) {
	w.rows, w.norms = grown(w.rows, count*c.dim), grown(w.norms, count)
	for r := range count {
		w.norms[r] = c.rows.compute(vertex(r), 0, w.rows[r*c.dim:(r+1)*c.dim])
	}
}

// multiply fills the tile with the products of the first count rows and the first width
// vectors of the operand.
func (w *cellWorker[F]) multiply(c *cells[F], rows []F, count int, operand kernel.Operand[F], width int, epilogue kernel.Epilogue[F]) error {
	w.tile = grown(w.tile, count*width)
	p := kernel.Product[F]{
		M: count, N: width, K: c.dim,
		A: kernel.Rows(rows, c.dim), B: operand,
		C: w.tile, Stride: width, Threads: 1, Workspace: &w.product, Epilogue: epilogue,
	}
	return p.Run()
}

// squared is a squared distance from a product and two squared norms.
func squared[F kernel.Float](product, norm, other F) F {
	return F(norm+other) - F(2*product)
}

// near returns the places in a row of products where the squared distance is at most limit.
func (w *cellWorker[F]) near(products, norms []F, norm, limit F) []int32 {
	if products, ok := any(products).([]float32); ok {
		return w.found[:kernel.NearDistances(w.found[:], products, any(norms).([]float32), noLimits[:], float32(norm), float32(limit))]
	}
	n := 0
	for l, product := range products {
		if squared(product, norm, norms[l]) <= limit {
			w.found[n] = int32(l)
			n++
		}
	}
	return w.found[:n]
}

// noLimits are limits that no distance keeps.
var noLimits = func() (limits [searchColumns]float32) {
	for l := range limits {
		limits[l] = float32(math.Inf(-1))
	}
	return limits
}()

// members is the operand of the members of a cell from place first on.
func (c *cells[F]) members(w *cellWorker[F], first int) kernel.Operand[F] {
	if c.packed.Count() > 0 {
		return c.packed.Operand(first)
	}
	return kernel.Packing[F](cellRows[F]{c, first, &w.packing})
}

// rank sets w.nearest to the count cells whose centres are nearest to row r of the tile of
// all centres, nearest first; own is the cell of the row.
func (w *cellWorker[F]) rank(c *cells[F], r, count int, own int32) {
	w.nearest = selectNearest(w.tile[r*c.count:(r+1)*c.count], count, int(own), w.nearest, &w.segment)
}

// measureCentres fills the tile with the distances of the rows to all centres.
func (w *cellWorker[F]) measureCentres(c *cells[F]) error {
	return w.multiply(c, w.rows, len(w.norms), c.centres.Operand(0), c.count, distanceTile[F]{w.norms, c.centreNorms})
}

// probes is the number of cells in which a search finds the share aimedRecall of the given
// true neighbours: neighbours(q) are those of vertex queries[q].
func (c *cells[F]) probes(ctx context.Context, queries []int, neighbours func(q int) []int) (int, error) {
	counts := make([]int, c.count)
	total := 0
	// The queries are few: one goroutine is enough.
	w, place := &cellWorker[F]{}, make([]int32, c.count)
	for lo := 0; lo < len(queries); lo += searchRows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		part := queries[lo:min(len(queries), lo+searchRows)]
		w.load(c, len(part), func(r int) int { return part[r] })
		if err := w.measureCentres(c); err != nil {
			return 0, err
		}
		for r := range part {
			w.rank(c, r, c.count, c.cell[part[r]])
			for p := range place {
				place[p] = int32(c.count - 1)
			}
			for p, e := range w.nearest {
				place[e.index] = int32(p)
			}
			for _, v := range neighbours(lo + r) {
				counts[place[c.cell[v]]]++
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

// search calls found for every vertex v with the width nearest members of the probes cells nearest to it,
// fewer where these have fewer, in no particular order, from several goroutines that
// worker tells apart. progress, if not nil, is told the number of vertices done.
func (c *cells[F]) search(ctx context.Context, probes, width int, progress func(done, total int), found func(worker, v int, list []int32)) error {
	var turn sync.Mutex
	done := 0
	var blocks [][2]int // places
	for k, size := range c.sizes {
		for lo := 0; lo < int(size); lo += searchRows {
			first := int(c.starts[k]) + lo
			blocks = append(blocks, [2]int{first, first + min(searchRows, int(size)-lo)})
		}
	}
	return c.work(ctx, len(blocks), func(w *cellWorker[F], b int) error {
		own := c.places[blocks[b][0]:blocks[b][1]]
		w.load(c, len(own), func(r int) int { return int(own[r]) })
		if err := w.choose(c, c.cell[own[0]], probes); err != nil {
			return err
		}
		w.open(len(own), listCapacity(width))
		for _, k := range w.order {
			if err := w.look(c, own, k, width); err != nil {
				return err
			}
		}
		for r, v := range own {
			found(w.number, int(v), w.take(r, width))
		}
		if progress != nil {
			turn.Lock()
			defer turn.Unlock()
			done += len(own)
			progress(done, c.n)
		}
		return nil
	})
}

// choose finds the cells that each row, a member of cell own, looks into.
func (w *cellWorker[F]) choose(c *cells[F], own int32, probes int) error {
	if err := w.measureCentres(c); err != nil {
		return err
	}
	rows := len(w.norms)
	w.chosen = grown(w.chosen, rows*probes)
	for r := range rows {
		w.rank(c, r, probes, own)
		near := w.chosen[r*probes : (r+1)*probes]
		for p := range near {
			near[p] = -1
			if p < len(w.nearest) {
				near[p] = w.nearest[p].index
			}
		}
	}
	if w.heads == nil {
		w.heads = slices.Repeat([]int32{-1}, c.count)
	}
	w.links, w.order = grown(w.links, rows*probes), w.order[:0]
	for p := range probes {
		for r := range rows {
			at := r*probes + p
			k := w.chosen[at]
			if k < 0 {
				continue
			}
			if w.heads[k] < 0 {
				w.order = append(w.order, k)
			}
			w.links[at], w.heads[k] = w.heads[k], int32(at)
		}
	}
	return nil
}

// open empties the lists of so many rows.
func (w *cellWorker[F]) open(rows, capacity int) {
	w.lists, w.filled, w.limits = grown(w.lists, rows*capacity), grown(w.filled, rows), grown(w.limits, rows)
	clear(w.filled)
	for r := range w.limits {
		w.limits[r] = nextDown(F(math.Inf(1)))
	}
}

// look enters the members of cell k into the lists of the rows that look into it.
func (w *cellWorker[F]) look(c *cells[F], own []int32, k int32, width int) error {
	probes := len(w.links) / len(own)
	w.list, w.some = w.list[:0], w.some[:0]
	for at := w.heads[k]; at >= 0; at = w.links[at] {
		r := int(at) / probes
		w.list = append(w.list, int32(r))
		w.some = append(w.some, w.rows[r*c.dim:(r+1)*c.dim]...)
	}
	w.heads[k] = -1
	capacity := listCapacity(width)
	start, size := int(c.starts[k]), int(c.sizes[k])
	for first := start; first < start+size; first += searchColumns {
		columns := min(searchColumns, start+size-first)
		norms := c.norms[first : first+columns]
		if err := w.multiply(c, w.some, len(w.list), c.members(w, first), columns, nil); err != nil {
			return err
		}
		for q, r := range w.list {
			part := w.tile[q*columns : (q+1)*columns]
			list := w.lists[int(r)*capacity : (int(r)+1)*capacity]
			u := own[r]
			for _, l := range w.near(part, norms, w.norms[r], w.limits[r]) {
				v, key := c.places[first+int(l)], squared(part[l], w.norms[r], norms[l])
				if u == v || key > w.limits[r] || c.excluded != nil && c.excluded(u, v) {
					continue
				}
				list[w.filled[r]] = entry[F]{key, v}
				w.filled[r]++
				if int(w.filled[r]) == capacity {
					w.limits[r] = cut(list, width)
					w.filled[r] = int32(width)
				}
			}
		}
	}
	return nil
}

// cut moves the width first entries to the front and returns the largest key of these.
func cut[F kernel.Float](list []entry[F], width int) F {
	partition(list, width)
	last := list[0].key
	for _, e := range list[1:width] {
		last = max(last, e.key)
	}
	return last
}

// take returns the vertices on the list of row r.
func (w *cellWorker[F]) take(r, width int) []int32 {
	capacity := listCapacity(width)
	list := w.lists[r*capacity:][:w.filled[r]]
	if len(list) > width {
		partition(list, width)
		list = list[:width]
	}
	w.list = w.list[:0]
	for _, e := range list {
		w.list = append(w.list, e.index)
	}
	return w.list
}
